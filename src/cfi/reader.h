/*
 * reader.h - bounds-checked reading of a section
 *
 * A read past the end returns 0 and sets `bad`, which stays set: a parser reads a whole structure and checks `bad`
 * once.
 */
#ifndef HD_CFI_READER_H
#define HD_CFI_READER_H

#include "cfi/cfi.h"

#include <string.h>

struct hd_cfi_reader {
	const uint8_t *p, *end;
	bool swap;		/* the bytes have the other byte order */
	bool bad;		/* a read went past the end, or a number was invalid */
};

/* The base addresses of encoded pointers. */
struct hd_cfi_pointer_bases {
	const struct hd_cfi_section *sec;	/* the section of the reader: for pcrel and aligned */
	uint64_t text, data, func;
	uint8_t word;				/* size of an address: 4 or 8 */
};

/* The low half of a pointer encoding is its format, the high half its base (LSB, "DWARF Exception Header Encoding"). */
enum {
	HD_PE_ABSPTR = 0x00, HD_PE_ULEB = 0x01, HD_PE_UDATA2 = 0x02, HD_PE_UDATA4 = 0x03, HD_PE_UDATA8 = 0x04,
	HD_PE_SIGNED = 0x08, HD_PE_SLEB = 0x09, HD_PE_SDATA2 = 0x0a, HD_PE_SDATA4 = 0x0b, HD_PE_SDATA8 = 0x0c,
	HD_PE_FORM = 0x0f,
	HD_PE_PCREL = 0x10, HD_PE_TEXTREL = 0x20, HD_PE_DATAREL = 0x30, HD_PE_FUNCREL = 0x40, HD_PE_ALIGNED = 0x50,
	HD_PE_BASE = 0x70, HD_PE_INDIRECT = 0x80, HD_PE_OMIT = 0xff,
};

static inline uint64_t hd_cfi_left(const struct hd_cfi_reader *r)
{
	return (uint64_t)(r->end - r->p);
}

static inline void hd_cfi_reader_fail(struct hd_cfi_reader *r)
{
	r->bad = true;
	r->p = r->end;
}

/* Return the next n bytes and skip them; NULL if there are fewer. */
static inline const uint8_t *hd_cfi_skip(struct hd_cfi_reader *r, uint64_t n)
{
	const uint8_t *at = r->p;

	if (n > hd_cfi_left(r)) {
		hd_cfi_reader_fail(r);
		return NULL;
	}
	r->p += n;
	return at;
}

static inline uint8_t hd_cfi_u8(struct hd_cfi_reader *r)
{
	if (r->p == r->end) {
		r->bad = true;
		return 0;
	}
	return *r->p++;
}

static inline uint64_t hd_cfi_load(const uint8_t *at, unsigned int width, bool swap)
{
	uint16_t v2;
	uint32_t v4;
	uint64_t v8;

	switch (width) {
	case 1:
		return *at;
	case 2:
		memcpy(&v2, at, 2);
		return swap ? __builtin_bswap16(v2) : v2;
	case 4:
		memcpy(&v4, at, 4);
		return swap ? __builtin_bswap32(v4) : v4;
	default:
		memcpy(&v8, at, 8);
		return swap ? __builtin_bswap64(v8) : v8;
	}
}

/* width: 1, 2, 4 or 8 */
static inline uint64_t hd_cfi_fixed(struct hd_cfi_reader *r, unsigned int width)
{
	const uint8_t *at = hd_cfi_skip(r, width);

	return at ? hd_cfi_load(at, width, r->swap) : 0;
}

/* Sign-extend the low `width` bytes of v. */
static inline uint64_t hd_cfi_extend(uint64_t v, unsigned int width)
{
	unsigned int shift = 64 - 8 * width;

	return (uint64_t)((int64_t)(v << shift) >> shift);
}

/* Read a LEB128 number of at most ten bytes; more than 64 bits are invalid. */
uint64_t hd_cfi_long_leb(struct hd_cfi_reader *r, bool sign);

static inline uint64_t hd_cfi_uleb(struct hd_cfi_reader *r)
{
	/* Nearly all LEB128 numbers are one byte long. */
	if (r->p != r->end && *r->p < 0x80)
		return *r->p++;
	return hd_cfi_long_leb(r, false);
}

static inline int64_t hd_cfi_sleb(struct hd_cfi_reader *r)
{
	return (int64_t)hd_cfi_long_leb(r, true);
}

/* Return the size in bytes of a value of a pointer format; 0 for LEB128, whose size varies, and for invalid formats. */
unsigned int hd_cfi_form_width(uint8_t form, uint8_t word);

static inline uint64_t hd_cfi_mask(uint8_t word)
{
	return word == 4 ? UINT32_MAX : UINT64_MAX;
}

/*
 * Read an encoded pointer as an address.  Returns false if it is past the end or cannot be determined: omitted,
 * indirect, relative to an unknown base, or of an invalid format.
 */
bool hd_cfi_encoded(struct hd_cfi_reader *r, uint8_t enc, const struct hd_cfi_pointer_bases *b, uint64_t *out);

#endif
