/* run_load.c - load stored runs unchanged, find them by the names that users type, and compare them */
#include "unit/history/history_test.h"

#include "history/hotspot_changes.h"
#include "history/run_lookup.h"

static int64_t find(struct hd_db *db, const char *spec)
{
	struct hd_err err = { 0 };
	int64_t row = 0;
	int rc = hd_run_lookup(db, spec, &row, &err);

	if (rc < 0)
		print_message("%s: %s\n", spec, err.msg);
	EXPECT_INT(rc, 0);
	return row;
}

static void find_fails(struct hd_db *db, const char *spec, enum hd_code code, const char *end_of_message)
{
	struct hd_err err = { 0 };
	int64_t row;

	EXPECT_INT(hd_run_lookup(db, spec, &row, &err), code);
	EXPECT_STR(err.msg + strlen(err.msg) - strlen(end_of_message), end_of_message);
}

static struct hd_run_ticket add_at(struct hd_db *db, const char *target, int64_t when, const char *status)
{
	struct hd_run run = sample_run();

	run.recorded = when;
	run.target = target;
	run.status = status;
	return must_add(db, &run);
}

TEST(a_run_is_loaded_as_it_went_in)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_run run = sample_run();
	struct hd_run_ticket t;
	struct hd_stored_run p;

	run.target = "a\nb";
	run.command = "serve --x 'y'";
	run.exit_status = 0;
	t = must_add(db, &run);
	EXPECT_INT(hd_run_load(&p, db, 1, 2, NULL), 0);
	EXPECT_STR(p.id, t.id);
	EXPECT_STR(p.target, "a\nb");
	EXPECT_STR(p.command, "serve --x 'y'");
	EXPECT_INT(p.exit_status, 0);
	EXPECT_INT(p.dirty, -1);
	EXPECT_INT(p.read, 11);
	assert_null(p.commit);
	assert_null(p.machine);
	EXPECT_INT(p.nevents, 1);
	EXPECT_STR(p.events[0].name, "cycles:u");
	EXPECT_INT(p.events[0].weight, 100);
	EXPECT_INT(p.events[0].symbols, 3);
	EXPECT(!p.events[0].rate.recorded && p.events[0].rate.frequency_hz == 0);
	EXPECT_INT(p.events[0].nhotspots, 2);
	EXPECT_STR(p.events[0].hotspots[0].name, "parse_row");
	EXPECT_STR(p.events[0].hotspots[0].linkage, "_Z9parse_rowv");
	EXPECT_STR(p.events[0].hotspots[0].object, "/opt/app/bin/serve");
	EXPECT_INT(p.events[0].hotspots[1].total, 90);
	EXPECT_INT(p.events[0].hotspots[1].inline_self, -1);
	hd_run_load_release(&p);
	EXPECT_INT(hd_run_load(&p, db, 1, 9, NULL), 0);
	assert_null(p.events[0].hotspots[2].name);
	EXPECT_STR(p.events[0].hotspots[2].vaddr, "0xffffffff81000123");
	hd_run_load_release(&p);
	hd_db_close(db);
	place_remove(&place);
}

TEST(how_an_event_was_sampled_comes_back)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_run run = full_run();
	const struct hd_rate *r;
	struct hd_stored_run p;

	must_add(db, &run);
	EXPECT_INT(hd_run_load(&p, db, 1, 2, NULL), 0);
	r = &p.events[0].rate;
	EXPECT(r->frequency_hz == 999 && r->period == 0 && r->recorded && r->throttled == 3 && r->unthrottled == 2);
	EXPECT(r->silent == 0.03125 && r->enabled_ns == 8000 && r->running_ns == 7000);
	hd_run_load_release(&p);
	hd_db_close(db);
	place_remove(&place);
}

TEST(a_run_is_found_by_its_id_its_start_or_its_hash)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_run_ticket a = add_at(db, "serve", 1000, "ok"), b = add_at(db, "serve", 1000000000, "ok");
	char start[32];

	EXPECT_INT(find(db, a.id), 1);
	EXPECT_INT(find(db, b.id), 2);
	EXPECT_INT(find(db, "1970"), 1);
	EXPECT_INT(find(db, "2001"), 2);
	snprintf(start, sizeof(start), "%.6s", b.hash);
	EXPECT_INT(find(db, start), 2);
	EXPECT_INT(find(db, b.hash), 2);
	hd_db_close(db);
	place_remove(&p);
}

TEST(latest_is_what_was_recorded_last_not_what_was_added_last)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);

	add_at(db, "serve", 3000, "ok");
	add_at(db, "batch", 2000, "failed");
	add_at(db, "serve", 1000, "ok");
	EXPECT_INT(find(db, "latest"), 1);
	EXPECT_INT(find(db, "latest:serve"), 1);
	EXPECT_INT(find(db, "latest:batch"), 2);
	EXPECT_INT(find(db, "latest~1"), 2);
	EXPECT_INT(find(db, "latest~2"), 3);
	EXPECT_INT(find(db, "latest:serve~1"), 3);
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_name_of_no_run_or_of_several_is_rejected)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);

	find_fails(db, "latest", HD_ENOBASE, ": no run yet; see 'hotdrift add --help'");
	add_at(db, "serve", 1000, "ok");
	find_fails(db, "latest~1", HD_ENOBASE, "there is no run before 'latest'");
	add_at(db, "serve", 1000, "ok");
	find_fails(db, "latest:batch", HD_ENOBASE, ": no run of target 'batch' yet");
	find_fails(db, "1970", HD_EFORMAT, "'1970' begins the name of more than one run; 'hotdrift log' lists them");
	find_fails(db, "197", HD_EFORMAT, "has no run '197'; 'hotdrift log' lists its runs");
	find_fails(db, "", HD_EFORMAT, "has no run ''; 'hotdrift log' lists its runs");
	find_fails(db, "%", HD_EFORMAT, "has no run '%'; 'hotdrift log' lists its runs");
	find_fails(db, "____", HD_EFORMAT, "has no run '____'; 'hotdrift log' lists its runs");
	find_fails(db, "' OR 1=1 --", HD_EFORMAT, "'hotdrift log' lists its runs");
	find_fails(db, "latest~2", HD_ENOBASE, "there are fewer than 2 runs before 'latest'");
	find_fails(db, "latest~x", HD_EFORMAT, "'latest~x': a number must follow the '~'");
	find_fails(db, "latest~-1", HD_EFORMAT, "'latest~-1': a number must follow the '~'");
	find_fails(db, "latest~99999999999", HD_EFORMAT, "a number must follow the '~'");
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_target_is_found_by_its_bytes)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);

	add_at(db, "a\\x0ab", 1000, "ok");
	add_at(db, "a\nb", 1001, "ok");
	EXPECT_INT(find(db, "latest:a\nb"), 2);
	EXPECT_INT(find(db, "latest:a\\x0ab"), 1);
	hd_db_close(db);
	place_remove(&p);
}

/* ---- the previous run ---- */

TEST(the_previous_run_is_the_newest_ok_one_that_can_be_compared)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_run_event other = sample_event;
	struct hd_machine machine = { .source = "here", .cpus_online = 4, .memory_bytes = -1 };
	struct hd_run run = sample_run();
	struct hd_stored_run p;
	int64_t row;

	hd_machine_seal(&machine);
	run.recorded = 1000;
	must_add(db, &run);			/* 1: comparable */
	add_at(db, "serve", 1001, "failed");	/* 2: failed */
	add_at(db, "serve", 1002, "fixture");	/* 3: a fixture */
	add_at(db, "batch", 1003, "ok");	/* 4: another target */
	run.recorded = 1004;
	run.mode = "memory";
	must_add(db, &run);			/* 5: another mode */
	run.mode = "cpu";
	run.machine = &machine;
	must_add(db, &run);			/* 6: another machine */
	run.machine = NULL;
	other.name = "instructions:u";
	run.events = &other;
	must_add(db, &run);			/* 7: another event */
	run.events = &sample_event;
	run.inline_mode = "inline";
	must_add(db, &run);			/* run 8 computes self in another way */
	run.inline_mode = "no-inline";
	run.recorded = 1005;
	must_add(db, &run);			/* 9: the run whose previous run is looked up */
	run.recorded = 1006;
	must_add(db, &run);			/* 10: later */
	EXPECT_INT(hd_run_load(&p, db, 9, 5, NULL), 0);
	EXPECT_INT(hd_run_lookup_previous(db, &p, 0, &row, NULL), 0);
	EXPECT_INT(row, 1);
	hd_run_load_release(&p);
	EXPECT_INT(hd_run_load(&p, db, 1, 5, NULL), 0);
	EXPECT_INT(hd_run_lookup_previous(db, &p, 0, &row, NULL), 0);
	EXPECT_INT(row, 0);
	hd_run_load_release(&p);
	hd_db_close(db);
	place_remove(&place);
}

/* ---- comparing ---- */

/*
 * Add and load a run whose symbols are the letters of `order`; a digit is an address without a symbol.  Their costs are
 * 20, 19, 18, and so on, of a total of 100.
 */
static struct hd_stored_run letters(struct hd_db *db, const char *order, struct hd_run run)
{
	struct hd_run_hotspot h[26];
	char names[26][2];
	struct hd_run_event e = { .name = "cycles",
		.unit = "cycles",
		.samples = 9,
		.weight = 100,
		.hotspots = h,
		.nhotspots = strlen(order) };
	struct hd_stored_run p;

	for (size_t i = 0; i < e.nhotspots; i++) {
		names[i][0] = order[i];
		names[i][1] = '\0';
		h[i] = (struct hd_run_hotspot){ .object = "/x/app",
			.linkage = names[i],
			.name = names[i],
			.self = 20 - i,
			.total = 20,
			.samples = 1 };
		if (order[i] >= '0' && order[i] <= '9') {	/* an unresolved address */
			h[i].linkage = h[i].name = NULL;
			h[i].has_vaddr = true;
			h[i].vaddr = (uint64_t)order[i];
		}
	}
	run.events = &e;
	must_add(db, &run);
	EXPECT_INT(hd_run_load(&p, db, count(db, "SELECT MAX(id) FROM run"), 5, NULL), 0);
	return p;
}

/*
 * Expect an item such as "a1>2" for each change: name, rank in the base, rank in the head.  `*` means that the set of
 * symbols changed, `!` that their order changed.
 */
static void compare(const char *base_order, const char *head_order, const char *want)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_stored_run base = letters(db, base_order, sample_run()), head = letters(db, head_order, sample_run());
	struct hd_hotspot_changes c;
	struct hd_buf got = { 0 };

	EXPECT_INT(hd_hotspot_changes_build(&c, db, &base, 0, &head, 0, 5, NULL), 0);
	for (size_t i = 0; i < c.n; i++)
		hd_buf_addf(&got, "%s%s%lld>%lld", i ? " " : "",
			c.items[i].spot->name ? c.items[i].spot->name : c.items[i].spot->vaddr + 17,
			(long long)c.items[i].base_rank, (long long)c.items[i].head_rank);
	hd_buf_addf(&got, "%s%s", c.set_changed ? "*" : "", c.order_changed ? "!" : "");
	EXPECT_STR(got.data, want);
	hd_buf_release(&got);
	hd_hotspot_changes_release(&c);
	hd_run_load_release(&base);
	hd_run_load_release(&head);
	hd_db_close(db);
	place_remove(&place);
}

TEST(changes_tell_who_moved_entered_and_left)
{
	compare("abcde", "abcde", "a1>1 b2>2 c3>3 d4>4 e5>5");
	compare("abcde", "bacde", "b2>1 a1>2 c3>3 d4>4 e5>5!");
	compare("abcdef", "abcdfe", "a1>1 b2>2 c3>3 d4>4 f6>5 e5>6*");
	compare("abcde", "xabcd", "x0>1 a1>2 b2>3 c3>4 d4>5 e5>0*!");
	compare("ab", "ba", "b2>1 a1>2!");
	compare("a", "abcdef", "a1>1 b0>2 c0>3 d0>4 e0>5*");
	compare("", "ab", "a0>1 b0>2*");
	compare("ab", "", "a1>0 b2>0*");
}

TEST(the_nth_entry_of_a_name_is_compared_with_the_nth)
{
	compare("aab", "aba", "a1>1 b3>2 a2>3!");
	compare("ab", "aab", "a1>1 a0>2 b2>3*!");
}

TEST(addresses_without_a_symbol_are_compared_by_address)
{
	compare("a12", "a21", "a1>1 23>2 12>3!");
	compare("1b", "2b", "20>1 b2>2 11>0*!");
}

static void refuse(struct hd_run base_run, struct hd_run head_run, const char *want)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_stored_run base = letters(db, "ab", base_run), head = letters(db, "ab", head_run);
	struct hd_hotspot_changes c;
	struct hd_err err = { 0 };

	EXPECT_INT(hd_hotspot_changes_build(&c, db, &base, 0, &head, 0, 5, &err), HD_ENOBASE);
	EXPECT_STR(err.msg, want);
	hd_run_load_release(&base);
	hd_run_load_release(&head);
	hd_db_close(db);
	place_remove(&place);
}

TEST(runs_that_cannot_be_compared_are_refused_by_the_field_that_differs)
{
	struct hd_run a = sample_run(), b = sample_run();

	b.target = "batch";
	refuse(a, b, "not comparable: the target is serve in the base and batch in the head");
	b = a;
	b.inline_mode = "inline";
	refuse(a, b, "not comparable: the inline mode is no-inline in the base and inline in the head");
	b = a;
	b.mode = "memory";
	refuse(a, b, "not comparable: the mode is cpu in the base and memory in the head");
}

TEST_MAIN(RUN(a_run_is_loaded_as_it_went_in), RUN(how_an_event_was_sampled_comes_back),
	  RUN(a_run_is_found_by_its_id_its_start_or_its_hash),
	  RUN(latest_is_what_was_recorded_last_not_what_was_added_last),
	  RUN(a_name_of_no_run_or_of_several_is_rejected),
	  RUN(a_target_is_found_by_its_bytes),
	  RUN(the_previous_run_is_the_newest_ok_one_that_can_be_compared),
	  RUN(changes_tell_who_moved_entered_and_left),
	  RUN(the_nth_entry_of_a_name_is_compared_with_the_nth),
	  RUN(addresses_without_a_symbol_are_compared_by_address),
	  RUN(runs_that_cannot_be_compared_are_refused_by_the_field_that_differs))
