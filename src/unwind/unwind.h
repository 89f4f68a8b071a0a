/*
 * unwind.h - registers and a copy of the stack -> return addresses
 *
 *     uw = hd_unwind_new(proc, &source)                one: the tables of all objects, shared
 *     wk = hd_unwinder_new(uw)                         one per thread: caches
 *     hd_unwinder_run(wk, &in, &out)                   one sample: frames, innermost first
 *
 * A frame costs a look-up of its rule by (space, ip) in a cache, and two loads
 * from the copied stack.  On a miss the mapping is asked of process/, the object's
 * call frame information is compiled for that function (cfi/), once.  Where no
 * object or no CFI covers the address (JIT code), the frame pointer is followed
 * instead and the frames from there on are guesses.
 *
 * x86-64, i386 (also under a 64-bit kernel), aarch64, 32-bit ARM by CFI.  A
 * sample of one machine may hold processes of two (x86-64 and i386): the ABI of
 * the sample says which.
 *
 * A value is a return address only when it lies in an executable mapping, and
 * a caller's frame only when it lies above: code without truthful CFI ends in
 * HD_UNWIND_END_BAD instead of garbage.  A signal frame may lead to another stack,
 * which is not in the copy (HD_UNWIND_END_CUT).
 *
 * CFI is .eh_frame and .debug_frame of the file with the code, or what a jitdump
 * tells of a function; a separate debug file's .debug_frame is not looked for.  Not unwound: x32; 32-bit ARM code
 * that has .ARM.exidx only; through the vdso of i386 processes, which nobody
 * keeps a copy of (their frame pointer is tried).
 *
 * Owns:  sections and compiled rows of objects.  Memory follows the code met.
 * Threads: one unwinder per thread; all of them may run at once, while nobody
 *        adds to proc.  What one answers does not depend on the others.
 */
#ifndef HD_UNWIND_UNWIND_H
#define HD_UNWIND_UNWIND_H

#include "base/err.h"
#include "process/process_table.h"

#include <stdbool.h>
#include <stddef.h>
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
	const struct hd_process_at *at;	/* what was mapped */
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

struct hd_unwind;
struct hd_unwinder;

struct hd_unwind *hd_unwind_new(const struct hd_process_table *proc, const struct hd_unwind_source *source);
void hd_unwind_free(struct hd_unwind *uw);		/* NULL is fine */
/* proc has more objects, and those that it had before; no unwinder may run meanwhile. */
void hd_unwind_grow(struct hd_unwind *uw);

struct hd_unwinder *hd_unwinder_new(struct hd_unwind *uw);
void hd_unwinder_free(struct hd_unwinder *wk);		/* NULL is fine */
void hd_unwinder_run(struct hd_unwinder *wk, const struct hd_unwind_input *in, struct hd_unwind_result *out);

/*
 * A chain by frame pointers begins with the frame pointer's frame.  Return true if the call frame information says that
 * code which is interrupted at ip has not set up its own, so that such a chain lacks its caller.  abi: 1 is 32 bits, 2 is 64.
 */
bool hd_unwinder_hides_caller(struct hd_unwinder *wk, enum hd_unwind_machine machine, uint64_t abi, uint32_t space,
	uint64_t ip);

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
enum hd_unwind_failure hd_unwind_failure(const struct hd_unwind *uw, uint32_t object);
/* The trouble in a sentence; NULL when there was none. */
const char *hd_unwind_error_text(const struct hd_unwind *uw, uint32_t object);

/*
 * For who keeps of a file what was needed, after the runs: the functions that
 * its .eh_frame_hdr lists, and whether one was looked into.  0: it has no such
 * list, or all of it counts; < 0: the object was not met.
 */
long hd_unwind_table_entries(const struct hd_unwind *uw, uint32_t object);
bool hd_unwind_entry_was_used(const struct hd_unwind *uw, uint32_t object, size_t i);

#endif
