/*
 * elf_cfi.h - an ELF file's call frame information as bytes, and its entry point
 *
 * .eh_frame and .eh_frame_hdr by their sections or, in files without section
 * headers, by PT_GNU_EH_FRAME; .debug_frame, unpacked where it is packed.
 *
 * Private to unwind/.
 */
#ifndef HD_UNWIND_ELF_CFI_H
#define HD_UNWIND_ELF_CFI_H

#include "cfi/cfi.h"
#include "elf/elf_file.h"

/* False: a machine that is not unwound here. */
bool hd_elf_cfi_machine(const struct hd_elf *e, enum hd_cfi_machine *m);

/*
 * Where processes begin in it.  False: it is a library, whose header may name
 * an entry that nobody means.  (The dynamic linker is told from a library by needing none.)
 */
bool hd_elf_entry(const struct hd_elf *e, uint64_t *vaddr);

/*
 * Fill in the sections and bases of `in`; its bytes are bytes[0..2], the
 * caller's to free.  False when there is some that cannot be read; what can is there.
 */
bool hd_elf_cfi_read(const struct hd_elf *e, struct hd_cfi_sections *in, void *bytes[3]);

#endif
