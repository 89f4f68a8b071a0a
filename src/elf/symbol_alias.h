/*
 * symbol_alias.h - which of two symbols at one address is shown
 *
 * perf's order: sized over unsized, a function over a label, strong over weak, global over local, fewer
 * leading underscores, the longer name, the first.  The last two look at the
 * names as they are shown, that is demangled; within a budget, for names that
 * are made to be expensive.
 */
#ifndef HD_ELF_SYMBOL_ALIAS_H
#define HD_ELF_SYMBOL_ALIAS_H

#include "elf/symbol.h"

#include <stdbool.h>
#include <stddef.h>

/* a comes before b in the file. */
bool hd_symbol_alias_prefers_second(const char *names, size_t *work, const struct hd_symraw *a,
	const struct hd_symraw *b);

#endif
