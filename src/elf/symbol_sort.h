/*
 * symbol_sort.h - sort the symbols of a table by start address
 *
 * The sort is stable.  A sorted table is detected in one pass; a sorted suffix, such as PLT stubs that were added after
 * the symbols, is merged; anything else is radix-sorted by the bits in which the addresses differ.
 */
#ifndef HD_ELF_SYMBOL_SORT_H
#define HD_ELF_SYMBOL_SORT_H

#include "elf/symbol.h"

#include <stdbool.h>
#include <stddef.h>

void hd_symbol_sort(struct hd_symraw *v, size_t n);

#endif
