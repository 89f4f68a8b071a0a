/*
 * inline_tree.c - see inline_tree.h
 */
#include "dwarf/inline_tree.h"

#include "base/mem.h"

#include <dwarf.h>
#include <stdlib.h>

/* Each entry of an inlined function takes at least this many bytes, which limits how many entries are accepted. */
enum { ENTRY_LEAST = 4 };

/* Where entries are being read: the inlined instance that contains them, and their depth. */
struct level { uint32_t instance, depth; };

struct scan {
	struct hd_inline_tree *t;
	struct hd_dwarf_unit *u;
	const struct hd_code_range *code;
	struct hd_nested_range *spans;
	size_t nspans, spans_cap;
	struct level *levels;
	size_t nlevels, levels_cap;
	struct level now;		/* the level of the ranges that are being added */
	uint64_t low;			/* the lowest address of the ranges that are being added */
	size_t room;			/* number of instances that may still be added */
};

static void add_range(void *arg, uint64_t start, uint64_t end)
{
	struct scan *s = arg;

	if (start < s->code->low || end > s->code->high)
		return;
	if (start < s->low)
		s->low = start;
	HD_GROW(s->spans, s->nspans + 1, s->spans_cap);
	s->spans[s->nspans++] = (struct hd_nested_range){ start, end, s->now.instance, s->now.depth };
}

static void add_ranges(struct scan *s, const struct hd_pcs *pcs)
{
	const char *damage;

	s->low = UINT64_MAX;
	if (!hd_pcs_any(pcs))
		return;
	damage = hd_ranges_each(&s->u->rb, &s->u->h, pcs, add_range, s);
	if (damage)
		hd_dwarf_file_damaged(s->u->f, damage);
}

static uint32_t number(const struct hd_form_value *v, uint32_t none)
{
	return v->kind == HD_FORM_CONST && v->v < UINT32_MAX ? (uint32_t)v->v : none;
}

static bool read_inlined(struct scan *s, const struct hd_abbrev *a, struct hd_bytes *b, struct level in)
{
	const struct hd_abbrev_attr *at = hd_abbrev_attrs(s->u->abbrevs, a);
	struct hd_inlined_call *inst;
	struct hd_pcs pcs = { 0 };
	struct hd_form_value v;

	if (!s->room) {
		hd_dwarf_file_damaged(s->u->f, "too many inlined functions");
		return false;
	}
	s->room--;
	HD_GROW(s->t->v, s->t->n + 1, s->t->cap);
	inst = &s->t->v[s->t->n];
	*inst = (struct hd_inlined_call){ .parent = in.instance, .call_file = HD_CALL_FILE_NONE };
	for (uint32_t i = 0; i < a->nattrs; i++, at++) {
		if (at->form == DW_FORM_implicit_const)
			v = (struct hd_form_value){ .kind = HD_FORM_CONST, .v = (uint64_t)at->value };
		else if (!hd_form_read(&v, b, at->form, &s->u->h))
			return false;
		switch (at->name) {
		case DW_AT_low_pc:	pcs.low = v; break;
		case DW_AT_high_pc:	pcs.high = v; break;
		case DW_AT_ranges:	pcs.ranges = v; break;
		case DW_AT_call_file:	inst->call_file = number(&v, HD_CALL_FILE_NONE); break;
		case DW_AT_call_line:	inst->call_line = number(&v, 0); break;
		case DW_AT_abstract_origin:
			inst->origin = v.v;
			inst->origin_kind = (uint8_t)v.kind;
			break;
		}
	}
	s->now = (struct level){ (uint32_t)s->t->n++, in.depth + 1 };
	add_ranges(s, &pcs);
	inst->low = s->low;
	return true;
}

/*
 * Read the entry whose attributes are at `b`.  If the entry is an inlined instance or a function, change *in, the level
 * of the entry, to the level of its children.  Returns false if the entry cannot be read.
 */
static bool read_entry(struct scan *s, const struct hd_abbrev *a, struct hd_bytes *b, struct level *in)
{
	struct hd_pcs pcs;
	uint64_t sibling;

	if (a->tag == DW_TAG_inlined_subroutine) {
		if (!read_inlined(s, a, b, *in))
			return false;
		*in = s->now;
		return true;
	}
	if (a->tag != DW_TAG_subprogram || !a->has_code)
		return hd_abbrev_skip(s->u->abbrevs, a, &s->u->h, b, &sibling);
	if (!hd_dwarf_function_pcs(s->u, a, b, &pcs, &sibling))
		return false;
	/*
	 * The entry is a function nested in the function that is read.  Instances in the nested function have no parent
	 * outside of it.
	 */
	*in = s->now = (struct level){ HD_FLAT_RANGE_NONE, in->depth + 1 };
	add_ranges(s, &pcs);
	return true;
}

static void read_entries(struct scan *s, const struct hd_unit_bytes *ub)
{
	struct hd_bytes b = hd_bytes_over(ub->p, ub->to - ub->from, s->u->f->info.swap);
	struct level in = { HD_FLAT_RANGE_NONE, 0 }, inner;
	bool own = true;

	while (hd_bytes_left(&b)) {
		uint64_t code = *b.p < 0x80 ? *b.p++ : hd_dwarf_uleb(&b), sibling;
		const struct hd_abbrev *a;

		if (!code) {
			if (!s->nlevels)
				break;
			in = s->levels[--s->nlevels];
			continue;
		}
		inner = in;
		a = hd_abbrevs_find(s->u->abbrevs, code);
		if (!a ||
			!(own ? hd_abbrev_skip(s->u->abbrevs, a, &s->u->h, &b, &sibling)
			      : read_entry(s, a, &b, &inner))) {
			hd_dwarf_file_damaged(s->u->f,
				a ? "an entry cannot be read to its end"
				  : "an entry's abbreviation is not in its table");
			break;
		}
		own = false;
		if (!a->children)
			continue;
		HD_GROW(s->levels, s->nlevels + 1, s->levels_cap);
		s->levels[s->nlevels++] = in;
		in = inner;
	}
}

/*
 * Set the address of each instance to the lowest one of itself and the instances inside of it.  An instance without an
 * address of its own gets one this way.
 */
static void lowest(struct hd_inline_tree *t, size_t first)
{
	for (size_t i = t->n; i-- > first; ) {
		struct hd_inlined_call *p = t->v[i].parent == HD_FLAT_RANGE_NONE ? NULL : &t->v[t->v[i].parent];

		if (p && t->v[i].low < p->low)
			p->low = t->v[i].low;
	}
}

void hd_inline_tree_read(struct hd_inline_tree *t, struct hd_dwarf_unit *u, struct hd_dwarf_function *fn,
	const struct hd_code_range *code)
{
	struct scan s = { .t = t, .u = u, .code = code };
	size_t first = t->n, n = fn->to - fn->from;
	struct hd_unit_bytes ub;

	s.room = n / ENTRY_LEAST;
	fn->first = (uint32_t)t->segments.n;
	fn->n = 0;
	/* Nested functions are read again for each outer function, so this work is limited. */
	if (n > u->f->work_budget || t->n + n >= UINT32_MAX) {
		hd_dwarf_file_damaged(u->f, "too many nested functions");
		return;
	}
	u->f->work_budget -= n;
	if (!hd_unit_bytes_read(&ub, u, u->h.off + fn->from, u->h.off + fn->to))
		return;
	read_entries(&s, &ub);
	hd_unit_bytes_release(&ub);
	lowest(t, first);
	fn->n = (uint32_t)hd_flat_ranges_add(&t->segments, s.spans, s.nspans);
	free(s.spans);
	free(s.levels);
}

void hd_inline_tree_release(struct hd_inline_tree *t)
{
	free(t->v);
	free(t->segments.v);
	*t = (struct hd_inline_tree){ 0 };
}
