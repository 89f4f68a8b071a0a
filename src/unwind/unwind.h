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

#include "process/process_table.h"
#include "unwind/stack_input.h"

#include <stddef.h>

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
