/*
 * record.h - collect the results of all symbol lookups, for a bundle
 *
 *     r = hd_bundle_record_new()
 *     sy = hd_symbols_over(hd_bundle_record_source(r, &opts, log))      and look up
 *     hd_bundle_record_write(r, &bytes)                                 in the form that replay.h reads
 *
 * The symbol source of this module is a decorator: it forwards each lookup to the source that reads the files of this
 * machine (symbols/local_source.h), stores the result and returns it.  Repeated lookups are stored once.  A warning is
 * stored with its object and the kind of lookup that caused it (enum hd_lookup_stage).
 *
 * Threads: hd_symbols_open_code() may be called by any thread; all other lookups must come from one thread.
 */
#ifndef HD_BUNDLE_RECORD_H
#define HD_BUNDLE_RECORD_H

#include "base/buf.h"
#include "symbols/local_source.h"

struct hd_bundle_record;

struct hd_bundle_record *hd_bundle_record_new(void);
void hd_bundle_record_free(struct hd_bundle_record *r);	/* accepts NULL */

/*
 * Return a source that reads the files of this machine and stores all results in `r`, which must
 * outlive it.
 *
 * If a recording is read again with a new source, the results of both are merged, but the warnings of an object are
 * those of the last reading.  `opts` is copied; `log` is borrowed.
 */
struct hd_symbol_source hd_bundle_record_source(struct hd_bundle_record *r, const struct hd_symbols_opts *opts,
	struct hd_log *log);

/*
 * Limit the stored excerpt of an object's file (elf/code_excerpt.h) to the functions that unwinding used: `used` has n
 * indexes into the object's .eh_frame_hdr.  Repeated calls add functions.  If n is 0 in any call, or if this is never
 * called for an object, the excerpt covers all functions.
 */
void hd_bundle_record_limit_code(struct hd_bundle_record *r, const struct hd_symbols_key *key, const uint32_t *used,
	size_t n);

/* Count the objects with and without symbols, among those whose symbols were looked up. */
void hd_bundle_record_count(const struct hd_bundle_record *r, size_t *with, size_t *without);
/* Append the section described in replay_format.h to `out`.  Call this once, after all lookups. */
void hd_bundle_record_write(struct hd_bundle_record *r, struct hd_buf *out);
/*
 * Get the i-th code section of the bundle: the excerpt of one object's file (elf/code_excerpt.h), which is borrowed
 * from `r`.  Call this after hd_bundle_record_write().  Returns false if there is no such section.
 */
bool hd_bundle_record_code(const struct hd_bundle_record *r, size_t i, const struct hd_buf **bytes);

#endif
