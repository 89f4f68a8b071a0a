/*
 * replaced_file.c - hd_symbols_settle_key(): was a mapped file replaced while it was recorded?
 *
 * A mapping without a build-id of its own records the inode that was mapped.  perf reads the build-ids of its table from
 * the paths when the recording ends, so that the table may have the new file's.  Names are refused only when all of this
 * holds:
 *
 *   - the recording is of this machine, and no other root is given with --symfs;
 *   - the path has another inode now, or the same one with another generation (the number was used again);
 *   - that file was changed (ctime) after the recording began;
 *   - with a build-id of the table: the file has that build-id, and was changed before the recording was written.  A
 *     file that came later has the build-id by being the same build, or it is refused as another build.
 *
 * Another inode or device alone is no reason: a copy, overlayfs and btrfs have others for the same file.
 */
#include "symbols/local_object.h"

#include "base/mem.h"
#include "symbols/nsroot.h"

#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LISTED_SLACK_S = 1 };	/* the recording's own time is in whole seconds */

/* The path's file in the mount namespace of the key; a descriptor or < 0. */
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

/* The file system's number for this use of the inode; 0 when it does not say. */
static uint64_t generation_of(int fd)
{
	long generation = 0;	/* the kernel writes an int */

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

/* Takes fd. */
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
