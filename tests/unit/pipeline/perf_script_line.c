/*
 * perf_script_line.c - parse lines of perf script output in every form of events and frames that versions of perf
 * print
 */
#include "test.h"

#include "pipeline/perf_script_line.h"

#include <stdio.h>
#include <string.h>

/*
 * Return the fields of an event line as one text: comm|pid|tid|cpu|time_ns|period|event|rest; `-` or -1 for a field
 * that is missing.  Returns "no event" for other lines.
 */
static const char *event(const char *line)
{
	static char text[400];
	struct hd_script_event e;
	char time[32] = "-", period[32] = "-";

	if (!hd_script_event_parse(&e, line, strlen(line)))
		return "no event";
	if (e.has_time)
		snprintf(time, sizeof(time), "%llu", (unsigned long long)e.time_ns);
	if (e.has_period)
		snprintf(period, sizeof(period), "%llu", (unsigned long long)e.period);
	snprintf(text, sizeof(text), "%.*s|%d|%d|%d|%s|%s|%.*s|%.*s", (int)e.comm.n, e.comm.s, e.pid, e.tid, (int)e.cpu,
		time, period, (int)e.event.n, e.event.s, (int)e.rest.n, e.rest.s);
	return text;
}

/* Return the fields of a frame line as one text: address|symbol|object|inlined.  Returns "no frame" for other lines. */
static const char *frame(const char *line)
{
	static char text[400];
	struct hd_script_frame f;

	if (!hd_script_frame_parse(&f, line, strlen(line), false))
		return "no frame";
	snprintf(text, sizeof(text), "%llx|%.*s|%.*s|%d", (unsigned long long)f.address, (int)f.symbol.n, f.symbol.s,
		(int)f.object.n, f.object.s, f.inlined);
	return text;
}

TEST(an_event_of_each_version_of_perf_is_read)
{
	EXPECT_STR(event("java 25607 4794564.109216: cycles:"), "java|-1|25607|-1|4794564109216000|-|cycles|");
	EXPECT_STR(event("java 12688 [002] 6544038.708352: cpu-clock: "),
		"java|-1|12688|2|6544038708352000|-|cpu-clock|");
	EXPECT_STR(event("V8 WorkerThread 24636/25607 [000] 94564.109216:     257597 cycles:uppp: "),
		"V8 WorkerThread|24636|25607|0|94564109216000|257597|cycles:uppp|");
	EXPECT_STR(event("app   10/11    [003] K    1.123456789:          1 cpu_core/cycles/P: "),
		"app|10|11|3|1123456789|1|cpu_core/cycles/P|");
	EXPECT_STR(event("dd 1 2.500:  10101010 cpu-clock: "), "dd|-1|1|-1|2500000000|10101010|cpu-clock|");
}

TEST(a_comm_may_contain_blanks_numbers_and_slashes)
{
	EXPECT_STR(event("tmux: server 7 1.000000: cycles:"), "tmux: server|-1|7|-1|1000000000|-|cycles|");
	EXPECT_STR(event("kworker/0:1 33 33 1.000000: cycles:"), "kworker/0:1 33|-1|33|-1|1000000000|-|cycles|");
	EXPECT_STR(event("pool 3 of 9/9 [001] 1.000000: cycles:"), "pool 3 of|9|9|1|1000000000|-|cycles|");
}

TEST(fields_can_be_missing)
{
	EXPECT_STR(event("java 19983 cycles:"), "java|-1|19983|-1|-|-|cycles|");
	EXPECT_STR(event("java 19983/19984 [001] 5 cycles:"), "java|19983|19984|1|-|5|cycles|");
	EXPECT_STR(event("app 1.000000: "), "app|-1|-1|-1|1000000000|-||");
	EXPECT_STR(event("7 1.000000: cycles:u: "), "|-1|7|-1|1000000000|-|cycles:u|");
	EXPECT_STR(event("cycles:u: "), "|-1|-1|-1|-|-|cycles:u|");
	EXPECT_STR(event("my app 12 cycles:u:"), "my app|-1|12|-1|-|-|cycles:u|");
	EXPECT_STR(event("just words"), "no event");
}

TEST(what_follows_the_event_is_kept)
{
	EXPECT_STR(event("a 1 1.000000: 1 cycles:u:  ffff [unknown] ([unknown])"),
		"a|-1|1|-1|1000000000|1|cycles:u|ffff [unknown] ([unknown])");
	EXPECT_STR(event("a 1 1.000000: sched:sched_switch: prev_comm=x prev_pid=1"),
		"a|-1|1|-1|1000000000|-|sched:sched_switch|prev_comm=x prev_pid=1");
}

TEST(numbers_that_do_not_fit_are_no_ids_and_no_times)
{
	EXPECT_STR(event("a 99999999999999 cycles:"), "a|-1|-1|-1|-|99999999999999|cycles|");
	EXPECT_STR(event("a 1 99999999999999999999.000000: cycles:"),
		"a|-1|1|-1|-|-|99999999999999999999.000000|cycles:");
}

TEST(a_frame_is_address_symbol_and_object)
{
	EXPECT_STR(frame("\t    7f12ab main+0x1f (/usr/bin/app)"), "7f12ab|main|/usr/bin/app|0");
	EXPECT_STR(frame("ffffffff8103d0ca native_write_msr_safe ([kernel.kallsyms])"),
		"ffffffff8103d0ca|native_write_msr_safe|[kernel.kallsyms]|0");
	EXPECT_STR(frame("  0 [unknown] ([unknown])"), "0|||0");
	EXPECT_STR(frame("  7f main (inlined)"), "7f|main||1");
	EXPECT_STR(frame("  7f main+0x0 (/usr/bin/app+0x12)"), "7f|main|/usr/bin/app|0");
	EXPECT_STR(frame("  7f f(int (*)(char)) (/tmp/a b (deleted))"), "7f|f(int (*)(char))|/tmp/a b (deleted)|0");
	EXPECT_STR(frame("  7f f(int)"), "7f|f(int)||0");
	EXPECT_STR(frame("  7f12"), "7f12|||0");
	EXPECT_STR(frame("  main (/usr/bin/app)"), "0|main|/usr/bin/app|0");
	EXPECT_STR(frame("  7f  (/usr/lib/libc.so)"), "7f||/usr/lib/libc.so|0");
	EXPECT_STR(frame("  12345678901234567 f (/a)"), "0|12345678901234567 f|/a|0");
	EXPECT_STR(frame("  a+0x12 (x"), "0|a+0x12 (x||0");
}

TEST(a_source_line_ends_in_its_number)
{
	struct hd_script_text file;
	uint32_t line;

	EXPECT(hd_script_source_parse(&file, &line, "  dir/a b.c:42", 14) && line == 42 && file.n == 9);
	EXPECT(!hd_script_source_parse(&file, &line, "  libc.so.6[4ca30]", 18));
	EXPECT(!hd_script_source_parse(&file, &line, ":1", 2));
	EXPECT(!hd_script_source_parse(&file, &line, "a:99999999999", 13));
}

static enum hd_script_line kind(const char *line, bool in_event, bool after_frame)
{
	return hd_script_line_kind(line, strlen(line), in_event, after_frame);
}

TEST(the_context_decides_what_a_line_is)
{
	/* dd is a command whose name is a hexadecimal number */
	EXPECT_INT(kind("dd 29776 666709.771979: 1 cpu-clock: ", true, true), HD_SCRIPT_EVENT);
	EXPECT_INT(kind("dd 29776 cpu-clock:", true, true), HD_SCRIPT_EVENT);
	EXPECT_INT(kind("ffff8103d0ca msr ([kernel.kallsyms])", true, true), HD_SCRIPT_FRAME);
	EXPECT_INT(kind("           false 39654 19115.489713: 1 cycles:", true, true), HD_SCRIPT_EVENT);
	EXPECT_INT(kind("\t  7f main (/a)", true, false), HD_SCRIPT_FRAME);
	EXPECT_INT(kind("  a.c:12", true, true), HD_SCRIPT_SOURCE);
	EXPECT_INT(kind("  libc.so.6[4ca30]", true, true), HD_SCRIPT_SOURCE);
	EXPECT_INT(kind("\t main", true, false), HD_SCRIPT_FRAME);
	EXPECT_INT(kind("  some words", false, false), HD_SCRIPT_OTHER);
}

TEST_MAIN(RUN(an_event_of_each_version_of_perf_is_read), RUN(a_comm_may_contain_blanks_numbers_and_slashes),
	  RUN(fields_can_be_missing), RUN(what_follows_the_event_is_kept),
	  RUN(numbers_that_do_not_fit_are_no_ids_and_no_times),
	  RUN(a_frame_is_address_symbol_and_object), RUN(a_source_line_ends_in_its_number),
	  RUN(the_context_decides_what_a_line_is))
