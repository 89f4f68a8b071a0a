/*
 * plt_cfi.c - see plt_cfi.h
 */
#include "unwind/plt_cfi.h"

#include "elf/plt.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { RSP = 7, RIP = 16, ENTRY = 16 };

/* Append an entry of .debug_frame: its length, then the body, padded with DW_CFA_nop. */
static void put_unit(struct hd_buf *out, const void *body, size_t n)
{
	uint32_t length = (uint32_t)((n + 4 + 7) / 8 * 8 - 4);
	static const uint8_t nops[8];

	hd_buf_add(out, &length, 4);
	hd_buf_add(out, body, n);
	hd_buf_add(out, nops, length - n);
}

static void put_cie(struct hd_buf *out)
{
	/*
	 * The CIE: id, version 1, no augmentation, factors 1 and -8, return address column; then CFA = rsp + 8, return
	 * address at CFA - 8.
	 */
	static const uint8_t cie[] = {
		0xff, 0xff, 0xff, 0xff, 1, 0, 1, 0x78, RIP, DW_CFA_def_cfa, RSP, 8, DW_CFA_offset | RIP, 1,
	};

	put_unit(out, cie, sizeof(cie));
}

static void put_fde(struct hd_buf *out, const struct hd_elf_section *s, const uint8_t *rules, size_t n)
{
	uint8_t body[64] = { 0 };	/* offset 0 refers to the CIE */

	memcpy(body + 4, &s->addr, 8);
	memcpy(body + 12, &s->size, 8);
	if (n)
		memcpy(body + 20, rules, n);
	put_unit(out, body, 20 + n);
}

/* Return the section of that name if it contains code, else NULL. */
static const struct hd_elf_section *code_section(const struct hd_elf *e, const char *name)
{
	const struct hd_elf_section *s = hd_elf_section(e, name);

	return s && s->type == SHT_PROGBITS && s->flags & SHF_EXECINSTR && s->size ? s : NULL;
}

static bool is_lazy(const struct hd_elf *e, const struct hd_elf_section *s)
{
	uint8_t b[2 * ENTRY];

	return s->size >= sizeof(b) && s->addr % ENTRY == 0 && hd_elf_read(e, s->off, b, sizeof(b), NULL) >= 0 &&
		b[0] == 0xff && b[1] == 0x35 && b[6] == 0xff && b[7] == 0x25 && b[16] == 0xff && b[17] == 0x25 &&
		b[22] == 0x68 && b[27] == 0xe9;
}

/* Return true if the entry at `off` begins with a jump through the GOT, possibly after endbr64. */
static bool is_jump(const struct hd_elf *e, uint64_t off)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	uint8_t b[8];
	const uint8_t *at = b;

	if (hd_elf_read(e, off, b, sizeof(b), NULL) < 0)
		return false;
	if (!memcmp(b, endbr64, sizeof(endbr64)))
		at += sizeof(endbr64);
	at += *at == 0xf2;		/* bnd */
	return at[0] == 0xff && at[1] == 0x25;
}

/* Return true if the section seems to have only stubs that jump at once: its first entry and its last one do. */
static bool pushes_nothing(const struct hd_elf *e, const struct hd_elf_section *s)
{
	uint8_t b[8];
	uint64_t entry;

	if (s->size < sizeof(b) || hd_elf_read(e, s->off, b, sizeof(b), NULL) < 0)
		return false;
	entry = hd_plt_has_small_stubs(b) ? 8 : ENTRY;
	return s->size % entry == 0 && is_jump(e, s->off) && is_jump(e, s->off + s->size - entry) &&
		(entry == 8 || b[0] != 0xff);
}

void hd_plt_cfi_build(const struct hd_elf *e, struct hd_buf *out)
{
	static const uint8_t lazy[] = {
		DW_CFA_def_cfa_offset, 16, DW_CFA_advance_loc | 6, DW_CFA_def_cfa_offset, 24, DW_CFA_advance_loc | 10,
		/* the CFA in an entry: rsp + 8 + (((rip & 15) >= 11) << 3) */
		DW_CFA_def_cfa_expression, 11, DW_OP_breg0 + RSP, 8, DW_OP_breg0 + RIP, 0, DW_OP_lit15, DW_OP_and,
		DW_OP_lit11, DW_OP_ge,
		DW_OP_lit3, DW_OP_shl, DW_OP_plus,
	};
	static const char *const jumps[] = { ".plt.got", ".plt.sec" };
	const struct hd_elf_section *plt = code_section(e, ".plt"), *iplt = code_section(e, ".iplt");

	if (e->ehdr.e_machine != EM_X86_64 || !e->is64)
		return;
	put_cie(out);
	if (plt && is_lazy(e, plt))
		put_fde(out, plt, lazy, sizeof(lazy));
	else if (plt && pushes_nothing(e, plt))
		put_fde(out, plt, NULL, 0);
	for (size_t i = 0; i < sizeof(jumps) / sizeof(jumps[0]); i++) {
		const struct hd_elf_section *s = code_section(e, jumps[i]);

		if (s)
			put_fde(out, s, NULL, 0);
	}
	if (iplt && pushes_nothing(e, iplt))
		put_fde(out, iplt, NULL, 0);
}
