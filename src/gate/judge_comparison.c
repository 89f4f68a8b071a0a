/*
 * judge_comparison.c - see judge.h: the steps of a comparison, acknowledgements, the verdict
 */
#include "gate/judge.h"

#include "base/mem.h"
#include "base/utc.h"
#include "gate/judgement.h"
#include "gate/gate_result.h"
#include "gate/judge_series.h"
#include "stats/special_functions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct hd_judge_opts hd_judge_defaults = {
	.limit = 0.10, .floor = 0.005, .q = 0.05, .limit_total = 0.06, .limit_latency = 0.10, .limit_memory = 0.10,
	.limit_energy = 0.10,
};

/* ---- acknowledgements, the verdict ---- */

static const struct hd_judge_ack *copy_ack(struct hd_comparison *c, const struct hd_ack *a)
{
	struct hd_judge_ack *copy = hd_arena_alloc(&c->arena, sizeof(*copy));
	const char *reason = a->reason ? a->reason : "";

	*copy = (struct hd_judge_ack){ .level = a->level,
		.reason = hd_arena_strndup(&c->arena, reason, strlen(reason)) };
	if (a->author)
		copy->author = hd_arena_strndup(&c->arena, a->author, strlen(a->author));
	if (a->expires)
		copy->expires = hd_arena_strndup(&c->arena, a->expires, strlen(a->expires));
	return copy;
}

static bool wants_ack(enum hd_verdict v)
{
	return v == HD_FAIL || v == HD_INCONCLUSIVE;
}

static int acknowledge(struct hd_judgement *j, struct hd_err *err)
{
	struct hd_comparison *c = j->c;
	const struct hd_run_set_member *like = &c->head.runs[c->head.n - 1];
	struct hd_acks acks;
	char now[HD_UTC_TEXT];
	int rc;

	hd_utc_text(hd_utc_now(), now);
	rc = hd_acks_load(&acks, j->db, like->like[HD_RUN_FIELD_TARGET], like->like[HD_RUN_FIELD_EVENT], now, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < c->nrows && acks.n; i++) {
		struct hd_judge_row *r = &c->rows[i];
		const struct hd_ack *a = wants_ack(r->verdict) ? hd_acks_find(&acks, r->symbol, r->object) : NULL;

		if (a && hd_acks_covers(a, r->head_pct))
			r->ack = copy_ack(c, a);
	}
	for (size_t i = 0; i < c->nseries && acks.n; i++) {
		struct hd_judge_series *s = &c->series[i];
		struct hd_buf name = { 0 };
		const struct hd_ack *a;

		hd_judge_series_name(&name, s);
		a = wants_ack(s->verdict) ? hd_acks_find(&acks, name.data, NULL) : NULL;
		if (a && hd_acks_covers(a, s->head))
			s->ack = copy_ack(c, a);
		hd_buf_release(&name);
	}
	hd_acks_release(&acks);
	return 0;
}

/*
 * Count the verdict of a row or series.  excused: do not count a FAIL or INCONCLUSIVE, because the row is acknowledged
 * or is too small to make the comparison INCONCLUSIVE.
 */
static void count(struct hd_comparison *c, enum hd_verdict v, bool excused)
{
	c->failed += v == HD_FAIL && !excused;
	c->shifted += v == HD_SHIFT;
	c->unsure += v == HD_INCONCLUSIVE && !excused;
}

/* ---- the total ---- */

/*
 * Return true if the median of a latency series confirms the change of the total: it changed in the same direction by
 * at least half as much, and its 95 % interval excludes no change.  d: ln(head / base) of the total.
 */
static bool latency_agrees(const struct hd_comparison *c, double d)
{
	for (size_t i = 0; i < c->nseries; i++) {
		const struct hd_judge_series *s = &c->series[i];

		if (!strcmp(s->kind, "latency") && !strcmp(s->stat, "p50") && (d > 0 ? s->lo_pct > 0 : s->hi_pct < 0) &&
			d * log1p(s->change_pct / 100) >= d * d / 2)
			return true;
	}
	return false;
}

/*
 * Return the sum of the growth of all acknowledged rows, as a fraction of the base's total cost; 0 if it is negative.
 * A new row counts with its share of the head's total, which is about the same.
 */
static double accepted(const struct hd_comparison *c)
{
	double sum = 0;

	for (size_t i = 0; i < c->nrows; i++)
		if (c->rows[i].ack)
			sum += (c->rows[i].is_new ? c->rows[i].head_pct
						  : c->rows[i].base_pct * c->rows[i].change_pct / 100) /
				100;
	return sum > 0 ? sum : 0;
}

/*
 * Return the number of runs per side that decides the verdict of the total with a probability of 0.8; 0: unknown, 100:
 * more than 99.
 */
static unsigned runs_for_total(const struct hd_total *t)
{
	double gap = log1p(t->limit) - t->cost.d, runs;

	if (!(t->cost.df_s2 > 0) || !(gap > 0))
		return 0;
	runs = ceil(2 * t->cost.s2 * pow((hd_normal_quantile(0.96) + hd_normal_quantile(0.8)) / gap, 2));
	return runs > 99 ? 100 : runs < 3 ? 3 : (unsigned)runs;
}

void hd_judge_add_total(struct hd_judgement *j)
{
	struct hd_comparison *c = j->c;
	const char *unit = c->head.n ? c->head.runs[c->head.n - 1].like[HD_RUN_FIELD_UNIT] : NULL;
	struct hd_judge_series *all = hd_arena_alloc(&c->arena, (c->nseries + 1) * sizeof(*all)), *t = &all[c->nseries];
	double mean[2] = { 0, 0 };

	if (c->nseries)
		memcpy(all, c->series, c->nseries * sizeof(*all));
	for (size_t r = 0; r < j->nruns; r++)
		mean[r >= j->nbase] += log(hd_judge_total_of(&j->m, r)) /
			(double)(r < j->nbase ? j->nbase : j->nruns - j->nbase);
	*t = (struct hd_judge_series){ .kind = "total",
		.name = "total",
		.stat = "total",
		.unit = unit ? unit : "",
		.base = exp(mean[0]),
		.head = exp(mean[1]),
		.per_work = j->m.per_work,
		.q = j->total.cost.p_greater,
		.nbase = j->nbase,
		.nhead = j->nruns - j->nbase,
		.change_pct = 100 * expm1(j->total.cost.d),
		.lo_pct = 100 * expm1(j->total.cost.lo),
		.hi_pct = 100 * expm1(j->total.cost.hi),
		.limit_pct = 100 * j->total.limit,
		.verdict = j->total.verdict };
	c->series = all;
	c->nseries++;
}

static void decide_total(struct hd_judgement *j)
{
	struct hd_judge_total *t = &j->c->total;
	struct hd_judge_series *row = &j->c->series[j->c->nseries - 1];
	struct hd_total *from = &j->total;

	hd_total_without(from, accepted(j->c), &j->total_opts);
	*t = (struct hd_judge_total){ .verdict = from->verdict,
		.change_pct = row->change_pct,
		.lo_pct = row->lo_pct,
		.hi_pct = row->hi_pct,
		.limit_pct = row->limit_pct,
		.level_pct = 100 * expm1(from->level.d),
		.level_moved = from->level_moved };
	if (j->m.per_work)
		t->decided_by = "work";
	else if (from->verdict != from->observed)
		t->decided_by = hd_judge_in_turns(j->c)             ? "runs in turns"
			: latency_agrees(j->c, from->cost.d) ? "latency"
							     : NULL;
	if (t->decided_by)
		t->verdict = from->observed;
	row->verdict = t->verdict;
	row->runs_needed = t->verdict == HD_INCONCLUSIVE ? runs_for_total(from) : 0;
}

/*
 * Turn a FAIL into INCONCLUSIVE if no row may FAIL: a side is a single run and there is little history, or each side is
 * one session and there are few earlier sessions.  Sets *by_session if the latter is the reason.
 */
static void demote(const struct hd_judgement *j, enum hd_verdict *v, bool *by_session)
{
	*by_session |= j->own_sessions && *v == HD_FAIL;
	if ((j->c->advisory || j->own_sessions) && *v == HD_FAIL)
		*v = HD_INCONCLUSIVE;
}

void hd_judge_decide(struct hd_judgement *j)
{
	struct hd_comparison *c = j->c;
	bool by_session = false;

	c->failed = c->shifted = c->unsure = c->acknowledged = c->gated = 0;
	for (size_t i = 0; i < c->nrows; i++) {
		demote(j, &c->rows[i].verdict, &c->rows[i].by_session);
		by_session |= c->rows[i].by_session;
		count(c, c->rows[i].verdict,
			c->rows[i].ack || (c->rows[i].verdict == HD_INCONCLUSIVE && !c->rows[i].material));
		c->acknowledged += c->rows[i].ack != NULL;
		c->gated += c->rows[i].gated;
	}
	if (j->has_total)
		decide_total(j);
	for (size_t i = 0; i < c->nseries; i++) {
		demote(j, &c->series[i].verdict, &c->series[i].by_session);
		by_session |= c->series[i].by_session;
		count(c, c->series[i].verdict, c->series[i].ack);
		c->acknowledged += c->series[i].ack != NULL;
	}
	c->gated += c->nseries;
	if (j->has_total)
		c->total.verdict = c->series[c->nseries - 1].verdict;
	if (by_session && j->own_sessions && !c->reason[0])
		snprintf(c->reason, sizeof(c->reason),
			"the base is one session and the head another, and %zu of %d earlier sessions are known: what "
			"grew may be the session; record both sides in turns (hotdrift bench --add)",
			c->earlier_sessions, HD_SESSION_VARIANCE_LEAST);
	c->verdict = c->failed ? HD_FAIL : c->unsure || (c->advisory && c->gated) ? HD_INCONCLUSIVE : HD_PASS;
}

static void pass_untested(struct hd_comparison *c)
{
	snprintf(c->reason, sizeof(c->reason),
		"the builds are the same (%s), so are the arguments and the variables that hotdrift.ini names: "
		"nothing to test; --test-equal-builds tests all the same",
		c->build);
	c->verdict = HD_PASS;
}

bool hd_judge_has_samples(const struct hd_run_set_member *r)
{
	return r->event >= 0 && r->weight > 0;
}

static bool all_have_samples(const struct hd_judgement *j)
{
	for (size_t i = 0; i < j->nruns; i++)
		if (!hd_judge_has_samples(j->runs[i]))
			return false;
	return true;
}

/* Symbols are not compared if a run has no samples.  Warn if others have some. */
static void warn_of_missing_samples(const struct hd_judgement *j)
{
	const struct hd_run_set_member *without = NULL;
	bool some = false;

	for (size_t i = 0; i < j->nruns; i++) {
		some |= hd_judge_has_samples(j->runs[i]);
		without = hd_judge_has_samples(j->runs[i]) ? without : j->runs[i];
	}
	if (some)
		hd_warn(j->log, "gate.no-samples", "record the run again, or name the runs without it",
			"run %s has no samples, so symbols and the total are not compared", without->id);
}

static int compare(struct hd_judgement *j, struct hd_err *err)
{
	struct hd_comparison *c = j->c;
	int rc = 0;

	if (all_have_samples(j)) {
		rc = hd_symbol_matrix_load(&j->m, j->db, j->runs, j->nruns, j->nbase, err);
		if (rc >= 0 && c->history.n && hd_judge_cut_history(j)) {
			hd_judge_line_up(j);
			hd_symbol_matrix_release(&j->m);
			rc = hd_symbol_matrix_load(&j->m, j->db, j->runs, j->nruns, j->nbase, err);
		}
		if (rc < 0)
			return rc;
		c->same_builds = j->m.same_builds;
		if (j->m.build)
			c->build = hd_arena_strndup(&c->arena, j->m.build, strlen(j->m.build));
		if (c->same_builds && !j->o->test_equal_builds && hd_judge_same_surroundings(j)) {
			pass_untested(c);
			return 0;
		}
		rc = hd_judge_find_sessions(j, err);
		if (rc >= 0)
			rc = hd_judge_symbols(j, err);
	} else {
		warn_of_missing_samples(j);
		rc = hd_judge_find_sessions(j, err);
	}
	if (rc >= 0)
		rc = hd_judge_series_rows(j, err);
	if (rc >= 0 && j->has_total)
		hd_judge_add_total(j);
	if (rc >= 0)
		rc = acknowledge(j, err);
	if (rc < 0)
		return rc;
	if (!c->nrows && !c->nseries)
		return hd_judge_not_comparable(c,
			"the runs have nothing in common that could be compared: neither symbols nor series");
	hd_judge_decide(j);
	return 0;
}

static int judge(struct hd_judgement *j, struct hd_err *err)
{
	struct hd_comparison *c = j->c;
	int rc = hd_judge_find_head(j, err);

	c->look = 1;
	c->level = j->o->q;
	if (rc >= 0 && !c->reason[0])
		rc = hd_judge_find_base(j, err);
	if (rc >= 0 && !c->reason[0]) {
		hd_judge_keep_turns(j);
		rc = hd_judge_check(j, err);
	}
	if (rc >= 0 && !c->reason[0] && j->o->gate)
		rc = hd_gate_result_look(j->db, &c->base, &c->head, j->o->planned, j->o->q, &c->look, &c->level, err);
	if (rc < 0 || c->reason[0])
		return rc;
	if (c->look > 2)
		hd_warn(j->log, "gate.looks", "record both sides again, with all required runs at once",
			"this is look %u at one comparison; one extension was to be allowed, so a row now fails at q "
			"%.4f",
			c->look, c->level);
	rc = hd_judge_find_history(j, err);
	if (rc >= 0) {
		hd_judge_line_up(j);
		rc = compare(j, err);
	}
	hd_symbol_matrix_release(&j->m);
	hd_session_variance_release(&j->fitted);
	hd_run_set_release(&j->earlier);
	free(j->session);
	free(j->runs);
	return rc;
}

/* ---- the pinned release ---- */

/* FAIL is the worst: a pin without runs must not hide what the other comparison found. */
static unsigned badness(enum hd_verdict v)
{
	static const unsigned
		of[] = { [HD_PASS] = 0, [HD_SHIFT] = 0, [HD_INCONCLUSIVE] = 1, [HD_NOT_COMPARABLE] = 2, [HD_FAIL] = 3 };

	return of[v];
}

/* Set *same if the head is the pinned release itself.  Names that are no runs are reported when they are compared. */
static int is_pin(bool *same, const struct hd_comparison *c, struct hd_db *db, const struct hd_judge_opts *o,
	struct hd_err *err)
{
	struct hd_run_set pin = { 0 };
	struct hd_err none = { 0 };
	int rc = hd_run_set_find(&pin, db, o->pin, &o->filter, &none);

	*same = false;
	if (rc == HD_ENOBASE || rc == HD_EFORMAT || rc == HD_EUSAGE)
		return 0;
	if (rc < 0)
		return hd_fail(err, rc, "%s", none.msg);
	*same = hd_judge_common_run(&pin, &c->head) != NULL;
	hd_run_set_release(&pin);
	return 0;
}

static int judge_pin(struct hd_comparison *c, struct hd_db *db, const struct hd_judge_opts *o, struct hd_log *log,
	struct hd_err *err)
{
	struct hd_judge_opts pinned = *o;
	bool same;
	int rc = is_pin(&same, c, db, o, err);

	if (rc < 0 || same)
		return rc;
	pinned.base = o->pin;
	pinned.pin = NULL;
	pinned.merge_base = false;
	pinned.gate = false;
	c->pin = hd_new(struct hd_comparison);
	rc = hd_judge(c->pin, db, &pinned, log, err);
	if (rc < 0) {
		free(c->pin);
		c->pin = NULL;
	} else if (c->verdict != HD_NOT_COMPARABLE && badness(c->pin->verdict) > badness(c->verdict)) {
		c->verdict = c->pin->verdict;
		if (c->pin->reason[0])
			snprintf(c->reason, sizeof(c->reason), "against the pinned %s: %.400s", o->pin, c->pin->reason);
	}
	return rc;
}

int hd_judge(struct hd_comparison *out, struct hd_db *db, const struct hd_judge_opts *o, struct hd_log *log,
	struct hd_err *err)
{
	struct hd_judgement j = { .c = out, .db = db, .o = o, .log = log };
	int rc;

	*out = (struct hd_comparison){ .verdict = HD_NOT_COMPARABLE };
	rc = judge(&j, err);
	if (rc >= 0 && o->pin && out->head.n)
		rc = judge_pin(out, db, o, log, err);
	if (rc < 0)
		hd_judge_release(out);
	return rc;
}

void hd_judge_release(struct hd_comparison *c)
{
	if (c->pin)
		hd_judge_release(c->pin);
	free(c->pin);
	hd_comparability_release(&c->differs);
	hd_run_set_release(&c->base);
	hd_run_set_release(&c->head);
	hd_run_set_release(&c->history);
	hd_arena_release(&c->arena);
	*c = (struct hd_comparison){ 0 };
}

void hd_judge_series_name(struct hd_buf *out, const struct hd_judge_series *s)
{
	if (!strncmp(s->name, s->stat, strlen(s->stat)))
		hd_buf_adds(out, s->name);
	else if (!strcmp(s->stat, "joules") && !strcmp(s->name, "watts"))
		hd_buf_adds(out, s->stat);
	else
		hd_buf_addf(out, "%s %s", s->stat, s->name);
	hd_buf_adds(out, "");
}

bool hd_judge_drifted(const struct hd_comparison *c)
{
	return c->verdict == HD_FAIL ||
	       (!c->advisory && (c->shifted || c->material || (c->ranked && c->score > c->aa_limit)));
}
