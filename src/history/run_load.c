/*
 * run_load.c - see run_load.h
 */
#include "history/run_load.h"

#include "base/encode.h"
#include "base/mem.h"
#include "db/row_ids.h"
#include "db/row_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hd_run_load_settle_rate(struct hd_rate *s)
{
	if (!(s->silent > 0 && s->silent <= 1))
		s->silent = 0;
	s->call_graph = hd_rate_call_graph(s->call_graph);
}

static const struct hd_row_field run_fields[] = {
	HD_ROW(struct hd_stored_run, row, "r.id", INT),
	HD_ROW(struct hd_stored_run, id, "r.run_id", TEXT_OR_EMPTY),
	HD_ROW(struct hd_stored_run, recorded, "r.recorded_utc", TEXT_OR_EMPTY),
	HD_ROW(struct hd_stored_run, added, "r.added_utc", TEXT_OR_EMPTY),
	HD_ROW(struct hd_stored_run, target, "r.target", NAME_OR_EMPTY),
	HD_ROW(struct hd_stored_run, mode, "r.mode", TEXT_OR_EMPTY),
	HD_ROW(struct hd_stored_run, status, "r.status", TEXT_OR_EMPTY),
	HD_ROW(struct hd_stored_run, command, "r.command", NAME),
	HD_ROW(struct hd_stored_run, session, "r.session", NAME),
	HD_ROW(struct hd_stored_run, boot_id, "r.boot_id", TEXT),
	HD_ROW(struct hd_stored_run, inline_mode, "r.inline_mode", TEXT_OR_EMPTY),
	HD_ROW(struct hd_stored_run, branch, "r.branch", NAME),
	HD_ROW(struct hd_stored_run, hotdrift, "r.hotdrift", TEXT_OR_EMPTY),
	HD_ROW(struct hd_stored_run, origin, "r.origin", TEXT_OR_EMPTY),
	HD_ROW(struct hd_stored_run, content_hash, "r.content_hash", TEXT_OR_EMPTY),
	HD_ROW(struct hd_stored_run, prev_hash, "r.prev_hash", TEXT_OR_EMPTY),
	HD_ROW(struct hd_stored_run, run_hash, "r.run_hash", TEXT_OR_EMPTY),
	HD_ROW(struct hd_stored_run, exit_status, "r.exit_status", INT),
	HD_ROW(struct hd_stored_run, dirty, "r.dirty", INT),
	HD_ROW(struct hd_stored_run, read, "r.samples_read", INT),
	HD_ROW(struct hd_stored_run, kept, "r.samples_kept", INT),
	HD_ROW(struct hd_stored_run, seq, "r.seq", INT),
	HD_ROW(struct hd_stored_run, selection, "r.selection", NAME),
	HD_ROW(struct hd_stored_run, side, "r.side", TEXT),
	HD_ROW(struct hd_stored_run, work, "r.work", REAL),
	HD_ROW(struct hd_stored_run, compiler, "r.compiler", TEXT),
	HD_ROW(struct hd_stored_run, load_average, "r.load_average", REAL),
	HD_ROW(struct hd_stored_run, variables, "v.variables", TEXT),
	HD_ROW(struct hd_stored_run, commit, "c.sha", TEXT),
	HD_ROW(struct hd_stored_run, parents, "c.parents", TEXT),
	HD_ROW(struct hd_stored_run, committed, "c.committed_utc", TEXT),
	HD_ROW(struct hd_stored_run, subject, "c.subject", NAME),
	HD_ROW(struct hd_stored_run, config, "f.sha256", TEXT),
	HD_ROW(struct hd_stored_run, config_form, "f.form", TEXT),
	HD_ROW(struct hd_stored_run, machine, "m.fingerprint", TEXT),
	HD_ROW(struct hd_stored_run, machine_source, "m.source", TEXT),
	HD_ROW(struct hd_stored_run, arch, "m.arch", TEXT),
	HD_ROW(struct hd_stored_run, cpu_model, "m.cpu_model", TEXT),
	HD_ROW(struct hd_stored_run, kernel, "m.kernel", TEXT),
	HD_ROW(struct hd_stored_run, microcode, "m.microcode", TEXT),
	HD_ROW(struct hd_stored_run, governor, "m.governor", TEXT),
	HD_ROW(struct hd_stored_run, hostname, "m.hostname", TEXT),
	HD_ROW(struct hd_stored_run, smt, "m.smt", TEXT),
	HD_ROW(struct hd_stored_run, cpus_online, "m.cpus_online", INT),
	HD_ROW(struct hd_stored_run, memory_bytes, "m.memory_bytes", INT),
};
static const struct hd_row_query some_runs = HD_ROW_QUERY(struct hd_stored_run, run_fields,
	"FROM run r LEFT JOIN commit_info c ON c.id = r.commit_id LEFT JOIN config f ON f.id = r.config_id "
	"LEFT JOIN machine m ON m.id = r.machine_id LEFT JOIN environment v ON v.id = r.environment_id "
	"WHERE r.id IN [$1]");

/* The runs that are loaded, by ascending run.id. */
struct loading {
	struct hd_db *db;
	struct hd_arena *arena;
	const int64_t *ids;
	struct hd_stored_run **runs;
	size_t n;
	unsigned hotspots;
};

/* Return the run with this run.id, or NULL. */
static struct hd_stored_run *run_of(const struct loading *l, int64_t id)
{
	const int64_t *at = bsearch(&id, l->ids, l->n, sizeof(id), hd_row_id_order);

	return at ? l->runs[at - l->ids] : NULL;
}

static int load_rows(struct loading *l, struct hd_err *err)
{
	struct hd_stored_run row;
	struct hd_db_rows r;
	size_t found = 0;
	int rc = hd_row_query(&r, &some_runs, l->db, err, "l", l->ids, l->n);

	while (rc >= 0 && (rc = hd_row_next(&r, &some_runs, l->arena, memset(&row, 0, sizeof(row)), err)) > 0) {
		struct hd_stored_run *p = run_of(l, row.row);

		if (!p)
			continue;
		*p = row;
		found++;
	}
	hd_db_end(&r);
	if (rc >= 0 && found < l->n)
		rc = hd_fail(err, HD_EIO, "%s: a run was deleted meanwhile", hd_db_name(l->db));
	return rc;
}

/*
 * Return an address with leading zeros: 0x401000 as 0x0000000000401000.  Below the first five ranks, the addresses of
 * symbols are stored without leading zeros.
 */
static const char *padded(struct hd_arena *arena, const char *vaddr)
{
	char all[24];
	size_t n = vaddr ? strlen(vaddr) : 0;

	if (n < 3 || n >= 18 || strncmp(vaddr, "0x", 2))
		return vaddr;
	snprintf(all, sizeof(all), "0x%0*d%s", (int)(18 - n), 0, vaddr + 2);
	return hd_arena_strndup(arena, all, strlen(all));
}

struct hotspot_row {
	int64_t run, event;
	struct hd_stored_hotspot hotspot;
};
static const struct hd_row_field hotspot_fields[] = {
	HD_ROW(struct hotspot_row, run, "h.run_id", INT),
	HD_ROW(struct hotspot_row, event, "h.event", INT),
	HD_ROW(struct hotspot_row, hotspot.rank, "h.rank", INT),
	HD_ROW(struct hotspot_row, hotspot.symbol, "h.symbol_id", INT),
	HD_ROW(struct hotspot_row, hotspot.object, "o.path", NAME),
	HD_ROW(struct hotspot_row, hotspot.build_id, "o.build_id", TEXT),
	HD_ROW(struct hotspot_row, hotspot.linkage, "s.linkage", NAME),
	HD_ROW(struct hotspot_row, hotspot.name, "s.name", NAME),
	HD_ROW(struct hotspot_row, hotspot.vaddr, "h.vaddr", TEXT),
	HD_ROW(struct hotspot_row, hotspot.self, "h.self", INT),
	HD_ROW(struct hotspot_row, hotspot.total, "h.total", INT),
	HD_ROW(struct hotspot_row, hotspot.samples, "h.samples", INT),
	HD_ROW(struct hotspot_row, hotspot.inline_self, "h.inline_self", INT),
	HD_ROW(struct hotspot_row, hotspot.inline_total, "h.inline_total", INT),
};
/* Query for the hotspots of each event up to rank $2, except symbols without samples, which have the last ranks. */
static const struct hd_row_query top_hotspots = HD_ROW_QUERY(struct hotspot_row, hotspot_fields,
	"FROM hotspot h JOIN symbol s ON s.id = h.symbol_id JOIN object o ON o.id = h.object_id "
	"WHERE h.run_id IN [$1] AND h.rank <= $2 AND h.samples > 0 ORDER BY h.run_id, h.event, h.rank");

static struct hd_stored_event *event_of(const struct loading *l, int64_t run, int64_t event)
{
	struct hd_stored_run *p = run_of(l, run);

	for (size_t i = 0; p && i < p->nevents; i++)
		if (p->events[i].event == event)
			return &p->events[i];
	return NULL;
}

static int load_hotspots(struct loading *l, struct hd_err *err)
{
	struct hotspot_row row;
	struct hd_db_rows r;
	int rc = hd_row_query(&r, &top_hotspots, l->db, err, "li", l->ids, l->n, (int64_t)l->hotspots);

	while (rc >= 0 && (rc = hd_row_next(&r, &top_hotspots, l->arena, memset(&row, 0, sizeof(row)), err)) > 0) {
		struct hd_stored_event *e = event_of(l, row.run, row.event);
		struct hd_stored_hotspot *h = &row.hotspot;

		if (!e)
			continue;
		h->rest = h->name && !h->linkage;
		if (!h->name)
			h->name = h->linkage;
		h->vaddr = padded(l->arena, h->vaddr);
		HD_GROW(e->hotspots, e->nhotspots + 1, e->cap_hotspots);
		e->hotspots[e->nhotspots++] = *h;
	}
	hd_db_end(&r);
	return rc;
}

/* Count the symbols of events in old runs: earlier versions did not store the number of symbols. */
static int count_symbols(struct loading *l, struct hd_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->runs[i]->nevents && rc >= 0; k++) {
			struct hd_stored_event *e = &l->runs[i]->events[k];

			if (e->symbols < 0)
				rc = hd_db_query_int(l->db, &e->symbols, 0, err,
					"SELECT COUNT(*) FROM hotspot WHERE run_id = $1 AND event = $2 "
					"AND samples > 0",
					"ii", l->ids[i], e->event);
		}
	return rc;
}

struct event_row {
	int64_t run;
	struct hd_stored_event e;
};
static const struct hd_row_field event_fields[] = {
	HD_ROW(struct event_row, run, "run_id", INT),
	HD_ROW(struct event_row, e.event, "event", INT),
	HD_ROW(struct event_row, e.name, "name", NAME_OR_EMPTY),
	HD_ROW(struct event_row, e.unit, "unit", NAME_OR_EMPTY),
	HD_ROW(struct event_row, e.weight, "weight", INT),
	HD_ROW(struct event_row, e.samples, "samples", INT),
	HD_ROW(struct event_row, e.lost, "lost", INT),
	HD_ROW(struct event_row, e.stacks, "stacks", TEXT),
	HD_ROW(struct event_row, e.symbols, "symbols", INT),
	HD_ROW(struct event_row, e.rest_symbols, "rest_symbols", INT),
	HD_ROW(struct event_row, e.effective, "effective_samples", REAL),
	HD_RUN_LOAD_RATE_FIELDS(struct event_row, e.rate)
};
static const struct hd_row_query all_events = HD_ROW_QUERY(struct event_row, event_fields,
	"FROM event WHERE run_id IN [$1] ORDER BY run_id, event");

static int load_events(struct loading *l, struct hd_err *err)
{
	struct event_row row;
	struct hd_db_rows r;
	int rc = hd_row_query(&r, &all_events, l->db, err, "l", l->ids, l->n);

	while (rc >= 0 && (rc = hd_row_next(&r, &all_events, l->arena, memset(&row, 0, sizeof(row)), err)) > 0) {
		struct hd_stored_run *p = run_of(l, row.run);

		if (!p)
			continue;
		if (row.e.rest_symbols < 0)
			row.e.rest_symbols = 0;
		hd_run_load_settle_rate(&row.e.rate);
		HD_GROW(p->events, p->nevents + 1, p->cap_events);
		p->events[p->nevents++] = row.e;
	}
	hd_db_end(&r);
	return rc;
}

static const struct hd_row_field artifact_fields[] = {
	HD_ROW(struct hd_stored_artifact, kind, "kind", TEXT_OR_EMPTY),
	HD_ROW(struct hd_stored_artifact, path, "path", NAME_OR_EMPTY),
	HD_ROW(struct hd_stored_artifact, sha256, "sha256", TEXT),
	HD_ROW(struct hd_stored_artifact, bytes, "bytes", INT),
};
static const struct hd_row_query all_artifacts = HD_ROW_QUERY(struct hd_stored_artifact, artifact_fields,
	"FROM artifact WHERE run_id = $1 ORDER BY ordinal");

static const struct hd_row_field dropped_fields[] = {
	HD_ROW(struct hd_stored_loss, reason, "reason", TEXT_OR_EMPTY),
	HD_ROW(struct hd_stored_loss, count, "samples", INT),
};
static const struct hd_row_query all_dropped = HD_ROW_QUERY(struct hd_stored_loss, dropped_fields,
	"FROM dropped WHERE run_id = $1 ORDER BY ordinal");

static const struct hd_row_field warning_fields[] = {
	HD_ROW(struct hd_stored_loss, reason, "code", TEXT_OR_EMPTY),
	HD_ROW(struct hd_stored_loss, count, "count", INT),
	HD_ROW(struct hd_stored_loss, text, "message", NAME_OR_EMPTY),
};
static const struct hd_row_query all_warnings = HD_ROW_QUERY(struct hd_stored_loss, warning_fields,
	"FROM run_warning WHERE run_id = $1 ORDER BY ordinal");

static const struct hd_row_field stat_fields[] = {
	HD_ROW(struct hd_stored_stat, name, "stat", TEXT_OR_EMPTY),
	HD_ROW(struct hd_stored_stat, value, "value", REAL),
	HD_ROW(struct hd_stored_stat, lo, "lo", REAL),
	HD_ROW(struct hd_stored_stat, hi, "hi", REAL),
};
static const struct hd_row_query all_stats = HD_ROW_QUERY(struct hd_stored_stat, stat_fields,
	"FROM series_summary WHERE run_id = $1 AND series = $2 ORDER BY ordinal");

static const struct hd_row_field series_fields[] = {
	HD_ROW(struct hd_stored_series, series, "series", INT),
	HD_ROW(struct hd_stored_series, kind, "kind", TEXT_OR_EMPTY),
	HD_ROW(struct hd_stored_series, name, "name", NAME_OR_EMPTY),
	HD_ROW(struct hd_stored_series, unit, "unit", TEXT_OR_EMPTY),
	HD_ROW(struct hd_stored_series, samples, "samples", INT),
	HD_ROW(struct hd_stored_series, csv, "csv", TEXT),
	HD_ROW(struct hd_stored_series, method, "method", TEXT),
};
static const struct hd_row_query all_series = HD_ROW_QUERY(struct hd_stored_series, series_fields,
	"FROM series WHERE run_id = $1 ORDER BY series");

int hd_run_load_series(struct hd_stored_run *p, struct hd_db *db, struct hd_err *err)
{
	struct hd_row_list list = { 0 };
	int rc = hd_row_load(&list, &all_series, db, &p->arena, err, "i", p->row);

	p->series = list.items;
	p->nseries = list.n;
	for (size_t i = 0; i < p->nseries && rc >= 0; i++) {
		struct hd_stored_series *s = &p->series[i];
		struct hd_row_list stats = { 0 };

		rc = hd_row_load(&stats, &all_stats, db, &p->arena, err, "ii", p->row, s->series);
		s->stats = stats.items;
		s->nstats = stats.n;
	}
	return rc;
}

static int load_brief(struct loading *l, struct hd_err *err)
{
	int rc = load_rows(l, err);

	if (rc >= 0)
		rc = load_events(l, err);
	if (rc >= 0)
		rc = count_symbols(l, err);
	return rc < 0 || !l->hotspots ? rc : load_hotspots(l, err);
}

int hd_run_load_brief(struct hd_stored_run *p, struct hd_db *db, int64_t row, unsigned hotspots, struct hd_err *err)
{
	struct hd_arena arena = { 0 };
	struct loading l = { db, &arena, &row, &p, 1, hotspots };
	int rc;

	*p = (struct hd_stored_run){ .row = row };
	rc = load_brief(&l, err);
	p->arena = arena;
	if (rc < 0)
		hd_run_load_release(p);
	return rc < 0 ? rc : 0;
}

int hd_run_load_list(struct hd_run_list *list, struct hd_db *db, const int64_t *rows, size_t n, unsigned hotspots,
	struct hd_err *err)
{
	int64_t *ids = hd_new_array(int64_t, n + 1);
	struct hd_stored_run **by_row = hd_new_array(struct hd_stored_run *, n + 1);
	struct loading l = { db, &list->arena, ids, by_row, n, hotspots };
	int rc;

	*list = (struct hd_run_list){ .runs = hd_zalloc(n + 1, sizeof(*list->runs)), .n = n };
	for (size_t i = 0; i < n; i++)
		ids[i] = rows[i];
	qsort(ids, n, sizeof(*ids), hd_row_id_order);
	for (size_t i = 0; i < n; i++) {
		const int64_t *at = bsearch(&rows[i], ids, n, sizeof(*ids), hd_row_id_order);

		by_row[at - ids] = &list->runs[i];
	}
	rc = n ? load_brief(&l, err) : 0;
	free(by_row);
	free(ids);
	if (rc < 0)
		hd_run_list_release(list);
	return rc < 0 ? rc : 0;
}

void hd_run_list_release(struct hd_run_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		hd_run_load_release(&list->runs[i]);
	free(list->runs);
	hd_arena_release(&list->arena);
	*list = (struct hd_run_list){ 0 };
}

int hd_run_load(struct hd_stored_run *p, struct hd_db *db, int64_t row, unsigned hotspots, struct hd_err *err)
{
	struct hd_row_list list = { 0 }, dropped = { 0 }, warnings = { 0 };
	int rc = hd_run_load_brief(p, db, row, hotspots, err);

	if (rc < 0)
		return rc;
	rc = hd_row_load(&list, &all_artifacts, db, &p->arena, err, "i", p->row);
	p->artifacts = list.items;
	p->nartifacts = list.n;
	if (rc >= 0)
		rc = hd_row_load(&dropped, &all_dropped, db, &p->arena, err, "i", p->row);
	p->dropped = dropped.items;
	p->ndropped = dropped.n;
	for (size_t i = 0; i < p->ndropped; i++)
		p->dropped[i].text = "";
	if (rc >= 0)
		rc = hd_row_load(&warnings, &all_warnings, db, &p->arena, err, "i", p->row);
	p->warnings = warnings.items;
	p->nwarnings = warnings.n;
	if (rc < 0)
		hd_run_load_release(p);
	return rc < 0 ? rc : 0;
}

void hd_run_load_release(struct hd_stored_run *p)
{
	for (size_t i = 0; i < p->nevents; i++)
		free(p->events[i].hotspots);
	for (size_t i = 0; i < p->nseries; i++)
		free(p->series[i].stats);
	free(p->series);
	free(p->events);
	free(p->artifacts);
	free(p->dropped);
	free(p->warnings);
	hd_arena_release(&p->arena);
	*p = (struct hd_stored_run){ 0 };
}

double hd_run_load_pct(int64_t part, int64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

size_t hd_run_load_find_event(const struct hd_stored_run *p, const struct hd_stored_event *e)
{
	size_t i = 0;

	while (i < p->nevents && (strcmp(p->events[i].name, e->name) || strcmp(p->events[i].unit, e->unit)))
		i++;
	return i;
}

int hd_run_load_symbol_self(int64_t *self, struct hd_db *db, int64_t row, int64_t event, const char *normal,
	const char *object, struct hd_err *err)
{
	char *v = hd_enc_visible_new(normal), *o = hd_enc_visible_new(object ? object : "");
	int rc = hd_db_query_int(db, self, 0, err,
		"SELECT CAST(SUM(h.self) AS BIGINT) FROM hotspot h JOIN symbol s ON s.id = h.symbol_id "
		"WHERE h.run_id = $1 AND h.event = $2 AND s.normal = $3 AND ($4 = '' OR s.object = $5) "
		"GROUP BY s.object ORDER BY 1 DESC LIMIT 1",
		"iittt", row, event, v, o, o);

	free(v);
	free(o);
	return rc;
}
