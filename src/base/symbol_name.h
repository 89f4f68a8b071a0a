/*
 * symbol_name.h - remove the parts of a symbol's displayed name that differ between builds
 *
 *     parse_row.isra.0.constprop.1             parse_row
 *     parse [clone .part.0] [clone .cold]      parse
 *     raw_vec::finish_grow::h463b2c6f0ba30854  raw_vec::finish_grow
 *     query_impl[16af0aa4f1d40934]::get        query_impl::get
 *     parse_row.llvm.42.cfi                    parse_row
 *     anon.5f0c6a1b2d3e4f5a.12                 anon
 *
 * The database stores this name (symbol.normal), and `verify` recomputes it.  A change of the rules therefore requires
 * a new schema file, even an empty one: applying it makes hd_journal_apply_schema() recompute all stored names.
 *
 * Numbers that belong to the name are kept: main.(*T).Run.func1, operator new(unsigned long).
 */
#ifndef HD_BASE_SYMBOL_NAME_H
#define HD_BASE_SYMBOL_NAME_H

/* Return the normalised name, which the caller frees.  It is empty only if `name` is. */
char *hd_symbol_name_normalize(const char *name);

#endif
