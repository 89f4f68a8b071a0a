/*
 * dwp.c - see dwp.h
 */
#include "dwarf/dwp.h"

enum { COLUMNS_MAX = 16, HEADER = 16 };

/* The sections that are read (DW_SECT_*).  8 is .debug_rnglists only in version 5. */
enum { SECT_INFO = 1, SECT_ABBREV = 3, SECT_STR_OFFSETS = 6, SECT_RNGLISTS = 8 };

struct index {
	struct hd_debug_section sec;
	uint32_t version, columns, units, slots;
};

static uint64_t number(const struct index *ix, uint64_t off, unsigned size)
{
	struct hd_debug_cursor c;

	hd_debug_cursor_start(&c, &ix->sec, off, UINT64_MAX);
	return hd_debug_cursor_uint(&c, size);
}

static bool read_header(struct index *ix)
{
	struct hd_debug_cursor c;
	uint64_t need;

	hd_debug_cursor_start(&c, &ix->sec, 0, UINT64_MAX);
	ix->version = (uint32_t)hd_debug_cursor_uint(&c, 4);
	/*
	 * In version 5, two bytes of padding follow the two bytes of the version.  In a big-endian file, the padding is
	 * the low half of this number.
	 */
	if (ix->version == 5u << 16)
		ix->version = 5;
	ix->columns = (uint32_t)hd_debug_cursor_uint(&c, 4);
	ix->units = (uint32_t)hd_debug_cursor_uint(&c, 4);
	ix->slots = (uint32_t)hd_debug_cursor_uint(&c, 4);
	if (c.b.bad || (ix->version != 2 && ix->version != 5) || !ix->columns || ix->columns > COLUMNS_MAX ||
		!ix->slots || (ix->slots & (ix->slots - 1)) || ix->units >= ix->slots)
		return false;
	need = HEADER + 12ull * ix->slots + 4ull * ix->columns + 8ull * ix->columns * ix->units;
	return need <= ix->sec.size;
}

/* Return the row of an id, counted from 1; 0 if there is none. */
static uint32_t find_row(const struct index *ix, uint64_t id)
{
	uint32_t mask = ix->slots - 1, slot = (uint32_t)id & mask, step = ((uint32_t)(id >> 32) & mask) | 1;

	for (uint32_t tries = 0; tries < ix->slots; tries++) {
		uint32_t row = (uint32_t)number(ix, HEADER + 8ull * ix->slots + 4ull * slot, 4);

		if (!row)
			return 0;
		if (number(ix, HEADER + 8ull * slot, 8) == id)
			return row <= ix->units ? row : 0;
		slot = (slot + step) & mask;
	}
	return 0;
}

static bool narrow(struct hd_debug_section *sec, uint64_t off, uint64_t size)
{
	if (off > sec->size || size > sec->size - off)
		return false;
	if (sec->mem)
		sec->mem += off;
	else
		sec->off += off;
	sec->size = size;
	return true;
}

bool hd_dwp_take(struct hd_dwarf_file *f, struct hd_elf *package, uint64_t id)
{
	struct index ix = { .sec = hd_debug_section_find(package, ".debug_cu_index") };
	uint64_t columns, offsets, sizes;
	uint32_t row;
	bool fine = true, info = false;

	if (!read_header(&ix))
		return false;
	row = find_row(&ix, id);
	if (!row)
		return false;
	columns = HEADER + 12ull * ix.slots;
	offsets = columns + 4ull * ix.columns + 4ull * ix.columns * (row - 1);
	sizes = offsets + 4ull * ix.columns * ix.units;
	hd_dwarf_file_take(f, package, ".dwo");
	for (uint32_t i = 0; i < ix.columns; i++) {
		uint64_t kind = number(&ix, columns + 4ull * i, 4);
		uint64_t off = number(&ix, offsets + 4ull * i, 4), size = number(&ix, sizes + 4ull * i, 4);

		switch (kind) {
		case SECT_INFO:
			fine &= narrow(&f->info, off, size);
			info = true;
			break;
		case SECT_ABBREV:
			fine &= narrow(&f->abbrev, off, size);
			break;
		case SECT_STR_OFFSETS:
			fine &= narrow(&f->str_offsets, off, size);
			break;
		case SECT_RNGLISTS:
			if (ix.version == 5)
				fine &= narrow(&f->rnglists, off, size);
			break;
		}
	}
	return fine && info;
}
