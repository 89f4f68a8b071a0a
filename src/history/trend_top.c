/*
 * trend_top.c - see trend_top.h
 */
#include "history/trend_top.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static int by_share(const void *a, const void *b)
{
	const struct hd_trend_function *x = a, *y = b;
	int c;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	c = strcmp(x->name, y->name);
	return c ? c : strcmp(hd_or_empty(x->object), hd_or_empty(y->object));
}

static enum hd_trend_move move_of(size_t rank, size_t was_rank, size_t limit)
{
	if (!rank || rank > limit)
		return HD_TREND_LEFT;
	if (!was_rank || was_rank > limit)
		return HD_TREND_ENTERED;
	return rank < was_rank ? HD_TREND_UP : rank > was_rank ? HD_TREND_DOWN : HD_TREND_SAME;
}

static void add_row(struct hd_trend_top *top, const struct hd_trend_pair *pair, size_t limit, bool first)
{
	const struct hd_trend_function *now = pair->head, *was = pair->base, *any = now ? now : was;
	struct hd_trend_top_row *row;

	HD_GROW(top->rows, top->n + 1, top->cap);
	row = &top->rows[top->n++];
	*row = (struct hd_trend_top_row){ .name = any->name, .object = any->object, .unknown = any->unknown };
	row->share = now ? now->share : 0;
	row->was_share = was ? was->share : 0;
	row->cost = now ? now->cost : 0;
	row->was_cost = was ? was->cost : 0;
	row->change = hd_cost_change_unknown;
	row->rank = now ? now->rank : 0;
	row->was_rank = was ? was->rank : 0;
	row->move = first ? HD_TREND_FIRST : move_of(row->rank, row->was_rank, limit);
}

static double samples_of(const struct hd_trend_functions *f)
{
	double n = 0;

	for (size_t i = 0; i < f->runs; i++)
		n += f->samples[i];
	return n;
}

/* Set the changes of cost of the rows of a point. */
static void judge(struct hd_trend_top *top, const struct hd_trend_pair *pairs, const struct hd_trend_functions *now,
	const struct hd_trend_functions *was)
{
	struct hd_cost_change *changes = hd_new_array(struct hd_cost_change, top->n + 1);

	hd_trend_functions_compare(changes, pairs, top->n, was, now);
	for (size_t i = 0; i < top->n; i++) {
		struct hd_trend_top_row *row = &top->rows[i];

		/* Below the depth, the cost is unknown, and only the share can be tested. */
		if (row->rank && row->was_rank)
			row->change = changes[i];
		row->within_noise = hd_cost_change_is_noise(&row->change,
			(struct hd_counted_share){ row->was_share, samples_of(was) },
			(struct hd_counted_share){ row->share, samples_of(now) });
	}
	free(changes);
}

static void settle(struct hd_trend_top *top, const struct hd_trend_functions *now, const struct hd_trend_functions *was,
	size_t limit, bool first)
{
	struct hd_trend_pair *pairs = hd_new_array(struct hd_trend_pair, 2 * limit + 1);

	for (size_t i = 0; i < now->n && i < limit; i++) {
		pairs[top->n].head = &now->items[i];
		pairs[top->n].base = first ? NULL : hd_trend_functions_find(was, now->items[i].key);
		add_row(top, &pairs[top->n], limit, first);
	}
	for (size_t i = 0; i < was->n && i < limit && !first; i++) {
		const struct hd_trend_function *x = hd_trend_functions_find(now, was->items[i].key);

		if (x && x->rank <= limit)
			continue;
		pairs[top->n] = (struct hd_trend_pair){ &was->items[i], x };
		add_row(top, &pairs[top->n], limit, false);
	}
	if (!first)
		judge(top, pairs, now, was);
	free(pairs);
}

int hd_trend_tops(struct hd_trend_tops *tops, const struct hd_trend *t, struct hd_db *db, size_t top,
	struct hd_err *err)
{
	struct hd_trend_functions was = { 0 }, now = { 0 };
	struct hd_trend_loader loader;
	int rc = 0;

	hd_trend_loader_init(&loader, t, db, NULL);
	*tops = (struct hd_trend_tops){ .of = hd_new_array(struct hd_trend_top, t->npoints + 1), .n = t->npoints };
	for (size_t p = 0; p < t->npoints && rc >= 0; p++) {
		const struct hd_trend_point *point = &t->points[p];
		struct hd_trend_functions swap = was;

		was = now;
		now = swap;
		now.n = now.runs = 0;
		for (size_t i = 0; i < point->runs && rc >= 0; i++)
			rc = hd_trend_functions_add(&now, &loader, point->first + i, err);
		for (size_t i = 0; i < now.n; i++) {
			now.items[i].share /= (double)point->runs;
			now.items[i].cost /= (double)point->runs;
		}
		if (now.n)
			qsort(now.items, now.n, sizeof(*now.items), by_share);
		for (size_t i = 0; i < now.n; i++)
			now.items[i].rank = i + 1;
		settle(&tops->of[p], &now, &was, top, p == 0);
	}
	free(was.items);
	free(now.items);
	tops->arena = loader.arena;
	loader.arena = (struct hd_arena){ 0 };
	hd_trend_loader_release(&loader);
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
