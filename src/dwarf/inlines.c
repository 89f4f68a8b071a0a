/*
 * inlines.c - see inlines.h
 */
#include "dwarf/inlines.h"

#include "base/mem.h"
#include "dwarf/altfile.h"
#include "dwarf/functions.h"
#include "dwarf/names.h"
#include "dwarf/inline_tree.h"
#include "dwarf/lines.h"
#include "dwarf/split_dwarf.h"

#include <stdlib.h>

/* A unit in which an address was looked up. */
struct unit {
	struct hd_dwarf_unit *entries;	/* NULL: the unit cannot be read */
	bool elsewhere;			/* the entries are in a .dwo file or package */
	bool whole;			/* the unit was read without jumping */
	struct hd_dwarf_functions funcs;
};

struct hd_inlines {
	const struct hd_dwarf_source *src;
	struct hd_lines *lines;
	const struct hd_unit_index *units;	/* NULL: no debug information */
	struct hd_dwarf_file main;
	struct hd_altfile *alt;
	struct hd_split_dwarf split;
	struct hd_dwarf_names names;
	struct hd_inline_tree tree;
	struct hd_code_range code;
	struct unit **of_unit;
	bool damage_warned, dwo_warned, alt_warned;
};

struct hd_inlines *hd_inlines_open(struct hd_lines *lines, const struct hd_dwarf_source *src)
{
	struct hd_inlines *ix = hd_new(struct hd_inlines);
	struct hd_elf *e = hd_lines_elf(lines);

	ix->src = src;
	ix->lines = lines;
	ix->units = hd_lines_units(lines);
	if (!ix->units)
		return ix;
	hd_dwarf_file_take(&ix->main, e, "");
	hd_dwarf_file_budget(&ix->main);
	ix->alt = hd_lines_alt(lines);
	ix->main.alt = hd_altfile_find(ix->alt, src, e);
	ix->code = (struct hd_code_range){ ix->units->low, ix->units->high };
	ix->of_unit = hd_new_array(struct unit *, ix->units->n);
	return ix;
}

void hd_inlines_free(struct hd_inlines *ix)
{
	if (!ix)
		return;
	for (size_t i = 0; ix->units && i < ix->units->n; i++) {
		if (ix->of_unit[i])
			hd_dwarf_functions_release(&ix->of_unit[i]->funcs);
		free(ix->of_unit[i]);
	}
	free(ix->of_unit);
	hd_inline_tree_release(&ix->tree);
	hd_dwarf_names_release(&ix->names);
	hd_split_dwarf_release(&ix->split);
	hd_dwarf_file_release(&ix->main);
	free(ix);
}

/* ---- warnings, each once ---- */

static void warn_damage(struct hd_inlines *ix, const char *damage)
{
	if (damage && !ix->damage_warned)
		hd_warn(ix->src->log, "symbols.inlines-damaged", "rebuild or reinstall it",
			"%s: damaged debug information: inlined functions may be missing: %s",
			hd_lines_elf(ix->lines)->path, damage);
	ix->damage_warned |= damage != NULL;
}

/* Warn of the faults that were found so far in the files of the object and of unit `u`.  Each kind is reported once. */
static void warn_faults(struct hd_inlines *ix, const struct unit *u)
{
	const char *path = hd_lines_elf(ix->lines)->path;
	struct hd_log *log = ix->src->log;

	warn_damage(ix, ix->main.damage);
	warn_damage(ix, ix->alt->f.damage);
	warn_damage(ix, ix->split.damage);
	warn_damage(ix, u->entries ? u->entries->f->damage : NULL);
	if (ix->alt->problem[0] && !ix->alt_warned)
		hd_warn(log, "symbols.alt-absent", "install the whole package of debug symbols",
			"%s: names of inlined functions are missing: %s", path, ix->alt->problem);
	ix->alt_warned = ix->alt->problem[0];
	if (ix->split.missing && !ix->dwo_warned)
		hd_warn(log, "symbols.dwo-absent",
			"keep the .dwo files where they were built, or put PROGRAM.dwp beside it (dwp -e PROGRAM)",
			"%s: inlined functions are missing: its debug information is in `%s`, which was not found",
			path, ix->split.first_missing);
	ix->dwo_warned = ix->split.missing;
}

/* ---- units ---- */

static struct unit *open_unit(struct hd_inlines *ix, uint32_t i)
{
	struct unit *u = hd_new(struct unit);
	struct hd_dwarf_unit *own = hd_dwarf_file_unit(&ix->main, ix->units->v[i].info_off);

	ix->of_unit[i] = u;
	if (own && own->split)
		u->entries = hd_split_dwarf_find(&ix->split, ix->src, own);
	u->elsewhere = u->entries;
	/* Without its .dwo file, a skeleton can contain the inlined functions (clang -fsplit-dwarf-inlining). */
	if (!u->entries)
		u->entries = own;
	if (u->entries)
		hd_dwarf_functions_read(&u->funcs, u->entries, &ix->code, false);
	return u;
}

static struct hd_dwarf_function *find_function(struct hd_inlines *ix, struct unit *u, uint64_t vaddr)
{
	struct hd_dwarf_function *fn;

	if (!u->entries || (u->elsewhere && !hd_split_dwarf_use(&ix->split, u->entries)))
		return NULL;
	fn = hd_dwarf_functions_find(&u->funcs, vaddr);
	if (!fn && u->funcs.jumped && !u->whole) {
		u->whole = true;
		hd_dwarf_functions_read(&u->funcs, u->entries, &ix->code, true);
		fn = hd_dwarf_functions_find(&u->funcs, vaddr);
	}
	if (fn && fn->first == HD_DWARF_FUNCTION_UNREAD)
		hd_inline_tree_read(&ix->tree, u->entries, fn, &ix->code);
	return fn;
}

/* ---- lookups ---- */

/*
 * Store the chain of inlined functions in `hits`, from instance i outwards, and return its length.  An instance whose
 * name is unknown is skipped, and its call site replaces that of the instance inside it.
 */
static size_t walk(struct hd_inlines *ix, uint32_t unit, uint32_t i, struct hd_inline_hit *hits, size_t max)
{
	struct hd_dwarf_unit *entries = ix->of_unit[unit]->entries;
	const struct hd_inlined_call *inst;
	size_t n = 0;

	for (; i != HD_FLAT_RANGE_NONE && n < max; i = inst->parent) {
		struct hd_form_value ref;
		struct hd_inline_hit hit = { 0 };

		inst = &ix->tree.v[i];
		ref = (struct hd_form_value){ .kind = (enum hd_form_kind)inst->origin_kind, .v = inst->origin };
		hit.linkage = hd_dwarf_names_get(&ix->names, entries, &ref, &hit.mangled);
		hit.call_line = inst->call_line;
		hit.call_file = inst->call_file == HD_CALL_FILE_NONE || ix->src->no_call_files ? NULL :
				hd_lines_file(ix->lines, unit, inst->call_file);
		hit.low = inst->low;
		if (hit.linkage) {
			hits[n++] = hit;
		} else if (n) {
			hits[n - 1].call_file = hit.call_file;
			hits[n - 1].call_line = hit.call_line;
		}
	}
	return n;
}

/* Return the innermost inlined instance at an address, and its unit; HD_FLAT_RANGE_NONE if there is none. */
static uint32_t innermost(struct hd_inlines *ix, uint64_t vaddr, uint32_t *unit)
{
	uint32_t i = HD_FLAT_RANGE_NONE;
	struct hd_dwarf_function *fn;
	struct unit *u;

	*unit = ix->units ? hd_unit_index_find(ix->units, vaddr) : UINT32_MAX;
	if (*unit == UINT32_MAX)
		return HD_FLAT_RANGE_NONE;
	u = ix->of_unit[*unit] ? ix->of_unit[*unit] : open_unit(ix, *unit);
	fn = find_function(ix, u, vaddr);
	if (fn)
		i = hd_inline_tree_find(&ix->tree, fn, vaddr);
	warn_faults(ix, u);
	return i;
}

uint32_t hd_inlines_instance(struct hd_inlines *ix, uint64_t vaddr)
{
	uint32_t unit, i = innermost(ix, vaddr, &unit);

	return i == HD_FLAT_RANGE_NONE ? 0 : i + 1;
}

size_t hd_inlines_find(struct hd_inlines *ix, uint64_t vaddr, struct hd_inline_hit *hits, size_t max)
{
	uint32_t unit, i = innermost(ix, vaddr, &unit);
	size_t n = 0;

	if (i != HD_FLAT_RANGE_NONE) {
		n = walk(ix, unit, i, hits, max);
		warn_faults(ix, ix->of_unit[unit]);
	}
	return n;
}
