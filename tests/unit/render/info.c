/* info.c - describe a recording: the output has every number of the profile, and all names are encoded */
#include "test.h"

#include "base/json.h"
#include "base/mem.h"
#include "render/info.h"

#include <stdlib.h>
#include <string.h>

static struct hd_profile *small_profile(void)
{
	static const struct hd_record_tally records[] = { { "MMAP2", 10, 3 }, { NULL, 4711, 1 },
		{ "SAMPLE", 9, 1010 } };
	struct hd_profile *p = hd_profile_new();
	struct hd_recording *r = &p->recording;
	uint32_t app = hd_profile_add_object(p, "/bin/app", "", false);
	struct hd_frame f = { .symbol = hd_profile_add_named_symbol(p, app, "main", false) };
	struct hd_sample_row row = { .self = hd_profile_add_frame(p, &f), .weight = 2500000, .count = 1000 };

	row.stack = hd_stacks_add(p->stacks, row.stack, row.self);
	hd_profile_add_event(p, "cpu-clock", "ns");
	hd_profile_add_event(p, "page-faults", "faults");
	hd_profile_add_sample(p, &row);
	p->read = 1010;
	p->kept = 1000;
	hd_profile_drop(p, "not selected", 7);
	hd_profile_drop(p, "lost.sample-cut", 3);
	hd_warn_n(&p->log, "lost.sample-cut", 3, "record again", "t.data: a sample is cut off");

	r->path = hd_strdup("t.data");
	r->format = "perf.data";
	r->mode = "file";
	r->endian = "little";
	r->bytes = 123456;
	r->truncated = true;
	r->hostname = hd_strdup("build\n1");
	r->os_release = hd_strdup("6.1.0");
	r->arch = hd_strdup("x86_64");
	r->cpudesc = hd_strdup("A CPU");
	r->nrcpus = 8;
	r->perf_version = hd_strdup("6.1");
	r->cmdline = hd_new_array(char *, 2);
	r->cmdline[r->ncmdline++] = hd_strdup("perf");
	r->cmdline[r->ncmdline++] = hd_strdup("record");
	r->first_ns = 1000000000;
	r->last_ns = 3500000000;
	r->records = hd_new_array(struct hd_record_tally, 3);
	memcpy(r->records, records, sizeof(records));
	r->nrecords = 3;
	r->lost = 5;
	r->with_stack = 800;
	r->root_reached = 600;
	r->frames = 4000;
	r->unknown_frames = 40;
	r->objects = hd_new_array(struct hd_object_quality, 2);
	r->objects[r->nobjects++] = (struct hd_object_quality){ .name = hd_strdup("/bin/app"),
		.samples = 900,
		.symbols = "symtab" };
	r->objects[r->nobjects++] = (struct hd_object_quality){
		.name = hd_strdup("[unknown]"), .unknown = true, .samples = 100, .symbols = "none",
		.problem = hd_strdup("nothing is mapped there"),
	};
	return p;
}

TEST(the_text_says_what_was_recorded_how_much_was_kept_and_how_good_it_is)
{
	struct hd_profile *p = small_profile();
	struct hd_buf b = { 0 };

	hd_info_text(&b, p);
	EXPECT_STR(b.data,
		"file        t.data\n"
		"format      perf.data, 123,456 bytes, file mode, little-endian, CUT OFF\n"
		"host        build\\x0a1\n"
		"kernel      6.1.0 x86_64\n"
		"cpu         A CPU, 8 online\n"
		"perf        6.1\n"
		"command     perf record\n"
		"time        2.50 s from the first to the last sample\n"
		"events      cpu-clock: 1,000 samples, 2.50 ms\n"
		"            page-faults: 0 samples, 0 faults\n"
		"samples     1,010 read, 1,000 kept; dropped: 7 (not selected), 3 (lost.sample-cut)\n"
		"stacks      800 samples (80.00%) have a user call chain\n"
		"            75.00% of them reach their root\n"
		"            the others end in code without frame pointers (-fno-omit-frame-pointer, or --call-graph "
		"dwarf) or without symbols\n"
		"quality     poor: 75.00% of 800 stacks reach their root, 1.00% of the frames have no symbol\n"
		"records     MMAP2 3 type-4711 1 SAMPLE 1,010\n"
		"\n"
		"samples  symbols  object     problem\n"
		" 90.00%  symtab   /bin/app   -\n"
		" 10.00%  none     [unknown]  nothing is mapped there\n");
	hd_buf_release(&b);
	hd_profile_free(p);
}

TEST(a_recording_without_call_chains_gets_advice_how_to_record_them)
{
	struct hd_profile *p = small_profile();
	struct hd_buf b = { 0 };

	p->recording.with_stack = 0;
	hd_info_text(&b, p);
	EXPECT(strstr(b.data, "\nstacks      none: recorded without call chains; add --call-graph fp") != NULL);
	hd_buf_reset(&b);
	p->kept = 0;
	hd_info_text(&b, p);
	EXPECT(strstr(b.data, "\nstacks ") == NULL);
	hd_buf_release(&b);
	hd_profile_free(p);
}

TEST(folded_text_has_no_header_and_no_records)
{
	struct hd_profile *p = hd_profile_new();
	struct hd_buf b = { 0 };

	p->recording.path = hd_strdup("t.folded");
	p->recording.format = "folded";
	p->recording.mode = "file";
	p->recording.bytes = 6;
	hd_profile_add_event(p, "folded", "samples");
	p->read = p->kept = 1;
	hd_info_text(&b, p);
	EXPECT_STR(b.data,
		"file        t.folded\n"
		"format      folded, 6 bytes\n"
		"events      folded: 0 samples\n"
		"samples     1 read, 1 kept\n");
	hd_buf_release(&b);
	hd_profile_free(p);
}

/* Return a small profile with twenty further objects of one sample. */
static struct hd_profile *profile_of_many_objects(void)
{
	struct hd_profile *p = small_profile();
	struct hd_recording *r = &p->recording;

	r->objects_cap = r->nobjects;
	for (int i = 0; i < 20; i++) {
		HD_GROW(r->objects, r->nobjects + 1, r->objects_cap);
		r->objects[r->nobjects++] = (struct hd_object_quality){ .name = hd_strdup("x.so"),
			.samples = 1,
			.symbols = "dynsym" };
	}
	return p;
}

TEST(more_than_a_dozen_objects_are_counted_in_text)
{
	struct hd_profile *p = profile_of_many_objects();
	struct hd_buf b = { 0 };

	hd_info_text(&b, p);
	EXPECT_STR(strrchr(b.data, 'a'), "and 10 more\n");
	hd_buf_release(&b);
	hd_profile_free(p);
}

TEST(an_object_of_callers_without_symbols_is_listed_after_a_dozen_others)
{
	struct hd_profile *p = profile_of_many_objects();
	struct hd_object_quality *last = &p->recording.objects[p->recording.nobjects - 1];
	struct hd_buf b = { 0 };

	free(last->name);
	last->name = hd_strdup("libcb.so");
	last->samples = 0;
	last->unknown_frames = 40;
	last->problem = hd_strdup("only its exported functions have names");
	hd_info_text(&b, p);
	EXPECT(strstr(b.data, "samples  unnamed  symbols  object     problem\n"
		" 90.00%    0.00%  symtab   /bin/app   -\n"));
	EXPECT(strstr(b.data, "  0.00%    1.00%  dynsym   libcb.so   only its exported functions have names\n"
		"and 9 more\n"));
	hd_buf_release(&b);
	hd_profile_free(p);
}

/* ---- JSON ---- */

/* Return the JSON value at a path such as "a.b.0.c".  The test fails if there is none. */
static const struct hd_json *at(const struct hd_json *v, const char *path)
{
	char part[32];

	for (size_t n; *path && v; path += n + (path[n] == '.')) {
		n = strcspn(path, ".");
		snprintf(part, sizeof(part), "%.*s", (int)n, path);
		v = hd_json_kind(v) == HD_JSON_ARRAY ? hd_json_at(v, (size_t)atoi(part)) : hd_json_get(v, part);
	}
	if (!v)
		fail_msg("no value at %s", path);
	return v;
}

static void json_string_is(const struct hd_json *root, const char *path, const char *want)
{
	size_t n;

	EXPECT_STR(hd_json_string(at(root, path), &n), want);
}

static void json_number_is(const struct hd_json *root, const char *path, const char *want)
{
	EXPECT_STR(hd_json_number(at(root, path)), want);
}

TEST(json_has_the_shape_that_the_design_promises)
{
	static const char *const numbers[][2] = {
		{ "version", "1" }, { "file.bytes", "123456" }, { "header.nrcpus", "8" },
		{ "events.0.samples", "1000" },
		{ "events.0.weight", "2500000" }, { "events.0.lost", "0" }, { "events.1.samples", "0" },
		{ "records.SAMPLE", "1010" },
		{ "records.MMAP2", "3" }, { "records.TYPE_4711", "1" }, { "samples.read", "1010" },
		{ "samples.kept", "1000" },
		{ "samples.dropped", "10" }, { "samples.reasons.not selected", "7" }, { "stacks.with_stack", "800" },
		{ "stacks.root_reached", "600" }, { "stacks.truncated", "0" }, { "stacks.stitched", "0" },
		{ "stacks.unknown_frames", "40" },
		{ "stacks.frames", "4000" }, { "warnings.0.count", "3" }, { "lost.events", "5" },
		{ "objects.0.samples", "900" },
	};
	static const char *const strings[][2] = {
		{ "format", "hotdrift.info" }, { "file.path", "t.data" }, { "file.mode", "file" },
		{ "file.endian", "little" },
		{ "header.hostname", "build\\x0a1" }, { "header.os_release", "6.1.0" }, { "header.arch", "x86_64" },
		{ "header.cpudesc", "A CPU" }, { "header.perf_version", "6.1" }, { "header.cmdline.1", "record" },
		{ "events.0.name", "cpu-clock" }, { "events.0.unit", "ns" }, { "warnings.0.code", "lost.sample-cut" },
		{ "warnings.0.text", "t.data: a sample is cut off" }, { "warnings.0.fix", "record again" },
		{ "objects.1.name", "[unknown]" },
	};
	struct hd_profile *p = small_profile();
	struct hd_buf b = { 0 };
	struct hd_json_doc *doc;
	struct hd_err err;

	hd_info_json(&b, p);
	EXPECT_INT(hd_json_parse(&doc, b.data, b.len, "info", &err), 0);
	for (size_t i = 0; i < HD_COUNT(numbers); i++)
		json_number_is(hd_json_root(doc), numbers[i][0], numbers[i][1]);
	for (size_t i = 0; i < HD_COUNT(strings); i++)
		json_string_is(hd_json_root(doc), strings[i][0], strings[i][1]);
	EXPECT(hd_json_bool(at(hd_json_root(doc), "file.truncated")));
	EXPECT(!hd_json_bool(at(hd_json_root(doc), "file.compressed")));
	EXPECT(hd_json_bool(at(hd_json_root(doc), "objects.1.unknown")));
	EXPECT(!hd_json_get(at(hd_json_root(doc), "objects.0"), "unknown"));
	hd_json_free(doc);
	hd_buf_release(&b);
	hd_profile_free(p);
}

TEST(json_of_an_empty_profile_is_json_too)
{
	struct hd_profile *p = hd_profile_new();
	struct hd_buf b = { 0 };
	struct hd_json_doc *doc;
	struct hd_err err;

	hd_info_json(&b, p);
	EXPECT_INT(hd_json_parse(&doc, b.data, b.len, "info", &err), 0);
	EXPECT_INT(hd_json_kind(at(hd_json_root(doc), "header.hostname")), HD_JSON_NULL);
	EXPECT_INT(hd_json_count(at(hd_json_root(doc), "events")), 0);
	hd_json_free(doc);
	hd_buf_release(&b);
	hd_profile_free(p);
}

TEST_MAIN(RUN(the_text_says_what_was_recorded_how_much_was_kept_and_how_good_it_is),
	  RUN(a_recording_without_call_chains_gets_advice_how_to_record_them),
	  RUN(folded_text_has_no_header_and_no_records),
	  RUN(more_than_a_dozen_objects_are_counted_in_text),
	  RUN(an_object_of_callers_without_symbols_is_listed_after_a_dozen_others),
	  RUN(json_has_the_shape_that_the_design_promises),
	  RUN(json_of_an_empty_profile_is_json_too))
