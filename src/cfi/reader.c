/*
 * reader.c - see reader.h
 */
#include "cfi/reader.h"

uint64_t hd_cfi_long_leb(struct hd_cfi_reader *r, bool sign)
{
	uint64_t v = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		if (r->p == r->end) {
			hd_cfi_reader_fail(r);
			return 0;
		}
		byte = *r->p++;
		/*
		 * Only the lowest bit of the tenth byte fits into 64 bits.  The byte must be 0, 1 or, if the number is
		 * signed and negative, 0x7f.  Its top bit would mean that another byte follows.
		 */
		if (shift == 63 && byte != 0 && byte != 1 && !(sign && byte == 0x7f)) {
			hd_cfi_reader_fail(r);
			return 0;
		}
		v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (sign && shift < 64 && (byte & 0x40))
		v |= UINT64_MAX << shift;
	return v;
}

unsigned int hd_cfi_form_width(uint8_t form, uint8_t word)
{
	switch (form) {
	case HD_PE_ABSPTR: case HD_PE_SIGNED:
		return word;
	case HD_PE_UDATA2: case HD_PE_SDATA2:
		return 2;
	case HD_PE_UDATA4: case HD_PE_SDATA4:
		return 4;
	case HD_PE_UDATA8: case HD_PE_SDATA8:
		return 8;
	default:
		return 0;
	}
}

static uint64_t vaddr_of(const struct hd_cfi_reader *r, const struct hd_cfi_pointer_bases *b)
{
	return b->sec->vaddr + (uint64_t)(r->p - b->sec->bytes);
}

bool hd_cfi_encoded(struct hd_cfi_reader *r, uint8_t enc, const struct hd_cfi_pointer_bases *b, uint64_t *out)
{
	unsigned int width;
	uint64_t v, base;

	*out = 0;
	if (enc & HD_PE_INDIRECT)	/* this bit is also set in HD_PE_OMIT */
		return false;
	switch (enc & HD_PE_BASE) {
	case 0:
		base = 0;
		break;
	case HD_PE_PCREL:
		base = vaddr_of(r, b);
		break;
	case HD_PE_TEXTREL:
		base = b->text;
		break;
	case HD_PE_DATAREL:
		base = b->data;
		break;
	case HD_PE_FUNCREL:
		base = b->func;
		break;
	case HD_PE_ALIGNED:
		base = 0;
		hd_cfi_skip(r, -vaddr_of(r, b) & (b->word - 1));
		break;
	default:
		return false;
	}
	/* A base of 0 is unknown. */
	if (!base && (enc & HD_PE_BASE) >= HD_PE_TEXTREL && (enc & HD_PE_BASE) <= HD_PE_FUNCREL)
		return false;
	width = hd_cfi_form_width(enc & HD_PE_FORM, b->word);
	if (width) {
		v = hd_cfi_fixed(r, width);
		if (enc & HD_PE_SIGNED)
			v = hd_cfi_extend(v, width);
	} else if ((enc & HD_PE_FORM) == HD_PE_ULEB) {
		v = hd_cfi_uleb(r);
	} else if ((enc & HD_PE_FORM) == HD_PE_SLEB) {
		v = (uint64_t)hd_cfi_sleb(r);
	} else {
		return false;
	}
	*out = (base + v) & hd_cfi_mask(b->word);
	return !r->bad;
}
