/*
 * arch.c - see arch.h
 */
#include "unwind/arch.h"

#include <string.h>

#define NO HD_NO_REG
#define BIT(n) (1ull << (n))

static const struct hd_unwind_arch x86_64 = {
	.cfi = HD_CFI_X86_64, .index = 1, .word = 8, .pc = 8, .sp = 7, .fp = 6, .lr = NO,
	.dwarf_sp = 7, .dwarf_fp = 6, .dwarf_pc = 16, .dwarf_lr = NO,
	.mask = UINT64_MAX, .code_mask = UINT64_MAX, .signed_mask = UINT64_MAX,
	.kept = BIT(3) | BIT(6) | BIT(7) | BIT(12) | BIT(13) | BIT(14) | BIT(15),
	.nregs = 24,
	.from_perf = { 0, 3, 2, 1, 4, 5, 6, 7, 16, NO, NO, NO, NO, NO, NO, NO, 8, 9, 10, 11, 12, 13, 14, 15 },
};

static const struct hd_unwind_arch i386 = {
	.cfi = HD_CFI_I386, .index = 2, .word = 4, .pc = 8, .sp = 7, .fp = 6, .lr = NO,
	.dwarf_sp = 4, .dwarf_fp = 5, .dwarf_pc = 8, .dwarf_lr = NO,
	.mask = UINT32_MAX, .code_mask = UINT32_MAX, .signed_mask = UINT32_MAX,
	.kept = BIT(3) | BIT(4) | BIT(5) | BIT(6) | BIT(7),
	.nregs = 9,
	.from_perf = { 0, 3, 1, 2, 6, 7, 5, 4, 8 },
};

static const struct hd_unwind_arch aarch64 = {
	.cfi = HD_CFI_AARCH64,
	.index = 3,
	.word = 8,
	.pc = 32,
	.sp = 31,
	.fp = 29,
	.lr = 30,
	.dwarf_sp = 31,
	.dwarf_fp = 29,
	.dwarf_pc = NO,
	.dwarf_lr = 30,
	.mask = UINT64_MAX,
	.code_mask = UINT64_MAX,
	.signed_mask = (1ull << 48) - 1,
	.kept = (BIT(30) - BIT(19)) | BIT(31),
	.nregs = 33,
	.from_perf = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
		27, 28, 29, 30, 31, NO },
};

/* 32-bit ARM.  perf numbers the registers in the same way if a 64-bit kernel runs the 32-bit process. */
static const struct hd_unwind_arch arm = {
	.cfi = HD_CFI_ARM, .index = 4, .word = 4, .pc = 15, .sp = 13, .fp = 11, .lr = 14,
	.dwarf_sp = 13, .dwarf_fp = 11, .dwarf_pc = 15, .dwarf_lr = 14,
	.mask = UINT32_MAX, .code_mask = UINT32_MAX - 1, .signed_mask = UINT32_MAX,
	.kept = (BIT(12) - BIT(4)) | BIT(13),
	.nregs = 16,
	.from_perf = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
};

const struct hd_unwind_arch *hd_unwind_arch_of(enum hd_unwind_machine family, uint64_t abi)
{
	if (abi != 1 && abi != 2)
		return NULL;
	switch (family) {
	case HD_UNWIND_NONE:
	case HD_UNWIND_RISCV:
	case HD_UNWIND_S390:
	case HD_UNWIND_PPC: break;
	case HD_UNWIND_X86: return abi == 2 ? &x86_64 : &i386;
	case HD_UNWIND_ARM: return abi == 2 ? &aarch64 : &arm;
	}
	return NULL;
}

uint8_t hd_unwind_arch_register_slot(uint64_t regs_mask, uint8_t perf)
{
	if (perf >= HD_PERF_REGS || !(regs_mask & BIT(perf)))
		return NO;
	return (uint8_t)__builtin_popcountll(regs_mask & (BIT(perf) - 1));
}

void hd_unwind_arch_load_registers(const struct hd_unwind_arch *m, const struct hd_unwind_input *in,
	struct hd_cfi_regs *out)
{
	unsigned slot = 0;

	memset(out, 0, sizeof(*out));
	for (unsigned i = 0; i < HD_PERF_REGS; i++) {
		uint64_t v;

		if (!(in->regs_mask & BIT(i)))
			continue;
		if (i < m->nregs && m->from_perf[i] < HD_CFI_REGS) {
			memcpy(&v, in->regs + 8 * slot, 8);
			out->v[m->from_perf[i]] = (in->swap ? __builtin_bswap64(v) : v) & m->mask;
			out->known |= BIT(m->from_perf[i]);
		}
		slot++;
	}
}
