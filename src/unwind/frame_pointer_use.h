/*
 * frame_pointer_use.h - measure how much code keeps the frame pointer, and how much has call frame information
 *
 *     hd_frame_pointer_use_read(&k, elf)            tests up to 4096 addresses, spread evenly over the code sections
 *
 * The result is derived from call frame information (CFI).  A function keeps the frame pointer if, once its frame is
 * set up, the CFI locates the caller's frame by it (x86, 32-bit ARM), or if it saves frame pointer and return address
 * side by side (aarch64).  Functions without a frame, whose CFI has a single row, do not count as `framed`.  Addresses
 * are tested instead of functions, so a function counts in proportion to its size.
 *
 * Go programs keep frame pointers and have no CFI; they are recognised by the section .gopclntab.
 */
#ifndef HD_UNWIND_FRAME_POINTER_USE_H
#define HD_UNWIND_FRAME_POINTER_USE_H

#include "elf/elf_file.h"

struct hd_frame_pointer_use {
	unsigned looks;			/* number of tested addresses; 0 if the file has no CFI */
	unsigned covered;		/* number of tested addresses with CFI */
	unsigned framed;		/* covered, and in a function that sets up a frame */
	unsigned kept;			/* framed, and in a function that keeps the frame pointer */
	bool go;
	bool machine;			/* false: arch.h does not describe the architecture; nothing was tested */
};

void hd_frame_pointer_use_read(struct hd_frame_pointer_use *k, const struct hd_elf *e);

#endif
