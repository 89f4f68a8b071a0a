/*
 * names.c - see names.h
 */
#include "dwarf/names.h"

#include "base/mem.h"
#include "dwarf/scopes.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum {
	HOPS_MAX = 16,			/* longest chain of references; compilers write at most 4 */
	SCOPES_MAX = 64,
	LONGEST_NAME = 64 * 1024,		/* in bytes */
	LONGEST_QUALIFIED = 4096,		/* length of the longest name with its scopes, in bytes */
};

/* The attributes of an entry that its name depends on. */
struct entry {
	struct hd_dwarf_unit *u;
	uint64_t off;
	unsigned tag;
	struct hd_form_value linkage, name, next;
};

static bool read_entry(struct entry *e, struct hd_dwarf_unit *u, uint64_t off)
{
	struct hd_form_value v;
	struct hd_die d;
	unsigned name;

	*e = (struct entry){ .u = u, .off = off };
	if (!hd_die_open(&d, u, off))
		return false;
	e->tag = d.abbrev->tag;
	while (hd_die_next(&d, &name, &v)) {
		switch (name) {
		case DW_AT_linkage_name: case DW_AT_MIPS_linkage_name:
			e->linkage = v;
			break;
		case DW_AT_name:
			e->name = v;
			break;
		case DW_AT_abstract_origin:
			e->next = v;
			break;
		case DW_AT_specification: case DW_AT_extension:
			if (!e->next.kind)
				e->next = v;
			break;
		}
	}
	hd_die_close(&d);
	return true;
}

/*
 * Follow the references (abstract origin, specification) of an entry.  `named` becomes the first entry that has a name
 * (name.kind 0: none).  `last` becomes the last entry; its position determines the scopes of the name.  Returns true if
 * `last` has a linkage name.
 */
static bool follow(struct hd_dwarf_unit *u, uint64_t off, struct entry *named, struct entry *last)
{
	struct hd_dwarf_file *f = u->f;
	struct entry e;

	*named = *last = (struct entry){ 0 };
	for (int hops = 0; u; hops++) {
		if (hops == HOPS_MAX) {
			hd_dwarf_file_damaged(f, "a name leads through more than 16 entries");
			break;
		}
		if (!read_entry(&e, u, off))
			break;
		*last = e;
		if (e.name.kind && !named->u)
			*named = e;
		if (e.linkage.kind)
			return true;
		if (!e.next.kind)
			break;
		u = hd_dwarf_unit_follow(u, &e.next, &off);
	}
	return false;
}

/*
 * Return true for languages with mangled linkage names, in which several scopes can have functions with the same name.
 */
static bool has_scopes(unsigned language)
{
	switch (language) {
	case 0:				/* a unit of shared entries may have no language */
	case DW_LANG_C_plus_plus: case DW_LANG_C_plus_plus_03: case DW_LANG_C_plus_plus_11: case DW_LANG_C_plus_plus_14:
	case 0x2b: case 0x2c:		/* C++17, C++20 */
	case DW_LANG_ObjC_plus_plus: case DW_LANG_D: case DW_LANG_Rust: case DW_LANG_Swift:
		return true;
	}
	return false;
}

/* Prepend `part` and `::` to the text at `at` in buf.  Returns false if there is no room. */
static bool prepend(const char *buf, char **at, const char *part)
{
	size_t n = strlen(part);

	if (n + 2 > (size_t)(*at - buf))
		return false;
	*at -= n + 2;
	memcpy(*at, part, n);
	memcpy(*at + n, "::", 2);
	return true;
}

/*
 * Return the name, with its scopes (`a::b::f`) in languages that has_scopes() lists, in n->scratch.  Scopes are found
 * innermost first, so the text is built from its end.
 */
static const char *qualified(struct hd_dwarf_names *n, const struct entry *named, struct entry last)
{
	char *end = n->scratch + LONGEST_NAME, *buf = end - LONGEST_QUALIFIED, *at;
	char part[LONGEST_QUALIFIED];
	struct entry scope;
	size_t len;

	hd_dwarf_unit_string(named->u, &named->name, n->scratch, LONGEST_NAME);
	len = strlen(n->scratch);
	if (!has_scopes(last.u->language) || len >= LONGEST_QUALIFIED / 2)
		return n->scratch;
	at = memmove(end - len - 1, n->scratch, len + 1);
	for (int i = 0;; i++) {
		uint64_t off;

		if (!hd_dwarf_scope_of(last.u, last.off, &off))
			break;
		if (i == SCOPES_MAX) {
			hd_dwarf_file_damaged(last.u->f, "a name has more than 64 scopes, its outer ones are omitted");
			break;
		}
		follow(last.u, off, &scope, &last);
		if (!last.u)
			break;
		if (scope.u)
			hd_dwarf_unit_string(scope.u, &scope.name, part, sizeof(part));
		else
			strcpy(part, last.tag == DW_TAG_namespace ? "(anonymous namespace)" :
				     !strcmp(at, "operator()") ? "{lambda}" : "{unnamed type}");
		if (!prepend(buf, &at, part)) {
			hd_dwarf_file_damaged(last.u->f,
				"a name with its scopes has more than 4096 bytes, its outer ones are omitted");
			break;
		}
	}
	return at;
}

/* Intern a name.  If it is new, its size is subtracted from the budget of `f`.  Returns 0 if the budget is used up. */
static uint32_t intern(struct hd_dwarf_names *n, struct hd_dwarf_file *f, const char *name)
{
	uint32_t before = hd_strtab_count(n->strings), id;
	size_t len = strlen(name);

	if (len > f->string_budget) {
		hd_dwarf_file_damaged(f, "too many names");
		return 0;
	}
	id = hd_strtab_addn(n->strings, name, len);
	if (hd_strtab_count(n->strings) != before)
		f->string_budget -= len;
	return id;
}

/*
 * Return 2 * the id of the name of the entry at `off`, plus 1 if the name is mangled; a number below 2 if it has no
 * name or the budget is used up.
 */
static uint32_t resolve(struct hd_dwarf_names *n, struct hd_dwarf_unit *u, uint64_t off)
{
	struct entry named, last;
	const char *name = NULL;
	bool mangled;

	if (!n->scratch) {
		n->scratch = hd_alloc(LONGEST_NAME);
		n->strings = hd_strtab_new();
	}
	mangled = follow(u, off, &named, &last);
	if (mangled)
		name = hd_dwarf_unit_string(last.u, &last.linkage, n->scratch, LONGEST_NAME);
	else if (named.u && last.u)
		name = qualified(n, &named, last);
	return name ? intern(n, u->f, name) * 2 + mangled : 0;
}

const char *hd_dwarf_names_get(struct hd_dwarf_names *n, struct hd_dwarf_unit *u, const struct hd_form_value *ref,
	bool *mangled)
{
	uint64_t off;
	uint32_t name;

	u = hd_dwarf_unit_follow(u, ref, &off);
	if (!u)
		return NULL;
	name = hd_map_get(&u->f->names, off);
	if (name == HD_MAP_NONE) {
		name = resolve(n, u, off);
		hd_map_put(&u->f->names, off, name);
	}
	*mangled = name & 1;
	return name / 2 ? hd_strtab_get(n->strings, name / 2) : NULL;
}

void hd_dwarf_names_release(struct hd_dwarf_names *n)
{
	hd_strtab_free(n->strings);
	free(n->scratch);
	*n = (struct hd_dwarf_names){ 0 };
}
