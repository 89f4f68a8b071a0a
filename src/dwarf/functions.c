/*
 * functions.c - see functions.h
 */
#include "dwarf/functions.h"

#include "base/mem.h"

#include <dwarf.h>
#include <stdlib.h>

/* A function whose children are being read. */
struct open { uint32_t func; uint32_t depth; };

struct scan {
	struct hd_dwarf_functions *fs;
	struct hd_dwarf_unit *u;
	const struct hd_code_range *code;
	bool whole;
	struct hd_nested_range *spans;
	size_t nspans, spans_cap;
	struct open *open;
	size_t nopen, open_cap;
	uint32_t depth;
	uint32_t func;			/* the function whose ranges are being added */
};

bool hd_dwarf_function_pcs(const struct hd_dwarf_unit *u, const struct hd_abbrev *a, struct hd_bytes *b,
	struct hd_pcs *pcs, uint64_t *sibling)
{
	const struct hd_abbrev_attr *at = hd_abbrev_attrs(u->abbrevs, a);
	struct hd_form_value v;

	*pcs = (struct hd_pcs){ 0 };
	*sibling = 0;
	for (uint32_t i = 0; i < a->nattrs; i++, at++) {
		if (at->form == DW_FORM_implicit_const)
			v = (struct hd_form_value){ .kind = HD_FORM_CONST, .v = (uint64_t)at->value };
		else if (!hd_form_read(&v, b, at->form, &u->h))
			return false;
		switch (at->name) {
		case DW_AT_low_pc:	pcs->low = v; break;
		case DW_AT_high_pc:	pcs->high = v; break;
		case DW_AT_ranges:	pcs->ranges = v; break;
		case DW_AT_sibling:	*sibling = v.kind == HD_FORM_REF ? v.v : 0; break;
		}
	}
	return true;
}

static void add_range(void *arg, uint64_t start, uint64_t end)
{
	struct scan *s = arg;

	if (start < s->code->low || end > s->code->high)
		return;
	HD_GROW(s->spans, s->nspans + 1, s->spans_cap);
	s->spans[s->nspans++] = (struct hd_nested_range){ start, end, s->func, (uint32_t)s->nopen };
}

/*
 * Add a function unless it has no address range within s->code.  If it was added, returns true, and the caller sets the
 * end of its DWARF entry later.
 */
static bool add_function(struct scan *s, uint32_t from, const struct hd_pcs *pcs)
{
	size_t before = s->nspans;
	const char *damage;

	s->func = (uint32_t)s->fs->n;
	damage = hd_ranges_each(&s->u->rb, &s->u->h, pcs, add_range, s);
	if (damage)
		hd_dwarf_file_damaged(s->u->f, damage);
	if (s->nspans == before)
		return false;
	HD_GROW(s->fs->v, s->fs->n + 1, s->fs->cap);
	s->fs->v[s->fs->n++] = (struct hd_dwarf_function){ .from = from,
		.to = from,
		.first = HD_DWARF_FUNCTION_UNREAD };
	return true;
}

/* Return true for tags whose entries often contain functions, so that they are never jumped over. */
static bool holds_functions(unsigned tag)
{
	switch (tag) {
	case DW_TAG_compile_unit:
	case DW_TAG_partial_unit:
	case DW_TAG_skeleton_unit:
	case DW_TAG_namespace:
	case DW_TAG_module:
		return true;
	}
	return false;
}

/* Handle the end of a list of children at offset `at`. */
static void close_list(struct scan *s, uint32_t at)
{
	s->depth--;
	while (s->nopen && s->open[s->nopen - 1].depth == s->depth)
		s->fs->v[s->open[--s->nopen].func].to = at;
}

/* Read the entry at offset `from`, whose attributes are at `b`.  Returns false if the entry cannot be read. */
static bool read_entry(struct scan *s, const struct hd_abbrev *a, struct hd_bytes *b, const struct hd_unit_bytes *ub,
	uint32_t from)
{
	bool function = a->tag == DW_TAG_subprogram && a->has_code, kept = false;
	uint64_t sibling, unit = s->u->h.off;
	struct hd_pcs pcs;
	uint32_t at;

	if (function ? !hd_dwarf_function_pcs(s->u, a, b, &pcs, &sibling)
		     : !hd_abbrev_skip(s->u->abbrevs, a, &s->u->h, b, &sibling))
		return false;
	kept = function && add_function(s, from, &pcs);
	at = (uint32_t)(ub->from - unit + (uint64_t)(b->p - ub->p));
	if (kept)
		s->fs->v[s->fs->n - 1].to = at;
	if (!a->children)
		return true;
	if (!s->whole && sibling > at && sibling < ub->to - unit && !holds_functions(a->tag)) {
		b->p = ub->p + (unit + sibling - ub->from);
		s->fs->jumped = true;
		if (kept)
			s->fs->v[s->fs->n - 1].to = (uint32_t)sibling;
		return true;
	}
	if (kept) {
		HD_GROW(s->open, s->nopen + 1, s->open_cap);
		s->open[s->nopen++] = (struct open){ (uint32_t)s->fs->n - 1, s->depth };
	}
	s->depth++;
	return true;
}

static void read_entries(struct scan *s, const struct hd_unit_bytes *ub)
{
	struct hd_bytes b = hd_bytes_over(ub->p, ub->to - ub->from, s->u->f->info.swap);
	uint32_t base = (uint32_t)(ub->from - s->u->h.off);

	while (hd_bytes_left(&b)) {
		uint32_t from = base + (uint32_t)(b.p - ub->p);
		uint64_t code = *b.p < 0x80 ? *b.p++ : hd_dwarf_uleb(&b);
		const struct hd_abbrev *a;

		if (!code) {
			if (s->depth)
				close_list(s, base + (uint32_t)(b.p - ub->p));
			if (!s->depth)
				break;
			continue;
		}
		a = hd_abbrevs_find(s->u->abbrevs, code);
		if (!a || !read_entry(s, a, &b, ub, from)) {
			hd_dwarf_file_damaged(s->u->f,
				a ? "an entry cannot be read to its end"
				  : "an entry's abbreviation is not in its table");
			break;
		}
		if (!s->depth)
			break;		/* the unit has only one entry */
	}
	/* In a damaged unit, the functions whose end was not read end where reading stopped. */
	while (s->nopen)
		s->fs->v[s->open[--s->nopen].func].to = base + (uint32_t)(b.p - ub->p);
}

void hd_dwarf_functions_read(struct hd_dwarf_functions *fs, struct hd_dwarf_unit *u, const struct hd_code_range *code,
	bool whole)
{
	struct scan s = { .fs = fs, .u = u, .code = code, .whole = whole };
	struct hd_unit_bytes ub;

	hd_dwarf_functions_release(fs);
	/* Offsets are stored in 32 bits. */
	if (u->h.end - u->h.off >= UINT32_MAX || !u->abbrevs->any_code ||
		!hd_unit_bytes_read(&ub, u, u->h.first, u->h.end))
		return;
	read_entries(&s, &ub);
	hd_unit_bytes_release(&ub);
	hd_flat_ranges_add(&fs->by_addr, s.spans, s.nspans);
	free(s.spans);
	free(s.open);
}

void hd_dwarf_functions_release(struct hd_dwarf_functions *fs)
{
	free(fs->v);
	free(fs->by_addr.v);
	*fs = (struct hd_dwarf_functions){ 0 };
}

struct hd_dwarf_function *hd_dwarf_functions_find(const struct hd_dwarf_functions *fs, uint64_t vaddr)
{
	uint32_t i = hd_flat_ranges_find(fs->by_addr.v, fs->by_addr.n, vaddr);

	return i == HD_FLAT_RANGE_NONE ? NULL : &fs->v[i];
}
