/*
 * run_load.c - see run_load.h: loading; finding is run_lookup.c
 */
#include "history/run_load.h"

#include "base/encode.h"
#include "base/mem.h"
#include "db/row_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t number(struct hd_row_reader *c)
{
	int i = c->at++;

	return hd_col_kind(c->r, i) == HD_COL_NULL ? -1 : hd_col_int(c->r, i);
}

static double real(struct hd_row_reader *c)
{
	int i = c->at++;

	return hd_col_kind(c->r, i) == HD_COL_NULL ? NAN : hd_col_double(c->r, i);
}

/* -1: not known, whatever a foreign file holds. */
static int64_t count(struct hd_row_reader *c)
{
	int i = c->at++;

	return hd_col_kind(c->r, i) == HD_COL_INT && hd_col_int(c->r, i) >= 0 ? hd_col_int(c->r, i) : -1;
}

static uint64_t at_least_0(int64_t n)
{
	return n > 0 ? (uint64_t)n : 0;
}

struct hd_rate hd_run_load_rate(struct hd_row_reader *c)
{
	struct hd_rate s = { 0 };
	int64_t throttled;
	double silent;

	s.frequency_hz = at_least_0(count(c));
	s.period = at_least_0(count(c));
	throttled = count(c);
	s.recorded = throttled >= 0;
	s.throttled = at_least_0(throttled);
	s.unthrottled = at_least_0(count(c));
	silent = hd_row_reader_number(c, 0);
	s.silent = silent > 0 && silent <= 1 ? silent : 0;
	s.enabled_ns = at_least_0(count(c));
	s.running_ns = at_least_0(count(c));
	s.call_graph = hd_rate_call_graph(hd_row_reader_text(c));
	s.stack_bytes = at_least_0(count(c));
	return s;
}

static int load_row(struct hd_stored_run *p, struct hd_db *db, struct hd_err *err)
{
	struct hd_db_rows r;
	struct hd_row_reader c = { &p->arena, &r, 0 };
	int rc;

	rc = hd_db_query(&r, db, err,
		"SELECT r.run_id, r.recorded_utc, r.added_utc, r.target, r.target_raw, r.mode, r.status, r.command, "
		"r.command_raw, r.session, r.session_raw, r.boot_id, r.inline_mode, r.branch, r.branch_raw, "
		"r.hotdrift, r.origin, r.content_hash, r.prev_hash, r.run_hash, r.exit_status, r.dirty, "
		"r.samples_read, r.samples_kept, r.seq, c.sha, c.parents, c.committed_utc, c.subject, c.subject_raw, "
		"f.sha256, f.form, m.fingerprint, m.source, m.arch, m.cpu_model, m.kernel, m.microcode, m.governor, "
		"m.hostname, m.smt, m.cpus_online, m.memory_bytes, r.selection, r.selection_raw, r.side, r.work, "
		"r.compiler, r.load_average, v.variables FROM run r LEFT JOIN commit_info c ON c.id = r.commit_id LEFT "
		"JOIN config f ON f.id = r.config_id LEFT JOIN machine m ON m.id = r.machine_id LEFT JOIN environment "
		"v ON v.id = r.environment_id WHERE r.id = $1",
		"i", p->row);
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc == 0)
		rc = hd_fail(err, HD_EIO, "%s: run %lld is gone", hd_db_name(db), (long long)p->row);
	if (rc > 0) {
		p->id = hd_or_empty(hd_row_reader_text(&c));
		p->recorded = hd_or_empty(hd_row_reader_text(&c));
		p->added = hd_or_empty(hd_row_reader_text(&c));
		p->target = hd_or_empty(hd_row_reader_name(&c));
		p->mode = hd_or_empty(hd_row_reader_text(&c));
		p->status = hd_or_empty(hd_row_reader_text(&c));
		p->command = hd_row_reader_name(&c);
		p->session = hd_row_reader_name(&c);
		p->boot_id = hd_row_reader_text(&c);
		p->inline_mode = hd_or_empty(hd_row_reader_text(&c));
		p->branch = hd_row_reader_name(&c);
		p->hotdrift = hd_or_empty(hd_row_reader_text(&c));
		p->origin = hd_or_empty(hd_row_reader_text(&c));
		p->content_hash = hd_or_empty(hd_row_reader_text(&c));
		p->prev_hash = hd_or_empty(hd_row_reader_text(&c));
		p->run_hash = hd_or_empty(hd_row_reader_text(&c));
		p->exit_status = number(&c);
		p->dirty = number(&c);
		p->read = number(&c);
		p->kept = number(&c);
		p->seq = number(&c);
		p->commit = hd_row_reader_text(&c);
		p->parents = hd_row_reader_text(&c);
		p->committed = hd_row_reader_text(&c);
		p->subject = hd_row_reader_name(&c);
		p->config = hd_row_reader_text(&c);
		p->config_form = hd_row_reader_text(&c);
		p->machine = hd_row_reader_text(&c);
		p->machine_source = hd_row_reader_text(&c);
		p->arch = hd_row_reader_text(&c);
		p->cpu_model = hd_row_reader_text(&c);
		p->kernel = hd_row_reader_text(&c);
		p->microcode = hd_row_reader_text(&c);
		p->governor = hd_row_reader_text(&c);
		p->hostname = hd_row_reader_text(&c);
		p->smt = hd_row_reader_text(&c);
		p->cpus_online = number(&c);
		p->memory_bytes = number(&c);
		p->selection = hd_row_reader_name(&c);
		p->side = hd_row_reader_text(&c);
		p->work = real(&c);
		p->compiler = hd_row_reader_text(&c);
		p->load_average = real(&c);
		p->variables = hd_row_reader_text(&c);
	}
	hd_db_end(&r);
	return rc < 0 ? rc : 0;
}

/* 0x401000 as 0x0000000000401000: behind the first five it is stored without the zeros. */
static const char *padded(struct hd_arena *arena, const char *vaddr)
{
	char all[24];
	size_t n = vaddr ? strlen(vaddr) : 0;

	if (n < 3 || n >= 18 || strncmp(vaddr, "0x", 2))
		return vaddr;
	snprintf(all, sizeof(all), "0x%0*d%s", (int)(18 - n), 0, vaddr + 2);
	return hd_arena_strndup(arena, all, strlen(all));
}

static int load_hotspots(struct hd_stored_run *p, struct hd_db *db, struct hd_stored_event *e, unsigned limit,
	struct hd_err *err)
{
	struct hd_db_rows r;
	size_t cap = 0;
	int rc = 0;

	if (e->symbols < 0)		/* a run from before they were counted */
		rc = hd_db_query_int(db, &e->symbols, 0, err,
			"SELECT COUNT(*) FROM hotspot WHERE run_id = $1 AND event = $2 "
			"AND samples > 0",
			"ii", p->row, e->event);
	if (rc < 0 || !limit)
		return rc;
	rc = hd_db_query(&r, db, err,
		"SELECT h.rank, h.symbol_id, o.path, o.path_raw, o.build_id, s.linkage, s.linkage_raw, s.name, "
		"s.name_raw, h.vaddr, h.self, h.total, h.samples, h.inline_self, h.inline_total FROM hotspot h "
		"JOIN symbol s ON s.id = h.symbol_id JOIN object o ON o.id = h.object_id "
		"WHERE h.run_id = $1 AND h.event = $2 AND h.samples > 0 ORDER BY h.rank LIMIT $3",
		"iii", p->row, e->event, (int64_t)limit);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		struct hd_row_reader c = { &p->arena, &r, 0 };
		struct hd_stored_hotspot *h;

		HD_GROW(e->hotspots, e->nhotspots + 1, cap);
		h = &e->hotspots[e->nhotspots++];
		h->rank = number(&c);
		h->symbol = number(&c);
		h->object = hd_row_reader_name(&c);
		h->build_id = hd_row_reader_text(&c);
		h->linkage = hd_row_reader_name(&c);
		h->name = hd_row_reader_name(&c);
		h->rest = h->name && !h->linkage;
		if (!h->name)
			h->name = h->linkage;
		h->vaddr = padded(&p->arena, hd_row_reader_text(&c));
		h->self = number(&c);
		h->total = number(&c);
		h->samples = number(&c);
		h->inline_self = number(&c);
		h->inline_total = number(&c);
	}
	hd_db_end(&r);
	return rc;
}

static int load_events(struct hd_stored_run *p, struct hd_db *db, unsigned hotspots, struct hd_err *err)
{
	struct hd_db_rows r;
	size_t cap = 0;
	int rc;

	rc = hd_db_query(&r, db, err,
		"SELECT event, name, name_raw, unit, unit_raw, weight, samples, lost, stacks, symbols, rest_symbols, "
		"effective_samples, " HD_RUN_LOAD_RATE_COLUMNS " FROM event "
		"WHERE run_id = $1 ORDER BY event",
		"i", p->row);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		struct hd_row_reader c = { &p->arena, &r, 0 };
		struct hd_stored_event *e;

		HD_GROW(p->events, p->nevents + 1, cap);
		e = &p->events[p->nevents++];
		*e = (struct hd_stored_event){ .event = number(&c) };
		e->name = hd_or_empty(hd_row_reader_name(&c));
		e->unit = hd_or_empty(hd_row_reader_name(&c));
		e->weight = number(&c);
		e->samples = number(&c);
		e->lost = number(&c);
		e->stacks = hd_row_reader_text(&c);
		e->symbols = number(&c);
		e->rest_symbols = number(&c);
		if (e->rest_symbols < 0)
			e->rest_symbols = 0;
		e->effective = real(&c);
		e->rate = hd_run_load_rate(&c);
	}
	hd_db_end(&r);
	for (size_t i = 0; i < p->nevents && rc >= 0; i++)
		rc = load_hotspots(p, db, &p->events[i], hotspots, err);
	return rc;
}

static int load_artifacts(struct hd_stored_run *p, struct hd_db *db, struct hd_err *err)
{
	struct hd_db_rows r;
	size_t cap = 0;
	int rc;

	rc = hd_db_query(&r, db, err,
		"SELECT kind, path, path_raw, sha256, bytes FROM artifact WHERE run_id = $1 ORDER BY ordinal", "i",
		p->row);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		struct hd_row_reader c = { &p->arena, &r, 0 };
		struct hd_stored_artifact *a;

		HD_GROW(p->artifacts, p->nartifacts + 1, cap);
		a = &p->artifacts[p->nartifacts++];
		a->kind = hd_or_empty(hd_row_reader_text(&c));
		a->path = hd_or_empty(hd_row_reader_name(&c));
		a->sha256 = hd_row_reader_text(&c);
		a->bytes = number(&c);
	}
	hd_db_end(&r);
	return rc;
}

static int load_losses(struct hd_stored_run *p, struct hd_db *db, const char *sql, struct hd_stored_loss **list,
	size_t *n, struct hd_err *err)
{
	struct hd_db_rows r;
	size_t cap = 0;
	int rc;

	rc = hd_db_query(&r, db, err, sql, "i", p->row);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		struct hd_row_reader c = { &p->arena, &r, 0 };
		struct hd_stored_loss *l;

		HD_GROW(*list, *n + 1, cap);
		l = &(*list)[(*n)++];
		l->reason = hd_or_empty(hd_row_reader_text(&c));
		l->count = number(&c);
		l->text = hd_col_count(&r) > 2 ? hd_or_empty(hd_row_reader_name(&c)) : "";
	}
	hd_db_end(&r);
	return rc;
}

static int load_stats(struct hd_stored_run *p, struct hd_db *db, size_t series, int64_t number_of_series,
	struct hd_err *err)
{
	struct hd_stored_series *s = &p->series[series];
	struct hd_db_rows r;
	size_t cap = 0;
	int rc;

	rc = hd_db_query(&r, db, err,
		"SELECT stat, value, lo, hi FROM series_summary WHERE run_id = $1 AND series = $2 ORDER BY ordinal",
		"ii", p->row, number_of_series);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		struct hd_row_reader c = { &p->arena, &r, 0 };
		struct hd_stored_stat *x;

		HD_GROW(s->stats, s->nstats + 1, cap);
		x = &s->stats[s->nstats++];
		x->name = hd_or_empty(hd_row_reader_text(&c));
		x->value = real(&c);
		x->lo = real(&c);
		x->hi = real(&c);
	}
	hd_db_end(&r);
	return rc;
}

int hd_run_load_series(struct hd_stored_run *p, struct hd_db *db, struct hd_err *err)
{
	int64_t *numbers = NULL;
	size_t cap = 0, ncap = 0;
	struct hd_db_rows r;
	int rc;

	rc = hd_db_query(&r, db, err,
		"SELECT series, kind, name, name_raw, unit, samples, csv, method FROM series WHERE run_id = $1 "
		"ORDER BY series",
		"i", p->row);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		struct hd_row_reader c = { &p->arena, &r, 0 };
		struct hd_stored_series *s;

		HD_GROW(p->series, p->nseries + 1, cap);
		HD_GROW(numbers, p->nseries + 1, ncap);
		numbers[p->nseries] = number(&c);
		s = &p->series[p->nseries++];
		*s = (struct hd_stored_series){ .kind = hd_or_empty(hd_row_reader_text(&c)) };
		s->name = hd_or_empty(hd_row_reader_name(&c));
		s->unit = hd_or_empty(hd_row_reader_text(&c));
		s->samples = number(&c);
		s->csv = hd_row_reader_text(&c);
		s->method = hd_row_reader_text(&c);
	}
	hd_db_end(&r);
	for (size_t i = 0; i < p->nseries && rc >= 0; i++)
		rc = load_stats(p, db, i, numbers[i], err);
	free(numbers);
	return rc;
}

int hd_run_load_brief(struct hd_stored_run *p, struct hd_db *db, int64_t row, unsigned hotspots, struct hd_err *err)
{
	int rc;

	*p = (struct hd_stored_run){ .row = row };
	rc = load_row(p, db, err);
	if (rc >= 0)
		rc = load_events(p, db, hotspots, err);
	if (rc < 0)
		hd_run_load_release(p);
	return rc < 0 ? rc : 0;
}

int hd_run_load(struct hd_stored_run *p, struct hd_db *db, int64_t row, unsigned hotspots, struct hd_err *err)
{
	int rc = hd_run_load_brief(p, db, row, hotspots, err);

	if (rc < 0)
		return rc;
	rc = load_artifacts(p, db, err);
	if (rc >= 0)
		rc = load_losses(p, db, "SELECT reason, samples FROM dropped WHERE run_id = $1 ORDER BY ordinal",
			&p->dropped, &p->ndropped, err);
	if (rc >= 0)
		rc = load_losses(p, db,
			"SELECT code, count, message, message_raw FROM run_warning WHERE run_id = $1 ORDER BY ordinal",
			&p->warnings, &p->nwarnings, err);
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
	struct hd_err *err)
{
	char *v = hd_enc_visible_new(normal);
	int rc = hd_db_query_int(db, self, 0, err,
		"SELECT CAST(SUM(h.self) AS BIGINT) FROM hotspot h JOIN symbol s ON s.id = h.symbol_id "
		"WHERE h.run_id = $1 AND h.event = $2 AND s.normal = $3",
		"iit", row, event, v);

	free(v);
	return rc;
}
