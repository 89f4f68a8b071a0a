/* mapped_file.c - read views of a mapped file, also if the file changes meanwhile */
#include "unit/tmpdir.h"

#include "base/file.h"
#include "base/mapped_file.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { PAGE = 4096, PAGES = 40 };

/* Make a file in which byte n is n % 251.  Returns its descriptor, which the caller closes. */
static int numbered(const char *dir)
{
	static uint8_t all[PAGES * PAGE];
	char *path;
	int fd;

	for (size_t i = 0; i < sizeof(all); i++)
		all[i] = (uint8_t)(i % 251);
	path = put_file(dir, "numbers", all, sizeof(all));
	fd = open(path, O_RDWR | O_CLOEXEC);
	EXPECT(fd >= 0);
	free(path);
	return fd;
}

TEST(any_part_is_in_sight_wherever_it_begins)
{
	char *dir = tmpdir();
	int fd = numbered(dir);
	struct hd_mapped_file *m = hd_mapped_file_new(3 * PAGE);

	for (size_t off = 0; off < (PAGES - 3) * PAGE; off += 1021) {
		const uint8_t *p = hd_mapped_file_view(m, fd, off, 3 * PAGE);

		EXPECT(p != NULL);
		EXPECT_INT(p[0], off % 251);
		EXPECT_INT(p[3 * PAGE - 1], (off + 3 * PAGE - 1) % 251);
	}
	EXPECT(!hd_mapped_file_torn(m));
	hd_mapped_file_free(m);
	close(fd);
	tmpdir_remove(dir);
}

TEST(what_cannot_be_seen_is_refused)
{
	char *dir = tmpdir();
	int fd = numbered(dir);
	struct hd_mapped_file *m = hd_mapped_file_new(PAGE);

	EXPECT(hd_mapped_file_view(m, fd, 0, 4 * PAGE) == NULL);
	EXPECT(hd_mapped_file_view(m, fd, 0, 0) == NULL);
	EXPECT(hd_mapped_file_view(m, fd, UINT64_MAX - 10, 5) == NULL);
	EXPECT(hd_mapped_file_view(m, -1, 0, 10) == NULL);
	EXPECT(hd_mapped_file_new(SIZE_MAX) == NULL);
	hd_mapped_file_free(m);
	hd_mapped_file_free(NULL);
	close(fd);
	tmpdir_remove(dir);
}

TEST(of_a_file_that_got_shorter_what_is_gone_is_zeros_and_told)
{
	char *dir = tmpdir();
	int fd = numbered(dir);
	struct hd_mapped_file *m = hd_mapped_file_new(8 * PAGE), *other = hd_mapped_file_new(8 * PAGE);
	const uint8_t *p = hd_mapped_file_view(m, fd, 100, 8 * PAGE), *q = hd_mapped_file_view(other, fd, 0, PAGE);

	EXPECT_INT(p[0], 100);
	EXPECT(ftruncate(fd, PAGE) == 0);
	EXPECT_INT(p[0], 100);
	EXPECT(!hd_mapped_file_torn(m));
	EXPECT_INT(p[5 * PAGE], 0);
	EXPECT_INT(p[8 * PAGE - 1], 0);
	EXPECT(hd_mapped_file_torn(m));
	EXPECT_INT(q[7], 7);
	EXPECT(!hd_mapped_file_torn(other));
	/* A torn file stays marked as torn.  A later view shows the present file. */
	EXPECT_INT(hd_mapped_file_view(m, fd, 3, PAGE - 3)[0], 3);
	EXPECT(hd_mapped_file_torn(m));
	hd_mapped_file_free(m);
	hd_mapped_file_free(other);
	close(fd);
	tmpdir_remove(dir);
}

TEST(so_many_at_once_and_no_more_until_one_is_freed)
{
	struct hd_mapped_file *m[HD_MAPPED_FILES_MAX];

	for (size_t i = 0; i < HD_MAPPED_FILES_MAX; i++) {
		m[i] = hd_mapped_file_new(PAGE);
		EXPECT(m[i] != NULL);
	}
	EXPECT(hd_mapped_file_new(PAGE) == NULL);
	hd_mapped_file_free(m[3]);
	m[3] = hd_mapped_file_new(PAGE);
	EXPECT(m[3] != NULL);
	for (size_t i = 0; i < HD_MAPPED_FILES_MAX; i++)
		hd_mapped_file_free(m[i]);
}

/* hd_mapped_file handles faults in its own mappings only. */
TEST(a_map_of_another_part_of_the_program_still_ends_it)
{
	char *dir = tmpdir();
	int fd = numbered(dir), status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		volatile uint8_t *p = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
		struct hd_mapped_file *m;
		uint8_t got;

		signal(SIGBUS, SIG_DFL);
		m = hd_mapped_file_new(PAGE);
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
		close(STDERR_FILENO);
		if (!m || p == MAP_FAILED || ftruncate(fd, 0))
			_exit(0);
		got = p[PAGE];
		_exit(got);
	}
	EXPECT(waitpid(pid, &status, 0) == pid);
	EXPECT(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
	close(fd);
	tmpdir_remove(dir);
}

TEST_MAIN(RUN(any_part_is_in_sight_wherever_it_begins),
	  RUN(what_cannot_be_seen_is_refused),
	  RUN(of_a_file_that_got_shorter_what_is_gone_is_zeros_and_told),
	  RUN(so_many_at_once_and_no_more_until_one_is_freed),
	  RUN(a_map_of_another_part_of_the_program_still_ends_it))
