/*
 * unwind.h - unwind copied stacks: find the return addresses by the registers and a copy of the stack
 *
 *     uw = hd_unwind_new(proc, &source)                one: the tables of all objects, shared
 *     wk = hd_unwinder_new(uw)                         one per thread: caches
 *     hd_unwinder_run(wk, &in, &out)                   one sample: frames, innermost first
 *
 * A frame costs a cache lookup of its step by (space, ip) and two loads from the copied stack.  On a miss, the
 * mapping is looked up in the process table and the CFI of that function is compiled once (cfi/).  If no
 * object or no CFI covers the address (JIT code), the frame pointer is followed, and the frames from there on
 * are marked as guesses.
 *
 * Supported by CFI: x86-64, i386 (also under a 64-bit kernel), aarch64, 32-bit ARM.  A recording of x86-64 may
 * contain i386 processes; the ABI of each sample distinguishes them.  Stacks of riscv64, s390x and ppc64 are unwound
 * by libdw in a confined child process (libdw_child.h); then only one thread may use the unwinders.
 *
 * A value is accepted as a return address only if it is in an executable mapping, and a caller's frame only if
 * it is above its callee's.  So code with wrong CFI ends in HD_UNWIND_END_BAD instead of garbage.  A signal
 * frame may lead to another stack, which is not in the copy (HD_UNWIND_END_CUT).
 *
 * CFI is .eh_frame and .debug_frame of the file with the code, or from a jitdump; separate debug files are not
 * searched.  Not supported: x32; 32-bit ARM code with .ARM.exidx only; the vdso of i386 processes, of which no
 * copy exists (its frame pointer is tried).
 *
 * Ownership: hd_unwind owns the sections and compiled rows of objects.  Memory grows with the amount of code in which
 *            frames are found.
 * Threads:   one unwinder per thread.  All of them may run at once while `proc` is not modified.  The result
 *            of one does not depend on the others.
 */
#ifndef HD_UNWIND_UNWIND_H
#define HD_UNWIND_UNWIND_H

#include "process/process_table.h"
#include "unwind/stack_input.h"

#include <stddef.h>

struct hd_unwind;
struct hd_unwinder;

/* `proc` and source->ctx are borrowed; *source is copied. */
struct hd_unwind *hd_unwind_new(const struct hd_process_table *proc, const struct hd_unwind_source *source);
void hd_unwind_free(struct hd_unwind *uw);		/* accepts NULL */
/* Adapt to a process table that has more objects (hd_process_grow()).  No unwinder may run meanwhile. */
void hd_unwind_grow(struct hd_unwind *uw);

struct hd_unwinder *hd_unwinder_new(struct hd_unwind *uw);
void hd_unwinder_free(struct hd_unwinder *wk);		/* accepts NULL */
void hd_unwinder_run(struct hd_unwinder *wk, const struct hd_unwind_input *in, struct hd_unwind_result *out);

/*
 * Return true if a chain by frame pointers that was taken at ip lacks the caller, because according to the CFI the
 * interrupted function has not set up its frame pointer.  abi: 1 is 32 bits, 2 is 64.
 */
bool hd_unwinder_hides_caller(struct hd_unwinder *wk, enum hd_unwind_machine machine, uint64_t abi, uint32_t space,
	uint64_t ip);

/* Return how many stacks the child process of libdw_child.h could not unwind, and why. */
const struct hd_unwind_child_losses *hd_unwind_child_losses(const struct hd_unwind *uw);

/* Return why stacks could not be unwound in the code of an object; NONE also if the object was not opened. */
enum hd_unwind_failure hd_unwind_failure(const struct hd_unwind *uw, uint32_t object);
/* For an object with HD_UNWIND_FAILURE_TROUBLE (its file cannot be read) return the error message, otherwise NULL. */
const char *hd_unwind_error_text(const struct hd_unwind *uw, uint32_t object);

/*
 * Call these after all stacks were unwound, to store only the used functions in a bundle.
 *
 * hd_unwind_table_entries() returns the number of functions in the object's .eh_frame_hdr; 0 if the unwinder did not
 * search this table, so that all CFI of the object is needed; < 0 if the object was not opened.
 * hd_unwind_entry_was_used() returns true if the unwinder used function i.
 */
long hd_unwind_table_entries(const struct hd_unwind *uw, uint32_t object);
bool hd_unwind_entry_was_used(const struct hd_unwind *uw, uint32_t object, size_t i);

#endif
