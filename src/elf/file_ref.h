/*
 * file_ref.h - where a file of symbols was found, so that it can be opened again
 *
 * A recording may name a thousand objects; only what is being read is open.
 * A place remembers what the file was, and opening another one there is an
 * error.
 */
#ifndef HD_ELF_FILE_REF_H
#define HD_ELF_FILE_REF_H

#include "base/err.h"
#include "base/log.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The largest file that is looked into. */
#define HD_OBJECT_MAX (8ull << 30)

/* Zero-initialise. */
struct hd_file_ref {
	char *root;		/* NULL: the machine's own */
	char *path;		/* NULL: nowhere */
	dev_t dev;
	ino_t ino;
	off_t size;
	int64_t mtime_ns;
};

/*
 * Open root/path, a path that came from an input, and remember it.  Returns a descriptor or < 0.
 * A file that is there and cannot be opened is told to log (NULL: nobody): what it would have
 * said is missing, and who only asks for the next candidate would not know.
 */
int hd_file_ref_open(struct hd_file_ref *p, const char *root, const char *path, struct hd_log *log, struct hd_err *err);
/* Open it again: the same file, unchanged. */
int hd_file_ref_reopen(const struct hd_file_ref *p, struct hd_log *log, struct hd_err *err);
/* Warn of a file of symbols that cannot be read, `symbols.unreadable`. */
void hd_file_ref_unreadable(struct hd_log *log, const char *what);
/* The path with its root in front; yours. */
char *hd_file_ref_text(const struct hd_file_ref *p);
void hd_file_ref_release(struct hd_file_ref *p);
/* Move: *from is empty afterwards. */
void hd_file_ref_move(struct hd_file_ref *to, struct hd_file_ref *from);

#endif
