/*
 * bundle.h - a file of named sections, compressed: the container of `hotdrift bundle`
 *
 *     w = hd_bundle_begin(out)                          writing, in one pass
 *     hd_bundle_section(w, type, name, bytes, err)      what follows is of this section
 *     hd_bundle_add(w, p, n, err)
 *     hd_bundle_end(w, err)
 *
 *     hd_bundle_open(&b, fd, path, log, err)            reading
 *     s = hd_bundle_find(b, type, name)
 *     hd_bundle_load(b, s, max, &buf, err)              into memory
 *     hd_bundle_spool(b, s, &lost, err)                 into a temporary file
 *
 * The format, all numbers little-endian (docs/bundle.md has the sections' contents):
 *
 *     OFFSET  SIZE  MEANING
 *     0       8     89 48 44 42 0d 0a 1a 0a: .HDB, and what a transfer as text would change
 *     8       2     version, 1; a reader refuses a higher one
 *     10      2     minor version, 0; a reader may meet a higher one
 *     12      4     0
 *     16            sections, one behind the other, the last one of type END
 *
 *     0       4     "SECT"
 *     4       2     type: enum hd_bundle_type
 *     6       2     flags: 1 a reader that does not know the type must refuse the file
 *     8       8     bytes of the content
 *     16      4     bytes of the name, N
 *     20      4     checksum of the 20 bytes above and the name: FNV-1a of 32 bits
 *     24      N     the name
 *     24+N          the content in pieces of 4 MiB, the last one shorter; of each:
 *                   its stored bytes M (4), then M bytes: a zstd frame with its content's checksum
 *
 * There is no table: a second truth would have to be checked against the first,
 * and the headers are few.  A piece needs no other one, so that damage costs
 * one piece; where the chain of lengths is broken, the next section is found
 * by its mark and checksum.
 *
 * Hostile: content is at most 4096 times what is stored, plus 64 MiB, in all;
 * 65536 sections.  Sections of unknown type are passed over.
 * Warnings: lost.bundle-cut, lost.bundle-section.
 */
#ifndef HD_BUNDLE_BUNDLE_H
#define HD_BUNDLE_BUNDLE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HD_BUNDLE_MAGIC = 8, HD_BUNDLE_VERSION = 1,
	HD_BUNDLE_HEAD = 16, HD_BUNDLE_SECTION_HEAD = 24,
	HD_BUNDLE_PIECE = 4 << 20,
	HD_BUNDLE_SECTIONS = 65536,
	HD_BUNDLE_NAME = 4096,		/* the longest name */
};

enum hd_bundle_type {
	HD_BUNDLE_END,
	HD_BUNDLE_ABOUT,	/* lines "key value" */
	HD_BUNDLE_SYMBOLS,	/* replay_format.h */
	HD_BUNDLE_CODE,		/* named by its number: elf/code_excerpt.h */
	HD_BUNDLE_FILE,		/* named by its path: a file of the recorded machine, zeros where nobody reads it */
	HD_BUNDLE_RECORDING,	/* perf.data, or of a folder one for each file, named "data", "data.0", ... */
	HD_BUNDLE_JITDUMPS,	/* jitdumps.h */
	HD_BUNDLE_TYPES
};

enum { HD_BUNDLE_NEEDED = 1 };	/* the flag */

/* Do these first bytes of a file say so? */
bool hd_bundle_is(const void *head, size_t n);

/* ---- writing ---- */

struct hd_bundle_writer;

/* The file is the caller's to commit. */
struct hd_bundle_writer *hd_bundle_begin(struct hd_outfile *out);
int hd_bundle_section(struct hd_bundle_writer *w, enum hd_bundle_type type, const char *name, uint64_t bytes,
	struct hd_err *err);
int hd_bundle_add(struct hd_bundle_writer *w, const void *p, size_t n, struct hd_err *err);
/* The end mark.  Frees w, as does _abandon; returns < 0 when some section did not get what it was promised. */
int hd_bundle_end(struct hd_bundle_writer *w, struct hd_err *err);
void hd_bundle_abandon(struct hd_bundle_writer *w);	/* NULL is fine */

/* ---- reading ---- */

struct hd_bundle_section {
	uint16_t type;
	char *name;
	uint64_t bytes;			/* of the content */
	uint64_t at;			/* of its first piece in the file */
	uint64_t there;			/* bytes of the content whose pieces can be found */
	uint64_t stored;		/* bytes of them in the file */
};

struct hd_bundle;

/* fd becomes b's, also on failure. */
int hd_bundle_open(struct hd_bundle **b, int fd, const char *path, struct hd_log *log, struct hd_err *err);
void hd_bundle_close(struct hd_bundle *b);	/* NULL is fine */

size_t hd_bundle_count(const struct hd_bundle *b);
const struct hd_bundle_section *hd_bundle_get(const struct hd_bundle *b, size_t i);
/* The first of that type and, unless NULL, that name; or NULL. */
const struct hd_bundle_section *hd_bundle_find(const struct hd_bundle *b, enum hd_bundle_type type, const char *name);

/*
 * The content up to the first damage; then HD_EFORMAT says where that is, and what
 * came before it is there.  More than max is an error and nothing is there.
 */
int hd_bundle_load(const struct hd_bundle *b, const struct hd_bundle_section *s, uint64_t max, struct hd_buf *out,
	struct hd_err *err);
/*
 * The content in an unlinked temporary file: a descriptor, or < 0.  Damaged
 * pieces are zeros; of one that the file ends in, what is there is kept.  *lost
 * is how many bytes are missing or zeros, and then err says where the first is.
 */
int hd_bundle_spool(const struct hd_bundle *b, const struct hd_bundle_section *s, uint64_t *lost, struct hd_err *err);

#endif
