/*
 * symbol_text.h - how a symbol is listed, and its place among others by that text
 *
 * Its name, 0x%016x when nothing covers the address, [unknown] when the input
 * told no address.  A system-wide recording has a hundred thousand addresses
 * without a name, most of them sampled once, so that tables sort them by text
 * alone: that must not make the texts.
 *
 * Holds: hd_symbol_order is strcmp of two hd_symbol_text, and keys that differ
 *        stand in that order.
 */
#ifndef HD_PROFILE_SYMBOL_TEXT_H
#define HD_PROFILE_SYMBOL_TEXT_H

#include "profile/profile.h"

#include <stdbool.h>

/* buf: HD_SYMBOL_TEXT bytes. */
enum { HD_SYMBOL_TEXT = 24 };
const char *hd_symbol_text(const struct hd_profile *p, uint32_t symbol, bool full, char *buf, size_t n);

/* < 0, 0, > 0: by the texts without parameters. */
int hd_symbol_order(const struct hd_profile *p, uint32_t a, uint32_t b);

/*
 * The first bytes of that text as a number.  *rest: of an address all of it, which tells those with
 * one key apart from each other; of a name 0, which tells nothing.
 */
uint64_t hd_symbol_key(const struct hd_profile *p, uint32_t symbol, uint64_t *rest);

#endif
