/*
 * allocs.c - allocations by name, see hd_record_alloc() in hotdrift.h
 *
 * The live blocks are in a hash table, by address.  The totals are in the table of names.  The report has, for each
 * name, the live bytes when the sum over all names was at its peak.  Copying these bytes for all names at each new peak
 * would be slow.  Instead, `peaks` counts the peaks so far.  When the live bytes of a name are about to change for the
 * first time since the latest peak, note_peak() stores them first.
 */
#include "track/profiler.h"

#include "track/names.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct live_block {
	uintptr_t address;
	uint64_t bytes, at_ns;
	uint32_t name;
	bool used;
};

struct alloc_name {
	uint64_t blocks, bytes, live_blocks, live_bytes, peak_bytes;
	/*
	 * at_peak_bytes is the value of live_bytes at peak number `peak`.  If allocs.peaks is larger than `peak`,
	 * live_bytes has not changed since the latest peak, so live_bytes itself is the value at that peak.
	 */
	uint64_t at_peak_bytes, peak;
};

struct allocs {
	pthread_mutex_t lock;
	struct hd_names names;		/* the row of each name is a struct alloc_name */
	struct live_block *slots;	/* open addressing with linear probing */
	size_t nslots, nlive;		/* nslots: a power of two, or 0 */
	struct hd_alloc_sum sum;
	uint64_t peaks;
};

/* Return the row of a name. */
static struct alloc_name *row_of(const struct allocs *a, size_t id)
{
	return &((struct alloc_name *)a->names.rows)[id];
}

static size_t home_of(const struct allocs *a, uintptr_t address)
{
	return (size_t)(((uint64_t)address * 0x9e3779b97f4a7c15u) >> 20) & (a->nslots - 1);
}

/* Return the slot of the hash table that contains the block at an address, or the free slot to insert it at. */
static struct live_block *block_of(struct allocs *a, uintptr_t address)
{
	size_t i = home_of(a, address);

	while (a->slots[i].used && a->slots[i].address != address)
		i = (i + 1) & (a->nslots - 1);
	return &a->slots[i];
}

static int reserve_block(struct allocs *a)
{
	struct live_block *old = a->slots, *slots;
	size_t nold = a->nslots, n = nold ? 2 * nold : 256;

	if (2 * (a->nlive + 1) <= nold)
		return HD_TRACK_OK;
	slots = calloc(n, sizeof(*slots));
	if (!slots)
		return HD_TRACK_NOMEM;
	a->slots = slots;
	a->nslots = n;
	for (size_t i = 0; i < nold; i++)
		if (old[i].used)
			*block_of(a, old[i].address) = old[i];
	free(old);
	return HD_TRACK_OK;
}

/* Empty a slot of the hash table.  Move later blocks back that a lookup would otherwise no longer find. */
static void clear_slot(struct allocs *a, struct live_block *b)
{
	size_t hole = (size_t)(b - a->slots), mask = a->nslots - 1;

	for (size_t i = (hole + 1) & mask; a->slots[i].used; i = (i + 1) & mask) {
		size_t home = home_of(a, a->slots[i].address);

		if (((i - home) & mask) >= ((i - hole) & mask)) {
			a->slots[hole] = a->slots[i];
			hole = i;
		}
	}
	a->slots[hole].used = false;
}

/*
 * Called before live_bytes of a name changes.  If the sum of all names had a new peak since live_bytes last changed,
 * store live_bytes as the value at that peak.
 */
static void note_peak(struct allocs *a, struct alloc_name *n)
{
	if (n->peak != a->peaks) {
		n->at_peak_bytes = n->live_bytes;
		n->peak = a->peaks;
	}
}

static void remove_block(struct allocs *a, struct live_block *b)
{
	struct alloc_name *n = row_of(a, b->name);

	note_peak(a, n);
	n->live_blocks--;
	n->live_bytes -= b->bytes;
	a->sum.live_blocks--;
	a->sum.live_bytes -= b->bytes;
	a->nlive--;
	clear_slot(a, b);
}

static void add_block(struct allocs *a, uint32_t id, uintptr_t address, uint64_t bytes)
{
	struct live_block *b = block_of(a, address);
	struct alloc_name *n = row_of(a, id);

	if (b->used) {
		remove_block(a, b);
		b = block_of(a, address);
	}
	note_peak(a, n);
	*b = (struct live_block){ .address = address, .bytes = bytes, .at_ns = hd_now_ns(), .name = id, .used = true };
	a->nlive++;
	n->blocks++;
	n->bytes += bytes;
	n->live_blocks++;
	n->live_bytes += bytes;
	if (n->live_bytes > n->peak_bytes)
		n->peak_bytes = n->live_bytes;
	a->sum.blocks++;
	a->sum.bytes += bytes;
	a->sum.live_blocks++;
	a->sum.live_bytes += bytes;
	if (a->sum.live_bytes > a->sum.peak_bytes) {
		a->sum.peak_bytes = a->sum.live_bytes;
		a->peaks++;
	}
}

int hd_record_alloc(struct hd_profiler *p, const char *name, const void *address, uint64_t bytes)
{
	struct allocs *a = hd_profiler_part(p, HD_PART_ALLOCS);
	int64_t id;
	int rc;

	if (!a)
		return HD_TRACK_NOMEM;
	if (bytes > INT64_MAX / 2)
		return HD_TRACK_INVALID;
	pthread_mutex_lock(&a->lock);
	id = hd_names_add(&a->names, name);
	rc = id < 0 ? (int)id : reserve_block(a);
	if (rc == HD_TRACK_OK)
		add_block(a, (uint32_t)id, (uintptr_t)address, bytes);
	pthread_mutex_unlock(&a->lock);
	return rc;
}

int hd_record_free(struct hd_profiler *p, const void *address)
{
	struct allocs *a = hd_profiler_part(p, HD_PART_ALLOCS);
	struct live_block *b;
	int rc = HD_TRACK_ORDER;

	if (!a)
		return HD_TRACK_NOMEM;
	pthread_mutex_lock(&a->lock);
	if (a->nslots) {
		b = block_of(a, (uintptr_t)address);
		if (b->used) {
			remove_block(a, b);
			rc = HD_TRACK_OK;
		}
	}
	pthread_mutex_unlock(&a->lock);
	return rc;
}

/* ---- reports ---- */

static int compare_allocs(const void *x, const void *y)
{
	const struct hd_alloc *a = x, *b = y;

	if (a->live_bytes != b->live_bytes)
		return a->live_bytes > b->live_bytes ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return strcmp(a->name, b->name);
}

/*
 * Write one row to `rows` for each name with blocks, at most a->names.n.  Returns the number of rows.  The caller holds
 * a->lock.
 */
static size_t alloc_rows(const struct allocs *a, struct hd_alloc *rows)
{
	uint64_t now = hd_now_ns();
	size_t n = 0;

	for (size_t i = 0; i < a->names.n; i++) {
		const struct alloc_name *of = row_of(a, i);

		rows[i] = (struct hd_alloc){
			.name = a->names.texts[i], .blocks = of->blocks, .bytes = of->bytes,
			.live_blocks = of->live_blocks, .live_bytes = of->live_bytes, .peak_bytes = of->peak_bytes,
			.peak_share_bytes = of->peak == a->peaks ? of->at_peak_bytes : of->live_bytes,
		};
	}
	for (size_t i = 0; i < a->nslots; i++) {
		const struct live_block *b = &a->slots[i];
		struct hd_alloc *row = &rows[b->name];
		uint64_t age = now > b->at_ns ? now - b->at_ns : 0;

		if (!b->used)
			continue;
		row->mean_age_ns += age / row_of(a, b->name)->live_blocks;
		if (age > row->oldest_ns)
			row->oldest_ns = age;
	}
	for (size_t i = 0; i < a->names.n; i++)
		if (rows[i].blocks || rows[i].live_blocks)
			rows[n++] = rows[i];
	return n;
}

int64_t hd_allocs(struct hd_profiler *p, struct hd_alloc *out, size_t cap)
{
	struct allocs *a = hd_profiler_part(p, HD_PART_ALLOCS);
	struct hd_alloc *rows;
	size_t n = 0;

	if (!a)
		return HD_TRACK_NOMEM;
	if (cap && !out)
		return HD_TRACK_INVALID;
	pthread_mutex_lock(&a->lock);
	rows = calloc(a->names.n + 1, sizeof(*rows));
	if (rows)
		n = alloc_rows(a, rows);
	pthread_mutex_unlock(&a->lock);
	if (!rows)
		return HD_TRACK_NOMEM;
	qsort(rows, n, sizeof(*rows), compare_allocs);
	return hd_profiler_give_rows(out, cap, rows, n, sizeof(*rows));
}

int hd_alloc_sum(struct hd_profiler *p, struct hd_alloc_sum *out)
{
	struct allocs *a = hd_profiler_part(p, HD_PART_ALLOCS);

	if (!a)
		return HD_TRACK_NOMEM;
	if (!out)
		return HD_TRACK_INVALID;
	pthread_mutex_lock(&a->lock);
	*out = a->sum;
	pthread_mutex_unlock(&a->lock);
	return HD_TRACK_OK;
}

/* ---- functions of struct hd_part_type (profiler.h) ---- */

static int create(void **state, const struct hd_profiler *p)
{
	struct allocs *a = calloc(1, sizeof(*a));

	if (!a)
		return HD_TRACK_NOMEM;
	a->names.max = p->config.names_max;
	a->names.row_size = sizeof(struct alloc_name);
	pthread_mutex_init(&a->lock, NULL);
	*state = a;
	return HD_TRACK_OK;
}

/*
 * Clear all totals and drop all blocks.  If a block that was allocated before the reset is freed later,
 * hd_record_free() does not find it and returns HD_TRACK_ORDER.
 */
static void reset(void *state)
{
	struct allocs *a = state;

	pthread_mutex_lock(&a->lock);
	if (a->names.n)
		memset(a->names.rows, 0, a->names.n * a->names.row_size);
	if (a->nslots)
		memset(a->slots, 0, a->nslots * sizeof(*a->slots));
	a->nlive = 0;
	a->peaks = 0;
	a->sum = (struct hd_alloc_sum){ 0 };
	pthread_mutex_unlock(&a->lock);
}

static void release(void *state)
{
	struct allocs *a = state;

	pthread_mutex_destroy(&a->lock);
	hd_names_release(&a->names);
	free(a->slots);
	free(a);
}

static void lock(void *state, bool on)
{
	struct allocs *a = state;

	hd_part_lock(&a->lock, on);
}

const struct hd_part_type hd_part_allocs = { create, reset, release, lock };
