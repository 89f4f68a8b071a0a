/*
 * cells.c - make random programs and runs of them, judge the runs as `gate` does, and count the results; see cells.h
 */
#include "bench.h"
#include "cells.h"

#include "base/mem.h"
#include "gate/judgement.h"
#include "stats/special_functions.h"
#include "stats/twosample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 80, GROUPS = 16, PLACES = 4, PATH = 120, PLANT = 2, ITEMS = 2 * FUNCTIONS * PLACES };
#define PLANTED_SHARE 0.07
#define COLD_SHARE 0.004

/* The cost of a path on one side.  It varies between runs like that of the function with the index `noise`. */
struct item {
	char path[PATH];
	const char *leaf;		/* the last name of path */
	double share;
	size_t noise;
};

struct program {
	struct item items[ITEMS];
	size_t n;
};

struct scene {
	struct program side[2];
	double share[FUNCTIONS], cv[FUNCTIONS];
	bool changed[FUNCTIONS];
	double grown;			/* the true change of the total */
	char planted[32];		/* the name in head of the function that grew; "" if none did */
};

/* ---- programs ---- */

static void draw_shares(double *share, const struct bench_scene *b, struct hd_random *r)
{
	double all = 0, rest;

	for (size_t i = 0; i < FUNCTIONS; i++)
		all += share[i] = b->dispersed ? pow((double)(i + 1), -1.1) * exp(0.3 * bench_normal(r))
					       : 1 / (double)(i + 1);
	rest = all - share[PLANT];
	for (size_t i = 0; i < FUNCTIONS; i++)
		share[i] = i == PLANT ? PLANTED_SHARE : share[i] / rest * (1 - PLANTED_SHARE);
	if (b->edit == EDIT_COLD_TO_HOT) {
		for (size_t i = 0; i < FUNCTIONS; i++)
			share[i] = i == PLANT ? COLD_SHARE : share[i] / (1 - PLANTED_SHARE) * (1 - COLD_SHARE);
	}
}

static size_t group_of(size_t i)
{
	return i % GROUPS;
}

static void add(struct program *p, double share, size_t noise, const char *caller, const char *leaf)
{
	struct item *it = &p->items[p->n++];

	snprintf(it->path, sizeof(it->path), "main;%s%s%s", caller, *caller ? ";" : "", leaf);
	it->leaf = strrchr(it->path, ';') + 1;
	it->share = share;
	it->noise = noise;
}

static const char *caller_name(char *room, size_t size, const struct bench_scene *b, size_t group, bool renamed)
{
	*room = '\0';
	if (!b->flat)
		snprintf(room, size, "%s::group_%zu", renamed ? "newns" : "app", group);
	return room;
}

/* Return true if function i has another name in the head. */
static bool renamed(const struct bench_scene *b, size_t i)
{
	switch (b->edit) {
	case EDIT_RENAME: case EDIT_RENAME_GROW: return i == PLANT;
	case EDIT_RENAME_12: return i % 2 == 0 && i < 24;
	case EDIT_RENAME_ALL: case EDIT_RENAME_ALL_GROW: return true;
	default: return false;
	}
}

static double factor_of(const struct bench_scene *b, const struct scene *s, size_t i)
{
	switch (b->edit) {
	case EDIT_GROW:
	case EDIT_RENAME_GROW:
	case EDIT_RENAME_ALL_GROW:
	case EDIT_COLD_TO_HOT:
		return i == PLANT ? b->factor : 1;
	case EDIT_BROAD: return s->changed[i] ? b->factor : 1;
	/* function 1 saves as much as the planted function grows */
	case EDIT_SAVING:
		return i == PLANT ? b->factor : i == 1 ? 1 - (b->factor - 1) * s->share[PLANT] / s->share[1] : 1;
	default: return 1;
	}
}

/* Mark functions as changed, in random order, until their shares sum to about `part`. */
static void choose_broad(struct scene *s, double part, struct hd_random *r)
{
	size_t order[FUNCTIONS];
	double sum = 0;

	for (size_t i = 0; i < FUNCTIONS; i++)
		order[i] = i;
	for (size_t i = FUNCTIONS - 1; i > 0; i--) {
		size_t k = hd_random_below(r, i + 1), t = order[i];

		order[i] = order[k];
		order[k] = t;
	}
	for (size_t i = 0; i < FUNCTIONS && sum + s->share[order[i]] / 2 < part; i++) {
		s->changed[order[i]] = true;
		sum += s->share[order[i]];
	}
}

/*
 * Add function i to the head if the edit replaces it by other items.  Returns false if it does not; the caller then
 * adds it itself.
 */
static bool edit_function(struct scene *s, const struct bench_scene *b, size_t i)
{
	struct program *h = &s->side[1];
	char c[48], name[32], other[96];
	double share = s->share[i];

	snprintf(name, sizeof(name), "app::fn_%zu", i);
	caller_name(c, sizeof(c), b, group_of(i), false);
	if (b->edit == EDIT_MERGE && (i == PLANT || i == PLANT + GROUPS)) {
		add(h, share, i, c, "app::merged");
		return true;
	}
	if (i != PLANT)
		return false;
	switch (b->edit) {
	case EDIT_SPLIT:
		add(h, 0.6 * share, i, c, "app::first_half");
		add(h, 0.4 * share, i, c, "app::second_half");
		return true;
	case EDIT_OUTLINE:
		snprintf(other, sizeof(other), "%s%s%s", c, *c ? ";" : "", name);
		add(h, 0.55 * share, i, c, name);
		add(h, 0.45 * share, i, other, "app::slow_path");
		return true;
	/* The function is inlined into its callers.  In the base each caller is a function of its own, see build(). */
	case EDIT_INLINE:
		for (size_t k = 0; k < PLACES; k++) {
			snprintf(other, sizeof(other), "app::user_%zu", k);
			add(h, share / PLACES, i, c, other);
		}
		return true;
	case EDIT_MOVE:			/* in the head, another function calls it */
		add(h, share, i, caller_name(c, sizeof(c), b, group_of(i) + 1, false), name);
		return true;
	case EDIT_WRAPPER:
		snprintf(other, sizeof(other), "%s%sapp::wrapper", c, *c ? ";" : "");
		add(h, share, i, other, name);
		return true;
	default:
		return false;
	}
}

static void build(struct scene *s, const struct bench_scene *b, struct hd_random *r)
{
	char c[48], name[32], other[96];
	double total = 0;

	memset(s, 0, sizeof(*s));
	draw_shares(s->share, b, r);
	if (b->edit == EDIT_BROAD)
		choose_broad(s, b->part, r);
	for (size_t i = 0; i < FUNCTIONS; i++) {
		double factor = factor_of(b, s, i);
		bool is_new = renamed(b, i);

		s->cv[i] = b->cv * exp(0.5 * bench_normal(r));
		total += s->share[i] * factor;
		s->changed[i] = factor != 1;
		caller_name(c, sizeof(c), b, group_of(i), false);
		snprintf(name, sizeof(name), "app::fn_%zu", i);
		if (b->edit == EDIT_INLINE && i == PLANT) {
			for (size_t k = 0; k < PLACES; k++) {
				snprintf(other, sizeof(other), "%s%sapp::user_%zu", c, *c ? ";" : "", k);
				add(&s->side[0], s->share[i] / PLACES, i, other, name);
				snprintf(other, sizeof(other), "app::user_%zu", k);
				add(&s->side[0], 0.005, FUNCTIONS - 1 - k, c, other);
				add(&s->side[1], 0.005, FUNCTIONS - 1 - k, c, other);
			}
		} else {
			add(&s->side[0], s->share[i], i, c, name);
		}
		if (edit_function(s, b, i))
			continue;
		if (is_new) {
			snprintf(name, sizeof(name), b->edit >= EDIT_RENAME_12 ? "newns::fn_%zu" : "app::renamed_%zu",
				i);
			caller_name(c, sizeof(c), b, group_of(i),
				b->edit == EDIT_RENAME_ALL || b->edit == EDIT_RENAME_ALL_GROW);
		}
		if (i == PLANT && factor > 1)
			snprintf(s->planted, sizeof(s->planted), "%s", name);
		add(&s->side[1], s->share[i] * factor, i, c, name);
	}
	s->grown = total - 1;
}

/* ---- runs ---- */

/* Draw a Poisson count.  If b->dispersed, the mean is lognormal, so that the variance is 1.02 times the mean. */
static double draw_count(const struct bench_scene *b, double mean, struct hd_random *r)
{
	if (b->dispersed)
		mean *= exp(sqrt(log1p(0.02 / fmax(mean, 1))) * bench_normal(r));
	return bench_poisson(r, mean);
}

struct drawing {
	struct hd_judgement j;
	struct hd_stored_stacks stacks;
	struct hd_map row_of;
	struct hd_strtab *names;
	double *y, *history;
	size_t rows, runs, past;
	double latency[64];
};

static size_t row_of(struct drawing *d, const char *leaf)
{
	uint32_t id = hd_strtab_add(d->names, leaf), at = hd_map_get(&d->row_of, id);

	if (at == HD_MAP_NONE) {
		at = (uint32_t)d->rows++;
		hd_map_put(&d->row_of, id, at);
	}
	return at;
}

static void draw_run(struct drawing *d, const struct scene *s, const struct bench_scene *b, int side, size_t run,
	const double *session, struct hd_random *r)
{
	double size = b->samples * exp(b->size_cv * bench_normal(r)), noise[FUNCTIONS];
	struct hd_buf text = { 0 };

	for (size_t i = 0; i < FUNCTIONS; i++)
		noise[i] = exp(s->cv[i] * bench_normal(r) + (session ? session[i] : 0));
	for (size_t k = 0; k < s->side[side].n; k++) {
		const struct item *it = &s->side[side].items[k];
		double count = draw_count(b, size * it->share * noise[it->noise], r);

		if (!(count > 0))
			continue;
		d->y[row_of(d, it->leaf) * d->runs + run] += count;
		hd_buf_addf(&text, "%s %.0f\n", it->path, count);
	}
	d->latency[run] = size / b->samples * (1 + (side ? s->grown : 0)) * exp(0.01 * bench_normal(r));
	hd_stored_stacks_add(&d->stacks, hd_buf_str(&text), text.len, (uint32_t)run);
	hd_buf_release(&text);
}

static void draw_session(double *session, const struct bench_scene *b, struct hd_random *r)
{
	for (size_t i = 0; i < FUNCTIONS; i++)
		session[i] = b->session * bench_normal(r);
}

static void draw_history(struct drawing *d, const struct scene *s, const struct bench_scene *b, struct hd_random *r)
{
	double session[FUNCTIONS];

	for (size_t k = 0; k < b->history; k++) {
		draw_session(session, b, r);
		for (size_t run = 0; run < b->runs; run++) {
			double size = b->samples * exp(b->size_cv * bench_normal(r));

			for (size_t i = 0; i < s->side[0].n; i++) {
				const struct item *it = &s->side[0].items[i];

				d->history[row_of(d, it->leaf) * d->past + k * b->runs + run] += draw_count(b,
					size * it->share * exp(s->cv[it->noise] * bench_normal(r) + session[it->noise]),
					r);
			}
		}
	}
}

/* Copy the rows to `m`, sorted as history/symbol_matrix.h sorts them: the costliest first. */
static void sort_rows(struct drawing *d, struct hd_symbol_matrix *m)
{
	struct leader { double sum; size_t row; } *order = hd_new_array(struct leader, d->rows + 1);
	const char **name = hd_new_array(const char *, d->rows + 1);
	double *history = hd_zalloc(d->rows * (d->past + 1), sizeof(*history));

	for (uint32_t id = 0; id < hd_strtab_count(d->names); id++)
		if (hd_map_has(&d->row_of, id))
			name[hd_map_get(&d->row_of, id)] = hd_strtab_get(d->names, id);
	for (size_t i = 0; i < d->rows; i++) {
		order[i] = (struct leader){ 0, i };
		for (size_t k = 0; k < d->runs; k++)
			order[i].sum += d->y[i * d->runs + k];
	}
	for (size_t i = 1; i < d->rows; i++)
		for (size_t k = i; k > 0 && order[k].sum > order[k - 1].sum; k--) {
			struct leader t = order[k];

			order[k] = order[k - 1];
			order[k - 1] = t;
		}
	m->n = d->rows;
	m->runs = d->runs;
	m->per_weight = 1;
	m->rows = hd_zalloc(d->rows + 1, sizeof(*m->rows));
	m->y = hd_zalloc(d->rows * d->runs + 1, sizeof(*m->y));
	for (size_t i = 0; i < d->rows; i++) {
		m->rows[i] = (struct hd_symbol_matrix_row){ "app", name[order[i].row], (int64_t)i, NULL };
		memcpy(m->y + i * d->runs, d->y + order[i].row * d->runs, d->runs * sizeof(*m->y));
		memcpy(history + i * d->past, d->history + order[i].row * d->past, d->past * sizeof(*history));
	}
	free(d->history);
	d->history = history;
	free(order);
	free(name);
}

static void score(struct bench_rates *out, const struct hd_judgement *j, const struct scene *s)
{
	const struct hd_comparison *c = j->c;
	bool wrong = false;

	out->n++;
	out->verdict[c->verdict]++;
	out->passed_grown += c->verdict == HD_PASS && s->grown >= 0.08;
	out->shifted += c->shifted > 0;
	for (size_t i = 0; i < c->nrows; i++) {
		size_t fn;

		if (c->rows[i].verdict != HD_FAIL)
			continue;
		if (s->planted[0] && !strcmp(c->rows[i].symbol, s->planted))
			out->named++;
		else if (sscanf(c->rows[i].symbol, "app::fn_%zu", &fn) != 1 || !s->changed[fn])
			wrong = true;
	}
	out->wrong += wrong;
}

/* Set the change of the latency and its 95 % interval, as gate/judge_series.c does. */
static void measure_latency(struct hd_judge_series *out, const struct drawing *d, size_t base)
{
	double log_of[64], half;
	struct hd_welch w;

	for (size_t k = 0; k < d->runs; k++)
		log_of[k] = log(d->latency[k]);
	w = hd_welch(log_of, base, log_of + base, d->runs - base);
	half = hd_t_quantile(0.975, w.df) * w.se;
	out->change_pct = 100 * expm1(w.diff);
	out->lo_pct = 100 * expm1(w.diff - half);
	out->hi_pct = 100 * expm1(w.diff + half);
}

static void judge(struct drawing *d, const struct bench_scene *b, const struct scene *s, struct bench_rates *out)
{
	static struct hd_judge_opts o;
	struct hd_comparison c = { 0 };
	struct hd_session_variance sessions = { 0 };
	struct hd_judge_series latency = { .kind = "latency",
		.name = "wall_time_us",
		.stat = "p50",
		.verdict = HD_PASS };
	uint32_t *number = hd_zalloc(d->past + 1, sizeof(*number));
	struct hd_run_set_member turns[64] = { 0 };
	double work[64], total[64] = { 0 };
	struct hd_err err;

	o = hd_judge_defaults;
	c.level = o.q;
	d->j = (struct hd_judgement){ .c = &c,
		.o = &o,
		.nruns = d->runs,
		.nbase = b->runs,
		.stacks = &d->stacks,
		.unranked = true };
	sort_rows(d, &d->j.m);
	for (size_t k = 0; k < d->runs; k++) {
		work[k] = 1000;
		turns[k].session = "night";
		turns[k].recorded = k % b->runs % 2 ? "2026-11-20T10:00:01Z" : "2026-11-20T10:00:00Z";
	}
	if (b->turns) {
		c.base = (struct hd_run_set){ .runs = turns, .n = b->runs };
		c.head = (struct hd_run_set){ .runs = turns + b->runs, .n = b->runs };
	}
	d->j.m.work = b->work ? work : NULL;
	d->j.m.per_work = b->work;
	d->j.m.samples = total;
	for (size_t i = 0; i < d->rows; i++)
		for (size_t k = 0; k < d->runs; k++)
			total[k] += d->j.m.y[i * d->runs + k];
	for (size_t k = 0; k < d->past; k++)
		number[k] = (uint32_t)(k / b->runs);
	if (b->session > 0 &&
		hd_session_variance_fit(&sessions, d->history, d->rows, d->past, number, b->history, NULL) >= 0)
		d->j.sessions = &sessions;
	d->j.own_sessions = b->session > 0 && !d->j.sessions;
	if (hd_judge_symbols(&d->j, &err) < 0)
		exit(6);
	measure_latency(&latency, d, b->runs);
	c.series = &latency;
	c.nseries = b->latency;
	hd_judge_add_total(&d->j);
	hd_judge_decide(&d->j);
	score(out, &d->j, s);
	hd_session_variance_release(&sessions);
	hd_arena_release(&c.arena);
	free(number);
	free(d->j.m.rows);
	free(d->j.m.y);
}

static void run_case(struct bench_rates *out, const struct bench_scene *b, struct hd_random *r)
{
	static struct scene s;
	struct drawing d = { .names = hd_strtab_new(), .runs = 2 * b->runs, .past = b->history * b->runs };
	double session[FUNCTIONS];

	build(&s, b, r);
	d.y = hd_zalloc(ITEMS * d.runs, sizeof(*d.y));
	d.history = hd_zalloc(ITEMS * (d.past + 1), sizeof(*d.history));
	hd_stored_stacks_init(&d.stacks, d.runs);
	draw_history(&d, &s, b, r);
	for (int side = 0; side < 2; side++) {
		draw_session(session, b, r);
		for (size_t k = 0; k < b->runs; k++)
			draw_run(&d, &s, b, side, (size_t)side * b->runs + k, b->session > 0 ? session : NULL, r);
	}
	judge(&d, b, &s, out);
	hd_stored_stacks_release(&d.stacks);
	hd_map_release(&d.row_of);
	hd_strtab_free(d.names);
	free(d.y);
	free(d.history);
}

void bench_scene_run(struct bench_rates *out, const struct bench_scene *b, size_t cases, uint64_t seed)
{
	struct hd_random r = hd_random_from(seed);

	*out = (struct bench_rates){ 0 };
	for (size_t i = 0; i < cases; i++)
		run_case(out, b, &r);
}
