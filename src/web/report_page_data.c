/*
 * report_page_data.c - the packed data of a report page; see report_page.h
 */
#include "web/report_page.h"

#include "base/jsonw.h"
#include "base/mem.h"
#include "profile/call_tree.h"
#include "profile/functions.h"
#include "render/annotation.h"
#include "render/info.h"
#include "render/palette.h"
#include "render/svg_text.h"
#include "web/page_stacks.h"

#include <stdlib.h>
#include <string.h>

struct line {
	uint32_t file, line;
};
struct thread {
	uint32_t comm;
	int32_t pid, tid;
};
struct row {
	uint32_t event, node, self, line, thread;
	uint64_t weight, count;
};
struct item {			/* an item of the list `times`, see report_page.h */
	uint64_t tick, weight, count;
	uint32_t row;
};

struct pack {
	const struct hd_profile *p;
	const struct hd_report_page_opts *o;
	struct hd_buf *out;
	struct hd_page_stacks stacks;
	struct hd_strtab *texts;	/* raw names */
	struct line *lines;
	struct thread *threads;
	struct row *rows;		/* the rows of the page, sorted */
	size_t nlines, nthreads, nrows;
	uint32_t *row_of;		/* indexed by row of the profile: index in `rows` */
};

/* ---- numbers and texts ---- */

static void put(struct hd_buf *out, uint64_t v)
{
	for (; v > 127; v >>= 7)
		hd_buf_addc(out, (char)(v | 128));
	hd_buf_addc(out, (char)v);
}

static void put_difference(struct hd_buf *out, uint64_t v, uint64_t before)
{
	put(out, v >= before ? (v - before) << 1 : ((before - v) << 1) - 1);
}

static void put_bytes(struct hd_buf *out, const struct hd_buf *text)
{
	put(out, text->len);
	hd_buf_add(out, hd_buf_str(text), text->len);
}

/* Append one column; EXPR is evaluated for i = 0 .. n - 1. */
#define PUT_COLUMN(out, n, expr) do {				\
		for (size_t i = 0; i < (n); i++)		\
			put((out), (expr));			\
	} while (0)

/* ---- lines and threads ---- */

static int order_lines(const struct pack *k, const struct line *a, const struct line *b)
{
	int c = a->file == b->file ? 0 : strcmp(hd_profile_str(k->p, a->file), hd_profile_str(k->p, b->file));

	return c ? c : (a->line > b->line) - (a->line < b->line);
}

static int order_threads(const struct pack *k, const struct thread *a, const struct thread *b)
{
	int c = a->pid != b->pid ? (a->pid > b->pid) - (a->pid < b->pid) : (a->tid > b->tid) - (a->tid < b->tid);

	return c || a->comm == b->comm ? c : strcmp(hd_profile_str(k->p, a->comm), hd_profile_str(k->p, b->comm));
}

static int by_line(const void *a, const void *b, void *k)
{
	return order_lines(k, a, b);
}

static int by_thread(const void *a, const void *b, void *k)
{
	return order_threads(k, a, b);
}

/* Sort n items of `size` bytes and drop equal ones.  Returns how many remain. */
static size_t sort_unique(void *items, size_t n, size_t size, int (*order)(const void *, const void *, void *), void *k)
{
	char *at = items;
	size_t kept = 0;

	qsort_r(items, n, size, order, k);
	for (size_t i = 0; i < n; i++) {
		if (kept && !order(at + (kept - 1) * size, at + i * size, k))
			continue;
		if (kept != i)
			memcpy(at + kept * size, at + i * size, size);
		kept++;
	}
	return kept;
}

static uint32_t find(const void *key, const void *items, size_t n, size_t size,
	int (*order)(const void *, const void *, void *), void *k)
{
	size_t lo = 0, hi = n;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (order((const char *)items + mid * size, key, k) <= 0)
			lo = mid;
		else
			hi = mid;
	}
	return (uint32_t)lo;
}

static const struct hd_frame *self_of(const struct pack *k, const struct hd_sample_row *r)
{
	return &k->p->frames[hd_functions_self(k->p, r, k->o->inlined).v];
}

static struct line line_of(const struct hd_frame *self)
{
	return self->file ? (struct line){ self->file, self->line } : (struct line){ 0, 0 };
}

static struct thread thread_of(const struct hd_sample_row *r)
{
	return (struct thread){ r->comm, r->pid, r->tid };
}

/* ---- rows ---- */

static int by_row(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	const uint32_t p[] = { x->event, x->node, x->self, x->line, x->thread };
	const uint32_t q[] = { y->event, y->node, y->self, y->line, y->thread };

	for (size_t i = 0; i < HD_COUNT(p); i++)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	return 0;
}

/*
 * Compute lines, threads and rows.  Until a row of the page has its final place, its member `weight` has the index of
 * the row in the profile.
 */
static void add_rows(struct pack *k)
{
	const struct hd_sample_rows *from = &k->p->rows;
	size_t n = from->n;

	k->lines = hd_new_array(struct line, n + 1);	/* element 0 stays zeroed: the unknown line */
	k->threads = hd_new_array(struct thread, n);
	k->rows = hd_new_array(struct row, n);
	k->row_of = hd_new_array(uint32_t, n);
	for (size_t i = 0; i < n; i++) {
		k->lines[i + 1] = line_of(self_of(k, &from->items[i]));
		k->threads[i] = thread_of(&from->items[i]);
	}
	k->nlines = sort_unique(k->lines, n + 1, sizeof(*k->lines), by_line, k);
	k->nthreads = sort_unique(k->threads, n, sizeof(*k->threads), by_thread, k);
	for (size_t i = 0; i < n; i++) {
		const struct hd_sample_row *r = &from->items[i];
		const struct hd_frame *self = self_of(k, r);
		struct line line = line_of(self);
		struct thread thread = thread_of(r);

		k->rows[i] = (struct row){
			r->event, k->stacks.node_of[r->stack.v], k->stacks.function_of[self->symbol],
			find(&line, k->lines, k->nlines, sizeof(line), by_line, k),
			find(&thread, k->threads, k->nthreads, sizeof(thread), by_thread, k), i, 0,
		};
	}
	qsort(k->rows, n, sizeof(*k->rows), by_row);
	for (size_t i = 0; i < n; i++) {
		struct row row = k->rows[i];
		const struct hd_sample_row *r = &from->items[row.weight];

		k->row_of[row.weight] = (uint32_t)k->nrows;
		row.weight = r->weight;
		row.count = r->count;
		if (k->nrows && !by_row(&k->rows[k->nrows - 1], &row)) {
			k->row_of[k->rows[i].weight] = (uint32_t)k->nrows - 1;
			k->rows[k->nrows - 1].weight += row.weight;
			k->rows[k->nrows - 1].count += row.count;
		} else {
			k->rows[k->nrows++] = row;
		}
	}
}

/* ---- times ---- */

/*
 * Make the items of the list `times`: an item is the sum of all samples of one row in one tick of `clock` ns.  Store
 * the items in `to` if it is not NULL.  Return their number, or most + 1 if there are more than `most`.
 */
static size_t group(const struct pack *k, uint64_t clock, size_t most, struct item *to)
{
	const struct hd_timed_samples *t = k->p->timed;
	struct seen {
		uint64_t tick1;		/* tick + 1 of the latest item of a row */
		size_t item;
	} *seen = hd_new_array(struct seen, k->nrows);
	uint64_t first = t->n ? t->items[0].time_ns : 0;
	size_t n = 0;

	for (size_t i = 0; i < t->n && n <= most; i++) {
		const struct hd_timed_sample *s = &t->items[i];
		uint64_t tick = (s->time_ns - first) / clock;
		uint32_t row = k->row_of[s->row];

		if (seen[row].tick1 != tick + 1) {
			seen[row] = (struct seen){ tick + 1, n };
			if (to)
				to[n] = (struct item){ .tick = tick, .row = row };
			n++;
		}
		if (to) {
			to[seen[row].item].weight += s->weight;
			to[seen[row].item].count++;
		}
	}
	free(seen);
	return n;
}

/* Return the tick length that follows `clock`, in ns.  The lengths are 1, 2, 5, 10, 20, ... us. */
static uint64_t longer(uint64_t clock)
{
	uint64_t power = 1;

	while (power <= clock / 10)
		power *= 10;
	return clock / power == 2 ? power * 5 : clock * 2;
}

static struct item *group_times(const struct pack *k, size_t most, uint64_t *clock, size_t *n)
{
	const struct hd_timed_samples *t = k->p->timed;
	uint64_t span = t->n ? t->items[t->n - 1].time_ns - t->items[0].time_ns : 0;
	struct item *items;

	/* begin with fewer than 2^26 ticks; no screen shows that many */
	for (*clock = 1000; span / *clock >> 26; *clock = longer(*clock))
		;
	while (*clock <= span && group(k, *clock, most, NULL) > most)
		*clock = longer(*clock);
	*n = group(k, *clock, SIZE_MAX - 1, NULL);
	items = hd_new_array(struct item, *n);
	group(k, *clock, SIZE_MAX - 1, items);
	return items;
}

static void put_times(struct pack *k, uint32_t event, const struct item *items, size_t n, size_t first_row)
{
	uint64_t before = 0, weight = 0;
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += k->rows[items[i].row].event == event;
	put(k->out, count);
	for (size_t i = 0; i < n; i++)
		if (k->rows[items[i].row].event == event) {
			put(k->out, items[i].tick - before);
			before = items[i].tick;
		}
	for (size_t i = 0; i < n; i++)
		if (k->rows[items[i].row].event == event)
			put(k->out, items[i].row - first_row);
	for (size_t i = 0; i < n; i++)
		if (k->rows[items[i].row].event == event) {
			put_difference(k->out, items[i].weight, weight);
			weight = items[i].weight;
		}
	for (size_t i = 0; i < n; i++)
		if (k->rows[items[i].row].event == event)
			put(k->out, items[i].count - 1);
}

/* ---- the sections ---- */

static uint32_t text(struct pack *k, const char *name)
{
	return hd_strtab_add(k->texts, name);
}

static void put_functions(struct pack *k)
{
	const struct hd_page_stacks *s = &k->stacks;
	char class[4];

	put(k->out, s->nfunctions);
	PUT_COLUMN(k->out, s->nfunctions,
		i >= HD_PAGE_FUNCTIONS && s->functions[i].flags & HD_CALL_NODE_UNKNOWN
			? 0 : text(k, s->functions[i].name));
	PUT_COLUMN(k->out, s->nfunctions, text(k, s->functions[i].object));
	for (unsigned inlined = 0; inlined < 2; inlined++)
		for (size_t i = 0; i < s->nfunctions; i++) {
			const struct hd_page_function *f = &s->functions[i];

			hd_palette_class(class, hd_palette_kind_of(f->flags | (inlined ? HD_CALL_NODE_INLINED : 0)),
				f->name);
			hd_buf_add(k->out, class, 2);
		}
}

static void put_nodes(struct pack *k)
{
	const struct hd_page_stacks *s = &k->stacks;

	put(k->out, s->nnodes);
	for (size_t i = 0; i < s->nnodes; i++)
		put_difference(k->out, s->nodes[i].depth, i ? s->nodes[i - 1].depth : 0);
	PUT_COLUMN(k->out, s->nnodes, 2 * (uint64_t)s->nodes[i].function + s->nodes[i].inlined);
	put(k->out, s->cut);
}

static void put_lines(struct pack *k)
{
	put(k->out, k->nlines);
	PUT_COLUMN(k->out, k->nlines, text(k, hd_profile_str(k->p, k->lines[i].file)));
	PUT_COLUMN(k->out, k->nlines, k->lines[i].line);
}

static void put_threads(struct pack *k)
{
	const unsigned keys = k->p->keys;

	put(k->out, k->nthreads);
	PUT_COLUMN(k->out, k->nthreads, text(k, hd_profile_str(k->p, k->threads[i].comm)));
	PUT_COLUMN(k->out, k->nthreads, keys & HD_KEY_PID ? (uint32_t)k->threads[i].pid + 1 : 0);
	PUT_COLUMN(k->out, k->nthreads, keys & HD_KEY_TID ? (uint32_t)k->threads[i].tid + 1 : 0);
}

static void put_events(struct pack *k)
{
	const struct hd_profile *p = k->p;
	bool timed = p->timed && p->timed->has_times;
	struct item *items = NULL;
	uint64_t clock = 0;
	size_t n = 0, first = 0, end;

	if (timed)
		items = group_times(k, k->o->most_times ? k->o->most_times : HD_REPORT_PAGE_TIMES, &clock, &n);
	put(k->out, p->nevents);
	for (uint32_t e = 0; e < p->nevents; e++, first = end) {
		const struct hd_event *event = &p->events[e];
		const struct row *row = k->rows;

		for (end = first; end < k->nrows && row[end].event == e; end++)
			;
		put(k->out, text(k, hd_profile_str(p, event->name)));
		put(k->out, text(k, hd_profile_str(p, event->unit)));
		put(k->out, event->samples);
		put(k->out, event->weight);
		put(k->out, end - first);
		for (size_t i = first; i < end; i++)
			put_difference(k->out, row[i].node, i > first ? row[i - 1].node : 0);
		PUT_COLUMN(k->out, end - first, row[first + i].self);
		PUT_COLUMN(k->out, end - first, row[first + i].line);
		PUT_COLUMN(k->out, end - first, row[first + i].thread);
		PUT_COLUMN(k->out, end - first, row[first + i].weight);
		PUT_COLUMN(k->out, end - first, row[first + i].count);
		put(k->out, clock);
		if (clock) {
			put(k->out, p->timed->items[0].time_ns);
			put_times(k, e, items, n, first);
		}
	}
	free(items);
}

static void put_texts(struct pack *k)
{
	struct hd_buf name = { 0 };
	uint32_t n = hd_strtab_count(k->texts);

	put(k->out, n);
	for (uint32_t i = 0; i < n; i++) {
		hd_buf_reset(&name);
		if (i)		/* text 0 is empty, and hd_svg_name() would write an empty name as \e */
			hd_svg_name(&name, hd_strtab_get(k->texts, i));
		put_bytes(k->out, &name);
	}
	hd_buf_release(&name);
}

static void put_code(struct hd_buf *out, const struct hd_annotations *code)
{
	static const struct hd_annotation_view view = { .percent = HD_PERCENT_LOCAL_PERIOD };
	struct hd_buf json = { 0 };
	struct hd_jsonw w = hd_jsonw_to(&json);

	hd_jsonw_open(&w, NULL, '[');
	for (size_t i = 0; code && i < code->n; i++) {
		hd_jsonw_open(&w, NULL, '{');
		hd_annotation_json(&w, &code->items[i], &view);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	put_bytes(out, &json);
	hd_buf_release(&json);
}

void hd_report_page_pack(struct hd_buf *out, const struct hd_profile *p, const struct hd_report_page_opts *o)
{
	struct pack k = { .p = p, .o = o, .texts = hd_strtab_new() };
	struct hd_buf head = { 0 }, rest = { 0 };

	hd_page_stacks_build(&k.stacks, p, o->most_nodes ? o->most_nodes : HD_REPORT_PAGE_NODES);
	add_rows(&k);
	hd_info_json(&head, p);
	put_bytes(out, &head);
	hd_buf_reset(&head);
	hd_info_text(&head, p);
	put_bytes(out, &head);
	put_code(out, o->code);
	/* the lists below add texts, so they are encoded into `rest` and appended after the texts */
	k.out = &rest;
	put_functions(&k);
	put_nodes(&k);
	put_lines(&k);
	put_threads(&k);
	put_events(&k);
	k.out = out;
	put_texts(&k);
	hd_buf_add(out, rest.data, rest.len);
	hd_buf_release(&head);
	hd_buf_release(&rest);
	hd_strtab_free(k.texts);
	hd_page_stacks_release(&k.stacks);
	free(k.lines);
	free(k.threads);
	free(k.rows);
	free(k.row_of);
}
