/*
 * arch.h - properties of the architectures whose stacks can be unwound without libdw
 *
 * perf (uapi asm/perf_regs.h) and DWARF number registers differently:
 *
 *     arch       perf                              DWARF
 *     x86-64     ax bx cx dx si di bp sp ip        ax dx cx bx si di bp sp r8..r15 ip
 *                flags cs ss ds es fs gs r8..r15
 *     i386       the same                          ax cx dx bx sp bp si di ip
 *     aarch64    x0..x30 sp pc                     x0..x30 sp
 *     arm        r0..r15                           r0..r15
 *
 * Private to unwind/.
 */
#ifndef HD_UNWIND_ARCH_H
#define HD_UNWIND_ARCH_H

#include "cfi/cfi.h"
#include "unwind/stack_input.h"

enum { HD_PERF_REGS = 64, HD_NO_REG = 255 };

struct hd_unwind_arch {
	enum hd_cfi_machine cfi;
	uint8_t index;			/* 1, 2, ...: identifies the architecture in the keys of step_cache.h */
	uint8_t word;			/* bytes of a stack slot */
	/* perf's numbers of these registers; lr is HD_NO_REG if calls push the return address */
	uint8_t pc, sp, fp, lr;
	uint8_t dwarf_sp, dwarf_fp;
	uint8_t dwarf_pc;		/* DWARF's number of the pc, if it has one; else HD_NO_REG (aarch64) */
	uint8_t dwarf_lr;		/* DWARF's number of the link register, or HD_NO_REG */
	uint64_t mask;			/* bits of an address */
	uint64_t code_mask;		/* bits of a pc: excludes ARM's Thumb bit */
	/*
	 * Mask that removes the signature (pointer authentication code) from a return address.  User addresses of
	 * aarch64 have 48 bits.  Only memory for which a program explicitly requests it has addresses of 52 bits, and
	 * code sections never do.  Other architectures have no signatures: all bits of an address are set.
	 */
	uint64_t signed_mask;
	uint64_t kept;			/* set of DWARF registers that a call preserves */
	uint8_t nregs;			/* length of from_perf */
	uint8_t from_perf[33];		/* perf's number -> DWARF's, or HD_NO_REG */
};

/*
 * Return the description of an architecture and ABI.  NULL: libdw unwinds its stacks (libdw_child.h), or they cannot be
 * unwound.
 */
const struct hd_unwind_arch *hd_unwind_arch_of(enum hd_unwind_machine family, uint64_t abi);

/*
 * A sample has the registers of regs_mask, ordered by perf's register numbers.  Return the index of register `perf`
 * among them, or HD_NO_REG if the sample does not have it.
 */
uint8_t hd_unwind_arch_register_slot(uint64_t regs_mask, uint8_t perf);

/* Set *out to all recorded registers that have a DWARF number; the others are unknown. */
void hd_unwind_arch_load_registers(const struct hd_unwind_arch *m, const struct hd_unwind_input *in,
	struct hd_cfi_regs *out);

#endif
