/*
 * opportunities.c - see opportunities.h
 */
#include "history/opportunities.h"

#include "base/encode.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "db/row_reader.h"
#include "history/benchmark_cover.h"
#include "history/comparability.h"
#include "history/run_lookup.h"
#include "history/run_set_load.h"
#include "history/symbol_matrix.h"
#include "history/trend.h"
#include "stats/proportion.h"
#include "stats/strata.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct finding {
	struct hd_opportunities *out;
	struct hd_db *db;
	const struct hd_opportunities_scope *scope;
	struct hd_err *err;
	size_t cells_cap;
	/* newest[cell]: run.id of the newest usable run of a target and mode; 0 if there is none */
	int64_t *newest;
	size_t newest_cap;
	size_t *candidates;		/* by cell: number of usable runs */
	struct hd_map usable;		/* run.id of all usable runs */
	size_t candidates_cap;
	struct hd_run_set *sets;	/* one for each cell: the runs that are used */
	const struct hd_run_set_member **runs;	/* the runs of all cells, one cell after the other */
	size_t runs_cap;
	struct hd_symbol_matrix m;
	struct hd_map kernel;		/* symbol.id of functions of the kernel */
	struct hd_stratum *strata;	/* one for each cell that has runs */
	size_t nstrata;
	double *share;			/* shares of one function, by run */
	struct hd_benchmark_covers covers;
};

/* ---- the cells ---- */

static bool is_chosen(const struct hd_opportunities_scope *s, const char *target, const char *session)
{
	if (s->session && (!session || strcmp(session, s->session)))
		return false;
	return !s->targets || !s->targets->n || hd_string_list_has(s->targets, target);
}

/*
 * Return the index of the cell (target and mode) to which a run belongs.  The caller passes the runs sorted by target
 * and mode.
 */
static size_t cell_of(struct finding *f, const char *target, const char *mode, size_t weight)
{
	struct hd_opportunities *o = f->out;
	struct hd_opportunities_cell *last = o->ncells ? &o->cells[o->ncells - 1] : NULL;

	if (last && !strcmp(last->target, target) && !strcmp(last->mode, mode))
		return o->ncells - 1;
	HD_GROW(o->cells, o->ncells + 1, f->cells_cap);
	HD_GROW(f->newest, o->ncells + 1, f->newest_cap);
	HD_GROW(f->candidates, o->ncells + 1, f->candidates_cap);
	f->newest[o->ncells] = 0;
	f->candidates[o->ncells] = 0;
	o->cells[o->ncells] = (struct hd_opportunities_cell){ .target = target, .mode = mode, .weight = weight };
	return o->ncells++;
}

struct run_row {
	int64_t id, has_samples;
	const char *target, *mode, *status, *session;
};
static const struct hd_row_field run_fields[] = {
	HD_ROW(struct run_row, id, "r.id", INT_OR_0),
	HD_ROW(struct run_row, target, "r.target", NAME_OR_EMPTY),
	HD_ROW(struct run_row, mode, "r.mode", TEXT_OR_EMPTY),
	HD_ROW(struct run_row, status, "r.status", TEXT_OR_EMPTY),
	HD_ROW(struct run_row, session, "r.session", NAME),
	HD_ROW(struct run_row, has_samples,
		"CASE WHEN EXISTS (SELECT 1 FROM event e WHERE e.run_id = r.id AND e.samples > 0 AND e.weight > 0) "
		"THEN 1 ELSE 0 END", INT_OR_0),
};
static const struct hd_row_query all_runs = HD_ROW_QUERY(struct run_row, run_fields,
	"FROM run r ORDER BY r.target, r.mode, r.recorded_utc DESC, r.id DESC");

static void take_run(struct finding *f, const struct run_row *r)
{
	struct hd_opportunities *o = f->out;
	size_t weight = hd_mode_weights_find(f->scope->weights, r->mode), cell;

	if (!is_chosen(f->scope, r->target, r->session))
		return;
	if (weight == f->scope->weights->n) {
		o->unweighted++;
		return;
	}
	cell = cell_of(f, r->target, r->mode, weight);
	if (strcmp(r->status, "ok")) {
		o->failed++;
	} else if (!r->has_samples) {
		o->without_samples++;
	} else {
		f->candidates[cell]++;
		hd_map_put(&f->usable, (uint64_t)r->id, 1);
		if (!f->newest[cell])
			f->newest[cell] = r->id;
	}
}

static int load_cells(struct finding *f)
{
	struct hd_db_rows r;
	struct run_row row;
	int rc = hd_row_query(&r, &all_runs, f->db, f->err, "");

	while (rc >= 0 && (rc = hd_row_next(&r, &all_runs, &f->out->arena, &row, f->err)) > 0)
		take_run(f, &row);
	hd_db_end(&r);
	return rc;
}

static int check_targets(struct finding *f)
{
	const struct hd_string_list *targets = f->scope->targets;

	for (size_t i = 0; targets && i < targets->n; i++) {
		struct hd_nearest n = hd_nearest_to(targets->items[i]);
		char *visible = hd_enc_visible_new(targets->items[i]);
		int64_t known;
		int rc = hd_db_query_int(f->db, &known, 0, f->err, "SELECT COUNT(*) FROM run WHERE target = $1", "t",
			visible);

		free(visible);
		if (rc < 0)
			return rc;
		if (known)
			continue;
		hd_run_lookup_suggest_targets(&n, f->db);
		return hd_fail(f->err, HD_EFORMAT, "%s: no run of target '%s'%s; 'hotdrift log' lists all runs",
			hd_db_name(f->db), targets->items[i], hd_nearest_hint(&n));
	}
	return 0;
}

/* ---- the runs of a cell ---- */

static bool has_cost(const struct hd_run_set_member *r, const void *arg)
{
	(void)arg;
	return r->event >= 0 && r->weight > 0 && r->samples > 0;
}

static bool is_of_session(const struct hd_run_set_member *r, const void *session)
{
	return !session || (r->session && !strcmp(r->session, session));
}

static bool is_mode(const struct hd_run_set_member *r, const void *mode)
{
	return r->like[HD_RUN_FIELD_MODE] && !strcmp(r->like[HD_RUN_FIELD_MODE], mode);
}

/*
 * For one cell (target and mode): load the usable runs that are comparable with `newest`, the run.id of the newest one.
 * Without a session, only the newest scope->commits commits are loaded.
 */
static int load_newest(struct finding *f, struct hd_run_set *set, int64_t newest)
{
	struct hd_trend_scope scope = { .like = newest, .limit = f->scope->session ? 0 : f->scope->commits };
	struct hd_trend t;
	int64_t *ids;
	size_t n = 0;
	int rc = hd_trend_open(&t, f->db, &scope, f->err);

	if (rc < 0)
		return rc;
	ids = hd_new_array(int64_t, t.nruns + 1);
	for (size_t i = 0; i < t.nruns; i++)
		if (hd_map_has(&f->usable, (uint64_t)t.runs[i].id))
			ids[n++] = t.runs[i].id;
	rc = hd_run_set_load_runs(set, f->db, ids, n, t.event, f->err);
	free(ids);
	hd_trend_release(&t);
	return rc;
}

/*
 * For one cell (target and mode): load the runs with a cost of the commit that the user named, as far as they are
 * comparable with the newest one.  Load none if the cell has none.
 */
static int load_named(struct finding *f, struct hd_run_set *set, const struct hd_opportunities_cell *c)
{
	const struct hd_run_set_filter filter = { .target = c->target, .mode = c->mode };
	struct hd_err none = { 0 };
	int rc = hd_run_set_find(set, f->db, f->scope->commit, &filter, &none);

	if (rc == HD_ENOBASE)
		return 0;
	if (rc < 0)
		return hd_fail(f->err, rc, "%s", none.msg);
	hd_run_set_keep(set, is_mode, c->mode);
	hd_run_set_keep(set, has_cost, NULL);
	if (set->n)
		hd_comparability_keep(set, &set->runs[set->n - 1]);
	return 0;
}

static const char *commits_of(struct finding *f, struct hd_run_set *set)
{
	struct hd_buf b = { 0 };
	size_t commits = 0;
	const char *text;

	hd_run_set_set_name(set);
	for (size_t i = 0; i < set->n; i++) {
		size_t k = 0;

		while (k < i && (!set->runs[i].commit || !set->runs[k].commit ||
			strcmp(set->runs[k].commit, set->runs[i].commit) || set->runs[k].dirty != set->runs[i].dirty))
			k++;
		commits += k == i && set->runs[i].commit;
	}
	if (set->commit[0])
		hd_buf_adds(&b, set->name);
	else if (commits)
		hd_buf_addf(&b, "%zu commits", commits);
	else
		hd_buf_adds(&b, "-");
	text = hd_arena_text(&f->out->arena, hd_buf_str(&b), b.len);
	hd_buf_release(&b);
	return text;
}

static int load_cell(struct finding *f, size_t i)
{
	struct hd_opportunities_cell *c = &f->out->cells[i];
	struct hd_run_set *set = &f->sets[i];
	int rc = 0;

	c->first = f->out->runs;
	c->commit = "-";
	if (f->newest[i])
		rc = f->scope->commit ? load_named(f, set, c) : load_newest(f, set, f->newest[i]);
	if (rc < 0)
		return rc;
	hd_run_set_keep(set, has_cost, NULL);
	hd_run_set_keep(set, is_of_session, f->scope->session);
	if (set->n > HD_OPPORTUNITIES_CELL_RUNS) {
		memmove(set->runs, set->runs + set->n - HD_OPPORTUNITIES_CELL_RUNS,
			HD_OPPORTUNITIES_CELL_RUNS * sizeof(*set->runs));
		set->n = HD_OPPORTUNITIES_CELL_RUNS;
	}
	if (!set->n)
		return 0;
	c->runs = set->n;
	c->commit = commits_of(f, set);
	HD_GROW(f->runs, f->out->runs + set->n, f->runs_cap);
	for (size_t k = 0; k < set->n; k++)
		f->runs[f->out->runs++] = &set->runs[k];
	return f->out->runs > HD_OPPORTUNITIES_RUNS
		? hd_fail(f->err, HD_EUSAGE, "more than %d runs are selected; select targets, a commit or a session",
			HD_OPPORTUNITIES_RUNS) : 0;
}

/* Make a stratum with its weight of each cell (target and mode) that has runs, and count the targets. */
static void weigh_cells(struct finding *f)
{
	struct hd_opportunities *o = f->out;

	f->strata = hd_new_array(struct hd_stratum, o->ncells + 1);
	for (size_t from = 0, to; from < o->ncells; from = to) {
		double sum = 0;

		for (to = from; to < o->ncells && !strcmp(o->cells[to].target, o->cells[from].target); to++)
			if (o->cells[to].runs)
				sum += f->scope->weights->of[o->cells[to].weight].weight;
		o->targets += sum > 0;
		for (size_t i = from; i < to; i++)
			if (o->cells[i].runs)
				f->strata[f->nstrata++] = (struct hd_stratum){ o->cells[i].first, o->cells[i].runs,
					f->scope->weights->of[o->cells[i].weight].weight / sum };
	}
	for (size_t i = 0; i < f->nstrata; i++)
		f->strata[i].weight /= (double)o->targets;
}

static int load_matrix(struct finding *f)
{
	int rc = hd_symbol_matrix_load(&f->m, f->db, f->runs, f->out->runs, f->out->runs, f->err);

	for (size_t i = 0; i < f->out->runs && rc >= 0; i++) {
		struct hd_db_rows r;

		rc = hd_db_query(&r, f->db, f->err,
			"SELECT DISTINCT h.symbol_id FROM hotspot h JOIN object o ON o.id = h.object_id "
			"WHERE h.run_id = $1 AND h.event = $2 AND o.kernel = 1", "ii",
			f->runs[i]->row, f->runs[i]->event);
		while (rc >= 0 && (rc = hd_db_next(&r, f->err)) > 0)
			hd_map_put(&f->kernel, (uint64_t)hd_col_int(&r, 0), 1);
		hd_db_end(&r);
	}
	return rc < 0 ? rc : 0;
}

/* ---- one function ---- */

static const struct hd_symbol_matrix_row *row_of(const struct finding *f, size_t i)
{
	return &f->m.rows[i];
}

/* Set f->share[run], for each run, to the share of function i in this run, in per cent. */
static void compute_shares(struct finding *f, size_t i)
{
	for (size_t r = 0; r < f->m.runs; r++)
		f->share[r] = 100 * f->m.y[i * f->m.runs + r] / f->m.samples[r];
}

static void compute_modes(const struct finding *f, struct hd_opportunity *p)
{
	double part[HD_MODE_WEIGHTS_MAX] = { 0 }, sum[HD_MODE_WEIGHTS_MAX] = { 0 };
	size_t targets[HD_MODE_WEIGHTS_MAX] = { 0 }, stratum = 0;

	for (size_t i = 0; i < f->out->ncells; i++) {
		const struct hd_opportunities_cell *c = &f->out->cells[i];
		struct hd_stratum s;

		if (!c->runs)
			continue;
		s = f->strata[stratum++];
		part[c->weight] += hd_strata_sum(f->share, &s, 1);
		s.weight = 1;
		sum[c->weight] += hd_strata_sum(f->share, &s, 1);
		targets[c->weight]++;
	}
	for (size_t m = 0; m < f->scope->weights->n; m++) {
		p->of_mode[m] = targets[m] ? sum[m] / (double)targets[m] : NAN;
		if (part[m] > part[p->main_mode])
			p->main_mode = m;
	}
}

static struct hd_interval percent_of(size_t k, size_t n)
{
	struct hd_interval ci = hd_proportion_interval(k, n);

	return (struct hd_interval){ 100 * ci.lo, 100 * ci.hi };
}

static void compute_confidence(const struct finding *f, struct hd_opportunity *p)
{
	for (size_t i = 0; i < f->out->ncells; i++) {
		const struct hd_opportunities_cell *c = &f->out->cells[i];
		const struct hd_stratum alone = { c->first, c->runs, 1 };

		if (c->weight != p->main_mode || !c->runs)
			continue;
		p->targets++;
		p->hot_targets += hd_strata_sum(f->share, &alone, 1) >= f->scope->hot_pct;
		p->runs += c->runs;
		for (size_t r = c->first; r < c->first + c->runs; r++)
			p->hot_runs += f->share[r] >= f->scope->hot_pct;
	}
	p->targets_ci = percent_of(p->hot_targets, p->targets);
	p->runs_ci = percent_of(p->hot_runs, p->runs);
	if (p->targets)
		p->confidence = 50 * ((double)p->hot_targets / (double)p->targets +
				      (double)p->hot_runs / (double)p->runs);
}

static bool is_plumbing(const struct finding *f, const struct hd_symbol_matrix_row *row)
{
	const struct hd_skip_rules_names names = { hd_or_empty(row->name), hd_or_empty(row->linkage),
		hd_or_empty(row->object), hd_map_has(&f->kernel, (uint64_t)row->symbol), true };

	return hd_skip_rules_match(f->scope->skip, &names);
}

static void exclude(struct finding *f, enum hd_opportunities_exclusion why, const struct hd_symbol_matrix_row *row,
	double impact)
{
	struct hd_opportunities_excluded *x = &f->out->excluded[why];
	struct hd_buf name = { 0 };
	size_t at = HD_OPPORTUNITIES_EXAMPLES;

	x->n++;
	x->impact += impact;
	while (at && (!x->examples[at - 1].name || x->examples[at - 1].impact < impact))
		at--;
	if (at == HD_OPPORTUNITIES_EXAMPLES)
		return;
	memmove(x->examples + at + 1, x->examples + at, (HD_OPPORTUNITIES_EXAMPLES - 1 - at) * sizeof(x->examples[0]));
	hd_symbol_matrix_name(&name, row);
	x->examples[at].name = hd_arena_text(&f->out->arena, hd_buf_str(&name), name.len);
	x->examples[at].impact = impact;
	hd_buf_release(&name);
}

static const char *kept(struct finding *f, const char *s)
{
	return s ? hd_arena_text(&f->out->arena, s, strlen(s)) : NULL;
}

/* ---- all functions ---- */

/*
 * Join the functions that have the same name in several objects.  The first row gets the costs of all and an unknown
 * object; the costs of the other rows become 0.
 */
static void join_objects(struct finding *f)
{
	struct hd_strtab *names = hd_strtab_new();
	struct hd_map first = { 0 };

	for (size_t i = 0; i < f->m.n - f->m.rest; i++) {
		struct hd_symbol_matrix_row *row = &f->m.rows[i];
		uint32_t name, at;

		if (!row->name || is_plumbing(f, row))
			continue;
		name = hd_strtab_add(names, row->name);
		at = hd_map_get(&first, name);
		if (at == HD_MAP_NONE) {
			hd_map_put(&first, name, (uint32_t)i);
			continue;
		}
		for (size_t r = 0; r < f->m.runs; r++) {
			f->m.y[at * f->m.runs + r] += f->m.y[i * f->m.runs + r];
			f->m.y[i * f->m.runs + r] = 0;
		}
		f->m.rows[at].object = NULL;
	}
	hd_map_release(&first);
	hd_strtab_free(names);
}

struct ranked {
	struct hd_opportunity p;
	size_t row;
};

static int by_score(const void *a, const void *b)
{
	const struct hd_opportunity *x = &((const struct ranked *)a)->p, *y = &((const struct ranked *)b)->p;
	int d;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->impact != y->impact)
		return x->impact > y->impact ? -1 : 1;
	d = strcmp(x->name, y->name);
	return d ? d : strcmp(hd_or_empty(x->object), hd_or_empty(y->object));
}

static size_t rank(struct finding *f, struct ranked *list)
{
	size_t n = 0;

	for (size_t i = 0; i < f->m.n; i++) {
		const struct hd_symbol_matrix_row *row = row_of(f, i);
		struct hd_opportunity p = { .name = row->name };

		compute_shares(f, i);
		p.impact = hd_strata_sum(f->share, f->strata, f->nstrata);
		if (!(p.impact > 0))
			continue;
		if (f->m.rest && i == f->m.n - 1) {
			exclude(f, HD_OPPORTUNITIES_SMALL, row, p.impact);
			continue;
		}
		if (!row->name || is_plumbing(f, row)) {
			exclude(f, row->name ? HD_OPPORTUNITIES_PLUMBING : HD_OPPORTUNITIES_UNKNOWN, row, p.impact);
			continue;
		}
		compute_modes(f, &p);
		compute_confidence(f, &p);
		p.score = p.impact * p.confidence / 100;
		if (!(p.score > 0)) {
			exclude(f, HD_OPPORTUNITIES_COLD, row, p.impact);
			continue;
		}
		p.name = kept(f, row->name);
		p.linkage = kept(f, row->linkage);
		p.object = kept(f, row->object);
		list[n++] = (struct ranked){ p, i };
	}
	qsort(list, n, sizeof(*list), by_score);
	return n;
}

/* Look up the object and the address of a function, in the first run that contains the function's costliest symbol. */
static int load_location(struct finding *f, struct hd_opportunity *p, size_t row)
{
	int rc = 0;

	for (size_t i = 0; i < f->out->runs && rc >= 0 && !p->path; i++) {
		struct hd_db_rows r;

		if (f->m.y[row * f->m.runs + i] <= 0)
			continue;
		rc = hd_db_query(&r, f->db, f->err,
			"SELECT o.path, o.path_raw, o.build_id, h.vaddr FROM hotspot h "
			"JOIN object o ON o.id = h.object_id WHERE h.run_id / 32 = $1 / 32 AND h.symbol_id = $2 "
			"AND h.run_id = $1 AND h.event = $3 "
			"ORDER BY h.rank LIMIT 1", "iii", f->runs[i]->row, f->m.rows[row].symbol, f->runs[i]->event);
		if (rc >= 0 && (rc = hd_db_next(&r, f->err)) > 0) {
			p->path = hd_row_name(&f->out->arena, &r, 0);
			p->build_id = hd_row_text(&f->out->arena, &r, 2);
			p->vaddr = hd_row_text(&f->out->arena, &r, 3);
		}
		hd_db_end(&r);
	}
	return rc < 0 ? rc : 0;
}

static void count_benchmarks(struct finding *f, struct hd_opportunity *p)
{
	const struct hd_benchmark_cover *c = NULL;
	const char *last = NULL;

	while ((c = hd_benchmark_covers_next(&f->covers, p->name, c))) {
		/*
		 * A benchmark that covers the symbol by several rules counts once.  The pairs (benchmark, symbol) are
		 * sorted by benchmark.
		 */
		p->benchmarks += !last || strcmp(last, c->benchmark);
		last = c->benchmark;
		if (!p->benchmark)
			p->benchmark = kept(f, c->benchmark);
	}
}

static int load_rows(struct finding *f)
{
	struct ranked *list = hd_new_array(struct ranked, f->m.n + 1);
	size_t n, limit = f->scope->limit;
	int rc = 0;

	f->share = hd_new_array(double, f->m.runs);
	if (f->scope->any_object)
		join_objects(f);
	n = rank(f, list);
	f->out->rows = hd_new_array(struct hd_opportunity, n + 1);
	for (size_t i = 0; i < n && rc >= 0; i++) {
		if (!limit || i < limit) {
			compute_shares(f, list[i].row);
			if (hd_strata_interval(&list[i].p.impact_ci, f->share, f->strata, f->nstrata) == HD_STATS_NOMEM)
				hd_out_of_memory("intervals");
			count_benchmarks(f, &list[i].p);
			rc = load_location(f, &list[i].p, list[i].row);
		}
		f->out->rows[f->out->n++] = list[i].p;
	}
	free(list);
	return rc;
}

int hd_opportunities_load(struct hd_opportunities *out, struct hd_db *db, const struct hd_opportunities_scope *scope,
	struct hd_err *err)
{
	struct finding f = { .out = out, .db = db, .scope = scope, .err = err };
	int rc;

	*out = (struct hd_opportunities){ 0 };
	rc = check_targets(&f);
	if (rc >= 0)
		rc = load_cells(&f);
	f.sets = hd_new_array(struct hd_run_set, out->ncells + 1);
	for (size_t i = 0; i < out->ncells && rc >= 0; i++) {
		rc = load_cell(&f, i);
		out->not_selected += f.candidates[i] - out->cells[i].runs;
	}
	if (rc >= 0 && !out->runs)
		rc = hd_fail(err, HD_ENOBASE,
			"%s: no usable run of the selected targets, modes and commits (%zu failed, %zu of modes "
			"without weight, %zu without samples, %zu of other commits); 'hotdrift log' lists all runs",
			hd_db_name(db), out->failed, out->unweighted, out->without_samples, out->not_selected);
	if (rc >= 0) {
		weigh_cells(&f);
		rc = load_matrix(&f);
	}
	if (rc >= 0)
		rc = hd_benchmark_covers_load(&f.covers, db, NULL, err);
	out->any_benchmark = f.covers.n > 0;
	if (rc >= 0)
		rc = load_rows(&f);
	hd_benchmark_covers_release(&f.covers);
	for (size_t i = 0; i < out->ncells; i++)
		hd_run_set_release(&f.sets[i]);
	hd_symbol_matrix_release(&f.m);
	hd_map_release(&f.kernel);
	hd_map_release(&f.usable);
	free(f.sets);
	free(f.runs);
	free(f.newest);
	free(f.candidates);
	free(f.strata);
	free(f.share);
	if (rc < 0)
		hd_opportunities_release(out);
	return rc < 0 ? rc : 0;
}

void hd_opportunities_release(struct hd_opportunities *o)
{
	free(o->cells);
	free(o->rows);
	hd_arena_release(&o->arena);
	*o = (struct hd_opportunities){ 0 };
}
