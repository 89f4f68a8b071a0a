/*
 * symsort.h - sorting the symbols of a table by where they start
 *
 * Those that start at one address stay in the order in which they are.  What is sorted
 * already costs one look; more behind it, as PLT stubs are, is sorted alone and merged in; the rest is
 * sorted by the digits in which the addresses differ.
 */
#ifndef HD_SYMBOLS_SYMSORT_H
#define HD_SYMBOLS_SYMSORT_H

#include "symbols/table.h"

void hd_symsort(struct hd_symraw *v, size_t n);

#endif
