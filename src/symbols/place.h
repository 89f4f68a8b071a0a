/*
 * place.h - where a file of symbols was found, so that it can be opened again
 *
 * A recording may name a thousand objects; only what is being read is open.
 * A place remembers what the file was, and opening another one there is an
 * error.
 */
#ifndef HD_SYMBOLS_PLACE_H
#define HD_SYMBOLS_PLACE_H

#include "base/err.h"
#include "base/log.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The largest file that is looked into. */
#define HD_OBJECT_MAX (8ull << 30)

/* Zero-initialise. */
struct hd_place {
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
int hd_place_open(struct hd_place *p, const char *root, const char *path, struct hd_log *log, struct hd_err *err);
/* Open it again: the same file, unchanged. */
int hd_place_reopen(const struct hd_place *p, struct hd_log *log, struct hd_err *err);
/* Warn of a file of symbols that cannot be read, `symbols.unreadable`. */
void hd_place_unreadable(struct hd_log *log, const char *what);
/* The path with its root in front; yours. */
char *hd_place_text(const struct hd_place *p);
void hd_place_release(struct hd_place *p);
/* Move: *from is empty afterwards. */
void hd_place_move(struct hd_place *to, struct hd_place *from);

#endif
