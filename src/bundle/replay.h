/*
 * replay.h - answer symbol lookups from the results stored in a bundle
 *
 *     r = hd_bundle_replay_new(&bytes, &code, &lost)
 *     sy = hd_symbols_over(hd_bundle_replay_source(r, no_call_files, log))
 *
 * No file of the reading machine is consulted.  The tables (replay_format.h) are read in place, so memory use equals
 * their size.  Every number is range-checked when it is used, because bundles are untrusted input.  An address that
 * was not looked up when the bundle was written has no symbol.
 *
 * Warnings: symbols.* as the recording machine logged them, when the lookup that caused them is repeated;
 * lost.bundle-object.
 * Threads: as in symbols/source.h, except that only one thread at a time may call `open_code`, because load() is not
 * thread-safe.  The unwinder calls it under a lock.
 */
#ifndef HD_BUNDLE_REPLAY_H
#define HD_BUNDLE_REPLAY_H

#include "base/buf.h"
#include "base/log.h"
#include "symbols/source.h"

struct hd_bundle_replay;

/* load() reads the code section with index n (elf/code_excerpt.h).  It is called by one thread at a time. */
struct hd_bundle_replay_code {
	int (*load)(void *ctx, uint32_t n, struct hd_buf *out, struct hd_err *err);
	void *ctx;
};

/*
 * Parse the section that hd_bundle_record_write() wrote.  Takes ownership of the contents of `bytes` and leaves it
 * empty.  *lost becomes the number of objects that could not be read.  The objects before the first damaged one are
 * usable.
 */
struct hd_bundle_replay *hd_bundle_replay_new(struct hd_buf *bytes, const struct hd_bundle_replay_code *code,
	uint64_t *lost);
void hd_bundle_replay_free(struct hd_bundle_replay *r);		/* accepts NULL */
size_t hd_bundle_replay_count(const struct hd_bundle_replay *r);	/* objects that were read */

/* Return a symbol source that reads `r`; `r` must outlive the source.  no_call_files: see struct hd_symbols_opts. */
struct hd_symbol_source hd_bundle_replay_source(const struct hd_bundle_replay *r, bool no_call_files,
	struct hd_log *log);

#endif
