/*
 * stack_input.h - what the unwinder is given and what it returns
 */
#ifndef HD_UNWIND_STACK_INPUT_H
#define HD_UNWIND_STACK_INPUT_H

#include "base/err.h"
#include "process/mapping.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	HD_UNWIND_MAX = 4096
}; /* frames of one stack, as many as the largest copy (64 KiB) can hold; more are cut off (HD_UNWIND_END_LIMIT) */

enum hd_unwind_machine { HD_UNWIND_NONE, HD_UNWIND_X86, HD_UNWIND_ARM };	/* both in 64 and 32 bits */

enum hd_unwind_end {
	HD_UNWIND_END_ROOT, /* CFI says that the return address is undefined, it is zero, or this is the code at the entry point */
	HD_UNWIND_END_CUT, /* the next frame lies behind the copy: a larger one would have held it */
	HD_UNWIND_END_NO_STACK, /* no stack was copied, or the stack pointer is not in it */
	HD_UNWIND_END_NO_CFI, /* `object` has nothing for its address, and its frame pointer led nowhere */
	HD_UNWIND_END_BAD, /* what should be a return address is none, or the stack does not grow outwards */
	HD_UNWIND_END_LIMIT, /* more than HD_UNWIND_MAX frames */
};

enum hd_unwind_flags {
	HD_UNWIND_EXACT = 1
		<< 0, /* a program counter, not a return address: the innermost, or interrupted by a signal */
	HD_UNWIND_GUESSED = 1 << 1, /* found through a frame pointer without CFI, as are all outside of it */
};

struct hd_unwind_input {
	const struct hd_process_context *at;	/* what was mapped */
	enum hd_unwind_machine machine;
	uint64_t abi;			/* of the sample: 1 is 32 bits, 2 is 64 */
	uint64_t regs_mask;		/* attr.sample_regs_user: perf's register numbers (uapi asm/perf_regs.h) */
	const uint8_t *regs;		/* 8 bytes per bit of the mask */
	const uint8_t *stack;		/* from the stack pointer on */
	uint64_t stack_bytes;
	bool swap;			/* recorded in the other byte order */
	uint8_t *marks;			/* NULL, or a byte for each of the stack: 1 where the answer depends on it */
};

struct hd_unwind_result {
	uint32_t n;			/* frames; 0 when the registers lack the program counter */
	enum hd_unwind_end end;
	uint32_t
		object; /* of process/: where the first guess was made, else where HD_UNWIND_END_NO_CFI or _BAD happened; else 0 */
	bool guessed;			/* some frame is */
	uint64_t ip[HD_UNWIND_MAX];	/* innermost first */
	/*
	 * The stack address that identifies the frame: its CFA.  0 where it could not be told
	 * (the last frame of a stack that ended for want of CFI, or bad).
	 */
	uint64_t cfa[HD_UNWIND_MAX];
	uint8_t flags[HD_UNWIND_MAX];	/* enum hd_unwind_flags */
};

/*
 * The file with the code of an object of process/: a descriptor that becomes
 * ours, or < 0.  Called at most once per object, under a lock of ours, from
 * whichever thread meets the object first.
 */
struct hd_jitdump;
struct hd_unwind_source {
	int (*open)(void *ctx, uint32_t object, struct hd_err *err);
	void *ctx;
	/* The dump of an object of JIT code, borrowed, or NULL.  Likewise; may be NULL itself. */
	const struct hd_jitdump *(*jitdump)(void *ctx, uint32_t object);
};

/* Why an object of process/ could not be unwound through, after the runs. */
enum hd_unwind_failure {
	HD_UNWIND_FAILURE_NONE,		/* it has CFI, or was never needed */
	HD_UNWIND_FAILURE_FILE,		/* the file of the recorded build is not here */
	HD_UNWIND_FAILURE_CFI,		/* it has no .eh_frame and no .debug_frame */
	HD_UNWIND_FAILURE_DAMAGED,	/* they cannot be read */
	HD_UNWIND_FAILURE_JIT,		/* code made at run time, without unwinding information */
	HD_UNWIND_FAILURE_MACHINE,	/* of a machine that is not unwound here */
	HD_UNWIND_FAILURE_TROUBLE,	/* it is here and could not be read */
};

#endif
