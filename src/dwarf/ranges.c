/*
 * ranges.c - see ranges.h
 */
#include "dwarf/ranges.h"

#include <dwarf.h>
#include <string.h>

/* A pass over the ranges of an entry. */
struct walk {
	const struct hd_range_base *rb;
	const struct hd_unit_header *h;
	hd_range_fn *fn;
	void *arg;
	const char *damage;
};

static void damaged(struct walk *w, const char *what)
{
	if (!w->damage)
		w->damage = what;
}

static void give(struct walk *w, uint64_t start, uint64_t end)
{
	if (start < end)
		w->fn(w->arg, start, end);
}

/* Return the address with this index in .debug_addr; 0, with *damage set, if the index is invalid. */
static uint64_t indexed(const struct hd_range_base *rb, const struct hd_unit_header *h, uint64_t index,
	const char **damage)
{
	struct hd_address_page *page = rb->page;
	struct hd_bytes b;
	uint64_t off;

	if (index > UINT32_MAX || __builtin_add_overflow(rb->addr_base, index * h->addr_size, &off) ||
		off >= rb->addr->size) {
		*damage = "an address has an invalid index";
		return 0;
	}
	if (off < page->off || off - page->off >= page->n || page->n - (off - page->off) < h->addr_size) {
		page->off = off;
		page->n = hd_debug_section_read(rb->addr, off, page->bytes, sizeof(page->bytes));
	}
	b = hd_bytes_over(page->bytes + (off - page->off), page->n - (off - page->off), rb->addr->swap);
	return h->addr_size == 8 ? hd_bytes_u64(&b) : hd_bytes_u32(&b);
}

uint64_t hd_range_address(const struct hd_range_base *rb, const struct hd_unit_header *h, const struct hd_form_value *v,
	const char **damage)
{
	return v->kind == HD_FORM_ADDRX ? indexed(rb, h, v->v, damage) : v->kind ? v->v : 0;
}

/* Subtract one list entry from the budget.  Returns false if the budget is used up; section sizes determine it. */
static bool pay(struct walk *w)
{
	if (*w->rb->budget) {
		--*w->rb->budget;
		return true;
	}
	damaged(w, "too many address ranges");
	return false;
}

static void read_ranges(struct walk *w, uint64_t off)
{
	uint64_t base = w->rb->low, top = w->h->addr_size == 8 ? UINT64_MAX : UINT32_MAX;
	struct hd_debug_cursor c;

	hd_debug_cursor_start(&c, w->rb->ranges, off, UINT64_MAX);
	while (pay(w)) {
		uint64_t start = hd_debug_cursor_uint(&c, w->h->addr_size);
		uint64_t end = hd_debug_cursor_uint(&c, w->h->addr_size);

		if (c.b.bad) {
			damaged(w, "a list of address ranges is outside its section");
			return;
		}
		if (!start && !end)
			return;
		if (start == top)
			base = end;
		else
			give(w, base + start, base + end);
	}
}

static void read_rnglist(struct walk *w, uint64_t off)
{
	uint64_t base = w->rb->low, a, b;
	struct hd_debug_cursor c;

	hd_debug_cursor_start(&c, w->rb->rnglists, off, UINT64_MAX);
	while (pay(w)) {
		unsigned kind = (unsigned)hd_debug_cursor_uint(&c, 1);

		switch (kind) {
		case DW_RLE_end_of_list:
			if (c.b.bad)
				damaged(w, "a list of address ranges is outside its section");
			return;
		case DW_RLE_base_addressx:
			base = indexed(w->rb, w->h, hd_debug_cursor_uleb(&c), &w->damage);
			continue;
		case DW_RLE_base_address:
			base = hd_debug_cursor_uint(&c, w->h->addr_size);
			continue;
		case DW_RLE_startx_endx:
			a = indexed(w->rb, w->h, hd_debug_cursor_uleb(&c), &w->damage);
			b = indexed(w->rb, w->h, hd_debug_cursor_uleb(&c), &w->damage);
			break;
		case DW_RLE_startx_length:
			a = indexed(w->rb, w->h, hd_debug_cursor_uleb(&c), &w->damage);
			b = a + hd_debug_cursor_uleb(&c);
			break;
		case DW_RLE_offset_pair:
			a = base + hd_debug_cursor_uleb(&c);
			b = base + hd_debug_cursor_uleb(&c);
			break;
		case DW_RLE_start_end:
			a = hd_debug_cursor_uint(&c, w->h->addr_size);
			b = hd_debug_cursor_uint(&c, w->h->addr_size);
			break;
		case DW_RLE_start_length:
			a = hd_debug_cursor_uint(&c, w->h->addr_size);
			b = a + hd_debug_cursor_uleb(&c);
			break;
		default:
			damaged(w, "a list of address ranges has an entry of an unknown kind");
			return;
		}
		if (c.b.bad) {
			damaged(w, "a list of address ranges is outside its section");
			return;
		}
		give(w, a, b);
	}
}

/* Return the offset of the list with this index; UINT64_MAX if the index is too large or outside of the section. */
static uint64_t indexed_list(const struct walk *w, uint64_t index)
{
	uint64_t off, base = w->rb->rnglists_base ? w->rb->rnglists_base : w->h->offset_size == 8 ? 20 : 12;
	struct hd_debug_cursor c;

	if (index > UINT32_MAX)
		return UINT64_MAX;
	hd_debug_cursor_start(&c, w->rb->rnglists, base + index * w->h->offset_size, UINT64_MAX);
	off = hd_debug_cursor_uint(&c, w->h->offset_size);
	return c.b.bad ? UINT64_MAX : base + off;
}

const char *hd_ranges_each(const struct hd_range_base *rb, const struct hd_unit_header *h, const struct hd_pcs *pcs,
			   hd_range_fn *fn, void *arg)
{
	struct walk w = { .rb = rb, .h = h, .fn = fn, .arg = arg };

	if (pcs->ranges.kind && h->version >= 5) {
		read_rnglist(&w, pcs->ranges.kind == HD_FORM_LISTX ? indexed_list(&w, pcs->ranges.v) : pcs->ranges.v);
	} else if (pcs->ranges.kind) {
		read_ranges(&w, rb->ranges_base + pcs->ranges.v);
	} else if (pcs->low.kind && pcs->high.kind && pay(&w)) {
		uint64_t low = hd_range_address(rb, h, &pcs->low, &w.damage), high = pcs->high.v;

		give(&w, low,
			pcs->high.kind == HD_FORM_CONST ? low + high : hd_range_address(rb, h, &pcs->high, &w.damage));
	}
	return w.damage;
}
