/* run_from_profile.c - convert a profile to database rows: all events, all symbols by self cost, all losses */
#include "unit/history/history_test.h"

#include "trust/chain.h"
#include "history/run_from_profile.h"
#include "history/run_load.h"

static void sample(struct hd_profile *p, uint32_t event, const uint32_t *symbols, size_t n, uint64_t weight)
{
	struct hd_sample_row row = { .event = event, .weight = weight, .count = 1 };

	for (size_t i = 0; i < n; i++) {
		struct hd_frame f = { .symbol = symbols[i], .vaddr = p->symbols[symbols[i]].start };

		row.self = hd_profile_add_frame(p, &f);
		row.stack = hd_stacks_add(p->stacks, row.stack, row.self);
	}
	hd_profile_add_sample(p, &row);
}

/*
 * Return a profile in which main calls work and work calls itself; one sample is outside of all mappings, and one in a
 * stripped library.
 */
static struct hd_profile *example(void)
{
	struct hd_profile *p = hd_profile_new();
	uint32_t app = hd_profile_add_object(p, "/opt/app", "a1b2", false);
	uint32_t lib = hd_profile_add_object(p, "/lib/odd.so", "not hexadecimal", false);
	struct hd_profile_symbol s = { .object = app,
		.start = 0x1000,
		.size = 16,
		.linkage = hd_profile_name(p, "main"),
		.name = hd_profile_name(p, "main") };
	uint32_t main_id = hd_profile_add_symbol(p, &s), work, hole, nowhere, cycles, faults;

	s.start = 0x2000;
	s.linkage = hd_profile_name(p, "_Z4workv");
	s.name = hd_profile_name(p, "work");
	work = hd_profile_add_symbol(p, &s);
	s = (struct hd_profile_symbol){ .object = lib, .start = 0x777, .unresolved = true };
	hole = hd_profile_add_symbol(p, &s);
	s = (struct hd_profile_symbol){ .object = 0, .start = 0xffff800000000001, .unresolved = true };
	nowhere = hd_profile_add_symbol(p, &s);
	cycles = hd_profile_add_event(p, "cycles", "cycles");
	faults = hd_profile_add_event(p, "page-faults", "events");
	sample(p, cycles, (uint32_t[]){ main_id, work, work }, 3, 60);
	sample(p, cycles, (uint32_t[]){ main_id }, 1, 5);
	sample(p, cycles, (uint32_t[]){ main_id, hole }, 2, 25);
	sample(p, cycles, (uint32_t[]){ nowhere }, 1, 10);
	sample(p, faults, (uint32_t[]){ main_id }, 1, 1);
	hd_profile_drop(p, "no-time", 2);
	p->read = 7;
	p->kept = 5;
	p->events[cycles].lost = 4;
	return p;
}

TEST(every_event_and_symbol_becomes_a_row)
{
	struct hd_profile *p = example();
	struct hd_run run = { 0 };
	struct hd_run_profile_arrays parts;
	const struct hd_run_hotspot *h;

	hd_run_from_profile(&run, &parts, p, false);
	EXPECT_INT(run.nevents, 2);
	EXPECT_STR(run.events[0].name, "cycles");
	EXPECT_INT(run.events[0].weight, 100);
	EXPECT_INT(run.events[0].samples, 4);
	EXPECT_INT(run.events[0].lost, 4);
	EXPECT_INT(run.events[0].nhotspots, 4);
	h = run.events[0].hotspots;
	EXPECT_STR(h[0].name, "work");
	EXPECT_STR(h[0].linkage, "_Z4workv");
	EXPECT_STR(h[0].object, "/opt/app");
	EXPECT_STR(h[0].build_id, "a1b2");
	EXPECT_INT(h[0].self, 60);
	EXPECT_INT(h[0].total, 60);
	EXPECT_INT(h[0].vaddr, 0x2000);
	assert_null(h[1].name);
	assert_null(h[1].linkage);
	EXPECT_STR(h[1].object, "/lib/odd.so");
	assert_null(h[1].build_id);
	EXPECT(h[1].has_vaddr && h[1].vaddr == 0x777);
	assert_null(h[2].object);
	EXPECT(h[2].vaddr == 0xffff800000000001);
	EXPECT_STR(h[3].name, "main");
	EXPECT_INT(h[3].total, 90);
	EXPECT_INT(run.read, 7);
	EXPECT_INT(run.kept, 5);
	EXPECT_INT(run.ndropped, 1);
	EXPECT_STR(run.dropped[0].reason, "no-time");
	EXPECT_STR(run.inline_mode, "no-inline");
	hd_run_profile_arrays_release(&parts);
	hd_profile_free(p);
}

TEST(the_sum_of_self_is_the_weight_also_in_the_database)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_profile *p = example();
	struct hd_run run = sample_run();
	struct hd_run_profile_arrays parts;

	hd_run_from_profile(&run, &parts, p, false);
	must_add(db, &run);
	EXPECT_INT(
		count(db,
			"SELECT COUNT(*) FROM event e WHERE weight <> (SELECT SUM(self) FROM hotspot h WHERE h.event = "
			"e.event)"),
		0);
	EXPECT_INT(
		count(db,
			"SELECT COUNT(*) FROM event e WHERE samples <> (SELECT SUM(samples) FROM hotspot h WHERE "
			"h.event = e.event)"),
		0);
	EXPECT_INT(count(db, "SELECT samples_read - samples_kept - (SELECT SUM(samples) FROM dropped) FROM run"), 0);
	EXPECT_TEXT(db, "SELECT top_vaddr FROM v_run_summary WHERE event = 0", "0x0000000000002000");
	hd_run_profile_arrays_release(&parts);
	hd_profile_free(p);
	hd_db_close(db);
	place_remove(&place);
}

/*
 * Return a profile in which clamp is inlined into work and into main, and low into clamp.  clamp also exists as a
 * function of its own, low does not.
 */
static struct hd_profile *inlined_example(void)
{
	struct hd_profile *p = hd_profile_new();
	uint32_t app = hd_profile_add_object(p, "/opt/app", "a1b2", false),
		 event = hd_profile_add_event(p, "cycles", "cycles");
	static const struct { const char *stack; uint64_t weight; } samples[] = {
		{ "main;work;[clamp];[low]", 50 }, { "main;work;[clamp]", 20 }, { "main;clamp", 5 },
		{ "main;[clamp];work", 25 },
	};

	for (size_t i = 0; i < HD_COUNT(samples); i++) {
		struct hd_sample_row row = { .event = event, .weight = samples[i].weight, .count = 1 };
		char text[64], *save = NULL;

		snprintf(text, sizeof(text), "%s", samples[i].stack);
		for (char *at = strtok_r(text, ";", &save); at; at = strtok_r(NULL, ";", &save)) {
			struct hd_frame f = { .inlined = *at == '[' };
			struct hd_profile_symbol s = { .object = app };
			hd_frame_id id;

			at += f.inlined;
			at[strcspn(at, "]")] = '\0';
			s.linkage = s.name = hd_profile_name(p, at);
			if (!f.inlined) {
				s.start = *at == 'm' ? 0x1000 : *at == 'w' ? 0x2000 : 0x3000;
				s.size = 16;
			}
			f.symbol = hd_profile_add_symbol(p, &s);
			id = hd_profile_add_frame(p, &f);
			row.stack = hd_stacks_add(p->stacks, row.stack, id);
			if (!f.inlined)
				row.self = id;
		}
		hd_profile_add_sample(p, &row);
	}
	p->read = p->kept = HD_COUNT(samples);
	return p;
}

/*
 * Expect hotspots such as "work 95/95 25/95": self and total cost, and then (if stored) those that count inlined
 * functions separately.
 */
static void expect_hotspots(const struct hd_run *run, const char *want)
{
	struct hd_buf b = { 0 };

	for (size_t i = 0; i < run->events[0].nhotspots; i++) {
		const struct hd_run_hotspot *h = &run->events[0].hotspots[i];

		hd_buf_addf(&b, "%s%s %llu/%llu", i ? ", " : "", h->name, (unsigned long long)h->self,
			(unsigned long long)h->total);
		if (h->has_inline)
			hd_buf_addf(&b, " %llu/%llu", (unsigned long long)h->inline_self,
				(unsigned long long)h->inline_total);
	}
	EXPECT_STR(hd_buf_str(&b), want);
	hd_buf_release(&b);
}

TEST(both_costs_of_a_profile_with_inlines_are_stored)
{
	struct hd_profile *p = inlined_example();
	struct hd_run run = { 0 };
	struct hd_run_profile_arrays parts;

	hd_run_from_profile(&run, &parts, p, false);
	EXPECT_STR(run.inline_mode, "no-inline");
	expect_hotspots(&run, "work 95/95 25/95, clamp 5/5 25/100, low 0/0 50/50");
	EXPECT_INT(run.events[0].hotspots[1].vaddr, 0x3000);
	EXPECT(!run.events[0].hotspots[2].has_vaddr);
	hd_run_profile_arrays_release(&parts);
	hd_run_from_profile(&run, &parts, p, true);
	EXPECT_STR(run.inline_mode, "inline");
	expect_hotspots(&run, "low 50/50 50/50, clamp 25/100 25/100, work 25/95 25/95");
	hd_run_profile_arrays_release(&parts);
	hd_profile_free(p);
}

TEST(the_sum_of_the_inline_self_is_the_weight_too)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_profile *p = inlined_example();
	struct hd_run run = sample_run();
	struct hd_run_profile_arrays parts;

	hd_run_from_profile(&run, &parts, p, false);
	must_add(db, &run);
	EXPECT_INT(count(db, "SELECT SUM(inline_self) FROM hotspot"), 100);
	EXPECT_INT(count(db, "SELECT SUM(self) FROM hotspot"), 100);
	/* the view does not list low, which exists only inlined */
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM v_top5"), 2);
	EXPECT_INT(count(db, "SELECT rank FROM hotspot WHERE self = 0"), 6);
	hd_run_profile_arrays_release(&parts);
	hd_profile_free(p);
	hd_db_close(db);
	place_remove(&place);
}

TEST(folded_text_without_marks_does_not_know_its_inline_cost)
{
	struct hd_profile *p = hd_profile_new();
	struct hd_sample_row row = { .event = hd_profile_add_event(p, "folded", "samples"), .weight = 2, .count = 1 };
	struct hd_frame f = { .symbol = hd_profile_add_named_symbol(p, 0, "main", false) };
	struct hd_run run = { 0 };
	struct hd_run_profile_arrays parts;

	p->recording.format = "folded";
	row.self = hd_profile_add_frame(p, &f);
	row.stack = hd_stacks_add(p->stacks, row.stack, row.self);
	hd_profile_add_sample(p, &row);
	hd_run_from_profile(&run, &parts, p, false);
	expect_hotspots(&run, "main 2/2");
	hd_run_profile_arrays_release(&parts);
	f.inlined = true;
	hd_profile_add_frame(p, &f);
	hd_run_from_profile(&run, &parts, p, false);
	expect_hotspots(&run, "main 2/2 2/2");
	hd_run_profile_arrays_release(&parts);
	hd_profile_free(p);
}

TEST(an_empty_profile_is_a_run_without_events)
{
	struct hd_profile *p = hd_profile_new();
	struct hd_run run = { 0 };
	struct hd_run_profile_arrays parts;

	hd_run_from_profile(&run, &parts, p, false);
	EXPECT_INT(run.nevents, 0);
	EXPECT_INT(run.ndropped, 0);
	hd_run_profile_arrays_release(&parts);
	hd_profile_free(p);
}

TEST_MAIN(RUN(every_event_and_symbol_becomes_a_row),
	  RUN(the_sum_of_self_is_the_weight_also_in_the_database),
	  RUN(both_costs_of_a_profile_with_inlines_are_stored),
	  RUN(the_sum_of_the_inline_self_is_the_weight_too),
	  RUN(folded_text_without_marks_does_not_know_its_inline_cost),
	  RUN(an_empty_profile_is_a_run_without_events))
