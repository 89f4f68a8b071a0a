/*
 * ops.c - operations: per-thread totals, see hd_op_start() in hotdrift.h
 *
 * For each profiler, a thread has a stack of open operations, and one cell of totals per name.  Only this thread writes
 * them.  A report may read the totals at the same time, so they are relaxed atomics (plain loads and stores on 64-bit
 * architectures).  A thread that exits adds its cells to hd_ops_state.gone and frees them, so that memory grows only
 * with the threads that still run.
 *
 * hd_profiler_reset() cannot clear the cells of other threads.  It adds 1 to ops->epoch, the number of resets so far.
 * Each thread has a copy, t->epoch.  When the two differ at its next operation, the thread clears its cells, except the
 * number of open calls.  A report ignores the cells of threads whose copy differs.
 */
#include "track/ops_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	WAYS = 4,			/* number of cache entries in which the cell of a given name may be */
	STACK_MAX = 1 << 24
};

/*
 * The list of all profilers that exist, and its lock.  A thread has one table of operations for each profiler that it
 * used.  When the thread exits, it looks up in the list which of these profilers still exist.  Order of locks: this one
 * before the lock of a part of a profiler (profiler.h).
 */
static pthread_mutex_t profilers_lock = PTHREAD_MUTEX_INITIALIZER;
static struct hd_ops_state *profilers;

/*
 * A table of the calling thread, in the list of all its tables.  last_serial and last_thread are the table that it used
 * last.
 */
struct used {
	uint64_t serial;
	struct hd_op_thread *t;
	struct used *next;
};

static _Thread_local uint64_t last_serial;
static _Thread_local struct hd_op_thread *last_thread;
static pthread_key_t used_key;
static bool has_key;

static void free_thread(struct hd_op_thread *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->nchunks_max; i++)
		free(HD_OP_LOAD(t->chunks[i]));
	free(t->stack);
	free(t->cache);
	free(t->cell_of);
	free(t);
}

/*
 * Called when a thread exits, with ops->lock held.  Add its totals to those of the profiler, count its open calls as
 * unbalanced, and free its table.  If there is no memory, the totals of the names with ids from ops->ngone on are lost.
 */
static void retire(struct hd_ops_state *ops, struct hd_op_thread *t)
{
	struct hd_op_sum *gone = ops->gone;

	if (ops->ngone < ops->names.n) {
		gone = realloc(gone, ops->names.n * sizeof(*gone));
		if (gone) {
			memset(gone + ops->ngone, 0, (ops->names.n - ops->ngone) * sizeof(*gone));
			ops->gone = gone;
			ops->ngone = ops->names.n;
		}
	}
	if (HD_OP_LOAD(t->epoch) == HD_OP_LOAD(ops->epoch))
		ops->unbalanced += HD_OP_LOAD(t->unbalanced) + t->depth;
	for (size_t i = 0; i < t->depth; i++) {		/* calls that will never end are not open any more */
		struct hd_op_cell *c = t->stack[i].cell;

		HD_OP_ADD(c->open, (uint64_t)-1);
	}
	hd_op_sums_add_thread(ops->gone, ops->ngone, t, HD_OP_LOAD(ops->epoch));
	if (t->prev)
		t->prev->next = t->next;
	else
		ops->threads = t->next;
	if (t->next)
		t->next->prev = t->prev;
	free_thread(t);
}

static void thread_exits(void *arg)
{
	struct used *u = arg;

	last_serial = 0;
	last_thread = NULL;
	while (u) {
		struct used *next = u->next;

		pthread_mutex_lock(&profilers_lock);
		for (struct hd_ops_state *ops = profilers; ops; ops = ops->next) {
			if (ops->serial != u->serial)
				continue;
			pthread_mutex_lock(&ops->lock);
			retire(ops, u->t);
			pthread_mutex_unlock(&ops->lock);
			break;
		}
		pthread_mutex_unlock(&profilers_lock);
		free(u);
		u = next;
	}
}

static void create_key(void)
{
	has_key = pthread_key_create(&used_key, thread_exits) == 0;
}

static struct hd_op_thread *new_thread(struct hd_ops_state *ops)
{
	size_t nchunks = (ops->names.max + HD_OP_CHUNK - 1) / HD_OP_CHUNK;
	struct hd_op_thread *t = calloc(1, sizeof(*t) + nchunks * sizeof(t->chunks[0]));

	if (!t)
		return NULL;
	t->nchunks_max = nchunks;
	t->stack_cap = 16;
	t->stack = calloc(t->stack_cap, sizeof(*t->stack));
	t->cache_mask = 63;
	t->cache = calloc(t->cache_mask + WAYS, sizeof(*t->cache));
	if (!t->stack || !t->cache) {
		free_thread(t);
		return NULL;
	}
	t->ops = ops;
	atomic_init(&t->epoch, HD_OP_LOAD(ops->epoch));
	return t;
}

/* Remove from a list the tables whose profiler was freed.  Return the remaining list. */
static struct used *without_freed(struct used *first)
{
	struct used **at = &first;

	pthread_mutex_lock(&profilers_lock);
	while (*at) {
		struct used *u = *at;
		struct hd_ops_state *ops = profilers;

		while (ops && ops->serial != u->serial)
			ops = ops->next;
		if (ops) {
			at = &u->next;
		} else {
			*at = u->next;
			free(u);
		}
	}
	pthread_mutex_unlock(&profilers_lock);
	return first;
}

/*
 * Find or create the table of the calling thread for this profiler.  Returns NULL without memory or without used_key.
 */
static struct hd_op_thread *find_thread(struct hd_ops_state *ops)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct used *first, *u;

	pthread_once(&once, create_key);
	if (!has_key)
		return NULL;
	first = pthread_getspecific(used_key);
	for (u = first; u && u->serial != ops->serial; u = u->next)
		;
	if (!u) {
		struct hd_op_thread *t = new_thread(ops);

		first = without_freed(first);
		pthread_setspecific(used_key, first);
		u = malloc(sizeof(*u));
		if (!u || !t || pthread_setspecific(used_key, u) != 0) {
			free(u);
			free_thread(t);
			return NULL;
		}
		*u = (struct used){ .serial = ops->serial, .t = t, .next = first };
		pthread_mutex_lock(&ops->lock);
		t->next = ops->threads;
		if (t->next)
			t->next->prev = t;
		ops->threads = t;
		pthread_mutex_unlock(&ops->lock);
	}
	last_serial = ops->serial;
	last_thread = u->t;
	return u->t;
}

/*
 * Called at the first operation of a thread after a reset.  Clear the cells of the thread and set t->epoch to the
 * number of resets.  Open operations stay open, and their time starts again now.
 */
static void begin_epoch(struct hd_op_thread *t, uint64_t epoch)
{
	size_t ncells = HD_OP_LOAD(t->ncells);
	uint64_t now = hd_now_ns();

	for (size_t i = 0; i < ncells; i++) {
		struct hd_op_cell *c = &HD_OP_LOAD(t->chunks[i / HD_OP_CHUNK])[i % HD_OP_CHUNK];

		HD_OP_STORE(c->count, 0);
		HD_OP_STORE(c->total_ns, 0);
		HD_OP_STORE(c->self_ns, 0);
		HD_OP_STORE(c->sum_ns, 0);
		HD_OP_STORE(c->min_ns, 0);
		HD_OP_STORE(c->max_ns, 0);
		HD_OP_STORE(c->flops, 0);
		HD_OP_STORE(c->bytes, 0);
	}
	for (size_t i = 0; i < t->depth; i++) {
		t->stack[i].begin_ns = now;
		t->stack[i].nested_ns = 0;
	}
	HD_OP_STORE(t->unbalanced, 0);
	atomic_store_explicit(&t->epoch, epoch, memory_order_release);
}

static struct hd_op_thread *this_thread(struct hd_ops_state *ops)
{
	struct hd_op_thread *t = last_serial == ops->serial ? last_thread : find_thread(ops);
	uint64_t epoch = HD_OP_LOAD(ops->epoch);

	if (t && __builtin_expect(HD_OP_LOAD(t->epoch) != epoch, 0))
		begin_epoch(t, epoch);
	return t;
}

static size_t cache_index(const struct hd_op_thread *t, const char *address)
{
	return (size_t)(((uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u) >> 32) & t->cache_mask;
}

static struct hd_op_cell *cached_cell(struct hd_op_thread *t, const char *name)
{
	struct hd_op_cached *e = &t->cache[cache_index(t, name)];

	for (int i = 0; i < WAYS; i++, e++)
		if (e->address == name && strncmp(e->cell->name, name, HD_NAME_BYTES - 1) == 0)
			return e->cell;
	return NULL;
}

/*
 * Store a cell in the cache, whose key is the address of the name.  If all WAYS entries where the cell may be are used,
 * replace the first of them.
 */
static void cache_cell(struct hd_op_thread *t, const char *name, struct hd_op_cell *c)
{
	struct hd_op_cached *first = &t->cache[cache_index(t, name)], *e = first;

	for (int i = 0; i < WAYS; i++, e++) {
		if (!e->address || e->address == name) {
			*e = (struct hd_op_cached){ name, c };
			return;
		}
	}
	*first = (struct hd_op_cached){ name, c };
}

/* Enlarge the cache and drop its entries.  If there is no memory, the old cache stays. */
static void grow_cache(struct hd_op_thread *t)
{
	size_t mask = 4 * t->cache_mask + 3;
	struct hd_op_cached *cache = calloc(mask + WAYS, sizeof(*cache));

	if (!cache)
		return;
	free(t->cache);
	t->cache = cache;
	t->cache_mask = mask;
}

/* Add a cell for the name with that id.  Returns NULL if there is no memory. */
static struct hd_op_cell *new_cell(struct hd_op_thread *t, uint32_t id, const char *name)
{
	size_t n = HD_OP_LOAD(t->ncells);
	struct hd_op_cell *chunk = HD_OP_LOAD(t->chunks[n / HD_OP_CHUNK]), *c;

	if (!chunk) {
		chunk = calloc(HD_OP_CHUNK, sizeof(*chunk));
		if (!chunk)
			return NULL;
		HD_OP_STORE(t->chunks[n / HD_OP_CHUNK], chunk);
	}
	if (id >= t->ncell_of) {
		size_t cap = id + id / 2 + HD_OP_CHUNK;
		uint32_t *cell_of = realloc(t->cell_of, cap * sizeof(*cell_of));

		if (!cell_of)
			return NULL;
		memset(cell_of + t->ncell_of, 0, (cap - t->ncell_of) * sizeof(*cell_of));
		t->cell_of = cell_of;
		t->ncell_of = cap;
	}
	c = &chunk[n % HD_OP_CHUNK];
	c->name = name;
	c->id = id;
	t->cell_of[id] = (uint32_t)n + 1;
	atomic_store_explicit(&t->ncells, n + 1, memory_order_release);
	if (n > t->cache_mask / 4)
		grow_cache(t);
	return c;
}

static int find_cell(struct hd_op_thread *t, const char *name, struct hd_op_cell **out)
{
	struct hd_ops_state *ops = t->ops;
	const char *text = NULL;
	int64_t id;

	pthread_mutex_lock(&ops->lock);
	id = hd_names_add(&ops->names, name);
	if (id >= 0)
		text = ops->names.texts[id];
	pthread_mutex_unlock(&ops->lock);
	if (id < 0)
		return (int)id;
	if ((size_t)id < t->ncell_of && t->cell_of[id]) {
		size_t i = t->cell_of[id] - 1;

		*out = &HD_OP_LOAD(t->chunks[i / HD_OP_CHUNK])[i % HD_OP_CHUNK];
	} else {
		*out = new_cell(t, (uint32_t)id, text);
		if (!*out)
			return HD_TRACK_NOMEM;
	}
	cache_cell(t, name, *out);
	return HD_TRACK_OK;
}

static int grow_stack(struct hd_op_thread *t)
{
	struct hd_open_op *stack;

	if (t->stack_cap >= STACK_MAX)
		return HD_TRACK_FULL;
	stack = realloc(t->stack, 2 * t->stack_cap * sizeof(*stack));
	if (!stack)
		return HD_TRACK_NOMEM;
	t->stack = stack;
	t->stack_cap *= 2;
	return HD_TRACK_OK;
}

int hd_op_start(struct hd_profiler *p, const char *name)
{
	struct hd_ops_state *ops = hd_profiler_part(p, HD_PART_OPS);
	struct hd_op_thread *t = ops ? this_thread(ops) : NULL;
	struct hd_open_op *o;
	struct hd_op_cell *c;
	int rc;

	if (!t)
		return HD_TRACK_NOMEM;
	if (!name)
		return HD_TRACK_INVALID;
	c = cached_cell(t, name);
	if (!c) {
		rc = find_cell(t, name, &c);
		if (rc < 0)
			return rc;
	}
	if (t->depth == t->stack_cap) {
		rc = grow_stack(t);
		if (rc < 0)
			return rc;
	}
	if (ops->trace)
		hd_event(p, HD_EVENT_BEGIN, name, NULL, 0);
	o = &t->stack[t->depth++];
	o->cell = c;
	o->nested_ns = 0;
	c->depth++;
	HD_OP_ADD(c->open, 1);
	/* must be the last statement, so that the time of this function is not measured */
	o->begin_ns = hd_now_ns();
	return HD_TRACK_OK;
}

/* End the innermost operation at now_ns. */
static void end_op(struct hd_op_thread *t, uint64_t now_ns)
{
	struct hd_open_op *o = &t->stack[--t->depth];
	struct hd_op_cell *c = o->cell;
	/* After a reset, this_thread() lets open operations begin anew, which can be later than now_ns. */
	uint64_t ns = now_ns > o->begin_ns ? now_ns - o->begin_ns : 0, count = HD_OP_LOAD(c->count);

	HD_OP_ADD(c->open, (uint64_t)-1);
	HD_OP_ADD(c->sum_ns, ns);
	HD_OP_ADD(c->self_ns, ns - (o->nested_ns < ns ? o->nested_ns : ns));
	if (!count || ns < HD_OP_LOAD(c->min_ns))
		HD_OP_STORE(c->min_ns, ns);
	if (ns > HD_OP_LOAD(c->max_ns))
		HD_OP_STORE(c->max_ns, ns);
	if (--c->depth == 0)
		HD_OP_ADD(c->total_ns, ns);
	if (t->depth)
		t->stack[t->depth - 1].nested_ns += ns;
	HD_OP_STORE(c->count, count + 1);
}

int hd_op_stop_work(struct hd_profiler *p, const char *name, double flops, double bytes)
{
	uint64_t now = hd_now_ns();	/* read the clock first, so that the time of this function is not measured */
	struct hd_ops_state *ops = hd_profiler_part(p, HD_PART_OPS);
	struct hd_op_thread *t = ops ? this_thread(ops) : NULL;
	struct hd_op_cell *c;
	size_t i;
	int rc;

	if (!t)
		return HD_TRACK_NOMEM;
	if (!name || !(flops >= 0) || !(bytes >= 0) || isinf(flops) || isinf(bytes))
		return HD_TRACK_INVALID;
	if (!t->depth)
		return HD_TRACK_ORDER;
	c = cached_cell(t, name);
	if (!c) {
		rc = find_cell(t, name, &c);
		if (rc < 0)
			return rc;
	}
	if (!c->depth)
		return HD_TRACK_ORDER;
	for (i = t->depth - 1; t->stack[i].cell != c; i--)
		;
	while (t->depth > i + 1) {
		if (ops->trace)
			hd_event(p, HD_EVENT_END, t->stack[t->depth - 1].cell->name, NULL, 0);
		end_op(t, now);
		HD_OP_ADD(t->unbalanced, 1);
	}
	end_op(t, now);
	if (flops > 0)
		HD_OP_ADD(c->flops, flops);
	if (bytes > 0)
		HD_OP_ADD(c->bytes, bytes);
	if (ops->trace)
		hd_event(p, HD_EVENT_END, name, NULL, 0);
	return HD_TRACK_OK;
}

int hd_op_stop(struct hd_profiler *p, const char *name)
{
	return hd_op_stop_work(p, name, 0, 0);
}

struct hd_scope hd_scope_start(struct hd_profiler *p, const char *name)
{
	struct hd_scope scope = { .p = p };

	if (hd_op_start(p, name) == HD_TRACK_OK)
		scope.name = name;
	return scope;
}

void hd_scope_stop(struct hd_scope *scope)
{
	if (scope && scope->name) {
		hd_op_stop(scope->p, scope->name);
		scope->name = NULL;
	}
}

/* ---- functions of struct hd_part_type (profiler.h) ---- */

static int create(void **state, const struct hd_profiler *p)
{
	struct hd_ops_state *ops = calloc(1, sizeof(*ops));

	if (!ops)
		return HD_TRACK_NOMEM;
	ops->serial = p->serial;
	ops->trace = p->config.trace_ops;
	ops->names.max = p->config.names_max;
	pthread_mutex_init(&ops->lock, NULL);
	pthread_mutex_lock(&profilers_lock);
	ops->next = profilers;
	profilers = ops;
	pthread_mutex_unlock(&profilers_lock);
	*state = ops;
	return HD_TRACK_OK;
}

static void reset(void *state)
{
	struct hd_ops_state *ops = state;

	pthread_mutex_lock(&ops->lock);
	atomic_fetch_add(&ops->epoch, 1);
	if (ops->ngone)
		memset(ops->gone, 0, ops->ngone * sizeof(*ops->gone));
	ops->unbalanced = 0;
	pthread_mutex_unlock(&ops->lock);
}

static void release(void *state)
{
	struct hd_ops_state *ops = state, **at;

	pthread_mutex_lock(&profilers_lock);
	for (at = &profilers; *at != ops; at = &(*at)->next)
		;
	*at = ops->next;
	pthread_mutex_unlock(&profilers_lock);
	for (struct hd_op_thread *t = ops->threads, *next; t; t = next) {
		next = t->next;
		free_thread(t);
	}
	pthread_mutex_destroy(&ops->lock);
	hd_names_release(&ops->names);
	free(ops->gone);
	free(ops);
}

static void lock(void *state, bool on)
{
	struct hd_ops_state *ops = state;

	if (on) {
		pthread_mutex_lock(&profilers_lock);
		pthread_mutex_lock(&ops->lock);
	} else {
		pthread_mutex_unlock(&ops->lock);
		pthread_mutex_unlock(&profilers_lock);
	}
}

const struct hd_part_type hd_part_ops = { create, reset, release, lock };
