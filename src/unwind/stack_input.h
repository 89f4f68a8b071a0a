/* stack_input.h - the input and the result of unwinding one stack */
#ifndef HD_UNWIND_STACK_INPUT_H
#define HD_UNWIND_STACK_INPUT_H

#include "base/err.h"
#include "process/mapping.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Maximum number of frames: the largest copy (64 KiB) divided by 16 bytes (frame pointer and return address).  See
 * HD_UNWIND_END_LIMIT.
 */
enum { HD_UNWIND_MAX = 4096 };

enum hd_unwind_machine {
	HD_UNWIND_NONE,
	HD_UNWIND_X86, HD_UNWIND_ARM,	/* unwound in this process (walk.h), 64 and 32 bits */
	HD_UNWIND_RISCV, HD_UNWIND_S390, HD_UNWIND_PPC,	/* unwound by libdw (libdw_child.h), 64 bits only */
};
static inline bool hd_unwind_by_libdw(enum hd_unwind_machine machine)
{
	return machine > HD_UNWIND_ARM;
}

enum hd_unwind_end {
	/*
	 * the return address is undefined (CFI) or zero, this is the code at the entry point, a Go function has changed
	 * stacks, or it is the one at which a goroutine begins (go_stacks.h)
	 */
	HD_UNWIND_END_ROOT,
	/*
	 * the next frame is outside of the copied part of the stack.  A larger copy would contain it, unless a signal
	 * handler ran on another stack
	 */
	HD_UNWIND_END_CUT,
	/*
	 * no stack was copied, a register is missing, the architecture is unsupported, or the child of libdw_child.h
	 * failed
	 */
	HD_UNWIND_END_NO_STACK,
	HD_UNWIND_END_NO_CFI, /* no CFI covers the address in `object`, and the frame pointer leads to no caller */
	HD_UNWIND_END_BAD, /* the return address is not in code, or the stack does not grow outwards */
	HD_UNWIND_END_LIMIT, /* more than HD_UNWIND_MAX frames */
};

enum hd_unwind_flags {
	/* the ip is a program counter, not a return address: the innermost frame, or one interrupted by a signal */
	HD_UNWIND_EXACT = 1 << 0,
	/* the frame was found by a frame pointer where there is no CFI, or is a caller of such a frame */
	HD_UNWIND_GUESSED = 1 << 1,
};

struct hd_unwind_input {
	const struct hd_process_context *at;	/* the mappings of the process */
	enum hd_unwind_machine machine;
	uint64_t abi;			/* ABI of the sample: 1 is 32 bits, 2 is 64 bits */
	uint64_t regs_mask;		/* attr.sample_regs_user: perf's register numbers (uapi asm/perf_regs.h) */
	const uint8_t *regs;		/* 8 bytes for each bit that is set in the mask */
	const uint8_t *stack;		/* starts at the stack pointer */
	uint64_t stack_bytes;
	bool swap;			/* recorded in the other byte order */
	uint8_t *marks; /* NULL, or a flag for each byte of the stack copy: 1 if the result depends on it */
};

struct hd_unwind_result {
	/* number of frames; 0 if the program counter is missing, the architecture is unsupported, or libdw failed */
	uint32_t n;
	enum hd_unwind_end end;
	/*
	 * Id (in the process table) of the object in which the first frame was guessed.  If none was: the object in
	 * which the stack ended with HD_UNWIND_END_NO_CFI or _BAD; otherwise 0.
	 */
	uint32_t object;
	bool guessed;			/* some frame is a guess */
	uint64_t ip[HD_UNWIND_MAX];	/* innermost first */
	/*
	 * The CFA (canonical frame address), which identifies the frame.  0 if it is unknown, for example in the last
	 * frame of a stack that ended with HD_UNWIND_END_NO_CFI or _BAD.
	 */
	uint64_t cfa[HD_UNWIND_MAX];
	uint8_t flags[HD_UNWIND_MAX];	/* enum hd_unwind_flags */
};

struct hd_jitdump;
struct hd_unwind_source {
	/*
	 * Open the file that contains the code of an object: returns a descriptor, which the unwinder then owns, or
	 * < 0.  Called at most once per object, under a lock, from any thread.  The child process of libdw_child.h
	 * calls it again, possibly several times per object.
	 */
	int (*open)(void *ctx, uint32_t object, struct hd_err *err);
	void *ctx;
	/*
	 * Return the jitdump of an object with JIT code, borrowed, or NULL.  Called at most once per object, under a
	 * lock, from any thread.  The function pointer may be NULL.
	 */
	const struct hd_jitdump *(*jitdump)(void *ctx, uint32_t object);
};

/* Why stacks could not be unwound in the code of an object.  Valid after all stacks were unwound. */
enum hd_unwind_failure {
	HD_UNWIND_FAILURE_NONE,		/* the object has CFI, or was not needed */
	HD_UNWIND_FAILURE_FILE,		/* the file of the recorded build is not available */
	HD_UNWIND_FAILURE_CFI,		/* the file has no .eh_frame and no .debug_frame, or these describe no code */
	HD_UNWIND_FAILURE_DAMAGED,	/* the CFI of the object cannot be read */
	HD_UNWIND_FAILURE_JIT,		/* JIT code without unwinding information */
	HD_UNWIND_FAILURE_MACHINE,	/* stacks of the architecture cannot be unwound */
	HD_UNWIND_FAILURE_TROUBLE,	/* the file exists but could not be read */
};

/* Stacks that the child process of libdw_child.h could not unwind; they keep their innermost function. */
struct hd_unwind_child_losses {
	uint64_t stacks;
	/* number of children that crashed, reached a limit or could not be started */
	unsigned ended;
	int signal;			/* number of the signal that ended the last of these children; 0: none */
	bool absent;			/* libdw.so.1 cannot be loaded, or is too old */
	bool machine;			/* the installed libdw has no unwinder for the architecture */
};

#endif
