/*
 * atomic_file.c - replace a file as a whole or not at all
 */
#include "test.h"

#include "track/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
	  IN_FOLDER(errno_is_not_changed_by_success))
