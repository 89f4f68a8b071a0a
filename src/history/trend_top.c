/*
 * trend_top.c - see trend_top.h
 */
#include "history/trend_top.h"

#include "base/encode.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "db/row_reader.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS_AT_ONCE = 256 };		/* runs whose costliest symbols are read with one query */

struct item {
	uint32_t key;			/* id of the string that contains object and name */
	const char *name, *object;
	bool unknown;
	double sum;
	size_t rank;
};

struct list {
	struct item *items;
	size_t n, cap;
};

static struct item *find(const struct list *l, uint32_t key)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].key == key)
			return &l->items[i];
	return NULL;
}

struct top_row {
	int64_t run, event, self;
	const char *object, *normal, *vaddr, *linkage;
};
static const struct hd_row_field top_fields[] = {
	HD_ROW(struct top_row, run, "h.run_id", INT),
	HD_ROW(struct top_row, event, "h.event", INT),
	HD_ROW(struct top_row, self, "h.self", INT_OR_0),
	HD_ROW(struct top_row, object, "s.object", NAME),
	HD_ROW(struct top_row, normal, "s.normal", NAME),
	HD_ROW(struct top_row, vaddr, "h.vaddr", TEXT),
	HD_ROW(struct top_row, linkage, "s.linkage", TEXT),
};
static const struct hd_row_query top_rows = HD_ROW_QUERY(struct top_row, top_fields,
	"FROM hotspot h JOIN symbol s ON s.id = h.symbol_id WHERE h.run_id IN [$1] AND h.rank <= $2 "
	"AND h.samples > 0 ORDER BY h.run_id, h.event, h.rank");

/* The costliest symbols of several runs, which are read together. */
struct portion {
	struct hd_row_list rows;	/* by run, event and rank */
	size_t runs;			/* number of runs of the trend that were loaded so far */
};

static int load_portion(struct portion *p, struct hd_trend_tops *tops, const struct hd_trend *t, struct hd_db *db,
	struct hd_err *err)
{
	int64_t ids[RUNS_AT_ONCE];
	size_t n = 0;

	while (p->runs < t->nruns && n < RUNS_AT_ONCE)
		ids[n++] = t->runs[p->runs++].id;
	free(p->rows.items);
	p->rows = (struct hd_row_list){ 0 };
	return hd_row_load(&p->rows, &top_rows, db, &tops->arena, err, "li", ids, n, (int64_t)HD_TREND_TOP_DEPTH);
}

static void add_symbol(struct list *l, struct hd_strtab *keys, const struct hd_trend_run *run,
	const struct top_row *row)
{
	bool unknown = !row->normal && !row->vaddr;
	const char *name = unknown ? HD_UNKNOWN : row->normal ? row->normal : row->vaddr;
	struct hd_buf key = { 0 };
	struct item *x;
	uint32_t id;

	if (row->normal && !row->linkage)
		return;		/* skip the row that is the sum of all small symbols */
	hd_buf_addf(&key, "%d%s\n%s", unknown, row->object ? row->object : "", name);
	id = hd_strtab_addn(keys, key.data, key.len);
	hd_buf_release(&key);
	x = find(l, id);
	if (!x) {
		HD_GROW(l->items, l->n + 1, l->cap);
		x = &l->items[l->n++];
		*x = (struct item){ .key = id, .name = name, .object = row->object, .unknown = unknown };
	}
	x->sum += run->weight > 0 ? 100 * (double)row->self / (double)run->weight : 0;
}

/* Add the shares of run i of the trend to the sums of its point. */
static int add_run(struct list *l, struct hd_trend_tops *tops, struct hd_strtab *keys, struct portion *p,
	const struct hd_trend *t, size_t i, struct hd_db *db, struct hd_err *err)
{
	const struct hd_trend_run *run = &t->runs[i];
	const struct top_row *rows;
	int rc = i < p->runs ? 0 : load_portion(p, tops, t, db, err);

	if (rc < 0)
		return rc;
	rows = p->rows.items;
	for (size_t k = hd_row_list_find(&p->rows, &top_rows, run->id); k < p->rows.n && rows[k].run == run->id; k++)
		if (rows[k].event == run->event)
			add_symbol(l, keys, run, &rows[k]);
	return 0;
}

static int by_sum(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int c;

	if (x->sum != y->sum)
		return x->sum < y->sum ? 1 : -1;
	c = strcmp(x->name, y->name);
	return c ? c : strcmp(x->object ? x->object : "", y->object ? y->object : "");
}

static void add_row(struct hd_trend_top *top, const struct item *now, const struct item *was, size_t limit, bool first)
{
	const struct item *any = now ? now : was;
	struct hd_trend_top_row *row;

	HD_GROW(top->rows, top->n + 1, top->cap);
	row = &top->rows[top->n++];
	*row = (struct hd_trend_top_row){ .name = any->name, .object = any->object, .unknown = any->unknown };
	row->share = now ? now->sum : 0;
	row->was_share = was ? was->sum : 0;
	row->rank = now ? now->rank : 0;
	row->was_rank = was ? was->rank : 0;
	if (first)
		row->move = HD_TREND_FIRST;
	else if (!row->rank || row->rank > limit)
		row->move = HD_TREND_LEFT;
	else if (!row->was_rank || row->was_rank > limit)
		row->move = HD_TREND_ENTERED;
	else
		row->move = row->rank < row->was_rank ? HD_TREND_UP
			: row->rank > row->was_rank   ? HD_TREND_DOWN
						      : HD_TREND_SAME;
}

static void settle(struct hd_trend_top *top, const struct list *now, const struct list *was, size_t limit, bool first)
{
	for (size_t i = 0; i < now->n && i < limit; i++)
		add_row(top, &now->items[i], first ? NULL : find(was, now->items[i].key), limit, first);
	for (size_t i = 0; i < was->n && i < limit && !first; i++) {
		const struct item *x = find(now, was->items[i].key);

		if (!x || x->rank > limit)
			add_row(top, x, &was->items[i], limit, false);
	}
}

int hd_trend_tops(struct hd_trend_tops *tops, const struct hd_trend *t, struct hd_db *db, size_t top,
	struct hd_err *err)
{
	struct hd_strtab *keys = hd_strtab_new();
	struct list was = { 0 }, now = { 0 };
	struct portion portion = { 0 };
	int rc = 0;

	*tops = (struct hd_trend_tops){ .of = hd_new_array(struct hd_trend_top, t->npoints + 1), .n = t->npoints };
	for (size_t p = 0; p < t->npoints && rc >= 0; p++) {
		const struct hd_trend_point *point = &t->points[p];
		struct list swap = was;

		was = now;
		now = swap;
		now.n = 0;
		for (size_t i = 0; i < point->runs && rc >= 0; i++)
			rc = add_run(&now, tops, keys, &portion, t, point->first + i, db, err);
		for (size_t i = 0; i < now.n; i++)
			now.items[i].sum /= (double)point->runs;
		if (now.n)
			qsort(now.items, now.n, sizeof(*now.items), by_sum);
		for (size_t i = 0; i < now.n; i++)
			now.items[i].rank = i + 1;
		settle(&tops->of[p], &now, &was, top, p == 0);
	}
	free(was.items);
	free(now.items);
	free(portion.rows.items);
	hd_strtab_free(keys);
	if (rc < 0)
		hd_trend_tops_release(tops);
	return rc < 0 ? rc : 0;
}

void hd_trend_tops_release(struct hd_trend_tops *tops)
{
	for (size_t i = 0; i < tops->n; i++)
		free(tops->of[i].rows);
	free(tops->of);
	hd_arena_release(&tops->arena);
	*tops = (struct hd_trend_tops){ 0 };
}
