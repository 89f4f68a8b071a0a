/*
 * names.h - find the name of an inlined function
 *
 *     inlined call --abstract_origin--> function --specification--> declaration in its class
 *
 * The first linkage name along the references is the result.  If there is none (static functions, members of anonymous
 * namespaces, languages without mangling), the result is DW_AT_name.  In languages with scopes, the names of the scopes
 * are prepended: `(anonymous namespace)::type::function`.
 *
 * Each entry is resolved once.  hd_dwarf_names owns the strings; equal strings are stored once.
 */
#ifndef HD_DWARF_NAMES_H
#define HD_DWARF_NAMES_H

#include "base/strtab.h"
#include "dwarf/dwarf_file.h"

/* Zero-initialise. */
struct hd_dwarf_names {
	struct hd_strtab *strings;
	char *scratch;
};

/*
 * Return the name of the entry that the attribute `ref` of unit `u` refers to; NULL if the reference is invalid, the
 * entry has no name, or the names of the file exceed their budget.  *mangled is set to true if the name is a linkage
 * name.
 */
const char *hd_dwarf_names_get(struct hd_dwarf_names *n, struct hd_dwarf_unit *u, const struct hd_form_value *ref,
	bool *mangled);
void hd_dwarf_names_release(struct hd_dwarf_names *n);

#endif
