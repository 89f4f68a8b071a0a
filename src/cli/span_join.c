/*
 * span_join.c - see span_join.h
 */
#include "cli/span_join.h"

#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static int by_busy_time(const void *x, const void *y)
{
	const struct hd_span_table_row *a = x, *b = y;

	if (a->busy_ns != b->busy_ns)
		return a->busy_ns > b->busy_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

/*
 * Add each poll to the row of its span's name.  A span is an asynchronous task; a poll is a period in which a thread
 * executes it.  rows: indexed by the id of the name in polls->names.
 */
static void count_polls(struct hd_span_table_row *rows, const struct hd_span_polls *polls)
{
	struct hd_map spans = { 0 }, threads = { 0 };

	for (size_t i = 0; i < polls->n; i++) {
		const struct hd_span_poll *poll = &polls->items[i];
		struct hd_span_table_row *row = &rows[poll->name];
		uint64_t thread = (uint64_t)poll->name << 32 | (uint32_t)poll->tid;

		row->polls++;
		row->busy_ns += poll->end_ns - poll->begin_ns - poll->nested_ns;
		row->spans += !hd_map_has(&spans, poll->span);
		hd_map_put(&spans, poll->span, 0);
		row->threads += !hd_map_has(&threads, thread);
		hd_map_put(&threads, thread, 0);
	}
	hd_map_release(&spans);
	hd_map_release(&threads);
}

/* Return the member of a row to which the weight of the off-CPU event `event` is added, or NULL for other events. */
static uint64_t *part_of(struct hd_span_table_row *row, const char *event)
{
	return !strcmp(event, "blocked") ? &row->blocked_ns :
		!strcmp(event, "queued") ? &row->queued_ns :
		!strcmp(event, "preempted") ? &row->preempted_ns : NULL;
}

void hd_span_join(struct hd_span_table *t, struct hd_span_table_row **rows, const struct hd_span_polls *polls,
	const struct hd_profile *p)
{
	uint32_t nnames = hd_strtab_count(polls->names),
		*row_of = hd_new_array(uint32_t, hd_strtab_count(p->names) + 1);
	struct hd_span_table_row *all = hd_new_array(struct hd_span_table_row, nnames + 1), outside = { 0 };
	size_t n = 0;

	for (uint32_t i = 0; i < nnames; i++)
		all[i].name = hd_strtab_get(polls->names, i);
	count_polls(all, polls);
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct hd_sample_row *r = &p->rows.items[i];
		const char *event = hd_profile_str(p, p->events[r->event].name);
		const struct hd_value *v = hd_tuples_get(&p->tuples, r->tuple);
		struct hd_span_table_row *row = &outside;
		uint64_t *part;

		if (v->kind == HD_VALUE_TEXT) {
			uint32_t *at = &row_of[v->v];

			if (!*at)	/* map the id of the name in p->names to its id in polls->names */
				*at = hd_strtab_add(polls->names, hd_profile_str(p, (uint32_t)v->v)) + 1;
			if (*at <= nnames)	/* else no poll has this name */
				row = &all[*at - 1];
		}
		part = part_of(row, event);
		if (part)
			*part += r->weight;
	}
	for (uint32_t i = 0; i < nnames; i++)
		if (all[i].polls)
			all[n++] = all[i];
	qsort(all, n, sizeof(*all), by_busy_time);
	free(row_of);
	*rows = all;
	t->rows = all;
	t->n = n;
	t->unmatched_ns = outside.blocked_ns + outside.queued_ns + outside.preempted_ns;
}

void hd_span_join_check_times(const struct hd_span_polls *polls, const char *file, const struct hd_profile *p,
	struct hd_log *log)
{
	uint64_t begin = UINT64_MAX, end = 0, gap_ns;
	bool before;

	for (size_t i = 0; i < polls->n; i++) {
		begin = polls->items[i].begin_ns < begin ? polls->items[i].begin_ns : begin;
		end = polls->items[i].end_ns > end ? polls->items[i].end_ns : end;
	}
	before = end < p->recording.first_ns;
	if (!polls->n || !p->recording.last_ns || (!before && begin <= p->recording.last_ns))
		return;
	gap_ns = before ? p->recording.first_ns - end : begin - p->recording.last_ns;
	hd_warn(log, "spans.other-time",
		"give the file of spans that the recorded program wrote, and record outside of time namespaces, in "
		"which a program has another clock than perf",
		"%s: all polls are %.1f s %s the recording, so that no sample is in one", file, (double)gap_ns / 1e9,
		before ? "before" : "after");
}
