/*
 * bundle.h - the container format of `hotdrift bundle`: a file of named, compressed sections
 *
 *     w = hd_bundle_begin(out)                          writing, in one pass
 *     hd_bundle_section(w, type, name, bytes, err)      begin a section
 *     hd_bundle_add(w, p, n, err)                       add content to it
 *     hd_bundle_end(w, err)
 *
 *     hd_bundle_open(&b, fd, path, log, err)            reading
 *     s = hd_bundle_find(b, type, name)
 *     hd_bundle_load(b, s, max, &buf, err)              into memory
 *     hd_bundle_spool(b, s, &lost, err)                 into a temporary file
 *
 * The format, all numbers little-endian (docs/bundle.md describes the contents of the sections):
 *
 *     OFFSET  SIZE  MEANING
 *     0       8     89 48 44 42 0d 0a 1a 0a: .HDB, and bytes that a transfer as text would change
 *     8       2     version, 1; readers reject other versions
 *     10      2     minor version, 0; readers accept higher minor versions
 *     12      4     0
 *     16            sections, one after another; the last one has type END
 *
 *     0       4     "SECT"
 *     4       2     type: enum hd_bundle_type
 *     6       2     flags: 1 means that a reader that does not know the type must reject the file
 *     8       8     size of the content
 *     16      4     length of the name in bytes, N
 *     20      4     checksum of the 20 bytes above and the name: FNV-1a, 32 bits
 *     24      N     the name
 *     24+N          the content in pieces of 4 MiB; the last one can be shorter.  A piece has
 *                   its stored size M (4), then M bytes: a zstd frame with a checksum of its content
 *
 * There is no table of contents: it would have to be checked against the section headers, which are few.  Pieces are
 * compressed independently of each other, so damaged bytes affect only one piece.  If a length is damaged, the next
 * section is found by its mark "SECT" and the checksum of its header.
 *
 * Bundles are untrusted.  The total content is limited to 4096 times the size of the file plus 64 MiB, and the number
 * of sections to 65536.  Sections of unknown types are skipped, unless their flag is 1.
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
	HD_BUNDLE_ABOUT,	/* lines of "key value" */
	HD_BUNDLE_SYMBOLS,	/* replay_format.h */
	/* an excerpt of a binary (elf/code_excerpt.h); the section's name is its index: "0", "1", ... */
	HD_BUNDLE_CODE,
	/* a file of the recorded machine; the section's name is the file's path; bytes that are not needed are zero */
	HD_BUNDLE_FILE,
	/* perf.data, or one section for each file of a recording folder: "data", "data.0", ... */
	HD_BUNDLE_RECORDING,
	HD_BUNDLE_JITDUMPS,	/* jitdumps.h */
	HD_BUNDLE_TYPES
};

/* flag of a section: a reader that does not know the section's type must reject the file */
enum { HD_BUNDLE_NEEDED = 1 };

/* Return true if a file that starts with these bytes is a bundle. */
bool hd_bundle_is(const void *head, size_t n);

/* ---- writing ---- */

struct hd_bundle_writer;

/* Start to write a bundle to `out`.  The caller commits `out` after hd_bundle_end(). */
struct hd_bundle_writer *hd_bundle_begin(struct hd_outfile *out);
/*
 * Begin a section whose content has `bytes` bytes.  HD_EIO: the section before it has less content than declared.
 * HD_EFORMAT: the name is longer than HD_BUNDLE_NAME bytes.
 */
int hd_bundle_section(struct hd_bundle_writer *w, enum hd_bundle_type type, const char *name, uint64_t bytes,
	struct hd_err *err);
/* Add content to the section.  HD_EIO: it gets more than declared, or zstd fails. */
int hd_bundle_add(struct hd_bundle_writer *w, const void *p, size_t n, struct hd_err *err);
/*
 * Write the end mark and free `w`, also on failure.  Fails if the last section has less content than declared.
 * hd_bundle_abandon() only frees `w`.
 */
int hd_bundle_end(struct hd_bundle_writer *w, struct hd_err *err);
void hd_bundle_abandon(struct hd_bundle_writer *w);	/* accepts NULL */

/* ---- reading ---- */

struct hd_bundle_section {
	uint16_t type;
	char *name;
	uint64_t bytes;			/* size of the content */
	uint64_t at;			/* offset of the section's first piece in the file */
	uint64_t there;			/* uncompressed bytes in the pieces that were found */
	uint64_t stored;		/* compressed size of these pieces */
};

struct hd_bundle;

/*
 * Open a bundle.  Takes ownership of `fd`, also on failure.  HD_EFORMAT: the file is not a bundle, or it needs a newer
 * version of hotdrift.  Damage is only logged.
 */
int hd_bundle_open(struct hd_bundle **b, int fd, const char *path, struct hd_log *log, struct hd_err *err);
void hd_bundle_close(struct hd_bundle *b);	/* accepts NULL */

size_t hd_bundle_count(const struct hd_bundle *b);
const struct hd_bundle_section *hd_bundle_get(const struct hd_bundle *b, size_t i);
/* Return the first section of this type and name (NULL: any name); NULL if there is none.  It is borrowed from `b`. */
const struct hd_bundle_section *hd_bundle_find(const struct hd_bundle *b, enum hd_bundle_type type, const char *name);

/*
 * Append the content of a section to `out`.  If the content is damaged or cut off, append the part before the damage
 * and return HD_EFORMAT; `err` then names the position.  If the pieces that were found have more than `max` bytes of
 * content, append nothing and return HD_EFORMAT.  Returns HD_EIO if the file cannot be read.
 */
int hd_bundle_load(const struct hd_bundle *b, const struct hd_bundle_section *s, uint64_t max, struct hd_buf *out,
	struct hd_err *err);
/*
 * Write the content of a section to an unlinked temporary file.  Returns its descriptor, which the caller closes, or a
 * negative code.  A damaged piece is replaced by zeros.  If the bundle is cut off inside a piece, the readable part of
 * this piece is kept.  *lost becomes the number of bytes that are missing or were replaced; if *lost is not 0, `err`
 * describes the first damage.
 */
int hd_bundle_spool(const struct hd_bundle *b, const struct hd_bundle_section *s, uint64_t *lost, struct hd_err *err);

#endif
