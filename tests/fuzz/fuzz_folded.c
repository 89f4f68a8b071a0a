/*
 * fuzz_folded.c - read any bytes as folded stacks
 *
 * Invariants: read = kept + dropped, the rows of each event add up to its weight and samples, and the folded output is
 * read back as the same text.
 */
#include "pipeline/folded_input.h"
#include "profile/folded.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct hd_profile *parse(const void *text, size_t n, unsigned keys)
{
	struct hd_pipeline_opts opts = { .keys = keys };
	struct hd_profile *p = hd_profile_new();
	int fd = memfd_create("folded", MFD_CLOEXEC);
	struct hd_err err;

	p->keys = keys;
	if (fd >= 0 && write(fd, text, n) == (ssize_t)n && lseek(fd, 0, SEEK_SET) == 0)
		hd_folded_input_read(p, fd, "input", &opts, &err);
	close(fd);
	return p;
}

static void check_sums(const struct hd_profile *p)
{
	uint64_t dropped = 0, weight[2] = { 0 }, count[2] = { 0 };

	for (size_t i = 0; i < p->ndropped; i++)
		dropped += p->dropped[i].count;
	for (size_t i = 0; i < p->rows.n; i++) {
		assert(p->rows.items[i].event < 2);	/* `folded`, and `base` for lines with two counts */
		weight[p->rows.items[i].event] += p->rows.items[i].weight;
		count[p->rows.items[i].event] += p->rows.items[i].count;
	}
	assert(p->read == p->kept + dropped && count[0] + count[1] == p->kept);
	for (size_t e = 0; e < p->nevents; e++)
		assert(weight[e] == p->events[e].weight && count[e] == p->events[e].samples);
}

static struct hd_buf fold(const struct hd_profile *p)
{
	struct hd_folded_opts o = { .annotate = true };
	struct hd_outfile out;
	struct hd_buf text;

	hd_outfile_memory(&out);
	if (p->nevents)
		hd_folded_write(&out, p, 0, &o);
	text = out.pending;
	out.pending = (struct hd_buf){ 0 };
	hd_outfile_discard(&out);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned keys = size && data[0] & 1 ? HD_KEY_COMM : 0;
	struct hd_profile *p = parse(data, size, keys), *again;
	struct hd_buf once, twice;

	hd_folded_input_is((const char *)data, size, true);
	hd_folded_input_is((const char *)data, size, false);
	check_sums(p);
	once = fold(p);
	again = parse(hd_buf_str(&once), once.len, keys);
	check_sums(again);
	twice = fold(again);
	assert(once.len == twice.len && !memcmp(hd_buf_str(&once), hd_buf_str(&twice), once.len));
	assert(!once.len || hd_folded_input_is(once.data, once.len, true));
	hd_buf_release(&once);
	hd_buf_release(&twice);
	hd_profile_free(p);
	hd_profile_free(again);
	return 0;
}
