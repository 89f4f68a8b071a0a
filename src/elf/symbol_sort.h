/*
 * symbol_sort.h - sort the symbols of a table by start address
 *
 * The sort is stable.  A sorted table is detected in one pass.  A small table is sorted by insertion.  If at least the
 * first half of a larger one is sorted, as in a table to which PLT stubs were added, the rest is sorted and merged with
 * it.  Other tables are radix-sorted by the bits in which the addresses differ.
 */
#ifndef HD_ELF_SYMBOL_SORT_H
#define HD_ELF_SYMBOL_SORT_H

#include "elf/symbol.h"

#include <stdbool.h>
#include <stddef.h>

void hd_symbol_sort(struct hd_symraw *v, size_t n);

#endif
