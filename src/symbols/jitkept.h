/*
 * jitkept.h - the jitdumps that were looked for: what came of each, kept for a bundle, and given by one
 *
 *     k = hd_jitkept_new()
 *     hd_jitdumps_new({ .keep = k }, log)          and open
 *     hd_jitkept_write(k, &bytes)                  what came of it, as hd_jitgiven_new reads it
 *     hd_jitkept_file(k, i, &path, &size)          each dump that was found, once
 *     hd_jitkept_copy(k, i, off, p, n)
 *
 *     g = hd_jitgiven_new(&bytes, &files, &lost)
 *     hd_jitdumps_new({ .given = g }, log)
 *
 * A dump is kept without code: what answers come from is where it was, all else is zeros.
 *
 * What came of it, all numbers little-endian:
 *
 *     OFFSET  SIZE  MEANING
 *     0       4     rows
 *     4             the rows, one behind the other:
 *
 *     0       4     process, as recorded
 *     4       4     enum hd_jit_fate
 *     8       4     bytes of the path, P, with its NUL
 *     12      4     bytes of the reason, R, with its NUL
 *     16      P     path, as recorded
 *     16+P    R     why it was not used; empty for one that was found
 *
 * One that was guessed at and is not there has no row.
 */
#ifndef HD_SYMBOLS_JITKEPT_H
#define HD_SYMBOLS_JITKEPT_H

#include "symbols/jitdump.h"

enum hd_jit_fate { HD_JIT_FOUND, HD_JIT_REFUSED, HD_JIT_ABSENT };

/* ---- keeping ---- */

struct hd_jitkept;

struct hd_jitkept *hd_jitkept_new(void);
void hd_jitkept_free(struct hd_jitkept *k);		/* NULL is fine */
/* Found: the parts of fd, which stays the caller's.  Told again of a path and process, the last one counts. */
void hd_jitkept_found(struct hd_jitkept *k, const char *path, int32_t pid, int fd, const struct hd_jit_parts *parts);
void hd_jitkept_not(struct hd_jitkept *k, const char *path, int32_t pid, enum hd_jit_fate fate, const char *why);

void hd_jitkept_write(const struct hd_jitkept *k, struct hd_buf *out);
/* i counts from 0; false behind the last. */
bool hd_jitkept_file(const struct hd_jitkept *k, size_t i, const char **path, uint64_t *size);
/* n bytes at off of file i, which has so many. */
void hd_jitkept_copy(const struct hd_jitkept *k, size_t i, uint64_t off, void *p, size_t n);

/* ---- given ---- */

struct hd_jitgiven;

/* Takes the bytes and leaves *bytes empty.  *lost: rows that could not be read. */
struct hd_jitgiven *hd_jitgiven_new(struct hd_buf *bytes, const struct hd_jit_files *files, uint64_t *lost);
void hd_jitgiven_free(struct hd_jitgiven *g);		/* NULL is fine */
/* False: it does not tell of it.  *why is borrowed. */
bool hd_jitgiven_find(const struct hd_jitgiven *g, const char *path, int32_t pid, enum hd_jit_fate *fate, const char **why);
const struct hd_jit_files *hd_jitgiven_files(const struct hd_jitgiven *g);

#endif
