/*
 * aranges.c - see aranges.h
 */
#include "dwarf/aranges.h"

/* The table at off; *next: where the one behind it is. */
static bool read_table(const struct hd_debug_section *sec, uint64_t off, uint64_t *next, hd_arange_fn *fn, void *arg)
{
	unsigned offset_size = 4, addr_size;
	struct hd_debug_cursor c;
	uint64_t length, unit, skew;

	hd_debug_cursor_start(&c, sec, off, UINT64_MAX);
	length = hd_debug_cursor_uint(&c, 4);
	if (length == 0xffffffff) {
		offset_size = 8;
		length = hd_debug_cursor_uint(&c, 8);
	}
	*next = hd_debug_cursor_at(&c) + length;
	if (c.b.bad || *next < length || *next > sec->size)
		return false;
	hd_debug_cursor_limit(&c, *next);
	if (hd_debug_cursor_uint(&c, 2) != 2)
		return true;			/* another version: the next one may be known */
	unit = hd_debug_cursor_uint(&c, offset_size);
	addr_size = (unsigned)hd_debug_cursor_uint(&c, 1);
	if (hd_debug_cursor_uint(&c, 1) || (addr_size != 4 && addr_size != 8))
		return !c.b.bad;
	skew = (hd_debug_cursor_at(&c) - off) % (2 * addr_size);
	hd_debug_cursor_skip(&c, skew ? 2 * addr_size - skew : 0);
	while (!c.b.bad) {
		uint64_t start = hd_debug_cursor_uint(&c, addr_size), size = hd_debug_cursor_uint(&c, addr_size);

		if (!c.b.bad && !start && !size)
			return true;
		if (!c.b.bad && start + size > start)
			fn(arg, unit, start, start + size);
	}
	return false;
}

const char *hd_aranges_each(const struct hd_debug_section *sec, hd_arange_fn *fn, void *arg)
{
	for (uint64_t off = 0, next; off < sec->size; off = next)
		if (!read_table(sec, off, &next, fn, arg))
			return "`.debug_aranges` is cut off";
	return NULL;
}
