/* outfile.c - a file is written completely or not at all, and devices stay devices */
#include "unit/tmpdir.h"

#include "base/file.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* ---- calls of the C library that the tests replace ---- */

static bool no_unnamed;		/* unnamed files cannot be named, as without /proc */
static mode_t unlinked_mode;	/* the mode of the last file that was unlinked */

int access(const char *path, int how)
{
	if (no_unnamed && !strncmp(path, "/proc/self/fd/", 14)) {
		errno = ENOENT;
		return -1;
	}
	return (int)syscall(SYS_access, path, how);
}

int unlinkat(int dir, const char *name, int flags)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		unlinked_mode = st.st_mode & 07777;
	return (int)syscall(SYS_unlinkat, dir, name, flags);
}

static int write_text(const char *path, const char *text, struct hd_err *err)
{
	struct hd_buf b = { 0 };
	int rc;

	hd_buf_adds(&b, text);
	rc = hd_file_write(path, &b, err);
	hd_buf_release(&b);
	return rc;
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	EXPECT(lstat(path, &st) == 0);
	return st.st_mode;
}

/* ---- regular files ---- */

TEST(a_file_appears_whole_when_it_is_committed)
{
	char *dir = tmpdir(), *path = in_dir(dir, "out.txt");
	struct hd_outfile o;
	struct hd_err err;

	EXPECT_INT(hd_outfile_open(&o, path, &err), 0);
	hd_outfile_add(&o, "first ", 6);
	hd_outfile_flush(&o);
	EXPECT(access(path, F_OK) < 0);
	hd_outfile_add(&o, "second", 6);
	EXPECT_INT(hd_outfile_commit(&o, &err), 0);
	expect_file(path, "first second");
	EXPECT_INT(entries(dir), 1);
	free(path);
	tmpdir_remove(dir);
}

TEST(a_file_that_is_given_up_leaves_nothing_and_the_old_one_stays)
{
	char *dir = tmpdir(), *path = put_file(dir, "out.txt", "old", 3), *fresh = in_dir(dir, "new.txt");
	struct hd_outfile o;
	struct hd_err err;

	EXPECT_INT(hd_outfile_open(&o, path, &err), 0);
	hd_outfile_add(&o, "new", 3);
	hd_outfile_discard(&o);
	hd_outfile_discard(&o);
	EXPECT_INT(hd_outfile_open(&o, fresh, &err), 0);
	hd_outfile_discard(&o);
	expect_file(path, "old");
	EXPECT_INT(entries(dir), 1);
	free(path);
	free(fresh);
	tmpdir_remove(dir);
}

/*
 * Write numbered lines until the text has at least `bytes` bytes, and flush after every `flush` lines (0: never).
 * Expect that the file has this text.
 */
static void expect_lines(size_t bytes, int flush)
{
	char *dir = tmpdir(), *path = in_dir(dir, "out"), *got, line[32];
	struct hd_buf want = { 0 };
	struct hd_outfile o;
	struct hd_err err;

	EXPECT_INT(hd_outfile_open(&o, path, &err), 0);
	for (int i = 1; want.len < bytes; i++) {
		int n = snprintf(line, sizeof(line), "line %d\n", i);

		hd_buf_add(&want, line, (size_t)n);
		hd_outfile_add(&o, line, (size_t)n);
		if (flush && i % flush == 0)
			hd_outfile_flush(&o);
	}
	EXPECT_INT(hd_outfile_commit(&o, &err), 0);
	got = text_of_file(path);
	EXPECT(!strcmp(got, want.data));
	free(got);
	hd_buf_release(&want);
	free(path);
	tmpdir_remove(dir);
}

TEST(much_text_arrives_byte_for_byte)
{
	expect_lines(600000, 0);
}

TEST(a_synced_file_takes_more_and_has_its_name_only_when_committed)
{
	char *dir = tmpdir(), *path = in_dir(dir, "out");
	struct hd_outfile o;
	struct hd_err err;

	EXPECT_INT(hd_outfile_open(&o, path, &err), 0);
	hd_outfile_add(&o, "one ", 4);
	hd_outfile_sync(&o);
	EXPECT(o.synced && o.written == 4);
	hd_outfile_add(&o, "two", 3);
	hd_outfile_flush(&o);
	EXPECT(!o.synced && o.written == 7);
	hd_outfile_sync(&o);
	hd_outfile_sync(&o);
	EXPECT(o.synced && access(path, F_OK) < 0);
	EXPECT_INT(hd_outfile_commit(&o, &err), 0);
	expect_file(path, "one two");
	free(path);
	tmpdir_remove(dir);
}

/* Beyond 4 MiB a file is written with direct I/O in whole blocks. */
TEST(a_large_file_arrives_byte_for_byte_however_it_is_flushed)
{
	expect_lines(4 << 20, 0);
	expect_lines((4 << 20) + 4096, 0);
	expect_lines(9999999, 0);
	expect_lines(9999999, 99999);
	expect_lines(9999999, 600001);
}

TEST(one_large_text_is_a_file_like_many_small_ones)
{
	char *dir = tmpdir(), *path = in_dir(dir, "out"), *got;
	struct hd_buf text = { 0 };
	struct hd_err err;

	while (text.len < 7654321)
		hd_buf_addf(&text, "%zu,", text.len);
	EXPECT_INT(hd_file_write(path, &text, &err), 0);
	got = text_of_file(path);
	EXPECT(!strcmp(got, text.data));
	free(got);
	hd_buf_release(&text);
	free(path);
	tmpdir_remove(dir);
}

TEST(a_new_file_has_the_mode_that_the_umask_leaves)
{
	char *dir = tmpdir(), *path = in_dir(dir, "out");
	struct hd_err err;
	mode_t old = umask(027);

	EXPECT_INT(write_text(path, "x", &err), 0);
	umask(old);
	EXPECT_INT(mode_of(path), S_IFREG | 0640);
	free(path);
	tmpdir_remove(dir);
}

TEST(an_existing_file_keeps_its_mode)
{
	static const mode_t modes[] = { 0600, 0755, 0666 };
	char *dir = tmpdir(), *path = put_file(dir, "out", "old", 3);
	struct hd_err err;

	for (size_t i = 0; i < HD_COUNT(modes); i++) {
		EXPECT(chmod(path, modes[i]) == 0);
		EXPECT_INT(write_text(path, "new", &err), 0);
		EXPECT_INT(mode_of(path), S_IFREG | modes[i]);
	}
	expect_file(path, "new");
	free(path);
	tmpdir_remove(dir);
}

TEST(a_users_file_that_root_writes_stays_the_users)
{
	char *dir, *path;
	struct hd_err err;
	struct stat st;

	if (geteuid())
		SKIP("only root can write a file for somebody else");
	dir = tmpdir();
	path = put_file(dir, "out", "old", 3);
	EXPECT(chown(path, 1234, 2345) == 0 && chmod(path, 04750) == 0);
	EXPECT_INT(write_text(path, "new", &err), 0);
	EXPECT(stat(path, &st) == 0);
	EXPECT_INT(st.st_uid, 1234);
	EXPECT_INT(st.st_gid, 2345);
	EXPECT_INT(st.st_mode, S_IFREG | 04750);
	free(path);
	tmpdir_remove(dir);
}

/* ---- links ---- */

TEST(a_link_stays_a_link_and_what_it_means_is_replaced)
{
	char *dir = tmpdir(), *sub = in_dir(dir, "sub"), *link = in_dir(dir, "link"), *target;
	struct hd_err err;

	EXPECT(mkdir(sub, 0755) == 0);
	target = put_file(dir, "sub/target", "old", 3);
	EXPECT(symlink("sub/target", link) == 0);
	EXPECT_INT(write_text(link, "new", &err), 0);
	EXPECT(S_ISLNK(mode_of(link)));
	expect_file(target, "new");
	EXPECT_INT(entries(sub), 1);
	EXPECT_INT(entries(dir), 2);
	free(sub);
	free(link);
	free(target);
	tmpdir_remove(dir);
}

TEST(a_link_to_nothing_yet_makes_what_it_means_through_every_hop)
{
	char *dir = tmpdir(), *sub = in_dir(dir, "sub"), *a = in_dir(dir, "a"), *b = in_dir(dir, "sub/b"),
	     *c = in_dir(dir, "sub/c");
	struct hd_err err;

	EXPECT(mkdir(sub, 0755) == 0);
	EXPECT(symlink("sub/b", a) == 0 && symlink("c", b) == 0);
	EXPECT_INT(write_text(a, "text", &err), 0);
	EXPECT(S_ISLNK(mode_of(a)) && S_ISLNK(mode_of(b)) && S_ISREG(mode_of(c)));
	expect_file(a, "text");
	free(sub);
	free(a);
	free(b);
	free(c);
	tmpdir_remove(dir);
}

TEST(links_in_a_circle_are_an_error)
{
	char *dir = tmpdir(), *a = in_dir(dir, "a"), *b = in_dir(dir, "b");
	struct hd_err err;

	EXPECT(symlink("b", a) == 0 && symlink("a", b) == 0);
	EXPECT_INT(write_text(a, "text", &err), HD_EIO);
	EXPECT(strstr(err.msg, ": cannot write: Too many levels of symbolic links"));
	EXPECT(S_ISLNK(mode_of(a)) && S_ISLNK(mode_of(b)));
	EXPECT_INT(entries(dir), 2);
	free(a);
	free(b);
	tmpdir_remove(dir);
}

/*
 * Write through a link in a folder like /tmp.  The folder has the owner `owner` and this mode; the link in it has the
 * owner `user`; its target is a file of ours.  in_the_middle: the link is a folder of the path, not its last name.
 * Returns what writing returned.  Expects that an error leaves the target as it was, and that the link stays.
 */
static int write_through(mode_t mode, uid_t owner, uid_t user, bool in_the_middle, struct hd_err *err)
{
	char *dir = tmpdir(), *shared = in_dir(dir, "shared"), *link = in_dir(dir, "shared/link"),
	     *target = put_file(dir, "target", "old", 3);
	char *through = in_dir(dir, "shared/link/target");
	int rc;

	EXPECT(mkdir(shared, 0755) == 0 && chmod(shared, mode) == 0);
	EXPECT(symlink(in_the_middle ? ".." : "../target", link) == 0);
	EXPECT(lchown(link, user, (gid_t)-1) == 0 && chown(shared, owner, (gid_t)-1) == 0);
	rc = write_text(in_the_middle ? through : link, "new", err);
	expect_file(target, rc < 0 ? "old" : "new");
	EXPECT_INT(entries(shared), 1);
	EXPECT(S_ISLNK(mode_of(link)));
	free(shared);
	free(link);
	free(target);
	free(through);
	tmpdir_remove(dir);
	return rc;
}

TEST(a_link_of_another_user_in_a_sticky_folder_is_not_followed)
{
	enum { STRANGER = 12345, FRIEND = 12346 };
	struct hd_err err;

	if (geteuid() != 0)
		SKIP("not root");
	for (int middle = 0; middle < 2; middle++) {
		EXPECT_INT(write_through(01777, 0, STRANGER, middle, &err), HD_EIO);
		EXPECT(strstr(err.msg,
			": is not written: 'link' in it is a link of another user (uid 12345) in a sticky folder that "
			"everybody can write"));
		EXPECT_INT(write_through(01777, FRIEND, STRANGER, middle, &err), HD_EIO);
		EXPECT_INT(write_through(01777, 0, 0, middle, &err), 0);
		/* The link has the owner of the folder, or is our own. */
		EXPECT_INT(write_through(01777, STRANGER, STRANGER, middle, &err), 0);
		EXPECT_INT(write_through(01777, STRANGER, 0, middle, &err), 0);
		EXPECT_INT(write_through(0777, 0, STRANGER, middle, &err), 0);		/* the folder is not sticky */
		EXPECT_INT(write_through(01775, 0, STRANGER, middle, &err), 0);		/* not world-writable */
	}
}

TEST(a_private_file_is_0600_and_an_existing_one_keeps_its_mode)
{
	char *dir = tmpdir(), *path = in_dir(dir, "out");
	const mode_t mask = umask(0);
	struct hd_outfile o;
	struct hd_err err;

	for (int i = 0; i < 2; i++) {
		EXPECT_INT(hd_outfile_open_private(&o, path, &err), 0);
		hd_outfile_add(&o, "secret", 6);
		EXPECT_INT(hd_outfile_commit(&o, &err), 0);
		EXPECT_INT(mode_of(path) & 07777, i ? 0640 : 0600);
		EXPECT(chmod(path, 0640) == 0);
	}
	umask(mask);
	free(path);
	tmpdir_remove(dir);
}

TEST(a_private_file_is_0600_from_the_start_on_a_file_system_without_unnamed_files)
{
	char *dir = tmpdir(), *path = in_dir(dir, "out");
	const mode_t mask = umask(0);
	struct hd_outfile o;
	struct hd_err err;

	no_unnamed = true;
	EXPECT_INT(hd_outfile_open_private(&o, path, &err), 0);
	no_unnamed = false;
	EXPECT(o.copied);
	EXPECT_INT(unlinked_mode, 0600);
	hd_outfile_add(&o, "secret", 6);
	EXPECT_INT(hd_outfile_commit(&o, &err), 0);
	EXPECT_INT(mode_of(path) & 07777, 0600);
	umask(mask);
	free(path);
	tmpdir_remove(dir);
}

/* ---- files that cannot be written ---- */

TEST(a_folder_is_no_file)
{
	char *dir = tmpdir(), want[200];
	struct hd_err err;

	EXPECT_INT(write_text(dir, "x", &err), HD_EIO);
	snprintf(want, sizeof(want), "%s: is a directory", dir);
	EXPECT_STR(err.msg, want);
	EXPECT_INT(entries(dir), 0);
	tmpdir_remove(dir);
}

TEST(a_folder_that_is_not_there_is_not_made)
{
	char *dir = tmpdir(), *path = in_dir(dir, "absent/out"), want[200];
	struct hd_err err;

	EXPECT_INT(write_text(path, "x", &err), HD_EIO);
	snprintf(want, sizeof(want), "%s: cannot create it: No such file or directory", path);
	EXPECT_STR(err.msg, want);
	EXPECT_INT(entries(dir), 0);
	free(path);
	tmpdir_remove(dir);
}

static int write_as_nobody(void *path)
{
	struct hd_err err;

	return !drop_rights() || write_text(path, "new", &err) != HD_EIO || !strstr(err.msg, ": Permission denied");
}

TEST(a_folder_that_may_not_be_written_is_an_error)
{
	char *dir = tmpdir(), *path = in_dir(dir, "out");

	EXPECT(chmod(dir, 0555) == 0);
	EXPECT_INT(in_child(write_as_nobody, path), 0);
	EXPECT_INT(entries(dir), 0);
	EXPECT(chmod(dir, 0755) == 0);
	free(path);
	tmpdir_remove(dir);
}

TEST(a_file_that_may_not_be_written_is_not_replaced_either)
{
	char *dir = tmpdir(), *path = put_file(dir, "out", "old", 3);

	EXPECT(chmod(dir, 0777) == 0 && chmod(path, 0444) == 0);
	EXPECT_INT(in_child(write_as_nobody, path), 0);
	expect_file(path, "old");
	EXPECT_INT(entries(dir), 1);
	free(path);
	tmpdir_remove(dir);
}

static int write_twice_the_limit(const char *path, size_t bytes)
{
	struct rlimit limit = { bytes, bytes };
	struct hd_buf b = { 0 };
	struct hd_err err;

	signal(SIGXFSZ, SIG_IGN);	/* main() ignores it, too, so that write() fails with EFBIG */
	if (setrlimit(RLIMIT_FSIZE, &limit) < 0)
		return 1;
	memset(hd_buf_reserve(&b, 2 * bytes), 'x', 2 * bytes);
	b.len = 2 * bytes;
	if (hd_file_write(path, &b, &err) != HD_EIO)
		return 2;
	hd_buf_release(&b);
	return !strstr(err.msg, ": cannot write: File too large");
}

static int write_beyond_the_limit(void *path)
{
	return write_twice_the_limit(path, 100000);
}

/* A file of this size is written with direct I/O, and its limit is in the middle of a block. */
static int write_far_beyond_the_limit(void *path)
{
	return write_twice_the_limit(path, 7000001);
}

TEST(a_disk_that_is_full_leaves_the_old_file_and_no_temporary_one)
{
	char *dir = tmpdir(), *path = put_file(dir, "out", "old", 3), *fresh = in_dir(dir, "fresh");

	EXPECT_INT(in_child(write_beyond_the_limit, path), 0);
	expect_file(path, "old");
	EXPECT_INT(in_child(write_beyond_the_limit, fresh), 0);
	EXPECT_INT(in_child(write_far_beyond_the_limit, path), 0);
	expect_file(path, "old");
	EXPECT_INT(entries(dir), 1);
	free(path);
	free(fresh);
	tmpdir_remove(dir);
}

/* ---- targets that are not regular files are written in place ---- */

TEST(dev_null_stays_a_device_even_for_root)
{
	struct hd_err err;
	struct stat before, after;

	EXPECT(stat("/dev/null", &before) == 0);
	EXPECT_INT(write_text("/dev/null", "gone", &err), 0);
	EXPECT(stat("/dev/null", &after) == 0);
	EXPECT(S_ISCHR(after.st_mode));
	EXPECT(before.st_rdev == after.st_rdev && before.st_ino == after.st_ino && before.st_mode == after.st_mode);
}

TEST(a_full_device_is_an_error_when_it_is_committed)
{
	struct hd_err err;

	if (access("/dev/full", W_OK))
		SKIP("there is no /dev/full here");
	EXPECT_INT(write_text("/dev/full", "x", &err), HD_EIO);
	EXPECT_STR(err.msg, "/dev/full: cannot write: No space left on device");
	EXPECT_INT(write_text("/dev/full", "", &err), 0);
}

TEST(a_fifo_is_written_and_stays_a_fifo)
{
	char *dir = tmpdir(), *path = in_dir(dir, "fifo"), got[8] = "";
	struct hd_err err;
	int fd;

	EXPECT(mkfifo(path, 0600) == 0);
	/* This descriptor is also a reader, so opening the pipe for writing does not block. */
	fd = open(path, O_RDWR | O_CLOEXEC);
	EXPECT(fd >= 0);
	EXPECT_INT(write_text(path, "text", &err), 0);
	EXPECT_INT(read(fd, got, sizeof(got)), 4);
	EXPECT_STR(got, "text");
	EXPECT(S_ISFIFO(mode_of(path)));
	EXPECT_INT(entries(dir), 1);
	close(fd);
	free(path);
	tmpdir_remove(dir);
}

TEST(a_file_that_the_caller_has_open_is_written_where_the_caller_stands)
{
	char *dir = tmpdir(), *path = put_file(dir, "out", "", 0), name[40];
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	struct hd_err err;

	EXPECT(fd >= 0 && write(fd, "head ", 5) == 5);
	snprintf(name, sizeof(name), "/dev/fd/%d", fd);
	EXPECT_INT(write_text(name, "body ", &err), 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	EXPECT_INT(write_text(name, "more ", &err), 0);
	EXPECT(write(fd, "tail", 4) == 4);
	close(fd);
	expect_file(path, "head body more tail");
	EXPECT_INT(entries(dir), 1);
	EXPECT_INT(write_text("/dev/fd/7777777", "x", &err), HD_EIO);
	EXPECT_INT(write_text("/dev/fd/99999999999999999999", "x", &err), HD_EIO);
	free(path);
	tmpdir_remove(dir);
}

TEST(a_dash_no_name_and_dev_stdout_are_standard_output)
{
	char *dir = tmpdir(), *path = put_file(dir, "out", "", 0);
	int saved, fd = open(path, O_WRONLY | O_CLOEXEC), rc;
	struct hd_err err;

	EXPECT(fd >= 0);
	fflush(stdout);
	saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	dup2(fd, STDOUT_FILENO);
	printf("1 ");		/* the text in the buffer of stdio must be written first */
	rc = write_text(NULL, "2 ", &err);
	rc |= write_text("-", "3 ", &err);
	rc |= write_text("/dev/stdout", "4 ", &err);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	EXPECT_INT(rc, 0);
	expect_file(path, "1 2 3 4 ");
	close(fd);
	free(path);
	tmpdir_remove(dir);
}

TEST(a_pipe_that_nobody_reads_any_more_ends_quietly)
{
	struct hd_outfile o;
	struct hd_err err;
	char name[40];
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	EXPECT(pipe(ends) == 0);
	close(ends[0]);
	snprintf(name, sizeof(name), "/dev/fd/%d", ends[1]);
	EXPECT_INT(hd_outfile_open(&o, name, &err), 0);
	for (int i = 0; i < 100000; i++)
		hd_outfile_add(&o, "line\n", 5);
	EXPECT(o.failed && o.errnum == EPIPE);
	EXPECT(o.pending.cap < 1 << 20);	/* after EPIPE, further data is dropped and not buffered */
	EXPECT_INT(hd_outfile_commit(&o, &err), 0);
	close(ends[1]);
}

TEST(a_file_in_memory_is_what_was_added)
{
	struct hd_outfile o;

	hd_outfile_memory(&o);
	for (int i = 0; i < 50000; i++)
		hd_outfile_add(&o, "line\n", 5);
	hd_outfile_flush(&o);
	EXPECT_INT(o.pending.len, 250000);
	EXPECT_MEM(o.pending.data + 249990, "line\nline\n", 11);
	hd_outfile_discard(&o);
	EXPECT(!o.pending.data);
}

TEST_MAIN(RUN(a_file_appears_whole_when_it_is_committed),
	  RUN(a_file_that_is_given_up_leaves_nothing_and_the_old_one_stays),
	  RUN(much_text_arrives_byte_for_byte),
	  RUN(a_synced_file_takes_more_and_has_its_name_only_when_committed),
	  RUN(a_large_file_arrives_byte_for_byte_however_it_is_flushed),
	  RUN(one_large_text_is_a_file_like_many_small_ones),
	  RUN(a_new_file_has_the_mode_that_the_umask_leaves),
	  RUN(an_existing_file_keeps_its_mode),
	  RUN(a_users_file_that_root_writes_stays_the_users),
	  RUN(a_link_stays_a_link_and_what_it_means_is_replaced),
	  RUN(a_link_to_nothing_yet_makes_what_it_means_through_every_hop),
	  RUN(links_in_a_circle_are_an_error),
	  RUN(a_link_of_another_user_in_a_sticky_folder_is_not_followed),
	  RUN(a_private_file_is_0600_and_an_existing_one_keeps_its_mode),
	  RUN(a_private_file_is_0600_from_the_start_on_a_file_system_without_unnamed_files),
	  RUN(a_folder_is_no_file),
	  RUN(a_folder_that_is_not_there_is_not_made),
	  RUN(a_folder_that_may_not_be_written_is_an_error),
	  RUN(a_file_that_may_not_be_written_is_not_replaced_either),
	  RUN(a_disk_that_is_full_leaves_the_old_file_and_no_temporary_one),
	  RUN(dev_null_stays_a_device_even_for_root),
	  RUN(a_full_device_is_an_error_when_it_is_committed),
	  RUN(a_fifo_is_written_and_stays_a_fifo),
	  RUN(a_file_that_the_caller_has_open_is_written_where_the_caller_stands),
	  RUN(a_dash_no_name_and_dev_stdout_are_standard_output),
	  RUN(a_pipe_that_nobody_reads_any_more_ends_quietly),
	  RUN(a_file_in_memory_is_what_was_added))
