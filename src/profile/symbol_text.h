/*
 * symbol_text.h - the text of a symbol in tables, and the order of symbols by that text
 *
 * The text is the name; 0x%016x if no symbol covers the address; [unknown] if the address is unknown, too.  A
 * system-wide recording can have a hundred thousand addresses without a symbol, which are sorted by this text.
 * Therefore the functions for sorting compare symbols without formatting their texts.
 *
 * Invariant: hd_symbol_order() = strcmp() of the two texts.  If the keys (hd_symbol_key()) of two symbols differ, they
 *            are in the same order as the texts.
 */
#ifndef HD_PROFILE_SYMBOL_TEXT_H
#define HD_PROFILE_SYMBOL_TEXT_H

#include "profile/profile.h"

#include <stdbool.h>

enum { HD_SYMBOL_TEXT = 24 };
/* Return the text of a symbol.  full: with parameters.  The text may be in buf, which has n >= HD_SYMBOL_TEXT bytes. */
const char *hd_symbol_text(const struct hd_profile *p, uint32_t symbol, bool full, char *buf, size_t n);

/* Compare the texts of two symbols, without parameters.  Returns < 0, 0 or > 0, like strcmp(). */
int hd_symbol_order(const struct hd_profile *p, uint32_t a, uint32_t b);

/*
 * Return a sort key: the first 8 bytes of the text as a big-endian number.  *rest is the address of a symbol without a
 * name, which orders such symbols if their keys are equal.  It is 0 for a symbol with a name or without a known
 * address.  If two keys are equal and a `rest` is 0, compare the texts (hd_symbol_order()).
 */
uint64_t hd_symbol_key(const struct hd_profile *p, uint32_t symbol, uint64_t *rest);

#endif
