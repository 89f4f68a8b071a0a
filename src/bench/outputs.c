/*
 * outputs.c - compare what the runs print and write
 *
 * The reference is the first run that did not fail.
 */
#include "bench/bench.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void hd_bench_outputs_init(struct hd_bench *b)
{
	const struct hd_bench_opts *o = b->o;
	bool printed = b->nsides == 2 && !o->no_compare;

	b->outputs = hd_new_array(struct hd_bench_output, o->output_files.n + 1);
	if (printed)
		b->outputs[b->noutputs++].name = "stdout";
	for (size_t i = 0; i < o->output_files.n && !o->no_compare; i++)
		b->outputs[b->noutputs++].name = o->output_files.items[i];
}

/* ---- comparing ---- */

static void first_difference(struct hd_bench_output *out, unsigned side, const struct hd_text_compare *t,
	const struct hd_bench_variant *variant, unsigned number)
{
	struct hd_buf *b = &out->difference[side];

	if (b->len)
		return;
	hd_buf_addf(b, "line %llu: '", (unsigned long long)t->line);
	hd_buf_add(b, t->a, t->na);
	hd_buf_addf(b, "' in the first run, '");
	hd_buf_add(b, t->b, t->nb);
	hd_buf_addf(b, "' in run %u of %s", number + 1, variant->name);
}

static void differs_in_sum(struct hd_bench_output *out, unsigned side)
{
	if (!out->difference[side].len)
		hd_buf_adds(&out->difference[side],
			"its SHA-256 differs, and it is too long to be compared number by number");
	out->count[side][HD_SAME_NOT]++;
}

static void compare(struct hd_bench_output *out, const struct hd_bench *b, const struct hd_bench_run *run,
	const uint8_t sum[HD_SHA256_BYTES], const struct hd_buf *text, uint64_t bytes)
{
	struct hd_text_compare t;

	if (!out->have) {
		out->have = true;
		out->side = run->side;
		out->bytes = bytes;
		out->cut = bytes > text->len;
		memcpy(out->sum, sum, HD_SHA256_BYTES);
		hd_buf_add(&out->text, hd_buf_str(text), text->len);
	}
	if (!memcmp(out->sum, sum, HD_SHA256_BYTES)) {
		out->count[run->side][HD_SAME_BYTES]++;
		return;
	}
	if (out->cut || bytes > text->len) {
		differs_in_sum(out, run->side);
		return;
	}
	hd_text_compare(&t, hd_buf_str(&out->text), out->text.len, hd_buf_str(text), text->len, b->o->relative,
		b->o->absolute);
	out->count[run->side][t.same]++;
	if (t.same == HD_SAME_NOT)
		first_difference(out, run->side, &t, &b->side[run->side], run->number);
	else if (t.worst > out->worst)
		out->worst = t.worst;
}

/* Read the first HD_BENCH_KEEP_BYTES of a file into `text`, and compute the SHA-256 and length of all of it. */
static int read_file(struct hd_buf *text, uint8_t sum[HD_SHA256_BYTES], uint64_t *bytes, const char *path,
	struct hd_err *err)
{
	struct hd_sha256 *h;
	char *chunk;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return hd_fail_errno(err, HD_EIO, errno, "%s: cannot open", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return hd_fail(err, HD_EIO, "%s: not a regular file", path);
	}
	h = hd_sha256_new();
	chunk = hd_alloc(1 << 16);
	*bytes = 0;
	while ((n = hd_file_pread(fd, chunk, 1 << 16, *bytes, path, err)) > 0) {
		size_t room = HD_BENCH_KEEP_BYTES - text->len;

		hd_sha256_add(h, chunk, (size_t)n);
		hd_buf_add(text, chunk, (size_t)n < room ? (size_t)n : room);
		*bytes += (uint64_t)n;
	}
	hd_sha256_end(h, sum);
	free(chunk);
	close(fd);
	return (int)n;
}

char *hd_bench_outputs_compare(struct hd_bench *b, const struct hd_bench_run *run, const struct hd_bench_variant *side)
{
	for (size_t i = 0; i < b->noutputs; i++) {
		struct hd_bench_output *out = &b->outputs[i];
		uint8_t sum[HD_SHA256_BYTES];
		struct hd_buf text = { 0 }, path = { 0 };
		struct hd_err err = { 0 };
		uint64_t bytes = 0;
		int rc;

		if (!i && b->nsides == 2) {
			compare(out, b, run, run->end.output_sum, &run->end.output, run->end.output_bytes);
			continue;
		}
		hd_bench_variant_path(&path, side, out->name);
		rc = read_file(&text, sum, &bytes, path.data, &err);
		if (rc >= 0)
			compare(out, b, run, sum, &text, bytes);
		hd_buf_release(&text);
		hd_buf_release(&path);
		if (rc < 0)
			return hd_strdup(err.msg);
	}
	return NULL;
}

enum hd_bench_sameness hd_bench_output_sameness(const struct hd_bench_output *out)
{
	if (!out->have)
		return HD_BENCH_SAME_UNKNOWN;
	if (out->count[out->side][HD_SAME_NOT])
		return HD_BENCH_SAME_VARIES;
	if (out->count[!out->side][HD_SAME_NOT])
		return HD_BENCH_SAME_DIFFERS;
	return out->count[0][HD_SAME_WITHIN] || out->count[1][HD_SAME_WITHIN] ? HD_BENCH_SAME_WITHIN
									      : HD_BENCH_SAME_BYTES;
}

void hd_bench_outputs_release(struct hd_bench *b)
{
	for (size_t i = 0; i < b->noutputs; i++) {
		hd_buf_release(&b->outputs[i].text);
		for (unsigned s = 0; s < HD_BENCH_VARIANTS; s++)
			hd_buf_release(&b->outputs[i].difference[s]);
	}
	free(b->outputs);
	b->outputs = NULL;
	b->noutputs = 0;
}
