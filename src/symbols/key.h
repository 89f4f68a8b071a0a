/*
 * key.h - are two keys of objects the same?
 *
 * Private to symbols/.
 */
#ifndef HD_SYMBOLS_KEY_H
#define HD_SYMBOLS_KEY_H

#include "symbols/symbols.h"

uint64_t hd_symbols_key_hash(const struct hd_symbols_key *k);
bool hd_symbols_key_equal(const struct hd_symbols_key *a, const struct hd_symbols_key *b);

#endif
