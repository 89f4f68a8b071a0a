/*
 * bundle_jitdumps.h - the jitdumps that were looked for: what came of each, kept for a bundle, and given by one
 *
 *     k = hd_jitdump_record_new()
 *     hd_jitdump_set_new({ .keep = k }, log)          and open
 *     hd_jitdump_record_write(k, &bytes)                  what came of it, as hd_jitdump_replay_new reads it
 *     hd_jitdump_record_file(k, i, &path, &size)          each dump that was found, once
 *     hd_jitdump_record_copy(k, i, off, p, n)
 *
 *     g = hd_jitdump_replay_new(&bytes, &files, &lost)
 *     hd_jitdump_set_new({ .given = g }, log)
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
#ifndef HD_SYMBOLS_BUNDLE_JITDUMPS_H
#define HD_SYMBOLS_BUNDLE_JITDUMPS_H

#include "symbols/jitdump.h"

enum hd_jit_fate { HD_JIT_FOUND, HD_JIT_REFUSED, HD_JIT_ABSENT };

/* ---- keeping ---- */

struct hd_jitdump_record;

struct hd_jitdump_record *hd_jitdump_record_new(void);
void hd_jitdump_record_free(struct hd_jitdump_record *k);		/* NULL is fine */
/* Found: the parts of fd, which stays the caller's.  Told again of a path and process, the last one counts. */
void hd_jitdump_record_found(struct hd_jitdump_record *k, const char *path, int32_t pid, int fd,
	const struct hd_jit_ranges *parts);
void hd_jitdump_record_missing(struct hd_jitdump_record *k, const char *path, int32_t pid, enum hd_jit_fate fate,
	const char *why);

void hd_jitdump_record_write(const struct hd_jitdump_record *k, struct hd_buf *out);
/* i counts from 0; false behind the last. */
bool hd_jitdump_record_file(const struct hd_jitdump_record *k, size_t i, const char **path, uint64_t *size);
/* n bytes at off of file i, which has so many. */
void hd_jitdump_record_copy(const struct hd_jitdump_record *k, size_t i, uint64_t off, void *p, size_t n);

/* ---- given ---- */

struct hd_jitdump_replay;

/* Takes the bytes and leaves *bytes empty.  *lost: rows that could not be read. */
struct hd_jitdump_replay *hd_jitdump_replay_new(struct hd_buf *bytes, const struct hd_jit_files *files, uint64_t *lost);
void hd_jitdump_replay_free(struct hd_jitdump_replay *g);		/* NULL is fine */
/* False: it does not tell of it.  *why is borrowed. */
bool hd_jitdump_replay_find(const struct hd_jitdump_replay *g, const char *path, int32_t pid, enum hd_jit_fate *fate,
	const char **why);
const struct hd_jit_files *hd_jitdump_replay_files(const struct hd_jitdump_replay *g);

#endif
