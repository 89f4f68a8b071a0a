/*
 * plt.h - name the stubs of the procedure linkage table (PLT): `puts@plt`
 *
 * A stub jumps through a slot of the global offset table (GOT), and a relocation names the symbol of that slot:
 *
 *     .plt, .plt.sec, .plt.got    jmp *SLOT(%rip)      .rela.plt, .rela.dyn    SLOT -> puts
 *
 * The instructions of the stubs are decoded, because their order and layout depend on the linker (lazy binding, IBT,
 * mold).  Where there is no decoder (arm, riscv), the n-th stub is matched with the n-th relocation.  An IRELATIVE
 * relocation has no symbol, only the address of a resolver: its stub gets the name of the ifunc at that address, or
 * `*ABS*+0xADDRESS@plt` if there is none.  The first stub of .plt, which calls the dynamic linker, is named `.plt`.
 */
#ifndef HD_ELF_PLT_H
#define HD_ELF_PLT_H

#include "elf/elf_file.h"
#include "elf/symbol_table.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Add the stubs of `e`, the file with the code, to the table.  `t` must already contain the symbols of `e`, which are
 * sorted by this function.  Call hd_symtable_build() after it.
 */
void hd_plt_collect(struct hd_symtable *t, struct hd_elf *e);

/*
 * Return true if b, the first bytes of a section with stubs for x86, is a stub of 8 bytes: a jump through the GOT and a
 * nop of 2 bytes.
 */
static inline bool hd_plt_has_small_stubs(const uint8_t b[8])
{
	return b[0] == 0xff && (b[1] == 0x25 || b[1] == 0xa3) && b[6] == 0x66 && b[7] == 0x90;
}

#endif
