/*
 * symbol_sort.h - sorting the symbols of a table by where they start
 *
 * Those that start at one address stay in the order in which they are.  What is sorted
 * already costs one look; more behind it, as PLT stubs are, is sorted alone and merged in; the rest is
 * sorted by the digits in which the addresses differ.
 */
#ifndef HD_ELF_SYMBOL_SORT_H
#define HD_ELF_SYMBOL_SORT_H

#include "elf/symbol.h"

#include <stdbool.h>
#include <stddef.h>

void hd_symbol_sort(struct hd_symraw *v, size_t n);

#endif
