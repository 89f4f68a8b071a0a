/*
 * timeline.c - tests of the timeline of libhotdrift: a bounded ring of events, durations, and two export formats
 */
#include "test.h"
#include "../tmpdir.h"

#include "hotdrift.h"
#include "track/timeline.h"

#include <math.h>
#include <pthread.h>
#include <sys/resource.h>

static struct hd_profiler *with_ring(size_t events)
{
	struct hd_profiler_config config = { .size = sizeof(config), .timeline_events = events };
	struct hd_profiler *p;

	EXPECT_INT(hd_profiler_new(&p, &config), HD_TRACK_OK);
	return p;
}

static void event(struct hd_profiler *p, enum hd_event_kind kind, const char *name)
{
	EXPECT_INT(hd_event(p, kind, name, NULL, 0), HD_TRACK_OK);
}

/* Run a command, in whose text %s is replaced by the path, and return its standard output. */
static char *output_of(const char *format, const char *path)
{
	struct hd_buf command = { 0 }, out = { 0 };
	FILE *f;
	int c;

	hd_buf_addf(&command, format, path);
	f = popen(hd_buf_str(&command), "r");
	EXPECT(f != NULL);
	while ((c = getc(f)) != EOF)
		hd_buf_addc(&out, (char)c);
	EXPECT_INT(pclose(f), 0);
	hd_buf_release(&command);
	return hd_buf_take(&out);
}

TEST(the_ring_keeps_the_newest_of_a_million_events_in_bounded_memory)
{
	enum { EVENTS = 1000000, RING = 100000 };
	struct hd_profiler *p = with_ring(RING);
	struct hd_timeline_event *e;
	struct hd_timeline_sum sum;
	struct rusage before, after;

	event(p, HD_EVENT_INSTANT, "first");
	getrusage(RUSAGE_SELF, &before);
	for (unsigned i = 1; i < EVENTS; i++) {
		struct hd_event_arg arg = { "i", NULL, i };

		EXPECT_INT(hd_event(p, HD_EVENT_CUSTOM, "tick", &arg, 1), HD_TRACK_OK);
	}
	getrusage(RUSAGE_SELF, &after);
	EXPECT(after.ru_maxrss - before.ru_maxrss < 64 * 1024);	/* KiB; a million events would take 86 MiB */
	EXPECT_INT(hd_timeline_sum(p, &sum), HD_TRACK_OK);
	EXPECT_INT(sum.events, EVENTS);
	EXPECT_INT(sum.kept, RING);
	EXPECT_INT(sum.dropped, EVENTS - RING);
	EXPECT_INT(hd_timeline_copy(p, &e), RING);
	for (unsigned i = 0; i < RING; i++) {
		EXPECT(e[i].args[0].number == EVENTS - RING + i);
		EXPECT(i == 0 || e[i].t_ns >= e[i - 1].t_ns);
	}
	free(e);
	hd_profiler_free(p);
}

TEST(durations_are_those_of_pairs_on_one_thread)
{
	struct hd_profiler *p = with_ring(0);
	struct hd_duration d[4];

	event(p, HD_EVENT_END, "early");		/* an END without a BEGIN */
	event(p, HD_EVENT_BEGIN, "outer");
	event(p, HD_EVENT_BEGIN, "inner");
	event(p, HD_EVENT_END, "inner");
	event(p, HD_EVENT_BEGIN, "inner");
	event(p, HD_EVENT_BEGIN, "forgotten");		/* its END is missing, so it ends with `outer` */
	event(p, HD_EVENT_END, "outer");
	event(p, HD_EVENT_BEGIN, "goes on");
	EXPECT_INT(hd_timeline_durations(p, NULL, 4), HD_TRACK_INVALID);
	EXPECT_INT(hd_timeline_durations(p, NULL, 0), 3);
	EXPECT_INT(hd_timeline_durations(p, d, 4), 3);
	EXPECT_STR(d[0].name, "outer");
	EXPECT_INT(d[0].count, 1);
	EXPECT_STR(d[1].name, "inner");
	EXPECT_INT(d[1].count, 2);
	EXPECT(d[1].min_ns <= d[1].max_ns && d[1].min_ns + d[1].max_ns == d[1].total_ns);
	EXPECT(fabs(d[1].mean_ns - (double)d[1].total_ns / 2) < 1);
	EXPECT_STR(d[2].name, "forgotten");
	hd_profiler_free(p);
}

TEST(more_arguments_than_fit_and_bad_events_are_reported)
{
	struct hd_profiler *p = with_ring(0);
	struct hd_event_arg args[5] = { { "a", "x", 0 }, { "b", "", 0 }, { "c", NULL, 1 }, { "d", NULL, 2 },
		{ "e", NULL, 3 } };
	struct hd_timeline_event *e;
	struct hd_timeline_sum sum;

	EXPECT_INT(hd_event(p, HD_EVENT_CUSTOM, "many", args, 5), HD_TRACK_FULL);
	EXPECT_INT(hd_event(p, HD_EVENT_CUSTOM, "", args, 1), HD_TRACK_INVALID);
	EXPECT_INT(hd_event(p, HD_EVENT_CUSTOM, NULL, NULL, 0), HD_TRACK_INVALID);
	EXPECT_INT(hd_event(p, (enum hd_event_kind)9, "x", NULL, 0), HD_TRACK_INVALID);
	EXPECT_INT(hd_event(p, HD_EVENT_CUSTOM, "x", NULL, 1), HD_TRACK_INVALID);
	hd_timeline_sum(p, &sum);
	EXPECT_INT(sum.events, 1);
	EXPECT_INT(hd_timeline_copy(p, &e), 1);
	EXPECT_INT(e[0].nargs, HD_EVENT_ARGS);
	EXPECT_STR(e[0].args[0].text, "x");
	EXPECT(e[0].args[3].text == NULL && e[0].args[3].number == 2);
	free(e);
	hd_profiler_free(p);
}

/* Return a profiler whose timeline has hostile names, arguments, and an END that closes two BEGINs. */
static struct hd_profiler *small_timeline(void)
{
	struct hd_profiler *p = with_ring(0);
	struct hd_event_arg bytes = { "bytes", NULL, 4096 }, note = { "note", "</script>\"\n\xff", 0 },
		nan_value = { "nan", NULL, NAN };

	event(p, HD_EVENT_END, "dropped");
	event(p, HD_EVENT_BEGIN, "outer \"quoted\"");
	event(p, HD_EVENT_BEGIN, "inner");
	EXPECT_INT(hd_event(p, HD_EVENT_ALLOC, "cache", &bytes, 1), HD_TRACK_OK);
	EXPECT_INT(hd_event(p, HD_EVENT_CUSTOM, "mark", &note, 1), HD_TRACK_OK);
	EXPECT_INT(hd_event(p, HD_EVENT_END, "outer \"quoted\"", &nan_value, 1), HD_TRACK_OK);
	return p;
}

TEST(chromes_form_is_json_whose_begins_and_ends_nest)
{
	char *dir = tmpdir(), *path = in_dir(dir, "trace.json"), *out;
	struct hd_profiler *p = small_timeline();

	if (system("command -v jq >/dev/null") != 0)
		SKIP("jq is not installed");
	EXPECT_INT(hd_timeline_write(p, path, HD_TIMELINE_CHROME), HD_TRACK_OK);
	out = output_of("jq -c '[.traceEvents[1:][] | [.ph, .name, .cat, .args]]' '%s'", path);
	EXPECT_STR(out, "[[\"B\",\"outer \\\"quoted\\\"\",null,null],[\"B\",\"inner\",null,null],"
			"[\"i\",\"cache\",\"alloc\",{\"bytes\":4096}],"
			"[\"i\",\"mark\",\"custom\",{\"note\":\"</script>\\\"\\\\x0a\\\\xff\"}],"
			"[\"E\",null,null,null],[\"E\",null,null,{\"nan\":null}]]\n");
	free(out);
	out = output_of("jq '[.traceEvents[1:][].ts] | . == sort and (map(type) | unique == [\"number\"])' '%s'", path);
	EXPECT_STR(out, "true\n");
	free(out);
	free(path);
	tmpdir_remove(dir);
	hd_profiler_free(p);
}

TEST(perfettos_form_is_read_by_protoc)
{
	char *dir = tmpdir(), *path = in_dir(dir, "trace.pb"), *out;
	struct hd_profiler *p = small_timeline();

	if (system("command -v protoc >/dev/null") != 0)
		SKIP("protoc is not installed");
	EXPECT_INT(hd_timeline_write(p, path, HD_TIMELINE_PERFETTO), HD_TRACK_OK);
	/* 11 is the event of a packet; in it 9 is the type, 22 the category, 23 the name, 4 an argument. */
	out = output_of("protoc --decode_raw < '%s' | grep -E '^    (9|22|23)|^      (5|6|10): ' | tr -s ' \\n' ' '",
		path);
	EXPECT_STR(out,
		" 9: 1 23: \"outer \\\"quoted\\\"\" 9: 1 23: \"inner\" 10: \"bytes\" 5: 0x40b0000000000000 9: 3 22: "
		"\"alloc\" 23: \"cache\" 10: \"note\" 6: \"</script>\\\"\\\\x0a\\\\xff\" 9: 3 22: \"custom\" 23: "
		"\"mark\" "
		"9: 2 10: \"nan\" 5: 0x7ff8000000000000 9: 2 ");
	free(out);
	free(path);
	tmpdir_remove(dir);
	hd_profiler_free(p);
}

TEST(an_empty_timeline_is_written_and_bad_arguments_are_refused)
{
	char *dir = tmpdir(), *path = in_dir(dir, "none/trace.json"), *good = in_dir(dir, "trace.json");
	struct hd_profiler *p = with_ring(0);

	EXPECT_INT(hd_timeline_write(p, path, HD_TIMELINE_CHROME), HD_TRACK_IO);
	EXPECT_INT(hd_timeline_write(p, NULL, HD_TIMELINE_CHROME), HD_TRACK_INVALID);
	EXPECT_INT(hd_timeline_write(p, good, (enum hd_timeline_form)5), HD_TRACK_INVALID);
	EXPECT_INT(entries(dir), 0);
	EXPECT_INT(hd_timeline_write(p, good, HD_TIMELINE_CHROME), HD_TRACK_OK);
	EXPECT_INT(hd_timeline_write(p, good, HD_TIMELINE_PERFETTO), HD_TRACK_OK);
	EXPECT_INT(entries(dir), 1);
	free(path);
	free(good);
	tmpdir_remove(dir);
	hd_profiler_free(p);
}

TEST(operations_add_events_if_the_configuration_says_so)
{
	struct hd_profiler_config config = { .size = sizeof(config), .trace_ops = true };
	struct hd_profiler *p;
	struct hd_duration d[2];

	EXPECT_INT(hd_profiler_new(&p, &config), HD_TRACK_OK);
	hd_op_start(p, "a");
	hd_op_start(p, "b");
	hd_op_stop(p, "a");
	EXPECT_INT(hd_timeline_durations(p, d, 2), 2);
	EXPECT_STR(d[0].name, "a");
	EXPECT_STR(d[1].name, "b");
	hd_profiler_free(p);
}

TEST_MAIN(RUN(the_ring_keeps_the_newest_of_a_million_events_in_bounded_memory),
	  RUN(durations_are_those_of_pairs_on_one_thread), RUN(more_arguments_than_fit_and_bad_events_are_reported),
	  RUN(chromes_form_is_json_whose_begins_and_ends_nest), RUN(perfettos_form_is_read_by_protoc),
	  RUN(an_empty_timeline_is_written_and_bad_arguments_are_refused),
	  RUN(operations_add_events_if_the_configuration_says_so))
