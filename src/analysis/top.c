/*
 * top.c - see top.h
 */
#include "analysis/top.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct order {
	const struct hd_profile *p;
	bool by_total;
};

static int by_cost(const void *va, const void *vb, void *vorder)
{
	const struct hd_top_row *a = va, *b = vb;
	const struct order *o = vorder;
	const struct hd_symbol *sa = &o->p->symbols[a->symbol], *sb = &o->p->symbols[b->symbol];
	uint64_t wa = o->by_total ? a->total : a->self, wb = o->by_total ? b->total : b->self;
	char ta[24], tb[24];
	int c;

	if (wa != wb)
		return wa > wb ? -1 : 1;
	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	c = strcmp(hd_symbol_text(o->p, a->symbol, false, ta, sizeof(ta)), hd_symbol_text(o->p, b->symbol, false, tb, sizeof(tb)));
	if (!c)
		c = strcmp(hd_profile_str(o->p, o->p->objects[sa->object].name), hd_profile_str(o->p, o->p->objects[sb->object].name));
	if (c)
		return c;
	if (sa->start != sb->start)
		return sa->start < sb->start ? -1 : 1;
	/* Of names only (folded text), the kernel's and ours may be called the same. */
	if (sa->kernel != sb->kernel)
		return sa->kernel ? 1 : -1;
	return a->samples < b->samples ? 1 : a->samples > b->samples ? -1 : 0;
}

void hd_top_build(struct hd_top *top, const struct hd_profile *p, uint32_t event, bool by_total)
{
	struct hd_top_row *all = hd_new_array(struct hd_top_row, p->nsymbols);
	uint32_t *seen = hd_new_array(uint32_t, p->nsymbols);	/* the last row that counted it, + 1 */
	struct order order = { p, by_total };

	*top = (struct hd_top){ .event = event };
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct hd_sample_row *row = &p->rows.items[i];
		uint32_t self = p->frames[row->self.v].symbol;

		if (row->event != event)
			continue;
		top->weight += row->weight;
		top->samples += row->count;
		all[self].self += row->weight;
		all[self].samples += row->count;
		all[self].total += row->weight;
		seen[self] = (uint32_t)i + 1;
		for (hd_stack_id s = row->stack; s.v; s = hd_stacks_caller(p->stacks, s)) {
			uint32_t symbol = p->frames[hd_stacks_frame(p->stacks, s).v].symbol;

			if (seen[symbol] == (uint32_t)i + 1)
				continue;
			seen[symbol] = (uint32_t)i + 1;
			all[symbol].total += row->weight;
		}
	}
	for (size_t id = 0; id < p->nsymbols; id++) {
		if (!all[id].samples && !(by_total && all[id].total))
			continue;
		all[id].symbol = (uint32_t)id;
		all[top->n++] = all[id];
	}
	if (top->n)
		qsort_r(all, top->n, sizeof(*all), by_cost, &order);
	for (size_t i = 0; i < top->n; i++)
		all[i].rank = (uint32_t)i + 1;
	top->rows = all;
	free(seen);
}

void hd_top_release(struct hd_top *top)
{
	free(top->rows);
	*top = (struct hd_top){ 0 };
}

double hd_share_pct(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

const char *hd_symbol_text(const struct hd_profile *p, uint32_t symbol, bool full, char *buf, size_t n)
{
	const struct hd_symbol *s = &p->symbols[symbol];

	if (!s->unresolved)
		return hd_profile_str(p, full ? s->full : s->name);
	snprintf(buf, n, "0x%016" PRIx64, s->start);
	return buf;
}
