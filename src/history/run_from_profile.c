/*
 * run_from_profile.c - see run_from_profile.h
 */
#include "history/run_from_profile.h"

#include "profile/top.h"
#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* value in inline_costs.rows: the cost of this function was already added to a row */
enum { TAKEN = UINT32_MAX - 1 };

/* Return the build-id as text; NULL if there is none or it is invalid. */
static const char *build_id_of(const struct hd_profile *p, const struct hd_object *o)
{
	const char *id = hd_profile_str(p, o->build_id);
	size_t n = strlen(id);

	return n >= 2 && n <= 40 && strspn(id, "0123456789abcdef") == n ? id : NULL;
}

static struct hd_run_hotspot hotspot_of(const struct hd_profile *p, const struct hd_top_row *row)
{
	const struct hd_profile_symbol *s = &p->symbols[row->symbol];
	const struct hd_object *o = &p->objects[s->object];
	struct hd_run_hotspot h = {
		.object = o->unknown || !s->object ? NULL : hd_profile_str(p, o->name),
		.build_id = build_id_of(p, o),
		.kernel = s->kernel || o->kernel,
		.vaddr = s->start, .has_vaddr = s->start || s->size,
		.self = row->self, .total = row->total, .samples = row->samples,
	};

	if (!s->unresolved) {
		h.name = hd_profile_str(p, s->name);
		h.linkage = s->linkage ? hd_profile_str(p, s->linkage) : h.name;
	}
	return h;
}

/*
 * Return false for folded text without any marked inlined frame.  Its inline costs are unknown, because it may contain
 * inlined frames without a mark.
 */
static bool marks_inlined(const struct hd_profile *p)
{
	for (size_t i = 0; i < p->nframes; i++)
		if (p->frames[i].inlined)
			return true;
	return !p->recording.format || strcmp(p->recording.format, "folded");
}

/*
 * The costs of the functions of an event.  Code that was inlined into another function counts for the inlined function.
 * Each function is represented by one of its symbols.
 */
struct inline_costs {
	struct hd_functions fn;
	struct hd_top top;
	/* symbol of the function -> index in `top`; TAKEN once the cost was added to a row */
	struct hd_map rows;
	bool known;
};

static void take_inline_cost(struct hd_run_hotspot *h, const struct inline_costs *c, uint32_t row)
{
	h->has_inline = true;
	h->inline_self = c->top.rows[row].self;
	h->inline_total = c->top.rows[row].total;
}

/* Append rows for functions that have samples only where they were inlined into others. */
static size_t add_inlined_only(struct hd_run_hotspot *all, size_t n, const struct hd_profile *p, uint32_t event,
	struct inline_costs *c)
{
	struct hd_map totals = { 0 };
	struct hd_top callers;

	hd_top_build(&callers, p, event, true);
	for (uint32_t i = 0; i < callers.n; i++)
		hd_map_put(&totals, callers.rows[i].symbol, i);
	for (uint32_t i = 0; i < c->top.n; i++) {
		struct hd_top_row row = { .symbol = c->top.rows[i].symbol };
		uint32_t caller = hd_map_get(&totals, row.symbol);

		if (!c->top.rows[i].self || hd_map_get(&c->rows, row.symbol) == TAKEN)
			continue;
		if (caller != HD_MAP_NONE)
			row.total = callers.rows[caller].total;
		all[n] = hotspot_of(p, &row);
		take_inline_cost(&all[n++], c, i);
	}
	hd_top_release(&callers);
	hd_map_release(&totals);
	return n;
}

static struct hd_run_hotspot *hotspots_of(const struct hd_profile *p, uint32_t event, bool inlined,
	struct inline_costs *c, size_t *n)
{
	struct hd_run_hotspot *all;
	struct hd_top top;

	hd_top_build_inlined(&top, p, event, false, inlined ? &c->fn : NULL);
	hd_top_build_inlined(&c->top, p, c->known ? event : UINT32_MAX, true, &c->fn);
	for (uint32_t i = 0; i < c->top.n; i++)
		hd_map_put(&c->rows, c->top.rows[i].symbol, i);
	all = hd_new_array(struct hd_run_hotspot, top.n + c->top.n);
	for (size_t i = 0; i < top.n; i++) {
		uint32_t function = c->fn.of[top.rows[i].symbol], row = hd_map_get(&c->rows, function);

		all[i] = hotspot_of(p, &top.rows[i]);
		if (row == HD_MAP_NONE || row == TAKEN)
			continue;
		take_inline_cost(&all[i], c, row);
		hd_map_put(&c->rows, function, TAKEN);
	}
	*n = add_inlined_only(all, top.n, p, event, c);
	hd_top_release(&top);
	hd_top_release(&c->top);
	hd_map_clear(&c->rows);
	return all;
}

void hd_run_from_profile(struct hd_run *run, struct hd_run_profile_arrays *parts, const struct hd_profile *p,
	bool inlined)
{
	struct inline_costs costs = { 0 };

	*parts = (struct hd_run_profile_arrays){
		.events = hd_new_array(struct hd_run_event, p->nevents),
		.hotspots = hd_new_array(struct hd_run_hotspot *, p->nevents),
		.dropped = hd_new_array(struct hd_run_dropped, p->ndropped),
		.nevents = p->nevents,
	};
	hd_functions_init(&costs.fn, p);
	costs.known = marks_inlined(p);
	for (size_t i = 0; i < p->nevents; i++) {
		const struct hd_event *e = &p->events[i];
		size_t n;

		parts->hotspots[i] = hotspots_of(p, (uint32_t)i, inlined, &costs, &n);
		parts->events[i] = (struct hd_run_event){
			.name = hd_profile_str(p, e->name), .unit = hd_profile_str(p, e->unit),
			.samples = e->samples, .weight = e->weight, .lost = e->lost,
			.hotspots = parts->hotspots[i], .nhotspots = n, .rate = e->rate,
			.effective = e->squares > 0 ? (double)e->weight / e->squares * (double)e->weight : 0,
		};
	}
	hd_functions_release(&costs.fn);
	hd_map_release(&costs.rows);
	for (size_t i = 0; i < p->ndropped; i++)
		parts->dropped[i] = (struct hd_run_dropped){ p->dropped[i].reason, p->dropped[i].count };
	run->events = parts->events;
	run->nevents = parts->nevents;
	run->dropped = parts->dropped;
	run->ndropped = p->ndropped;
	run->read = p->read;
	run->kept = p->kept;
	run->inline_mode = inlined ? "inline" : "no-inline";
}

void hd_run_profile_arrays_release(struct hd_run_profile_arrays *parts)
{
	for (size_t i = 0; i < parts->nevents; i++)
		free(parts->hotspots[i]);
	free(parts->hotspots);
	free(parts->events);
	free(parts->dropped);
	*parts = (struct hd_run_profile_arrays){ 0 };
}
