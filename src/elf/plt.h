/*
 * plt.h - names for the stubs of the procedure linkage table: `puts@plt`
 *
 * A stub jumps through a slot of the global offset table, and a relocation
 * says which symbol that slot is filled with:
 *
 *     .plt, .plt.sec, .plt.got    jmp *SLOT(%rip)      .rela.plt, .rela.dyn    SLOT -> puts
 *
 * So the stubs are read, not counted: order and layout are the linker's
 * business (lazy, IBT, mold's).  Where the instructions are not known (arm,
 * riscv) the n-th stub is the n-th relocation.  An IRELATIVE slot is named
 * after the function whose resolver it calls.  The first stub of .plt, which
 * calls the dynamic linker, is called `.plt`.
 */
#ifndef HD_ELF_PLT_H
#define HD_ELF_PLT_H

#include "elf/elf_file.h"
#include "elf/symbol_table.h"

/* e is the file with the code; the table has its symbols already, and is not built yet. */
void hd_plt_collect(struct hd_symtable *t, struct hd_elf *e);

#endif
