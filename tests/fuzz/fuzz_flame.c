/*
 * fuzz_flame.c - read any bytes as a flamegraph with embedded stacks, and as the text of such stacks
 *
 * Invariant: the weights of the rows of the first event add up to the weight of the event.
 */
#include "base/base64.h"
#include "pipeline/flame_input.h"
#include "render/gzip.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse(const void *text, size_t n)
{
	struct hd_pipeline_opts opts = { .keys = HD_KEY_COMM };
	struct hd_profile *p = hd_profile_new();
	int fd = memfd_create("flame", MFD_CLOEXEC);
	struct hd_err err;
	uint64_t sum = 0;

	p->keys = opts.keys;
	if (fd >= 0 && write(fd, text, n) == (ssize_t)n && lseek(fd, 0, SEEK_SET) == 0 && hd_flame_input_is(text, n))
		hd_flame_input_read(p, fd, "input", &opts, &err);
	for (size_t i = 0; i < p->rows.n; i++)
		sum += p->rows.items[i].event == 0 ? p->rows.items[i].weight : 0;
	assert(!p->nevents || sum == p->events[0].weight);
	close(fd);
	hd_profile_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_buf packed = { 0 }, file = { 0 };

	parse(data, size);
	hd_gzip(&packed, data, size);
	hd_buf_adds(&file, "<svg class=\"hd-flame\"><metadata class=\"hd-data\">");
	hd_base64_add(&file, hd_buf_str(&packed), packed.len);
	hd_buf_adds(&file, "</metadata></svg>");
	parse(file.data, file.len);
	hd_buf_release(&packed);
	hd_buf_release(&file);
	return 0;
}
