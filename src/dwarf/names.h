/*
 * names.h - the name of the function that an inlined call is an instance of
 *
 *     inlined call --abstract_origin--> function --specification--> declaration in its class
 *
 * The first linkage name on the way is the name.  Without one (static
 * functions, members of anonymous namespaces, languages that do not mangle) it is
 * DW_AT_name, in languages that have scopes with those in front: `(anonymous
 * namespace)::type::function`.
 *
 * An entry's name is found once.  Owns: the strings, equal ones once.
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

/* The name of what `ref`, an attribute of an entry of u, leads to; NULL when it has none. */
const char *hd_dwarf_names_get(struct hd_dwarf_names *n, struct hd_dwarf_unit *u, const struct hd_form_value *ref,
	bool *mangled);
void hd_dwarf_names_release(struct hd_dwarf_names *n);

#endif
