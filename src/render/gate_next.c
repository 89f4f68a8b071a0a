/*
 * gate_next.c - see gate.h: what to do next, as commands that work when they are pasted
 *
 * Each command has a line of its own, after `next`, and is complete: program, target, database, quoted names.
 * tests/run-suggestions.sh extracts and runs them.
 */
#include "base/encode.h"
#include "render/gate_cells.h"

#include <math.h>
#include <string.h>

/* The operand that names the runs of a side: its commit, else the runs themselves. */
static void put_side(struct hd_buf *out, const struct hd_run_set *s)
{
	const char *mode = s->runs[0].like[HD_RUN_FIELD_MODE];
	struct hd_buf ids = { 0 };

	if (s->commit[0] && mode && !strcmp(mode, "cpu")) {
		hd_enc_shell(out, s->name);
		return;
	}
	for (size_t i = 0; i < s->n; i++)
		hd_buf_addf(&ids, "%s%s", i ? "," : "", s->runs[i].id);
	hd_enc_shell(out, hd_buf_str(&ids));
	hd_buf_release(&ids);
}

static void put_option(struct hd_buf *out, const char *option, const char *value)
{
	if (!value || !*value)
		return;
	hd_buf_addf(out, " --%s ", option);
	hd_enc_shell(out, value);
}

static void end_line(struct hd_buf *out, const struct hd_run_set *s, const char *db)
{
	put_option(out, "target", s->n ? s->runs[0].like[HD_RUN_FIELD_TARGET] : NULL);
	put_option(out, "db", db);
	hd_buf_addc(out, '\n');
}

/* The head's cost, rounded up: a share to 0.1 %, a series to three digits. */
static void put_ack_level(struct hd_buf *out, const struct hd_gate_line *l)
{
	double v = l->row ? l->row->head_pct : l->series->head, step = 0.1;

	if (l->series && v > 0)
		step = pow(10, floor(log10(v)) - 2);
	hd_buf_addf(out, " --level %.10g", ceil(v / step - 1e-9) * step);
}

static void next_of_fail(struct hd_buf *out, const struct hd_comparison *c, const struct hd_gate_line *worst,
	const char *db)
{
	struct hd_buf name = { 0 };

	if (worst)
		hd_gate_label(&name, worst);
	if (worst && worst->series) {
		hd_buf_adds(out, "next    hotdrift show ");
		hd_enc_shell(out, c->head.runs[c->head.n - 1].id);
		put_option(out, "db", db);
		hd_buf_addc(out, '\n');
	} else {
		hd_buf_adds(out, "next    hotdrift diff ");
		put_side(out, &c->base);
		hd_buf_addc(out, ' ');
		put_side(out, &c->head);
		put_option(out, "symbol", worst ? name.data : NULL);
		end_line(out, &c->head, db);
	}
	if (worst) {
		hd_buf_adds(out, "        hotdrift ack ");
		hd_enc_shell(out, name.data);
		put_ack_level(out, worst);
		put_option(out, "reason", "...");
		end_line(out, &c->head, db);
	}
	hd_buf_release(&name);
}

void hd_gate_next(struct hd_buf *out, const struct hd_comparison *c, const struct hd_gate_line *lines, size_t n,
	const char *db)
{
	unsigned needed = c->ranked ? c->series[c->nseries - 1].runs_needed : 0;

	for (size_t i = 0; i < n; i++) {
		unsigned of = lines[i].row ? lines[i].row->runs_needed : lines[i].series->runs_needed;

		if (!hd_gate_ack(&lines[i]) && of > needed)
			needed = of;
	}
	if (c->verdict == HD_FAIL && c->base.n && c->head.n) {
		next_of_fail(out, c, n && c->failed ? &lines[0] : NULL, db);
	} else if (c->verdict == HD_INCONCLUSIVE && c->total.level_moved && !c->total.decided_by) {
		hd_buf_adds(out,
			"next    record runs of both sides in turns, with their work or a latency series, then gate "
			"again\n");
	} else if (c->verdict == HD_INCONCLUSIVE) {
		hd_buf_addf(out,
			needed && needed <= 20 ? "next    record %u runs of each side in turns, then gate again\n"
					       : "next    record longer runs of each side, in turns\n",
			needed);
	} else if (c->verdict == HD_NOT_COMPARABLE) {
		hd_buf_adds(out, "next    hotdrift log");
		put_option(out, "db", db);
		hd_buf_adds(out, "\n        hotdrift show latest");
		put_option(out, "db", db);
		hd_buf_addc(out, '\n');
	} else {
		hd_buf_adds(out, "next    nothing to do\n");
	}
}
