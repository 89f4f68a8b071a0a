/*
 * ops.c - operations: per-thread totals, see hd_op_start() in hotdrift.h
 *
 * Each thread has a stack of open operations and one cell of totals per name.  Only this thread writes them; a report
 * reads them at the same time, so the totals are relaxed atomics (plain stores on all machines).  A thread that exits
 * adds its cells to `gone` of the part, so that memory grows with threads that run, not with threads that ran.
 *
 * hd_profiler_reset() cannot clear the cells of other threads.  It raises `epoch`, and each thread clears its own cells
 * at its next operation; a report ignores cells of an older epoch.
 */
#include "track/profiler.h"

#include "track/names.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
	CHUNK = 64,			/* cells that are allocated at once; they never move */
	WAYS = 4,			/* slots of the cache in which a pointer may be */
	STACK_MAX = 1 << 24
};

/* Totals of one name on one thread. */
struct cell {
	const char *name;
	uint32_t id;			/* of the name */
	uint32_t depth;			/* open calls; only the owner uses it */
	_Atomic uint64_t count, open, total_ns, self_ns, sum_ns, min_ns, max_ns;
	_Atomic double flops, bytes;
};

struct open_op {
	struct cell *cell;
	uint64_t begin_ns, nested_ns;
};

/*
 * A cache entry: the cell of a name, by the address of its text.  The text is compared as well,
 * because a buffer can be reused.
 */
struct cached {
	const char *address;
	struct cell *cell;
};

struct op_thread {
	struct ops *ops;
	struct op_thread *prev, *next;	/* in ops->threads */
	_Atomic uint64_t epoch;		/* of the cells */
	_Atomic uint64_t unbalanced;
	struct open_op *stack;
	size_t depth, stack_cap;
	struct cached *cache;
	size_t cache_mask;
	uint32_t *cell_of;		/* by id of the name: index of the cell + 1, or 0 */
	size_t ncell_of;
	_Atomic size_t ncells;
	size_t nchunks_max;
	_Atomic(struct cell *) chunks[];
};

/* Totals of one name over threads. */
struct sum {
	uint64_t count, open, total_ns, self_ns, sum_ns, min_ns, max_ns, busiest_ns;
	double flops, bytes;
	uint32_t threads;
};

struct ops {
	uint64_t serial;		/* of the profiler */
	bool trace;
	_Atomic uint64_t epoch;
	struct ops *next;		/* in `profilers` */
	pthread_mutex_t lock;		/* for all fields below */
	struct hd_names names;
	struct op_thread *threads;
	struct sum *gone;		/* by id of the name; of threads that exited */
	size_t ngone;
	uint64_t unbalanced;		/* of threads that exited */
};

/*
 * All profilers that exist.  A thread that exits checks here which of its tables still have an
 * owner.  This lock is taken before the lock of a part.
 */
static pthread_mutex_t profilers_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ops *profilers;

/* The tables of the calling thread: the one that it used last, and all of them. */
struct used {
	uint64_t serial;
	struct op_thread *t;
	struct used *next;
};

static _Thread_local uint64_t last_serial;
static _Thread_local struct op_thread *last_thread;
static pthread_key_t used_key;
static bool has_key;

#define LOAD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define STORE(x, v) atomic_store_explicit(&(x), (v), memory_order_relaxed)
/* Only the owner writes, so this needs no atomic addition.  x must have no side effect. */
#define ADD(x, v) STORE(x, LOAD(x) + (v))

static void add_cell(struct sum *s, const struct cell *c)
{
	uint64_t count = LOAD(c->count), total = LOAD(c->total_ns);

	if (!count && !LOAD(c->open))
		return;
	if (count && (!s->count || LOAD(c->min_ns) < s->min_ns))
		s->min_ns = LOAD(c->min_ns);
	s->count += count;
	s->open += LOAD(c->open);
	s->total_ns += total;
	s->self_ns += LOAD(c->self_ns);
	s->sum_ns += LOAD(c->sum_ns);
	if (LOAD(c->max_ns) > s->max_ns)
		s->max_ns = LOAD(c->max_ns);
	if (total > s->busiest_ns)
		s->busiest_ns = total;
	s->flops += LOAD(c->flops);
	s->bytes += LOAD(c->bytes);
	s->threads++;
}

/* Add the cells of a thread to the n sums, which are indexed by id. */
static void add_thread(struct sum *sums, size_t n, struct op_thread *t, uint64_t epoch)
{
	size_t ncells = atomic_load_explicit(&t->ncells, memory_order_acquire);

	if (atomic_load_explicit(&t->epoch, memory_order_acquire) != epoch)
		return;
	for (size_t i = 0; i < ncells; i++) {
		const struct cell *c = &LOAD(t->chunks[i / CHUNK])[i % CHUNK];

		if (c->id < n)
			add_cell(&sums[c->id], c);
	}
}

static void free_thread(struct op_thread *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->nchunks_max; i++)
		free(LOAD(t->chunks[i]));
	free(t->stack);
	free(t->cache);
	free(t->cell_of);
	free(t);
}

/* Keep the totals of a thread that exits.  Called with ops->lock.  Without memory they are lost as unbalanced calls. */
static void retire(struct ops *ops, struct op_thread *t)
{
	struct sum *gone = ops->gone;

	if (ops->ngone < ops->names.n) {
		gone = realloc(gone, ops->names.n * sizeof(*gone));
		if (gone) {
			memset(gone + ops->ngone, 0, (ops->names.n - ops->ngone) * sizeof(*gone));
			ops->gone = gone;
			ops->ngone = ops->names.n;
		}
	}
	if (LOAD(t->epoch) == LOAD(ops->epoch))
		ops->unbalanced += LOAD(t->unbalanced) + t->depth;
	for (size_t i = 0; i < t->depth; i++) {		/* calls that will never end are not open any more */
		struct cell *c = t->stack[i].cell;

		ADD(c->open, (uint64_t)-1);
	}
	add_thread(ops->gone, ops->ngone, t, LOAD(ops->epoch));
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
		for (struct ops *ops = profilers; ops; ops = ops->next) {
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

static struct op_thread *new_thread(struct ops *ops)
{
	size_t nchunks = (ops->names.max + CHUNK - 1) / CHUNK;
	struct op_thread *t = calloc(1, sizeof(*t) + nchunks * sizeof(t->chunks[0]));

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
	atomic_init(&t->epoch, LOAD(ops->epoch));
	return t;
}

/* Remove the tables of profilers that were freed from a list. */
static struct used *without_freed(struct used *first)
{
	struct used **at = &first;

	pthread_mutex_lock(&profilers_lock);
	while (*at) {
		struct used *u = *at;
		struct ops *ops = profilers;

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

/* Find or create the tables of the calling thread. */
static struct op_thread *find_thread(struct ops *ops)
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
		struct op_thread *t = new_thread(ops);

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

/* Clear the cells after a reset.  Open operations stay open and begin now. */
static void begin_epoch(struct op_thread *t, uint64_t epoch)
{
	size_t ncells = LOAD(t->ncells);
	uint64_t now = hd_now_ns();

	for (size_t i = 0; i < ncells; i++) {
		struct cell *c = &LOAD(t->chunks[i / CHUNK])[i % CHUNK];

		STORE(c->count, 0);
		STORE(c->total_ns, 0);
		STORE(c->self_ns, 0);
		STORE(c->sum_ns, 0);
		STORE(c->min_ns, 0);
		STORE(c->max_ns, 0);
		STORE(c->flops, 0);
		STORE(c->bytes, 0);
	}
	for (size_t i = 0; i < t->depth; i++) {
		t->stack[i].begin_ns = now;
		t->stack[i].nested_ns = 0;
	}
	STORE(t->unbalanced, 0);
	atomic_store_explicit(&t->epoch, epoch, memory_order_release);
}

static struct op_thread *this_thread(struct ops *ops)
{
	struct op_thread *t = last_serial == ops->serial ? last_thread : find_thread(ops);
	uint64_t epoch = LOAD(ops->epoch);

	if (t && __builtin_expect(LOAD(t->epoch) != epoch, 0))
		begin_epoch(t, epoch);
	return t;
}

static size_t cache_index(const struct op_thread *t, const char *address)
{
	return (size_t)(((uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u) >> 32) & t->cache_mask;
}

static struct cell *cached_cell(struct op_thread *t, const char *name)
{
	struct cached *e = &t->cache[cache_index(t, name)];

	for (int i = 0; i < WAYS; i++, e++)
		if (e->address == name && strncmp(e->cell->name, name, HD_NAME_BYTES - 1) == 0)
			return e->cell;
	return NULL;
}

/*
 * Store a cell in the cache, whose key is the address of the name.  If all WAYS entries are used,
 * replace the first one.
 */
static void cache_cell(struct op_thread *t, const char *name, struct cell *c)
{
	struct cached *first = &t->cache[cache_index(t, name)], *e = first;

	for (int i = 0; i < WAYS; i++, e++) {
		if (!e->address || e->address == name) {
			*e = (struct cached){ name, c };
			return;
		}
	}
	*first = (struct cached){ name, c };
}

/* Enlarge the cache and drop its entries.  If there is no memory, the old cache stays. */
static void grow_cache(struct op_thread *t)
{
	size_t mask = 4 * t->cache_mask + 3;
	struct cached *cache = calloc(mask + WAYS, sizeof(*cache));

	if (!cache)
		return;
	free(t->cache);
	t->cache = cache;
	t->cache_mask = mask;
}

/* Add a cell for the name with that id. */
static struct cell *new_cell(struct op_thread *t, uint32_t id, const char *name)
{
	size_t n = LOAD(t->ncells);
	struct cell *chunk = LOAD(t->chunks[n / CHUNK]), *c;

	if (!chunk) {
		chunk = calloc(CHUNK, sizeof(*chunk));
		if (!chunk)
			return NULL;
		STORE(t->chunks[n / CHUNK], chunk);
	}
	if (id >= t->ncell_of) {
		size_t cap = id + id / 2 + CHUNK;
		uint32_t *cell_of = realloc(t->cell_of, cap * sizeof(*cell_of));

		if (!cell_of)
			return NULL;
		memset(cell_of + t->ncell_of, 0, (cap - t->ncell_of) * sizeof(*cell_of));
		t->cell_of = cell_of;
		t->ncell_of = cap;
	}
	c = &chunk[n % CHUNK];
	c->name = name;
	c->id = id;
	t->cell_of[id] = (uint32_t)n + 1;
	atomic_store_explicit(&t->ncells, n + 1, memory_order_release);
	if (n > t->cache_mask / 4)
		grow_cache(t);
	return c;
}

static int find_cell(struct op_thread *t, const char *name, struct cell **out)
{
	struct ops *ops = t->ops;
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

		*out = &LOAD(t->chunks[i / CHUNK])[i % CHUNK];
	} else {
		*out = new_cell(t, (uint32_t)id, text);
		if (!*out)
			return HD_TRACK_NOMEM;
	}
	cache_cell(t, name, *out);
	return HD_TRACK_OK;
}

static int grow_stack(struct op_thread *t)
{
	struct open_op *stack;

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
	struct ops *ops = hd_profiler_part(p, HD_PART_OPS);
	struct op_thread *t = ops ? this_thread(ops) : NULL;
	struct open_op *o;
	struct cell *c;
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
	ADD(c->open, 1);
	o->begin_ns = hd_now_ns();	/* last, so that the time of this function is not measured */
	return HD_TRACK_OK;
}

/* End the innermost operation at now_ns. */
static void end_op(struct op_thread *t, uint64_t now_ns)
{
	struct open_op *o = &t->stack[--t->depth];
	struct cell *c = o->cell;
	uint64_t ns = now_ns - o->begin_ns, count = LOAD(c->count);

	ADD(c->open, (uint64_t)-1);
	ADD(c->sum_ns, ns);
	ADD(c->self_ns, ns - (o->nested_ns < ns ? o->nested_ns : ns));
	if (!count || ns < LOAD(c->min_ns))
		STORE(c->min_ns, ns);
	if (ns > LOAD(c->max_ns))
		STORE(c->max_ns, ns);
	if (--c->depth == 0)
		ADD(c->total_ns, ns);
	if (t->depth)
		t->stack[t->depth - 1].nested_ns += ns;
	STORE(c->count, count + 1);
}

int hd_op_stop_work(struct hd_profiler *p, const char *name, double flops, double bytes)
{
	uint64_t now = hd_now_ns();	/* first, as in hd_op_start() */
	struct ops *ops = hd_profiler_part(p, HD_PART_OPS);
	struct op_thread *t = ops ? this_thread(ops) : NULL;
	struct cell *c;
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
		ADD(t->unbalanced, 1);
	}
	end_op(t, now);
	if (flops > 0)
		ADD(c->flops, flops);
	if (bytes > 0)
		ADD(c->bytes, bytes);
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

/* ---- reports ---- */

static struct hd_op op_of(const char *name, const struct sum *s)
{
	double total_s = (double)s->total_ns / 1e9;

	return (struct hd_op){
		.name = name, .count = s->count, .open = s->open, .total_ns = s->total_ns, .self_ns = s->self_ns,
		.min_ns = s->min_ns, .max_ns = s->max_ns,
		.mean_ns = s->count ? (double)s->sum_ns / (double)s->count : 0,
		.flops = s->flops, .bytes = s->bytes,
		.gflops_per_s = s->flops > 0 && total_s > 0 ? s->flops / total_s / 1e9 : NAN,
		.gbytes_per_s = s->bytes > 0 && total_s > 0 ? s->bytes / total_s / 1e9 : NAN,
		.threads = s->threads, .busiest_thread_ns = s->busiest_ns,
	};
}

static int larger_first(double a, double b)
{
	return a > b ? -1 : a < b;
}

static int compare_ops(const void *x, const void *y, void *order)
{
	const struct hd_op *a = x, *b = y;
	int c = 0;

	switch (*(const enum hd_op_order *)order) {
	case HD_OPS_BY_TIME: c = larger_first((double)a->total_ns, (double)b->total_ns); break;
	case HD_OPS_BY_CALLS: c = larger_first((double)a->count, (double)b->count); break;
	case HD_OPS_BY_FLOPS: c = larger_first(a->flops, b->flops); break;
	}
	return c ? c : strcmp(a->name, b->name);
}

/* Add up all threads.  Called with ops->lock. */
static int sum_threads(struct ops *ops, struct hd_op **out, size_t *nout)
{
	size_t n = ops->names.n;
	struct sum *sums = calloc(n + 1, sizeof(*sums));
	struct hd_op *rows = calloc(n + 1, sizeof(*rows));

	if (!sums || !rows) {
		free(sums);
		free(rows);
		return HD_TRACK_NOMEM;
	}
	if (ops->ngone)
		memcpy(sums, ops->gone, ops->ngone * sizeof(*sums));
	for (struct op_thread *t = ops->threads; t; t = t->next)
		add_thread(sums, n, t, LOAD(ops->epoch));
	*nout = 0;
	for (size_t i = 0; i < n; i++)
		if (sums[i].count || sums[i].open)
			rows[(*nout)++] = op_of(ops->names.texts[i], &sums[i]);
	free(sums);
	*out = rows;
	return HD_TRACK_OK;
}

int64_t hd_ops(struct hd_profiler *p, enum hd_op_order order, struct hd_op *out, size_t cap)
{
	struct ops *ops = hd_profiler_part(p, HD_PART_OPS);
	struct hd_op *rows;
	size_t n;
	int rc;

	if (!ops)
		return HD_TRACK_NOMEM;
	if ((unsigned)order > HD_OPS_BY_FLOPS || (cap && !out))
		return HD_TRACK_INVALID;
	pthread_mutex_lock(&ops->lock);
	rc = sum_threads(ops, &rows, &n);
	pthread_mutex_unlock(&ops->lock);
	if (rc < 0)
		return rc;
	qsort_r(rows, n, sizeof(*rows), compare_ops, &order);
	if (cap && n)
		memcpy(out, rows, (n < cap ? n : cap) * sizeof(*rows));
	free(rows);
	return (int64_t)n;
}

uint64_t hd_ops_unbalanced(struct hd_profiler *p)
{
	struct ops *ops = hd_profiler_part(p, HD_PART_OPS);
	uint64_t n;

	if (!ops)
		return 0;
	pthread_mutex_lock(&ops->lock);
	n = ops->unbalanced;
	for (struct op_thread *t = ops->threads; t; t = t->next)
		if (LOAD(t->epoch) == LOAD(ops->epoch))
			n += LOAD(t->unbalanced);
	pthread_mutex_unlock(&ops->lock);
	return n;
}

/* ---- the part ---- */

static int create(void **state, const struct hd_profiler *p)
{
	struct ops *ops = calloc(1, sizeof(*ops));

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
	struct ops *ops = state;

	pthread_mutex_lock(&ops->lock);
	atomic_fetch_add(&ops->epoch, 1);
	if (ops->ngone)
		memset(ops->gone, 0, ops->ngone * sizeof(*ops->gone));
	ops->unbalanced = 0;
	pthread_mutex_unlock(&ops->lock);
}

static void release(void *state)
{
	struct ops *ops = state, **at;

	pthread_mutex_lock(&profilers_lock);
	for (at = &profilers; *at != ops; at = &(*at)->next)
		;
	*at = ops->next;
	pthread_mutex_unlock(&profilers_lock);
	for (struct op_thread *t = ops->threads, *next; t; t = next) {
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
	struct ops *ops = state;

	if (on) {
		pthread_mutex_lock(&profilers_lock);
		pthread_mutex_lock(&ops->lock);
	} else {
		pthread_mutex_unlock(&ops->lock);
		pthread_mutex_unlock(&profilers_lock);
	}
}

const struct hd_part_type hd_part_ops = { create, reset, release, lock };
