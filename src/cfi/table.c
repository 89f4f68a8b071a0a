/*
 * table.c - the search table of .eh_frame_hdr
 *
 *     version 1, encodings of pointer, count and table               4 bytes
 *     pointer to .eh_frame, count, then sorted pairs (start, FDE)
 *
 * The table is searched in place.  It is verified once: it must be sorted, and its FDEs must be in .eh_frame and not be
 * larger together than the section, so that 100,000 pairs cannot refer to the same 100 KiB of instructions.  If not,
 * .eh_frame is scanned.  A loaded object is not verified: the system itself unwinds with that table, and each lookup
 * checks its own bounds.
 */
#include "cfi/index.h"

/* Return the width of a pointer encoding with a fixed format and a known base, else 0. */
static uint8_t width_of(const struct hd_cfi *c, uint8_t enc)
{
	if (enc & HD_PE_INDIRECT)
		return 0;
	switch (enc & HD_PE_BASE) {
	case HD_PE_ABSPTR: case HD_PE_PCREL: case HD_PE_DATAREL:
		break;
	case HD_PE_TEXTREL:
		if (c->in.text_vaddr)
			break;
		return 0;
	default:
		return 0;
	}
	return (uint8_t)hd_cfi_form_width(enc & HD_PE_FORM, c->abi->word);
}

static inline uint64_t half(const struct hd_cfi *c, const struct hd_cfi_table *t, size_t at)
{
	uint64_t v;

	/* Linkers write only this encoding. */
	if (t->enc == (HD_PE_DATAREL | HD_PE_SDATA4)) {
		v = hd_cfi_load(t->bytes + at, 4, c->in.swap);
		return (t->base + hd_cfi_extend(v, 4)) & hd_cfi_mask(c->abi->word);
	}
	v = hd_cfi_load(t->bytes + at, t->width, c->in.swap);
	if (t->enc & HD_PE_SIGNED)
		v = hd_cfi_extend(v, t->width);
	if ((t->enc & HD_PE_BASE) == HD_PE_PCREL)
		v += t->vaddr + at;
	return (t->base + v) & hd_cfi_mask(c->abi->word);
}

void hd_cfi_table_get(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part, size_t i, uint64_t *lo,
	uint64_t *fde)
{
	const struct hd_cfi_table *t = &part->table;

	*lo = half(c, t, i * 2 * t->width);
	*fde = half(c, t, i * 2 * t->width + t->width);
}

size_t hd_cfi_table_upper_bound(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part, uint64_t vaddr)
{
	const struct hd_cfi_table *t = &part->table;
	size_t lo = 0, hi = part->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (half(c, t, mid * 2 * t->width) <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const char *fault_of(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part)
{
	uint64_t before = 0, lo, fde, sum = 0;
	struct hd_cfi_entry e;

	for (size_t i = 0; i < part->n; i++, before = lo) {
		hd_cfi_table_get(c, part, i, &lo, &fde);
		if (lo < before)
			return ".eh_frame_hdr: the table is not sorted";
		fde -= part->sec.vaddr;
		if (fde >= part->sec.size || hd_cfi_entry_at(c, part, (size_t)fde, &e) <= 0)
			return ".eh_frame_hdr: the table points outside of .eh_frame";
		sum += e.next - fde;
	}
	return sum > part->sec.size ? ".eh_frame_hdr: entries of .eh_frame overlap" : NULL;
}

bool hd_cfi_table_open(struct hd_cfi *c, struct hd_cfi_indexed_section *part, const char **damage)
{
	const struct hd_cfi_section *hdr = &c->in.eh_frame_hdr;
	const struct hd_cfi_pointer_bases bases = { .sec = hdr,
		.text = c->in.text_vaddr,
		.data = hdr->vaddr,
		.word = c->abi->word };
	struct hd_cfi_reader r = { .p = hdr->bytes, .swap = c->in.swap };
	struct hd_cfi_table *t = &part->table;
	uint8_t version, pointer_enc, count_enc;
	uint64_t pointer, count;
	const char *fault = NULL;

	if (!hdr->size || !part->sec.size)
		return false;
	r.end = r.p + hdr->size;
	version = hd_cfi_u8(&r);
	pointer_enc = hd_cfi_u8(&r);
	count_enc = hd_cfi_u8(&r);
	t->enc = hd_cfi_u8(&r);
	/* A linker that does not understand .eh_frame writes a header without a table. */
	if (!r.bad && version == 1 && (count_enc == HD_PE_OMIT || t->enc == HD_PE_OMIT))
		return false;
	t->width = width_of(c, t->enc);
	if (version != 1 || !t->width ||
		(pointer_enc != HD_PE_OMIT && !hd_cfi_encoded(&r, pointer_enc, &bases, &pointer)) ||
		!hd_cfi_encoded(&r, count_enc, &bases, &count)) {
		fault = ".eh_frame_hdr: its form is not known";
	} else if (count > hd_cfi_left(&r) / (2 * t->width)) {
		fault = ".eh_frame_hdr: the table is larger than the section";
	} else {
		t->bytes = r.p;
		t->vaddr = hdr->vaddr + (uint64_t)(r.p - hdr->bytes);
		t->base = (t->enc & HD_PE_BASE) == HD_PE_DATAREL ? hdr->vaddr :
			  (t->enc & HD_PE_BASE) == HD_PE_TEXTREL ? c->in.text_vaddr : 0;
		part->n = (size_t)count;
		fault = c->in.loaded ? NULL : fault_of(c, part);
	}
	if (fault && !*damage)
		*damage = fault;
	if (fault)
		part->n = 0;
	return part->n > 0;
}
