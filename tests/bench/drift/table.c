/*
 * table.c - print the results of cells.h as tables, and compare them with their goals
 */
#include "bench.h"
#include "cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The goals of a line of a table, as rates; NaN: the rate is only printed. */
struct goal {
	double fail_most, wrong_most, named_least, pass_least, fail_least;
	bool never_pass_grown;
};
#define NO_GOAL { NAN, NAN, NAN, NAN, NAN, false }

struct line {
	const char *what;
	struct bench_scene scene;
	struct goal goal;
};

struct printing {
	size_t cases, judged, missed;
	uint64_t seed;
};

static void show(size_t k, size_t n)
{
	struct interval i = bench_binomial(k, n);

	printf(" %.2f (%.2f..%.2f) |", 100.0 * (double)k / (double)n, 100 * i.lo, 100 * i.hi);
}

/*
 * Compare the rate k / n with the limit, a maximum if `most` is true and otherwise a minimum.  If the goal is missed,
 * set *said to `what`.
 */
static void judge(struct printing *p, const char **said, size_t k, size_t n, double limit, bool most, const char *what)
{
	double rate = (double)k / (double)n;

	if (isnan(limit))
		return;
	p->judged++;
	if (most ? rate <= limit : rate >= limit)
		return;
	p->missed++;
	*said = what;
}

static void print_line(struct printing *p, const struct line *l)
{
	struct bench_rates r;
	const char *said = "";
	size_t fail;

	bench_scene_run(&r, &l->scene, p->cases, p->seed++);
	fail = r.verdict[HD_FAIL];
	judge(p, &said, fail, r.n, l->goal.fail_most, true, "missed: FAIL");
	judge(p, &said, r.wrong, r.n, l->goal.wrong_most, true, "missed: wrong");
	judge(p, &said, r.named, r.n, l->goal.named_least, false, "missed: named");
	judge(p, &said, r.verdict[HD_PASS], r.n, l->goal.pass_least, false, "missed: PASS");
	judge(p, &said, fail, r.n, l->goal.fail_least, false, "missed: FAIL");
	judge(p, &said, r.passed_grown, r.n, l->goal.never_pass_grown ? 0 : NAN, true,
		"missed: PASS of a total that grew");
	printf("| %s | %.0f | %zu |", l->what, l->scene.samples, l->scene.runs);
	show(r.verdict[HD_PASS], r.n);
	show(r.shifted, r.n);
	show(r.verdict[HD_INCONCLUSIVE], r.n);
	show(fail, r.n);
	show(r.named, r.n);
	show(r.wrong, r.n);
	printf(" %zu | %s |\n", r.passed_grown, said);
	fflush(stdout);
}

static void head(const char *title)
{
	printf("\n%s\n\n| cases | samples | runs | PASS | SHIFT | INCONCLUSIVE | FAIL | planted is FAIL | unchanged "
		"is FAIL | PASS, total +8 %% or more | |\n"
	       "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n",
		title);
}

static const size_t runs_of[] = { 3, 5, 10 };
static const double samples_of[] = { 500, 2000, 5000, 15000, 30000 };
static const struct bench_scene plain = { .runs = 5, .samples = 30000, .size_cv = 0.02, .cv = 0.02, .factor = 1 };
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void nothing_changed(struct printing *p)
{
	for (int dispersed = 0; dispersed < 2; dispersed++) {
		head(dispersed ? "Nothing changed: negative binomial counts, power-law shares"
			       : "Nothing changed: Poisson counts, shares 1/i");
		for (size_t r = 0; r < COUNT(runs_of); r++)
			for (size_t s = 0; s < COUNT(samples_of); s++) {
				struct line l = { "nothing changed", plain, NO_GOAL };

				l.scene.runs = runs_of[r];
				l.scene.samples = samples_of[s];
				l.scene.dispersed = dispersed;
				l.goal.fail_most = 0.005;
				if (l.scene.runs == 5 && l.scene.samples == 30000)
					l.goal.pass_least = 0.97;
				print_line(p, &l);
			}
	}
}

static void power(struct printing *p)
{
	static const struct { double factor, samples, least; } grow[] = {
		{ 1.15, 30000, 0.95 }, { 1.15, 15000, NAN }, { 1.3, 2000, NAN }, { 1.3, 5000, 0.90 },
		{ 1.3, 15000, 0.95 }, { 1.3, 30000, 0.95 },
	};
	char what[64];

	head("A symbol of 7 % grows");
	for (size_t i = 0; i < COUNT(grow); i++) {
		struct line l = { what, plain, NO_GOAL };

		snprintf(what, sizeof(what), "+%.0f %%", 100 * (grow[i].factor - 1));
		l.scene.edit = EDIT_GROW;
		l.scene.factor = grow[i].factor;
		l.scene.samples = grow[i].samples;
		l.goal.named_least = grow[i].least;
		print_line(p, &l);
	}
	head("A symbol of 0.4 % becomes 20 %");
	for (size_t r = 0; r < COUNT(runs_of); r++)
		for (size_t s = 0; s < 3; s++) {
			struct line l = { "cold to hot", plain, NO_GOAL };

			l.scene.edit = EDIT_COLD_TO_HOT;
			l.scene.factor = 60;
			l.scene.runs = runs_of[r];
			l.scene.samples = samples_of[s];
			l.goal.named_least = 1;
			print_line(p, &l);
		}
}

static void broad(struct printing *p)
{
	static const double parts[] = { 0.2, 0.5, 0.75, 1 }, factors[] = { 0.6, 0.75, 0.9, 1.1, 1.2, 1.3, 1.5 };
	static const char *const known[] = { "by the profile alone", "with the work known", "with a latency",
		"in turns" };
	char what[64];

	for (int second = 0; second < (int)COUNT(known); second++) {
		char title[64];

		snprintf(title, sizeof(title), "Broad changes, noise of 3 %%, %s", known[second]);
		head(title);
		for (size_t i = 0; i < COUNT(parts); i++)
			for (size_t k = 0; k < COUNT(factors); k++) {
				struct line l = { what, plain, NO_GOAL };
				double total = parts[i] * (factors[k] - 1);

				snprintf(what, sizeof(what), "%.0f %% of the profile x %.2g", 100 * parts[i],
					factors[k]);
				l.scene.edit = EDIT_BROAD;
				l.scene.part = parts[i];
				l.scene.factor = factors[k];
				l.scene.samples = 15000;
				l.scene.size_cv = l.scene.cv = 0.03;
				l.scene.work = second == 1;
				l.scene.latency = second == 2;
				l.scene.turns = second == 3;
				l.goal.wrong_most = 0.005;
				l.goal.never_pass_grown = true;
				if (second && total >= 0.1)
					l.goal.fail_least = 0.95;
				print_line(p, &l);
			}
	}
}

static void refactorings(struct printing *p)
{
	static const struct { const char *what; enum bench_edit edit; } edits[] = {
		{ "a rename", EDIT_RENAME }, { "12 renames", EDIT_RENAME_12 }, { "all names renamed", EDIT_RENAME_ALL },
		{ "split in two", EDIT_SPLIT },
		{ "a part outlined", EDIT_OUTLINE }, { "inlined into all callers", EDIT_INLINE },
		{ "two merged", EDIT_MERGE },
		{ "moved below another caller", EDIT_MOVE }, { "a wrapper frame", EDIT_WRAPPER },
	};
	static const struct { const char *what; enum bench_edit edit; bool flat; } real[] = {
		{ "a rename with +30 %", EDIT_RENAME_GROW, false },
		{ "all renamed with +30 % of one", EDIT_RENAME_ALL_GROW, false },
		{ "+30 % beside an unrelated saving of as much, flat program", EDIT_SAVING, true },
	};

	head("Refactorings: cost that moved");
	for (size_t i = 0; i < COUNT(edits); i++)
		for (size_t s = 1; s < 4; s++) {
			struct line l = { edits[i].what, plain, NO_GOAL };

			l.scene.edit = edits[i].edit;
			l.scene.samples = samples_of[s];
			l.goal.fail_most = 0.005;
			if (l.scene.samples == 15000)
				l.goal.pass_least = 0.90;
			print_line(p, &l);
		}
	head("Real growth beside a refactoring");
	for (size_t i = 0; i < COUNT(real); i++)
		for (size_t s = 2; s < 4; s++) {
			struct line l = { real[i].what, plain, NO_GOAL };

			l.scene.edit = real[i].edit;
			l.scene.factor = 1.3;
			l.scene.flat = real[i].flat;
			l.scene.samples = samples_of[s];
			l.goal.named_least = s == 3 ? 0.95 : NAN;
			print_line(p, &l);
		}
}

static void sessions(struct printing *p)
{
	static const struct { const char *what; double effect; size_t history; double factor; } cells[] = {
		{ "2 %, 20 sessions before", 0.02, 20, 1 }, { "4 %, 20 sessions before", 0.04, 20, 1 },
		{ "4 %, 8 sessions before", 0.04, 8, 1 },
		{ "2 %, no history", 0.02, 0, 1 }, { "4 %, no history", 0.04, 0, 1 },
		{ "2 %, 20 sessions before, +30 % on 7 %", 0.02, 20, 1.3 },
		{ "4 %, 20 sessions before, +30 % on 7 %", 0.04, 20, 1.3 },
	};

	head("Each side a session of its own, sessions that differ by 2 or 4 % a function");
	for (size_t i = 0; i < COUNT(cells); i++) {
		struct line l = { cells[i].what, plain, NO_GOAL };

		l.scene.samples = 15000;
		l.scene.session = cells[i].effect;
		l.scene.history = cells[i].history;
		l.scene.edit = cells[i].factor > 1 ? EDIT_GROW : EDIT_NONE;
		l.scene.factor = cells[i].factor;
		if (cells[i].factor > 1 && cells[i].effect == 0.02)
			l.goal.named_least = 0.90;
		else if (!(cells[i].factor > 1))
			l.goal.fail_most = 0.01;
		print_line(p, &l);
	}
}

size_t bench_cells(size_t cases, uint64_t seed, unsigned only, size_t *judged)
{
	static void (*const tables[])(struct printing *) = { nothing_changed, power, broad, refactorings, sessions };
	struct printing p = { .cases = cases };

	printf("Cases judged by the code that `gate` runs: symbols, total and shifts.  All rates in %%; in brackets "
		"95 %% of Clopper and Pearson; %zu cases a line.\n",
		cases);
	for (unsigned i = 0; i < COUNT(tables); i++) {
		p.seed = 7919 * (seed + 1) + 1000 * i;
		if (!only || only == i + 1)
			tables[i](&p);
	}
	*judged += p.judged;
	return p.missed;
}
