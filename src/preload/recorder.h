/*
 * recorder.h - libhotdrift-heap.so: the state of the recorder in a process, and a map of the files
 *
 * The library is preloaded into programs that do not know it.  It stores nothing in memory of malloc(), and never
 * prints, ends the process, keeps a descriptor open or changes errno.  If it cannot go on, the program's allocations go
 * on uncounted.
 *
 *     hooks       malloc_hooks.c, mmap_hooks.c: functions that the program calls instead of the C library's
 *                 real_allocator.c: the functions that the hooks call in turn
 *     counting    exact.c: every allocation is counted; a trailer at the end of each block has the id of its stack
 *                 sampled.c: one allocation in many is counted; the sampled blocks are in a table
 *                 counters.c: counters, live bytes, the peak          ticks.c: live bytes through time
 *     stacks      stack_cache.h: stacks from which the thread has allocated before (most stacks)
 *                 unwind.c: other stacks        frame_rules.h: how to find the caller of a frame
 *                 stack_tree.h: stacks as nodes of a tree
 *     process     process_begin.c: settings; begin and fork           process_end.c: exit and exec
 *                 thread_state.h: the state of a thread               recorder_memory.h: memory, the lock
 *     totals      totals.c: a function that returns the allocated and freed bytes, for the recorded program
 *     file        recording.h: the recording and its file             format.h: the layout of the file
 *
 * A page that the kernel wipes in a forked child (MADV_WIPEONFORK) holds the generation number of this process and the
 * lock.  A child finds 0 there, and begins a recording of its own.
 */
#ifndef HD_PRELOAD_RECORDER_H
#define HD_PRELOAD_RECORDER_H

#include "cfi/cfi.h"
#include "preload/format.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define LIKELY(x)	__builtin_expect(!!(x), 1)
#define UNLIKELY(x)	__builtin_expect(!!(x), 0)
#define EXPORT		__attribute__((visibility("default")))
#define COLD		__attribute__((noinline))

enum hd_heap_mode { HD_HEAP_MODE_UNSET, HD_HEAP_MODE_OFF, HD_HEAP_MODE_EXACT, HD_HEAP_MODE_SAMPLED };

/* The page that the kernel wipes in a forked child. */
struct hd_alive {
	_Atomic uint32_t gen;		/* generation of this process; 0: it has not begun to record */
	_Atomic uint32_t lock;
};

struct hd_recorder {
	struct hd_alive *alive;
	enum hd_heap_mode mode;		/* UNSET until the settings were read */
	_Atomic uint64_t interval;	/* mean bytes between samples; rises in adaptive recordings */
	uint64_t seed;
	/*
	 * limit for the overhead: the least CPU time of a thread per sample, in ns, as a mean over 256 samples.  If the
	 * samples of a thread come faster, `interval` is raised.  0: no limit
	 */
	uint64_t budget;
	const char *prefix;
	struct hd_heap_header *header;	/* NULL: no recording */
	bool recording;			/* false: nothing is counted */
	bool count_maps;
	bool own_new;			/* the allocator defines operator new */
	/* every block is counted as a sample in the table, because the allocator's blocks cannot have a trailer */
	bool in_table;
	/* random number that is mixed into the trailers of blocks; also seeds the threads' random numbers */
	uint64_t secret;
	_Atomic uint32_t map_epoch;	/* number of dlclose() calls; after each one, cached addresses may be wrong */
	uintptr_t page_size;
	bool plain_sizes;		/* the result of hd_real_allocator_has_plain_sizes() (real_allocator.h) */
};
extern struct hd_recorder hd_recorder;

/*
 * Begin to record this process if that has not been done.  Returns false if the process is not recorded, or if the real
 * allocator is being looked up; a later call may then succeed.  The caller must not hold the lock.
 */
bool hd_recorder_begin(void);
/*
 * Write the recording, and mark it as ended if `ended` is set.  If it is not set, the process may go on, because
 * execve() may fail.  Takes the lock.  Does nothing if the process is not recorded, in a child of vfork(), and in a
 * signal handler that has interrupted the recorder.
 */
void hd_recorder_save(bool ended);

/* ---- registers ---- */

struct hd_regs { uint64_t pc, sp, fp; bool exact; };	/* exact: pc is not a return address */

/*
 * HD_HERE() is used in an exported function of this library.  It returns the registers of the function of the program
 * that called the exported function.  On both architectures, the frame pointer of the exported function points to the
 * saved frame pointer of that caller.
 */
#ifdef __aarch64__
#define HD_MACHINE HD_CFI_AARCH64
#define HD_CFA() ((uint64_t)__builtin_dwarf_cfa())
#else
#define HD_MACHINE HD_CFI_X86_64
#define HD_CFA() ((uint64_t)__builtin_frame_address(0) + 16)
#endif
#define HD_HERE() ((struct hd_regs){						\
	.pc = (uint64_t)__builtin_return_address(0),				\
	.sp = HD_CFA(),								\
	.fp = *(uint64_t *)__builtin_frame_address(0) })

/* Remove the pointer authentication code that a return address of aarch64 may have in its high bits. */
static inline uint64_t hd_unsigned(uint64_t pc) { return pc & ((1ull << 48) - 1); }

#pragma GCC visibility pop

#endif
