/*
 * bench_cards.c - the cards of a benchmark page: one figure each; see bench_figures.h
 */
#include "web/bench_figures.h"

#include "base/encode.h"

#include <math.h>
#include <string.h>

static void add(struct hd_buf *out, const char *text)
{
	hd_enc_xml(out, text, strlen(text));
}

/* Append the text of `b`, encoded for HTML, and clear `b`. */
static void add_text(struct hd_buf *out, struct hd_buf *b)
{
	hd_enc_xml(out, hd_buf_str(b), b->len);
	hd_buf_reset(b);
}

/*
 * Append a card: its name, a badge ("faster", "FAIL", ... or ""), its main value `big`, and details in `small`.  Both
 * buffers are released.  colour: number of the CSS class (c0, c1, ...) of a coloured mark; negative: no mark.
 */
static void card(struct hd_buf *out, int colour, const char *name, const char *badge, struct hd_buf *big,
	struct hd_buf *small)
{
	bool good = !strcmp(badge, "faster") || !strcmp(badge, "PASS");
	bool bad = !strcmp(badge, "slower") || !strcmp(badge, "FAIL");

	hd_buf_adds(out, "<div class=\"card\"><span class=\"name\">");
	if (colour >= 0)
		hd_buf_addf(out, "<i class=\"c%d\"></i>", colour);
	add(out, name);
	hd_buf_adds(out, "</span>");
	if (*badge)
		hd_buf_addf(out, "<span class=\"badge %s\">%s</span>", good ? "good" : bad ? "bad" : "none", badge);
	hd_buf_adds(out, "<span class=\"big\">");
	add_text(out, big);
	hd_buf_adds(out, "</span><span class=\"mute\">");
	add_text(out, small);
	hd_buf_adds(out, "</span></div>\n");
	hd_buf_release(big);
	hd_buf_release(small);
}

static void card_of_time(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r, unsigned s)
{
	const struct hd_timing *wall = &r->column[HD_BENCH_WALL].timing[s];
	struct hd_buf big = { 0 }, small = { 0 };

	hd_bench_text_value(&big, wall->sum.n ? wall->sum.mean : NAN, "us");
	hd_buf_adds(&small, "mean wall time");
	if (wall->sum.n > 1) {
		hd_buf_adds(&small, ", ");
		hd_bench_text_value(&small, wall->sum.ci_mean.lo, "us");
		hd_buf_adds(&small, " .. ");
		hd_bench_text_value(&small, wall->sum.ci_mean.hi, "us");
		hd_buf_addf(&small, ", cv %.1f %%", 100 * wall->cv);
	}
	card(out, (int)s, b->side[s].name, wall->cv <= b->o->cv_limit && !wall->drifting ? "" : "unsteady", &big,
		&small);
}

static void card_of_speed(struct hd_buf *out, const char *name, const struct hd_speedup *speed, enum hd_change change,
	const char *what)
{
	struct hd_buf big = { 0 }, small = { 0 };

	hd_bench_text_ratio(&big, speed->ratio);
	hd_buf_adds(&big, " x");
	hd_buf_adds(&small, what);
	if (speed->known) {
		hd_buf_adds(&small, ", 95 % interval ");
		hd_bench_text_ratios(&small, speed->ci);
	}
	card(out, -1, name, hd_change_name(change), &big, &small);
}

static void card_of_rate(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r, unsigned s)
{
	struct hd_bench_rate rate = hd_bench_rate_of(b, r, s), point = rate;
	struct hd_buf big = { 0 }, small = { 0 };

	point.ci = (struct hd_interval){ NAN, NAN };
	hd_bench_text_rate(&big, b, &point);
	if (isfinite(rate.ci.lo)) {
		hd_buf_adds(&small, "95 % interval ");
		point.per_second = rate.ci.lo;
		hd_bench_text_rate(&small, b, &point);
		hd_buf_adds(&small, " .. ");
		point.per_second = rate.ci.hi;
		hd_bench_text_rate(&small, b, &point);
	}
	card(out, (int)s, "throughput", "", &big, &small);
}

void hd_bench_cards(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r)
{
	for (unsigned s = 0; s < b->nsides; s++) {
		card_of_time(out, b, r, s);
		if (b->throughput)
			card_of_rate(out, b, r, s);
	}
	if (b->nsides == 2)
		card_of_speed(out, "speed of head", &r->column[HD_BENCH_WALL].speedup, r->change, "base / head");
	for (unsigned s = 0; s < b->nsides; s++) {
		if (!b->last[s].n)
			continue;
		card_of_speed(out, b->nsides == 2 ? s ? "head since last" : "base since last" : "since the last run",
			&r->since_last[s], r->last_change[s], "last / now");
	}
}

void hd_bench_cards_of_sweep(struct hd_buf *out, const struct hd_bench_sweep *s)
{
	bool sizes = !strcmp(s->word, "size");

	for (unsigned k = 0; k < s->pattern.nsides && s->fitted; k++) {
		struct hd_buf big = { 0 }, small = { 0 };

		if (!sizes)
			hd_bench_text_value(&big, s->line[k].known ? s->line[k].fit.slope : NAN, "us");
		else
			hd_buf_adds(&big, s->growth[k].known ? hd_growth_name(s->growth[k].order) : "-");
		hd_bench_sweep_formula(&small, s, k);
		card(out, (int)k, s->pattern.nsides == 2 ? s->pattern.side[k].name : sizes ? "growth" : "one iteration",
			"", &big, &small);
	}
}
