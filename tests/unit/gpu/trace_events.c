#include "test.h"

#include "gpu/trace_events.h"
#include "render/gzip.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int file_of(const void *p, size_t n)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);

	assert_int_not_equal(fd, -1);
	assert_int_equal(write(fd, p, n), n);
	return fd;
}

/* Return all items, one per line: "KEY=VALUE" or "VALUE".  The caller releases the text; warnings stay in *log. */
static struct hd_buf read_all(const void *p, size_t n, struct hd_log *log)
{
	int fd = file_of(p, n);
	struct hd_trace_events *t = hd_trace_events_new(fd, "t.json", log);
	struct hd_trace_item item;
	struct hd_buf b = { 0 };
	int rc;

	while ((rc = hd_trace_events_next(t, &item, NULL)) > 0) {
		if (item.key.s)
			hd_buf_addf(&b, "%.*s=", (int)item.key.len, item.key.s);
		hd_buf_addf(&b, "%.*s\n", (int)item.value.len, item.value.s);
	}
	EXPECT_INT(rc, 0);
	EXPECT_INT(hd_trace_events_next(t, &item, NULL), 0);
	hd_trace_events_free(t);
	close(fd);
	return b;
}

static void expect(const char *text, const char *items, const char *warning)
{
	struct hd_log log = { 0 };
	struct hd_buf b = read_all(text, strlen(text), &log);

	EXPECT_STR(hd_buf_str(&b), items);
	if (warning) {
		EXPECT_INT(log.n, 1);
		EXPECT_STR(log.items[0].code, "lost.trace");
		EXPECT_STR(log.items[0].text, warning);
	} else {
		EXPECT_INT(log.n, 0);
	}
	hd_buf_release(&b);
	hd_log_release(&log);
}

TEST(members_and_events_come_in_the_order_of_the_text)
{
	expect("{\"a\": 1, \"traceEvents\": [ {\"x\":1} , {\"x\":2}\n], \"b\":\"c\"}\n",
		"a=1\n{\"x\":1}\n{\"x\":2}\nb=\"c\"\n", NULL);
	expect("{\"traceEvents\":[]}", "", NULL);
	expect("{}", "", NULL);
	expect("{\"traceEvents\": null}", "traceEvents=null\n", NULL);
}

TEST(a_bare_array_may_lack_its_bracket)
{
	expect("[{\"x\":1},{\"x\":2}]", "{\"x\":1}\n{\"x\":2}\n", NULL);
	expect("[{\"x\":1},\n{\"x\":2},\n", "{\"x\":1}\n{\"x\":2}\n", NULL);
	expect("[", "", NULL);
}

TEST(a_cut_text_gives_what_is_whole_and_names_the_offset)
{
	expect("{\"traceEvents\": [{\"x\":1}, {\"x\":", "{\"x\":1}\n",
		"t.json: the JSON text ends too early at offset 31; the events before it were read");
	expect("{\"traceEvents\": [{\"x\":1}", "{\"x\":1}\n",
		"t.json: the JSON text ends too early at offset 24; the events before it were read");
	expect("[{\"x\":1}, {", "{\"x\":1}\n",
		"t.json: the JSON text ends too early at offset 11; the events before it were read");
	expect("{\"a\"", "", "t.json: the JSON text ends too early at offset 4; the events before it were read");
	expect("{\"a\":", "", "t.json: the JSON text ends too early at offset 5; the events before it were read");
	expect("", "", "t.json: the JSON text ends too early at offset 0; the events before it were read");
}

TEST(a_damaged_text_gives_what_is_before_and_names_the_offset)
{
	expect("[{\"x\":1}, {\"x\" 2}, {\"x\":3}]", "{\"x\":1}\n",
		"t.json: the JSON text is damaged at offset 15; the events before it were read");
	expect("{\"traceEvents\": [{} {}]}", "{}\n",
		"t.json: the JSON text is damaged at offset 20; the events before it were read");
	expect("{1: 2}", "", "t.json: the JSON text is damaged at offset 2; the events before it were read");
	expect("x", "", "t.json: the JSON text is damaged at offset 0; the events before it were read");
	expect("[{}] {}", "{}\n",
		"t.json: something else follows the trace at offset 5; the events before it were read");
}

/* Test events that are larger than the read buffer, and the offsets of the events after them. */
TEST(events_may_be_larger_than_the_buffer)
{
	enum { N = 1000000 };
	struct hd_buf in = { 0 }, out;
	struct hd_log log = { 0 };

	hd_buf_adds(&in, "[{\"a\": \"");
	for (int i = 0; i < N; i++)
		hd_buf_addc(&in, 'x');
	hd_buf_adds(&in, "\"}, {\"b\": 1}, ?]");
	out = read_all(in.data, in.len, &log);
	EXPECT_INT(out.len, N + 9 + 1 + 8 + 1);
	EXPECT_STR(log.items[0].text,
		"t.json: the JSON text is damaged at offset 1000022; the events before it were read");
	hd_buf_release(&in);
	hd_buf_release(&out);
	hd_log_release(&log);
}

TEST(gzipped_traces_are_read_and_their_damage_is_named_by_the_byte_of_the_file)
{
	struct hd_buf text = { 0 }, packed = { 0 }, out;
	struct hd_log log = { 0 };

	hd_buf_adds(&text, "[");
	for (int i = 0; i < 20000; i++)
		hd_buf_addf(&text, "{\"x\": %d},\n", i * 7919 % 10007);
	hd_gzip(&packed, text.data, text.len);
	EXPECT(hd_trace_events_is("[ {\"ph\": 1", 10) && hd_trace_events_is("\n{\"schemaVersion\"", 17) &&
		!hd_trace_events_is("{\"format\": 1}", 13));
	EXPECT(!hd_trace_events_is("", 0) && !hd_trace_events_is("[1, \"ph\"", 8) &&
		!hd_trace_events_is("main;\"ph\" 1", 11));
	out = read_all(packed.data, packed.len, &log);
	EXPECT_INT(log.n, 0);
	hd_buf_release(&out);
	out = read_all(packed.data, packed.len - 1000, &log);
	EXPECT(out.len > 0);
	EXPECT(strstr(log.items[0].text, "t.json: the packed data end too early at byte "));
	hd_buf_release(&out);
	hd_log_release(&log);
	log = (struct hd_log){ 0 };
	packed.data[packed.len - 6] ^= 1;
	out = read_all(packed.data, packed.len, &log);
	EXPECT(strstr(log.items[0].text, "t.json: the packed data are damaged at byte "));
	hd_buf_release(&out);
	hd_log_release(&log);
	hd_buf_release(&text);
	hd_buf_release(&packed);
}

TEST_MAIN(RUN(members_and_events_come_in_the_order_of_the_text), RUN(a_bare_array_may_lack_its_bracket),
	RUN(a_cut_text_gives_what_is_whole_and_names_the_offset),
	RUN(a_damaged_text_gives_what_is_before_and_names_the_offset), RUN(events_may_be_larger_than_the_buffer),
	RUN(gzipped_traces_are_read_and_their_damage_is_named_by_the_byte_of_the_file))
