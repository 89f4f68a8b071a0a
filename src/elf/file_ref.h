/*
 * file_ref.h - the location at which a file was found, to open it again later
 *
 * A recording can refer to a thousand objects, so files are closed after use.  Reopening fails if the path now leads to
 * another file or if the file has changed.
 */
#ifndef HD_ELF_FILE_REF_H
#define HD_ELF_FILE_REF_H

#include "base/err.h"
#include "base/log.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Larger files are rejected. */
#define HD_OBJECT_MAX (8ull << 30)

/* Zero-initialise. */
struct hd_file_ref {
	char *root;		/* the folder that `path` is below; NULL: this machine's root */
	char *path;		/* NULL: no file */
	dev_t dev;
	ino_t ino;
	off_t size;
	int64_t mtime_ns;
};

/*
 * Open root/path, an untrusted path, and store the location in `p`.  Returns a descriptor or < 0.  If the file exists
 * but cannot be opened, this is logged (symbols.unreadable) unless `log` is NULL: callers that continue with the next
 * candidate would otherwise hide the loss.
 */
int hd_file_ref_open(struct hd_file_ref *p, const char *root, const char *path, struct hd_log *log, struct hd_err *err);
/*
 * Reopen the file.  Returns a descriptor, or < 0, which is logged like the errors of hd_file_ref_open().  If it is not
 * the same, unchanged file, logs that, too, and returns HD_EIO.
 */
int hd_file_ref_reopen(const struct hd_file_ref *p, struct hd_log *log, struct hd_err *err);
/* Log that a file with symbols cannot be read (symbols.unreadable). */
void hd_file_ref_unreadable(struct hd_log *log, const char *what);
/* Return the path with its root; the caller frees it. */
char *hd_file_ref_text(const struct hd_file_ref *p);
void hd_file_ref_release(struct hd_file_ref *p);
/* Move ownership; *from is empty afterwards. */
void hd_file_ref_move(struct hd_file_ref *to, struct hd_file_ref *from);

#endif
