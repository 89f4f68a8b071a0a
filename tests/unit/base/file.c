/* file.c - paths from the user open any file, paths from a recording only regular files, and none outside of a root */
#include "unit/tmpdir.h"

#include "base/file.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static bool ends_with(const char *s, const char *end)
{
	return strlen(s) >= strlen(end) && !strcmp(s + strlen(s) - strlen(end), end);
}

/* Return the text of the file if it can be opened as an untrusted path, else NULL. */
static char *untrusted(const char *root, const char *path)
{
	struct hd_err err;
	struct hd_buf b = { 0 };
	int fd = hd_file_open_untrusted(root, path, 1 << 20, &err);

	if (fd < 0)
		return NULL;
	EXPECT_INT(hd_file_slurp(fd, path, 1 << 20, &b, &err), 0);
	close(fd);
	return hd_buf_take(&b);
}

static bool gives(const char *root, const char *path, const char *text)
{
	char *got = untrusted(root, path);
	bool same = text ? got && !strcmp(got, text) : !got;

	free(got);
	return same;
}

/* ---- a path that the user names ---- */

TEST(a_file_that_is_not_there_is_bad_input)
{
	struct hd_err err;

	EXPECT_INT(hd_file_open("/nonexistent/t.data", &err), HD_EFORMAT);
	EXPECT_STR(err.msg, "/nonexistent/t.data: cannot open: No such file or directory");
}

static int open_as_nobody(void *path)
{
	struct hd_err err;

	return !drop_rights() || hd_file_open(path, &err) != HD_EIO || !strstr(err.msg, "Permission denied");
}

TEST(a_file_that_may_not_be_read_is_trouble_outside_the_input)
{
	char *dir = tmpdir(), *path = put_file(dir, "secret", "x", 1);

	EXPECT(chmod(path, 0) == 0);
	EXPECT_INT(in_child(open_as_nobody, path), 0);
	free(path);
	tmpdir_remove(dir);
}

TEST(a_dash_is_standard_input)
{
	int saved = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), ends[2], fd;
	struct hd_buf b = { 0 };
	struct hd_err err;

	EXPECT(pipe(ends) == 0);
	EXPECT(write(ends[1], "a;b 5\n", 6) == 6);
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	fd = hd_file_open("-", &err);
	EXPECT(fd > 2);
	EXPECT_INT(hd_file_slurp(fd, "-", 100, &b, &err), 0);
	EXPECT_STR(b.data, "a;b 5\n");
	hd_buf_release(&b);
	close(fd);
	dup2(saved, STDIN_FILENO);
	close(saved);
}

/* ---- a path that a recording names ---- */

TEST(no_recording_makes_us_open_what_is_no_plain_path)
{
	static const char *const paths[] = {
		"../x", "a/../b", "/..", "/usr/..", "..", "/a/b/..//c",
		"/proc", "/proc/self/maps", "//proc/self/maps", "/./proc/self/maps", "/.//./proc/kcore",
		"/sys/kernel/notes", "/dev/null", "///dev//mem",
	};

	for (size_t i = 0; i < HD_COUNT(paths); i++) {
		struct hd_err err;

		EXPECT_INT(hd_file_open_untrusted(NULL, paths[i], 1 << 20, &err), HD_EFORMAT);
		EXPECT(strstr(err.msg, ": a recording may not name this path: it has '..'"));
		EXPECT_INT(hd_file_open_untrusted("/", paths[i], 1 << 20, &err), HD_EFORMAT);
	}
}

TEST(names_that_only_look_like_those_are_plain)
{
	char *dir = tmpdir();
	static const char *const names[] = { "..a", "a..", "...", "proc", "dev", ".hidden" };

	for (size_t i = 0; i < HD_COUNT(names); i++) {
		char *path = put_file(dir, names[i], names[i], strlen(names[i]));

		EXPECT(gives(NULL, path, names[i]));
		EXPECT(gives("", path, names[i]));
		EXPECT(gives(dir, names[i], names[i]));
		free(path);
	}
	/* The file is absent, and its name is not one of those that are rejected. */
	EXPECT(gives(NULL, "/processor/x", NULL));
	tmpdir_remove(dir);
}

TEST(a_link_into_the_kernels_own_files_is_refused_when_it_is_open)
{
	char *dir = tmpdir(), *maps = in_dir(dir, "maps"), *null = in_dir(dir, "null");
	struct hd_err err;

	EXPECT(symlink("/proc/self/maps", maps) == 0);
	EXPECT(symlink("/dev/null", null) == 0);
	EXPECT_INT(hd_file_open_untrusted(NULL, maps, UINT64_MAX, &err), HD_EFORMAT);
	EXPECT(ends_with(err.msg, ": not a regular file"));
	EXPECT_INT(hd_file_open_untrusted(NULL, null, UINT64_MAX, &err), HD_EFORMAT);
	free(maps);
	free(null);
	tmpdir_remove(dir);
}

TEST(only_regular_files_are_opened_and_a_fifo_does_not_make_us_wait)
{
	char *dir = tmpdir(), *fifo = in_dir(dir, "fifo"), *file = put_file(dir, "file", "text", 4);
	struct hd_err err;

	EXPECT(mkfifo(fifo, 0644) == 0);
	EXPECT_INT(hd_file_open_untrusted(NULL, fifo, 100, &err), HD_EFORMAT);
	EXPECT(ends_with(err.msg, ": not a regular file"));
	EXPECT_INT(hd_file_open_untrusted(NULL, dir, 100, &err), HD_EFORMAT);
	EXPECT_INT(hd_file_open_untrusted(dir, "fifo", 100, &err), HD_EFORMAT);
	EXPECT(gives(NULL, file, "text"));
	free(fifo);
	free(file);
	tmpdir_remove(dir);
}

TEST(a_file_larger_than_what_is_read_of_its_kind_is_refused_with_both_numbers)
{
	char *dir = tmpdir(), *path = put_file(dir, "file", "12345678", 8), want[200];
	struct hd_err err;
	int fd;

	EXPECT_INT(hd_file_open_untrusted(NULL, path, 7, &err), HD_EFORMAT);
	snprintf(want, sizeof(want), "%s: 8 bytes exceed the limit of 7", path);
	EXPECT_STR(err.msg, want);
	fd = hd_file_open_untrusted(NULL, path, 8, &err);
	EXPECT(fd >= 0);
	close(fd);
	free(path);
	tmpdir_remove(dir);
}

/*
 * Make the folder root/ in `dir`, with app, etc/name (its text is `inside`) and links.  In `dir` itself, etc/name and
 * etc/only have the text `outside`.  Returns the path of root/, which the caller frees.
 */
static char *root_with_links(const char *dir)
{
	char *root = in_dir(dir, "root"), *etc = in_dir(dir, "root/etc"), *out = in_dir(dir, "etc");
	static const struct { const char *link, *to; } links[] = {
		{ "root/up", "../etc/name" }, { "root/upup", "../../../../../../../../etc/name" },
		{ "root/abs", "/etc/name" }, { "root/folder", "etc" }, { "root/out", "../etc" },
		{ "root/self", "self" },
	};

	EXPECT(mkdir(root, 0755) == 0 && mkdir(etc, 0755) == 0 && mkdir(out, 0755) == 0);
	free(put_file(dir, "root/app", "app", 3));
	free(put_file(dir, "root/etc/name", "inside", 6));
	free(put_file(dir, "etc/name", "outside", 7));
	free(put_file(dir, "etc/only", "outside", 7));
	for (size_t i = 0; i < HD_COUNT(links); i++) {
		char *link = in_dir(dir, links[i].link);

		EXPECT(symlink(links[i].to, link) == 0);
		free(link);
	}
	free(etc);
	free(out);
	return root;
}

TEST(beneath_a_root_a_link_is_followed_as_if_the_root_were_all_there_is)
{
	char *dir = tmpdir(), *root = root_with_links(dir), *link = in_dir(dir, "toroot");

	EXPECT(gives(root, "/app", "app"));
	EXPECT(gives(root, "app", "app"));
	EXPECT(gives(root, "/etc//name", "inside"));
	EXPECT(gives(root, "/folder/name", "inside"));
	EXPECT(gives(root, "/up", "inside"));
	EXPECT(gives(root, "/upup", "inside"));
	EXPECT(gives(root, "/abs", "inside"));
	EXPECT(gives(root, "/out/name", "inside"));
	EXPECT(gives(root, "/out/only", NULL));
	EXPECT(gives(root, "/self", NULL));
	EXPECT(gives(root, "/absent", NULL));
	EXPECT(symlink(root, link) == 0);	/* the user chose the root, so it may be a link */
	EXPECT(gives(link, "/app", "app"));
	EXPECT(gives("/nonexistent", "/app", NULL));
	free(link);
	free(root);
	tmpdir_remove(dir);
}

static bool forbid_openat2(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		/* openat2() fails with ENOSYS (38), as in an old kernel. */
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 38),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { HD_COUNT(filter), filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0;
}

enum { NO_SECCOMP = 77 };

static int without_openat2(void *root)
{
	if (!forbid_openat2())
		return NO_SECCOMP;
	if (!gives(root, "/app", "app") || !gives(root, "app", "app") || !gives(root, "//etc/./name", "inside"))
		return 1;
	if (!gives(root, "/folder/name", NULL) || !gives(root, "/up", NULL) || !gives(root, "/upup", NULL) ||
		!gives(root, "/abs", NULL))
		return 2;
	if (!gives(root, "/out/only", NULL) || !gives(root, "/app/x", NULL) || !gives(root, "/etc", NULL) ||
		!gives(root, "/", NULL))
		return 3;
	return 0;
}

TEST(a_kernel_without_openat2_follows_no_link_at_all)
{
	char *dir = tmpdir(), *root = root_with_links(dir);
	int rc = in_child(without_openat2, root);

	free(root);
	tmpdir_remove(dir);
	if (rc == NO_SECCOMP)
		SKIP("seccomp filters are not available here");
	EXPECT_INT(rc, 0);
}

/* ---- reading ---- */

TEST(reading_at_an_offset_gives_what_is_there_and_nothing_behind_the_end)
{
	char *dir = tmpdir(), *path = put_file(dir, "file", "0123456789", 10), got[16];
	struct hd_err err;
	int fd = hd_file_open(path, &err);

	EXPECT_INT(hd_file_pread(fd, got, 4, 3, path, &err), 4);
	EXPECT_MEM(got, "3456", 4);
	EXPECT_INT(hd_file_pread(fd, got, 16, 8, path, &err), 2);
	EXPECT_INT(hd_file_pread(fd, got, 16, 10, path, &err), 0);
	EXPECT_INT(hd_file_pread(fd, got, 16, UINT64_MAX - 3, path, &err), 0);
	EXPECT_INT(hd_file_pread(fd, got, 16, (uint64_t)INT64_MAX - 3, path, &err), 0);
	close(fd);
	EXPECT_INT(hd_file_pread(fd, got, 16, 0, path, &err), HD_EIO);
	free(path);
	tmpdir_remove(dir);
}

TEST(a_whole_file_is_read_unless_it_is_larger_than_allowed)
{
	char *dir = tmpdir(), *text = hd_alloc(200000), *path;
	struct hd_buf b = { 0 };
	struct hd_err err;
	int fd;

	memset(text, 'x', 200000);
	path = put_file(dir, "file", text, 200000);
	fd = hd_file_open(path, &err);
	EXPECT_INT(hd_file_slurp(fd, path, 200000, &b, &err), 0);
	EXPECT_INT(b.len, 200000);
	EXPECT(!memcmp(b.data, text, 200001 - 1) && !b.data[200000]);
	close(fd);
	hd_buf_reset(&b);
	fd = hd_file_open(path, &err);
	EXPECT_INT(hd_file_slurp(fd, path, 199999, &b, &err), HD_EFORMAT);
	EXPECT(strstr(err.msg, "more than 199999 bytes"));
	close(fd);
	hd_buf_release(&b);
	free(path);
	free(text);
	tmpdir_remove(dir);
}

enum { SPOOLED = 700001 };

static int write_much(void *pipe_end)
{
	int fd = *(int *)pipe_end;
	char c[1000];

	for (size_t left = SPOOLED, n; left; left -= n) {
		n = left < sizeof(c) ? left : sizeof(c);
		for (size_t i = 0; i < n; i++)
			c[i] = (char)((SPOOLED - left + i) * 31);
		if (write(fd, c, n) != (ssize_t)n)
			return 1;
	}
	return 0;
}

static int accept_all(const char *head, size_t n, const char *path, struct hd_err *err)
{
	(void)head, (void)n, (void)path, (void)err;
	return 0;
}

static int accept_none(const char *head, size_t n, const char *path, struct hd_err *err)
{
	(void)head;
	return hd_fail(err, HD_EFORMAT, "%s: %zu bytes are enough to know", path, n);
}

TEST(a_pipe_that_never_ends_is_refused_by_its_first_bytes_and_takes_no_room_on_the_disk)
{
	int fd = open("/dev/zero", O_RDONLY);
	struct hd_err err;

	EXPECT(fd >= 0);
	EXPECT_INT(hd_file_spool(fd, "-", accept_none, &err), HD_EFORMAT);
	EXPECT_STR(err.msg, "-: 65536 bytes are enough to know");
	close(fd);
}

TEST(a_file_of_sysfs_is_shorter_than_it_says)
{
	static const char path[] = "/sys/devices/system/cpu/online";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct hd_buf b = { 0 };
	struct hd_err err;

	if (fd < 0)
		skip();
	EXPECT_INT(hd_file_slurp(fd, path, 1 << 20, &b, &err), 0);
	EXPECT(b.len > 1 && b.len < 4096 && b.data[0] >= '0' && b.data[0] <= '9');
	close(fd);
	hd_buf_release(&b);
}

TEST(all_that_a_pipe_gives_can_be_read_again_from_an_unnamed_file)
{
	char *dir = tmpdir();
	struct hd_err err;
	struct hd_buf b = { 0 };
	int ends[2], fd;
	pid_t pid;

	EXPECT(pipe(ends) == 0);
	pid = fork();
	EXPECT(pid >= 0);
	if (pid == 0)
		_exit(write_much(&ends[1]));
	close(ends[1]);
	setenv("TMPDIR", dir, 1);
	fd = hd_file_spool(ends[0], "-", accept_all, &err);
	unsetenv("TMPDIR");
	EXPECT(fd >= 0);
	EXPECT(waitpid(pid, NULL, 0) == pid);
	EXPECT_INT(entries(dir), 0);
	EXPECT_INT(hd_file_slurp(fd, "-", SPOOLED, &b, &err), 0);
	EXPECT_INT(b.len, SPOOLED);
	for (size_t i = 0; i < b.len; i++)
		if (b.data[i] != (char)(i * 31))
			fail_msg("byte %zu is wrong", i);
	hd_buf_release(&b);
	close(fd);
	close(ends[0]);
	tmpdir_remove(dir);
}

TEST(no_room_for_the_copy_of_a_pipe_says_where_it_was_looked_for)
{
	struct hd_err err;
	int ends[2];

	EXPECT(pipe(ends) == 0);
	close(ends[1]);
	setenv("TMPDIR", "/proc/absent", 1);
	EXPECT_INT(hd_file_spool(ends[0], "-", accept_all, &err), HD_EIO);
	unsetenv("TMPDIR");
	EXPECT_STR(err.msg,
		"-: no temporary file in /proc/absent to spool it to; set TMPDIR: No such file or directory");
	close(ends[0]);
}

TEST_MAIN(RUN(a_pipe_that_never_ends_is_refused_by_its_first_bytes_and_takes_no_room_on_the_disk),
	  RUN(a_file_that_is_not_there_is_bad_input),
	  RUN(a_file_that_may_not_be_read_is_trouble_outside_the_input),
	  RUN(a_dash_is_standard_input),
	  RUN(no_recording_makes_us_open_what_is_no_plain_path),
	  RUN(names_that_only_look_like_those_are_plain),
	  RUN(a_link_into_the_kernels_own_files_is_refused_when_it_is_open),
	  RUN(only_regular_files_are_opened_and_a_fifo_does_not_make_us_wait),
	  RUN(a_file_larger_than_what_is_read_of_its_kind_is_refused_with_both_numbers),
	  RUN(beneath_a_root_a_link_is_followed_as_if_the_root_were_all_there_is),
	  RUN(a_kernel_without_openat2_follows_no_link_at_all),
	  RUN(reading_at_an_offset_gives_what_is_there_and_nothing_behind_the_end),
	  RUN(a_whole_file_is_read_unless_it_is_larger_than_allowed), RUN(a_file_of_sysfs_is_shorter_than_it_says),
	  RUN(all_that_a_pipe_gives_can_be_read_again_from_an_unnamed_file),
	  RUN(no_room_for_the_copy_of_a_pipe_says_where_it_was_looked_for))
