/*
 * jitdumps.h - the jitdumps of a recording, stored in a bundle and read from it
 *
 *     k = hd_jitdump_record_new()
 *     hd_jitdump_set_new({ .source = hd_jitdump_record_source(k) }, log)      and open the dumps
 *     hd_jitdump_record_write(k, &bytes)                  the result of each search
 *     hd_jitdump_record_file(k, i, &path, &size)          each dump that was found, once
 *     hd_jitdump_record_copy(k, i, off, p, n)
 *
 *     g = hd_jitdump_replay_new(&bytes, &files, &lost)
 *     hd_jitdump_set_new({ .source = hd_jitdump_replay_source(g) }, log)
 *
 * A dump is stored without code: the bytes that lookups need keep their offsets, all others are zero.
 *
 * The results of the searches, all numbers little-endian:
 *
 *     OFFSET  SIZE  MEANING
 *     0       4     number of rows
 *     4             the rows, one after another:
 *
 *     0       4     process, as recorded
 *     4       4     enum hd_jit_fate
 *     8       4     bytes of the path, P, with its NUL
 *     12      4     bytes of the reason, R, with its NUL
 *     16      P     path, as recorded
 *     16+P    R     why the dump was not used; empty if it was found
 *
 * A guessed path without a file has no row.
 */
#ifndef HD_BUNDLE_JITDUMPS_H
#define HD_BUNDLE_JITDUMPS_H

#include "symbols/jitdump_set.h"

/* ---- recording ---- */

struct hd_jitdump_record;

struct hd_jitdump_record *hd_jitdump_record_new(void);
void hd_jitdump_record_free(struct hd_jitdump_record *k);		/* accepts NULL */
/*
 * Store the result for a path and process: the dump `fd`, which the caller keeps, or why it was not used.  If this is
 * called again for the same path and process, the last call wins.
 */
void hd_jitdump_record_found(struct hd_jitdump_record *k, const char *path, int32_t pid, int fd,
	const struct hd_jit_ranges *parts);
void hd_jitdump_record_missing(struct hd_jitdump_record *k, const char *path, int32_t pid, enum hd_jit_fate fate,
	const char *why);
/* Return a source for hd_jitdump_set_opts that opens dumps of this machine and records them in k. */
struct hd_jitdump_source hd_jitdump_record_source(struct hd_jitdump_record *k);

void hd_jitdump_record_write(const struct hd_jitdump_record *k, struct hd_buf *out);
/* The dump with index i; false if there are no more. */
bool hd_jitdump_record_file(const struct hd_jitdump_record *k, size_t i, const char **path, uint64_t *size);
/* Copy n bytes at `off` of dump i, which must be within its size. */
void hd_jitdump_record_copy(const struct hd_jitdump_record *k, size_t i, uint64_t off, void *p, size_t n);

/* ---- replay ---- */

struct hd_jitdump_replay;

/*
 * Takes ownership of the contents of `bytes` and leaves it empty.  `lost` becomes the number of rows that could not be
 * read.  `files` is copied; its context is borrowed.
 */
struct hd_jitdump_replay *hd_jitdump_replay_new(struct hd_buf *bytes, const struct hd_jit_files *files, uint64_t *lost);
void hd_jitdump_replay_free(struct hd_jitdump_replay *g);		/* accepts NULL */
/* Look up the stored result of a dump.  Returns false if there is none.  *why is borrowed. */
bool hd_jitdump_replay_find(const struct hd_jitdump_replay *g, const char *path, int32_t pid, enum hd_jit_fate *fate,
	const char **why);
/* Return a source for hd_jitdump_set_opts that has the dumps of the bundle. */
struct hd_jitdump_source hd_jitdump_replay_source(struct hd_jitdump_replay *g);

#endif
