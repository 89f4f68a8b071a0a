/*
 * remember.h - every answer of symbols/, kept for a bundle
 *
 *     r = hd_remembered_new()
 *     hd_symbols_new({ .remember = r }, log)       and ask
 *     hd_remembered_write(r, &bytes)               as given.h reads it
 *
 * An answer is kept beside its question; the same one again costs nothing in
 * the end.  Warnings are kept with the question that they came up in.
 *
 * Threads: code is noted by any thread, all else by the one that asks.
 */
#ifndef HD_SYMBOLS_REMEMBER_H
#define HD_SYMBOLS_REMEMBER_H

#include "base/buf.h"
#include "symbols/given.h"
#include "symbols/symbols.h"

struct hd_remembered;
struct hd_remembered_object;

struct hd_remembered *hd_remembered_new(void);
void hd_remembered_free(struct hd_remembered *r);	/* NULL is fine */

/*
 * Of the code of an object, unwinding looked into these of the functions that its .eh_frame_hdr lists;
 * n 0: all of it counts.  Of an object of which this is not said, all of it does.
 */
void hd_remember_asked(struct hd_remembered *r, const struct hd_symbols_key *key, const uint32_t *asked, size_t n);

/* All objects met: those with symbols and those without. */
void hd_remembered_count(const struct hd_remembered *r, size_t *with, size_t *without);
/* In the form of given.h. */
void hd_remembered_write(struct hd_remembered *r, struct hd_buf *out);
/* The code that was opened, in the form of codecut.h, after hd_remembered_write: what of it counts; i counts from 0, false behind the last. */
bool hd_remembered_code(const struct hd_remembered *r, size_t i, const struct hd_buf **bytes);

/* ---- for symbols/ alone ---- */

/* What was asked for once more is the same object. */
struct hd_remembered_object *hd_remember_object(struct hd_remembered *r, const struct hd_symbols_key *key);
void hd_remember_loaded(struct hd_remembered_object *o, const struct hd_symobj *so);
void hd_remember_warnings(struct hd_remembered_object *o, enum hd_given_when when, const struct hd_log *said);
void hd_remember_lookup(struct hd_remembered_object *o, uint64_t asked, const struct hd_symbol_hit *hit);
void hd_remember_line(struct hd_remembered_object *o, uint64_t vaddr, const struct hd_line_hit *hit);
void hd_remember_inlines(struct hd_remembered_object *o, uint64_t vaddr, const struct hd_inline_hit *hits, size_t n);
/* fd stays the caller's; what cannot be read is not kept. */
void hd_remember_code(struct hd_remembered *r, const struct hd_symbols_key *key, int fd);

#endif
