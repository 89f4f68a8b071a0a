/*
 * memory_scope.c - see memory_scope.h
 *
 * hd_memory_scope.private_ holds, for a started scope: a constant that marks it as started, the process and thread, the
 * totals at the start (bytes allocated and freed, by the thread and by the process), the resident memory, and the
 * method of counting.
 */
#include "track/memory_scope.h"

#include "track/process_memory.h"
#include "track/profiler.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MARK, OWNER, TOTALS, RSS = TOTALS + 4, METHOD };
enum { THREAD_ALLOCATED, THREAD_FREED, ALLOCATED, FREED };
static const uint64_t started = 0x48446d656d736370u;

_Static_assert(METHOD < sizeof(struct hd_memory_scope) / sizeof(uint64_t), "the scope has room for its fields");

/* The type of hd_heap_totals_1(), which preload/totals.c defines and describes. */
typedef int heap_totals_fn(uint64_t out[4]);

/*
 * Return the function of libhotdrift-heap.so that reads the totals of this heap recorder; NULL if it is not preloaded.
 * dlsym() may allocate, so it is called only once.
 */
static heap_totals_fn *heap_totals(void)
{
	static _Atomic(heap_totals_fn *) found;
	static atomic_bool looked;
	heap_totals_fn *function = NULL;
	void *symbol;

	if (!atomic_load(&looked)) {
		symbol = dlsym(RTLD_DEFAULT, "hd_heap_totals_1");
		memcpy(&function, &symbol, sizeof(function));
		atomic_store(&found, function);
		atomic_store(&looked, true);
	}
	return atomic_load(&found);
}

/*
 * The next two functions read the totals, one from the heap recorder, the other from the C library.  They return
 * HD_TRACK_OK or UNSUPPORTED.
 */
static int read_heap(uint64_t totals[4])
{
	heap_totals_fn *function = heap_totals();

	return function && function(totals) ? HD_TRACK_OK : HD_TRACK_UNSUPPORTED;
}

static int read_statistics(uint64_t totals[4])
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
	struct mallinfo2 info = mallinfo2();

	memset(totals, 0, 4 * sizeof(*totals));
	totals[ALLOCATED] = info.uordblks + info.hblkhd;
	return HD_TRACK_OK;
#else
	(void)totals;
	return HD_TRACK_UNSUPPORTED;
#endif
}

/* Return the ids of the process and of the thread as one number. */
static uint64_t owner(void)
{
	return (uint64_t)getpid() << 32 | (uint32_t)syscall(SYS_gettid);
}

int hd_memory_scope_start(struct hd_profiler *p, struct hd_memory_scope *scope)
{
	uint64_t *s;
	int rc;

	if (!scope)
		return HD_TRACK_INVALID;
	/* If p is HD_GLOBAL, this creates the global profiler now, so that its memory does not count in the scope. */
	if (!hd_profiler_part(p, HD_PART_MEMORY))
		return HD_TRACK_NOMEM;
	s = scope->private_;
	s[MARK] = 0;
	s[OWNER] = owner();
	if (hd_process_memory_rss(&s[RSS]) < 0)
		s[RSS] = 0;
	s[METHOD] = HD_MEMORY_HEAP_LIBRARY;
	rc = read_heap(&s[TOTALS]);
	if (rc < 0) {
		s[METHOD] = HD_MEMORY_MALLOC_STATISTICS;
		rc = read_statistics(&s[TOTALS]);
	}
	if (rc >= 0)
		s[MARK] = started;
	return rc;
}

/* Set *out from the totals before and after the scope. */
static void compare(struct hd_memory_scope_result *out, const uint64_t before[4], const uint64_t after[4],
		    bool same_thread)
{
	if (out->method == HD_MEMORY_MALLOC_STATISTICS) {
		bool grown = after[ALLOCATED] >= before[ALLOCATED];

		out->allocated_bytes = grown ? after[ALLOCATED] - before[ALLOCATED] : 0;
		out->freed_bytes = grown ? 0 : before[ALLOCATED] - after[ALLOCATED];
		return;
	}
	out->allocated_bytes = after[ALLOCATED] - before[ALLOCATED];
	out->freed_bytes = after[FREED] - before[FREED];
	if (!same_thread)
		return;
	out->thread_allocated_bytes = after[THREAD_ALLOCATED] - before[THREAD_ALLOCATED];
	out->thread_freed_bytes = after[THREAD_FREED] - before[THREAD_FREED];
}

static void add_to(struct hd_memory_scope_total *t, const struct hd_memory_scope_result *r)
{
	t->method = r->method;
	t->count++;
	t->thread_allocated_bytes += r->thread_allocated_bytes;
	t->thread_freed_bytes += r->thread_freed_bytes;
	t->allocated_bytes += r->allocated_bytes;
	t->freed_bytes += r->freed_bytes;
	t->rss_delta_bytes += r->rss_delta_bytes;
	if (r->allocated_bytes > t->largest_bytes)
		t->largest_bytes = r->allocated_bytes;
}

static int record(struct hd_memory_state *memory, const char *name, const struct hd_memory_scope_result *r)
{
	struct hd_memory_scope_total fresh = { .count = 0 };
	struct hd_memory_scope_total *rows;
	int rc = HD_TRACK_OK;
	size_t i = 0;

	memcpy(fresh.name, name, strnlen(name, HD_NAME_BYTES - 1));
	hd_row_log_lock(&memory->scopes, true);
	rows = memory->scopes.rows;
	while (i < memory->scopes.n && strcmp(rows[i].name, fresh.name))
		i++;
	if (i == memory->scopes.n)
		rc = i < memory->names_max ? hd_row_log_add_locked(&memory->scopes, &fresh) : HD_TRACK_FULL;
	rows = memory->scopes.rows;
	if (rc >= 0)
		add_to(&rows[i], r);
	hd_row_log_lock(&memory->scopes, false);
	return rc;
}

int hd_memory_scope_stop(struct hd_profiler *p, struct hd_memory_scope *scope, const char *name,
			 struct hd_memory_scope_result *out)
{
	struct hd_memory_scope_result result = { .method = HD_MEMORY_HEAP_LIBRARY };
	struct hd_memory_state *memory;
	uint64_t after[4], rss, now = owner();
	const uint64_t *s;
	int rc;

	if (!scope || !name || !*name)
		return HD_TRACK_INVALID;
	s = scope->private_;
	if (s[MARK] != started || s[OWNER] >> 32 != now >> 32)
		return HD_TRACK_ORDER;
	result.method = (enum hd_memory_method)s[METHOD];
	rc = result.method == HD_MEMORY_HEAP_LIBRARY ? read_heap(after) : read_statistics(after);
	if (rc < 0)
		return rc;
	compare(&result, &s[TOTALS], after, s[OWNER] == now);
	if (s[RSS] && hd_process_memory_rss(&rss) >= 0)
		result.rss_delta_bytes = (int64_t)(rss - s[RSS]);
	scope->private_[MARK] = 0;
	if (out)
		*out = result;
	memory = hd_profiler_part(p, HD_PART_MEMORY);
	return memory ? record(memory, name, &result) : HD_TRACK_NOMEM;
}

static int by_bytes(const void *pa, const void *pb)
{
	const struct hd_memory_scope_total *a = pa, *b = pb;

	if (a->allocated_bytes != b->allocated_bytes)
		return a->allocated_bytes < b->allocated_bytes ? 1 : -1;
	return strcmp(a->name, b->name);
}

int64_t hd_memory_scope_totals(struct hd_profiler *p, struct hd_memory_scope_total **out)
{
	struct hd_memory_state *memory = hd_profiler_part(p, HD_PART_MEMORY);
	void *copy = NULL;
	int64_t n = memory ? hd_row_log_copy(&memory->scopes, &copy) : HD_TRACK_NOMEM;

	*out = copy;
	if (n > 1)
		qsort(copy, (size_t)n, sizeof(**out), by_bytes);
	return n;
}
