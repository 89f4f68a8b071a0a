/*
 * named_profile.h - for fuzz targets: check the invariants of readers that use pipeline/named_samples.h
 *
 * Invariants: read = kept + dropped; the rows of each event add up to its weight and samples; each row has a valid
 * event and stack; the folded text of each of the first three events reads back to the same text.
 */
#ifndef HD_TESTS_FUZZ_NAMED_PROFILE_H
#define HD_TESTS_FUZZ_NAMED_PROFILE_H

#include "base/mem.h"
#include "pipeline/folded_input.h"
#include "profile/folded.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef int named_reader(struct hd_profile *p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err);

static struct hd_profile *read_named(named_reader *reader, const void *bytes, size_t n,
	const struct hd_pipeline_opts *opts)
{
	struct hd_profile *p = hd_profile_new();
	int fd = memfd_create("input", MFD_CLOEXEC);
	struct hd_err err;

	p->keys = opts->keys;
	if (fd >= 0 && write(fd, bytes, n) == (ssize_t)n && lseek(fd, 0, SEEK_SET) == 0)
		reader(p, fd, "input", opts, &err);
	close(fd);
	return p;
}

static void check_named_sums(const struct hd_profile *p)
{
	uint64_t *weight = hd_new_array(uint64_t, p->nevents), *count = hd_new_array(uint64_t, p->nevents);
	uint64_t dropped = 0, kept = 0;

	for (size_t i = 0; i < p->ndropped; i++)
		dropped += p->dropped[i].count;
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct hd_sample_row *row = &p->rows.items[i];

		assert(row->event < p->nevents && row->stack.v < hd_stacks_count(p->stacks));
		weight[row->event] += row->weight;
		count[row->event] += row->count;
		kept += row->count;
	}
	assert(p->read == p->kept + dropped && p->kept == kept);
	for (size_t e = 0; e < p->nevents; e++)
		assert(weight[e] == p->events[e].weight && count[e] == p->events[e].samples);
	free(weight);
	free(count);
}

static struct hd_buf fold_named(const struct hd_profile *p, uint32_t event)
{
	const struct hd_folded_opts o = { .annotate = true };
	struct hd_outfile out;
	struct hd_buf text;

	hd_outfile_memory(&out);
	hd_folded_write(&out, p, event, &o);
	text = out.pending;
	out.pending = (struct hd_buf){ 0 };
	hd_outfile_discard(&out);
	return text;
}

static void check_named_fold(const struct hd_profile *p, uint32_t event)
{
	const struct hd_pipeline_opts opts = { .keys = p->keys };
	struct hd_buf once = fold_named(p, event), twice = { 0 };
	struct hd_profile *again = read_named(hd_folded_input_read, hd_buf_str(&once), once.len, &opts);

	if (once.len)
		twice = fold_named(again, 0);
	assert(once.len == twice.len && !memcmp(hd_buf_str(&once), hd_buf_str(&twice), once.len));
	hd_buf_release(&once);
	hd_buf_release(&twice);
	hd_profile_free(again);
}

static void check_named_reader(named_reader *reader, const uint8_t *data, size_t size)
{
	static const struct hd_pipeline_opts all[] = {
		{ .keys = HD_KEY_COMM, .budget_bytes = 16 << 20 },
		{ .keys = HD_KEY_COMM | HD_KEY_PID | HD_KEY_TID, .lines = true, .no_inline = true, .full_names = true,
			.select = { .no_kernel = true, .strip_version = true } },
	};

	for (size_t i = 0; i < HD_COUNT(all); i++) {
		struct hd_profile *p = read_named(reader, data, size, &all[i]);

		check_named_sums(p);
		for (uint32_t e = 0; e < p->nevents && e < 3; e++)
			check_named_fold(p, e);
		hd_profile_free(p);
	}
}

#endif
