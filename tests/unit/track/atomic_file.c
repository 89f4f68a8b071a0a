/*
 * atomic_file.c - replace a file as a whole or not at all
 */
#include "test.h"

#include "track/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

static int enter_folder(void **state)
{
	strcpy(folder, "/tmp/hd-atomic-XXXXXX");
	return mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave_folder(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return chdir("/") || system(command);
}

static void expect_content(const char *path, const char *want)
{
	char got[256] = "";
	FILE *f = fopen(path, "r");

	EXPECT(f != NULL);
	got[fread(got, 1, sizeof(got) - 1, f)] = '\0';
	fclose(f);
	EXPECT_STR(got, want);
}

static unsigned files_here(void)
{
	DIR *dir = opendir(".");
	unsigned n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

TEST(a_new_file_appears_at_the_commit)
{
	struct hd_atomic_file f;

	EXPECT_INT(hd_atomic_open(&f, "new"), HD_TRACK_OK);
	hd_atomic_add(&f, "abc", 3);
	EXPECT(access("new", F_OK) < 0);
	hd_atomic_add(&f, "def", 3);
	EXPECT_INT(hd_atomic_commit(&f), HD_TRACK_OK);
	expect_content("new", "abcdef");
	EXPECT_INT(files_here(), 1);
}

TEST(a_file_is_replaced_at_the_commit_and_keeps_its_permissions)
{
	struct hd_atomic_file f;
	struct stat st;

	EXPECT_INT(hd_atomic_write("old", "old", 3), HD_TRACK_OK);
	EXPECT_INT(chmod("old", 0640), 0);
	EXPECT_INT(hd_atomic_open(&f, "old"), HD_TRACK_OK);
	hd_atomic_add(&f, "new", 3);
	expect_content("old", "old");
	EXPECT_INT(hd_atomic_commit(&f), HD_TRACK_OK);
	expect_content("old", "new");
	EXPECT_INT(stat("old", &st), 0);
	EXPECT_INT(st.st_mode & 07777, 0640);
	EXPECT_INT(files_here(), 1);
}

TEST(nothing_is_left_of_a_discarded_file)
{
	struct hd_atomic_file f;

	EXPECT_INT(hd_atomic_open(&f, "gone"), HD_TRACK_OK);
	hd_atomic_add(&f, "abc", 3);
	hd_atomic_discard(&f);
	EXPECT_INT(files_here(), 0);
}

TEST(more_than_the_buffer_is_written)
{
	static char big[3 * HD_ATOMIC_BUFFER + 7];
	struct stat st;

	memset(big, 'x', sizeof(big));
	EXPECT_INT(hd_atomic_write("big", big, sizeof(big)), HD_TRACK_OK);
	EXPECT_INT(stat("big", &st), 0);
	EXPECT_INT(st.st_size, sizeof(big));
}

TEST(a_symbolic_link_stays_and_its_target_is_replaced)
{
	struct stat st;

	EXPECT_INT(hd_atomic_write("target", "1", 1), HD_TRACK_OK);
	EXPECT_INT(symlink("target", "link"), 0);
	EXPECT_INT(hd_atomic_write("link", "2", 1), HD_TRACK_OK);
	EXPECT_INT(lstat("link", &st), 0);
	EXPECT(S_ISLNK(st.st_mode));
	expect_content("target", "2");
}

TEST(a_missing_folder_is_an_error_with_errno)
{
	errno = 0;
	EXPECT_INT(hd_atomic_write("no/such/file", "1", 1), HD_TRACK_IO);
	EXPECT_INT(errno, ENOENT);
}

TEST(a_full_disk_is_an_error_with_errno)
{
	if (access("/dev/full", W_OK) < 0)
		SKIP("no /dev/full");
	errno = 0;
	EXPECT_INT(hd_atomic_write("/dev/full", "1", 1), HD_TRACK_IO);
	EXPECT_INT(errno, ENOSPC);
}

/* Run `writes` in a child process whose signals have their default effect; it returns true if all is as expected. */
static void expect_survival(bool (*writes)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(writes() ? 0 : 1);
	EXPECT(waitpid(pid, &status, 0) == pid);
	EXPECT(WIFEXITED(status));
	EXPECT_INT(WEXITSTATUS(status), 0);
}

static bool fails_with(int error)
{
	errno = 0;
	return hd_atomic_write("target", "1", 1) == HD_TRACK_IO && errno == error;
}

static bool write_beyond_the_limit(void)
{
	sigset_t set, now;

	if (signal(SIGXFSZ, SIG_DFL) == SIG_ERR || setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 0, 0 }) < 0 ||
		!fails_with(EFBIG) || files_here())
		return false;
	/* A signal of the program's own that waits stays. */
	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGXFSZ);
	return fails_with(EFBIG) && sigpending(&now) == 0 && sigismember(&now, SIGXFSZ) && !sigismember(&now, SIGPIPE);
}

TEST(a_file_size_limit_is_an_error_and_does_not_end_the_program) { expect_survival(write_beyond_the_limit); }

static bool write_to_a_pipe_without_a_reader(void)
{
	struct hd_atomic_file f;
	int reader;

	if (signal(SIGPIPE, SIG_DFL) == SIG_ERR || mkfifo("target", 0600) < 0)
		return false;
	reader = open("target", O_RDONLY | O_NONBLOCK);
	if (hd_atomic_open(&f, "target") < 0)
		return false;
	close(reader);
	hd_atomic_add(&f, "1", 1);
	return hd_atomic_commit(&f) == HD_TRACK_IO && errno == EPIPE;
}

TEST(a_pipe_without_a_reader_is_an_error_and_does_not_end_the_program)
{
	expect_survival(write_to_a_pipe_without_a_reader);
}

TEST(errno_is_not_changed_by_success)
{
	errno = EAGAIN;
	EXPECT_INT(hd_atomic_write("e", "1", 1), HD_TRACK_OK);
	EXPECT_INT(errno, EAGAIN);
}

#define IN_FOLDER(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

TEST_MAIN(IN_FOLDER(a_new_file_appears_at_the_commit),
	  IN_FOLDER(a_file_is_replaced_at_the_commit_and_keeps_its_permissions),
	  IN_FOLDER(nothing_is_left_of_a_discarded_file),
	  IN_FOLDER(more_than_the_buffer_is_written),
	  IN_FOLDER(a_symbolic_link_stays_and_its_target_is_replaced),
	  IN_FOLDER(a_missing_folder_is_an_error_with_errno),
	  RUN(a_full_disk_is_an_error_with_errno),
	  IN_FOLDER(a_file_size_limit_is_an_error_and_does_not_end_the_program),
	  IN_FOLDER(a_pipe_without_a_reader_is_an_error_and_does_not_end_the_program),
	  IN_FOLDER(errno_is_not_changed_by_success))
