/*
 * entry.c - the entries of .eh_frame and .debug_frame
 *
 *     length 4 (or ffffffff, length 8)
 *     id     4 (8 with the long length, in .debug_frame)
 *     CIE:   id is 0 (.eh_frame) or all ones; version, augmentation, alignment
 *            factors, return address column, augmentation data, instructions
 *     FDE:   id is the distance of its CIE, backwards from id (.eh_frame), or the
 *            offset of its CIE; start, size, augmentation data, instructions
 *
 * Supported: versions 1, 3 and 4; augmentations "", "eh" (GCC 2) and "z" with any of P L R S B G.
 */
#include "cfi/index.h"

/* An augmentation string with this many characters or more is rejected; real ones have up to 6. */
enum { AUGMENTATION_MAX = 16 };

int hd_cfi_entry_at(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part, size_t off,
	struct hd_cfi_entry *e)
{
	const uint8_t *bytes = part->sec.bytes, *id_at;
	struct hd_cfi_reader r = { .swap = c->in.swap };
	unsigned int id_width = 4;
	uint64_t length, id;

	if (off >= part->sec.size)
		return -1;
	r.p = bytes + off;
	r.end = bytes + part->sec.size;
	length = hd_cfi_fixed(&r, 4);
	if (length == UINT32_MAX) {
		length = hd_cfi_fixed(&r, 8);
		id_width = part->eh ? 4 : 8;
	}
	if (r.bad || length > hd_cfi_left(&r))
		return -1;
	r.end = r.p + length;
	e->next = (size_t)(r.end - bytes);
	if (!length)
		return 0;
	id_at = r.p;
	id = hd_cfi_fixed(&r, id_width);
	e->body = r;
	e->cie = SIZE_MAX;
	if (part->eh) {
		e->is_cie = id == 0;
		if (id <= (uint64_t)(id_at - bytes))
			e->cie = (size_t)(id_at - bytes) - (size_t)id;
	} else {
		e->is_cie = id == (id_width == 4 ? UINT32_MAX : UINT64_MAX);
		if (id < part->sec.size)
			e->cie = (size_t)id;
	}
	return 1;
}

/* Parse the augmentation data of a CIE.  Returns false if a letter is unknown or the data is too short. */
static bool augmentation(struct hd_cfi_reader r, const char *letters, const struct hd_cfi_pointer_bases *bases,
	struct hd_cfi_cie *cie)
{
	for (; *letters; letters++) {
		uint64_t personality;
		uint8_t enc;

		switch (*letters) {
		case 'R':
			cie->enc = hd_cfi_u8(&r);
			break;
		case 'P':
			enc = hd_cfi_u8(&r);
			/*
			 * The pointer to the personality routine is only skipped, so its base does not matter.  An
			 * omitted pointer has no bytes.
			 */
			enc &= (enc & HD_PE_BASE) == HD_PE_ALIGNED ? HD_PE_ALIGNED : HD_PE_FORM;
			hd_cfi_encoded(&r, enc, bases, &personality);
			break;
		case 'L':
			hd_cfi_u8(&r);
			break;
		case 'S':
			cie->signal = true;
			break;
		case 'B':	/* aarch64: return addresses are signed with key B, not key A */
		case 'G':	/* aarch64: the frame's memory is tagged */
			break;
		default:
			return false;
		}
	}
	return !r.bad;
}

enum hd_cfi_fault hd_cfi_cie_at(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part, size_t off,
	struct hd_cfi_cie *cie)
{
	struct hd_cfi_pointer_bases bases = { .sec = &part->sec,
		.text = c->in.text_vaddr,
		.data = c->in.got_vaddr,
		.word = c->abi->word };
	struct hd_cfi_reader data;
	char letters[AUGMENTATION_MAX + 1] = "";
	struct hd_cfi_entry e;
	uint64_t ra, data_size;
	uint8_t version;
	size_t n = 0;

	if (hd_cfi_entry_at(c, part, off, &e) <= 0 || !e.is_cie)
		return HD_CFI_NO_CIE;
	version = hd_cfi_u8(&e.body);
	while (n < AUGMENTATION_MAX && (letters[n] = (char)hd_cfi_u8(&e.body)))
		n++;
	if (n == AUGMENTATION_MAX || (version != 1 && version != 3 && version != 4))
		return e.body.bad ? HD_CFI_GARBLED : HD_CFI_FOREIGN;
	*cie = (struct hd_cfi_cie){ .word = c->abi->word };
	if (version == 4) {
		cie->word = hd_cfi_u8(&e.body);
		if (hd_cfi_u8(&e.body) || (cie->word != 4 && cie->word != 8)) /* segment selectors are not supported */
			return e.body.bad ? HD_CFI_GARBLED : HD_CFI_FOREIGN;
		bases.word = cie->word;
	}
	if (!strcmp(letters, "eh"))
		hd_cfi_skip(&e.body, cie->word);
	cie->code_align = hd_cfi_uleb(&e.body);
	cie->data_align = hd_cfi_sleb(&e.body);
	ra = version == 1 ? hd_cfi_u8(&e.body) : hd_cfi_uleb(&e.body);
	cie->augmented = letters[0] == 'z';
	data_size = cie->augmented ? hd_cfi_uleb(&e.body) : 0;
	data = e.body;
	hd_cfi_skip(&e.body, data_size);
	if (e.body.bad)
		return HD_CFI_GARBLED;
	data.end = e.body.p;
	if (cie->augmented ? !augmentation(data, letters + 1, &bases, cie) : letters[0] && strcmp(letters, "eh"))
		return HD_CFI_FOREIGN;
	if (ra >= c->abi->nregs || (size_t)(e.body.end - e.body.p) > HD_CFI_CIE_PROGRAM_MAX)
		return HD_CFI_FOREIGN;
	cie->ra = (uint8_t)ra;
	cie->insns = e.body.p;
	cie->end = e.body.end;
	return HD_CFI_FINE;
}

enum hd_cfi_fault hd_cfi_fde_of(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part,
	const struct hd_cfi_entry *e, struct hd_cfi_fde *fde)
{
	const struct hd_cfi_pointer_bases bases = { .sec = &part->sec,
		.text = c->in.text_vaddr,
		.data = c->in.got_vaddr,
		.word = fde->cie.word };
	struct hd_cfi_reader r = e->body;
	uint64_t size;

	if (!hd_cfi_encoded(&r, fde->cie.enc, &bases, &fde->lo) ||
	    !hd_cfi_encoded(&r, fde->cie.enc & HD_PE_FORM, &bases, &size))
		return HD_CFI_GARBLED;
	if (fde->cie.augmented)
		hd_cfi_skip(&r, hd_cfi_uleb(&r));
	if (r.bad)
		return HD_CFI_GARBLED;
	fde->insns = r.p;
	fde->end = r.end;
	fde->hi = fde->lo + size;
	if (!size)
		return HD_CFI_EMPTY;
	/* Reject a size of more than 32 bits, and a function that wraps around the end of the address space. */
	if (size > UINT32_MAX || fde->hi <= fde->lo || fde->hi - 1 > hd_cfi_mask(c->abi->word))
		return HD_CFI_GARBLED;
	return HD_CFI_FINE;
}

bool hd_cfi_fde_at(const struct hd_cfi *c, const struct hd_cfi_indexed_section *part, size_t i, struct hd_cfi_fde *fde)
{
	struct hd_cfi_entry e;
	uint64_t lo, at;

	if (part->items) {
		lo = part->items[i].lo;
		at = part->items[i].off;
	} else {
		hd_cfi_table_get(c, part, i, &lo, &at);
		at -= part->sec.vaddr;		/* the table can point anywhere: hd_cfi_entry_at() checks the offset */
	}
	return hd_cfi_entry_at(c, part, (size_t)at, &e) > 0 && !e.is_cie && e.cie != SIZE_MAX &&
	       hd_cfi_cie_at(c, part, e.cie, &fde->cie) == HD_CFI_FINE &&
	       hd_cfi_fde_of(c, part, &e, fde) == HD_CFI_FINE && fde->lo == lo;
}
