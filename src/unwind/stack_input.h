/* stack_input.h - the input and the result of unwinding one stack */
#ifndef HD_UNWIND_STACK_INPUT_H
#define HD_UNWIND_STACK_INPUT_H

#include "base/err.h"
#include "process/mapping.h"

#include <stdbool.h>
#include <stdint.h>

/* Maximum number of frames: as many as the largest copy (64 KiB) can contain.  See HD_UNWIND_END_LIMIT. */
enum { HD_UNWIND_MAX = 4096 };

enum hd_unwind_machine { HD_UNWIND_NONE, HD_UNWIND_X86, HD_UNWIND_ARM };	/* each in 64 and 32 bits */

enum hd_unwind_end {
	HD_UNWIND_END_ROOT, /* the return address is undefined (CFI) or zero, or this is the code at the entry point */
	HD_UNWIND_END_CUT, /* the next frame is beyond the copy: a larger copy would contain it */
	HD_UNWIND_END_NO_STACK, /* no stack was copied, or the stack pointer is not in the copy */
	HD_UNWIND_END_NO_CFI, /* `object` has no CFI for its address, and the frame pointer leads nowhere */
	HD_UNWIND_END_BAD, /* the return address is not in code, or the stack does not grow outwards */
	HD_UNWIND_END_LIMIT, /* more than HD_UNWIND_MAX frames */
};

enum hd_unwind_flags {
	/* the ip is a program counter, not a return address: the innermost frame, or one interrupted by a signal */
	HD_UNWIND_EXACT = 1 << 0,
	HD_UNWIND_GUESSED = 1 << 1, /* found by a frame pointer without CFI, or outside such a frame */
};

struct hd_unwind_input {
	const struct hd_process_context *at;	/* the mappings of the process */
	enum hd_unwind_machine machine;
	uint64_t abi;			/* ABI of the sample: 1 is 32 bits, 2 is 64 bits */
	uint64_t regs_mask;		/* attr.sample_regs_user: perf's register numbers (uapi asm/perf_regs.h) */
	const uint8_t *regs;		/* 8 bytes per bit of the mask */
	const uint8_t *stack;		/* starts at the stack pointer */
	uint64_t stack_bytes;
	bool swap;			/* recorded in the other byte order */
	uint8_t *marks; /* NULL, or one byte per byte of the stack: set to 1 if the result depends on it */
};

struct hd_unwind_result {
	uint32_t n;			/* number of frames; 0 if the registers lack the program counter */
	enum hd_unwind_end end;
	/*
	 * Object (id in the process table) in which the first guess was made.  Without a guess: the object in which the
	 * stack ended with HD_UNWIND_END_NO_CFI or _BAD; otherwise 0.
	 */
	uint32_t object;
	bool guessed;			/* some frame is a guess */
	uint64_t ip[HD_UNWIND_MAX];	/* innermost first */
	/*
	 * The CFA: the stack address that identifies the frame.  0 if unknown (the last frame of a stack that ended
	 * without CFI or as bad).
	 */
	uint64_t cfa[HD_UNWIND_MAX];
	uint8_t flags[HD_UNWIND_MAX];	/* enum hd_unwind_flags */
};

/*
 * Open the file that contains the code of an object: returns a descriptor, which the unwinder then owns, or < 0.
 * Called at most once per object, under a lock, from any thread.
 */
struct hd_jitdump;
struct hd_unwind_source {
	int (*open)(void *ctx, uint32_t object, struct hd_err *err);
	void *ctx;
	/* Return the jitdump of an object with JIT code, borrowed, or NULL.  Called like open(); may be NULL. */
	const struct hd_jitdump *(*jitdump)(void *ctx, uint32_t object);
};

/* Why stacks could not be unwound in the code of an object.  Valid after all stacks were unwound. */
enum hd_unwind_failure {
	HD_UNWIND_FAILURE_NONE,		/* it has CFI, or was not needed */
	HD_UNWIND_FAILURE_FILE,		/* the file of the recorded build is not available */
	HD_UNWIND_FAILURE_CFI,		/* the file has no .eh_frame and no .debug_frame */
	HD_UNWIND_FAILURE_DAMAGED,	/* its CFI cannot be read */
	HD_UNWIND_FAILURE_JIT,		/* JIT code without unwinding information */
	HD_UNWIND_FAILURE_MACHINE,	/* the machine cannot be unwound */
	HD_UNWIND_FAILURE_TROUBLE,	/* the file exists but could not be read */
};

#endif
