/*
 * scopes.c - see scopes.h
 */
#include "dwarf/scopes.h"

#include "base/mem.h"

#include <dwarf.h>
#include <stdlib.h>

/* An entry whose children are being read. */
struct open {
	uint32_t from, depth;
	bool used;			/* the entry contains another scope, whose parent can be looked up */
};

struct scan {
	struct hd_dwarf_unit *u;
	struct open *open;
	size_t nopen, open_cap;
	struct hd_nested_range *spans;
	size_t nspans, spans_cap;
	uint32_t depth;
};

static bool is_scope(unsigned tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_subprogram:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type: case DW_TAG_interface_type: case DW_TAG_enumeration_type:
		return true;
	}
	return false;
}

static void close_scopes(struct scan *s, uint32_t at)
{
	while (s->nopen && s->open[s->nopen - 1].depth >= s->depth) {
		struct open *o = &s->open[--s->nopen];

		if (!o->used)
			continue;
		if (s->nopen)
			s->open[s->nopen - 1].used = true;
		HD_GROW(s->spans, s->nspans + 1, s->spans_cap);
		s->spans[s->nspans++] = (struct hd_nested_range){ o->from + 1, at, o->from, (uint32_t)s->nopen };
	}
}

static void read_entries(struct scan *s, const struct hd_unit_bytes *ub)
{
	struct hd_bytes b = hd_bytes_over(ub->p, ub->to - ub->from, s->u->f->info.swap);
	uint32_t base = (uint32_t)(ub->from - s->u->h.off);
	uint64_t sibling;

	while (hd_bytes_left(&b)) {
		uint32_t from = base + (uint32_t)(b.p - ub->p);
		uint64_t code = *b.p < 0x80 ? *b.p++ : hd_dwarf_uleb(&b);
		const struct hd_abbrev *a;

		if (!code) {
			if (s->depth)
				s->depth--;
			close_scopes(s, base + (uint32_t)(b.p - ub->p));
			if (!s->depth)
				break;
			continue;
		}
		a = hd_abbrevs_find(s->u->abbrevs, code);
		if (!a || !hd_abbrev_skip(s->u->abbrevs, a, &s->u->h, &b, &sibling)) {
			hd_dwarf_file_damaged(s->u->f,
				a ? "an entry cannot be read to its end"
				  : "an entry's abbreviation is not in its table");
			break;
		}
		if (is_scope(a->tag) && s->nopen)
			s->open[s->nopen - 1].used = true;
		if (is_scope(a->tag) && a->children) {
			HD_GROW(s->open, s->nopen + 1, s->open_cap);
			s->open[s->nopen++] = (struct open){ from, s->depth, false };
		}
		if (!s->depth && !a->children)
			break;
		s->depth += a->children;
	}
	s->depth = 0;
	close_scopes(s, base + (uint32_t)(b.p - ub->p));
}

static void read_scopes(struct hd_dwarf_unit *u)
{
	struct scan s = { .u = u };
	struct hd_unit_bytes ub;

	u->scopes_read = true;
	if (u->h.end - u->h.off >= UINT32_MAX || !hd_unit_bytes_read(&ub, u, u->h.first, u->h.end))
		return;
	read_entries(&s, &ub);
	hd_unit_bytes_release(&ub);
	hd_flat_ranges_add(&u->scopes, s.spans, s.nspans);
	free(s.spans);
	free(s.open);
}

bool hd_dwarf_scope_of(struct hd_dwarf_unit *u, uint64_t off, uint64_t *scope)
{
	uint32_t from;

	if (!u->scopes_read)
		read_scopes(u);
	from = hd_flat_ranges_find(u->scopes.v, u->scopes.n, off - u->h.off);
	*scope = u->h.off + from;
	return from != HD_FLAT_RANGE_NONE;
}
