/*
 * symbol_alias.h - choose the name to show if two symbols have the same address
 *
 * The rules are perf's, in this order: sized before unsized, function before label, strong before weak, global before
 * local, fewer leading underscores, longer name, not an old kernel alias of a system call (SyS_read), first in the
 * file.  Underscores and lengths are those of the demangled names.  The work for demangling is limited, because a file
 * can contain many names that are expensive to demangle.
 */
#ifndef HD_ELF_SYMBOL_ALIAS_H
#define HD_ELF_SYMBOL_ALIAS_H

#include "elf/symbol.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Return true if `b`, which follows `a` in the file, is preferred.  `names` holds the names of both; *work counts the
 * bytes that were demangled for this table.
 */
bool hd_symbol_alias_prefers_second(const char *names, size_t *work, const struct hd_symraw *a,
	const struct hd_symraw *b);

#endif
