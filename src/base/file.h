/*
 * file.h - open untrusted files, write our own
 *
 * Reading: hd_file_open() is for paths that the user names: any readable file, including a FIFO.
 * hd_file_open_regular() is for files that are looked up by a fixed name, where a FIFO would block the program.
 * hd_file_open_untrusted() is for paths from a recording: it opens regular files only, never under /proc,
 * /sys or /dev and never through `..`.  With `root`, it stays below root (openat2 RESOLVE_IN_ROOT: links
 * are followed as if root were `/`; without openat2, components are opened one by one and no link is
 * followed).
 *
 * Writing: struct hd_outfile.  A regular file is written without a name in the folder of the target
 * (O_TMPFILE) and is synced, named and renamed to the target on commit.  So the target never contains half
 * a file, and a program that is killed before the commit leaves nothing.  (Killed between naming and renaming,
 * it leaves a whole file `.NAME.PID.N.tmp`.)  Without O_TMPFILE, a temporary file (O_EXCL|O_NOFOLLOW) is
 * unlinked at once and copied to a file `.NAME.PID.N.tmp` on commit; a program that is killed during the copy
 * leaves a part of that file.  The new file keeps the mode of the replaced one and, if permitted, its owner.
 * Links are resolved first, one component after another, and rejected where another user could have put
 * them.  An existing target that is not a regular file (/dev/null, a FIFO) is written in place, and so is a
 * descriptor of the caller (/dev/stdout, /dev/fd/N).  "-" or NULL is standard output.  A large file is
 * written past the page cache (O_DIRECT) if the file system supports it.
 */
#ifndef HD_BASE_FILE_H
#define HD_BASE_FILE_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* ---- reading */

/* Return the time of the last change of the file's content in ns since 1970. */
static inline int64_t hd_file_mtime_ns(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

/*
 * Open a path that the user named; "-" is a duplicate of stdin.  Returns a descriptor, or < 0, also if an output of
 * this call is the same file.
 */
int hd_file_open(const char *path, struct hd_err *err);
/*
 * Like hd_file_open(), but fails (HD_EFORMAT), without blocking, if the path is a FIFO, a socket or a device.  A folder
 * is opened; reading it fails.
 */
int hd_file_open_regular(const char *path, struct hd_err *err);

/*
 * Open a path from an input; `root` may be NULL or "" (see above).  Returns a descriptor, or < 0, also if the file has
 * more than max_bytes.
 */
int hd_file_open_untrusted(const char *root, const char *path, uint64_t max_bytes, struct hd_err *err);

/*
 * Return true if the error has a cause outside the input: the permission is denied, no descriptor is free, or the disk
 * cannot be read.  Return false if the input is at fault: the path does not exist, a recording must not name it, it is
 * not a regular file, or the file is too large.
 */
bool hd_file_is_trouble(const struct hd_err *err);

/*
 * Read n bytes at offset `off`.  Returns the number of bytes, which is below n only at the end of the file; HD_EFORMAT
 * if fd is a folder; or HD_EIO.
 */
ssize_t hd_file_pread(int fd, void *buf, size_t n, uint64_t off, const char *path, struct hd_err *err);

/*
 * Append the rest of a file, from the current position of fd, to `buf`.  Returns 0; HD_EFORMAT if `buf` then has more
 * than max_bytes, or if fd is a folder; HD_EIO if reading fails or a regular file shrinks meanwhile.
 */
int hd_file_slurp(int fd, const char *path, uint64_t max_bytes, struct hd_buf *buf, struct hd_err *err);

/*
 * Create an unlinked temporary file in TMPDIR (default /tmp) for reading and writing; `path` is for messages.  Returns
 * a descriptor or < 0.
 */
int hd_file_temporary(const char *path, struct hd_err *err);
/*
 * Write n bytes of a temporary file at offset `off`; `path` names the original file in messages.  Returns 0 or HD_EIO.
 */
int hd_file_pwrite(int fd, const void *p, size_t n, uint64_t off, const char *path, struct hd_err *err);

/*
 * Copy all of fd (a pipe, stdin) into an unlinked temporary file in TMPDIR (default /tmp).  Returns the new descriptor,
 * at offset 0, or < 0.
 *
 * `accept` is called with the first HD_FILE_HEAD bytes (or all, if there are fewer) before anything is written.  If it
 * returns < 0, hd_file_spool() fails with this code, because an endless pipe with unusable content must not fill the
 * disk.
 */
enum { HD_FILE_HEAD = 64 * 1024 };
typedef int hd_file_accept(const char *head, size_t n, const char *path, struct hd_err *err);
int hd_file_spool(int fd, const char *path, hd_file_accept *accept, struct hd_err *err);

/* ---- writing */

/* Write all n bytes, in several calls if needed.  Returns -1 with errno set on failure. */
int hd_file_write_all(int fd, const void *p, size_t n);

/*
 * The location of an output file: its opened folder and its name in this folder.  hd_outplace_find() determines it.
 * hd_outfolder_make(), hd_file_append() and hd_outfile_open() call hd_outplace_find(), too.
 *
 * hd_outplace_find() resolves links, one component of the path after another.  It fails (HD_EIO) at a link in a sticky
 * folder that everybody can write, such as /tmp, unless the link belongs to this user or to the owner of the folder.
 * The caller opens the file relative to `dir` and with O_NOFOLLOW, because a link may have been created there
 * meanwhile.
 */
struct hd_outplace {
	int dir;		/* O_PATH descriptor of the folder, links resolved; valid if `name` is set */
	char *name;		/* the last component, which is not a link */
	struct stat st;		/* status of the existing file; undefined if there is none */
};

/*
 * Locate an output.  Returns 1 if a file or folder exists at `path`; 0 if only its parent exists; HD_EIO on failure,
 * also if `path` ends with a slash.  The caller releases *place, except after an error.
 */
int hd_outplace_find(struct hd_outplace *place, const char *path, struct hd_err *err);
void hd_outplace_release(struct hd_outplace *place);

/*
 * Create the folder `path` for outputs with mode 0777 & ~umask; its parent must exist.  An existing folder is accepted.
 * *made is true if this call created the folder.
 */
int hd_outfolder_make(const char *path, bool *made, struct hd_err *err);

/*
 * Append `text` to the file `path`, which is created if it does not exist, and sync.  One write() appends the whole
 * text, unless the kernel writes only a part of it, so that lines of concurrent writers do not mix.
 */
int hd_file_append(const char *path, const struct hd_buf *text, struct hd_err *err);

/*
 * The outputs that the command line names.  No file that this call reads and no other output may be the same regular
 * file, because the output would replace it.  main.c declares the outputs before a command runs.  hd_file_open(),
 * hd_file_open_untrusted() and the opener of databases report each file that they open.
 *
 * hd_output_declare() adds an output; `path` and `option` (without its dashes) are borrowed.  Fails (HD_EUSAGE) if an
 * earlier output is the same file.  Not thread-safe.
 */
int hd_output_declare(const char *path, const char *option, struct hd_err *err);
/*
 * Fail (HD_EUSAGE) if an input is the same file as a declared output.  `fd` is the open input, or -1 if it is not open
 * and may not exist yet.  The failure is kept: every later hd_outfile_open() fails, too.  Thread-safe.
 */
int hd_output_check_input(const char *path, int fd, struct hd_err *err);
/* Fail as hd_output_check_input() did, if it ever failed.  Thread-safe. */
int hd_output_check(struct hd_err *err);

struct hd_outfile {
	char *path;		/* the path that the user gave; for messages */
	int dir;		/* the folder of the file, links resolved; valid if `base` is set */
	char *base;		/* name of the file in it */
	char *tmp;		/* temporary name in that folder, between naming and renaming */
	int fd;
	bool in_place;
	/* the file has no name and cannot get one; commit copies its content to a file with a name */
	bool copied;
	bool memory;		/* no file is written; `pending` has the whole output */
	bool failed;		/* a write failed; commit reports it */
	bool synced;		/* nothing was written since the last sync */
	int errnum;
	bool direct;		/* written past the page cache: a large file */
	size_t block;		/* size of the writes */
	uint64_t written;
	struct hd_buf pending;	/* data that is not written yet */
};

/*
 * Open `path` for writing; "-" or NULL is standard output.  hd_outplace_find() locates the file.  A new file gets the
 * mode that the umask leaves; an existing one keeps its mode.
 */
int hd_outfile_open(struct hd_outfile *o, const char *path, struct hd_err *err);
/*
 * Return the descriptor that /dev/stdout, /dev/fd/N and the like refer to, or -1.  If such a file were opened by name,
 * the existing content of a redirection target would be truncated or replaced.
 */
int hd_outfile_inherited(const char *path);
/* Like hd_outfile_open(), for files that may contain secrets (recordings, bundles): a new file gets mode 0600. */
int hd_outfile_open_private(struct hd_outfile *o, const char *path, struct hd_err *err);
/* Open an output that stays in memory.  The caller reads it from o->pending, then calls hd_outfile_discard(). */
void hd_outfile_memory(struct hd_outfile *o);
/* Append n bytes.  A failure is reported by hd_outfile_commit().  A closed pipe is not a failure. */
void hd_outfile_add(struct hd_outfile *o, const void *p, size_t n);
void hd_outfile_flush(struct hd_outfile *o);
/*
 * Write all data out and sync, so that hd_outfile_commit() only has to name and rename the file or, without O_TMPFILE,
 * to copy it.  An output that is written in place is not synced.  A failure is reported by hd_outfile_commit().
 */
void hd_outfile_sync(struct hd_outfile *o);
/* Write all data out, sync and rename to the target.  On failure the target is unchanged, unless it is in_place. */
int hd_outfile_commit(struct hd_outfile *o, struct hd_err *err);
/*
 * Close the output and remove its temporary file.  The target is unchanged, unless it is in_place.  Has no effect
 * after hd_outfile_commit(), which releases the output itself.
 */
void hd_outfile_discard(struct hd_outfile *o);

/*
 * Write a whole file: hd_outfile_open(), hd_outfile_add() and hd_outfile_commit().  A regular file is written
 * atomically.
 */
int hd_file_write(const char *path, const struct hd_buf *data, struct hd_err *err);

#endif
