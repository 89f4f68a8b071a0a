/*
 * plt_cfi.h - synthesize call frame information for a PLT that has none
 *
 * GNU ld writes .eh_frame entries for the PLT; lld (up to LLVM 19 at least) does not, so a stack that was sampled in a
 * stub would end there.  The lazy PLT of an x86-64 file, which both linkers write, is recognised by its instructions:
 *
 *     .plt:     ff 35 ..   push  GOT[1]		CFA = rsp + 16 from here on, rsp + 24 after it
 *               ff 25 ..   jmp   *GOT[2], the resolver
 *     entry:    ff 25 ..   jmp   the function		CFA = rsp + 8 from here on
 *               68 ..      push  its number		CFA = rsp + 16 after it
 *               e9 ..      jmp   .plt
 *
 * The CFI that GNU ld writes describes such a PLT correctly (bfd/elfxx-x86 has the same expression).  The stubs in
 * .plt.got and .plt.sec push nothing, so the CFA is rsp + 8 everywhere.  The same holds for the stubs of ifuncs, which
 * are all that .plt or .iplt contains in a static program.  GNU ld writes no CFI for them:
 *
 *     entry:    [endbr64]  ff 25 ..   jmp   the function
 *
 * Private to unwind/.
 */
#ifndef HD_UNWIND_PLT_CFI_H
#define HD_UNWIND_PLT_CFI_H

#include "base/buf.h"
#include "elf/elf_file.h"

/*
 * Append CFI for .plt, .iplt, .plt.got and .plt.sec as a .debug_frame in native byte order to `out`, which must be
 * empty.  A .plt or .iplt of a form other than those above gets none.  Appends nothing if the file is not for x86-64.
 */
void hd_plt_cfi_build(const struct hd_elf *e, struct hd_buf *out);

#endif
