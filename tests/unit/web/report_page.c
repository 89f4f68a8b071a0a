/* report_page.c - write the data of the page of one profile: sums, order, cut stacks, grouped times, encoded names */
#include "test.h"

#include "profile/profile.h"
#include "web/page_stacks.h"
#include "web/report_page.h"

#include <stdlib.h>
#include <string.h>

#define HOSTILE	"</script><script>x()</script>\x01\xff"

static hd_frame_id frame(struct hd_profile *p, const char *name)
{
	uint32_t object = hd_profile_add_object(p, "app", "", false);
	struct hd_frame f = { .symbol = hd_profile_add_named_symbol(p, object, name, false) };

	return hd_profile_add_frame(p, &f);
}

/* Add a sample of the stack main;CALLER;NAME, or main;NAME. */
static uint32_t add(struct hd_profile *p, const char *caller, const char *name, uint64_t weight, int tid)
{
	hd_stack_id s = hd_stacks_add(p->stacks, (hd_stack_id){ 0 }, frame(p, "main"));
	struct hd_sample_row row = { .event = hd_profile_add_event(p, "cpu-clock", "ns"), .pid = 7, .tid = tid,
				     .weight = weight, .count = 1 };

	if (caller)
		s = hd_stacks_add(p->stacks, s, frame(p, caller));
	row.self = frame(p, name);
	row.stack = hd_stacks_add(p->stacks, s, row.self);
	return hd_profile_add_sample(p, &row);
}

static struct hd_profile *new_profile(void)
{
	struct hd_profile *p = hd_profile_new();

	p->keys = HD_KEY_COMM | HD_KEY_PID | HD_KEY_TID;
	return p;
}

static struct hd_buf packed(const struct hd_profile *p, size_t most_nodes, size_t most_times)
{
	struct hd_report_page_opts o = { .inlined = true, .most_nodes = most_nodes, .most_times = most_times };
	struct hd_buf out = { 0 };

	hd_report_page_pack(&out, p, &o);
	return out;
}

/* ---- a reader of the packed data, as far as the tests need it */

struct reader {
	const uint8_t *at;
	const uint8_t *end;
};

static uint64_t number(struct reader *r)
{
	uint64_t v = 0;

	for (unsigned shift = 0; r->at < r->end; shift += 7) {
		v |= (uint64_t)(*r->at & 127) << shift;
		if (*r->at++ < 128)
			break;
	}
	return v;
}

static void skip_text(struct reader *r)
{
	uint64_t n = number(r);

	r->at += n;
}

static void skip_numbers(struct reader *r, uint64_t n)
{
	while (n-- > 0)
		number(r);
}

struct summary {
	uint64_t texts, functions, nodes, cut, threads, rows, weight, row_weights, clock, items, samples;
};

static struct summary summary_of(const struct hd_buf *b)
{
	struct reader r = { (const uint8_t *)b->data, (const uint8_t *)b->data + b->len };
	struct summary s = { 0 };
	uint64_t lines;

	skip_text(&r);		/* info, advice, code */
	skip_text(&r);
	skip_text(&r);
	s.texts = number(&r);
	for (uint64_t i = 0; i < s.texts; i++)
		skip_text(&r);
	s.functions = number(&r);
	skip_numbers(&r, 2 * s.functions);
	r.at += 4 * s.functions;
	s.nodes = number(&r);
	skip_numbers(&r, 2 * s.nodes);
	s.cut = number(&r);
	lines = number(&r);
	skip_numbers(&r, 2 * lines);
	s.threads = number(&r);
	skip_numbers(&r, 3 * s.threads);
	EXPECT_INT(number(&r), 1);	/* events */
	skip_numbers(&r, 3);
	s.weight = number(&r);
	s.rows = number(&r);
	skip_numbers(&r, 4 * s.rows);
	for (uint64_t i = 0; i < s.rows; i++)
		s.row_weights += number(&r);
	skip_numbers(&r, s.rows);
	s.clock = number(&r);
	if (s.clock) {
		number(&r);
		s.items = number(&r);
		skip_numbers(&r, 3 * s.items);
		for (uint64_t i = 0; i < s.items; i++)
			s.samples += number(&r) + 1;
	}
	EXPECT(r.at == r.end);
	return s;
}

TEST(the_rows_have_the_weight_of_the_event)
{
	struct hd_profile *p = new_profile();
	struct hd_buf b;
	struct summary s;

	add(p, "parse", "read", 30, 7);
	add(p, "parse", "read", 12, 8);
	add(p, NULL, "close", 10, 7);
	b = packed(p, 0, 0);
	s = summary_of(&b);
	EXPECT_INT(s.functions, 2 + 4);		/* the root, [smaller callees], close, main, parse, read */
	EXPECT_INT(s.nodes, 1 + 4);		/* the root, main, close, parse, read */
	EXPECT_INT(s.cut, 0);
	EXPECT_INT(s.threads, 2);
	EXPECT_INT(s.rows, 3);
	EXPECT_INT(s.weight, 52);
	EXPECT_INT(s.row_weights, 52);
	EXPECT_INT(s.clock, 0);
	hd_buf_release(&b);
	hd_profile_free(p);
}

TEST(the_order_of_the_samples_does_not_matter)
{
	struct hd_profile *p = new_profile(), *q = new_profile();
	struct hd_buf a, b;

	add(p, "parse", "read", 30, 7);
	add(p, NULL, "close", 10, 7);
	add(p, "parse", "write", 5, 9);
	add(q, "parse", "write", 5, 9);
	add(q, NULL, "close", 10, 7);
	add(q, "parse", "read", 30, 7);
	a = packed(p, 0, 0);
	b = packed(q, 0, 0);
	EXPECT_INT(a.len, b.len);
	EXPECT(!memcmp(a.data, b.data, a.len));
	hd_buf_release(&a);
	hd_buf_release(&b);
	hd_profile_free(p);
	hd_profile_free(q);
}

TEST(stacks_that_are_too_many_are_cut_where_they_are_smallest_and_keep_their_weight)
{
	struct hd_profile *p = new_profile();
	struct hd_page_stacks stacks;
	char name[16];
	struct hd_buf b;
	struct summary s;
	size_t rest = 0;

	for (int i = 1; i <= 100; i++) {
		snprintf(name, sizeof(name), "f%03d", i);
		add(p, i % 2 ? "odd" : "even", name, (uint64_t)i, 7);
	}
	b = packed(p, 20, 0);
	s = summary_of(&b);
	EXPECT(s.nodes <= 20 + 2 && s.nodes >= 6);
	/*
	 * There are 100 functions, and main, odd and even.  Those without a node are cut.  3 nodes are no functions:
	 * the root, and the callees of odd and of even that were cut.
	 */
	EXPECT_INT(s.cut, 100 + 3 - (s.nodes - 3));
	EXPECT_INT(s.row_weights, 5050);
	hd_page_stacks_build(&stacks, p, 20);
	for (size_t i = 1; i < stacks.nnodes; i++) {
		EXPECT(stacks.nodes[i].depth >= 1 && stacks.nodes[i].depth <= stacks.nodes[i - 1].depth + 1);
		rest += stacks.nodes[i].function == HD_PAGE_CUT;
	}
	EXPECT_INT(rest, 2);
	hd_page_stacks_release(&stacks);
	hd_buf_release(&b);
	hd_profile_free(p);
}

TEST(times_are_grouped_if_there_are_too_many_and_no_sample_is_lost)
{
	struct hd_profile *p = new_profile();
	struct hd_buf b;
	struct summary s;
	uint32_t row = add(p, "parse", "read", 1, 7);

	for (uint64_t i = 1; i < 1000; i++)
		add(p, "parse", "read", 1, 7);
	p->timed = hd_timed_samples_new();
	for (uint64_t i = 0; i < 1000; i++)
		hd_timed_samples_add(p->timed, &(struct hd_timed_sample){ 5000000 + i * 10000, 1, row, 0 });
	hd_timed_samples_sort(p->timed);
	b = packed(p, 0, 0);
	s = summary_of(&b);
	EXPECT_INT(s.clock, 1000);
	EXPECT_INT(s.items, 1000);
	hd_buf_release(&b);
	b = packed(p, 0, 100);
	s = summary_of(&b);
	EXPECT(s.items <= 100 && s.items > 40);
	EXPECT_INT(s.samples, 1000);
	hd_buf_release(&b);
	hd_profile_free(p);
}

TEST(names_of_any_bytes_are_visible_text)
{
	struct hd_profile *p = new_profile();
	struct hd_report_page_opts o = { .title = HOSTILE };
	struct hd_outfile out;
	struct hd_buf b;

	add(p, HOSTILE, "read", 30, 7);
	b = packed(p, 0, 0);
	EXPECT(memmem(b.data, b.len, "</script><script>x()</script>\\x01\\xff", 37) != NULL);
	EXPECT(memchr(b.data, '\xff', b.len) == NULL);
	hd_buf_release(&b);
	hd_outfile_memory(&out);
	hd_report_page_write(&out, p, &o);
	/* The page does not contain the name as it is: its data is packed, and elsewhere names are encoded. */
	EXPECT(strstr(out.pending.data, "x()</script>") == NULL);
	EXPECT(strstr(out.pending.data, "&lt;/script&gt;&lt;script&gt;x()") != NULL);
	hd_outfile_discard(&out);
	hd_profile_free(p);
}

TEST_MAIN(RUN(the_rows_have_the_weight_of_the_event), RUN(the_order_of_the_samples_does_not_matter),
	RUN(stacks_that_are_too_many_are_cut_where_they_are_smallest_and_keep_their_weight),
	RUN(times_are_grouped_if_there_are_too_many_and_no_sample_is_lost),
	RUN(names_of_any_bytes_are_visible_text))
