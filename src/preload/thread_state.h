/*
 * thread_state.h - the state of a thread, and how the hooks enter and leave the recorder
 *
 *     struct hd_thread *t = hd_enter();       NULL: do not count this call
 *     ...                                     calls of malloc() in here are not counted
 *     hd_leave();
 *
 * When a thread ends, its state stays, with its counters.  A new thread takes it over (thread.c).
 */
#ifndef HD_PRELOAD_THREAD_STATE_H
#define HD_PRELOAD_THREAD_STATE_H

#include "preload/frame_rules.h"
#include "preload/recorder_memory.h"

#pragma GCC visibility push(hidden)

enum {
	HD_DEPTH = HD_HEAP_DEPTH,
	HD_FRAME_RULES_FIRST = 1024,	/* slots of the table of frame rules: at first, */
	HD_FRAME_RULES_INSIDE = 16384,	/* after the first growth, */
	HD_FRAME_RULES_MAX = 65536,	/* and at most */
	HD_DIR = 1024,			/* nodes of a page of counters */
	HD_DIRS = 16384
};

enum { HD_CHECKS = HD_READS * HD_DEPTH };
/* A check that always fails.  It is the first one of each list, so that a loop from the end stops at it. */
extern const struct hd_check hd_check_end;

/* A frame of the last stack. */
struct hd_last_frame {
	uint64_t pc, sp, fp;
	uint32_t node;
	uint16_t checks;		/* the frame is unchanged if all checks up to this index still succeed */
	bool needs_fp;			/* the outer frames depend on fp */
	bool exact;
};

/* A frame of the current stack. */
struct hd_found_frame {
	uint64_t pc, sp, fp;
	struct hd_frame_rule *step;
	uint64_t ra_slot, fp_slot;	/* addresses of the saved pc and fp of its caller; fp_slot 0: not saved */
	bool exact;
};

/*
 * The cached stacks (stack_cache.h) are records in a ring; a new record overwrites the oldest ones.  `at` counts all
 * bytes that were ever written.  A deep stack does not repeat the outer frames that it shares with the stack before:
 *
 *     main run parse add alloc      all checks
 *     ............... grow          one check; the others are the first `outer` checks of the record at `link`
 */
enum {
	HD_RING = 256 * 1024,
	HD_CACHED_STACK_CHECKS = 254,	/* of a record, at most */
	HD_LINKS = 8,			/* records in a chain of links, at most */
	HD_LINK_LEAST = 8,		/* fewer shared checks are repeated instead */
	HD_STACK_CACHE_TAG_BITS = 9,
	HD_STACK_CACHE_TAG_WAYS = 4
};
struct hd_stack_cache_tag { uint64_t hash, at; };
/* The offset of the return address from sp, by the pc of an allocation's caller.  An entry is never replaced. */
enum { HD_LEAF_BITS = 8 };
struct hd_leaf { uint64_t pc, off; };
struct hd_cached_stack {
	uint64_t pc, sp, fp;
	struct hd_heap_counter *counter;
	uint64_t link;
	uint16_t n, outer;		/* number of checks, and how many of them are in the record at `link` */
	bool needs_fp;
	struct hd_check checks[];	/* hd_check_end, then n - outer checks */
};
/* The record at offset `at` of the ring contains the checks of the last stack from index `outer` on. */
struct hd_check_owner { uint64_t at; uint32_t outer; };

struct hd_thread {
	struct hd_thread *next;
	int tid;
	uint32_t map_epoch;
	uintptr_t stack_lo, stack_hi, stack_span;	/* span: from lo to the last word */
	uintptr_t other_lo, other_hi;	/* the stack of a coroutine or of a signal handler that the thread has used */
	int64_t delta;			/* change of live bytes that is not in the common sum yet */
	uint64_t clock;			/* allocated bytes that are not in the common sum yet */
	uint64_t allocated, freed;	/* bytes, by all threads that had this state; others read them at any time */
	void *last;			/* the block that was allocated last */
	uint64_t left_then;		/* sampled: hd_tls.left after that allocation */
	/* in sampled recordings: hd_tls.left when this thread last updated header.passed */
	uint64_t told_at;
	uint64_t random;
	uint64_t interval;		/* sampled: interval from which hd_tls.left was drawn */
	uint32_t batch;			/* adaptive: samples since batch_began */
	uint64_t batch_began;		/* adaptive: CPU time of the thread in ns */
	uint32_t room;			/* free entries at `counters` */
	uint32_t move_room;		/* free entries at `moves` */
	uint8_t *counters;
	struct hd_heap_move *moves;
	uint64_t unlooked;		/* allocated bytes, and HD_LOOK_BLOCK per block, since the last clock reading */
	uint32_t looks;			/* clock readings since hd_recording_file_poll() was called */
	uint32_t nlast;			/* number of `frames` */
	uint32_t nsteps;
	uint32_t nowners;
	/* owners of the last stack's checks, each linked to the one before it */
	struct hd_check_owner owners[HD_LINKS];
	uint64_t ring_end;
	uint32_t steps_mask;
	/*
	 * Hash table with open addressing, at most 3/4 full, emptied when it cannot grow.  HD_FRAME_RULES_INSIDE slots
	 * fit into the huge page of the thread, after this struct.
	 */
	struct hd_frame_rule *steps;
	struct hd_leaf leaves[1 << HD_LEAF_BITS];
	struct hd_stack_cache_tag tags[HD_STACK_CACHE_TAG_WAYS << HD_STACK_CACHE_TAG_BITS];
	char ring[HD_RING] __attribute__((aligned(16)));
	struct hd_last_frame frames[HD_DEPTH];	/* the last stack, outermost frame first */
	struct hd_check checks[1 + HD_CHECKS];	/* checks of the last stack; the first one is hd_check_end */
	struct hd_found_frame now[HD_DEPTH];	/* the current stack, innermost frame first */
	struct hd_reads reads[HD_DEPTH];	/* indexed like `now`, for frames without a simple rule */
	struct hd_heap_counter **dir[HD_DIRS];	/* indexed by node / HD_DIR, then by node % HD_DIR */
};

#define HD_THREAD_FRAME_RULES(t) ((struct hd_frame_rule *)((char *)(t) + HD_HUGE) - HD_FRAME_RULES_INSIDE)
_Static_assert(sizeof(struct hd_thread) + HD_FRAME_RULES_INSIDE * sizeof(struct hd_frame_rule) <= HD_HUGE,
	"a thread and its frame rules fit into a huge page");

struct hd_tls {
	uint64_t left;			/* bytes until the next sample; each block counts one byte more than its size */
	uint32_t gen;			/* generation of the process that `thread` belongs to, HD_NOBODY or HD_BUSY */
	uint32_t own_gen;		/* the generation, while gen is HD_BUSY */
	bool own;			/* the recorder itself is allocating */
	bool drawn;			/* sampled: `left` was drawn */
	struct hd_thread *thread;
};
#define HD_NOBODY	UINT32_MAX
#define HD_BUSY		(UINT32_MAX - 1)
extern __thread struct hd_tls hd_tls __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* hd_enter() of a thread that is new in this process, or is busy. */
struct hd_thread *hd_enter_first(void);

/*
 * Return true if this thread has a state in this process and is not busy.  No process has the generation HD_BUSY, and
 * the threads of a process that is not recorded have HD_NOBODY.
 */
static inline bool hd_may_enter(void)
{
	return atomic_load_explicit(&hd_recorder.alive->gen, memory_order_relaxed) == hd_tls.gen;
}

/* Enter if hd_may_enter() is true.  The caller calls hd_leave() later. */
static inline struct hd_thread *hd_enter_at_once(void)
{
	hd_tls.gen = HD_BUSY;
	__asm__ volatile("" ::: "memory");
	return hd_tls.thread;
}

/*
 * Return the state of this thread and mark it busy; the caller calls hd_leave() later.  Returns NULL if the thread is
 * busy already, or if nothing is recorded.
 */
static inline struct hd_thread *hd_enter(void)
{
	return LIKELY(hd_may_enter()) ? hd_enter_at_once() : hd_enter_first();
}

static inline void hd_leave(void)
{
	__asm__ volatile("" ::: "memory");
	hd_tls.gen = hd_tls.own_gen;
}

void hd_threads_begin(void);
/* Sum the allocated and freed bytes of all threads.  The caller holds the lock. */
void hd_thread_sums(uint64_t *allocated, uint64_t *freed);
/* Add the changes of all threads to the common sums.  The caller holds the lock. */
void hd_thread_settle_all(void);
/*
 * Return the end of the readable memory at a stack pointer that is outside of the thread's stack.
 * Caches the mapping.
 */
uintptr_t hd_thread_other(struct hd_thread *t, uintptr_t sp);
/* Return the end of the readable memory of the stack that sp points into. */
static inline uintptr_t hd_thread_top(struct hd_thread *t, uintptr_t sp)
{
	return LIKELY(sp >= t->stack_lo && sp < t->stack_hi) ? t->stack_hi : hd_thread_other(t, sp);
}

#pragma GCC visibility pop

#endif
