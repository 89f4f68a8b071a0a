/*
 * recorder.h - what the files of preload/ share: libhotdrift-heap.so, in other people's processes
 *
 *     malloc_hooks.c     malloc, free and their kin: the way when nothing is to be counted
 *     exact.c     ... when everything is: a trailer in the block says who allocated it
 *     sampled.c   ... when one in many is: the sampled blocks are in a table
 *     mmap_hooks.c      mmap and its kin, when that is asked for
 *     real_allocator.c      the allocator behind us
 *     recorder.c   settings; a process begins, is forked, ends     process_end.c   ... without its exit handlers
 *     thread.c    what a thread has, and who gets it after it
 *     counters.c     counters, what is live, the peak     ticks.c   ... and when it was
 *     stack_cache.h     a stack that was met before: most are
 *     unwind.c    the stack of an allocation     frame_rules.c   how to leave a frame     slow_unwind.c   ... an odd one
 *     modules.c   what is loaded                 regions.c what is mapped
 *     stack_tree.c      stacks as nodes
 *     recording_file.c      the recording and its file     memory.c  memory of our own, locks, another stack
 *
 * Nothing here allocates through malloc, prints, ends the process, keeps a
 * descriptor or changes errno.  Where it cannot go on, allocations go on without it.
 *
 * A page that the kernel empties in a forked child holds the number of this
 * process and the lock: the child finds 0 there, and begins a recording of its
 * own.
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
#include <sys/types.h>

#pragma GCC visibility push(hidden)

#define LIKELY(x)	__builtin_expect(!!(x), 1)
#define UNLIKELY(x)	__builtin_expect(!!(x), 0)
#define EXPORT		__attribute__((visibility("default")))
#define COLD		__attribute__((noinline))

/* ---- real_allocator.c ---- */

struct hd_real_allocator {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void *(*memalign)(size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	void (*free)(void *);
	size_t (*usable)(void *);
	int (*dlclose)(void *);
	void *(*mmap)(void *, size_t, int, int, int, off_t);
	int (*munmap)(void *, size_t);
	void *(*mremap)(void *, size_t, size_t, int, ...);
};
extern struct hd_real_allocator hd_real_allocator;		/* callable from the start */

/* What the fast halves of malloc_hooks.c go on to: the allocator, or exact.c. */
struct hd_next_allocator {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void (*free)(void *);
};
extern struct hd_next_allocator hd_next_allocator;

/* Blocks that were needed before there was an allocator. */
enum { HD_BOOT_BYTES = 64 * 1024 };
extern char hd_boot[HD_BOOT_BYTES];
static inline bool hd_is_boot(const void *p) { return (uintptr_t)p - (uintptr_t)hd_boot < HD_BOOT_BYTES; }
size_t hd_boot_size(const void *p);
bool hd_real_allocator_has_plain_sizes(void);
bool hd_real_allocator_is_whole(void);
bool hd_real_allocator_is_found(void);
void hd_boot_mark(void);			/* all of them in the filter of free, for good */
void hd_real_allocator_find(void);

/* ---- memory.c ---- */

void *hd_recorder_mem_take(size_t bytes);	/* zeroed, kept; NULL: there is none.  With the lock */
void *hd_recorder_mem_map(size_t bytes);		/* whole pages, without the lock */
enum { HD_HUGE = 2 * 1024 * 1024 };
void *hd_recorder_mem_map_huge(
	size_t bytes); /* such that it may be made huge pages, and is not by itself; a multiple of HD_HUGE */
bool hd_recorder_mem_make_huge(void *p, size_t bytes);	/* ... now */
void hd_recorder_mem_unmap(void *p, size_t bytes);
void hd_recorder_mem_fill(void *p, size_t bytes);	/* pages that will all be written to soon */
void hd_recorder_mem_begin(void);
/* What is done with the lock does not change errno. */
void hd_recorder_lock(void);
void hd_recorder_unlock(void);
/* Run fn(arg) on a stack of our own: that of the program may be small.  With the lock. */
void hd_on_stack(void (*fn)(void *), void *arg);

/* ---- the process ---- */

enum hd_heap_mode { HD_HEAP_MODE_UNSET, HD_HEAP_MODE_OFF, HD_HEAP_MODE_EXACT, HD_HEAP_MODE_SAMPLED };

/* In the page that a fork empties. */
struct hd_alive {
	_Atomic uint32_t gen;		/* of this process; 0: it has not begun */
	_Atomic uint32_t lock;
};

struct hd_recorder {
	struct hd_alive *alive;
	enum hd_heap_mode mode;		/* after settings were read */
	_Atomic uint64_t interval;	/* raised while it is adaptive */
	uint64_t seed;
	uint64_t budget; /* adaptive: how many ns of a thread's time one sample must be worth; 0: not adaptive */
	const char *prefix;
	struct hd_heap_header *header;	/* NULL: no recording */
	bool recording;			/* false: nothing is counted any more */
	bool count_maps;
	bool own_new;			/* operator new is the allocator's */
	bool in_table; /* no block has a trailer, though every allocation is counted: !hd_real_allocator_is_whole() */
	uint64_t secret;		/* what trailers are mixed with, and samples drawn from */
	_Atomic uint32_t map_epoch;	/* raised by a dlclose: what is known of addresses may be wrong */
	uintptr_t page_size;
	bool plain_sizes;		/* the allocator is glibc's: a block's size stands before it */
};
extern struct hd_recorder hd_recorder;

/* Begin this process, or find that it has begun.  False: nothing is recorded. */
bool hd_recorder_begin(void);
/* Write the recording.  `ended`: the process is about to end, else it may go on (execve() may fail).  Not in a vfork()ed child. */
void hd_recorder_save(bool ended);

/* ---- recording_file.c, with the lock ---- */

bool hd_recording_file_begin(void);
/* A block of the recording, its header filled; NULL: there is no room. */
void *hd_recording_file_block(enum hd_heap_block_type type, uint32_t payload, uint32_t n);
void hd_recording_file_align(void);
void hd_recording_file_write(void);		/* all of it */
void hd_recording_file_end(void);
/* The next two are called without the lock, too.  Mark bytes of the recording that were changed. */
void hd_recording_file_mark_dirty(const void *p, size_t bytes);
/* A thread has looked at the clock `n` more times (ticks.c): write what was changed, if that is due.  Without the lock. */
void hd_recording_file_poll(uint32_t n);
enum { HD_RECORDING_FILE_POLLS = 8 };

/* ---- modules.c, frame_rules.c ---- */

/* The first two are what nearly all code has; GUESS: no rule is about it, and its frame pointer is followed. */
enum hd_frame_rule_op {
	HD_FRAME_RULE_SP,
	HD_FRAME_RULE_FP,
	HD_FRAME_RULE_FULL,
	HD_FRAME_RULE_GUESS,
	HD_FRAME_RULE_END
};

/* The node last made of a frame's address, and under which. */
struct hd_node_memo { uint32_t caller, node; };
enum { HD_MEMOS = 4 };

/* How to leave the frame at an address: one line of the cache. */
struct hd_frame_rule {
	_Alignas(64) uint64_t key;	/* pc << 1 | exact */
	uint32_t module;		/* with HD_HEAP_PC, HD_HEAP_GUESS */
	int32_t cfa_off;
	int16_t fp_off, ra_off;
	uint8_t op;
	uint8_t fp;			/* enum hd_cfi_location */
	uint8_t flags;			/* enum hd_cfi_row_flags */
	uint8_t next_memo;
	struct hd_node_memo memo[HD_MEMOS];
	uint32_t hint[2];		/* where the steps of the next two frames were when it was left last */
};

/* The module at pc, its id and rules (NULL: it has none); 0: nothing is loaded there.  With the lock. */
uint32_t hd_module_at(uint64_t pc, struct hd_cfi **cfi);
void hd_modules_begin(void);
/* With the lock, on our stack. */
void hd_frame_rule_find(struct hd_frame_rule *s, uint64_t pc, bool exact);
struct hd_regs { uint64_t pc, sp, fp; bool exact; };
struct hd_reads;
/* Leave a HD_FRAME_RULE_FULL frame; [r->sp, top) may be read, and what was is in *reads, n too large when it was more.  False: it cannot be done. */
bool hd_frame_rule_apply_full(const struct hd_frame_rule *s, struct hd_regs *r, uint64_t top, struct hd_reads *reads);
/* Is there code at pc?  With the lock, on our stack. */
bool hd_frame_rule_is_code(uint64_t pc);

/* ---- regions.c ---- */

struct hd_region { uintptr_t lo, hi; bool readable, executable; };
struct hd_region hd_region_of(uintptr_t at);	/* lo = hi = 0: nothing that may be read */
bool hd_region_is_code(uintptr_t at);		/* with the lock, on our stack; as far as is known */
void hd_regions_begin(void);

/* ---- stack_tree.c ---- */

void hd_stack_tree_begin(void);
uint32_t hd_stack_tree_child(uint32_t caller, uint32_t module, uint64_t address);	/* 0: it is not there */
struct hd_found_frame;
struct hd_last_frame;
/* Nodes for the n frames of now, the innermost first, from `caller` on inwards: each is the node of to[0], to[1] ... False: no room. */
bool hd_stack_tree_add(uint32_t caller, const struct hd_found_frame *now, uint32_t n, struct hd_last_frame *to);

/* ---- thread.c ---- */

enum {
	HD_DEPTH = HD_HEAP_DEPTH,
	HD_FRAME_RULES_FIRST = 1024,
	HD_FRAME_RULES_INSIDE = 16384,
	HD_FRAME_RULES_MAX = 65536,
	HD_DIR = 1024,
	HD_DIRS = 16384
};

/* A slot of the stack and what it held when it was last looked at. */
struct hd_check { const uint64_t *slot; uint64_t value; };
/* One that fails whatever there is: the first of each list, from which those of the outermost frame follow. */
extern const struct hd_check hd_check_end;

/* What was read to leave a frame by its rules. */
enum { HD_READS = 6, HD_CHECKS = HD_READS * HD_DEPTH };
struct hd_reads { uint32_t n; struct hd_check check[HD_READS]; };

/* A frame of the last stack. */
struct hd_last_frame {
	uint64_t pc, sp, fp;
	uint32_t node;
	uint16_t checks; /* the last of the thread's checks that tell whether it and all outside of it is as it was */
	bool needs_fp;			/* what is outside of it depends on fp */
	bool exact;
};

/* One that was just found. */
struct hd_found_frame {
	uint64_t pc, sp, fp;
	struct hd_frame_rule *step;
	uint64_t ra_slot, fp_slot;	/* where its caller's pc and fp were read; fp_slot 0: it was not saved */
	bool exact;
};

/*
 * Stacks that were met (stack_cache.h), one behind the other in a ring: the newest is written over
 * the oldest.  `at` counts all bytes that were ever written.  The outer frames that a deep stack shares with the one
 * before it are not written again:
 *
 *     main run parse add alloc      all checks
 *     ............... grow          one check; the others are the first `outer` ones of the record `link`
 */
enum {
	HD_RING = 256 * 1024,
	HD_CACHED_STACK_CHECKS = 254,
	HD_LINKS = 8,
	HD_LINK_LEAST = 8,
	HD_STACK_CACHE_TAG_BITS = 9,
	HD_STACK_CACHE_TAG_WAYS = 4
};
struct hd_stack_cache_tag { uint64_t hash, at; };
/* Where the return address is in the frame of an allocation's caller; kept for those that come first. */
enum { HD_LEAF_BITS = 8 };
struct hd_leaf { uint64_t pc, off; };
struct hd_cached_stack {
	uint64_t pc, sp, fp;
	struct hd_heap_counter *counter;
	uint64_t link;
	uint16_t n, outer;		/* checks, those of `link` among them */
	bool needs_fp;
	struct hd_check checks[];	/* hd_check_end, then n - outer */
};
/* A record that has checks of the last stack, from this one on. */
struct hd_check_owner { uint64_t at; uint32_t outer; };

struct hd_thread {
	struct hd_thread *next;
	int tid;
	uint32_t map_epoch;
	uintptr_t stack_lo, stack_hi, stack_span;	/* span: from lo to the last word */
	uintptr_t other_lo, other_hi;	/* another stack that it was seen on */
	int64_t delta;			/* of live bytes that no one was told yet */
	uint64_t clock;			/* bytes allocated, likewise */
	void *last;			/* the block allocated last */
	uint64_t left_then;		/* sampled: what was left after it */
	uint64_t told_at;		/* sampled: what was left when the header was told what had passed */
	uint64_t random;
	uint64_t interval;		/* sampled: by which what is left was drawn */
	uint32_t batch;			/* adaptive: samples since `batch_began`, in ns of this thread's time */
	uint64_t batch_began;
	uint32_t room;			/* free counters at `counters` */
	uint32_t move_room;		/* free ones at `moves` */
	uint8_t *counters;
	struct hd_heap_move *moves;
	uint64_t unlooked;		/* bytes and blocks counted since the clock was looked at */
	uint32_t looks;			/* ... how often, since hd_recording_file_poll() was told */
	uint32_t nlast;			/* frames of the last stack, outermost first */
	uint32_t nsteps;
	uint32_t nowners;
	struct hd_check_owner owners[HD_LINKS];	/* of the last stack's checks, each linked to the one before it */
	uint64_t ring_end;
	uint32_t steps_mask;
	struct hd_frame_rule *
		steps; /* open addressing, at most 3/4 full; emptied when it cannot grow; HD_FRAME_RULES_INSIDE of them are behind the thread */
	struct hd_leaf leaves[1 << HD_LEAF_BITS];
	struct hd_stack_cache_tag tags[HD_STACK_CACHE_TAG_WAYS << HD_STACK_CACHE_TAG_BITS];
	char ring[HD_RING] __attribute__((aligned(16)));
	struct hd_last_frame frames[HD_DEPTH];
	struct hd_check checks[1 + HD_CHECKS];	/* the first is hd_check_end */
	struct hd_found_frame now[HD_DEPTH];
	struct hd_reads reads[HD_DEPTH];	/* of those of `now` that were left by rules */
	struct hd_heap_counter **dir[HD_DIRS];	/* by node / HD_DIR, node % HD_DIR */
};

/* Where a thread has its steps once they are many: in one huge page with itself. */
#define HD_THREAD_FRAME_RULES(t) ((struct hd_frame_rule *)((char *)(t) + HD_HUGE) - HD_FRAME_RULES_INSIDE)
_Static_assert(sizeof(struct hd_thread) + HD_FRAME_RULES_INSIDE * sizeof(struct hd_frame_rule) <= HD_HUGE,
	"a thread and its steps fit");

struct hd_tls {
	uint64_t left;			/* bytes to allocate until someone looks, one more for each block */
	uint32_t gen;			/* of the process that `thread` is of; or one of these two */
	uint32_t own_gen;		/* ... while it is HD_BUSY */
	bool own;			/* busy with what itself allocates */
	bool drawn;			/* sampled: `left` was drawn */
	struct hd_thread *thread;
};
#define HD_NOBODY	UINT32_MAX
#define HD_BUSY		(UINT32_MAX - 1)
extern __thread struct hd_tls hd_tls __attribute__((tls_model("initial-exec"), visibility("hidden")));

struct hd_thread *hd_enter_first(void);

/* Has this thread been here, in this process, and is it not in here now?  No process has the number HD_BUSY, and none that is not recorded has a thread. */
static inline bool hd_may_enter(void)
{
	return atomic_load_explicit(&hd_recorder.alive->gen, memory_order_relaxed) == hd_tls.gen;
}

/* When it may.  Every success is followed by hd_leave. */
static inline struct hd_thread *hd_enter_at_once(void)
{
	hd_tls.gen = HD_BUSY;
	__asm__ volatile("" ::: "memory");
	return hd_tls.thread;
}

/* This thread's own, and busy from here on; NULL: it is in here already, or nothing is recorded. */
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
void hd_thread_settle_all(void);	/* with the lock */
uintptr_t hd_thread_other(struct hd_thread *t, uintptr_t sp);
/* Up to where the stack that sp points into may be read. */
static inline uintptr_t hd_thread_top(struct hd_thread *t, uintptr_t sp)
{
	return LIKELY(sp >= t->stack_lo && sp < t->stack_hi) ? t->stack_hi : hd_thread_other(t, sp);
}


/* Where the caller of an exported function stands: both machines keep its frame pointer where ours points to. */
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

/* A return address of aarch64 may be signed in its high bits. */
static inline uint64_t hd_unsigned(uint64_t pc) { return pc & ((1ull << 48) - 1); }

/* ---- unwind.c ---- */

/* The counter of the stack that ends at `from`, which stack_cache.h did not find; NULL: there is no room for it, and that was counted. */
struct hd_heap_counter *hd_unwind_stack(struct hd_thread *t, const struct hd_regs *from);
bool hd_frame_rule_was_met(const struct hd_thread *t, uint64_t pc);	/* as one to return to */
void hd_unwind_stack_forget(struct hd_thread *t);	/* all stacks */

/* ---- slow_unwind.c ---- */

/* From a frame of none of the first two kinds to its caller; what was read is in *reads.  False: the stack ends here. */
bool hd_slow_unwind_frame(const struct hd_thread *t, struct hd_reads *reads, const struct hd_frame_rule *s,
	struct hd_regs *r, uint64_t top);

/* ---- counters.c ---- */

void hd_counter_settle(struct hd_thread *t);	/* tell the common sums what this thread moved */

/* ---- ticks.c ---- */

enum {
	HD_LOOK_AFTER = 16 * 1024,
	HD_LOOK_BLOCK = 1024
}; /* bytes between looks at the clock, and what a block counts for besides */

void hd_tick_begin(bool child);		/* a recording begins, its header is there; of a forked child? */
void hd_tick_look(struct hd_thread *t);
bool hd_tick_advance(void); /* begin a new tick if the one by now is long enough; return true if it is new */
/* A counter is about to change for the first time in this tick. */
void hd_tick_record(struct hd_thread *t, struct hd_heap_counter *c, uint32_t tick);

/* ---- exact.c, sampled.c: behind malloc_hooks.c ---- */

void *hd_exact_malloc(size_t n);
void *hd_exact_calloc(size_t n, size_t size);
void *hd_exact_alloc(size_t n, size_t align, bool zero, const struct hd_regs *from);
void hd_exact_free(void *p);
void *hd_exact_realloc(void *p, size_t n, const struct hd_regs *from);
size_t hd_exact_usable(void *p);

void hd_maps_begin(void);
void hd_sampled_begin(void);
void hd_sampled_settle(struct hd_thread *t);	/* this thread's, what passed since it told last */
void hd_sampled_alloc(void *p, size_t n, const struct hd_regs *from);
void hd_sampled_free(void *p);
/* One counter for each hash of an address; UINT8_MAX stays. */
enum { HD_SAMPLED_FILTER_BITS = 14 };
extern uint8_t hd_sampled_filter[];
static inline unsigned hd_sampled_filter_slot(const void *p)
{
	return ((uint32_t)(uintptr_t)p * 0x9e3779b1u) >> (32 - HD_SAMPLED_FILTER_BITS);
}

#pragma GCC visibility pop

#endif
