/*
 * fuzz_ingest.c - read any bytes as an input of any format, and write folded text, a list of symbols and a report
 *
 * Invariants: read = kept + dropped; the weights of the rows of each event add up to the weight of the event; reading
 * again gives the same result.
 */
#include "profile/top.h"
#include "pipeline/pipeline.h"
#include "profile/folded.h"
#include "render/info.h"
#include "render/report.h"
#include "fuzz/input.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_sums(const struct hd_profile *p)
{
	uint64_t dropped = 0, kept = 0;

	for (size_t i = 0; i < p->ndropped; i++)
		dropped += p->dropped[i].count;
	for (size_t i = 0; i < p->rows.n; i++)
		kept += p->rows.items[i].count;
	assert(p->read == p->kept + dropped && kept == p->kept);
	for (uint32_t e = 0; e < p->nevents; e++) {
		uint64_t self = 0, weight = 0;
		struct hd_top top;

		for (size_t i = 0; i < p->rows.n; i++)
			weight += p->rows.items[i].event == e ? p->rows.items[i].weight : 0;
		hd_top_build(&top, p, e, true);
		for (size_t i = 0; i < top.n; i++) {
			self += top.rows[i].self;
			assert(top.rows[i].self <= top.rows[i].total && top.rows[i].total <= top.weight);
		}
		assert(weight == p->events[e].weight && self == weight && top.weight == weight);
		hd_top_release(&top);
	}
}

/*
 * Use a field, which the size of the input selects, as a key, and for some sizes also in a filter and as a weight.
 * The input is rejected with a message, or check_sums() holds.
 */
static void ask_for_fields(const char *path, size_t size)
{
	static const char *const fields[] = {
		"cpumode", "period", "ip", "addr", "cgroup", "mem", "tlb", "transaction", "weight", "data_page_size",
		"prev_comm", "prev_pid",
		"bytes_req", "sched_switch.next_comm", "common_pid",
	};
	const char *field = fields[size % (sizeof(fields) / sizeof(fields[0]))];
	struct hd_pipeline_opts opts = { .no_symbols = true,
		.fields = { .items = &field, .n = 1 },
		.select.weight_field = size & 16 ? field : NULL };
	struct hd_report_opts by = { .by = HD_BY_FIELDS | HD_BY_COMM };
	struct hd_buf text = { 0 }, filter = { 0 };
	struct hd_err err = { 0 };
	struct hd_profile *p;
	int rc;

	hd_buf_addf(&filter, "!(%s == 1) || comm ~ '*a*'", field);
	opts.select.filter = size & 32 ? filter.data : NULL;
	opts.keys = HD_KEY_COMM;
	rc = hd_pipeline_read(&p, path, &opts, &err);
	if (rc < 0) {
		assert(err.msg[0] && (rc == HD_EUSAGE || rc == HD_EFORMAT || rc == HD_EIO));
	} else {
		check_sums(p);
		hd_report(&text, p, &by);
	}
	hd_buf_release(&text);
	hd_buf_release(&filter);
	hd_profile_free(p);
}

/*
 * Weight samples by time: off the CPU, all time, and in system calls.  The input is rejected with a message, or
 * check_sums() holds.
 */
static void measure(const char *path)
{
	static const enum hd_weight weights[] = { HD_WEIGHT_OFF_CPU, HD_WEIGHT_WALL, HD_WEIGHT_SYSCALLS };
	static const char *const fields[] = { "reason", "waker", "woken", "future", "syscall", "error" };

	for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++) {
		struct hd_pipeline_opts opts = { .no_symbols = true,
			.fields = { .items = (const char **)fields, .n = 6 },
			.select.weight = weights[i] };
		struct hd_report_opts by = { .by = HD_BY_FIELDS };
		struct hd_buf text = { 0 };
		struct hd_err err = { 0 };
		struct hd_profile *p;
		int rc = hd_pipeline_read(&p, path, &opts, &err);

		if (rc < 0) {
			assert(err.msg[0] && (rc == HD_EUSAGE || rc == HD_EFORMAT || rc == HD_EIO));
		} else {
			check_sums(p);
			hd_report(&text, p, &by);
		}
		hd_buf_release(&text);
		hd_profile_free(p);
	}
}

/* Return the output of `info`, a report and the folded text of the profile; the caller frees it. */
static char *told(const struct hd_profile *p)
{
	struct hd_report_opts by = { .by = HD_BY_COMM | HD_BY_PID | HD_BY_DSO | HD_BY_SYMBOL,
		.format = HD_FORMAT_JSON };
	struct hd_folded_opts o = { .annotate = true };
	struct hd_buf text = { 0 };
	struct hd_outfile out;

	hd_info_text(&text, p);
	hd_info_json(&text, p);
	hd_report(&text, p, &by);
	for (uint32_t e = 0; e < p->nevents; e++) {
		hd_outfile_memory(&out);
		hd_folded_write(&out, p, e, &o);
		hd_buf_adds(&text, hd_buf_str(&out.pending));
		hd_outfile_discard(&out);
	}
	return hd_buf_take(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_pipeline_opts opts = { .no_symbols = true, .list_fields = true, .keys = HD_KEY_COMM | HD_KEY_PID };
	int fd = fuzz_memory_file(data, size);
	char path[40], *said[2] = { NULL, NULL };
	int rc[2];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (int i = 0; i < 2; i++) {
		struct hd_err err = { 0 };
		struct hd_profile *p;

		rc[i] = hd_pipeline_read(&p, path, &opts, &err);
		if (rc[i] < 0) {
			assert(err.msg[0] && (rc[i] == HD_EFORMAT || rc[i] == HD_EIO));
		} else {
			check_sums(p);
			said[i] = told(p);
		}
		hd_profile_free(p);
	}
	ask_for_fields(path, size);
	measure(path);
	assert(rc[0] == rc[1] && (rc[0] < 0 || !strcmp(said[0], said[1])));
	free(said[0]);
	free(said[1]);
	close(fd);
	return 0;
}
