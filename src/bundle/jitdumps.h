/*
 * jitdumps.h - store the jitdumps of a recording in a bundle and read them from it
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
 * A dump is stored without machine code: the bytes that lookups need keep their offsets, all others are zero.
 *
 * For each dump that was searched for, one row has the result.  All numbers are little-endian:
 *
 *     OFFSET  SIZE  MEANING
 *     0       4     number of rows
 *     4             the rows, one after another:
 *
 *     0       4     process, as recorded
 *     4       4     enum hd_jit_fate
 *     8       4     length of the path in bytes, including its NUL: P
 *     12      4     length of the reason in bytes, including its NUL: R
 *     16      P     path, as recorded
 *     16+P    R     why the dump was not used; empty if it was found
 *
 * Some paths are guessed, because the recording does not name them.  A guessed path without a file has no row.
 */
#ifndef HD_BUNDLE_JITDUMPS_H
#define HD_BUNDLE_JITDUMPS_H

#include "symbols/jitdump_set.h"

/* ---- recording ---- */

struct hd_jitdump_record;

struct hd_jitdump_record *hd_jitdump_record_new(void);
void hd_jitdump_record_free(struct hd_jitdump_record *k);		/* accepts NULL */
/*
 * Store the result of the search for a dump.  hd_jitdump_record_found() stores the ranges `parts` of the open dump
 * `fd`, which remains open; if several processes have the same path, only those of the first one.
 * hd_jitdump_record_missing() stores the reason why no dump was used.  The last call for a path and process wins.
 */
void hd_jitdump_record_found(struct hd_jitdump_record *k, const char *path, int32_t pid, int fd,
	const struct hd_jit_ranges *parts);
void hd_jitdump_record_missing(struct hd_jitdump_record *k, const char *path, int32_t pid, enum hd_jit_fate fate,
	const char *why);
/* Return a source for hd_jitdump_set_opts that opens the dumps on this machine and stores the results in `k`. */
struct hd_jitdump_source hd_jitdump_record_source(struct hd_jitdump_record *k);

/* Append the results in the form described at the top of this file. */
void hd_jitdump_record_write(const struct hd_jitdump_record *k, struct hd_buf *out);
/* Get the path and the size in bytes of dump i.  Returns false if there are no more dumps. */
bool hd_jitdump_record_file(const struct hd_jitdump_record *k, size_t i, const char **path, uint64_t *size);
/* Copy n bytes at offset `off` of dump i to `p`.  The range must be within the size of the dump. */
void hd_jitdump_record_copy(const struct hd_jitdump_record *k, size_t i, uint64_t off, void *p, size_t n);

/* ---- replay ---- */

struct hd_jitdump_replay;

/*
 * Parse the results that hd_jitdump_record_write() wrote.  Takes ownership of the contents of `bytes` and leaves it
 * empty. *lost becomes the number of rows that could not be read.  `files` is copied; its context is borrowed.
 */
struct hd_jitdump_replay *hd_jitdump_replay_new(struct hd_buf *bytes, const struct hd_jit_files *files, uint64_t *lost);
void hd_jitdump_replay_free(struct hd_jitdump_replay *g);		/* accepts NULL */
/*
 * Look up the stored result of a dump: its fate, and the reason if it was not used ("" if it was), borrowed from `g`.
 * Returns false if there is none.
 */
bool hd_jitdump_replay_find(const struct hd_jitdump_replay *g, const char *path, int32_t pid, enum hd_jit_fate *fate,
	const char **why);
/* Return a source for hd_jitdump_set_opts that opens the dumps of the bundle. */
struct hd_jitdump_source hd_jitdump_replay_source(struct hd_jitdump_replay *g);

#endif
