/*
 * bundle_record.h - every answer of symbols/, kept for a bundle
 *
 *     r = hd_bundle_record_new()
 *     hd_symbols_new({ .remember = r }, log)       and ask
 *     hd_bundle_record_write(r, &bytes)               as bundle_replay.h reads it
 *
 * An answer is kept beside its question; the same one again costs nothing in
 * the end.  Warnings are kept with the question that they came up in.
 *
 * Threads: code is noted by any thread, all else by the one that asks.
 */
#ifndef HD_SYMBOLS_BUNDLE_RECORD_H
#define HD_SYMBOLS_BUNDLE_RECORD_H

#include "base/buf.h"
#include "symbols/bundle_replay.h"
#include "symbols/symbols.h"

struct hd_bundle_record;
struct hd_bundle_record_object;

struct hd_bundle_record *hd_bundle_record_new(void);
void hd_bundle_record_free(struct hd_bundle_record *r);	/* NULL is fine */

/*
 * Of the code of an object, unwinding looked into these of the functions that its .eh_frame_hdr lists;
 * n 0: all of it counts.  Of an object of which this is not said, all of it does.
 */
void hd_bundle_record_limit_code(struct hd_bundle_record *r, const struct hd_symbols_key *key, const uint32_t *asked,
	size_t n);

/* All objects met: those with symbols and those without. */
void hd_bundle_record_count(const struct hd_bundle_record *r, size_t *with, size_t *without);
/* In the form of bundle_replay.h. */
void hd_bundle_record_write(struct hd_bundle_record *r, struct hd_buf *out);
/* The code that was opened, in the form of elf/code_excerpt.h, after hd_bundle_record_write: what of it counts; i counts from 0, false behind the last. */
bool hd_bundle_record_code(const struct hd_bundle_record *r, size_t i, const struct hd_buf **bytes);

/* ---- for symbols/ alone ---- */

/* What was asked for once more is the same object. */
struct hd_bundle_record_object *hd_bundle_record_add_object(struct hd_bundle_record *r,
	const struct hd_symbols_key *key);
void hd_bundle_record_set_quality(struct hd_bundle_record_object *o, const struct hd_symobj *so);
void hd_bundle_record_add_warnings(struct hd_bundle_record_object *o, enum hd_lookup_stage when,
	const struct hd_log *said);
void hd_bundle_record_add_lookup(struct hd_bundle_record_object *o, uint64_t asked, const struct hd_symbol_hit *hit);
void hd_bundle_record_add_line(struct hd_bundle_record_object *o, uint64_t vaddr, const struct hd_line_hit *hit);
void hd_bundle_record_add_inlines(struct hd_bundle_record_object *o, uint64_t vaddr, const struct hd_inline_hit *hits,
	size_t n);
/* fd stays the caller's; what cannot be read is not kept. */
void hd_bundle_record_add_code(struct hd_bundle_record *r, const struct hd_symbols_key *key, int fd);

#endif
