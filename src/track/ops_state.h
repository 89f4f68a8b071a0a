/*
 * ops_state.h - a profiler's state about operations; shared by ops.c, which writes it, and ops_report.c, which reads it
 *
 * ops.c describes how threads and reports access this state at the same time.
 */
#ifndef HD_TRACK_OPS_STATE_H
#define HD_TRACK_OPS_STATE_H

#include "track/names.h"
#include "track/profiler.h"

#include <pthread.h>
#include <stdatomic.h>

enum { HD_OP_CHUNK = 64 };		/* cells that are allocated at once; they never move */

/* Totals of one name on one thread.  sum_ns has the time of each call; total_ns counts a recursive call once. */
struct hd_op_cell {
	const char *name;
	uint32_t id;			/* id of the name */
	uint32_t depth;			/* number of open calls; used by the owning thread only */
	_Atomic uint64_t count, open, total_ns, self_ns, sum_ns, min_ns, max_ns;
	_Atomic double flops, bytes;
};

struct hd_open_op {
	struct hd_op_cell *cell;
	uint64_t begin_ns, nested_ns;
};

/*
 * A cache entry: the cell of a name.  The key is the address of the name's text.  The text is compared as well, because
 * a caller can reuse a buffer.
 */
struct hd_op_cached {
	const char *address;
	struct hd_op_cell *cell;
};

struct hd_op_thread {
	struct hd_ops_state *ops;
	struct hd_op_thread *prev, *next;	/* neighbours in the list ops->threads */
	_Atomic uint64_t epoch;		/* ops->epoch when the cells were last cleared */
	_Atomic uint64_t unbalanced;
	struct hd_open_op *stack;
	size_t depth, stack_cap;
	struct hd_op_cached *cache;
	size_t cache_mask;
	uint32_t *cell_of;		/* indexed by id of the name: index of its cell plus 1; 0: none */
	size_t ncell_of;
	_Atomic size_t ncells;
	size_t nchunks_max;
	_Atomic(struct hd_op_cell *) chunks[];
};

/* The totals of one name, summed over threads. */
struct hd_op_sum {
	uint64_t count, open, total_ns, self_ns, sum_ns, min_ns, max_ns, busiest_ns;
	double flops, bytes;
	uint32_t threads;
};

struct hd_ops_state {
	uint64_t serial;		/* serial number of the profiler */
	bool trace;
	_Atomic uint64_t epoch;
	struct hd_ops_state *next;	/* next in the list `profilers` of ops.c */
	pthread_mutex_t lock;		/* protects all fields below */
	struct hd_names names;
	struct hd_op_thread *threads;
	struct hd_op_sum *gone;		/* indexed by id of the name: the totals of threads that have exited */
	size_t ngone;
	uint64_t unbalanced;		/* number of unbalanced calls of threads that have exited */
};

#define HD_OP_LOAD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define HD_OP_STORE(x, v) atomic_store_explicit(&(x), (v), memory_order_relaxed)
/* The addition need not be atomic, because only the owning thread writes.  x must have no side effect. */
#define HD_OP_ADD(x, v) HD_OP_STORE(x, HD_OP_LOAD(x) + (v))

/*
 * Add the cells of a thread to the n sums, which are indexed by the id of the name.  Nothing is added if t->epoch is
 * not `epoch`, the number of resets, because the cells are then from before a reset.  Called with ops->lock.
 */
void hd_op_sums_add_thread(struct hd_op_sum *sums, size_t n, struct hd_op_thread *t, uint64_t epoch);

#endif
