/*
 * replaced_file.c - detect files that were replaced during the recording: see hd_symbols_settle_key()
 *
 * A mapping without a build-id records the inode of the mapped file.  When the recording ends, perf reads the build-ids
 * for the table in the header of perf.data from the paths.  So this table may contain the build-id of the new file.  A
 * file counts as replaced only if all of this is true:
 *
 *   - the recording was made on this machine, and --symfs is not given;
 *   - the path now has another inode, or the same inode with another generation (the number was reused);
 *   - that file was changed (ctime) after the recording began;
 *   - if the table has a build-id: the file has the same one, and was changed before the recording ended.  (A file that
 *     was changed later has the recorded build if it has this build-id.  If not, it is rejected as another build.)
 *
 * Another inode or device alone is not sufficient: copies, overlayfs and btrfs show other numbers for the same file.
 */
#include "symbols/local_object.h"

#include "base/mem.h"
#include "symbols/nsroot.h"

#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LISTED_SLACK_S = 1 };	/* the recording's end time is in whole seconds */

/* Open the path of the key in the mount namespace of the key.  Returns a descriptor or < 0. */
static int open_there(const struct hd_local_source *ls, const struct hd_symbols_key *key)
{
	struct hd_file_ref place = { 0 };
	struct hd_nsroot r = { 0 };
	struct hd_err err;
	int fd = -1;

	if (!key->mnt_ns || hd_nsroot_find(&r, key->mnt_ns, key->ns_pid, ls->opts.written_s))
		fd = hd_file_ref_open(&place, key->mnt_ns ? r.root : NULL, key->path, NULL, &err);
	hd_file_ref_release(&place);
	return fd;
}

/* Return the generation of the inode; 0 if the file system does not provide it. */
static uint64_t generation_of(int fd)
{
	long generation = 0;	/* although its type is long, the kernel writes an int */

	return ioctl(fd, FS_IOC_GETVERSION, &generation) == 0 ? (uint32_t)generation : 0;
}

static bool is_other_file(int fd, const struct stat *st, const struct hd_symbols_key *key)
{
	uint64_t generation;

	if (st->st_ino != key->ino)
		return true;
	generation = key->generation ? generation_of(fd) : 0;
	return generation && generation != key->generation;
}

/* Return true if the file has the build-id of the key.  Closes fd. */
static bool has_build_id(const struct hd_symbols_key *key, int fd)
{
	struct hd_log unread = { 0 };
	struct hd_elf *e = NULL;
	struct hd_err err;
	bool has = hd_elf_open(&e, fd, key->path, &unread, &err) >= 0 &&
		   hd_build_id_equal(key->build_id, key->build_id_len, e->build_id, e->build_id_len);

	hd_elf_close(e);
	hd_log_release(&unread);
	return has;
}

bool hd_local_was_replaced(const struct hd_local_source *ls, const struct hd_symbols_key *key)
{
	struct stat st;
	int64_t changed_ns;
	int fd;

	if (key->kind != HD_OBJ_FILE || key->path[0] != '/' || (key->build_id_len && !key->build_id_listed) ||
	    !ls->opts.same_machine || !ls->opts.began_ns || ls->opts.symfs)
		return false;
	fd = open_there(ls, key);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && st.st_ctim.tv_sec < INT64_MAX / 1000000000) {
		changed_ns = (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
		if (changed_ns > ls->opts.began_ns && is_other_file(fd, &st, key)) {
			if (!key->build_id_len) {
				close(fd);
				return true;
			}
			return st.st_ctim.tv_sec <= ls->opts.written_s + LISTED_SLACK_S && has_build_id(key, fd);
		}
	}
	close(fd);
	return false;
}
