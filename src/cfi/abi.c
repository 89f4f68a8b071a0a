/*
 * abi.c - the registers of each machine, by DWARF number
 *
 * Sources: the psABI supplements of x86-64 and i386, aadwarf64, aadwarf32.  The frame pointer of 32-bit ARM is r11;
 * Thumb
 * code that uses r7 gets HD_CFI_FULL rows.
 */
#include "cfi/cfi.h"

const struct hd_cfi_abi *hd_cfi_abi(enum hd_cfi_machine m)
{
	static const struct hd_cfi_abi abi[] = {
		[HD_CFI_X86_64]  = { .sp =  7, .fp =  6, .ra = 16, .nregs = 17, .word = 8 },
		[HD_CFI_I386]    = { .sp =  4, .fp =  5, .ra =  8, .nregs =  9, .word = 4 },
		[HD_CFI_AARCH64] = { .sp = 31, .fp = 29, .ra = 30, .nregs = 34, .word = 8 },
		[HD_CFI_ARM]     = { .sp = 13, .fp = 11, .ra = 14, .nregs = 16, .word = 4 },
	};

	return &abi[m];
}
