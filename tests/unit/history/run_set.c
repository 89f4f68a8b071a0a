/*
 * run_set.c - find the runs that a user selects, and decide which of them are comparable
 */
#include "unit/gate/gate_test.h"

#include "history/comparability.h"
#include "history/run_set_base.h"
#include "history/stored_times.h"

static struct hd_run_set find(struct history *h, const char *spec)
{
	struct hd_run_set_filter filter = { .dir = h->place.dir };
	struct hd_err err = { 0 };
	struct hd_run_set s;
	int rc = hd_run_set_find(&s, h->db, spec, &filter, &err);

	if (rc < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(rc, 0);
	return s;
}

static void find_fails(struct history *h, const char *spec, const char *target, enum hd_code code, const char *part)
{
	struct hd_run_set_filter filter = { .dir = h->place.dir, .target = target };
	struct hd_err err = { 0 };
	struct hd_run_set s;

	EXPECT_INT(hd_run_set_find(&s, h->db, spec, &filter, &err), code);
	EXPECT_HAS(err.msg, part);
}

static void expect_side(struct history *h, const char *spec, size_t n, const char *name)
{
	struct hd_run_set s = find(h, spec);

	EXPECT_INT(s.n, n);
	EXPECT_STR(s.name, name);
	hd_run_set_release(&s);
}

TEST(a_side_is_a_commit_a_run_several_or_the_newest)
{
	struct history h = history_new();
	struct hd_run_ticket one, two;
	char list[2 * HD_RUN_ID + 2];

	runs(&h, "a", NULL, usual, 3);
	h.modified = true;
	runs(&h, "a", NULL, usual, 2);
	h.modified = false;
	one = add_run(&h, "b", "a", usual);
	two = add_run(&h, "c", "b", usual);
	h.session = "job";
	runs(&h, NULL, NULL, usual, 2);
	snprintf(list, sizeof(list), "%s,%s", one.id, two.id);
	expect_side(&h, "aaaa", 3, "aaaaaaaaaaaa");
	expect_side(&h, "aaaa+", 2, "aaaaaaaaaaaa+");
	expect_side(&h, "bbbbbbbb", 1, "bbbbbbbbbbbb");
	expect_side(&h, one.id, 1, "bbbbbbbbbbbb");
	expect_side(&h, list, 2, "2 runs");
	expect_side(&h, "latest", 2, "2 runs");		/* runs of one session, without a commit */
	expect_side(&h, "latest~2", 1, "cccccccccccc");
	expect_side(&h, "latest:serve~4", 2, "aaaaaaaaaaaa+");
	history_end(&h);
}

/* Two builds were compared at one commit: only the runs of the newer one are selected. */
TEST(runs_that_were_made_for_two_sides_are_not_one)
{
	struct history h = history_new();
	struct hd_err err = { 0 };

	runs(&h, "a", NULL, usual, 4);
	EXPECT_INT(hd_db_do(h.db, &err, "UPDATE run SET side = 'A' WHERE id IN (1, 3)", ""), 0);
	EXPECT_INT(hd_db_do(h.db, &err, "UPDATE run SET side = 'B' WHERE id IN (2, 4)", ""), 0);
	expect_side(&h, "aaaa", 2, "aaaaaaaaaaaa");
	runs(&h, "a", NULL, usual, 3);
	expect_side(&h, "aaaa", 3, "aaaaaaaaaaaa");
	history_end(&h);
}

TEST(runs_of_earlier_sessions_are_in_the_order_of_time)
{
	struct history h = history_new();
	struct hd_run_set_filter filter = { .dir = h.place.dir };
	struct hd_run_set head, s;
	struct hd_err err = { 0 };

	runs(&h, "a", NULL, usual, 3);
	runs(&h, "b", "a", usual, 1);
	runs(&h, "c", "b", usual, 2);
	runs(&h, "d", "c", usual, 1);
	head = find(&h, "dddd");
	EXPECT_INT(hd_run_set_sessions(&s, h.db, &head, &filter, 30, &err), 0);
	EXPECT_INT(s.n, 6);
	for (size_t i = 0; i < s.n; i++)
		EXPECT_INT(s.runs[i].row, i + 1);
	hd_run_set_release(&s);
	hd_run_set_release(&head);
	history_end(&h);
}

TEST(stored_times_are_in_the_order_of_the_runs)
{
	struct history h = history_new();
	struct hd_stored_times t;
	struct hd_err err = { 0 };

	h.command = "work";
	runs(&h, "a", NULL, usual, 3);
	h.cv = 0;
	for (int run = 1; run <= 3; run++)
		add_series(&h, run, 0, "other", "process.wall_time_us", "us", "mean", 100 * run);
	EXPECT_INT(hd_stored_times_load(&t, h.db, "serve", "work", "", "", &err), 0);
	EXPECT_INT(t.n, 3);
	EXPECT(t.wall_us[0] == 100 && t.wall_us[1] == 200 && t.wall_us[2] == 300);
	hd_stored_times_release(&t);
	history_end(&h);
}

TEST(an_invalid_side_is_reported)
{
	struct history h = history_new();
	struct hd_run_ticket one;
	char list[2 * HD_RUN_ID + 2];

	find_fails(&h, NULL, NULL, HD_ENOBASE, "no run yet");
	one = add_run(&h, "a", NULL, usual);
	snprintf(list, sizeof(list), "%s,%s", one.id, one.id);
	find_fails(&h, list, NULL, HD_EUSAGE, "is named twice");
	find_fails(&h, "nothing", NULL, HD_EFORMAT, "git knows no commit");
	find_fails(&h, "--upload-pack=x", NULL, HD_EFORMAT, "git knows no commit");
	find_fails(&h, "ffff+", NULL, HD_EFORMAT, "is not a commit");
	h.target = "batch";
	add_run(&h, "a", NULL, usual);
	find_fails(&h, "aaaa", NULL, HD_EUSAGE, "2 targets; name one with --target: batch, serve");
	find_fails(&h, "aaaa", "other", HD_ENOBASE, "target other");
	h.status = "failed";
	add_run(&h, "d", "a", usual);
	find_fails(&h, "dddd", NULL, HD_ENOBASE, "1 failed");
	history_end(&h);
}

TEST(a_field_that_one_of_them_does_not_know_differs)
{
	struct hd_run_set_member a = { .like = { [HD_RUN_FIELD_CONFIG] = "x" } },
				 b = { .like = { [HD_RUN_FIELD_CONFIG] = "x" } };

	EXPECT(hd_comparable(&a, &b));
	b.like[HD_RUN_FIELD_CONFIG] = NULL;
	EXPECT_INT(hd_comparability_distance(&a, &b), 1);
	a.like[HD_RUN_FIELD_CONFIG] = NULL;
	a.like[HD_RUN_FIELD_KERNEL] = "6.1";
	EXPECT(hd_comparable(&a, &b));
}

TEST_MAIN(RUN(a_side_is_a_commit_a_run_several_or_the_newest),
	RUN(runs_that_were_made_for_two_sides_are_not_one), RUN(runs_of_earlier_sessions_are_in_the_order_of_time),
	RUN(stored_times_are_in_the_order_of_the_runs), RUN(an_invalid_side_is_reported),
	RUN(a_field_that_one_of_them_does_not_know_differs))
