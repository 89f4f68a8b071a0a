/*
 * plt_cfi.h - call frame information for a PLT that has none
 *
 * GNU ld writes entries in .eh_frame for the PLT, lld does not (up to LLVM 19 at least): a stack
 * that was taken in a stub would end there.  Of an x86-64 file the lazy PLT that both write is
 * known by its instructions,
 *
 *     .plt:     ff 35 ..   push  what the linker keeps there	16 from here on, 24 behind it
 *               ff 25 ..   jmp   to the linker
 *     entry:    ff 25 ..   jmp   to the function		8 from here on
 *               68 ..      push  its number			16 behind it
 *               e9 ..      jmp   .plt
 *
 * so that GNU ld's own rule for it holds (bfd/elfxx-x86 gives the expression as well).  .plt.got
 * and .plt.sec are jumps alone.
 *
 * Private to unwind/.
 */
#ifndef HD_UNWIND_PLT_CFI_H
#define HD_UNWIND_PLT_CFI_H

#include "base/buf.h"
#include "elf/elf_file.h"

/* As a .debug_frame in our own byte order; empty when there is no such PLT. */
void hd_plt_cfi_build(const struct hd_elf *e, struct hd_buf *out);

#endif
