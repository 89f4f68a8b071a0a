/*
 * fuzz_tracepoint.c - read any bytes as tracing data: look up the name and some fields of each event, and decode all
 * its fields from the same bytes
 */
#include "perfdata/tracepoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void all_fields(struct hd_tracepoints *tp, uint64_t id, const uint8_t *data, size_t size, struct hd_buf *text)
{
	size_t n;
	const struct hd_tracefield *f = hd_tracepoints_fields(tp, id, &n);

	for (size_t i = 0; i < n; i++) {
		struct hd_tracevalue v;

		if (hd_tracefield_get(&f[i], data, size, &v)) {
			hd_buf_reset(text);
			hd_tracefield_text(&f[i], &v, text);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const fields[] = { "common_type", "common_pid", "prev_comm", "path", "x" };
	struct hd_tracepoints *tp;
	struct hd_buf text = { 0 };
	struct hd_err err;

	hd_tracepoints_parse(&tp, data, size, &err);
	for (uint64_t id = 0; id < 400; id++) {
		if (!hd_tracepoints_name(tp, id))
			continue;
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
			hd_tracepoints_find(tp, id, fields[i]);
		all_fields(tp, id, data, size, &text);
	}
	hd_buf_release(&text);
	hd_tracepoints_free(tp);
	return 0;
}
