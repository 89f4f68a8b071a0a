/*
 * frame_pointer_use.h - does the code of a file keep frame pointers, and does call frame information describe it?
 *
 *     hd_frame_pointer_use_read(&k, elf)            looks at LOOKS addresses, spread evenly over the executable sections
 *
 * The answer is read from call frame information (CFI): a function keeps the frame pointer if, once its frame is
 * set up, the CFI finds the caller's frame by it (x86), or if it saves frame pointer and return address side by side
 * (aarch64).  Functions without a frame (leaves) are not counted.  An address is looked at, not a function: large
 * functions, which are sampled more often, count more.
 *
 * Files of Go keep frame pointers and have no CFI; they are known by the section .gopclntab.
 */
#ifndef HD_UNWIND_FRAME_POINTER_USE_H
#define HD_UNWIND_FRAME_POINTER_USE_H

#include "elf/elf_file.h"

struct hd_frame_pointer_use {
	unsigned looks;			/* addresses that were looked at */
	unsigned covered;		/* CFI describes them */
	unsigned framed;		/* of these, in functions that set up a frame */
	unsigned kept;			/* of these, in functions that keep the frame pointer */
	bool go;
	bool machine;			/* false: of a machine whose stacks are not unwound here */
};

void hd_frame_pointer_use_read(struct hd_frame_pointer_use *k, const struct hd_elf *e);

#endif
