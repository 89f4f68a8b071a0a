/* judge.c - judge synthetic histories, to test each statement of gate/judge.h */
#include "unit/gate/gate_test.h"

#include "history/acks.h"
#include "history/prune.h"

static struct cost room[COSTS_MAX];

TEST(the_same_code_passes)
{
	struct history h = history_new();
	struct hd_comparison c;

	runs(&h, "a", NULL, usual, 5);
	runs(&h, "b", "a", usual, 5);
	judge(&h, &c);
	EXPECT_VERDICT(c, "PASS");
	EXPECT_STR(c.base.how, "parent");
	EXPECT(c.base.n == 5 && c.head.n == 5 && c.ranked && !c.material && c.score <= c.aa_limit &&
		!hd_judge_drifted(&c));
	hd_judge_release(&c);
	history_end(&h);
}

TEST(a_planted_regression_fails_and_is_named)
{
	struct history h = history_new();
	struct hd_comparison c;

	runs(&h, "a", NULL, usual, 5);
	runs(&h, "b", "a", changed(room, "parse_row", 1.3, NULL), 5);
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT_INT(c.failed, 1);
	EXPECT_ROW(c, "parse_row", "FAIL");
	EXPECT(fabs(row_of(&c, "parse_row")->change_pct - 30) < 6 && row_of(&c, "parse_row")->q < 0.001);
	EXPECT(c.material && !strcmp(c.rows[c.above].symbol, "parse_row"));
	/* A finding about the ranks as a whole has no shares and no q. */
	c.score = c.aa_limit + 1;
	record(&h, &c);
	EXPECT_INT(count(h.db, "SELECT COUNT(*) FROM drift_event WHERE kind = 'score'"), 1);
	EXPECT_INT(count(h.db, "SELECT COUNT(*) FROM drift_event WHERE kind = 'score' AND base_pct IS NULL AND "
		"head_pct IS NULL AND ci_lo IS NULL AND ci_hi IS NULL AND q IS NULL"), 1);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(a_symbol_of_a_build_with_suffixes_is_the_same_symbol)
{
	struct history h = history_new();
	struct hd_comparison c;

	runs(&h, "a", NULL, usual, 5);
	runs(&h, "b", "a", changed(room, "parse_row", 1, "parse_row.constprop.0"), 5);
	judge(&h, &c);
	EXPECT_VERDICT(c, "PASS");
	EXPECT_INT(c.shifted, 0);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(a_rename_is_a_shift)
{
	struct history h = history_new();
	struct hd_comparison c;

	runs(&h, "a", NULL, usual, 5);
	runs(&h, "b", "a", changed(room, "decode", 1, "decode_fast"), 5);
	judge(&h, &c);
	EXPECT_VERDICT(c, "PASS");
	EXPECT_ROW(c, "decode_fast", "SHIFT");
	EXPECT_INT(row_of(&c, "decode_fast")->nfrom, 1);
	EXPECT_STR(c.rows[row_of(&c, "decode_fast")->from[0]].symbol, "decode");
	EXPECT_STR(row_of(&c, "decode_fast")->within, "codec");
	EXPECT_STR(c.rows[row_of(&c, "decode")->to[0]].symbol, "decode_fast");
	EXPECT(hd_judge_drifted(&c));
	hd_judge_release(&c);
	history_end(&h);
}

/* A large part of the profile runs below one caller, whose cost hardly grows if one of its functions does. */
TEST(the_caller_of_a_renamed_function_does_not_excuse_its_growth)
{
	struct cost below[COSTS_MAX], head[COSTS_MAX];
	struct history h = history_new();
	struct hd_comparison c;
	size_t n = 0;

	for (; usual[n].name; n++) {
		below[n] = head[n] = usual[n];
		below[n].callers = head[n].callers = n < 2 || n == 5 ? "main;worker" : usual[n].callers;
		if (!strcmp(usual[n].name, "put")) {
			head[n].name = "put_all";
			head[n].samples *= 1.3;
		}
	}
	below[n] = head[n] = (struct cost){ 0 };
	runs(&h, "a", NULL, below, 5);
	runs(&h, "b", "a", head, 5);
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT_ROW(c, "put_all", "FAIL");
	hd_judge_release(&c);
	history_end(&h);
}

/*
 * fmt is inlined into its caller emit, so the cost of emit grows by that of fmt.  In the stacks of the base, fmt is
 * called by emit.
 */
TEST(an_inlining_is_a_shift)
{
	struct cost inlined[COSTS_MAX];
	struct history h = history_new();
	struct hd_comparison c;
	size_t n = 0;

	for (size_t i = 0; usual[i].name; i++) {
		if (!strcmp(usual[i].name, "fmt"))
			continue;
		inlined[n] = usual[i];
		inlined[n++].samples += strcmp(usual[i].name, "emit") ? 0 : 3000;
	}
	inlined[n] = (struct cost){ 0 };
	runs(&h, "a", NULL, usual, 5);
	runs(&h, "b", "a", inlined, 5);
	judge(&h, &c);
	EXPECT_VERDICT(c, "PASS");
	EXPECT_ROW(c, "emit", "SHIFT");
	EXPECT_STR(c.rows[row_of(&c, "emit")->from[0]].symbol, "fmt");
	hd_judge_release(&c);
	history_end(&h);
}

/*
 * One function vanished and two are new.  The growth of the second one is more than the part of the loss that the
 * first one did not explain.
 */
TEST(the_loss_of_a_neighbour_excuses_only_as_much_growth)
{
	struct cost two[COSTS_MAX];
	struct history h = history_new();
	struct hd_comparison c;
	size_t n = 0;

	for (size_t i = 0; usual[i].name; i++)
		two[n++] = usual[i];
	for (size_t i = 0; i < n; i++)
		if (!strcmp(two[i].name, "decode"))
			two[i].name = "decode_new";
	two[n++] = (struct cost){ "decode_more", 2600, "main;codec" };
	two[n] = (struct cost){ 0 };
	runs(&h, "a", NULL, usual, 5);
	runs(&h, "b", "a", two, 5);
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT_INT(c.failed, 2);	/* decode_more and the total */
	EXPECT_INT(c.shifted, 1);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(a_new_symbol_fails_by_its_share_alone)
{
	struct cost more[COSTS_MAX];
	struct history h = history_new();
	struct hd_comparison c;
	size_t n = 0;

	for (size_t i = 0; usual[i].name; i++)
		more[n++] = usual[i];
	more[n++] = (struct cost){ "validate", 900, "main;check" };
	more[n] = (struct cost){ 0 };
	runs(&h, "a", NULL, usual, 5);
	runs(&h, "b", "a", more, 5);
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT_ROW(c, "validate", "FAIL");
	EXPECT(row_of(&c, "validate")->is_new);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(an_improvement_passes)
{
	struct history h = history_new();
	struct hd_comparison c;

	runs(&h, "a", NULL, usual, 5);
	runs(&h, "b", "a", changed(room, "memmove", 0.5, NULL), 5);
	judge(&h, &c);
	EXPECT_VERDICT(c, "PASS");
	EXPECT(row_of(&c, "memmove")->q_changed < 0.01);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(noise_is_inconclusive_and_says_how_many_runs_are_needed)
{
	struct history h = history_new();
	struct hd_comparison c;

	h.cv = 0.12;
	runs(&h, "a", NULL, usual, 3);
	runs(&h, "b", "a", usual, 3);
	judge(&h, &c);
	EXPECT_VERDICT(c, "INCONCLUSIVE");
	EXPECT(c.unsure > 0);
	for (size_t i = 0; i < c.nrows; i++)
		EXPECT(c.rows[i].verdict != HD_INCONCLUSIVE || c.rows[i].runs_needed >= 3);
	hd_judge_release(&c);
	history_end(&h);
}

/* ---- one run */

static void history_of(struct history *h, int commits, const struct cost *costs)
{
	static const char letters[] = "0123456789abcdef";

	for (int i = 0; i < commits; i++)
		runs(h, (char[]){ letters[i], 0 }, i ? (char[]){ letters[i - 1], 0 } : NULL, costs, 1);
}

TEST(one_run_is_judged_against_the_history_before_it)
{
	struct history h = history_new();
	struct hd_comparison c;

	history_of(&h, 12, usual);
	runs(&h, "f", "b", usual, 1);
	judge(&h, &c);
	EXPECT_VERDICT(c, "PASS");
	EXPECT_INT(c.history.n, 11);
	hd_judge_release(&c);
	runs(&h, "e", "b", changed(room, "parse_row", 1.4, NULL), 1);
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT_ROW(c, "parse_row", "FAIL");
	hd_judge_release(&c);
	history_end(&h);
}

/*
 * hash_probe became faster long ago.  If it becomes slow again, that is a regression, although it
 * was as slow before.
 */
TEST(a_history_with_a_change_point_counts_with_the_level_since_then)
{
	static const char letters[] = "0123456789abcdef";
	struct history h = history_new();
	struct hd_comparison c;

	for (int i = 0; i < 14; i++)
		runs(&h, (char[]){ letters[i], 0 }, i ? (char[]){ letters[i - 1], 0 } : NULL,
			i < 7 ? usual : changed(room, "hash_probe", 0.6, NULL), 1);
	runs(&h, "f", "d", usual, 1);
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT_ROW(c, "hash_probe", "FAIL");
	hd_judge_release(&c);
	history_end(&h);
}

static const struct cost *two_grew(void)
{
	for (size_t i = 0; i <= sizeof(usual) / sizeof(usual[0]) - 1; i++) {
		room[i] = usual[i];
		if (usual[i].name && !strcmp(usual[i].name, "parse_row"))
			room[i].samples *= 2.14;
		if (usual[i].name && !strcmp(usual[i].name, "decode"))
			room[i].samples *= 2.05;
	}
	return room;
}

/* Long ago the costs were different: parse_row six times as much, decode, memmove and idle a fifth. */
static const struct cost *long_ago(void)
{
	for (size_t i = 0; i <= sizeof(usual) / sizeof(usual[0]) - 1; i++) {
		room[i] = usual[i];
		if (usual[i].name && !strcmp(usual[i].name, "parse_row"))
			room[i].samples *= 6;
		if (usual[i].name &&
			(!strcmp(usual[i].name, "decode") || !strcmp(usual[i].name, "memmove") ||
				!strcmp(usual[i].name, "idle")))
			room[i].samples /= 5;
	}
	return room;
}

/*
 * Return a history with one run of each of `old` + `recent` commits, the first `old` with the costs of long_ago(), and
 * a last run of a modified tree in which two symbols grew.
 */
static struct history mixed_history(int old, int recent)
{
	static const char letters[] = "0123456789abcdef";
	struct history h = history_new();

	for (int i = 0; i < old + recent; i++)
		runs(&h, (char[]){ letters[i], 0 }, i ? (char[]){ letters[i - 1], 0 } : NULL,
			i < old ? long_ago() : usual, 1);
	h.modified = true;
	runs(&h, (char[]){ letters[old + recent - 1], 0 }, (char[]){ letters[old + recent - 2], 0 }, two_grew(), 1);
	return h;
}

TEST(a_history_ends_where_another_level_begins)
{
	struct history h = mixed_history(4, 7);
	struct hd_comparison c;

	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT_INT(c.base.n + c.history.n, 7);
	EXPECT_INT(c.failed, 3);	/* the two symbols, and the total */
	EXPECT(fabs(row_of(&c, "parse_row")->change_pct - 114) < 20);
	EXPECT(fabs(row_of(&c, "decode")->change_pct - 105) < 20);
	EXPECT(!c.total.level_moved);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(too_few_runs_at_the_level_of_the_base_are_advice_and_the_rows_are_of_that_level)
{
	struct history h = mixed_history(5, 3);
	struct hd_comparison c;

	judge(&h, &c);
	EXPECT_VERDICT(c, "INCONCLUSIVE");
	EXPECT_HAS(c.reason, "base and history have 3 of 5 runs at the level of the base: this is advice");
	EXPECT(fabs(row_of(&c, "parse_row")->change_pct - 114) < 20);
	EXPECT(fabs(row_of(&c, "decode")->change_pct - 105) < 20);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(one_bad_run_in_a_history_does_not_end_it)
{
	static const char letters[] = "0123456789";
	struct history h = history_new();
	struct hd_comparison c;

	for (int i = 0; i < 9; i++)
		runs(&h, (char[]){ letters[i], 0 }, i ? (char[]){ letters[i - 1], 0 } : NULL,
			i == 4 ? long_ago() : usual, 1);
	runs(&h, "f", "8", two_grew(), 1);
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT_INT(c.base.n + c.history.n, 8);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(a_history_ends_at_a_run_that_failed_its_gate)
{
	static const char letters[] = "0123456789abcdef";
	struct history h = history_new();
	struct hd_comparison c;

	for (int i = 0; i < 8; i++)
		runs(&h, (char[]){ letters[i], 0 }, i ? (char[]){ letters[i - 1], 0 } : NULL, usual, 1);
	runs(&h, "8", "7", changed(room, "parse_row", 1.4, NULL), 1);
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	record(&h, &c);
	hd_judge_release(&c);
	for (int i = 9; i < 15; i++)
		runs(&h, (char[]){ letters[i], 0 }, (char[]){ letters[i - 1], 0 }, usual, 1);
	runs(&h, "f", "e", usual, 1);
	judge(&h, &c);
	EXPECT_INT(c.base.n + c.history.n, 6);
	hd_judge_release(&c);
	history_end(&h);
}

/* Return a history with one run of each of `usually` + `later` commits; parse_row is 25 % slower in the later ones. */
static struct history slower_history(int usually, int later)
{
	static const char letters[] = "0123456789abcdef";
	struct history h = history_new();

	for (int i = 0; i < usually + later; i++)
		runs(&h, (char[]){ letters[i], 0 }, i ? (char[]){ letters[i - 1], 0 } : NULL,
			i < usually ? usual : changed(room, "parse_row", 1.25, NULL), 1);
	return h;
}

/* Runs between base and head belong to neither: the program may have changed there. */
TEST(the_history_ends_before_a_base_that_is_not_the_parent)
{
	struct history h = slower_history(8, 6);
	struct hd_judge_opts o = hd_judge_defaults;
	struct hd_comparison c;
	struct hd_log log;

	o.base = "7777777777";
	log = judge_as(&h, &c, &o);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT_ROW(c, "parse_row", "FAIL");
	EXPECT_INT(c.history.n, 7);
	hd_log_release(&log);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(a_run_that_could_not_be_a_side_is_not_used_as_history)
{
	static const char letters[] = "0123456789";
	struct cost few[COSTS_MAX];
	struct history h = history_new();
	struct hd_comparison c;

	memcpy(few, usual, sizeof(usual));
	for (size_t i = 0; few[i].name; i++)
		few[i].samples = 1;
	for (int i = 0; i < 8; i++)
		runs(&h, (char[]){ letters[i], 0 }, i ? (char[]){ letters[i - 1], 0 } : NULL, i == 3 ? few : usual, 1);
	runs(&h, "8", "7", changed(room, "parse_row", 1.4, NULL), 1);
	judge(&h, &c);
	EXPECT_INT(c.history.n, 6);
	EXPECT_ROW(c, "parse_row", "FAIL");
	hd_judge_release(&c);
	history_end(&h);
}

/* Add one run of each of 15 commits.  The latency and all costs are 0.6 times as large from the tenth commit on. */
static struct history history_that_fell(double p99_us)
{
	static const char letters[] = "0123456789abcde";
	struct history h = history_new();

	h.work = 100;
	for (int i = 0; i < 15; i++) {
		struct cost all[COSTS_MAX];
		double factor = i < 9 ? 1 : 0.6;

		memcpy(all, usual, sizeof(usual));
		for (size_t k = 0; all[k].name; k++)
			all[k].samples *= factor;
		h.p99_us = p99_us * factor;
		runs(&h, (char[]){ letters[i], 0 }, i ? (char[]){ letters[i - 1], 0 } : NULL, all, 1);
	}
	return h;
}

/* The latency was 1000 us, then 600 us, and is 700 us in the head. */
TEST(a_latency_is_compared_with_its_last_level)
{
	struct history h = history_that_fell(1000);
	struct cost all[COSTS_MAX];
	struct hd_comparison c;

	memcpy(all, usual, sizeof(usual));
	for (size_t k = 0; all[k].name; k++)
		all[k].samples *= 0.6;
	h.p99_us = 700;
	runs(&h, "f", "e", all, 1);
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT(fabs(c.series[0].change_pct - 100 * (700.0 / 600 - 1)) < 4);
	EXPECT(fabs(c.series[0].base - 600) < 15);
	hd_judge_release(&c);
	history_end(&h);
}

/* The latency was 56,500 us, then 50,000 us, a change of 12 %, and is 55,600 us in the head. */
TEST(a_latency_has_a_level_of_its_own_after_a_change_of_a_few_per_cent)
{
	static const char letters[] = "0123456789abcde";
	struct history h = history_new();
	struct hd_comparison c;

	h.cv = 0.001;
	for (int i = 0; letters[i]; i++) {
		h.p99_us = i < 9 ? 56500 : 50000;
		runs(&h, (char[]){ letters[i], 0 }, i ? (char[]){ letters[i - 1], 0 } : NULL, usual, 1);
	}
	h.p99_us = 55600;
	runs(&h, "f", "e", usual, 1);
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT(fabs(c.series[0].base / 50000 - 1) < 0.01);
	hd_judge_release(&c);
	history_end(&h);
}

/* The oldest run does not know its work.  The recordings of the others are of 1000 units of work, the last of 760. */
TEST(earlier_runs_without_work_are_left_out_if_the_others_know_theirs)
{
	static const char letters[] = "0123456789abcde";
	struct history h = history_new();
	struct hd_comparison c;

	for (int i = 0; letters[i]; i++) {
		h.work = i ? 1000 : 0;
		runs(&h, (char[]){ letters[i], 0 }, i ? (char[]){ letters[i - 1], 0 } : NULL, usual, 1);
	}
	h.work = 760;
	runs(&h, "f", "e", usual, 1);
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT_INT(c.history.n, 13);
	EXPECT_STR(c.total.decided_by, "work");
	EXPECT(fabs(c.net_pct - 100 * (1 / 0.76 - 1)) < 4);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(sides_of_which_only_some_runs_know_their_work_are_warned_of)
{
	struct history h = history_new();
	struct hd_judge_opts o = hd_judge_defaults;
	struct hd_comparison c;
	struct hd_log log;

	h.work = 1000;
	runs(&h, "a", NULL, usual, 5);
	h.work = 0;
	runs(&h, "b", "a", usual, 5);
	log = judge_as(&h, &c, &o);
	assert_non_null(hd_log_find(&log, "gate.work"));
	EXPECT_HAS(hd_log_find(&log, "gate.work")->text, "5 of 10 runs do not know their work");
	hd_log_release(&log);
	hd_judge_release(&c);
	history_end(&h);
}

/* The same of the cost of a unit of work: it was 1, then 0.6, and is 0.72 in the head. */
TEST(a_total_is_compared_with_its_last_level)
{
	struct history h = history_that_fell(0);
	struct cost all[COSTS_MAX];
	struct hd_comparison c;

	memcpy(all, usual, sizeof(usual));
	for (size_t k = 0; all[k].name; k++)
		all[k].samples *= 0.72;
	runs(&h, "f", "e", all, 1);
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT(fabs(c.total.change_pct - 20) < 5);
	EXPECT_INT(c.base.n + c.history.n, 6);
	hd_judge_release(&c);
	history_end(&h);
}

/* If both sides were recorded in turns, the machine was the same, so the program got slower as a whole. */
TEST(runs_in_turns_decide_whether_the_program_or_the_machine_changed)
{
	struct history h = history_new();
	struct cost all[COSTS_MAX];
	struct hd_comparison c;

	memcpy(all, usual, sizeof(usual));
	for (size_t k = 0; all[k].name; k++)
		all[k].samples *= 1.2;
	for (int turns = 2; turns >= 0; turns--) {
		h.session = turns ? "night" : NULL;
		if (turns == 1) {
			runs_in_turns(&h, "a", usual, "b", all, 5);
		} else {		/* the same session is not enough: the machine may have become slower */
			runs(&h, turns ? "e" : "c", NULL, usual, 5);
			runs(&h, turns ? "f" : "d", turns ? "e" : "c", all, 5);
		}
		judge(&h, &c);
		EXPECT(c.total.level_moved);
		EXPECT_VERDICT(c, turns == 1 ? "FAIL" : "INCONCLUSIVE");
		EXPECT_INT(c.total.decided_by != NULL, turns == 1);
		hd_judge_release(&c);
	}
	history_end(&h);
}

/*
 * The function that grew is more than half of both sides together, so it is the level that most of the profile shares.
 */
TEST(a_function_that_is_most_of_the_profile_fails_by_runs_in_turns)
{
	static const struct cost before[] = { { "parse", 1600, "main" },
		{ "decode", 2100, "main" },
		{ NULL, 0, NULL } },
				 after[] = { { "parse", 6400, "main" }, { "decode", 2150, "main" }, { NULL, 0, NULL } };
	struct history h = history_new();
	struct hd_comparison c;

	h.session = "night";
	runs_in_turns(&h, "a", before, "b", after, 3);
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT_STR(c.total.decided_by, "runs in turns");
	EXPECT(c.total.level_moved);
	EXPECT_INT(c.failed, 2);	/* the function and the total */
	EXPECT_STR(c.rows[0].symbol, "parse");
	EXPECT_INT(c.rows[0].verdict, HD_FAIL);
	EXPECT(fabs(c.rows[0].change_pct - 300) < 30);
	EXPECT(c.rows[1].verdict != HD_FAIL);
	EXPECT(fabs(c.rows[1].change_pct) < 10);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(the_total_is_shown_for_each_unit_of_work)
{
	struct history h = history_new();
	struct cost twice[COSTS_MAX];
	struct hd_comparison c;
	const struct hd_judge_series *total;

	h.work = 1000;
	runs(&h, "a", NULL, usual, 5);
	memcpy(twice, usual, sizeof(usual));
	for (size_t k = 0; twice[k].name; k++)
		twice[k].samples *= 2;
	h.work = 2000;
	runs(&h, "b", "a", twice, 5);
	judge(&h, &c);
	EXPECT_VERDICT(c, "PASS");
	total = &c.series[c.nseries - 1];
	EXPECT_STR(total->kind, "total");
	EXPECT(total->per_work && fabs(100 * (total->head / total->base - 1) - total->change_pct) < 0.1);
	EXPECT(fabs(total->base / 29700 - 1) < 0.05);	/* 29,700 samples of 1000 cycles in 1000 units of work */
	hd_judge_release(&c);
	history_end(&h);
}

TEST(one_run_without_history_is_advice)
{
	struct history h = history_new();
	struct hd_comparison c;

	runs(&h, "a", NULL, usual, 1);
	runs(&h, "b", "a", changed(room, "parse_row", 2, NULL), 1);
	judge(&h, &c);
	EXPECT_VERDICT(c, "INCONCLUSIVE");
	EXPECT_HAS(c.reason, "a side is a single run, and base and history have 1 of 5 runs: this is advice");
	EXPECT_INT(c.failed, 0);
	hd_judge_release(&c);
	history_end(&h);
}

/* ---- baselines */

TEST(without_a_baseline_nothing_is_compared)
{
	struct history h = history_new();
	struct hd_comparison c;

	runs(&h, "a", NULL, usual, 5);
	judge(&h, &c);
	EXPECT_VERDICT(c, "NOT_COMPARABLE");
	EXPECT_HAS(c.reason, "no baseline");
	hd_judge_release(&c);
	history_end(&h);
}

TEST(the_nearest_ancestor_with_runs_is_the_base)
{
	struct history h = history_new();
	struct hd_comparison c;

	runs(&h, "a", NULL, usual, 3);
	h.status = "failed";
	runs(&h, "b", "a", usual, 2);
	h.status = "fixture";
	runs(&h, "c", "b", usual, 2);
	h.status = "ok";
	h.modified = true;
	runs(&h, "d", "c", usual, 2);
	h.modified = false;
	runs(&h, "e", "d", usual, 3);
	judge(&h, &c);
	EXPECT_VERDICT(c, "PASS");
	EXPECT_STR(c.base.how, "3 before the parent, which has no runs");
	EXPECT_STR(c.base.name, "aaaaaaaaaaaa");
	hd_judge_release(&c);
	history_end(&h);
}

TEST(a_run_that_failed_its_gate_never_becomes_a_baseline)
{
	struct history h = history_new();
	struct hd_comparison c;

	runs(&h, "a", NULL, usual, 5);
	runs(&h, "b", "a", changed(room, "parse_row", 1.3, NULL), 5);
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	record(&h, &c);
	hd_judge_release(&c);
	EXPECT_INT(count(h.db, "SELECT COUNT(*) FROM gate_run"), 10);
	EXPECT_INT(
		count(h.db,
			"SELECT COUNT(*) FROM drift_event WHERE kind = 'cost' AND verdict = 'FAIL' AND symbol_id IS "
			"NOT NULL"),
		1);
	/* The next commit is as slow, so it is still slower than the last good one. */
	runs(&h, "c", "b", room, 5);
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT_STR(c.base.name, "aaaaaaaaaaaa");
	EXPECT_STR(c.base.how,
		"1 before the parent: bbbbbbbbbbbb failed its gate, an acknowledgement (ack) restores it");
	hd_judge_release(&c);
	history_end(&h);
}

TEST(a_failed_run_that_passes_the_same_comparison_later_may_be_a_baseline)
{
	struct history h = history_new();
	struct hd_comparison c;
	struct hd_ack ack = { .symbol = "parse_row", .level = 60, .reason = "checks more", .author = "a\033b" };
	struct hd_err err = { 0 };

	runs(&h, "a", NULL, usual, 5);
	runs(&h, "b", "a", changed(room, "parse_row", 1.3, NULL), 5);
	judge(&h, &c);
	record(&h, &c);
	hd_judge_release(&c);
	EXPECT_INT(hd_ack_add(h.db, &ack, &err), 0);
	judge(&h, &c);
	EXPECT_VERDICT(c, "PASS");
	EXPECT_INT(c.acknowledged, 1);
	EXPECT_STR(row_of(&c, "parse_row")->ack->reason, "checks more");
	EXPECT_STR(row_of(&c, "parse_row")->ack->author, "a\\x1bb");
	record(&h, &c);
	hd_judge_release(&c);
	runs(&h, "c", "b", room, 5);
	judge(&h, &c);
	EXPECT_VERDICT(c, "PASS");
	EXPECT_STR(c.base.name, "bbbbbbbbbbbb");
	hd_judge_release(&c);
	history_end(&h);
}

/*
 * Commits b and c are equally slow, and b failed.  Their peak of memory is `peak`, that of a is 100 MB.  Expect that c
 * is compared with the commit `base` if the n acknowledgements `given` were stored after b.
 */
static void expect_base_after(const struct hd_ack *given, size_t n, double peak, const char *base)
{
	struct history h = history_new();
	struct hd_comparison c;
	struct hd_err err = { 0 };

	h.peak_bytes = 1e8;
	runs(&h, "a", NULL, usual, 5);
	h.peak_bytes = peak;
	runs(&h, "b", "a", changed(room, "parse_row", 1.3, NULL), 5);
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	record(&h, &c);
	hd_judge_release(&c);
	for (size_t i = 0; i < n; i++) {
		struct hd_ack ack = given[i];

		EXPECT_INT(hd_ack_add(h.db, &ack, &err), 0);
	}
	runs(&h, "c", "b", room, 5);
	judge(&h, &c);
	EXPECT_STR(c.base.name, base);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(an_acknowledgement_of_all_that_failed_restores_the_baseline_without_another_gate)
{
	static const struct hd_ack symbol = { .symbol = "parse_row", .level = 60, .reason = "known" };
	static const struct hd_ack of_target = { .symbol = "parse_row",
		.level = 60,
		.reason = "known",
		.target = "serve",
		.object = "serve" };
	static const struct hd_ack low = { .symbol = "parse_row", .level = 5, .reason = "known" };
	static const struct hd_ack other = { .symbol = "parse_row", .level = 60, .reason = "known", .target = "other" };
	static const struct hd_ack expired = { .symbol = "parse_row",
		.level = 60,
		.reason = "known",
		.expires = "2020-01-01T00:00:00Z" };
	static const struct hd_ack both[] = { { .symbol = "parse_row", .level = 60, .reason = "known" },
					      { .symbol = "peak_rss_bytes", .level = 3e8, .reason = "known" } };

	expect_base_after(NULL, 0, 1e8, "aaaaaaaaaaaa");
	expect_base_after(&symbol, 1, 1e8, "bbbbbbbbbbbb");
	expect_base_after(&of_target, 1, 1e8, "bbbbbbbbbbbb");
	expect_base_after(&low, 1, 1e8, "aaaaaaaaaaaa");
	expect_base_after(&other, 1, 1e8, "aaaaaaaaaaaa");
	expect_base_after(&expired, 1, 1e8, "aaaaaaaaaaaa");
	/* Two rows failed: an acknowledgement of one of them is not enough. */
	expect_base_after(&symbol, 1, 2e8, "aaaaaaaaaaaa");
	expect_base_after(both, 2, 2e8, "bbbbbbbbbbbb");
}

TEST(an_acknowledgement_ends_at_its_level_its_day_and_when_it_is_withdrawn)
{
	static const struct { double level; const char *expires; const char *verdict; } cases[] = {
		{ 5, NULL, "FAIL" }, { 60, "2020-01-01T00:00:00Z", "FAIL" }, { 60, "2999-01-01T00:00:00Z", "PASS" },
	};
	struct history h = history_new();
	struct hd_comparison c;
	struct hd_err err = { 0 };
	int64_t n;

	runs(&h, "a", NULL, usual, 5);
	runs(&h, "b", "a", changed(room, "parse_row", 1.3, NULL), 5);
	for (size_t i = 0; i < HD_COUNT(cases); i++) {
		struct hd_ack ack = { .symbol = "parse_row",
			.level = cases[i].level,
			.reason = "known",
			.expires = cases[i].expires };

		EXPECT_INT(hd_ack_add(h.db, &ack, &err), 0);
		judge(&h, &c);
		EXPECT_VERDICT(c, cases[i].verdict);
		hd_judge_release(&c);
	}
	EXPECT_INT(hd_ack_withdraw(h.db, NULL, false, "parse_row", NULL, NULL, &n, &err), 0);
	EXPECT_INT(n, 2);
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	hd_judge_release(&c);
	history_end(&h);
}

/* ---- comparable runs */

static struct hd_machine machine(const char *model, const char *kernel)
{
	struct hd_machine m = { .source = "here",
		.arch = hd_strdup("x86_64"),
		.cpu_model = hd_strdup(model),
		.cpu_id = hd_strdup("x"),
		.cpu_flags = hd_strdup("f"),
		.cpus_online = 8,
		.smt = hd_strdup("on"),
		.memory_bytes = -1,
		.kernel = hd_strdup(kernel) };

	hd_machine_seal(&m);
	return m;
}

TEST(another_machine_is_not_comparable_and_the_field_is_named)
{
	struct hd_machine old = machine("EPYC 7763", "6.1.0-1"), new = machine("EPYC 9654", "6.1.0-1");
	struct history h = history_new();
	struct hd_comparison c;

	h.machine = &old;
	runs(&h, "a", NULL, usual, 3);
	h.machine = &new;
	runs(&h, "b", "a", usual, 3);
	judge(&h, &c);
	EXPECT_VERDICT(c, "NOT_COMPARABLE");
	EXPECT_HAS(c.reason, "CPU model is EPYC 7763 in the base and EPYC 9654 in the head");
	hd_judge_release(&c);
	/* The verdict is the same for a base that the user names, and for a list of runs. */
	{
		struct hd_judge_opts o = hd_judge_defaults;
		struct hd_log log;

		o.base = "aaaaaaaa";
		log = judge_as(&h, &c, &o);
		EXPECT_VERDICT(c, "NOT_COMPARABLE");
		EXPECT_INT(c.differs.n, 1);
		EXPECT_STR(c.differs.items[0].field, "CPU model");
		hd_log_release(&log);
	}
	hd_judge_release(&c);
	hd_machine_release(&old);
	hd_machine_release(&new);
	history_end(&h);
}

TEST(another_kernel_is_warned_of)
{
	struct hd_machine old = machine("EPYC", "6.1.0-1"), new = machine("EPYC", "6.1.0-2");
	struct history h = history_new();
	struct hd_judge_opts o = hd_judge_defaults;
	struct hd_comparison c;
	struct hd_log log;

	h.machine = &old;
	runs(&h, "a", NULL, usual, 5);
	h.machine = &new;
	runs(&h, "b", "a", usual, 5);
	log = judge_as(&h, &c, &o);
	EXPECT_VERDICT(c, "PASS");
	assert_non_null(hd_log_find(&log, "gate.machine"));
	EXPECT_HAS(hd_log_find(&log, "gate.machine")->text, "kernel is 6.1.0-1");
	hd_log_release(&log);
	hd_judge_release(&c);
	hd_machine_release(&old);
	hd_machine_release(&new);
	history_end(&h);
}

TEST(the_field_that_differs_between_two_configurations_is_named)
{
	static const char one[] = "{\"threads\":4,\"flags\":[\"-O2\"]}", two[] = "{\"threads\":8,\"flags\":[\"-O2\"]}";
	struct history h = history_new();
	struct hd_config a, b;
	struct hd_comparison c;
	struct hd_err err = { 0 };

	EXPECT_INT(hd_config_parse(&a, one, strlen(one), "one", &err), 0);
	EXPECT_INT(hd_config_parse(&b, two, strlen(two), "two", &err), 0);
	h.config = &a;
	runs(&h, "a", NULL, usual, 3);
	h.config = &b;
	runs(&h, "b", "a", usual, 3);
	judge(&h, &c);
	EXPECT_VERDICT(c, "NOT_COMPARABLE");
	EXPECT_HAS(c.reason, "config: threads is 4 in the base and 8 in the head");
	hd_judge_release(&c);
	hd_config_release(&a);
	hd_config_release(&b);
	history_end(&h);
}

TEST(other_arguments_are_another_workload)
{
	struct history h = history_new();
	struct hd_comparison c;

	h.command = "perf record -g -o a.data ./build/serve --size 10";
	runs(&h, "a", NULL, usual, 3);
	h.command = "/usr/bin/perf record -F 99 -o b.data -- /elsewhere/serve --size 20";
	runs(&h, "b", "a", usual, 3);
	judge(&h, &c);
	EXPECT_VERDICT(c, "NOT_COMPARABLE");
	EXPECT_HAS(c.reason, "workload arguments is serve --size 10 in the base and serve --size 20 in the head");
	hd_judge_release(&c);
	history_end(&h);
}

TEST(too_many_lost_samples_are_no_basis)
{
	struct history h = history_new();
	struct hd_comparison c;

	runs(&h, "a", NULL, usual, 3);
	h.lost = 9000;
	runs(&h, "b", "a", usual, 3);
	judge(&h, &c);
	EXPECT_VERDICT(c, "NOT_COMPARABLE");
	EXPECT_HAS(c.reason, "lost 2");
	hd_judge_release(&c);
	history_end(&h);
}

/*
 * Compare the same runs with the same change, but with `effective` as the ratio of effective samples to samples.
 * Returns the width of the interval of parse_row.
 */
static double width_with(double effective)
{
	struct hd_judge_opts o = hd_judge_defaults;
	struct history h = history_new();
	struct hd_comparison c;
	struct hd_log log;
	double width;

	h.cv = 0;
	h.effective = effective;
	runs(&h, "a", NULL, usual, 4);
	runs(&h, "b", "a", changed(room, "parse_row", 1.05, NULL), 4);
	log = judge_as(&h, &c, &o);
	width = row_of(&c, "parse_row")->hi_pct - row_of(&c, "parse_row")->lo_pct;
	hd_log_release(&log);
	hd_judge_release(&c);
	history_end(&h);
	return width;
}

TEST(samples_of_varying_periods_tell_less_than_equal_ones)
{
	double whole = width_with(1), unknown = width_with(0), ninth = width_with(1.0 / 9);

	EXPECT(fabs(whole / unknown - 1) < 1e-6);
	/*
	 * with a ninth of the samples, the interval is at most three times as wide, because counting is not the only
	 * error
	 */
	EXPECT(ninth > 1.2 * whole && ninth < 3 * whole);
}

TEST(too_few_samples_by_their_weights_are_no_basis)
{
	struct history h = history_new();
	struct hd_comparison c;

	runs(&h, "a", NULL, usual, 3);
	h.effective = 0.0005;		/* 0.05 % of some 30,000 samples */
	runs(&h, "b", "a", usual, 3);
	judge(&h, &c);
	EXPECT_VERDICT(c, "NOT_COMPARABLE");
	EXPECT_HAS(c.reason, " effective samples (");
	EXPECT_HAS(c.reason, " recorded), but 30 are needed");
	hd_judge_release(&c);
	history_end(&h);
}

/* Judge a base and a head that were sampled at these rates, and expect the verdict, the reason and the warning. */
static void sampled(const struct hd_rate *base, const struct hd_rate *head, const char *verdict, const char *reason,
	const char *warning)
{
	struct hd_judge_opts o = hd_judge_defaults;
	struct history h = history_new();
	struct hd_comparison c;
	struct hd_log log;

	h.rate = *base;
	runs(&h, "a", NULL, usual, 3);
	h.rate = *head;
	runs(&h, "b", "a", usual, 3);
	log = judge_as(&h, &c, &o);
	EXPECT_VERDICT(c, verdict);
	EXPECT_HAS(c.reason, reason);
	if (warning)
		EXPECT(hd_log_find(&log, warning) != NULL);
	else
		EXPECT(!hd_log_find(&log, "gate.throttled") && !hd_log_find(&log, "gate.multiplexed"));
	hd_log_release(&log);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(another_frequency_or_period_is_not_comparable_and_is_named)
{
	const struct hd_rate often = { .frequency_hz = 4000, .recorded = true },
			     usual_rate = { .frequency_hz = 999, .recorded = true };
	const struct hd_rate period = { .period = 999, .recorded = true }, unknown = { 0 };

	sampled(&usual_rate, &often, "NOT_COMPARABLE", "sampling is 999 Hz in the base and 4000 Hz in the head", NULL);
	sampled(&usual_rate, &period, "NOT_COMPARABLE", "sampling is 999 Hz in the base and period 999 in the head",
		NULL);
	sampled(&often, &often, "PASS", "", NULL);
	sampled(&unknown, &often, "PASS", "", NULL);	/* a run that was added before the field was stored */
}

TEST(a_throttled_run_is_warned_of_and_beyond_a_limit_no_basis)
{
	const struct hd_rate even = { .period = 1000, .recorded = true };
	struct hd_rate some = { .period = 1000, .recorded = true, .throttled = 7, .unthrottled = 7, .silent = 0.02 },
		       much = some;

	much.silent = 0.06;
	sampled(&even, &some, "PASS", "", "gate.throttled");
	sampled(&even, &much, "NOT_COMPARABLE",
		"was throttled: for 6.0 % of the time there are no samples, more than 5 %", "gate.throttled");
	sampled(&much, &even, "NOT_COMPARABLE", "a lower frequency or a larger period", "gate.throttled");
}

TEST(a_run_that_shared_its_counter_is_warned_of_and_beyond_a_limit_no_basis)
{
	const struct hd_rate alone = { .frequency_hz = 999,
		.recorded = true,
		.enabled_ns = 1000000,
		.running_ns = 999500 };
	struct hd_rate some = alone, much = alone;

	some.running_ns = 970000;
	much.running_ns = 500000;
	sampled(&alone, &alone, "PASS", "", NULL);
	sampled(&alone, &some, "PASS", "", "gate.multiplexed");
	sampled(&alone, &much, "NOT_COMPARABLE", "had its event on the counter for 50.0 % of the time, less than 95 %",
		"gate.multiplexed");
}

/*
 * Return a history in which the base and the head are one session each, after `before` earlier sessions of five runs
 * each.  In the head, parse_row costs `factor` times as much as before.
 */
static struct history sessions_before(int before, double factor)
{
	static const char names[] = "0123456789abcdef";
	static struct cost room_of[COSTS_MAX];
	struct history h = history_new();
	char session[2] = { 0 };

	h.session = session;
	for (int i = 0; i <= before + 1; i++) {
		session[0] = names[i];
		runs(&h, (char[]){ names[i], 0 }, i ? (char[]){ names[i - 1], 0 } : NULL,
		     i > before ? changed(room_of, "parse_row", factor, NULL) : usual, 5);
	}
	h.session = NULL;
	return h;
}

TEST(sides_that_are_sessions_of_their_own_fail_nothing_without_earlier_sessions)
{
	struct history h = sessions_before(2, 1.3);
	struct hd_comparison c;

	judge(&h, &c);
	EXPECT_VERDICT(c, "INCONCLUSIVE");
	EXPECT_INT(c.earlier_sessions, 2);
	EXPECT_HAS(c.reason, "2 of 5 earlier sessions are known: what grew may be the session");
	EXPECT_HAS(c.reason, "hotdrift bench --add");
	hd_judge_release(&c);
	history_end(&h);
}

TEST(the_spread_between_earlier_sessions_decides_what_a_session_explains)
{
	struct history h = sessions_before(7, 1.3);
	struct hd_comparison c;

	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT_INT(c.earlier_sessions, 7);
	EXPECT_INT(row_of(&c, "parse_row")->verdict, HD_FAIL);
	hd_judge_release(&c);
	history_end(&h);
	h = sessions_before(7, 1);
	judge(&h, &c);
	EXPECT(c.failed == 0);
	hd_judge_release(&c);
	history_end(&h);
}

/*
 * Compare the latency of two sessions of five runs, 1000 us and head_us, after seven earlier sessions in which it was
 * 1000 us times 1 + spread or 1 - spread, in turn; spread < 0: the earlier sessions did not measure it.
 */
static void judge_latency_after_sessions(struct hd_comparison *c, struct history *h, double head_us, double spread)
{
	static const char names[] = "0123456ab";
	char session[2] = { 0 };

	*h = history_new();
	h->session = session;
	for (int i = 0; names[i]; i++) {
		session[0] = names[i];
		h->p99_us = i == 8 ? head_us : i == 7 ? 1000 : spread < 0 ? 0 : 1000 * (1 + (i % 2 ? spread : -spread));
		runs(h, session, i ? (char[]){ names[i - 1], 0 } : NULL, usual, 5);
	}
	judge(h, c);
	EXPECT_INT(c->earlier_sessions, 7);
	EXPECT_STR(c->series[0].kind, "latency");
}

static void expect_latency_after_sessions(double head_us, double spread, const char *verdict, bool by_session)
{
	struct history h;
	struct hd_comparison c;

	judge_latency_after_sessions(&c, &h, head_us, spread);
	EXPECT_STR(hd_verdict_name(c.series[0].verdict), verdict);
	EXPECT_INT(c.series[0].by_session, by_session);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(the_spread_between_earlier_sessions_decides_about_a_latency)
{
	expect_latency_after_sessions(1150, 0.08, "INCONCLUSIVE", false);
	expect_latency_after_sessions(4000, 0.08, "FAIL", false);
	expect_latency_after_sessions(1150, 0.002, "FAIL", false);
	expect_latency_after_sessions(1010, 0.002, "PASS", false);
	expect_latency_after_sessions(1150, -1, "INCONCLUSIVE", true);
	expect_latency_after_sessions(1010, -1, "PASS", false);
}

/* Multiply the usual costs by `factor`.  Returns `all`. */
static const struct cost *scaled(struct cost *all, double factor)
{
	memcpy(all, usual, sizeof(usual));
	for (size_t k = 0; all[k].name; k++)
		all[k].samples *= factor;
	return all;
}

/*
 * The machine differs by up to 9 % from session to session, for all functions alike.  Even if the work is known,
 * nothing FAILs.  first_work: work of each run of the first session, as of all others, or 0: unknown, which changes
 * nothing.
 */
static void expect_unsure_on_a_slow_day(double first_work)
{
	static const double machine[] = { 1, 1.09, 0.95, 1.03, 0.93, 1.08, 0.97, 1.06, 0.94, 1.05, 0.95, 1.07 };
	static const char names[] = "0123456789ab";
	struct history h = history_new();
	struct hd_comparison c;
	char session[2] = { 0 };

	h.session = session;
	for (int i = 0; names[i]; i++) {
		session[0] = names[i];
		h.work = i ? 1000 : first_work;
		runs(&h, session, i ? (char[]){ names[i - 1], 0 } : NULL, scaled(room, machine[i]), 3);
	}
	judge(&h, &c);
	EXPECT_VERDICT(c, "INCONCLUSIVE");
	EXPECT_INT(c.earlier_sessions, first_work > 0 ? 10 : 9);
	EXPECT_INT(c.failed, 0);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(a_machine_that_was_slower_that_day_fails_nothing_although_the_work_is_known)
{
	expect_unsure_on_a_slow_day(1000);
	expect_unsure_on_a_slow_day(0);
}

/* Append a commit with five runs that have no session word and were recorded in this boot. */
static void runs_in_boot(struct history *h, const char *commit, const char *parent, const struct cost *costs,
	const char *boot)
{
	struct hd_machine m = { .source = "here", .cpus_online = -1, .memory_bytes = -1, .boot_id = (char *)boot };

	hd_machine_seal(&m);
	h->machine = &m;
	runs(h, commit, parent, costs, 5);
	h->machine = NULL;
}

TEST(runs_without_the_name_of_a_session_belong_to_that_of_their_boot)
{
	struct history h = history_new();
	struct hd_comparison c;

	runs_in_boot(&h, "a", NULL, usual, "monday");
	runs_in_boot(&h, "b", "a", changed(room, "parse_row", 1.3, NULL), "tuesday");
	judge(&h, &c);
	EXPECT_VERDICT(c, "INCONCLUSIVE");
	EXPECT_HAS(c.reason, "0 of 5 earlier sessions are known: what grew may be the session");
	EXPECT(row_of(&c, "parse_row")->by_session && !row_of(&c, "emit")->by_session);
	hd_judge_release(&c);
	history_end(&h);
	h = history_new();
	runs_in_boot(&h, "a", NULL, usual, "monday");
	runs_in_boot(&h, "b", "a", changed(room, "parse_row", 1.3, NULL), "monday");
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT(!row_of(&c, "parse_row")->by_session);
	hd_judge_release(&c);
	history_end(&h);
}

/* The history that a single run is compared with comes from many boots, so it shows how much these differ. */
TEST(a_single_run_is_no_session_of_its_own_beside_a_history_of_several_boots)
{
	static const char *const commits[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
	struct history h = history_new();
	struct hd_comparison c;

	for (size_t i = 0; i < HD_COUNT(commits); i++) {
		struct hd_machine m = { .source = "here", .cpus_online = -1, .memory_bytes = -1,
			.boot_id = (char *)commits[i] };

		hd_machine_seal(&m);
		h.machine = &m;
		runs(&h, commits[i], i ? commits[i - 1] : NULL,
			i == HD_COUNT(commits) - 1 ? changed(room, "parse_row", 1.8, NULL) : usual, 1);
	}
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT(c.history.n > 0);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(sides_that_are_sessions_are_warned_of)
{
	struct history h = history_new();
	struct hd_judge_opts o = hd_judge_defaults;
	struct hd_comparison c;
	struct hd_log log;

	h.session = "one";
	runs(&h, "a", NULL, usual, 3);
	h.session = "two";
	runs(&h, "b", "a", usual, 3);
	log = judge_as(&h, &c, &o);
	assert_non_null(hd_log_find(&log, "gate.sessions"));
	hd_log_release(&log);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(equal_builds_pass_without_a_test_by_default)
{
	struct history h = history_new();
	struct hd_judge_opts o = hd_judge_defaults;
	struct hd_comparison c;
	struct hd_log log;

	h.build = "abcdef01";
	h.variables = " HOME\n";
	runs(&h, "a", NULL, usual, 5);
	runs(&h, "b", "a", changed(room, "parse_row", 1.3, NULL), 5);
	judge(&h, &c);
	EXPECT_VERDICT(c, "PASS");
	EXPECT(c.same_builds && !c.nrows);
	EXPECT_HAS(c.reason, "serve abcdef01");
	hd_judge_release(&c);
	o.test_equal_builds = true;
	log = judge_as(&h, &c, &o);
	EXPECT_VERDICT(c, "FAIL");
	hd_log_release(&log);
	hd_judge_release(&c);
	history_end(&h);
}

/*
 * Return true if the builds of the base and of the head are regarded as the same.  The program is the same on both
 * sides, but in another folder in the head.  A library has these build-ids ("": none is recorded; NULL: it is linked
 * into the program) and this cost.
 */
static bool are_same_builds(const char *base_library, const char *head_library, double library_samples)
{
	struct history h = history_new();
	struct hd_comparison c;
	bool same;
	size_t i;

	for (i = 0; usual[i].name; i++) {
		room[i] = usual[i];
		if (!strcmp(usual[i].name, "spare"))
			room[i].samples = library_samples;
	}
	room[i] = usual[i];
	h.build = "abcdef01";
	h.library_build = base_library;
	runs(&h, "a", NULL, room, 3);
	h.folder = "/home/user/serve";
	h.library_build = head_library;
	runs(&h, "b", "a", room, 3);
	judge(&h, &c);
	same = c.same_builds;
	hd_judge_release(&c);
	history_end(&h);
	return same;
}

TEST(equal_builds_are_those_of_every_file_of_the_user)
{
	EXPECT(are_same_builds("11aa", "11aa", 400));
	EXPECT(!are_same_builds("11aa", "22bb", 400));
	EXPECT(!are_same_builds("11aa", "22bb", 30));	/* the library has only 0.1 % of the profile */
	EXPECT(!are_same_builds("", "", 30));		/* without a build-id, the builds are unknown */
	EXPECT(!are_same_builds("11aa", NULL, 400));	/* in the head the library is linked into the program */
}

/*
 * Judge runs of one build with different environments on the two sides, in which a function got slower, and expect the
 * verdict, the reason and the warning.
 */
static void surrounded(const char *base, const char *head, const char *verdict, const char *reason, const char *warning)
{
	struct hd_judge_opts o = hd_judge_defaults;
	struct history h = history_new();
	struct hd_comparison c;
	struct hd_log log;

	h.build = "abcdef01";
	h.variables = base;
	runs(&h, "a", NULL, usual, 5);
	h.variables = head;
	runs(&h, "b", "a", changed(room, "parse_row", 1.3, NULL), 5);
	log = judge_as(&h, &c, &o);
	EXPECT_VERDICT(c, verdict);
	EXPECT_HAS(c.reason, reason);
	EXPECT(!warning == !hd_log_find(&log, "gate.environment"));
	if (warning)
		EXPECT_HAS(hd_log_find(&log, "gate.environment")->text, warning);
	hd_log_release(&log);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(a_named_variable_with_another_value_is_not_comparable_and_is_named)
{
	surrounded("+HARDENED=0\n HOME\n", "+HARDENED=1\n HOME\n", "NOT_COMPARABLE",
		   "environment variable HARDENED is 0 in the base and 1 in the head", NULL);
	surrounded("-HARDENED\n HOME\n", "+HARDENED=1\n HOME\n", "NOT_COMPARABLE",
		   "environment variable HARDENED is not set in the base and 1 in the head", NULL);
	surrounded(" HOME\n", "+HARDENED=1\n HOME\n", "NOT_COMPARABLE",
		"environment variable HARDENED is not set in the base", NULL);
}

TEST(equal_builds_with_equal_named_variables_pass_untested)
{
	surrounded("+HARDENED=1\n HOME\n", "+HARDENED=1\n HOME\n", "PASS", "the builds are the same", NULL);
	surrounded(" HOME\n", " HOME\n", "PASS", "the builds are the same", NULL);
}

/* A variable that only one side sets is no failure.  But the cost is tested instead of assumed to be equal. */
TEST(equal_builds_are_tested_when_only_one_side_sets_a_variable)
{
	surrounded(" HOME\n", " HARDENED\n HOME\n", "FAIL", "", "only one side sets HARDENED");
	surrounded(" HARDENED\n HOME\n", " HOME\n", "FAIL", "", "only one side sets HARDENED");
}

/* hotdrift.ini named the variable only after the base was recorded, so its value there is unknown. */
TEST(equal_builds_are_tested_when_the_value_of_a_named_variable_is_not_known)
{
	surrounded(" HARDENED\n HOME\n", "+HARDENED=1\n HOME\n", "FAIL", "", NULL);
	surrounded(NULL, "+HARDENED=1\n HOME\n", "FAIL", "", "the environment of run");
	surrounded(NULL, NULL, "FAIL", "", "the environment of run");
}

TEST(another_way_to_record_stacks_is_not_comparable_and_is_named)
{
	const struct hd_rate fp = { .recorded = true, .call_graph = "fp" }, unknown = { .recorded = true };
	const struct hd_rate dwarf = { .recorded = true, .call_graph = "dwarf", .stack_bytes = 8192 };

	sampled(&fp, &dwarf, "NOT_COMPARABLE", "call graph is fp in the base and dwarf in the head", NULL);
	sampled(&fp, &fp, "PASS", "", NULL);
	sampled(&unknown, &dwarf, "PASS", "", NULL);	/* a run that was added before the field was stored */
}

TEST(another_size_of_stack_copies_or_another_compiler_is_warned_of)
{
	struct hd_rate small = { .recorded = true, .call_graph = "dwarf", .stack_bytes = 4096 }, large = small;
	struct hd_judge_opts o = hd_judge_defaults;
	struct history h = history_new();
	struct hd_comparison c;
	struct hd_log log;

	large.stack_bytes = 8192;
	h.rate = small;
	h.compiler = "GNU C17 12.2.0 -O2";
	runs(&h, "a", NULL, usual, 5);
	h.rate = large;
	h.compiler = "clang version 19.1.0";
	runs(&h, "b", "a", usual, 5);
	log = judge_as(&h, &c, &o);
	EXPECT_VERDICT(c, "PASS");
	assert_non_null(hd_log_find(&log, "gate.machine"));
	EXPECT_HAS(hd_log_find(&log, "gate.machine")->text,
		"bytes of stack a sample is 4096 in the base and 8192 in the head");
	EXPECT_HAS(hd_log_find(&log, "gate.machine")->text,
		"compiler is GNU C17 12.2.0 -O2 in the base and clang version 19.1.0 in the head");
	hd_log_release(&log);
	hd_judge_release(&c);
	history_end(&h);
}

/* ---- series */

TEST(latency_memory_and_energy_are_gated_beside_symbols)
{
	struct history h = history_new();
	struct hd_comparison c;

	h.p99_us = 41000;
	h.peak_bytes = 1e8;
	h.joules = 50;
	runs(&h, "a", NULL, usual, 5);
	h.p99_us = 50000;
	runs(&h, "b", "a", usual, 5);
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT_INT(c.nseries, 4);	/* latency, memory, energy, and the total cost */
	EXPECT_STR(c.series[0].kind, "latency");
	EXPECT(c.series[0].verdict == HD_FAIL && fabs(c.series[0].change_pct - 22) < 4 && c.series[0].lo_pct < 22 &&
		c.series[0].hi_pct > 22);
	EXPECT(c.series[1].verdict == HD_PASS && c.series[2].verdict == HD_PASS);
	EXPECT_INT(c.failed, 1);
	record(&h, &c);
	EXPECT_TEXT(h.db, "SELECT series FROM drift_event WHERE series IS NOT NULL", "p99 wall_time_us");
	hd_judge_release(&c);
	history_end(&h);
}

/* 15 runs whose latency varies by 5 %: a 16th run is 13 % slower by chance in one of 60 histories. */
TEST(the_latency_of_a_single_run_fails_only_if_it_is_far_out)
{
	static const struct {
		double us;
		const char *verdict;
	} heads[] = { { 1130, "INCONCLUSIVE" }, { 1300, "FAIL" } };
	static const char letters[] = "0123456789abcde";

	for (size_t k = 0; k < HD_COUNT(heads); k++) {
		struct history h = history_new();
		struct hd_comparison c;

		h.cv = 0;
		for (int i = 0; letters[i]; i++) {
			h.p99_us = i % 2 ? 1050 : 950;
			runs(&h, (char[]){ letters[i], 0 }, i ? (char[]){ letters[i - 1], 0 } : NULL, usual, 1);
		}
		h.p99_us = heads[k].us;
		runs(&h, "f", "e", usual, 1);
		judge(&h, &c);
		EXPECT_STR(c.series[0].kind, "latency");
		EXPECT_STR(hd_verdict_name(c.series[0].verdict), heads[k].verdict);
		hd_judge_release(&c);
		history_end(&h);
	}
}

TEST(percentiles_of_one_sample_a_run_are_one_row)
{
	struct history h = history_new();
	struct hd_comparison c;
	struct hd_err err = { 0 };

	h.p99_us = 41000;
	runs(&h, "a", NULL, usual, 5);
	h.p99_us = 50000;
	runs(&h, "b", "a", usual, 5);
	EXPECT_INT(
		hd_db_exec(h.db,
			"INSERT INTO series_summary (run_id, series, ordinal, stat, value) SELECT run_id, series, "
			"ordinal - 2, 'p50', value FROM series_summary WHERE stat = 'p99'; INSERT INTO series_summary "
			"(run_id, series, ordinal, stat, value) SELECT run_id, series, ordinal - 1, 'p95', value FROM "
			"series_summary WHERE stat = 'p99'",
			&err),
		0);
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT_INT(c.nseries, 2);	/* one row of the three percentiles, and the total cost */
	EXPECT_STR(c.series[0].stat, "p50");
	EXPECT(c.series[0].verdict == HD_FAIL);
	hd_judge_release(&c);
	EXPECT_INT(hd_db_do(h.db, &err, "UPDATE series_summary SET value = value + 1 WHERE stat = 'p95' AND run_id = 1",
			   ""),
		0);
	judge(&h, &c);
	EXPECT_INT(c.nseries, 3);	/* p95 now differs from p50, so it has its own row */
	hd_judge_release(&c);
	history_end(&h);
}

/* Each run has 70 series of latency; 6 of them exceed the limit. */
TEST(the_warning_of_series_beyond_the_limit_counts_each_of_them_once)
{
	struct history h = history_new();
	struct hd_comparison c;
	struct hd_log log;

	runs(&h, "a", NULL, usual, 3);
	runs(&h, "b", "a", usual, 3);
	for (int run = 1; run <= 6; run++)
		for (int i = 0; i < 70; i++)
			add_series(&h, run, i, "latency", (char[]){ (char)('0' + i), 0 }, "us", "p99", 1000 + i);
	log = judge_as(&h, &c, &hd_judge_defaults);
	assert_non_null(hd_log_find(&log, "gate.series"));
	EXPECT_STR(hd_log_find(&log, "gate.series")->text,
		"6 statistics of series were not compared: the limit is 64");
	EXPECT_INT(hd_log_find(&log, "gate.series")->count, 1);
	EXPECT_INT(c.nseries, 65);	/* and the total cost */
	hd_log_release(&log);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(energy_is_for_each_unit_of_work)
{
	struct history h = history_new();
	struct hd_comparison c;
	struct hd_err err = { 0 };

	h.joules = 50;
	runs(&h, "a", NULL, usual, 5);
	EXPECT_INT(hd_db_do(h.db, &err, "UPDATE run SET work = 1000", ""), 0);
	h.joules = 100;
	runs(&h, "b", "a", usual, 5);
	EXPECT_INT(hd_db_do(h.db, &err, "UPDATE run SET work = 2000 WHERE work IS NULL", ""), 0);
	judge(&h, &c);
	EXPECT(c.nseries == 2 && c.series[0].per_work && c.series[0].verdict == HD_PASS);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(values_that_are_all_equal_have_no_spread)
{
	struct history h = history_new();
	struct hd_comparison c;

	h.cv = 0;
	h.peak_bytes = 1000;
	runs(&h, "a", NULL, usual, 3);
	runs(&h, "b", "a", usual, 3);
	judge(&h, &c);
	EXPECT(c.series[0].verdict == HD_PASS && c.series[0].change_pct == 0);
	hd_judge_release(&c);
	h.peak_bytes = 1200;
	runs(&h, "c", "b", usual, 3);
	judge(&h, &c);
	EXPECT(c.series[0].verdict == HD_FAIL);
	hd_judge_release(&c);
	history_end(&h);
}

/* ---- repeated looks at the same runs; pinned baselines */

TEST(more_runs_after_inconclusive_are_another_look_at_a_stricter_level)
{
	struct history h = history_new();
	struct hd_comparison c;

	h.cv = 0.12;
	runs(&h, "a", NULL, usual, 3);
	runs(&h, "b", "a", usual, 3);
	judge(&h, &c);
	EXPECT_VERDICT(c, "INCONCLUSIVE");
	EXPECT(c.look == 1 && c.level == 0.05);
	record(&h, &c);
	hd_judge_release(&c);
	judge(&h, &c);		/* comparing the same runs again is not another look */
	EXPECT_INT(c.look, 1);
	record(&h, &c);
	hd_judge_release(&c);
	runs(&h, "b", "a", usual, 3);
	judge(&h, &c);
	EXPECT_INT(c.look, 2);
	EXPECT(fabs(c.level - 0.0294) < 1e-9);
	hd_judge_release(&c);
	history_end(&h);
}

/* All runs of the newest baseline stay, and the last run of an older commit.  The stored verdicts stay, too. */
TEST(pruning_keeps_the_newest_baseline)
{
	struct hd_prune_opts o = { .keep = 1 };
	struct history h = history_new();
	struct hd_comparison c;
	struct hd_prune_list list;
	struct hd_err err = { 0 };

	runs(&h, "a", NULL, usual, 3);
	runs(&h, "b", "a", usual, 3);
	judge(&h, &c);
	record(&h, &c);
	hd_judge_release(&c);
	runs(&h, "c", "b", usual, 3);
	judge(&h, &c);
	record(&h, &c);
	hd_judge_release(&c);
	EXPECT_INT(hd_prune_find(h.db, &o, &list, &err), 0);
	EXPECT_INT(hd_prune_do(h.db, &list, "keep 1", &err), 0);
	hd_prune_release(&list);
	EXPECT_INT(count(h.db,
			   "SELECT COUNT(*) FROM run r JOIN commit_info c ON c.id = r.commit_id WHERE c.sha LIKE 'b%'"),
		3);
	EXPECT_INT(count(h.db,
			   "SELECT COUNT(*) FROM run r JOIN commit_info c ON c.id = r.commit_id WHERE c.sha LIKE 'a%'"),
		1);
	EXPECT_INT(count(h.db, "SELECT COUNT(*) FROM gate_result"), 2);
	expect_sound(h.db);
	history_end(&h);
}

TEST(a_pinned_release_is_compared_with_too)
{
	struct history h = history_new();
	struct hd_judge_opts o = hd_judge_defaults;
	struct hd_comparison c;
	struct hd_log log;
	struct cost half[COSTS_MAX];

	runs(&h, "a", NULL, usual, 5);
	runs(&h, "b", "a", changed(half, "memmove", 1.2, NULL), 5);
	runs(&h, "c", "b", changed(room, "memmove", 1.2, NULL), 5);
	o.pin = "aaaaaaaa";
	log = judge_as(&h, &c, &o);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT_INT(c.failed, 0);
	EXPECT_INT(c.pin->failed, 1);
	hd_log_release(&log);
	hd_judge_release(&c);
	o.pin = "cccccccc";	/* the head itself is the pinned release */
	log = judge_as(&h, &c, &o);
	EXPECT_VERDICT(c, "PASS");
	EXPECT(!c.pin);
	hd_log_release(&log);
	hd_judge_release(&c);
	o.pin = "ffffffff";
	{
		struct hd_err err = { 0 };
		struct hd_log more = { 0 };

		o.filter.dir = h.place.dir;
		EXPECT_INT(hd_judge(&c, h.db, &o, &more, &err), HD_EFORMAT);
		hd_log_release(&more);
	}
	history_end(&h);
}

TEST(a_pin_that_cannot_be_compared_does_not_hide_a_failure)
{
	struct history h = history_new();
	struct hd_judge_opts o = hd_judge_defaults;
	struct hd_comparison c;
	struct hd_log log;

	h.rate.frequency_hz = 99;
	runs(&h, "a", NULL, usual, 5);
	h.rate.frequency_hz = 997;
	runs(&h, "b", "a", usual, 5);
	runs(&h, "c", "b", changed(room, "memmove", 1.3, NULL), 5);
	o.pin = "aaaaaaaa";
	log = judge_as(&h, &c, &o);
	EXPECT_STR(hd_verdict_name(c.pin->verdict), "NOT_COMPARABLE");
	EXPECT_VERDICT(c, "FAIL");
	hd_log_release(&log);
	hd_judge_release(&c);
	history_end(&h);
}

TEST(the_rest_of_a_database_is_no_symbol_but_part_of_the_total)
{
	struct history h = history_new();
	struct hd_comparison c;
	struct hd_err err = { 0 };
	struct cost more[COSTS_MAX];
	double pct;
	size_t n = 0;

	for (size_t i = 0; usual[i].name; i++)
		more[n++] = usual[i];
	more[n++] = (struct cost){ "[rest]", 5000, "main" };
	more[n] = (struct cost){ 0 };
	runs(&h, "a", NULL, more, 5);
	more[n - 1].samples = 8000;
	runs(&h, "b", "a", more, 5);
	EXPECT_INT(hd_db_do(h.db, &err, "UPDATE symbol SET object = NULL, linkage = NULL WHERE name = '[rest]'", ""),
		0);
	judge(&h, &c);
	EXPECT_VERDICT(c, "FAIL");
	EXPECT_INT(c.failed, 1);
	EXPECT_INT(c.total.verdict, HD_FAIL);
	for (size_t i = 0; i < c.nrows; i++)
		EXPECT(strcmp(c.rows[i].symbol, "[rest]") != 0);
	pct = row_of(&c, "memmove")->base_pct;
	EXPECT(pct > 13.5 && pct < 15.5);	/* 5,000 of 34,700 */
	hd_judge_release(&c);
	history_end(&h);
}

/*
 * The folder of a history is no git checkout, so git would only say that.  PATH has no git either, because each call
 * takes as long as judging a history.
 */
int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(the_same_code_passes), RUN(a_planted_regression_fails_and_is_named),
		RUN(a_symbol_of_a_build_with_suffixes_is_the_same_symbol), RUN(a_rename_is_a_shift),
		RUN(the_caller_of_a_renamed_function_does_not_excuse_its_growth),
		RUN(an_inlining_is_a_shift), RUN(the_loss_of_a_neighbour_excuses_only_as_much_growth),
		RUN(a_new_symbol_fails_by_its_share_alone), RUN(an_improvement_passes),
		RUN(noise_is_inconclusive_and_says_how_many_runs_are_needed),
		RUN(one_run_is_judged_against_the_history_before_it),
		RUN(a_history_with_a_change_point_counts_with_the_level_since_then),
		RUN(the_history_ends_before_a_base_that_is_not_the_parent),
		RUN(a_run_that_could_not_be_a_side_is_not_used_as_history),
		RUN(a_latency_is_compared_with_its_last_level),
		RUN(a_latency_has_a_level_of_its_own_after_a_change_of_a_few_per_cent),
		RUN(earlier_runs_without_work_are_left_out_if_the_others_know_theirs),
		RUN(sides_of_which_only_some_runs_know_their_work_are_warned_of),
		RUN(a_total_is_compared_with_its_last_level),
		RUN(runs_in_turns_decide_whether_the_program_or_the_machine_changed),
		RUN(a_function_that_is_most_of_the_profile_fails_by_runs_in_turns),
		RUN(the_total_is_shown_for_each_unit_of_work),
		RUN(one_run_without_history_is_advice),
		RUN(a_history_ends_where_another_level_begins),
		RUN(too_few_runs_at_the_level_of_the_base_are_advice_and_the_rows_are_of_that_level),
		RUN(one_bad_run_in_a_history_does_not_end_it), RUN(a_history_ends_at_a_run_that_failed_its_gate),
		RUN(without_a_baseline_nothing_is_compared), RUN(the_nearest_ancestor_with_runs_is_the_base),
		RUN(a_run_that_failed_its_gate_never_becomes_a_baseline),
		RUN(a_failed_run_that_passes_the_same_comparison_later_may_be_a_baseline),
		RUN(an_acknowledgement_of_all_that_failed_restores_the_baseline_without_another_gate),
		RUN(an_acknowledgement_ends_at_its_level_its_day_and_when_it_is_withdrawn),
		RUN(another_machine_is_not_comparable_and_the_field_is_named), RUN(another_kernel_is_warned_of),
		RUN(the_field_that_differs_between_two_configurations_is_named),
		RUN(other_arguments_are_another_workload),
		RUN(too_many_lost_samples_are_no_basis), RUN(samples_of_varying_periods_tell_less_than_equal_ones),
		RUN(too_few_samples_by_their_weights_are_no_basis),
		RUN(another_frequency_or_period_is_not_comparable_and_is_named),
		RUN(a_throttled_run_is_warned_of_and_beyond_a_limit_no_basis),
		RUN(a_run_that_shared_its_counter_is_warned_of_and_beyond_a_limit_no_basis),
		RUN(sides_that_are_sessions_of_their_own_fail_nothing_without_earlier_sessions),
		RUN(the_spread_between_earlier_sessions_decides_what_a_session_explains),
		RUN(the_spread_between_earlier_sessions_decides_about_a_latency),
		RUN(a_machine_that_was_slower_that_day_fails_nothing_although_the_work_is_known),
		RUN(runs_without_the_name_of_a_session_belong_to_that_of_their_boot),
		RUN(a_single_run_is_no_session_of_its_own_beside_a_history_of_several_boots),
		RUN(sides_that_are_sessions_are_warned_of), RUN(equal_builds_are_those_of_every_file_of_the_user),
		RUN(a_named_variable_with_another_value_is_not_comparable_and_is_named),
		RUN(equal_builds_with_equal_named_variables_pass_untested),
		RUN(equal_builds_are_tested_when_only_one_side_sets_a_variable),
		RUN(equal_builds_are_tested_when_the_value_of_a_named_variable_is_not_known),
		RUN(another_way_to_record_stacks_is_not_comparable_and_is_named),
		RUN(another_size_of_stack_copies_or_another_compiler_is_warned_of),
		RUN(equal_builds_pass_without_a_test_by_default),
		RUN(latency_memory_and_energy_are_gated_beside_symbols),
		RUN(the_latency_of_a_single_run_fails_only_if_it_is_far_out),
		RUN(percentiles_of_one_sample_a_run_are_one_row),
		RUN(the_warning_of_series_beyond_the_limit_counts_each_of_them_once),
		RUN(energy_is_for_each_unit_of_work),
		RUN(values_that_are_all_equal_have_no_spread),
		RUN(more_runs_after_inconclusive_are_another_look_at_a_stricter_level),
		RUN(pruning_keeps_the_newest_baseline),
		RUN(a_pinned_release_is_compared_with_too),
		RUN(a_pin_that_cannot_be_compared_does_not_hide_a_failure),
		RUN(the_rest_of_a_database_is_no_symbol_but_part_of_the_total),
	};

	setenv("PATH", "/nonexistent", 1);
	return cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL);
}
