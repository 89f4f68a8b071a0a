/*
 * group.c - sum self cost by any keys
 */
#include "test.h"

#include "profile/group.h"
#include "profile/top.h"
#include "base/buf.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* ---- the keys ---- */

TEST(keys_are_words_with_commas_between)
{
	static const struct { const char *text; unsigned by, keys; } cases[] = {
		{ "event", HD_BY_EVENT, 0 },
		{ "comm", HD_BY_COMM, HD_KEY_COMM },
		{ "pid,tid,cpu", HD_BY_PID | HD_BY_TID | HD_BY_CPU, HD_KEY_PID | HD_KEY_TID | HD_KEY_CPU },
		{ "symbol,line,dso", HD_BY_SYMBOL | HD_BY_LINE | HD_BY_DSO, 0 },
		{ "comm,comm", HD_BY_COMM, HD_KEY_COMM },
	};

	for (size_t i = 0; i < HD_COUNT(cases); i++) {
		const char *bad;
		unsigned by;

		EXPECT_INT(hd_by_parse(cases[i].text, &by, NULL, &bad), 0);
		EXPECT_INT(by, cases[i].by);
		EXPECT_INT(hd_by_keys(by), cases[i].keys);
	}
}

TEST(a_word_that_is_no_key_is_pointed_at)
{
	static const struct { const char *text; size_t at; } cases[] = {
		{ "", 0 }, { "com", 0 }, { "comms", 0 }, { "comm,", 5 }, { ",comm", 0 }, { "comm,,pid", 5 },
		{ "comm,Pid", 5 }, { "comm, pid", 5 },
	};

	for (size_t i = 0; i < HD_COUNT(cases); i++) {
		const char *bad = NULL;
		unsigned by;

		EXPECT_INT(hd_by_parse(cases[i].text, &by, NULL, &bad), HD_EUSAGE);
		EXPECT(bad == cases[i].text + cases[i].at);
	}
}

/* ---- the rows ---- */

/*
 * Return a profile with two objects, three functions, two commands, three threads, and two events, of which the second
 * has one row.  backwards: add the samples in reverse order.
 */
static struct hd_profile *small_profile(bool backwards)
{
	struct hd_profile *p = hd_profile_new();
	static const struct {
		const char *dso, *name;
		uint64_t start;
		const char *comm;
		int32_t pid, tid;
		uint32_t cpu, event, line;
		uint64_t weight;
	} rows[] = {
		{ "/b.so", "work", 0x1000, "app", 10, 10, 0, 0, 7, 40 },
		{ "/b.so", "work", 0x1000, "app", 10, 11, 1, 0, 8, 20 },
		{ "/b.so", "idle", 0x2000, "app", 10, 10, 0, 0, 0, 5 },
		{ "/a.so", "work", 0x1000, "tool", 20, 20, UINT32_MAX, 0, 7, 60 },
		{ "/a.so", "work", 0x1000, "tool", 20, 20, 0, 1, 7, 3 },
	};

	hd_profile_add_event(p, "cycles", "cycles");
	hd_profile_add_event(p, "faults", "faults");
	for (size_t k = 0; k < HD_COUNT(rows); k++) {
		size_t i = backwards ? HD_COUNT(rows) - 1 - k : k;
		struct hd_profile_symbol s = {
			.object = hd_profile_add_object(p, rows[i].dso, "", false), .start = rows[i].start, .size = 16,
			.name = hd_profile_name(p, rows[i].name),
		};
		struct hd_frame f = { .symbol = hd_profile_add_symbol(p, &s), .line = rows[i].line };
		struct hd_sample_row row = {
			.event = rows[i].event, .comm = hd_profile_name(p, rows[i].comm), .pid = rows[i].pid,
			.tid = rows[i].tid,
			.cpu = rows[i].cpu, .weight = rows[i].weight, .count = 2,
		};

		if (rows[i].line)
			f.file = hd_profile_name(p, "w.c");
		row.self = hd_profile_add_frame(p, &f);
		hd_profile_add_sample(p, &row);
	}
	return p;
}

/* Return one line per row: event, rank, the requested keys, self, samples.  The caller frees the text. */
static char *text_of(const struct hd_profile *p, unsigned by)
{
	struct hd_buf b = { 0 };
	struct hd_groups g;
	uint64_t self[8] = { 0 }, samples[8] = { 0 };

	hd_groups_build(&g, p, by, false);
	EXPECT_INT(g.by, by);
	for (size_t i = 0; i < g.n; i++) {
		const struct hd_group_row *r = &g.rows[i];
		char address[24];

		self[r->event] += r->self;
		samples[r->event] += r->samples;
		hd_buf_addf(&b, "e%u #%u", r->event, r->rank);
		if (by & HD_BY_COMM)
			hd_buf_addf(&b, " %s", hd_profile_str(p, r->comm));
		if (by & HD_BY_PID)
			hd_buf_addf(&b, " pid %d", r->pid);
		if (by & HD_BY_TID)
			hd_buf_addf(&b, " tid %d", r->tid);
		if (by & HD_BY_CPU)
			hd_buf_addf(&b, " cpu %d", (int)r->cpu);
		if (by & HD_BY_DSO)
			hd_buf_addf(&b, " %s%s", r->dso_unknown ? "?" : "", hd_profile_str(p, r->dso));
		if (by & HD_BY_SYMBOL)
			hd_buf_addf(&b, " %s", hd_symbol_text(p, r->symbol, false, address, sizeof(address)));
		if (by & HD_BY_LINE)
			hd_buf_addf(&b, " %s:%u", hd_profile_str(p, r->file), r->line);
		hd_buf_addf(&b, " = %llu in %llu\n", (unsigned long long)r->self, (unsigned long long)r->samples);
	}
	for (size_t e = 0; e < p->nevents; e++) {	/* the sums are complete with any keys */
		EXPECT(self[e] == p->events[e].weight);
		EXPECT(samples[e] == p->events[e].samples);
	}
	hd_groups_release(&g);
	return hd_buf_take(&b);
}

static void expect_groups(unsigned by, const char *want)
{
	for (int backwards = 0; backwards < 2; backwards++) {	/* the order of the samples does not matter */
		struct hd_profile *p = small_profile(backwards);
		char *got = text_of(p, by);

		EXPECT_STR(got, want);
		free(got);
		hd_profile_free(p);
	}
}

TEST(weights_of_different_events_are_never_added)
{
	expect_groups(HD_BY_EVENT, "e0 #1 = 125 in 8\ne1 #1 = 3 in 2\n");
	expect_groups(0, "e0 #1 = 125 in 8\ne1 #1 = 3 in 2\n");
}

TEST(rows_are_summed_by_the_requested_keys)
{
	expect_groups(HD_BY_COMM, "e0 #1 app = 65 in 6\ne0 #2 tool = 60 in 2\ne1 #1 tool = 3 in 2\n");
	expect_groups(HD_BY_DSO, "e0 #1 /b.so = 65 in 6\ne0 #2 /a.so = 60 in 2\ne1 #1 /a.so = 3 in 2\n");
	expect_groups(HD_BY_TID | HD_BY_PID, "e0 #1 pid 20 tid 20 = 60 in 2\ne0 #2 pid 10 tid 10 = 45 in 4\n"
		      "e0 #3 pid 10 tid 11 = 20 in 2\ne1 #1 pid 20 tid 20 = 3 in 2\n");
	expect_groups(HD_BY_LINE,
		"e0 #1 w.c:7 = 100 in 4\ne0 #2 w.c:8 = 20 in 2\ne0 #3 :0 = 5 in 2\ne1 #1 w.c:7 = 3 in 2\n");
}

TEST(a_sample_without_a_cpu_is_a_row_of_its_own)
{
	expect_groups(HD_BY_CPU,
		"e0 #1 cpu -1 = 60 in 2\ne0 #2 cpu 0 = 45 in 4\ne0 #3 cpu 1 = 20 in 2\ne1 #1 cpu 0 = 3 in 2\n");
}

TEST(one_name_in_two_objects_is_two_functions_and_ties_go_by_the_objects_name)
{
	expect_groups(HD_BY_SYMBOL,
		"e0 #1 work = 60 in 2\ne0 #2 work = 60 in 4\ne0 #3 idle = 5 in 2\ne1 #1 work = 3 in 2\n");
	expect_groups(HD_BY_SYMBOL | HD_BY_DSO,
		"e0 #1 /a.so work = 60 in 2\ne0 #2 /b.so work = 60 in 4\ne0 #3 /b.so idle = 5 in 2\n"
		"e1 #1 /a.so work = 3 in 2\n");
}

TEST(the_unknown_object_is_not_an_object_of_that_name)
{
	for (int backwards = 0; backwards < 2; backwards++) {
		struct hd_profile *p = hd_profile_new();
		uint32_t named = hd_profile_add_object(p, "[unknown]", "", false);
		char *got;

		hd_profile_add_event(p, "e", "events");
		for (uint32_t i = 0; i < 2; i++) {
			struct hd_profile_symbol s = { .object = i == (uint32_t)backwards ? named : 0,
				.start = 0x1000,
				.unresolved = true };
			struct hd_frame f = { .symbol = hd_profile_add_symbol(p, &s) };
			struct hd_sample_row row = { .self = hd_profile_add_frame(p, &f), .weight = 5, .count = 1 };

			hd_profile_add_sample(p, &row);
		}
		got = text_of(p, HD_BY_DSO);
		EXPECT_STR(got, "e0 #1 [unknown] = 5 in 1\ne0 #2 ?[unknown] = 5 in 1\n");
		free(got);
		hd_profile_free(p);
	}
}

TEST(with_inlined_functions_the_innermost_ones_name_and_line_are_the_keys)
{
	struct hd_profile *p = hd_profile_new();
	uint32_t app = hd_profile_add_object(p, "/app", "", false), w = hd_profile_name(p, "w.c"),
		 c = hd_profile_name(p, "c.h");
	struct hd_profile_symbol out_of_line = { .object = app, .start = 0x3000, .size = 16 };
	struct hd_sample_row row = { .event = hd_profile_add_event(p, "e", "events"), .weight = 3, .count = 1 };
	struct hd_frame work = { .symbol = hd_profile_add_named_symbol(p, app, "work", false), .file = w, .line = 7 };
	struct hd_frame clamp = { .symbol = hd_profile_add_named_symbol(p, app, "clamp", false),
		.file = c,
		.line = 2,
		.inlined = true };
	struct hd_groups g;

	row.self = hd_profile_add_frame(p, &work);
	row.stack = hd_stacks_add(p->stacks, row.stack, row.self);
	row.stack = hd_stacks_add(p->stacks, row.stack, hd_profile_add_frame(p, &clamp));
	hd_profile_add_sample(p, &row);
	out_of_line.linkage = out_of_line.name = hd_profile_name(p, "clamp");
	work.symbol = hd_profile_add_symbol(p, &out_of_line);
	work.file = c;
	work.line = 2;
	row.self = hd_profile_add_frame(p, &work);
	row.stack = hd_stacks_add(p->stacks, (hd_stack_id){ 0 }, row.self);
	row.weight = 1;
	hd_profile_add_sample(p, &row);

	hd_groups_build(&g, p, HD_BY_SYMBOL | HD_BY_LINE, true);
	EXPECT_INT(g.n, 1);
	EXPECT_STR(hd_profile_str(p, p->symbols[g.rows[0].symbol].name), "clamp");
	EXPECT_INT(p->symbols[g.rows[0].symbol].start, 0x3000);
	EXPECT_INT(g.rows[0].line, 2);
	EXPECT_INT(g.rows[0].self, 4);
	hd_groups_release(&g);
	hd_groups_build(&g, p, HD_BY_SYMBOL | HD_BY_LINE, false);
	EXPECT_INT(g.n, 2);
	EXPECT_STR(hd_profile_str(p, p->symbols[g.rows[0].symbol].name), "work");
	EXPECT_INT(g.rows[0].line, 7);
	EXPECT_INT(g.rows[0].self, 3);
	hd_groups_release(&g);
	hd_profile_free(p);
}

TEST(ten_thousand_groups_keep_the_sum)
{
	struct hd_profile *p = hd_profile_new();
	struct hd_sample_row row = { .event = hd_profile_add_event(p, "e", "events"), .weight = 1, .count = 1 };
	struct hd_groups g;

	for (row.tid = 0; row.tid < 10000; row.tid++)
		hd_profile_add_sample(p, &row);
	hd_groups_build(&g, p, HD_BY_TID, false);
	EXPECT_INT(g.n, 10000);
	for (int32_t i = 0; i < 10000; i++) {
		EXPECT_INT(g.rows[i].tid, i);	/* equal weights are sorted by number */
		EXPECT_INT(g.rows[i].rank, i + 1);
	}
	hd_groups_release(&g);
	hd_profile_free(p);
}

TEST_MAIN(RUN(keys_are_words_with_commas_between),
	  RUN(a_word_that_is_no_key_is_pointed_at),
	  RUN(weights_of_different_events_are_never_added),
	  RUN(rows_are_summed_by_the_requested_keys),
	  RUN(a_sample_without_a_cpu_is_a_row_of_its_own),
	  RUN(one_name_in_two_objects_is_two_functions_and_ties_go_by_the_objects_name),
	  RUN(the_unknown_object_is_not_an_object_of_that_name),
	  RUN(with_inlined_functions_the_innermost_ones_name_and_line_are_the_keys),
	  RUN(ten_thousand_groups_keep_the_sum))
