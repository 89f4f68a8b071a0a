/* history_page.c - write the history page: its data, encoded names, and the hashes of its scripts */
#include "test.h"

#include "base/mem.h"
#include "web/history_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOSTILE	"</script><script>x()</script><!--\xe2\x80\xa8\x01\"\\"

static struct hd_overview_run runs[2] = {
	{ .row = 7,
		.id = "r7",
		.recorded = "2026-11-20T00:00:00Z",
		.target = HOSTILE,
		.mode = "cpu",
		.status = "ok",
		.inline_mode = "no-inline",
		.dirty = -1 },
	{ .row = 9,
		.id = "r9",
		.recorded = "2026-11-21T00:00:00Z",
		.target = HOSTILE,
		.mode = "cpu",
		.status = "ok",
		.inline_mode = "no-inline",
		.dirty = 1,
		.subject = HOSTILE },
};
static struct hd_overview_symbol symbols[1] = { { .row = 1, .object = HOSTILE, .name = HOSTILE } };
static double shares[2] = { 12.3456, 50 }, latency[2] = { NAN, 41.25 };
static struct hd_changepoint change = { .index = 1, .before = 12.5, .after = 50, .magnitude = 3, .p = 0.0005 };
static struct hd_overview_column columns[2] = {
	{ .symbol = 0,
		.v = shares,
		.changes = &change,
		.nchanges = 1,
		.next = { .n = 7, .lo = -0.5, .hi = 61.25 },
		.next_from = 1 },
	{ .symbol = UINT32_MAX, .kind = "latency", .name = "wall_time_us", .unit = "us", .stat = "p95", .v = latency },
};
static struct hd_overview_slot slots[2];
static struct hd_overview_lane lane = {
	.event = HOSTILE, .unit = "cycles", .slots = slots, .nslots = 2, .columns = columns, .ncolumns = 2, .nshares = 1
};

static struct hd_overview sample(void)
{
	struct hd_overview c = { .runs = runs,
		.nruns = 2,
		.symbols = symbols,
		.nsymbols = 1,
		.lanes = &lane,
		.nlanes = 1,
		.runs_left_out = 3 };

	for (uint32_t i = 0; i < 2; i++) {
		slots[i] = (struct hd_overview_slot){ .run = i, .weight = 1000, .samples = 10 };
		slots[i].top[0] = (struct hd_overview_hotspot){ 0, shares[i] };
		for (int t = 1; t < HD_OVERVIEW_TOP; t++)
			slots[i].top[t].symbol = UINT32_MAX;
	}
	return c;
}

/* Return a tree with a root and n children, each heavier than the previous one. */
static struct hd_call_tree tree_of(size_t n)
{
	struct hd_call_tree t = { .nodes = hd_new_array(struct hd_call_tree_node, n + 1), .n = n + 1 };

	t.nodes[0] = (struct hd_call_tree_node){ .name = "all", .flags = HD_CALL_NODE_ROOT, .end = (uint32_t)n + 1 };
	for (size_t i = 1; i <= n; i++) {
		t.nodes[i] = (struct hd_call_tree_node){ .name = i == 1 ? HOSTILE : "f",
			.depth = 1,
			.self = i,
			.total = i,
			.end = (uint32_t)i + 1 };
		t.nodes[0].total += i;
	}
	return t;
}

TEST(the_data_is_json_with_texts_by_number_and_shares_in_thousandths)
{
	struct hd_overview c = sample();
	struct hd_history_page *h = hd_history_page_new(&c);
	struct hd_buf out = { 0 };

	hd_history_page_json(h, &out, "t");
	EXPECT(strstr(out.data, "\"format\":\"hotdrift.html\",\"version\":1,") != NULL);
	EXPECT(strstr(out.data, "\"top\":[0,12346,-1,0,-1,0,-1,0,-1,0,0,50000,-1,0,-1,0,-1,0,-1,0]") != NULL);
	EXPECT(strstr(out.data, "\"v\":[12346,50000],\"c\":[[1,12.5,50,3,0.0005]],\"next\":[1,7,0,61.25]}") != NULL);
	EXPECT(strstr(out.data, "\"v\":[null,41.25],\"c\":[]}") != NULL);
	EXPECT(strstr(out.data, "\"dirty\":[-1,1]") != NULL);
	EXPECT(strstr(out.data, "\"left\":{\"runs\":3,") != NULL);
	EXPECT(strstr(out.data, "\"s\":[\n\"\",\n\"t\",\n") != NULL);
	hd_history_page_free(h);
	hd_buf_release(&out);
}

TEST(no_name_ends_the_script_block_or_its_string)
{
	struct hd_overview c = sample();
	struct hd_history_page *h = hd_history_page_new(&c);
	struct hd_call_tree t = tree_of(3);
	struct hd_buf out = { 0 };

	EXPECT(hd_history_page_add_tree(h, 0, 1, &t));
	hd_history_page_json(h, &out, HOSTILE);
	EXPECT(strchr(out.data, '<') == NULL);
	EXPECT(strstr(out.data, "\xe2\x80\xa8") == NULL);
	for (size_t i = 0; i < out.len; i++)
		EXPECT((unsigned char)out.data[i] >= 0x20 || out.data[i] == '\n');
	EXPECT(strstr(out.data, "x()") != NULL);
	free(t.nodes);
	hd_history_page_free(h);
	hd_buf_release(&out);
}

TEST(a_long_name_is_cut_at_a_character_and_keeps_a_hash_of_the_whole)
{
	struct hd_overview c = sample();
	struct hd_history_page *h = hd_history_page_new(&c);
	struct hd_buf out = { 0 }, name = { 0 };
	const char *at;

	for (int i = 0; i < 3000; i++)
		hd_buf_adds(&name, "\xc3\xa9");
	hd_history_page_json(h, &out, name.data);
	at = strstr(out.data, "\"s\":[\n\"\",\n\"\xc3\xa9");
	EXPECT(at != NULL);
	at = strchr(at, '~');
	EXPECT(at != NULL && at[9] == '"' && (unsigned char)at[-1] == 0xa9);
	EXPECT(strlen(strstr(out.data, "\"s\":[")) < 3000);
	hd_history_page_free(h);
	hd_buf_release(&out);
	hd_buf_release(&name);
}

TEST(a_tree_of_too_many_nodes_loses_the_lightest_and_counts_them)
{
	struct hd_overview c = sample();
	struct hd_history_page *h = hd_history_page_new(&c);
	struct hd_call_tree small = tree_of(3), large = tree_of(20000);
	struct hd_buf out = { 0 };
	const char *cut;
	size_t n = 0;

	EXPECT(hd_history_page_add_tree(h, 0, 0, &small));
	EXPECT(hd_history_page_add_tree(h, 0, 1, &large));
	hd_history_page_json(h, &out, "t");
	EXPECT(strstr(out.data, "{\"lane\":0,\"slot\":0,\"f\":[0,0,6,0,1,1,1,1,2,1,2,2,2,1,3,3],\"cut\":0}") != NULL);
	cut = strstr(strstr(out.data, "\"slot\":1"), "\"cut\":");
	n = strtoul(cut + 6, NULL, 10);
	EXPECT(n >= 20000 - HD_HISTORY_PAGE_NODES && n < 20001);
	free(small.nodes);
	free(large.nodes);
	hd_history_page_free(h);
	hd_buf_release(&out);
}

static size_t times(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

TEST(the_page_names_each_script_that_runs_and_nothing_of_another_place)
{
	struct hd_overview c = sample();
	struct hd_history_page_sizes z, z2;
	struct hd_outfile a, b;
	struct hd_history_page *h = hd_history_page_new(&c), *h2 = hd_history_page_new(&c);

	hd_outfile_memory(&a);
	hd_outfile_memory(&b);
	hd_history_page_write(h, &a, HOSTILE, &z);
	hd_history_page_write(h2, &b, HOSTILE, &z2);
	EXPECT_INT(a.pending.len, b.pending.len);
	EXPECT_MEM(a.pending.data, b.pending.data, a.pending.len);
	EXPECT_INT(z.page, a.pending.len);
	EXPECT(strstr(a.pending.data, "content=\"default-src 'none'; ") != NULL);
	EXPECT_INT(times(a.pending.data, "'sha256-"), hd_history_page_has_charts() ? 2 : 1);
	EXPECT_INT(times(a.pending.data, "<script>"), hd_history_page_has_charts() ? 2 : 1);
	EXPECT_INT(times(a.pending.data, "<script type=\"application/json\""), 1);
	EXPECT_INT(times(a.pending.data, "@title@"), 0);
	EXPECT_INT(times(a.pending.data, " src=\""), 0);
	hd_outfile_discard(&a);
	hd_outfile_discard(&b);
	hd_history_page_free(h);
	hd_history_page_free(h2);
}

TEST_MAIN(RUN(the_data_is_json_with_texts_by_number_and_shares_in_thousandths),
	RUN(no_name_ends_the_script_block_or_its_string),
	RUN(a_long_name_is_cut_at_a_character_and_keeps_a_hash_of_the_whole),
	RUN(a_tree_of_too_many_nodes_loses_the_lightest_and_counts_them),
	RUN(the_page_names_each_script_that_runs_and_nothing_of_another_place))
