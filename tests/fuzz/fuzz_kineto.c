/*
 * fuzz_kineto.c - read any bytes as a Chrome trace, plain and gzipped
 *
 * Invariants: the start times of activities never fall, their names and stacks are IDs of the dictionary, the gzipped
 * text gives the same activities, and a timeline that is written from the activities reads back with the same number
 * and total duration of each kind of activity.
 */
#include "gpu/kineto.h"
#include "render/gzip.h"
#include "render/trace_export.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct told {
	struct hd_gpu_dict *dict;
	struct hd_trace_export *chrome, *perfetto;	/* receive the activities; or NULL */
	int64_t last;
	uint64_t n, sum;
	uint64_t of_kind[HD_GPU_KINDS], ns[HD_GPU_KINDS], bytes;
	bool damaged;				/* a warning was given */
};

static int on_activity(void *context, const struct hd_gpu_activity *a, struct hd_err *err)
{
	struct told *t = context;

	assert(a->start_ns >= t->last);
	assert(a->kind < HD_GPU_KINDS && a->copy < HD_GPU_COPIES && a->from < HD_GPU_MEMORY_KINDS &&
		a->to < HD_GPU_MEMORY_KINDS);
	assert(a->name < hd_strtab_count(t->dict->names) && a->stack < t->dict->nnodes);
	assert(!a->stack || t->dict->nodes[a->stack].caller < a->stack);
	t->last = a->start_ns;
	t->n++;
	t->sum = t->sum * 31 + (uint64_t)a->start_ns + (uint64_t)a->end_ns * 3 + a->name + a->stack + a->bytes;
	if (a->end_ns < a->start_ns)	/* hd_gpu_feed drops such activities */
		return 0;
	t->of_kind[a->kind]++;
	t->ns[a->kind] += (uint64_t)a->end_ns - (uint64_t)a->start_ns;
	t->bytes += a->bytes;
	if (t->chrome) {
		hd_trace_export_add(t->chrome, a, err);
		hd_trace_export_add(t->perfetto, a, err);
	}
	return 0;
}

/* Read a trace.  If `chrome` is not NULL, it receives the activities as a Chrome trace, which the caller releases. */
static struct told read_all(const void *data, size_t size, struct hd_buf *chrome)
{
	struct hd_gpu_capture capture = { 0 };
	struct hd_gpu_dict dict;
	struct hd_log log = { 0 };
	struct hd_trace_export files[2];
	struct hd_outfile out[2];
	struct told t = { .dict = &dict, .last = INT64_MIN };
	struct hd_gpu_sink sink = { .dict = &dict,
		.capture = &capture,
		.log = &log,
		.activity = on_activity,
		.context = &t };
	struct hd_strtab *names = hd_strtab_new();
	int fd = memfd_create("kineto", MFD_CLOEXEC);

	hd_gpu_dict_init(&dict, names);
	for (int i = 0; chrome && i < 2; i++) {
		hd_outfile_memory(&out[i]);
		hd_trace_export_begin(&files[i], i ? &hd_trace_export_perfetto : &hd_trace_export_chrome, &out[i],
			&dict, &capture);
		t.chrome = &files[0];
		t.perfetto = &files[1];
	}
	if (fd >= 0 && write(fd, data, size) == (ssize_t)size)
		assert(hd_gpu_kineto_read(fd, "input", &sink, NULL) == 0);
	assert(size || hd_log_find(&log, "lost.trace"));
	close(fd);
	for (int i = 0; chrome && i < 2; i++)
		hd_trace_export_end(&files[i], true);
	if (chrome) {
		*chrome = out[0].pending;
		out[0].pending = (struct hd_buf){ 0 };
		hd_outfile_discard(&out[0]);
		hd_outfile_discard(&out[1]);
	}
	t.damaged = log.n > 0;
	hd_gpu_dict_release(&dict);
	hd_gpu_capture_release(&capture);
	hd_log_release(&log);
	hd_strtab_free(names);
	return t;
}

static void check_timeline(const struct told *plain, const struct hd_buf *chrome)
{
	struct told back = read_all(chrome->data, chrome->len, NULL);

	if (back.damaged)	/* two times are so far apart that their difference overflows */
		return;
	for (int k = 0; k < HD_GPU_KINDS; k++)
		assert(plain->of_kind[k] == back.of_kind[k] && plain->ns[k] == back.ns[k]);
	assert(plain->bytes == back.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_buf packed = { 0 }, chrome = { 0 };
	struct told plain, again;

	hd_gpu_kineto_is((const char *)data, size);
	plain = read_all(data, size, &chrome);
	check_timeline(&plain, &chrome);
	hd_buf_release(&chrome);
	if (size >= 3 && !memcmp(data, "\x1f\x8b\x08", 3))	/* gzip in gzip is not read */
		return 0;
	hd_gzip(&packed, data, size);
	again = read_all(packed.data, packed.len, NULL);
	assert(plain.n == again.n && plain.sum == again.sum);
	hd_buf_release(&packed);
	return 0;
}
