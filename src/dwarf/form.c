/*
 * form.c - see form.h
 */
#include "dwarf/form.h"

#include <dwarf.h>
#include <string.h>

/* ---- primitives ---- */

/*
 * Read a LEB128 number.  *sign receives the bits that must be set in the result if the number is signed and negative.
 */
static inline uint64_t leb(struct hd_bytes *b, uint64_t *sign)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = hd_bytes_u8(b);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift = shift < 64 ? shift + 7 : 64;
	} while ((byte & 0x80) && !b->bad);
	*sign = shift < 64 && (byte & 0x40) ? UINT64_MAX << shift : 0;
	return v;
}

uint64_t hd_dwarf_uleb(struct hd_bytes *b)
{
	uint64_t sign;

	return leb(b, &sign);
}

int64_t hd_dwarf_sleb(struct hd_bytes *b)
{
	uint64_t sign, v = leb(b, &sign);

	return (int64_t)(v | sign);
}

const char *hd_dwarf_string(struct hd_bytes *b)
{
	size_t left = hd_bytes_left(b);
	const char *s = (const char *)b->p;
	const char *nul = left ? memchr(s, '\0', left) : NULL;

	if (!nul) {
		hd_bytes_skip(b, left + 1);	/* sets `bad` */
		return NULL;
	}
	hd_bytes_skip(b, (size_t)(nul - s) + 1);
	return s;
}

/* ---- units and attributes ---- */

enum hd_unit_header_result hd_unit_header_read(struct hd_unit_header *h, struct hd_bytes *b, uint64_t off,
	uint64_t size, bool types)
{
	const uint8_t *start = b->p;
	uint64_t length;

	*h = (struct hd_unit_header){ .off = off, .offset_size = 4, .type = types ? DW_UT_type : DW_UT_compile };
	length = hd_bytes_u32(b);
	if (length == 0xffffffff) {
		h->offset_size = 8;
		length = hd_bytes_u64(b);
	}
	h->end = off + (uint64_t)(b->p - start) + length;
	if (b->bad || h->end < length || h->end > size)
		return HD_UNIT_HEADER_OUTSIDE;
	h->version = hd_bytes_u16(b);
	if (h->version >= 5) {
		h->type = hd_bytes_u8(b);
		h->addr_size = hd_bytes_u8(b);
	}
	h->abbrev_off = h->offset_size == 8 ? hd_bytes_u64(b) : hd_bytes_u32(b);
	if (h->version < 5)
		h->addr_size = hd_bytes_u8(b);
	switch (h->type) {
	case DW_UT_type: case DW_UT_split_type:
		h->id = hd_bytes_u64(b);
		h->type_off = h->offset_size == 8 ? hd_bytes_u64(b) : hd_bytes_u32(b);
		break;
	case DW_UT_skeleton: case DW_UT_split_compile:
		h->id = hd_bytes_u64(b);
		break;
	}
	h->first = off + (uint64_t)(b->p - start);
	if (b->bad || h->first > h->end || h->version < 2 || h->version > 5 || (h->addr_size != 8 && h->addr_size != 4))
		return HD_UNIT_HEADER_UNSUPPORTED;
	return HD_UNIT_HEADER_VALID;
}

static uint64_t u24(struct hd_bytes *b)
{
	const uint8_t *p = hd_bytes_skip(b, 3);

	if (!p)
		return 0;
	return b->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		? (uint64_t)p[0] << 16 | (uint64_t)p[1] << 8 | p[2]
		: (uint64_t)p[2] << 16 | (uint64_t)p[1] << 8 | p[0];
}

static uint64_t number(struct hd_bytes *b, unsigned size)
{
	switch (size) {
	case 1:	return hd_bytes_u8(b);
	case 2:	return hd_bytes_u16(b);
	case 3:	return u24(b);
	case 4:	return hd_bytes_u32(b);
	}
	return hd_bytes_u64(b);
}

bool hd_form_read(struct hd_form_value *out, struct hd_bytes *b, uint64_t form, const struct hd_unit_header *h)
{
	static const unsigned indexed_sizes[] = { 1, 2, 3, 4 };
	enum hd_form_kind kind = HD_FORM_NONE;
	uint64_t v = 0;

	out->s = NULL;
	for (int indirect = 0; form == DW_FORM_indirect; indirect++) {
		if (indirect == 4)
			return false;
		form = hd_dwarf_uleb(b);
	}
	switch (form) {
	case DW_FORM_addr:
		kind = HD_FORM_ADDR;
		v = number(b, h->addr_size);
		break;
	case DW_FORM_addrx: case DW_FORM_GNU_addr_index:
		kind = HD_FORM_ADDRX;
		v = hd_dwarf_uleb(b);
		break;
	case DW_FORM_addrx1: case DW_FORM_addrx2: case DW_FORM_addrx3: case DW_FORM_addrx4:
		kind = HD_FORM_ADDRX;
		v = number(b, indexed_sizes[form - DW_FORM_addrx1]);
		break;
	case DW_FORM_data1: case DW_FORM_data2: case DW_FORM_data4: case DW_FORM_data8:
		kind = HD_FORM_CONST;
		v = number(b, form == DW_FORM_data1 ? 1 : form == DW_FORM_data2 ? 2 : form == DW_FORM_data4 ? 4 : 8);
		break;
	case DW_FORM_udata:
		kind = HD_FORM_CONST;
		v = hd_dwarf_uleb(b);
		break;
	case DW_FORM_sdata:
		kind = HD_FORM_CONST;
		v = (uint64_t)hd_dwarf_sleb(b);
		break;
	case DW_FORM_flag:
		kind = HD_FORM_CONST;
		v = hd_bytes_u8(b);
		break;
	case DW_FORM_flag_present:
		kind = HD_FORM_CONST;
		v = 1;
		break;
	case DW_FORM_sec_offset:
		kind = HD_FORM_OFFSET;
		v = number(b, h->offset_size);
		break;
	case DW_FORM_rnglistx:
		kind = HD_FORM_LISTX;
		v = hd_dwarf_uleb(b);
		break;
	case DW_FORM_ref1: case DW_FORM_ref2: case DW_FORM_ref4: case DW_FORM_ref8:
		kind = HD_FORM_REF;
		v = number(b, form == DW_FORM_ref1 ? 1 : form == DW_FORM_ref2 ? 2 : form == DW_FORM_ref4 ? 4 : 8);
		break;
	case DW_FORM_ref_udata:
		kind = HD_FORM_REF;
		v = hd_dwarf_uleb(b);
		break;
	case DW_FORM_ref_addr:
		kind = HD_FORM_REF_ADDR;
		v = number(b, h->version == 2 ? h->addr_size : h->offset_size);
		break;
	case DW_FORM_GNU_ref_alt:
		kind = HD_FORM_REF_ALT;
		v = number(b, h->offset_size);
		break;
	case DW_FORM_ref_sup4: case DW_FORM_ref_sup8:
		kind = HD_FORM_REF_ALT;
		v = number(b, form == DW_FORM_ref_sup4 ? 4 : 8);
		break;
	case DW_FORM_ref_sig8:
		kind = HD_FORM_REF_SIG;
		v = hd_bytes_u64(b);
		break;
	case DW_FORM_string:
		kind = HD_FORM_STRING;
		out->s = hd_dwarf_string(b);
		break;
	case DW_FORM_strp: case DW_FORM_line_strp: case DW_FORM_GNU_strp_alt: case DW_FORM_strp_sup:
		kind = form == DW_FORM_strp         ? HD_FORM_STRP
			: form == DW_FORM_line_strp ? HD_FORM_LINE_STRP
						    : HD_FORM_STRP_ALT;
		v = number(b, h->offset_size);
		break;
	case DW_FORM_strx: case DW_FORM_GNU_str_index:
		kind = HD_FORM_STRX;
		v = hd_dwarf_uleb(b);
		break;
	case DW_FORM_strx1: case DW_FORM_strx2: case DW_FORM_strx3: case DW_FORM_strx4:
		kind = HD_FORM_STRX;
		v = number(b, indexed_sizes[form - DW_FORM_strx1]);
		break;
	case DW_FORM_loclistx:
		hd_dwarf_uleb(b);
		break;
	case DW_FORM_data16:
		hd_bytes_skip(b, 16);
		break;
	case DW_FORM_block: case DW_FORM_exprloc:
		hd_bytes_skip(b, hd_dwarf_uleb(b));
		break;
	case DW_FORM_block1: case DW_FORM_block2: case DW_FORM_block4:
		hd_bytes_skip(b, number(b, form == DW_FORM_block1 ? 1 : form == DW_FORM_block2 ? 2 : 4));
		break;
	default:
		return false;
	}
	out->kind = kind;
	out->v = v;
	return !b->bad;
}
