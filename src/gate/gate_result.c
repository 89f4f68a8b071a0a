/*
 * gate_result.c - see gate_result.h
 */
#include "gate/gate_result.h"

#include "base/encode.h"
#include "base/mem.h"
#include "history/gate_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Critical levels of a test that is repeated with growing data; element K - 1 is for K looks at it (two-sided, 0.05).
 * Source: Pocock, Biometrika 64, 1977, table 1.
 */
static const double pocock[] = { 0.05, 0.0294, 0.0221, 0.0182, 0.0158 };

/* The texts of the columns that identify a comparison in the database, except the mode.  key_release() frees them. */
struct key {
	char *target, *event, *base_ref, *head_ref;
};

static const char *field(const struct hd_run_set *head, enum hd_run_field f)
{
	const char *v = head->n ? head->runs[head->n - 1].like[f] : NULL;

	return v ? v : "";
}

static char *ref(const struct hd_run_set *s)
{
	struct hd_buf b = { 0 };

	hd_run_set_ref(&b, s);
	return hd_buf_take(&b);
}

static struct hd_gate_row row_of(struct key *k, const struct hd_run_set *base, const struct hd_run_set *head)
{
	*k = (struct key){ hd_enc_visible_new(field(head, HD_RUN_FIELD_TARGET)),
		hd_enc_visible_new(field(head, HD_RUN_FIELD_EVENT)), ref(base), ref(head) };
	return (struct hd_gate_row){ .target = k->target,
		.event = k->event,
		.base_ref = k->base_ref,
		.head_ref = k->head_ref,
		.mode = field(head, HD_RUN_FIELD_MODE) };
}

static void key_release(struct key *k)
{
	free(k->target);
	free(k->event);
	free(k->base_ref);
	free(k->head_ref);
}

int hd_gate_result_look(struct hd_db *db, const struct hd_run_set *base, const struct hd_run_set *head, bool planned,
	double alpha, unsigned *look, double *level, struct hd_err *err)
{
	struct key k;
	struct hd_gate_row row = row_of(&k, base, head);
	int64_t before;
	size_t looks;
	int rc = hd_gate_rows_looks(&before, db, &row, base->n + head->n, err);

	key_release(&k);
	*look = rc < 0 || before < 0 ? 1 : (unsigned)(before < 98 ? before : 98) + 1;
	looks = planned && *look < 2 ? 2 : *look;
	*level = alpha / pocock[0] * pocock[(looks < HD_COUNT(pocock) ? looks : HD_COUNT(pocock)) - 1];
	return rc;
}

/* ---- findings ---- */

static struct hd_gate_finding row_finding(const struct hd_judge_row *r, const char *kind, enum hd_verdict verdict)
{
	return (struct hd_gate_finding){ kind, hd_verdict_name(verdict), NULL, r->symbol_id, r->base_pct, r->head_pct,
		r->change_pct, r->lo_pct, r->hi_pct, r->q, NULL };
}

/*
 * Collect the findings of a comparison in `out`, which must have room for nrows + nseries + 2 findings.  Returns their
 * number.  The caller frees the names of the series.
 */
static size_t find(struct hd_gate_finding *out, const struct hd_comparison *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nrows; i++) {
		const struct hd_judge_row *r = &c->rows[i];

		if (!r->ack && (r->verdict == HD_FAIL || r->verdict == HD_SHIFT))
			out[n++] = row_finding(r, r->verdict == HD_SHIFT ? "shift" : "cost", r->verdict);
	}
	for (size_t i = 0; i < c->nseries; i++) {
		const struct hd_judge_series *s = &c->series[i];
		struct hd_buf name = { 0 };

		if (s->ack || s->verdict != HD_FAIL)
			continue;
		hd_judge_series_name(&name, s);
		out[n++] = (struct hd_gate_finding){ "cost", hd_verdict_name(s->verdict), hd_enc_visible_new(name.data),
			-1, s->base, s->head, s->change_pct, s->lo_pct, s->hi_pct, s->q, NULL };
		hd_buf_release(&name);
	}
	if (c->ranked && c->material)
		out[n++] = row_finding(&c->rows[c->above], "order", c->verdict);
	if (c->ranked && c->score > c->aa_limit)
		out[n++] = (struct hd_gate_finding){ "score", hd_verdict_name(c->verdict), NULL, -1, NAN, NAN,
			c->net_pct, NAN, NAN, NAN, NULL };
	return n;
}

static bool is_about_the_same(const struct hd_gate_finding *a, const struct hd_gate_finding *b)
{
	return a->series && b->series ? !strcmp(a->series, b->series)
				      : !a->series && !b->series && a->symbol == b->symbol;
}

/*
 * Append to the n findings what only the comparison with the pinned release FAILs by, because the gate failed by that,
 * too.  Returns the new number.
 */
static size_t find_of_pin(struct hd_gate_finding *out, size_t n, const struct hd_comparison *pin)
{
	struct hd_gate_finding *all = hd_new_array(struct hd_gate_finding, pin->nrows + pin->nseries + 2);
	size_t npin = find(all, pin), to = n;

	for (size_t i = 0; i < npin; i++) {
		bool new = !strcmp(all[i].kind, "cost") && !strcmp(all[i].verdict, hd_verdict_name(HD_FAIL));

		for (size_t k = 0; k < n && new; k++)
			new = strcmp(out[k].kind, "cost") != 0 || !is_about_the_same(&out[k], &all[i]);
		all[i].against = &pin->base;
		if (new)
			out[to++] = all[i];
		else
			free((void *)all[i].series);
	}
	free(all);
	return to;
}

int hd_gate_result_record(struct hd_db *db, const struct hd_comparison *c, const char *command, struct hd_err *err)
{
	struct hd_gate_side sides[4] = { { "base", &c->base }, { "head", &c->head } };
	size_t nsides = 2, n = 0;
	struct hd_gate_finding *findings;
	struct hd_gate_row row;
	struct key k;
	char *reason;
	int rc;

	if (!c->head.n)
		return 0;		/* nothing was compared */
	findings = hd_new_array(struct hd_gate_finding,
		c->nrows + c->nseries + 2 + (c->pin ? c->pin->nrows + c->pin->nseries : 0));
	if (c->base.n)
		n = find(findings, c);
	if (c->base.n && c->pin && c->pin->base.n)
		n = find_of_pin(findings, n, c->pin);
	if (c->history.n)
		sides[nsides++] = (struct hd_gate_side){ "history", &c->history };
	if (c->pin)
		sides[nsides++] = (struct hd_gate_side){ "pin", &c->pin->base };
	reason = c->reason[0] ? hd_enc_visible_new(c->reason) : NULL;
	row = row_of(&k, &c->base, &c->head);
	row.command = command;
	row.verdict = hd_verdict_name(c->verdict);
	row.reason = reason;
	row.look = c->look;
	row.level = c->level;
	row.failed = c->failed;
	row.shifted = c->shifted;
	row.unsure = c->unsure;
	row.score = c->ranked ? c->score : NAN;
	row.aa_limit = c->ranked ? c->aa_limit : NAN;
	row.moved_pct = c->ranked ? c->moved_pct : NAN;
	row.net_pct = c->ranked ? c->net_pct : NAN;
	rc = hd_gate_rows_write(db, &row, sides, nsides, findings, n, err);
	for (size_t i = 0; i < n; i++)
		free((void *)findings[i].series);
	free(findings);
	free(reason);
	key_release(&k);
	return rc;
}
