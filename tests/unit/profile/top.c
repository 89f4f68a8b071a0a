/* top.c - list symbols by cost: each sample counts once, none is lost, and ties have a fixed order */
#include "test.h"

#include "profile/top.h"
#include "base/buf.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Return a frame in the function of this name. */
static hd_frame_id frame(struct hd_profile *p, const char *name)
{
	struct hd_frame f = { .symbol = hd_profile_add_named_symbol(p, 0, name, false) };

	return hd_profile_add_frame(p, &f);
}

/* Add a sample of "main;parse;read"; a function in brackets is inlined into the function before it. */
static void add(struct hd_profile *p, const char *path, uint64_t weight)
{
	struct hd_sample_row row = { .event = hd_profile_add_event(p, "e", "events"), .weight = weight, .count = 1 };
	char name[64];

	for (size_t n; *path; path += n + (path[n] == ';')) {
		bool inlined = *path == '[';
		hd_frame_id f;

		n = strcspn(path, ";");
		snprintf(name, sizeof(name), "%.*s", (int)n - 2 * inlined, path + inlined);
		f = frame(p, name);
		if (inlined)
			f = hd_profile_add_frame(p,
				&(struct hd_frame){ .symbol = p->frames[f.v].symbol, .inlined = true });
		else
			row.self = f;
		row.stack = hd_stacks_add(p->stacks, row.stack, f);
	}
	hd_profile_add_sample(p, &row);
}

/*
 * Expect a list such as "read 3/3x2, main 1/4x1": symbol, self/total cost, samples.  Also check the sums of the list.
 */
static void expect_list(const struct hd_profile *p, uint32_t event, bool by_total, bool inlined, const char *want)
{
	struct hd_functions fn = { 0 };
	struct hd_buf b = { 0 };
	struct hd_top top;
	uint64_t self = 0, samples = 0;

	if (inlined)
		hd_functions_init(&fn, p);
	hd_top_build_inlined(&top, p, event, by_total, inlined ? &fn : NULL);
	for (size_t i = 0; i < top.n; i++) {
		const struct hd_top_row *r = &top.rows[i];
		char address[24];

		EXPECT_INT(r->rank, i + 1);
		EXPECT(r->self <= r->total && r->total <= top.weight);
		EXPECT(i == 0 || (by_total ? top.rows[i - 1].total >= r->total : top.rows[i - 1].self >= r->self));
		self += r->self;
		samples += r->samples;
		hd_buf_addf(&b, "%s%s %llu/%llux%llu", b.len ? ", " : "",
			    hd_symbol_text(p, r->symbol, false, address, sizeof(address)), (unsigned long long)r->self,
			    (unsigned long long)r->total, (unsigned long long)r->samples);
	}
	EXPECT(top.weight == p->events[event].weight && self == top.weight);
	EXPECT(top.samples == p->events[event].samples && samples == top.samples);
	if (want)
		EXPECT_STR(hd_buf_str(&b), want);
	hd_buf_release(&b);
	hd_top_release(&top);
	hd_functions_release(&fn);
}

static void expect_top(const struct hd_profile *p, uint32_t event, bool by_total, const char *want)
{
	expect_list(p, event, by_total, false, want);
}

TEST(self_is_where_a_sample_was_taken_and_total_adds_the_callers)
{
	struct hd_profile *p = hd_profile_new();

	add(p, "main;parse;read", 3);
	add(p, "main;parse", 1);
	add(p, "main;close", 4);
	expect_top(p, 0, false, "close 4/4x1, read 3/3x1, parse 1/4x1");
	expect_top(p, 0, true, "main 0/8x0, close 4/4x1, parse 1/4x1, read 3/3x1");
	hd_profile_free(p);
}

TEST(a_recursive_function_counts_once_a_sample)
{
	struct hd_profile *p = hd_profile_new();

	add(p, "main;f;f;f;f", 5);
	add(p, "main;f;g;f", 2);
	add(p, "main;f;g", 1);
	expect_top(p, 0, true, "f 7/8x2, main 0/8x0, g 1/3x1");
	hd_profile_free(p);
}

TEST(a_sampled_address_outside_of_its_stack_counts_where_it_was_taken)
{
	struct hd_profile *p = hd_profile_new();
	struct hd_sample_row row = { .event = hd_profile_add_event(p, "e", "events"), .weight = 6, .count = 1 };

	row.stack = hd_stacks_add(p->stacks, row.stack, frame(p, "main"));
	row.self = frame(p, "entry");		/* a sampled kernel function whose stack has only user callers */
	hd_profile_add_sample(p, &row);
	expect_top(p, 0, false, "entry 6/6x1");
	expect_top(p, 0, true, "entry 6/6x1, main 0/6x0");
	hd_profile_free(p);
}

TEST(inlined_code_counts_to_the_function_it_was_inlined_into)
{
	struct hd_profile *p = hd_profile_new();

	add(p, "main;work;[clamp];[low]", 5);
	add(p, "main;work;[clamp];read", 2);
	add(p, "main;clamp", 1);
	expect_top(p, 0, false, "work 5/7x1, read 2/2x1, clamp 1/1x1");
	expect_top(p, 0, true, "main 0/8x0, work 5/7x1, read 2/2x1, clamp 1/1x1");
	hd_profile_free(p);
}

TEST(with_inlined_functions_the_innermost_has_the_self_cost_and_one_name_is_one_row)
{
	struct hd_profile *p = hd_profile_new();

	add(p, "main;work;[clamp];[low]", 5);
	add(p, "main;work;[clamp];read", 2);
	add(p, "main;clamp", 1);		/* clamp also exists as a function of its own */
	add(p, "main;[clamp];[clamp]", 4);	/* recursion counts once */
	expect_list(p, 0, false, true, "clamp 5/12x2, low 5/5x1, read 2/2x1");
	expect_list(p, 0, true, true, "clamp 5/12x2, main 0/12x0, work 0/7x0, low 5/5x1, read 2/2x1");
	hd_profile_free(p);
}

TEST(events_are_ranked_each_for_itself)
{
	struct hd_profile *p = hd_profile_new();
	struct hd_sample_row row = { .self = frame(p, "fault"), .event = 1, .weight = 1, .count = 1 };

	add(p, "main", 100);
	EXPECT_INT(hd_profile_add_event(p, "faults", "faults"), 1);
	EXPECT_INT(hd_profile_add_event(p, "idle", "ns"), 2);
	hd_profile_add_sample(p, &row);
	expect_top(p, 0, false, "main 100/100x1");
	expect_top(p, 1, false, "fault 1/1x1");
	expect_top(p, 2, false, "");
	hd_profile_free(p);
}

TEST(ties_break_by_name_then_object_then_address_whatever_came_first)
{
	for (int turn = 0; turn < 2; turn++) {
		struct hd_profile *p = hd_profile_new();
		uint32_t a = hd_profile_add_object(p, "/a.so", "", false),
			 b = hd_profile_add_object(p, "/b.so", "", false);
		struct hd_profile_symbol s[] = {
			{ .object = a, .start = 0x2000, .size = 1 }, { .object = b, .start = 0x1000, .size = 1 },
			{ .object = a, .start = 0x1000, .size = 1 }, { .object = b, .start = 0x3000, .size = 1 },
		};
		struct hd_top top;

		s[0].name = s[1].name = s[2].name = hd_profile_name(p, "work");
		s[3].name = hd_profile_name(p, "alpha");
		hd_profile_add_event(p, "e", "events");
		for (size_t i = 0; i < 4; i++) {
			struct hd_frame f = { .symbol = hd_profile_add_symbol(p, &s[turn ? 3 - i : i]) };
			struct hd_sample_row row = { .self = hd_profile_add_frame(p, &f), .weight = 5, .count = 1 };

			hd_profile_add_sample(p, &row);
		}
		hd_top_build(&top, p, 0, false);
		EXPECT_INT(top.n, 4);
		EXPECT_INT(p->symbols[top.rows[0].symbol].start, 0x3000);
		EXPECT(p->symbols[top.rows[1].symbol].object == a && p->symbols[top.rows[1].symbol].start == 0x1000);
		EXPECT(p->symbols[top.rows[2].symbol].object == a && p->symbols[top.rows[2].symbol].start == 0x2000);
		EXPECT(p->symbols[top.rows[3].symbol].object == b);
		hd_top_release(&top);
		hd_profile_free(p);
	}
}

TEST(functions_of_one_name_stay_apart_and_an_address_without_one_is_a_row)
{
	struct hd_profile *p = hd_profile_new();
	struct hd_profile_symbol s[] = {
		{ .object = 0, .start = 0x1000, .size = 1, .name = hd_profile_name(p, "work") },
		{ .object = 0, .start = 0x2000, .size = 1, .name = hd_profile_name(p, "work") },
		{ .object = 0, .start = 0x1234, .unresolved = true },
		{ .object = 0, .start = 0xffffffff81000000, .unresolved = true },
	};

	hd_profile_add_event(p, "e", "events");
	for (size_t i = 0; i < HD_COUNT(s); i++) {
		struct hd_frame f = { .symbol = hd_profile_add_symbol(p, &s[i]) };
		struct hd_sample_row row = { .self = hd_profile_add_frame(p, &f), .weight = 4 - i, .count = 1 };

		hd_profile_add_sample(p, &row);
	}
	expect_top(p, 0, false, "work 4/4x1, work 3/3x1, 0x0000000000001234 2/2x1, 0xffffffff81000000 1/1x1");
	hd_profile_free(p);
}

/* The symbols have names with common prefixes, names that look like addresses, and addresses far apart. */
TEST(symbols_stand_in_the_order_of_their_texts_without_making_them)
{
	static const char *const names[] = { "", "a", "0x", "0x00007f", "0x00007fffffff0000", "0x00007fz", "main",
		"mainly", "main_loop", "std::vector", "std::vec", "[unknown]", "[[", "\xff", "0w", "0y" };
	static const uint64_t addresses[] = { 0, 1, 0x7fff00000000, 0x7fffffff0000, 0x7fffffff0001, 0xffffffff81000000,
		UINT64_MAX };
	struct hd_profile *p = hd_profile_new();
	uint32_t ids[HD_COUNT(names) + HD_COUNT(addresses) + 1];
	size_t n = 0;

	for (size_t i = 0; i < HD_COUNT(names); i++)
		ids[n++] = hd_profile_add_named_symbol(p, 0, names[i], false);
	for (size_t i = 0; i < HD_COUNT(addresses); i++)
		ids[n++] = hd_profile_add_symbol(p,
			&(struct hd_profile_symbol){ .start = addresses[i], .object = 1, .unresolved = true });
	ids[n++] = hd_profile_add_symbol(p,
		&(struct hd_profile_symbol){ .object = 2, .unresolved = true, .no_address = true });
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			char ta[HD_SYMBOL_TEXT], tb[HD_SYMBOL_TEXT];
			int want = strcmp(hd_symbol_text(p, ids[i], false, ta, sizeof(ta)),
				hd_symbol_text(p, ids[k], false, tb, sizeof(tb)));
			int c = hd_symbol_order(p, ids[i], ids[k]);
			uint64_t ra, rb, a = hd_symbol_key(p, ids[i], &ra), b = hd_symbol_key(p, ids[k], &rb);

			EXPECT((want > 0) - (want < 0) == (c > 0) - (c < 0));
			EXPECT(a == b || (a < b) == (want < 0));
			EXPECT(a != b || !ra || !rb || ra == rb || (ra < rb) == (want < 0));
		}
	hd_profile_free(p);
}

/* hd_top_first() finds the first rows by another method.  Expect the same rows as at the start of the whole list. */
static void expect_start(const struct hd_profile *p, size_t limit, const struct hd_functions *fn)
{
	struct hd_top whole, top;

	hd_top_build_inlined(&whole, p, 0, false, fn);
	hd_top_first(&top, p, 0, limit, fn);
	EXPECT_INT(top.n, limit && limit < whole.n ? limit : whole.n);
	EXPECT_INT(top.symbols, whole.n);
	EXPECT_INT(whole.symbols, whole.n);
	EXPECT(top.event == 0 && top.weight == whole.weight && top.samples == whole.samples);
	for (size_t i = 0; i < top.n; i++) {
		const struct hd_top_row *a = &top.rows[i], *b = &whole.rows[i];

		EXPECT(a->rank == b->rank && a->symbol == b->symbol && a->self == b->self && a->total == b->total);
		EXPECT(a->samples == b->samples);
	}
	hd_top_release(&whole);
	hd_top_release(&top);
}

TEST(the_first_rows_alone_are_the_start_of_the_whole_list)
{
	static const size_t limits[] = { 1, 2, 5, 20, 63, 64, 65, 1000, 0 };

	for (uint32_t spread = 1; spread <= 81; spread += 20) {
		struct hd_profile *p = hd_profile_new();
		struct hd_functions fn;

		for (uint32_t i = 0; i < 3000; i++) {
			char path[80];

			snprintf(path, sizeof(path), "main;f%u;[in%u];g%u;f%u%s", i % 7, i % 5, i * 7 % (3 * spread),
				i * 3 % spread, i % 3 ? ";[in2]" : "");
			add(p, path, 1 + i % 2);
		}
		hd_functions_init(&fn, p);
		for (size_t i = 0; i < HD_COUNT(limits); i++) {
			expect_start(p, limits[i], NULL);
			expect_start(p, limits[i], &fn);
		}
		hd_functions_release(&fn);
		hd_profile_free(p);
	}
}

TEST(the_lists_of_all_events_are_those_of_each)
{
	struct hd_profile *p = hd_profile_new();
	struct hd_tops tops;

	add(p, "main;read", 3);
	hd_profile_add_event(p, "never", "events");
	hd_tops_build(&tops, p, 1, false);
	EXPECT_INT(tops.n, 2);
	EXPECT(tops.of[0].n == 1 && tops.of[0].symbols == 1 && tops.of[0].weight == 3);
	EXPECT(tops.of[1].n == 0 && tops.of[1].symbols == 0);
	hd_tops_release(&tops);
	EXPECT(!tops.of);
	hd_profile_free(p);
}

TEST(samples_in_any_order_give_the_same_list)
{
	char *want = NULL;

	for (uint32_t step = 1; step < 500; step += 98) {	/* 499 is prime, so every step visits all */
		struct hd_profile *p = hd_profile_new();
		struct hd_buf b = { 0 };
		struct hd_top top;

		for (uint32_t i = 0; i < 499; i++) {
			uint32_t k = i * step % 499;
			char path[40];

			snprintf(path, sizeof(path), "main;f%u;g%u;f%u", k % 5, k % 11, k % 7);
			add(p, path, 1 + k % 3);
		}
		expect_top(p, 0, true, NULL);
		hd_top_build(&top, p, 0, true);
		for (size_t i = 0; i < top.n; i++)
			hd_buf_addf(&b, "%s %llu %llu\n", hd_profile_str(p, p->symbols[top.rows[i].symbol].name),
				    (unsigned long long)top.rows[i].self, (unsigned long long)top.rows[i].total);
		if (!want) {
			want = hd_buf_take(&b);
		} else {
			EXPECT_STR(b.data, want);
			hd_buf_release(&b);
		}
		hd_top_release(&top);
		hd_profile_free(p);
	}
	free(want);
}

TEST(a_share_of_nothing_is_0)
{
	EXPECT(hd_share_pct(0, 0) == 0.0);
	EXPECT(hd_share_pct(1, 4) == 25.0);
	EXPECT(hd_share_pct(UINT64_MAX, UINT64_MAX) == 100.0);
}

TEST_MAIN(RUN(self_is_where_a_sample_was_taken_and_total_adds_the_callers),
	  RUN(a_recursive_function_counts_once_a_sample),
	  RUN(a_sampled_address_outside_of_its_stack_counts_where_it_was_taken),
	  RUN(inlined_code_counts_to_the_function_it_was_inlined_into),
	  RUN(with_inlined_functions_the_innermost_has_the_self_cost_and_one_name_is_one_row),
	  RUN(events_are_ranked_each_for_itself),
	  RUN(ties_break_by_name_then_object_then_address_whatever_came_first),
	  RUN(functions_of_one_name_stay_apart_and_an_address_without_one_is_a_row),
	  RUN(symbols_stand_in_the_order_of_their_texts_without_making_them),
	  RUN(the_first_rows_alone_are_the_start_of_the_whole_list),
	  RUN(the_lists_of_all_events_are_those_of_each),
	  RUN(samples_in_any_order_give_the_same_list),
	  RUN(a_share_of_nothing_is_0))
