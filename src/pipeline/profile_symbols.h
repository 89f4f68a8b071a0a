/*
 * profile_symbols.h - add the results of symbol lookups to the symbols of the profile
 *
 * The key of a symbol is (object, start) for a function of a symbol table, and (object, linkage name, kernel) for an
 * inlined or named function.  An address that no symbol covers is a symbol of its own, with the key (object, address).
 * It is never equal to a function that starts there.
 */
#ifndef HD_PIPELINE_PROFILE_SYMBOLS_H
#define HD_PIPELINE_PROFILE_SYMBOLS_H

#include "pipeline/options.h"
#include "profile/profile.h"
#include "symbols/symbols.h"

struct hd_profile_symbols {
	struct hd_profile *p;
	bool strip_version, full_names;
	bool *roots;		/* indexed by symbol: complete stacks end in it */
	size_t nroots, roots_cap;
};

void hd_profile_symbols_release(struct hd_profile_symbols *n);

/* Each of the following functions returns a symbol id of the profile.  `object` is an object id of the profile. */
uint32_t hd_profile_symbols_add(struct hd_profile_symbols *n, uint32_t object, bool kernel,
	const struct hd_symbol_hit *hit);
uint32_t hd_profile_symbols_add_inlined(struct hd_profile_symbols *n, uint32_t object, bool kernel,
	const struct hd_inline_hit *hit);
/* Add a user function by its name, without an address.  A mangled name is demangled. */
uint32_t hd_profile_symbols_add_named(struct hd_profile_symbols *n, uint32_t object, const char *linkage);
/* Add an address that no symbol covers. */
uint32_t hd_profile_symbols_add_address(struct hd_profile_symbols *n, uint32_t object, bool kernel, uint64_t address);
/*
 * Return the one symbol of all callers in unmapped memory.  A frame pointer walk finds arbitrary values there, so one
 * symbol for each would grow without bound.
 */
uint32_t hd_profile_symbols_add_unmapped(struct hd_profile_symbols *n);

/* Return true if complete stacks can end in this function: main, _start, clone, ...  Inlined functions: false. */
bool hd_profile_symbols_is_root(const struct hd_profile_symbols *n, uint32_t symbol);

#endif
