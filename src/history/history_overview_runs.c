/*
 * history_overview_runs.c - see history_overview.h: load the runs and group comparable ones into lanes
 */
#include "history/history_overview_load.h"

#include "base/encode.h"
#include "base/mem.h"
#include "base/utc.h"
#include "profile/rate.h"
#include "db/row_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the selection ---- */

int hd_overview_time(const char *text, const char *option, struct hd_err *err)
{
	char whole[HD_UTC_TEXT];
	int64_t secs;

	if (strlen(text) == 10) {
		snprintf(whole, sizeof(whole), "%sT00:00:00Z", text);
		if (hd_utc_parse(whole, &secs) == 0)
			return 0;
	} else if (hd_utc_parse(text, &secs) == 0) {
		return 0;
	}
	return hd_fail(err, HD_EUSAGE, "%s takes a day like 2026-11-20 or a time like 2026-11-20T14:01:02Z, not '%s'",
		option, text);
}

/* The bounds of the selection, written so that they compare correctly with the stored times. */
struct bounds {
	char *target, *branch;
	const char *since;
	char until[32];
};

static void bounds_of(struct bounds *b, const struct hd_overview_opts *o)
{
	b->target = hd_enc_visible_new(o->target);
	b->branch = hd_enc_visible_new(o->branch);
	b->since = o->since ? o->since : "";
	snprintf(b->until, sizeof(b->until), "%.20s%s", o->until ? o->until : "~",
		o->until && strlen(o->until) == 10 ? "~" : "");
}

#define CHOSEN                                                                                                         \
	" FROM run r LEFT JOIN commit_info c ON c.id = r.commit_id LEFT JOIN config f ON f.id = r.config_id "          \
	"LEFT JOIN machine m ON m.id = r.machine_id "                                                                  \
	"WHERE ($1 = '' OR r.target = $2) AND ($3 = '' OR r.branch = $4) AND r.recorded_utc >= $5 "                    \
	"AND r.recorded_utc <= $6"

/* ---- runs ---- */

static const struct hd_row_field run_fields[] = {
	HD_ROW(struct hd_overview_run, row, "r.id", INT),
	HD_ROW(struct hd_overview_run, id, "r.run_id", TEXT_OR_EMPTY),
	HD_ROW(struct hd_overview_run, recorded, "r.recorded_utc", TEXT_OR_EMPTY),
	HD_ROW(struct hd_overview_run, target, "r.target", NAME_OR_EMPTY),
	HD_ROW(struct hd_overview_run, mode, "r.mode", TEXT_OR_EMPTY),
	HD_ROW(struct hd_overview_run, status, "r.status", TEXT_OR_EMPTY),
	HD_ROW(struct hd_overview_run, inline_mode, "r.inline_mode", TEXT_OR_EMPTY),
	HD_ROW(struct hd_overview_run, branch, "r.branch", NAME),
	HD_ROW(struct hd_overview_run, dirty, "r.dirty", INT),
	HD_ROW(struct hd_overview_run, commit, "c.sha", TEXT),
	HD_ROW(struct hd_overview_run, committed, "c.committed_utc", TEXT),
	HD_ROW(struct hd_overview_run, subject, "c.subject", NAME),
	HD_ROW(struct hd_overview_run, config, "f.sha256", TEXT),
	HD_ROW(struct hd_overview_run, machine, "m.fingerprint", TEXT),
	HD_ROW(struct hd_overview_run, cpu_model, "m.cpu_model", TEXT),
	HD_ROW(struct hd_overview_run, selection, "r.selection", NAME),
	HD_ROW(struct hd_overview_run, work, "r.work", REAL),
};
static const struct hd_row_query chosen_runs = HD_ROW_QUERY(struct hd_overview_run, run_fields,
	CHOSEN " ORDER BY r.recorded_utc DESC, r.id DESC LIMIT $7");

static int load_runs(struct hd_overview *c, struct hd_db *db, const struct bounds *b, int64_t limit, struct hd_err *err)
{
	const char *t = b->target ? "x" : "", *br = b->branch ? "x" : "", *until = b->until;
	struct hd_row_list list = { 0 };
	int64_t all;
	int rc;

	rc = hd_db_query_int(db, &all, 0, err, "SELECT COUNT(*)" CHOSEN, "tttttt", t, b->target, br, b->branch,
		b->since, until);
	if (rc < 0)
		return rc;
	rc = hd_row_load(&list, &chosen_runs, db, &c->arena, err, "tttttti", t, b->target, br, b->branch, b->since,
		until, limit);
	c->runs = list.items;
	c->nruns = list.n;
	for (size_t i = 0, k = c->nruns; i + 1 < k; i++) {	/* oldest first */
		struct hd_overview_run swap = c->runs[i];

		c->runs[i] = c->runs[--k];
		c->runs[k] = swap;
	}
	c->runs_left_out = all > (int64_t)c->nruns ? (uint64_t)(all - (int64_t)c->nruns) : 0;
	return rc;
}

/* ---- lanes ---- */

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool comparable(const struct hd_overview_run *a, const struct hd_overview_run *b)
{
	return same(a->target, b->target) && same(a->mode, b->mode) && same(a->inline_mode, b->inline_mode) &&
		same(a->machine, b->machine) && same(a->config, b->config) && same(a->selection, b->selection);
}

/*
 * Return the lane (group of comparable runs) to which an event of a run belongs; add it if it is new.  NULL if there
 * are too many lanes.
 */
static struct hd_overview_lane *lane_of(struct hd_overview *c, uint32_t run, const char *event, const char *unit,
	const char *call_graph, size_t *cap)
{
	struct hd_overview_lane *l;

	for (size_t i = 0; i < c->nlanes; i++) {
		l = &c->lanes[i];
		if (strcmp(l->event, event) || strcmp(l->unit, unit) || !comparable(&c->runs[l->first], &c->runs[run]))
			continue;
		if (l->call_graph && call_graph && l->call_graph != call_graph)
			continue;
		if (call_graph)
			l->call_graph = call_graph;
		return l;
	}
	if (c->nlanes == HD_OVERVIEW_LANES)
		return NULL;
	HD_GROW(c->lanes, c->nlanes + 1, *cap);
	l = &c->lanes[c->nlanes++];
	*l = (struct hd_overview_lane){ .event = hd_arena_strndup(&c->arena, event, strlen(event)),
		.unit = hd_arena_strndup(&c->arena, unit, strlen(unit)),
		.call_graph = call_graph,
		.first = run };
	return l;
}

static void add_slot(struct hd_overview *c, struct hd_overview_lane *l, struct hd_overview_slot slot)
{
	if (!l || c->nslots == HD_OVERVIEW_SLOTS) {
		c->lanes_left_out++;
		return;
	}
	c->nslots++;
	HD_GROW(l->slots, l->nslots + 1, l->slots_cap);
	l->slots[l->nslots++] = slot;
}

int64_t *hd_overview_rows(const struct hd_overview *c)
{
	int64_t *rows = hd_new_array(int64_t, c->nruns + 1);

	for (size_t i = 0; i < c->nruns; i++)
		rows[i] = c->runs[i].row;
	return rows;
}

enum { RUN_EVENTS = 256 };	/* limit for the events of a run; further events are ignored */

struct event_row {
	int64_t run;			/* run.id */
	const char *name, *unit, *call_graph;
	struct hd_overview_slot slot;
};
static const struct hd_row_field event_fields[] = {
	HD_ROW(struct event_row, run, "run_id", INT),
	HD_ROW(struct event_row, slot.event, "event", INT),
	HD_ROW(struct event_row, name, "name", NAME_OR_EMPTY),
	HD_ROW(struct event_row, unit, "unit", NAME_OR_EMPTY),
	HD_ROW(struct event_row, slot.weight, "weight", INT_OR_0),
	HD_ROW(struct event_row, slot.samples, "CAST(ROUND(COALESCE(effective_samples, samples)) AS INTEGER)",
		INT_OR_0),
	HD_ROW(struct event_row, slot.stacks, "stacks", TEXT),
	HD_ROW(struct event_row, call_graph, "call_graph", TEXT),
};
static const struct hd_row_query all_events = HD_ROW_QUERY(struct event_row, event_fields,
	"FROM event WHERE run_id IN [$1] AND samples > 0 ORDER BY run_id, event");

/* A run that has series. */
struct series_row {
	int64_t run;
};
static const struct hd_row_field series_fields[] = { HD_ROW(struct series_row, run, "run_id", INT) };
static const struct hd_row_query runs_with_series = HD_ROW_QUERY(struct series_row, series_fields,
	"FROM series WHERE run_id IN [$1] GROUP BY run_id ORDER BY run_id");

/*
 * Add a run to the lane (group of comparable runs) of each of its events.  A run that has series but no samples is
 * added to a lane without an event.
 */
static void add_run(struct hd_overview *c, uint32_t run, const struct hd_row_list *events,
	const struct hd_row_list *series, size_t *cap)
{
	int64_t row = c->runs[run].row;
	struct event_row *rows = events->items;
	size_t first = hd_row_list_find(events, &all_events, row), i = first;

	for (; i < events->n && rows[i].run == row && i - first < RUN_EVENTS; i++) {
		rows[i].slot.run = run;
		add_slot(c, lane_of(c, run, rows[i].name, rows[i].unit, hd_rate_call_graph(rows[i].call_graph), cap),
			rows[i].slot);
	}
	if (i > first)
		return;
	i = hd_row_list_find(series, &runs_with_series, row);
	if (i < series->n && ((const struct series_row *)series->items)[i].run == row)
		add_slot(c, lane_of(c, run, "", "", NULL, cap), (struct hd_overview_slot){ .run = run, .event = -1 });
}

static int load_events(struct hd_overview *c, struct hd_db *db, size_t *cap, struct hd_err *err)
{
	struct hd_row_list events = { 0 }, series = { 0 };
	int64_t *rows = hd_overview_rows(c);
	int rc = hd_row_load(&events, &all_events, db, &c->arena, err, "l", rows, c->nruns);

	if (rc >= 0)
		rc = hd_row_load(&series, &runs_with_series, db, &c->arena, err, "l", rows, c->nruns);
	/* add the newest runs first, so that their lanes (groups of comparable runs) are kept if a limit is reached */
	for (size_t i = c->nruns; i > 0 && rc >= 0; i--)
		add_run(c, (uint32_t)(i - 1), &events, &series, cap);
	free(events.items);
	free(series.items);
	free(rows);
	return rc;
}

static void slots_oldest_first(struct hd_overview_lane *l)
{
	for (size_t i = 0, k = l->nslots; i + 1 < k; i++) {
		struct hd_overview_slot swap = l->slots[i];

		l->slots[i] = l->slots[--k];
		l->slots[k] = swap;
	}
}

int hd_overview_load(struct hd_overview *c, struct hd_db *db, const struct hd_overview_opts *o, struct hd_err *err)
{
	struct bounds b;
	size_t cap = 0;
	int rc;

	*c = (struct hd_overview){ 0 };
	bounds_of(&b, o);
	rc = load_runs(c, db, &b, o->runs ? o->runs : HD_OVERVIEW_RUNS, err);
	if (rc >= 0)
		rc = load_events(c, db, &cap, err);
	/* drop lanes that have no runs: they were created after HD_OVERVIEW_SLOTS had been reached */
	while (c->nlanes && !c->lanes[c->nlanes - 1].nslots)
		c->nlanes--;
	for (size_t i = 0; i < c->nlanes; i++)
		slots_oldest_first(&c->lanes[i]);
	if (rc >= 0)
		rc = hd_overview_tops(c, db, err);
	if (rc >= 0)
		rc = hd_overview_shares(c, db, o->symbols, err);
	if (rc >= 0)
		rc = hd_overview_series(c, db, err);
	if (rc >= 0)
		rc = hd_overview_changes(c, err);
	for (size_t i = 0; i < c->nlanes && rc >= 0; i++)
		hd_overview_costs(c, &c->lanes[i]);
	if (rc >= 0)
		rc = hd_overview_verdicts(c, db, err);
	free(b.target);
	free(b.branch);
	hd_map_release(&c->symbol_of_row);
	if (rc < 0)
		hd_overview_release(c);
	return rc < 0 ? rc : 0;
}

void hd_overview_release(struct hd_overview *c)
{
	for (size_t i = 0; i < c->nlanes; i++) {
		for (size_t k = 0; k < c->lanes[i].ncolumns; k++) {
			free(c->lanes[i].columns[k].v);
			free(c->lanes[i].columns[k].changes);
			free(c->lanes[i].columns[k].costs);
		}
		free(c->lanes[i].columns);
		free(c->lanes[i].slots);
	}
	free(c->lanes);
	free(c->runs);
	free(c->symbols);
	free(c->verdicts);
	free(c->gates);
	hd_map_release(&c->symbol_of_row);
	hd_arena_release(&c->arena);
	*c = (struct hd_overview){ 0 };
}
