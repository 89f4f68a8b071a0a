/*
 * timeline.c - a bounded ring of events, see hd_event() in hotdrift.h
 *
 * The ring is allocated by the first event.  An event stores ids of names instead of texts, so that all events have the
 * same size.
 */
#include "track/timeline.h"

#include "track/names.h"
#include "track/profiler.h"
#include "track/thread_id.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct ring_arg {
	uint32_t key, text;		/* ids of names; text: id + 1, or 0 for a number */
	double number;
};

struct ring_event {
	uint64_t t_ns;
	uint32_t tid, name;
	uint8_t kind, nargs;
	struct ring_arg args[HD_EVENT_ARGS];
};

struct timeline {
	pthread_mutex_t lock;
	struct hd_names names;
	struct ring_event *ring;
	size_t cap;
	uint64_t added;			/* event i is in slot i % cap */
};

/*
 * Add the arguments to an event.  Returns HD_TRACK_FULL if some were dropped: the event or the table of names is full,
 * there is no memory, or a key is invalid.
 */
static int add_args(struct timeline *tl, struct ring_event *e, const struct hd_event_arg *args, size_t n)
{
	int rc = n > HD_EVENT_ARGS ? HD_TRACK_FULL : HD_TRACK_OK;

	for (size_t i = 0; i < n && i < HD_EVENT_ARGS; i++) {
		struct ring_arg *arg = &e->args[e->nargs];
		int64_t key = hd_names_add(&tl->names, args[i].key), text = 0;

		/* An empty text is a valid value, but not a valid name; it is stored as a blank. */
		if (key >= 0 && args[i].text)
			text = hd_names_add(&tl->names, *args[i].text ? args[i].text : " ") + 1;
		if (key < 0 || text < 0 || (args[i].text && !text)) {
			rc = HD_TRACK_FULL;
			continue;
		}
		*arg = (struct ring_arg){ (uint32_t)key, (uint32_t)text, args[i].number };
		e->nargs++;
	}
	return rc;
}

int hd_event(struct hd_profiler *p, enum hd_event_kind kind, const char *name, const struct hd_event_arg *args,
	size_t n)
{
	struct timeline *tl = hd_profiler_part(p, HD_PART_TIMELINE);
	struct ring_event e = { .tid = hd_thread_id(), .kind = (uint8_t)kind };
	int64_t rc;

	if (!tl)
		return HD_TRACK_NOMEM;
	if ((unsigned)kind > HD_EVENT_CUSTOM || (n && !args))
		return HD_TRACK_INVALID;
	pthread_mutex_lock(&tl->lock);
	if (!tl->ring)
		tl->ring = calloc(tl->cap, sizeof(*tl->ring));
	rc = tl->ring ? hd_names_add(&tl->names, name) : HD_TRACK_NOMEM;
	if (rc >= 0) {
		e.name = (uint32_t)rc;
		rc = add_args(tl, &e, args, n);
		e.t_ns = hd_now_ns();	/* read the clock with the lock held, so that the ring is in order of time */
		tl->ring[tl->added++ % tl->cap] = e;
	}
	pthread_mutex_unlock(&tl->lock);
	return (int)rc;
}

int hd_timeline_sum(struct hd_profiler *p, struct hd_timeline_sum *out)
{
	struct timeline *tl = hd_profiler_part(p, HD_PART_TIMELINE);

	if (!tl)
		return HD_TRACK_NOMEM;
	if (!out)
		return HD_TRACK_INVALID;
	pthread_mutex_lock(&tl->lock);
	out->events = tl->added;
	out->kept = tl->added < tl->cap ? tl->added : tl->cap;
	out->dropped = out->events - out->kept;
	pthread_mutex_unlock(&tl->lock);
	return HD_TRACK_OK;
}

static void copy_event(struct hd_timeline_event *out, const struct timeline *tl, const struct ring_event *e)
{
	char **texts = tl->names.texts;

	*out = (struct hd_timeline_event){ .t_ns = e->t_ns, .tid = e->tid, .kind = e->kind, .name = texts[e->name],
		.nargs = e->nargs, .partner = -1 };
	for (unsigned i = 0; i < e->nargs; i++) {
		const struct ring_arg *arg = &e->args[i];

		out->args[i] = (struct hd_event_arg){ texts[arg->key], arg->text ? texts[arg->text - 1] : NULL,
			arg->number };
	}
}

/* Compare two indices of events, to sort them by thread.  Events of one thread stay in the order of time. */
static int compare_threads(const void *x, const void *y, void *events)
{
	const struct hd_timeline_event *e = events;
	size_t a = *(const size_t *)x, b = *(const size_t *)y;

	if (e[a].tid != e[b].tid)
		return e[a].tid < e[b].tid ? -1 : 1;
	return a < b ? -1 : a > b;
}

/*
 * Link each BEGIN with its END (the field `partner`).  Threads are processed one after the other, with one stack of
 * open BEGINs.
 */
static int find_partners(struct hd_timeline_event *e, size_t n)
{
	size_t *order = malloc((n + 1) * sizeof(*order)), *stack = malloc((n + 1) * sizeof(*stack)), depth = 0;

	if (!order || !stack) {
		free(order);
		free(stack);
		return HD_TRACK_NOMEM;
	}
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), compare_threads, e);
	for (size_t i = 0; i < n; i++) {
		size_t at = order[i], open;

		if (i && e[order[i - 1]].tid != e[at].tid)
			depth = 0;
		if (e[at].kind == HD_EVENT_BEGIN)
			stack[depth++] = at;
		if (e[at].kind != HD_EVENT_END)
			continue;
		/* Equal names have one address, because all are in the table of names. */
		for (open = depth; open > 0 && e[stack[open - 1]].name != e[at].name; open--)
			;
		if (!open)
			continue;
		e[at].partner = (int64_t)stack[open - 1];
		while (depth >= open)
			e[stack[--depth]].partner = (int64_t)at;
	}
	free(order);
	free(stack);
	return HD_TRACK_OK;
}

int64_t hd_timeline_copy(struct hd_profiler *p, struct hd_timeline_event **out)
{
	struct timeline *tl = hd_profiler_part(p, HD_PART_TIMELINE);
	struct hd_timeline_event *events;
	uint64_t n = 0, first;

	if (!tl)
		return HD_TRACK_NOMEM;
	pthread_mutex_lock(&tl->lock);
	n = tl->added < tl->cap ? tl->added : tl->cap;
	first = tl->added - n;
	events = malloc((n + 1) * sizeof(*events));
	for (uint64_t i = 0; events && i < n; i++)
		copy_event(&events[i], tl, &tl->ring[(first + i) % tl->cap]);
	pthread_mutex_unlock(&tl->lock);
	if (!events || find_partners(events, n) < 0) {
		free(events);
		return HD_TRACK_NOMEM;
	}
	*out = events;
	return (int64_t)n;
}

/* ---- durations ---- */

static int compare_names(const void *x, const void *y)
{
	return strcmp(((const struct hd_duration *)x)->name, ((const struct hd_duration *)y)->name);
}

static int compare_totals(const void *x, const void *y)
{
	const struct hd_duration *a = x, *b = y;

	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Each row is one call.  Merge the rows of the same name into one, and return the number of rows that remain. */
static size_t merge_durations(struct hd_duration *rows, size_t n)
{
	size_t kept = 0;

	qsort(rows, n, sizeof(*rows), compare_names);
	for (size_t i = 0; i < n; i++) {
		struct hd_duration *to = kept ? &rows[kept - 1] : NULL;

		if (!to || to->name != rows[i].name) {
			rows[kept++] = rows[i];
			continue;
		}
		to->count++;
		to->total_ns += rows[i].total_ns;
		if (rows[i].min_ns < to->min_ns)
			to->min_ns = rows[i].min_ns;
		if (rows[i].max_ns > to->max_ns)
			to->max_ns = rows[i].max_ns;
	}
	for (size_t i = 0; i < kept; i++)
		rows[i].mean_ns = (double)rows[i].total_ns / (double)rows[i].count;
	qsort(rows, kept, sizeof(*rows), compare_totals);
	return kept;
}

int64_t hd_timeline_durations(struct hd_profiler *p, struct hd_duration *out, size_t cap)
{
	struct hd_timeline_event *events;
	struct hd_duration *rows;
	size_t pairs = 0;
	int64_t n;

	if (cap && !out)
		return HD_TRACK_INVALID;
	n = hd_timeline_copy(p, &events);
	if (n < 0)
		return n;
	rows = malloc(((size_t)n + 1) * sizeof(*rows));
	for (int64_t i = 0; rows && i < n; i++) {
		uint64_t ns;

		if (events[i].kind != HD_EVENT_BEGIN || events[i].partner < 0)
			continue;
		ns = events[events[i].partner].t_ns - events[i].t_ns;
		rows[pairs++] = (struct hd_duration){ .name = events[i].name, .count = 1, .total_ns = ns,
			.min_ns = ns, .max_ns = ns };
	}
	free(events);
	if (!rows)
		return HD_TRACK_NOMEM;
	pairs = merge_durations(rows, pairs);
	return hd_profiler_give_rows(out, cap, rows, pairs, sizeof(*rows));
}

/* ---- functions of struct hd_part_type (profiler.h) ---- */

static int create(void **state, const struct hd_profiler *p)
{
	struct timeline *tl = calloc(1, sizeof(*tl));

	if (!tl)
		return HD_TRACK_NOMEM;
	tl->cap = p->config.timeline_events;
	tl->names.max = p->config.names_max;
	pthread_mutex_init(&tl->lock, NULL);
	*state = tl;
	return HD_TRACK_OK;
}

static void reset(void *state)
{
	struct timeline *tl = state;

	pthread_mutex_lock(&tl->lock);
	tl->added = 0;
	pthread_mutex_unlock(&tl->lock);
}

static void release(void *state)
{
	struct timeline *tl = state;

	pthread_mutex_destroy(&tl->lock);
	hd_names_release(&tl->names);
	free(tl->ring);
	free(tl);
}

static void lock(void *state, bool on)
{
	struct timeline *tl = state;

	hd_part_lock(&tl->lock, on);
}

const struct hd_part_type hd_part_timeline = { create, reset, release, lock };
