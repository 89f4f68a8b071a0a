/*
 * profile_symbols.h - what symbols/ found -> symbols of the profile
 *
 * A function of the symbol table is (object, start); one that was inlined has
 * no place of its own and is known by its name; an address that nothing covers
 * is a symbol of its own.
 */
#ifndef HD_PIPELINE_PROFILE_SYMBOLS_H
#define HD_PIPELINE_PROFILE_SYMBOLS_H

#include "pipeline/options.h"
#include "profile/profile.h"
#include "symbols/symbols.h"

struct hd_profile_symbols {
	struct hd_profile *p;
	bool strip_version, full_names;
	bool *roots;		/* by symbol of the profile: does a stack end there? */
	size_t nroots, roots_cap;
};

void hd_profile_symbols_release(struct hd_profile_symbols *n);

/* Each gives a symbol of the profile; object is the profile's. */
uint32_t hd_profile_symbols_add(struct hd_profile_symbols *n, uint32_t object, bool kernel,
	const struct hd_symbol_hit *hit);
uint32_t hd_profile_symbols_add_inlined(struct hd_profile_symbols *n, uint32_t object, bool kernel,
	const struct hd_inline_hit *hit);
/* A function that the input knows by name alone; a mangled name is demangled. */
uint32_t hd_profile_symbols_add_named(struct hd_profile_symbols *n, uint32_t object, const char *linkage);
uint32_t hd_profile_symbols_add_address(struct hd_profile_symbols *n, uint32_t object, bool kernel, uint64_t address);
/* All callers where nothing is mapped: what a frame-pointer walk picked up is no place, and there is no end of them. */
uint32_t hd_profile_symbols_add_unmapped(struct hd_profile_symbols *n);

/* A stack that was walked to its end ends in such a function (DESIGN.md, root_reached). */
bool hd_profile_symbols_is_root(const struct hd_profile_symbols *n, uint32_t symbol);

#endif
