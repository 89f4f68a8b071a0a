/*
 * frame_pointer_use.c - see frame_pointer_use.h
 */
#include "unwind/frame_pointer_use.h"

#include "base/arena.h"
#include "unwind/elf_cfi.h"

#include <stdlib.h>
#include <string.h>

enum { LOOKS = 4096 };

static void *take(void *ctx, size_t bytes)
{
	void *p = hd_arena_alloc(ctx, bytes);

	memset(p, 0, bytes);
	return p;
}

/* Return true if the frame pointer leads from the frame that this CFI row describes to its caller. */
static bool row_keeps(const struct hd_cfi_row *row, enum hd_cfi_machine machine)
{
	if (machine == HD_CFI_AARCH64)
		return row->fp == HD_CFI_AT_CFA && row->ra == HD_CFI_AT_CFA && row->ra_off == row->fp_off + 8;
	return row->cfa == HD_CFI_FP && row->fp == HD_CFI_AT_CFA;
}

static void look(struct hd_frame_pointer_use *k, struct hd_cfi *c, uint64_t vaddr, enum hd_cfi_machine machine)
{
	const struct hd_cfi_fn *fn = hd_cfi_function(c, vaddr);
	bool kept = false;

	k->looks++;
	if (!fn)
		return;
	k->covered++;
	if (fn->nrows < 2)
		return;
	for (uint32_t i = 0; i < fn->nrows && !kept; i++)
		kept = row_keeps(&fn->rows[i], machine);
	k->framed++;
	k->kept += kept;
}

static bool is_code(const struct hd_elf_section *s)
{
	return s->type == SHT_PROGBITS && (s->flags & SHF_EXECINSTR) && strncmp(s->name, ".plt", 4) && s->size;
}

/* Test addresses at equal distances over all code sections. */
static void look_around(struct hd_frame_pointer_use *k, const struct hd_elf *e, struct hd_cfi *c,
	enum hd_cfi_machine machine)
{
	uint64_t all = 0, step, at = 0;

	for (size_t i = 0; i < e->nsections; i++)
		if (is_code(&e->sections[i]) && e->sections[i].has_bytes)
			all += e->sections[i].size;
	step = all / LOOKS + 1;
	for (size_t i = 0; i < e->nsections; i++) {
		const struct hd_elf_section *s = &e->sections[i];

		if (!is_code(s) || !s->has_bytes)
			continue;
		for (; at < s->size; at += step)
			look(k, c, s->addr + at, machine);
		at -= s->size;
	}
}

void hd_frame_pointer_use_read(struct hd_frame_pointer_use *k, const struct hd_elf *e)
{
	struct hd_arena arena = { 0 };
	const struct hd_cfi_allocator mem = { take, &arena };
	struct hd_cfi_sections in = { 0 };
	void *bytes[3] = { 0 };
	struct hd_cfi_stats stats;
	struct hd_cfi *c;

	*k = (struct hd_frame_pointer_use){ .go = hd_elf_section(e, ".gopclntab") != NULL };
	k->machine = hd_elf_cfi_machine(e, &in.machine);
	if (!k->machine)
		return;
	hd_elf_cfi_read(e, &in, bytes);
	if (hd_cfi_open(&c, &in, &mem, &stats) > 0)
		look_around(k, e, c, in.machine);
	for (size_t i = 0; i < 3; i++)
		free(bytes[i]);
	hd_arena_release(&arena);
}
