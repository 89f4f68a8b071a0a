/*
 * fuzz_gputrace.c - read any bytes as a trace of libhotdrift-cuda.so
 *
 * Invariants: activities are sorted by start; their names, stacks and kinds exist; a module has as many segments and
 * bytes as it declares; reading again gives the same activities, with the modules and without, and by the reader of
 * pipeline/ without symbols.
 */
#include "base/mem.h"
#include "gpu/cuda_trace.h"
#include "pipeline/gpu_trace_symbols.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	struct hd_gpu_dict dict;
	struct hd_gpu_capture capture;
	struct hd_log log;
	int64_t last;
	uint64_t n, sum;
};

static int on_activity(void *context, const struct hd_gpu_activity *a, struct hd_err *err)
{
	struct seen *s = context;

	(void)err;
	assert(a->kind < HD_GPU_KINDS && a->copy < HD_GPU_COPIES && a->sync < HD_GPU_SYNCS);
	assert(a->from < HD_GPU_MEMORY_KINDS && a->to < HD_GPU_MEMORY_KINDS);
	assert(a->name < hd_strtab_count(s->dict.names) && a->full < hd_strtab_count(s->dict.names));
	assert(a->stack < s->dict.nnodes);
	assert(!s->n || a->start_ns >= s->last);
	s->last = a->start_ns;
	s->n++;
	s->sum += (uint64_t)a->start_ns ^ a->correlation;
	return 0;
}

static void on_module(void *context, const struct hd_cuda_trace_module *m)
{
	uint64_t *sum = context;

	assert(m->build_id_len <= 20);
	for (size_t i = 0; i < m->path_len; i++)
		*sum += (uint8_t)m->path[i];
	for (size_t i = 0; i < m->nsegments; i++)
		*sum += m->segments[i].start;
}

/*
 * Read the trace.  Return a checksum of its activities, and their number in *n.  `asked` selects the lookups: 0 none;
 * 1 on_module() for each module; 2 those of hd_gpu_trace_symbols_read().
 */
static uint64_t read_once(int fd, int asked, uint64_t *n)
{
	struct hd_pipeline_opts opts = { .no_symbols = true };
	uint64_t sum = 0;
	struct hd_cuda_trace_lookup ask = { .context = &sum, .module = on_module };
	struct seen s = { 0 };
	struct hd_strtab *names = hd_strtab_new();
	struct hd_gpu_sink sink = { .dict = &s.dict,
		.capture = &s.capture,
		.log = &s.log,
		.activity = on_activity,
		.context = &s };
	struct hd_err err = { 0 };
	int rc;

	hd_gpu_dict_init(&s.dict, names);
	if (asked == 2)
		rc = hd_gpu_trace_symbols_read(fd, "input", &opts, &sink, &err);
	else
		rc = hd_cuda_trace_read(fd, "input", &sink, asked ? &ask : NULL, &err);
	assert(rc >= 0 || err.msg[0]);
	*n = s.n;
	hd_gpu_dict_release(&s.dict);
	hd_gpu_capture_release(&s.capture);
	hd_log_release(&s.log);
	hd_strtab_free(names);
	return s.sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	struct hd_cuda_trace_info info;
	struct hd_err err;
	uint64_t n, other, sum;

	if (fd >= 0 && write(fd, data, size) == (ssize_t)size) {
		if (hd_cuda_trace_info(&info, fd, "input", &err) >= 0)
			assert(strlen(info.reason) < sizeof(info.reason));
		sum = read_once(fd, 0, &n);
		assert(read_once(fd, 1, &other) == sum && other == n);
		assert(read_once(fd, 2, &other) == sum && other == n);
	}
	close(fd);
	return 0;
}
