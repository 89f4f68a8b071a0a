/*
 * run_events.c - see run_events.h
 */
#include "history/run_events.h"

#include "base/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- the rows ---- */

static void list_event(struct hd_run_events *c, size_t i)
{
	const struct hd_run_event *e = &c->run->events[i];
	const struct hd_hotspot_rest *rest = &c->rests[i];
	size_t rank = 0;

	for (size_t k = 0; k < e->nhotspots; k++) {
		if (rest->n && hd_hotspot_rest_has(e, k))
			continue;
		/*
		 * Functions that have only an inline cost (no samples of their own) never get one of the first five
		 * ranks, even if the list is short.
		 */
		rank = e->hotspots[k].samples || rank >= HD_HOTSPOT_REST_TOP_RANKS ? rank + 1
										   : HD_HOTSPOT_REST_TOP_RANKS + 1;
		c->rows[c->n++] = (struct hd_intern_hotspot){ .hotspot = &e->hotspots[k],
			.event = (int64_t)i,
			.rank = (int64_t)rank };
	}
	if (rest->n)
		c->rows[c->n++] = (struct hd_intern_hotspot){ .hotspot = &rest->sum,
			.rest = true,
			.event = (int64_t)i,
			.rank = (int64_t)(rank >= HD_HOTSPOT_REST_TOP_RANKS ? rank + 1
									    : HD_HOTSPOT_REST_TOP_RANKS + 1) };
}

void hd_run_events_list(struct hd_run_events *c, const struct hd_run *run)
{
	size_t total = 0;

	*c = (struct hd_run_events){ .run = run };
	c->rests = hd_new_array(struct hd_hotspot_rest, c->run->nevents + 1);
	for (size_t i = 0; i < c->run->nevents; i++) {
		c->rests[i] = hd_hotspot_rest_of(&c->run->events[i]);
		total += c->run->events[i].nhotspots - c->rests[i].n + 1;
	}
	c->rows = hd_new_array(struct hd_intern_hotspot, total + 1);
	for (size_t i = 0; i < c->run->nevents; i++)
		list_event(c, i);
}

/* ---- into the database ---- */

/* Return v, or -1 (which is stored as NULL) if it is unknown. */
static int64_t known(bool is, uint64_t v)
{
	return is ? (int64_t)v : -1;
}

static int add_event(const struct hd_run_events *c, struct hd_db_bulk *m, int64_t id, size_t i, const char *stacks,
	struct hd_err *err)
{
	const struct hd_run_event *e = &c->run->events[i];
	const struct hd_rate *s = &e->rate;

	return hd_db_bulk_add(m, err, "iivviiitiidoooodooto", id, (int64_t)i, e->name, e->unit, (int64_t)e->weight,
		(int64_t)e->samples, (int64_t)e->lost, e->folded ? stacks : NULL, (int64_t)c->rests[i].symbols,
		(int64_t)c->rests[i].n, e->effective > 0 ? e->effective : NAN,
		known(s->frequency_hz > 0, s->frequency_hz), known(s->period > 0, s->period),
		known(s->recorded, s->throttled), known(s->recorded, s->unthrottled),
		s->recorded && s->throttled ? s->silent : NAN, known(s->enabled_ns > 0, s->enabled_ns),
		known(s->enabled_ns > 0, s->running_ns), s->call_graph, known(s->stack_bytes > 0, s->stack_bytes));
}

static int add_events(const struct hd_run_events *c, struct hd_db *db, int64_t id, const struct hd_intern *in,
	struct hd_err *err)
{
	struct hd_db_bulk m = hd_db_bulk_into(db,
		"INSERT INTO event (run_id, event, name, name_raw, unit, unit_raw, weight, samples, lost, "
		"stacks, symbols, rest_symbols, effective_samples, frequency_hz, period, throttled, "
		"unthrottled, silent, enabled_ns, running_ns, call_graph, stack_bytes)");
	int rc = 0;

	for (size_t i = 0; i < c->run->nevents && rc >= 0; i++)
		rc = add_event(c, &m, id, i, in->stacks[i], err);
	return hd_db_bulk_end(&m, rc, err);
}

static int add_hotspot(struct hd_db_bulk *m, int64_t id, const struct hd_intern_hotspot *row, struct hd_err *err)
{
	const struct hd_run_hotspot *h = row->hotspot;
	char vaddr[24];

	/*
	 * Write the addresses of symbols below the first five ranks without leading zeros: the zeros
	 * would take more space than all numbers of the row, and a run has a thousand rows.
	 * Unresolved addresses keep their zeros, because they are looked up by this text.
	 */
	snprintf(vaddr, sizeof(vaddr),
		h->linkage && row->rank > HD_HOTSPOT_REST_TOP_RANKS ? "0x%" PRIx64 : "0x%016" PRIx64, h->vaddr);
	return hd_db_bulk_add(m, err, "iiiiitiiioo", id, row->event, row->rank, row->symbol, row->object,
		h->has_vaddr ? vaddr : NULL, (int64_t)h->self, (int64_t)h->total, (int64_t)h->samples,
		h->has_inline ? (int64_t)h->inline_self : (int64_t)-1,
		h->has_inline ? (int64_t)h->inline_total : (int64_t)-1);
}

static int add_hotspots(const struct hd_run_events *c, struct hd_db *db, int64_t id, struct hd_err *err)
{
	struct hd_db_bulk m = hd_db_bulk_into(db,
		"INSERT INTO hotspot (run_id, event, rank, symbol_id, object_id, vaddr, self, total, "
		"samples, inline_self, inline_total)");
	int rc = 0;

	for (size_t i = 0; i < c->n && rc >= 0; i++)
		rc = add_hotspot(&m, id, &c->rows[i], err);
	return hd_db_bulk_end(&m, rc, err);
}

int hd_run_events_add(const struct hd_run_events *c, struct hd_db *db, int64_t id, const struct hd_intern *in,
	struct hd_err *err)
{
	int rc = add_events(c, db, id, in, err);

	return rc < 0 ? rc : add_hotspots(c, db, id, err);
}

void hd_run_events_release(struct hd_run_events *c)
{
	free(c->rows);
	free(c->rests);
	*c = (struct hd_run_events){ 0 };
}
