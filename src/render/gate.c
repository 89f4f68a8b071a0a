/* gate.c - print a comparison as text; see gate.h */
#include "render/gate.h"

#include "base/encode.h"
#include "base/mem.h"
#include "render/gate_cells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 34, LINES = 15 };

/* Append a name, escaped for the terminal (hd_enc_term()) and cut to at most `columns` columns. */
static void put_name(struct hd_buf *out, const char *name, size_t columns)
{
	struct hd_buf v = { 0 };

	hd_enc_term(&v, name, strlen(name));
	if (hd_enc_width(v.data, v.len) > columns) {
		hd_buf_add(out, v.data, hd_enc_cut(v.data, v.len, columns - 1));
		hd_buf_addc(out, '~');
	} else {
		hd_buf_add(out, v.data, v.len);
	}
	hd_buf_release(&v);
}

static void pad(struct hd_buf *out, const struct hd_buf *cell, size_t columns, bool right)
{
	size_t width = hd_enc_width(hd_buf_str(cell), cell->len), n = width < columns ? columns - width : 0;

	if (!right)
		hd_buf_add(out, cell->data, cell->len);
	for (size_t i = 0; i < n; i++)
		hd_buf_addc(out, ' ');
	if (right && cell->len)
		hd_buf_add(out, cell->data, cell->len);
}

static void put_shift(struct hd_buf *out, const struct hd_comparison *c, const struct hd_judge_row *r)
{
	const size_t *of = r->nto ? r->to : r->from;
	size_t n = r->nto ? r->nto : r->nfrom;

	hd_buf_adds(out, r->nto ? "shift -> " : n ? "shift <- " : "shift");
	for (size_t i = 0; i < n; i++) {
		hd_buf_adds(out, i ? ", " : "");
		put_name(out, c->rows[of[i]].symbol, NAME_WIDTH);
	}
	if (r->within && !n && !strcmp(r->within, r->symbol)) {
		hd_buf_adds(out, "s from what it calls: with its callees it did not grow");
	} else if (r->within) {
		hd_buf_adds(out, n ? ", inside " : " inside ");
		put_name(out, r->within, NAME_WIDTH);
		hd_buf_adds(out, n ? "" : ", which did not grow");
	}
}

static void put_line(struct hd_buf *out, const struct hd_comparison *c, const struct hd_gate_line *l, size_t width)
{
	struct hd_buf cell = { 0 }, name = { 0 };

	hd_gate_label(&name, l);
	put_name(&cell, name.data, NAME_WIDTH);
	hd_buf_addf(out, "%c  ", l->mark);
	pad(out, &cell, width, false);
	for (int head = 0; head < 2; head++) {
		hd_buf_reset(&cell);
		hd_gate_level(&cell, l, head);
		hd_buf_addc(out, ' ');
		pad(out, &cell, 9, true);
	}
	hd_buf_adds(out, "  ");
	if (l->mark == 'S') {
		put_shift(out, c, l->row);
	} else {
		hd_buf_reset(&cell);
		hd_gate_change(&cell, l);
		pad(out, &cell, 9, true);
		hd_buf_reset(&cell);
		hd_gate_interval(&cell, l);
		hd_buf_addc(out, ' ');
		pad(out, &cell, 16, true);
		hd_buf_adds(out, "  ");
		hd_gate_note(out, l);
	}
	hd_buf_addc(out, '\n');
	hd_buf_release(&cell);
	hd_buf_release(&name);
}

static void put_rows(struct hd_buf *out, const struct hd_comparison *c, const struct hd_gate_line *lines, size_t n,
	size_t most)
{
	size_t width = 12, shown = n > most ? most - 1 : n;

	if (!n) {
		hd_buf_adds(out, "   ");
		hd_gate_quiet(out, c);
		hd_buf_addc(out, '\n');
		return;
	}
	for (size_t i = 0; i < shown; i++) {
		struct hd_buf name = { 0 }, cell = { 0 };
		size_t w;

		hd_gate_label(&name, &lines[i]);
		put_name(&cell, name.data, NAME_WIDTH);
		w = hd_enc_width(cell.data, cell.len);
		width = w > width ? w : width;
		hd_buf_release(&name);
		hd_buf_release(&cell);
	}
	hd_buf_addf(out, "   %*s      base      head     change    95 %% interval  q\n", (int)width, "");
	for (size_t i = 0; i < shown; i++)
		put_line(out, c, &lines[i], width);
	if (shown < n)
		hd_buf_addf(out, "   and %zu more rows: --json has all\n", n - shown);
}

/*
 * Print the change of the total cost.  If most symbols changed by the same factor, also print how to find out whether
 * the program or the machine changed.
 */
static void put_total(struct hd_buf *out, const struct hd_comparison *c)
{
	const struct hd_judge_total *t = &c->total;

	hd_buf_adds(out, "total   ");
	hd_gate_total(out, t);
	hd_buf_adds(out,
		t->verdict == HD_FAIL ? c->series[c->nseries - 1].ack ? " acknowledged" : " FAIL"
			: t->verdict == HD_INCONCLUSIVE && !t->level_moved ? " undecided"
			: hd_gate_total_is_accepted(t)                     ? " acknowledged"
									   : "");
	if (t->decided_by && t->verdict != HD_INCONCLUSIVE)
		hd_buf_addf(out, ", decided by %s", t->decided_by);
	if (t->level_moved && !t->decided_by)
		hd_buf_addf(out,
			"; most symbols moved together by %+.1f %%:\n"
			"        either the machine (or the amount of work) changed, or most of the program did; a "
			"profile cannot tell.\n"
			"        add --work, a latency series, or runs of both sides in turns (bench --add) decide;\n"
			"        if a function whose code is the same moved, too, it was the machine or the amount of "
			"work",
			t->level_pct);
	if (hd_gate_relative(c))
		hd_buf_addf(out,
			"\n"
			"        most symbols moved together by %+.1f %%; the changes of symbols are relative to that",
			t->level_pct);
	hd_buf_addc(out, '\n');
}

static void put_top(struct hd_buf *out, const struct hd_comparison *c)
{
	hd_buf_adds(out, "top 5   ");
	if (c->material) {
		put_name(out, c->rows[c->above].symbol, NAME_WIDTH);
		hd_buf_adds(out, " passes ");
		put_name(out, c->rows[c->below].symbol, NAME_WIDTH);
		hd_buf_adds(out, " (material)");
	} else {
		hd_buf_adds(out, c->order_changed ? "order changed, not material" : "order unchanged");
	}
	hd_buf_adds(out, c->set_changed ? "; set changed\n" : "; set unchanged\n");
}

const char *hd_gate_headline(const struct hd_comparison *c, const char *command)
{
	return c->verdict != HD_FAIL && !strcmp(command, "drift") && hd_judge_drifted(c) ? "DRIFT"
		: hd_verdict_name(c->verdict);
}

static void put_head(struct hd_buf *out, const struct hd_comparison *c, const char *headline)
{
	const struct hd_run_set_member *r = c->head.n ? &c->head.runs[c->head.n - 1] : NULL;

	hd_buf_colour(out,
		c->verdict == HD_FAIL           ? HD_COLOUR_RED
			: !strcmp(headline, "PASS") ? HD_COLOUR_GREEN
						: HD_COLOUR_YELLOW);
	hd_buf_adds(out, headline);
	hd_buf_colour(out, HD_COLOUR_NONE);
	if (c->base.n) {
		hd_buf_adds(out, "   base ");
		hd_gate_side(out, &c->base);
		if (c->history.n)
			hd_buf_addf(out, " + %zu of history", c->history.n);
	}
	if (c->head.n) {
		hd_buf_adds(out, "  head ");
		hd_gate_side(out, &c->head);
	}
	if (r && c->base.n && !c->differs.n && r->like[HD_RUN_FIELD_CONFIG])
		hd_buf_adds(out, "  config same");
	hd_buf_addc(out, '\n');
	if (c->reason[0]) {
		hd_buf_adds(out, "   ");
		hd_enc_term(out, c->reason, strlen(c->reason));
		hd_buf_addc(out, '\n');
	}
	if (c->look > 1)
		hd_buf_addf(out, "   look %u: rows fail at q %.4f\n", c->look, c->level);
}

static size_t lines_in(const struct hd_buf *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->len; i++)
		n += b->data[i] == '\n';
	return n;
}

static void put_pin(struct hd_buf *out, const struct hd_comparison *pin)
{
	struct hd_gate_line *lines;
	size_t n = hd_gate_lines(&lines, pin);
	struct hd_buf name = { 0 };

	hd_buf_addf(out, "pin     %s", hd_verdict_name(pin->verdict));
	if (pin->base.n) {
		hd_buf_adds(out, " against ");
		hd_gate_side(out, &pin->base);
	} else if (pin->reason[0]) {
		hd_buf_adds(out, ": ");
		hd_enc_term(out, pin->reason, strlen(pin->reason));
	}
	if (n && pin->failed) {
		hd_buf_adds(out, ": ");
		hd_gate_label(&name, &lines[0]);
		put_name(out, name.data, NAME_WIDTH);
		hd_buf_addc(out, ' ');
		hd_gate_change(out, &lines[0]);
	}
	hd_buf_addc(out, '\n');
	hd_buf_release(&name);
	free(lines);
}

/* ---- what to do next, as commands that work when they are pasted (tests/run-suggestions.sh runs them) ---- */

/*
 * Append a command line operand that selects the runs of `s`, the base or the head: the name of the set if they are
 * all cpu runs of one commit, otherwise the list of their ids.
 */
static void put_side(struct hd_buf *out, const struct hd_run_set *s)
{
	const char *mode = s->runs[0].like[HD_RUN_FIELD_MODE];
	struct hd_buf ids = { 0 };

	if (s->commit[0] && !s->partial && mode && !strcmp(mode, "cpu")) {
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

static void put_place(struct hd_buf *out, const struct hd_run_set *s, const char *db)
{
	put_option(out, "target", s->n ? s->runs[0].like[HD_RUN_FIELD_TARGET] : NULL);
	/* The first event is the default. */
	put_option(out, "event", s->n && s->runs[0].event > 0 ? s->runs[0].like[HD_RUN_FIELD_EVENT] : NULL);
	put_option(out, "db", db);
}

/*
 * Append the option --level of `hotdrift ack`, by which the user accepts the cost of the head.  The cost is rounded up:
 * the share of a symbol to 0.1 %, the value of a series to three digits.
 */
static void put_ack_level(struct hd_buf *out, const struct hd_gate_line *l)
{
	double v = l->row ? l->row->head_pct : l->series->head, step = 0.1;

	if (l->series && v > 0)
		step = pow(10, floor(log10(v)) - 2);
	hd_buf_addf(out, " --level %.10g", ceil(v / step - 1e-9) * step);
}

/* Append the command that acknowledges a row.  A name that begins like an option is the last operand, after `--`. */
static void put_ack(struct hd_buf *out, const struct hd_gate_line *l, const char *name, const struct hd_run_set *head,
	const char *db)
{
	bool like_option = *name == '-';

	hd_buf_adds(out, "        hotdrift ack");
	if (!like_option) {
		hd_buf_addc(out, ' ');
		hd_enc_shell(out, name);
	}
	put_ack_level(out, l);
	put_option(out, "reason", "...");
	put_place(out, head, db);
	put_option(out, "", like_option ? name : NULL);
	hd_buf_addc(out, '\n');
}

/* Return true if a label is that of code without a symbol, `[unknown] in OBJECT`. */
static bool is_unknown(const char *label)
{
	return !strncmp(label, HD_UNKNOWN " in ", strlen(HD_UNKNOWN " in "));
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
		/* for diff, functions of the same name are one function, whatever their object */
		put_option(out, "symbol", !worst ? NULL : is_unknown(name.data) ? HD_UNKNOWN : name.data);
		put_place(out, &c->head, db);
		hd_buf_addc(out, '\n');
	}
	if (worst)
		put_ack(out, worst, name.data, &c->head, db);
	hd_buf_release(&name);
}

static void next_lines(struct hd_buf *out, const struct hd_comparison *c, const struct hd_gate_line *lines, size_t n,
	const char *command, const char *db)
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
	} else if (strcmp(hd_gate_headline(c, command), "PASS") != 0) {
		next_of_fail(out, c, NULL, db);
	} else {
		hd_buf_adds(out, "next    nothing to do\n");
	}
}

/* ---- the text ---- */

void hd_gate_next(struct hd_buf *out, const struct hd_comparison *c, const char *command, const char *db)
{
	const struct hd_comparison *of = c->pin && c->pin->failed && !c->failed ? c->pin : c;
	struct hd_gate_line *lines;
	size_t n = hd_gate_lines(&lines, of);

	next_lines(out, of, lines, n, command, db);
	free(lines);
}

void hd_gate_text(struct hd_buf *out, const struct hd_comparison *c, const char *command, const char *db)
{
	struct hd_gate_line *lines;
	struct hd_buf next = { 0 };
	size_t n = hd_gate_lines(&lines, c), left;

	hd_gate_next(&next, c, command, db);
	put_head(out, c, hd_gate_headline(c, command));
	left = LINES - lines_in(out) - lines_in(&next);
	left -= c->ranked ? 3 + (c->total.level_moved && !c->total.decided_by ? 2 : 0) : 0;
	left -= (c->pin != NULL) + hd_gate_relative(c);
	if (c->gated)
		put_rows(out, c, lines, n, left - 1);
	if (c->ranked) {
		put_total(out, c);
		put_top(out, c);
		hd_buf_addf(out, "drift %.2f (A/A limit %.2f)   moved %.1f %%   net %+.1f %%\n", c->score, c->aa_limit,
			c->moved_pct, c->net_pct);
	}
	if (c->pin)
		put_pin(out, c->pin);
	hd_buf_add(out, next.data, next.len);
	hd_buf_release(&next);
	free(lines);
}
