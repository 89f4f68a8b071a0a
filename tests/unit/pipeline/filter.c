/* filter.c - parse filters of --filter, select samples by them, and report errors */
#include "bundle_equivalence.h"
#include "tracepoint_recording.h"

#include "pipeline/filter.h"

static void expect_wrong(const char *text, const char *want)
{
	struct hd_filter *f;
	struct hd_err err;

	EXPECT_INT(hd_filter_parse(&f, text, &err), HD_EUSAGE);
	EXPECT(!f);
	EXPECT_STR(err.msg, want);
}

/*
 * Expect these numbers of selected samples per event of the recording, or the message if the filter cannot be applied,
 * in both byte orders.
 */
static void expect_selects(const char *filter, const char *want)
{
	for (int swap = 0; swap < 2; swap++) {
		struct hd_pipeline_opts o = { .no_symbols = true, .select.filter = filter };
		struct image im = traced(swap);
		char *dir = tmpdir(), *path = traced_file(dir, &im);
		struct hd_buf got = { 0 };
		struct hd_profile *p;
		struct hd_err err;

		expect_law(path, o);
		if (hd_pipeline_read(&p, path, &o, &err) < 0)
			hd_buf_adds(&got, strstr(err.msg, "--filter"));
		else
			for (size_t i = 0; i < p->nevents; i++)
				hd_buf_addf(&got, "%s%llu", i ? " " : "", (unsigned long long)p->events[i].samples);
		EXPECT_STR(hd_buf_str(&got), want);
		hd_buf_release(&got);
		hd_profile_free(p);
		free(path);
		tmpdir_remove(dir);
		hd_buf_release(&im.b);
	}
}

TEST(a_syntax_error_is_reported_with_its_column)
{
	expect_wrong("", "--filter: column 1: the name of a field, !, or ( is wanted, and the expression ends");
	expect_wrong("a = 1", "--filter: column 3: one of == != < <= > >= & ~ is wanted, not = 1");
	expect_wrong("a == ", "--filter: column 6: a number or a text is wanted, and the expression ends");
	expect_wrong("a == 'x", "--filter: column 6: a text wants its closing quote, not 'x");
	expect_wrong("a == 1 b == 2", "--filter: column 8: && or || is wanted, not b == 2");
	expect_wrong("(a == 1", "--filter: column 8: &&, || or ) is wanted, and the expression ends");
	expect_wrong("a == 1 &&",
		"--filter: column 10: the name of a field, !, or ( is wanted, and the expression ends");
	expect_wrong("a & & 1", "--filter: column 5: a number or a text is wanted, not & 1");
	expect_wrong("a == 1)", "--filter: column 7: && or || is wanted, not )");
	expect_wrong("1 == a", "--filter: column 1: the name of a field, !, or ( is wanted, not 1 == a");
}

TEST(length_and_depth_are_bounded)
{
	struct hd_buf b = { 0 };
	struct hd_filter *f;
	struct hd_err err;

	for (int i = 0; i < HD_FILTER_DEPTH; i++)
		hd_buf_addc(&b, i % 2 ? '!' : '(');
	hd_buf_adds(&b, "a == 1");
	for (int i = 0; i < HD_FILTER_DEPTH / 2; i++)
		hd_buf_addc(&b, ')');
	EXPECT_INT(hd_filter_parse(&f, b.data, &err), 0);
	hd_filter_free(f);
	hd_buf_reset(&b);
	for (int i = 0; i <= HD_FILTER_DEPTH; i++)
		hd_buf_addc(&b, '(');
	expect_wrong(b.data, "--filter: column 33: 32 levels of nesting are all there are, not (");
	hd_buf_reset(&b);
	hd_buf_adds(&b, "a == 1");
	while (b.len + 10 <= HD_FILTER_BYTES)
		hd_buf_adds(&b, " && a == 1");
	EXPECT_INT(hd_filter_parse(&f, b.data, &err), 0);
	EXPECT_STR(hd_filter_field(f, 0), "a");
	EXPECT_STR(hd_filter_field(f, 409), "a");
	EXPECT(!hd_filter_field(f, 410));
	hd_filter_free(f);
	hd_buf_adds(&b, " && a == 1");
	expect_wrong(b.data, "--filter: 4106 bytes are too many, 4096 are allowed");
	hd_buf_release(&b);
}

TEST(numbers_compare_with_their_signs)
{
	expect_selects("prev_pid == 7", "1 0 0");
	expect_selects("prev_pid != 7", "2 0 0");
	expect_selects("prev_pid < 0", "1 0 0");
	expect_selects("prev_pid >= -1 && prev_pid <= 0x7", "2 0 0");
	expect_selects("ret == -2", "1 0 0");
	expect_selects("ret > -3", "3 0 0");
	expect_selects("ret & 4", "3 0 0");
	expect_selects("ret & 1", "2 0 0");
	expect_selects("ptr > 0xffff888000000010", "0 1 0");
	expect_selects("bytes_req > -1", "0 2 0");
	expect_selects("addr == 0", "0 0 1");
	expect_selects("weight == 9 && ins_lat == 2 && p_stage_cyc == 3", "0 0 1");
}

TEST(texts_are_equal_or_match_a_pattern)
{
	expect_selects("prev_comm == \"bash\"", "2 0 0");
	expect_selects("prev_comm==bash", "2 0 0");
	expect_selects("prev_comm != 'bash'", "1 0 0");
	expect_selects("prev_comm ~ \"b?s*\"", "2 0 0");
	expect_selects("prev_comm ~ a*", "1 0 0");
	expect_selects("sched_switch.comm == two", "2 0 0");
	expect_selects("mem ~ 'L1*' && op == LOAD", "0 0 2");
	expect_selects("cgroup == '/a.slice'", "0 0 1");
	expect_selects("cgroup == 99", "0 0 1");
	expect_selects("cgroup ~ '*'", "0 0 1");
	expect_selects("cpumode == user", "3 2 2");
	expect_selects("event ~ 'kmem:*'", "0 2 0");
}

TEST(a_filter_can_use_the_thread_and_the_time)
{
	expect_selects("comm == app", "3 2 0");
	expect_selects("comm ~ 't*' || pid == 99", "0 0 2");
	expect_selects("pid == 10 && cpu == 1 && tid != 11", "3 2 0");
	expect_selects("time > 1.5 && time <= 2", "0 2 0");
	expect_selects("period >= 5", "0 0 2");
	expect_selects("ip == 0x1000", "3 2 2");
}

TEST(and_binds_tighter_than_or_and_not_tightest)
{
	expect_selects("ret == 5 || ret == -2 && prev_pid == 99", "2 0 0");
	expect_selects("(ret == 5 || ret == -2) && prev_pid == 7", "1 0 0");
	expect_selects("!ret == 5 && prev_pid == 7", "1 0 0");
	expect_selects("!!(ret == 5)", "2 0 0");
}

TEST(a_comparison_with_a_missing_field_is_neither_true_nor_false)
{
	expect_selects("!(prev_pid == 7)", "2 0 0");
	expect_selects("!(bytes_req > 50)", "0 1 0");
	expect_selects("bytes_req > 50 || prev_pid == 7", "1 1 0");
	expect_selects("bytes_req > 50 || comm == app", "3 2 0");
	expect_selects("!(bytes_req > 50 && comm == tool)", "3 2 0");
}

TEST(a_comparison_that_no_event_allows_is_refused)
{
	expect_selects("prev_pid == bash", "--filter: prev_pid is a number, and compared with one, not 'bash'");
	expect_selects("prev_pid ~ 7", "--filter: prev_pid is a number, and ~ compares texts, not '7'");
	expect_selects("prev_comm > 7", "--filter: prev_comm is a text, which ==, != and ~ compare, not '7'");
	expect_selects("time == soon", "--filter: time is compared with seconds of the recording's clock, not 'soon'");
	expect_selects("colour == 1",
		"--filter: no selected event has a field 'colour'; there are comm, pid, tid, cpu, event, period, time, "
		"ip, cpumode, prev_comm, prev_pid, ret, ptr, bytes_req, addr, weight, ins_lat, p_stage_cyc, data_src, "
		"mem, op, snoop, tlb, locked, blocked, cgroup, cgroup_id");
}

TEST_MAIN(RUN(a_syntax_error_is_reported_with_its_column),
	  RUN(length_and_depth_are_bounded),
	  RUN(numbers_compare_with_their_signs),
	  RUN(texts_are_equal_or_match_a_pattern),
	  RUN(a_filter_can_use_the_thread_and_the_time),
	  RUN(and_binds_tighter_than_or_and_not_tightest),
	  RUN(a_comparison_with_a_missing_field_is_neither_true_nor_false),
	  RUN(a_comparison_that_no_event_allows_is_refused))
