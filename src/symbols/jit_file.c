/*
 * jit_file.c - see jit_file.h
 */
#include "symbols/jit_file.h"

#include "base/buf.h"
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Get the user of a process.  Returns false if it runs no longer. */
static bool owner_of_process(int32_t pid, uid_t *uid)
{
	char dir[40];
	struct stat st;

	snprintf(dir, sizeof(dir), "/proc/%d", (int)pid);
	if (pid <= 0 || stat(dir, &st) < 0)
		return false;
	*uid = st.st_uid;
	return true;
}

/* Return true if the path names the opened file itself and not a symbolic link to it. */
static bool is_no_link(const char *root, const char *path, const struct stat *opened)
{
	struct hd_buf whole = { 0 };
	struct stat st;
	bool same;

	hd_buf_addf(&whole, "%s%s%s", root ? root : "", root && *root && *path != '/' ? "/" : "", path);
	same = !lstat(whole.data, &st) && S_ISREG(st.st_mode) && st.st_dev == opened->st_dev &&
		st.st_ino == opened->st_ino;
	hd_buf_release(&whole);
	return same;
}

int hd_jit_file_open(const char *root, const char *path, int32_t pid, bool same_machine, uint64_t max_bytes,
	struct hd_err *err)
{
	int fd = hd_file_open_untrusted(root, path, max_bytes, err);
	struct stat st;
	uid_t user;
	int rc;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot determine its owner", path);
	else if (!is_no_link(root, path, &st))
		rc = hd_fail(err, HD_EFORMAT, "%s: is a link", path);
	else if (st.st_mode & S_IWOTH)
		rc = hd_fail(err, HD_EFORMAT, "%s: it is writable by all users", path);
	else if (st.st_uid != 0 && st.st_uid != geteuid() &&
		 !(same_machine && owner_of_process(pid, &user) && user == st.st_uid))
		rc = hd_fail(err, HD_EFORMAT, "%s: is owned by user %u, not by root or the current user", path,
			(unsigned)st.st_uid);
	else
		return fd;
	close(fd);
	return rc;
}
