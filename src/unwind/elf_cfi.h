/*
 * elf_cfi.h - read an ELF file's call frame information, and its entry point
 *
 * .eh_frame and .eh_frame_hdr are found by section or, in files without section headers, by PT_GNU_EH_FRAME.
 * .debug_frame is decompressed if needed.
 *
 * Private to unwind/.
 */
#ifndef HD_UNWIND_ELF_CFI_H
#define HD_UNWIND_ELF_CFI_H

#include "cfi/cfi.h"
#include "elf/elf_file.h"

/* Set *m to the architecture of the file.  Returns false if arch.h does not describe it; *m may have changed then. */
bool hd_elf_cfi_machine(const struct hd_elf *e, enum hd_cfi_machine *m);

/*
 * Get the address at which processes start.  Returns false if the header has none, and for libraries that have no
 * .interp and need other libraries: their header may contain a meaningless entry point.  The dynamic linker needs no
 * other library, so this returns true for it.
 */
bool hd_elf_entry(const struct hd_elf *e, uint64_t *vaddr);

/*
 * Read the sections .eh_frame, .eh_frame_hdr and .debug_frame into `in`, with the base addresses of their pointers.  If
 * the file has .eh_frame and no .debug_frame, and in->swap is false, in->debug_frame becomes synthetic CFI of the PLT
 * (plt_cfi.h).  The caller sets in->machine and in->swap before, zero-initialises the rest of `in` and `bytes`, and
 * frees bytes[0..2], which contain the sections.  Returns false if a section cannot be read; the others are filled in.
 */
bool hd_elf_cfi_read(const struct hd_elf *e, struct hd_cfi_sections *in, void *bytes[3]);

#endif
