/*
 * thread_state.h - the state of a thread, and how the hooks enter and leave the recorder
 *
 *     struct hd_thread *t = hd_enter();       NULL: do not count this call
 *     ...                                     calls of malloc() between the two are not counted
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
	/* Numbers of slots in the table of frame rules.  The table grows to four times its size each time. */
	HD_FRAME_RULES_FIRST = 1024,	/* initial size */
	HD_FRAME_RULES_INSIDE = 16384,	/* size after two growths: in the same huge page as struct hd_thread */
	HD_FRAME_RULES_MAX = 65536,	/* maximum size */
	HD_DIR = 1024,			/* nodes per table that hd_thread.dir points to */
	HD_DIRS = 16384
};

enum { HD_CHECKS = HD_READS * HD_DEPTH };
/*
 * A check is a stack slot and the value that it must still have (frame_rules.h).  This one always fails.  Each list of
 * checks begins with it, so that a loop over a list from its end to its beginning stops there.
 */
extern const struct hd_check hd_check_end;

/* A frame of the last stack. */
struct hd_last_frame {
	uint64_t pc, sp, fp;
	uint32_t node;
	/* the frame is unchanged if the stack slots in checks[] up to this index hold the same values */
	uint16_t checks;
	bool needs_fp;			/* the unwinder used fp of this frame to find the outer frames */
	bool exact;
};

/* A frame of the current stack. */
struct hd_found_frame {
	uint64_t pc, sp, fp;
	struct hd_frame_rule *step;
	uint64_t ra_slot, fp_slot;	/* stack addresses of the caller's saved pc and fp; fp_slot 0: fp not saved */
	bool exact;
};

/*
 * The cached stacks (stack_cache.h) are records in a ring buffer; a new record overwrites the oldest ones.  `at` is the
 * position of a record: it rises from record to record, and the record is at ring[at % HD_RING].  A record of a deep
 * stack does not repeat the checks of outer frames that the stack shares with the thread's previous stack:
 *
 *     main run parse add alloc      this record has all checks of its stack
 *     .............. add grow       this record has the checks of the last two frames; the others are the first `outer`
 *                                   checks of the record at position `link`
 */
enum {
	HD_RING = 256 * 1024,
	HD_CACHED_STACK_CHECKS = 254,	/* maximum number of checks in a record */
	HD_LINKS = 8,			/* maximum number of records in a chain of links */
	HD_LINK_LEAST = 8,		/* a record that shares fewer checks repeats them and has no link */
	HD_STACK_CACHE_TAG_BITS = 9,
	HD_STACK_CACHE_TAG_WAYS = 4
};
struct hd_stack_cache_tag { uint64_t hash, at; };
/*
 * A cache of offsets from sp to the return address, for the innermost frame.  The key is its pc, at which it calls
 * malloc().  An entry is never replaced; forget() in unwind.c drops all of them.
 */
enum { HD_LEAF_BITS = 8 };
struct hd_leaf { uint64_t pc, off; };
struct hd_cached_stack {
	uint64_t pc, sp, fp;
	struct hd_heap_counter *counter;
	uint64_t link;
	uint16_t n;			/* number of checks of the whole stack */
	/* number of checks (slots and values) that are not in `checks` but in the record at `link` */
	uint16_t outer;
	bool needs_fp;
	struct hd_check checks[];	/* first hd_check_end, then the n - outer checks that are in this record */
};
/*
 * A record in the ring buffer of cached stacks, at position `at`, that has checks (stack slots and values) of the last
 * stack.  The first `outer` checks of that stack are in other records.
 */
struct hd_check_owner { uint64_t at; uint32_t outer; };

struct hd_thread {
	struct hd_thread *next;
	int tid;
	uint32_t map_epoch;
	uintptr_t stack_lo, stack_hi, stack_span;	/* span: from lo to the last word */
	/*
	 * bounds of the last stack, other than the thread's own, that the thread used: of a coroutine or a signal
	 * handler
	 */
	uintptr_t other_lo, other_hi;
	int64_t delta;			/* change of live bytes that is not in hd_heap_header.live yet */
	uint64_t clock;			/* allocated bytes that are not in hd_heap_header.clock yet */
	/*
	 * bytes that were allocated and freed by all threads that have used this state, one after another.  Estimates
	 * in sampled recordings
	 */
	uint64_t allocated, freed;
	void *last;			/* the block that was allocated last */
	uint64_t left_then;		/* sampled: hd_tls.left after `last` was allocated */
	/*
	 * sampled recordings: value of hd_tls.left (bytes until the next sample) when this thread last added its
	 * allocated bytes to the recording's total, header.passed
	 */
	uint64_t left_at_update;
	uint64_t random;
	uint64_t interval;		/* sampled: mean in bytes of the random distance that hd_tls.left began with */
	uint32_t batch;			/* adaptive recordings: number of samples that this thread has taken */
	/* adaptive: CPU time of the thread, in ns, at the start of the current batch of samples */
	uint64_t batch_began;
	uint32_t room;			/* free entries at `counters` */
	uint32_t move_room;		/* free entries at `moves` */
	uint8_t *counters;
	struct hd_heap_move *moves;
	/*
	 * allocated and freed bytes since the last clock reading, plus HD_LOOK_BLOCK for each block, so that many small
	 * blocks cause a reading, too
	 */
	uint64_t unlooked;
	uint32_t looks;			/* number of clock readings since hd_recording_file_poll() was last called */
	uint32_t nlast;			/* number of `frames` */
	uint32_t nsteps;
	uint32_t nowners;
	/*
	 * the records of the ring that contain the checks (slots and values) of the last stack; each record is linked
	 * to the previous element of this array
	 */
	struct hd_check_owner owners[HD_LINKS];
	uint64_t ring_end;
	uint32_t steps_mask;
	/*
	 * A hash table of frame rules with open addressing, at most 3/4 full, which is emptied when it cannot grow.
	 * After its second growth it has HD_FRAME_RULES_INSIDE slots, which are in the same huge page as this struct.
	 */
	struct hd_frame_rule *steps;
	struct hd_leaf leaves[1 << HD_LEAF_BITS];
	struct hd_stack_cache_tag tags[HD_STACK_CACHE_TAG_WAYS << HD_STACK_CACHE_TAG_BITS];
	char ring[HD_RING] __attribute__((aligned(16)));
	struct hd_last_frame frames[HD_DEPTH];	/* the last stack, outermost frame first */
	/* stack slots of the last stack and their values; the first one is hd_check_end */
	struct hd_check checks[1 + HD_CHECKS];
	struct hd_found_frame now[HD_DEPTH];	/* the current stack, innermost frame first */
	struct hd_reads reads[HD_DEPTH];	/* indexed like `now`, for frames without a simple rule */
	struct hd_heap_counter **dir[HD_DIRS];	/* indexed by node / HD_DIR, then by node % HD_DIR */
};

#define HD_THREAD_FRAME_RULES(t) ((struct hd_frame_rule *)((char *)(t) + HD_HUGE) - HD_FRAME_RULES_INSIDE)
_Static_assert(sizeof(struct hd_thread) + HD_FRAME_RULES_INSIDE * sizeof(struct hd_frame_rule) <= HD_HUGE,
	"a thread and its frame rules fit into a huge page");

struct hd_tls {
	uint64_t left;			/* bytes until the next sample; a block counts one byte more than its size */
	/* number of the process (see process_begin.c) for which `thread` is valid; or HD_NOBODY, or HD_BUSY */
	uint32_t gen;
	uint32_t own_gen;		/* the value that hd_leave() restores to `gen` */
	bool own;			/* the recorder itself is allocating */
	bool drawn;			/* sampled: `left` was drawn */
	struct hd_thread *thread;
};
#define HD_NOBODY	UINT32_MAX
#define HD_BUSY		(UINT32_MAX - 1)
extern __thread struct hd_tls hd_tls __attribute__((tls_model("initial-exec"), visibility("hidden")));

/*
 * Slow path of hd_enter(): the thread is new in this process or busy in the recorder, or the process is not recorded.
 */
struct hd_thread *hd_enter_first(void);

/*
 * Return true if this thread has a state for this process and is not in the recorder: hd_tls.gen is then the number
 * (generation) of this process.  hd_tls.gen is HD_BUSY in the recorder, and HD_NOBODY before the thread first enters it
 * or if the process is not recorded.
 */
static inline bool hd_may_enter(void)
{
	return atomic_load_explicit(&hd_recorder.alive->gen, memory_order_relaxed) == hd_tls.gen;
}

/* Mark this thread busy if hd_may_enter() is true, and return its state.  The caller calls hd_leave() later. */
static inline struct hd_thread *hd_enter_at_once(void)
{
	hd_tls.gen = HD_BUSY;
	__asm__ volatile("" ::: "memory");
	return hd_tls.thread;
}

/*
 * Return the state of this thread and mark it busy; the caller calls hd_leave() later.  Returns NULL if the thread is
 * busy already, if nothing is recorded, or if there is no memory for the state.  The caller must not hold the lock.
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
/* Add what each thread has counted since its last update to the sums in the header.  The caller holds the lock. */
void hd_thread_settle_all(void);
/*
 * Return the end of the readable mapping that contains sp, or sp if there is none.  sp is outside of the thread's
 * stack.  The last mapping is cached; the function takes the lock to find another one.
 */
uintptr_t hd_thread_other(struct hd_thread *t, uintptr_t sp);
/* Return the end of the readable memory of the stack that sp points into. */
static inline uintptr_t hd_thread_top(struct hd_thread *t, uintptr_t sp)
{
	return LIKELY(sp >= t->stack_lo && sp < t->stack_hi) ? t->stack_hi : hd_thread_other(t, sp);
}

#pragma GCC visibility pop

#endif
