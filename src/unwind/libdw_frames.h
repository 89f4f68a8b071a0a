/*
 * libdw_frames.h - unwind stacks with libdw, for architectures that arch.h does not describe
 *
 * libdw maps object files and parses them without protection against hostile files.  So only the child process of
 * libdw_child.h may call these functions.  libdw is loaded at run time.  It gets only the file that contains the code
 * of an object (.eh_frame, .debug_frame).
 *
 *     architecture   perf's register numbers              DWARF's
 *     riscv64        pc x1..x31                           x0..x31; the return address is x1
 *     s390x          r0..r15 f0..f15 mask pc              r0..r15, then f0 f2 f4 f6 f1 f3 f5 f7, f8 f10 f12 f14
 *                                                         f9 f11 f13 f15
 *     ppc64(le)      r0..r31 nip msr orig_r3 ctr link     r0..r31; link is 65
 *
 * Sources: uapi asm/perf_regs.h of each architecture; RISC-V ABIs "DWARF register numbers"; ELF ABI s390x Supplement,
 * "DWARF Register Number Mapping"; 64-bit ELF V2 ABI for Power, "DWARF Register Numbers".  tests/foreign/chain.c takes
 * the numbers from asm/perf_regs.h, so a wrong number here fails its test.
 *
 * Private to unwind/.
 */
#ifndef HD_UNWIND_LIBDW_FRAMES_H
#define HD_UNWIND_LIBDW_FRAMES_H

#include "unwind/object_cfi.h"
#include "unwind/stack_input.h"

/* Why a stack could not be unwound at all. */
enum hd_libdw_problem {
	HD_LIBDW_FINE,
	HD_LIBDW_ABSENT,		/* libdw.so.1 cannot be loaded, or is too old */
	HD_LIBDW_MACHINE,		/* libdw has no unwinder for this architecture */
};

struct hd_libdw_frames;

/* `objects` is borrowed. */
struct hd_libdw_frames *hd_libdw_frames_new(struct hd_object_cfis *objects);
void hd_libdw_frames_free(struct hd_libdw_frames *f);
enum hd_libdw_problem hd_libdw_frames_run(struct hd_libdw_frames *f, const struct hd_unwind_input *in,
	struct hd_unwind_result *out);

/* Return true if libdw_frames.c has the register numbers of this architecture. */
bool hd_libdw_frames_knows(enum hd_unwind_machine machine, uint64_t abi);

#endif
