/* field_table.c - use fields of samples by name: as keys, as weights, and in the list of fields */
#include "bundle_equivalence.h"
#include "tracepoint_recording.h"

#include "base/mem.h"
#include "pipeline/field_table.h"
#include "render/info.h"
#include "render/report.h"

/* Append the rows of the profile by its fields, one per line: `event: value|value weight`. */
static void rows_of(struct hd_buf *out, const struct hd_profile *p)
{
	struct hd_groups g;

	hd_groups_build(&g, p, HD_BY_FIELDS, false);
	for (size_t i = 0; i < g.n; i++) {
		const struct hd_value *v = hd_tuples_get(&p->tuples, g.rows[i].tuple);

		hd_buf_addf(out, "%s:", hd_profile_str(p, p->events[g.rows[i].event].name));
		for (size_t k = 0; k < p->nfields; k++) {
			hd_buf_adds(out, k ? "|" : " ");
			switch (v[k].kind) {
			case HD_VALUE_NONE:	hd_buf_adds(out, "none"); break;
			case HD_VALUE_SIGNED:	hd_buf_addf(out, "%lld", (long long)v[k].v); break;
			case HD_VALUE_UNSIGNED:	hd_buf_addf(out, "%llu", (unsigned long long)v[k].v); break;
			case HD_VALUE_ADDRESS:	hd_buf_addf(out, "0x%llx", (unsigned long long)v[k].v); break;
			case HD_VALUE_NAMELESS:	hd_buf_addf(out, "#%llu", (unsigned long long)v[k].v); break;
			case HD_VALUE_TEXT:	hd_buf_adds(out, hd_profile_str(p, (uint32_t)v[k].v)); break;
			}
		}
		hd_buf_addf(out, " %llu\n", (unsigned long long)g.rows[i].self);
	}
	hd_groups_release(&g);
}

/* Return options with these names (at most four; NULL ends the list) as keys. */
static struct hd_pipeline_opts by(const char *const names[4])
{
	struct hd_pipeline_opts o = { .no_symbols = true, .fields = { .items = (const char **)names } };

	while (o.fields.n < 4 && names[o.fields.n])
		o.fields.n++;
	return o;
}

#define BY(...)		by((const char *const[4]){ __VA_ARGS__ })

static struct hd_profile *read_traced(bool swap, const struct hd_pipeline_opts *o, struct hd_err *err)
{
	struct image im = traced(swap);
	char *dir = tmpdir(), *path = traced_file(dir, &im);
	struct hd_profile *p;

	expect_law(path, *o);
	err->msg[0] = 0;
	if (hd_pipeline_read(&p, path, o, err) < 0) {
		hd_profile_free(p);
		p = NULL;
	}
	free(path);
	tmpdir_remove(dir);
	hd_buf_release(&im.b);
	return p;
}

static void expect_rows(struct hd_pipeline_opts o, const char *want)
{
	for (int swap = 0; swap < 2; swap++) {
		struct hd_err err;
		struct hd_profile *p = read_traced(swap, &o, &err);
		struct hd_buf got = { 0 };

		EXPECT_STR(err.msg, "");
		rows_of(&got, p);
		EXPECT_STR(hd_buf_str(&got), want);
		hd_buf_release(&got);
		hd_profile_free(p);
	}
}

static void expect_refused(struct hd_pipeline_opts o, enum hd_code code, const char *want)
{
	struct hd_err err;

	EXPECT(!read_traced(false, &o, &err));
	EXPECT_INT(err.code, code);
	if (!strstr(err.msg, want))
		fail_msg("\"%s\" is not in \"%s\"", want, err.msg);
}

TEST(samples_are_kept_apart_by_fields_in_both_byte_orders)
{
	expect_rows(BY("prev_comm", "ret"),
		"sched:sched_switch: a;\x1b[b|5 1\nsched:sched_switch: bash|-2 1\nsched:sched_switch: bash|5 1\n"
		"kmem:kmalloc: none|none 2\ncpu-clock: none|none 10\n");
	expect_rows(BY("bytes_req", "ptr", "prev_pid"),
		"sched:sched_switch: none|none|-1 1\nsched:sched_switch: none|none|7 1\n"
		"sched:sched_switch: none|none|8 1\nkmem:kmalloc: 28|0xffff888000000020|none 1\n"
		"kmem:kmalloc: 100|0xffff888000000010|none 1\ncpu-clock: none|none|none 10\n");
	expect_rows(BY("common_pid"), "sched:sched_switch: 10 3\nkmem:kmalloc: none 2\ncpu-clock: none 10\n");
}

TEST(the_recorded_parts_of_a_sample_are_fields)
{
	struct hd_pipeline_opts o = BY("addr", "weight", "local_ins_lat", "weight3"),
				parts = BY("mem", "op", "cgroup_id", "cpumode");

	o.select.event = parts.select.event = (struct hd_string_list){ .items = (const char *[]){ "cpu-clock" },
		.n = 1 };
	expect_rows(o, "cpu-clock: 0x0|1|2|3 5\ncpu-clock: 0x7000|9|2|3 5\n");
	expect_rows(parts, "cpu-clock: L1 hit|LOAD|1|user 5\ncpu-clock: L1 hit|LOAD|99|user 5\n");
}

TEST(a_cgroup_is_its_path_and_one_without_a_path_its_number)
{
	struct hd_pipeline_opts o = BY("cgroup");

	expect_rows(o, "sched:sched_switch: none 3\nkmem:kmalloc: none 2\ncpu-clock: #99 5\ncpu-clock: /a.slice 5\n");
}

TEST(a_field_of_one_event_is_named_with_the_event)
{
	expect_rows(BY("sched:sched_switch.comm"),
		"sched:sched_switch: two 2\nsched:sched_switch: one 1\nkmem:kmalloc: none 2\ncpu-clock: none 10\n");
	expect_rows(BY("sched_switch.comm", "kmalloc.bytes_req"),
		"sched:sched_switch: two|none 2\nsched:sched_switch: one|none 1\n"
		"kmem:kmalloc: none|28 1\nkmem:kmalloc: none|100 1\ncpu-clock: none|none 10\n");
}

TEST(an_unknown_field_lists_what_there_is)
{
	struct hd_pipeline_opts o = BY("colour");

	expect_refused(o, HD_EFORMAT,
		"--by: no selected event has a field 'colour'; there are event, comm, pid, tid, cpu, dso, symbol, "
		"line, period, ip, cpumode, prev_comm, prev_pid, ret, ptr, bytes_req, addr, weight, ins_lat, "
		"p_stage_cyc, data_src, mem, op, snoop, tlb, locked, blocked, cgroup, cgroup_id");
	o = BY("prev_comm");
	o.select.event = (struct hd_string_list){ .items = (const char *[]){ "kmem:kmalloc" }, .n = 1 };
	expect_refused(o, HD_EFORMAT, "line, period, ip, cpumode, ptr, bytes_req");
}

TEST(a_weight_is_the_value_of_a_field_and_who_has_none_is_left_out)
{
	struct hd_pipeline_opts o = { .no_symbols = true, .select.weight_field = "bytes_req" };
	struct hd_err err;
	struct hd_profile *p = read_traced(false, &o, &err);

	EXPECT_INT(p->events[1].weight, 128);
	EXPECT_STR(hd_profile_str(p, p->events[1].unit), "bytes");
	EXPECT_INT(p->kept, 2);
	EXPECT_INT(p->read, 7);
	EXPECT_STR(p->dropped[0].reason, "no weight field");
	EXPECT_INT(p->dropped[0].count, 5);
	EXPECT_INT(hd_log_find(&p->log, "lost.weight-field")->count, 5);
	hd_profile_free(p);

	o.select.weight_field = "ret";
	p = read_traced(true, &o, &err);
	EXPECT_INT(p->events[0].weight, 10);
	EXPECT_STR(hd_profile_str(p, p->events[0].unit), "ret");
	EXPECT_INT(hd_log_find(&p->log, "lost.weight-negative")->count, 1);
	EXPECT_INT(hd_log_find(&p->log, "lost.weight-field")->count, 4);
	hd_profile_free(p);

	o.strict = true;		/* strict mode accepts the recording, because nothing is damaged */
	p = read_traced(false, &o, &err);
	EXPECT(p);
	hd_profile_free(p);
}

TEST(a_weight_must_be_a_number_and_one_only)
{
	struct hd_pipeline_opts o = { .no_symbols = true, .select.weight_field = "prev_comm" };

	expect_refused(o, HD_EUSAGE, "prev_comm is a text; a sample counts for a number");
	o.select.weight_field = "nr_pages";
	expect_refused(o, HD_EFORMAT, "--weight-field: no selected event has a field 'nr_pages'");
	o.select.weight = HD_WEIGHT_SAMPLES;
	expect_refused(o, HD_EUSAGE, "exclude each other");
}

TEST(units_are_what_the_name_says)
{
	static const char *const bytes[] = { "bytes", "size", "len", "length", "bytes_req", "nr_bytes",
		"kmem:kmalloc.bytes_alloc", "data_page_size" };

	for (size_t i = 0; i < HD_COUNT(bytes); i++)
		EXPECT_STR(hd_sample_field_unit(bytes[i]), "bytes");
	EXPECT_STR(hd_sample_field_unit("delay_ns"), "ns");
	EXPECT_STR(hd_sample_field_unit("queue_len"), "queue_len");
	EXPECT_STR(hd_sample_field_unit("sched_switch.prev_prio"), "prev_prio");
}

TEST(info_lists_the_fields_of_each_event)
{
	struct hd_pipeline_opts o = { .no_symbols = true, .list_fields = true };
	struct hd_err err;
	struct hd_profile *p = read_traced(true, &o, &err);
	struct hd_buf text = { 0 }, json = { 0 };

	hd_info_text(&text, p);
	hd_info_json(&json, p);
	EXPECT(strstr(text.data,
		"fields      sched:sched_switch: prev_comm prev_pid comm ret\n            kmem:kmalloc: ptr bytes_req\n"
		"            cpu-clock: addr weight ins_lat"));
	EXPECT(strstr(json.data, "\"fields\": [\"ptr\", \"bytes_req\"]"));
	hd_buf_release(&text);
	hd_buf_release(&json);
	hd_profile_free(p);
}

TEST(values_are_written_as_the_sink_owes)
{
	struct hd_pipeline_opts o = BY("prev_comm", "ptr", "cgroup");
	struct hd_report_opts text = { .by = HD_BY_FIELDS }, md = text, json = text;
	struct hd_err err;
	struct hd_profile *p = read_traced(false, &o, &err);
	struct hd_buf b = { 0 };

	md.format = HD_FORMAT_MARKDOWN;
	json.format = HD_FORMAT_JSON;
	hd_report(&b, p, &text);
	EXPECT(strstr(b.data, "33.33%        1  a;\\x1b[b"));
	EXPECT(strstr(b.data, "[cgroup 99]\n"));
	hd_buf_reset(&b);
	hd_report(&b, p, &md);
	EXPECT(strstr(b.data, "| 33.33% | 1 | `a;\\x1b[b` |  |  |"));
	EXPECT(strstr(b.data, "| `[cgroup 99]` |"));
	hd_buf_reset(&b);
	hd_report(&b, p, &json);
	EXPECT(strstr(b.data, "\"by\": [\"prev_comm\", \"ptr\", \"cgroup\"]"));
	EXPECT(strstr(b.data, "\"prev_comm\": \"a;\\\\x1b[b\", \"ptr\": null, \"cgroup\": null, \"self\": 1"));
	EXPECT(strstr(b.data, "\"prev_comm\": null, \"ptr\": \"0xffff888000000010\", \"cgroup\": null,"));
	EXPECT(strstr(b.data, "\"cgroup\": 99, \"unknown\": true,"));
	EXPECT(strstr(b.data, "\"cgroup\": \"/a.slice\", \"self\": 5,"));
	hd_buf_release(&b);
	hd_profile_free(p);
}

/* Two members: the tracepoint to which the sample belongs, and a counter that was read with it. */
TEST(members_of_a_group_have_the_fields_of_the_sample_that_they_were_read_with)
{
	struct attr lead = { .type = PERF_TYPE_TRACEPOINT,
		.config = 400,
		.sample_type = TRACED | PERF_SAMPLE_READ | PERF_SAMPLE_RAW,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID };
	struct attr read = { .type = PERF_TYPE_SOFTWARE,
		.sample_type = TRACED | PERF_SAMPLE_READ,
		.read_format = lead.read_format };
	struct image im = pipe_image(false);
	struct hd_pipeline_opts o = BY("bytes_req");
	char *dir = tmpdir(), *path;
	struct hd_buf got = { 0 };
	struct hd_profile *p;
	struct hd_err err;

	attr_record(&im, lead, 2);
	attr_record(&im, read, 4);
	tracing_data(&im);
	for (uint64_t i = 1; i <= 3; i++) {
		size_t r = traced_sample(&im, 2, 10, 1000, 0, 1);

		u64(&im, 2);
		u64(&im, i);
		u64(&im, 2);
		u64(&im, 100 * i);
		u64(&im, 4);
		u32(&im, 28);
		u64(&im, 400);
		u64(&im, 0);
		u64(&im, 10 * i);
		text(&im, "", 4);
		end(&im, r);
	}
	path = traced_file(dir, &im);
	o.select.filter = "bytes_req != 20";
	EXPECT_INT(hd_pipeline_read(&p, path, &o, &err), 0);
	rows_of(&got, p);
	EXPECT_STR(hd_buf_str(&got), "kmem:kmalloc: 10 1\nkmem:kmalloc: 30 1\ncpu-clock: 10 100\ncpu-clock: 30 100\n");
	EXPECT_INT(p->dropped[0].count, 1);
	hd_profile_free(p);
	hd_buf_release(&got);
	free(path);
	tmpdir_remove(dir);
	hd_buf_release(&im.b);
}

/*
 * The recording is of perf 6.6, and perf 6.1 rejects it.  Its samples and their raw data both contain the idle thread.
 */
TEST(the_idle_thread_is_the_same_one_in_the_sample_and_in_its_raw_data)
{
	const char *shared = getenv("HD_SHARED");
	char path[300], command[800];
	struct hd_pipeline_opts o = BY("sched:sched_switch.prev_pid", "sched:sched_switch.prev_comm");
	char *dir;
	struct hd_profile *p;
	struct hd_err err;
	size_t checked = 0;

	snprintf(path, sizeof(path), "%s/corpus/mslttp-perf.perf.data.xz", shared ? shared : "../shared");
	if (access(path, R_OK))
		SKIP("no recording mslttp-perf in the shared folder");
	dir = tmpdir();
	snprintf(command, sizeof(command), "xz -dc -- '%s' > '%s/t.data'", path, dir);
	EXPECT_INT(system(command), 0);
	snprintf(path, sizeof(path), "%s/t.data", dir);
	o.keys = HD_KEY_TID;
	EXPECT_INT(hd_pipeline_read(&p, path, &o, &err), 0);
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct hd_sample_row *r = &p->rows.items[i];
		const struct hd_value *v = hd_tuples_get(&p->tuples, r->tuple);

		if (v[0].kind == HD_VALUE_NONE)
			continue;
		/*
		 * For other threads the sample has the number in perf's namespace, or 0, and the
		 * raw data has the kernel's.
		 */
		EXPECT(v[0].v || !r->tid);
		EXPECT(!v[0].v == !strncmp(hd_profile_str(p, (uint32_t)v[1].v), "swapper/", 8));
		checked += r->count;
	}
	EXPECT_INT(checked, 285);
	hd_profile_free(p);
	tmpdir_remove(dir);
}

TEST_MAIN(RUN(samples_are_kept_apart_by_fields_in_both_byte_orders),
	  RUN(the_recorded_parts_of_a_sample_are_fields),
	  RUN(a_cgroup_is_its_path_and_one_without_a_path_its_number),
	  RUN(a_field_of_one_event_is_named_with_the_event),
	  RUN(an_unknown_field_lists_what_there_is),
	  RUN(a_weight_is_the_value_of_a_field_and_who_has_none_is_left_out),
	  RUN(a_weight_must_be_a_number_and_one_only),
	  RUN(units_are_what_the_name_says),
	  RUN(info_lists_the_fields_of_each_event),
	  RUN(values_are_written_as_the_sink_owes),
	  RUN(members_of_a_group_have_the_fields_of_the_sample_that_they_were_read_with),
	  RUN(the_idle_thread_is_the_same_one_in_the_sample_and_in_its_raw_data))
