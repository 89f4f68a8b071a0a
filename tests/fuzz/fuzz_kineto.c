/*
 * Any bytes as a Chrome trace, plain and gzipped.  Laws: starts rise, strings and stacks are ids of the dictionary, the
 * same text gives the same activities when it is gzipped, and a damaged one gives a warning.
 */
#include "gpu/kineto.h"
#include "output/gzip.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct told {
	struct hd_gpu_dict *dict;
	int64_t last;
	uint64_t n, sum;
};

static int on_activity(void *context, const struct hd_gpu_activity *a, struct hd_err *err)
{
	struct told *t = context;

	(void)err;
	assert(a->start_ns >= t->last);
	assert(a->kind < HD_GPU_KINDS && a->copy < HD_GPU_COPIES && a->from < HD_GPU_MEMORY_KINDS && a->to < HD_GPU_MEMORY_KINDS);
	assert(a->name < hd_strtab_count(t->dict->names) && a->stack < t->dict->nnodes);
	assert(!a->stack || t->dict->nodes[a->stack].caller < a->stack);
	t->last = a->start_ns;
	t->n++;
	t->sum = t->sum * 31 + (uint64_t)a->start_ns + (uint64_t)a->end_ns * 3 + a->name + a->stack + a->bytes;
	return 0;
}

static struct told read_all(const void *data, size_t size)
{
	struct hd_gpu_capture capture = { 0 };
	struct hd_gpu_dict dict;
	struct hd_log log = { 0 };
	struct told t = { .dict = &dict, .last = INT64_MIN };
	struct hd_gpu_sink sink = { .dict = &dict, .capture = &capture, .log = &log, .activity = on_activity, .context = &t };
	struct hd_strtab *names = hd_strtab_new();
	int fd = memfd_create("kineto", MFD_CLOEXEC);

	hd_gpu_dict_init(&dict, names);
	if (fd >= 0 && write(fd, data, size) == (ssize_t)size)
		assert(hd_gpu_kineto_read(fd, "input", &sink, NULL) == 0);
	assert(size || hd_log_find(&log, "lost.trace"));
	close(fd);
	hd_gpu_dict_release(&dict);
	hd_gpu_capture_release(&capture);
	hd_log_release(&log);
	hd_strtab_free(names);
	return t;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_buf packed = { 0 };
	struct told plain, again;

	hd_gpu_kineto_is((const char *)data, size);
	plain = read_all(data, size);
	if (size >= 3 && !memcmp(data, "\x1f\x8b\x08", 3))	/* gzip in gzip is not read */
		return 0;
	hd_gzip(&packed, data, size);
	again = read_all(packed.data, packed.len);
	assert(plain.n == again.n && plain.sum == again.sum);
	hd_buf_release(&packed);
	return 0;
}
