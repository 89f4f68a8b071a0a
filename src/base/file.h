/*
 * file.h - opening foreign files, writing our own
 *
 * Reading: only what `hd_file_open` accepts.  A path the user names may be
 * any readable file, a FIFO included; a path taken from a recording goes
 * through hd_file_open_untrusted, which opens regular files only, never
 * under /proc, /sys or /dev, never through `..`, and beneath `root` when
 * there is one (openat2 RESOLVE_IN_ROOT: a link inside is followed as if root
 * were `/`; component by component, following no link, without openat2).
 *
 * Writing: struct hd_outfile.  A regular target is written to a file without a
 * name in its directory (O_TMPFILE; where that is not to be had, one whose temporary
 * name, O_EXCL|O_NOFOLLOW, is removed at once, and which is copied on commit), synced
 * and put in place on commit, so that the final name never holds half a file and a
 * program that is killed or out of memory leaves none (killed in the instant between
 * naming and renaming it leaves a whole one, `.NAME.PID.N.tmp`); it keeps the mode, and where we
 * may the owner, of the file it replaces; symlinks are resolved first, one component
 * after another, and refused where another user could have put them.  A target
 * that exists and is not a regular file (/dev/null, a FIFO) is opened and written
 * in place; so is what the caller has open (/dev/stdout, /dev/fd/N), wherever it
 * leads.  "-" or NULL is stdout.  Of a file that grows large most is written past
 * the page cache (O_DIRECT), where the file system can do that.
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

/* ---- reading ---- */

/* Open a path the user named.  Returns a descriptor or < 0. "-" is stdin (a dup). */
int hd_file_open(const char *path, struct hd_err *err);

/* Open a path that came from an input.  root may be NULL or "".  Returns a descriptor or < 0. */
int hd_file_open_untrusted(const char *root, const char *path, uint64_t max_bytes, struct hd_err *err);

/*
 * Was it trouble that ended in this error: no permission, no descriptor, a disk that cannot be
 * read?  Not when the path leads nowhere or to what is not opened.
 */
bool hd_file_is_trouble(const struct hd_err *err);

/* Read up to n bytes at off, retrying EINTR and short reads.  Returns bytes read (short at end of file) or < 0. */
ssize_t hd_file_pread(int fd, void *buf, size_t n, uint64_t off, const char *path, struct hd_err *err);

/* Read the whole of a file (at most max_bytes; more is an error) into buf. */
int hd_file_slurp(int fd, const char *path, uint64_t max_bytes, struct hd_buf *buf, struct hd_err *err);

/* An unlinked temporary file under TMPDIR (default /tmp), to read and write; path is for messages.  Returns a descriptor or < 0. */
int hd_file_temporary(const char *path, struct hd_err *err);
int hd_file_pwrite(int fd, const void *p, size_t n, uint64_t off, const char *path, struct hd_err *err);

/*
 * Copy everything that fd (a pipe, stdin) gives into an unlinked temporary
 * file under TMPDIR (default /tmp), rewound.  Returns the new descriptor or < 0.
 *
 * `accept` is called with the first HD_FILE_HEAD bytes, or with all when there are fewer, before anything is written; when it
 * returns < 0, so does hd_file_spool.  A pipe that never ends and holds nothing that is read must not fill the disk.
 */
enum { HD_FILE_HEAD = 64 * 1024 };
typedef int hd_file_accept(const char *head, size_t n, const char *path, struct hd_err *err);
int hd_file_spool(int fd, const char *path, hd_file_accept *accept, struct hd_err *err);

/* ---- writing ---- */

/* All n bytes, however often it takes; -1 with errno set. */
int hd_file_write_all(int fd, const void *p, size_t n);

/*
 * The place of an output.  hd_outplace_find() follows links, one component after another, except a link of another user in
 * a sticky folder that everybody can write, such as /tmp (HD_EIO).  Every output is found this way: struct hd_outfile and
 * the functions below call it.  Open the result relative to `dir`, with O_NOFOLLOW.
 */
struct hd_outplace {
	int dir;		/* the folder, without links; valid if `name` is set */
	char *name;		/* the last component; it is no link */
	struct stat st;		/* what exists there */
};

/* Returns 1 if something exists at `path`, 0 if not, < 0 with nothing to release. */
int hd_outplace_find(struct hd_outplace *place, const char *path, struct hd_err *err);
void hd_outplace_release(struct hd_outplace *place);

/* Make the folder `path` for outputs, mode 0777 less the umask; its parent must exist.  An existing one is no error. */
int hd_outfolder_make(const char *path, bool *made, struct hd_err *err);

/* Append `text` in one write, so that two writers do not mix their lines, and sync. */
int hd_file_append(const char *path, const struct hd_buf *text, struct hd_err *err);

struct hd_outfile {
	char *path;		/* as the user gave it; for messages */
	int dir;		/* the folder of the file, symlinks resolved; valid if `base` is set */
	char *base;		/* its name there */
	char *tmp;		/* its name beside the target, while it is put in place */
	int fd;
	bool in_place;
	bool copied;		/* its name was taken away and cannot be given back: it will be copied */
	bool memory;		/* nothing is written: `pending` is the file */
	bool failed;		/* a write failed: commit will say so */
	bool synced;		/* nothing was written since */
	int errnum;
	bool direct;		/* past the page cache: a large file */
	size_t block;		/* bytes that are written out at once */
	uint64_t written;
	struct hd_buf pending;	/* written out when it holds a block */
};

/*
 * Open `path` for writing; "-" or NULL is standard output.  hd_outplace_find() finds the file.  A new file gets the mode that the umask leaves; an existing one keeps its own.
 */
int hd_outfile_open(struct hd_outfile *o, const char *path, struct hd_err *err);
/* The same for what may hold secrets (a recording, a bundle): a new file gets mode 0600. */
int hd_outfile_open_private(struct hd_outfile *o, const char *path, struct hd_err *err);
/* A file in memory: read o->pending, then _discard. */
void hd_outfile_memory(struct hd_outfile *o);
/* Append; a failure is remembered and told by _commit.  A closed pipe ends quietly. */
void hd_outfile_add(struct hd_outfile *o, const void *p, size_t n);
void hd_outfile_flush(struct hd_outfile *o);
/* Write out and sync, so that _commit only has to rename.  A failure is remembered and told by it. */
void hd_outfile_sync(struct hd_outfile *o);
/* Write out, sync, rename.  On failure the final name is untouched. */
int hd_outfile_commit(struct hd_outfile *o, struct hd_err *err);
/* Give up: close and remove the temporary file.  Fine after _commit. */
void hd_outfile_discard(struct hd_outfile *o);

/* The whole of it at once. */
int hd_file_write(const char *path, const struct hd_buf *data, struct hd_err *err);

#endif
