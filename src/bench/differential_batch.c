/*
 * differential_batch.c - compare two commands on one batch of inputs, and keep inputs for which they differ; see
 * differential.h
 */
#include "bench/differential.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- one batch ---- */

static int write_batch(struct hd_differential *d, const char *text, size_t n, struct hd_err *err)
{
	if (d->fd < 0)
		d->fd = hd_file_temporary("the inputs", err);
	if (d->fd < 0)
		return d->fd;
	if (ftruncate(d->fd, 0) < 0)
		return hd_fail_errno(err, HD_EIO, errno, "bench: cannot write the inputs");
	return hd_file_pwrite(d->fd, text, n, 0, "the inputs", err);
}

/* Run one command on the batch.  The caller releases *end.  Returns HD_EIO if it cannot be started. */
static int run_one(struct hd_differential *d, unsigned side, struct hd_subprocess_result *end, struct hd_err *err)
{
	const struct hd_bench_variant *v = &d->b->side[side];
	char input[64];
	struct hd_subprocess what = { .argv = v->command.argv, .dir = v->dir, .input = input,
		.limit_ms = d->b->o->timeout_ms, .sum_output = true, .keep_bytes = HD_BENCH_KEEP_BYTES };
	struct hd_buf why = { 0 };
	int rc;

	/*
	 * The child inherits the descriptor of the input file, but opens the file again by this path as its standard
	 * input, so that it reads from the beginning.
	 */
	snprintf(input, sizeof(input), "/proc/self/fd/%d", d->fd);
	rc = hd_subprocess_run(end, &what, &d->b->watch, err);
	if (rc < 0)
		return rc;
	d->processes++;
	if (end->how != HD_SUBPROCESS_NOT_STARTED)
		return 0;
	hd_subprocess_describe(&why, end);
	rc = hd_fail(err, HD_EIO, "bench: '%s' %s", v->command.argv[0], hd_buf_str(&why));
	hd_buf_release(&why);
	hd_subprocess_result_release(end);
	return rc;
}

struct pair {
	struct hd_subprocess_result end[HD_BENCH_VARIANTS];
};

static void pair_release(struct pair *p)
{
	for (unsigned s = 0; s < HD_BENCH_VARIANTS; s++)
		hd_subprocess_result_release(&p->end[s]);
}

/* Run both commands on a text.  After success the caller releases *p. */
static int run_pair(struct hd_differential *d, struct pair *p, const char *text, size_t n, struct hd_err *err)
{
	int rc = write_batch(d, text, n, err);

	*p = (struct pair){ 0 };
	for (unsigned s = 0; s < HD_BENCH_VARIANTS && rc >= 0; s++)
		rc = run_one(d, s, &p->end[s], err);
	if (rc < 0)
		pair_release(p);
	return rc;
}

static bool same_end(const struct pair *p)
{
	return p->end[0].how == p->end[1].how && p->end[0].status == p->end[1].status;
}

static bool same_text(const struct hd_differential *d, const char *a, size_t na, const char *b, size_t nb)
{
	struct hd_text_compare t;

	hd_text_compare(&t, a, na, b, nb, d->b->o->relative, d->b->o->absolute);
	return t.same != HD_SAME_NOT;
}

static bool agree(const struct hd_differential *d, const struct pair *p)
{
	const struct hd_subprocess_result *a = &p->end[0], *b = &p->end[1];

	if (!same_end(p))
		return false;
	if (!memcmp(a->output_sum, b->output_sum, HD_SHA256_BYTES))
		return true;
	/* An output that is not kept as a whole is compared by its SHA-256 only. */
	if (a->output_bytes > a->output.len || b->output_bytes > b->output.len)
		return false;
	return same_text(d, hd_buf_str(&a->output), a->output.len, hd_buf_str(&b->output), b->output.len);
}

int hd_differential_test(struct hd_differential *d, const char *text, size_t n, struct hd_err *err)
{
	struct pair p;
	int rc = run_pair(d, &p, text, n, err);

	if (rc < 0)
		return rc;
	rc = !d->b->watch.stopped_by && !agree(d, &p);
	pair_release(&p);
	return rc;
}

/* ---- inputs that differ ---- */

/* Append the result of a command for an input: its output, or how the command ended. */
static void answer(struct hd_buf *out, const struct hd_subprocess_result *end)
{
	size_t n = end->output.len < HD_DIFFERENTIAL_SHOWN ? end->output.len : HD_DIFFERENTIAL_SHOWN;

	hd_subprocess_describe(out, end);
	if (!out->len)
		hd_buf_add(out, hd_buf_str(&end->output), n);
	while (out->len && out->data[out->len - 1] == '\n')
		out->len--;
}

static char *corpus_path(const struct hd_differential *d, const struct hd_buf *input)
{
	struct hd_buf path = { 0 };
	char hex[HD_SHA256_HEX];

	hd_sha256_hex(hd_buf_str(input), input->len, hex);
	hd_buf_addf(&path, "%s/%.16s.input", d->o->corpus, hex);
	return hd_buf_take(&path);
}

int hd_differential_keep(struct hd_differential *d, struct hd_buf *input, struct hd_err *err)
{
	struct hd_differential_found *f = &d->found[d->nfound];
	struct pair p;
	int rc;

	for (size_t i = 0; i < d->nfound; i++)
		if (d->found[i].input.len == input->len &&
			!memcmp(hd_buf_str(&d->found[i].input), hd_buf_str(input), input->len))
			return 0;
	if (d->nfound == HD_DIFFERENTIAL_KEEP)
		return 0;
	rc = run_pair(d, &p, hd_buf_str(input), input->len, err);
	if (rc < 0)
		return rc;
	*f = (struct hd_differential_found){ .input = *input };
	*input = (struct hd_buf){ 0 };
	d->nfound++;
	for (unsigned s = 0; s < HD_BENCH_VARIANTS; s++)
		answer(&f->output[s], &p.end[s]);
	pair_release(&p);
	if (!d->o->corpus)
		return 0;
	f->file = corpus_path(d, &f->input);
	f->stored = access(f->file, F_OK) == 0;
	return f->stored ? 0 : hd_file_write(f->file, &f->input, err);
}

/* Shorten a text for which the outputs differ, and keep the result, unless HD_DIFFERENTIAL_KEEP were kept before. */
static int isolate(struct hd_differential *d, const char *text, size_t n, struct hd_err *err)
{
	struct hd_buf input = { 0 };
	int rc;

	if (d->nfound == HD_DIFFERENTIAL_KEEP)
		return 0;
	hd_buf_add(&input, text, n);
	rc = hd_differential_shrink(d, &input, err);
	if (rc >= 0 && !d->b->watch.stopped_by)
		rc = hd_differential_keep(d, &input, err);
	hd_buf_release(&input);
	return rc;
}

/* ---- lines ---- */

static size_t count_lines(const char *text, size_t n)
{
	size_t lines = 0;

	for (const char *at = text, *end = text + n; at < end; lines++) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));

		at = nl ? nl + 1 : end;
	}
	return lines;
}

struct cursor {
	const char *at, *end;
};

/* Return the next line and advance.  *n becomes its length, with its line end. */
static const char *next_line(struct cursor *c, size_t *n)
{
	const char *line = c->at, *nl = memchr(line, '\n', (size_t)(c->end - line));

	c->at = nl ? nl + 1 : c->end;
	*n = (size_t)(c->at - line);
	return line;
}

static struct cursor over(const char *text, size_t n)
{
	return (struct cursor){ text, text + n };
}

/*
 * Both commands wrote a line for each input line.  Count, shorten and keep the lines whose outputs differ.  Returns 1;
 * 0 without counting if no line differs, or if the first one that differs does not differ when it is run alone: then an
 * output depends on earlier lines; < 0 on error.  If d->found is full, no line is run alone.
 */
static int take_lines(struct hd_differential *d, const struct pair *p, const char *text, size_t n, size_t lines,
	struct hd_err *err)
{
	struct cursor in = over(text, n), a = over(hd_buf_str(&p->end[0].output), p->end[0].output.len),
		      b = over(hd_buf_str(&p->end[1].output), p->end[1].output.len);
	uint64_t differ = 0;
	size_t ni, na, nb;
	int rc = 0;

	for (size_t i = 0; i < lines && rc >= 0 && !d->b->watch.stopped_by; i++) {
		const char *line = next_line(&in, &ni), *x = next_line(&a, &na), *y = next_line(&b, &nb);

		if ((na == nb && !memcmp(x, y, na)) || same_text(d, x, na, y, nb))
			continue;
		if (!differ && d->nfound < HD_DIFFERENTIAL_KEEP) {
			rc = hd_differential_test(d, line, ni, err);
			if (rc <= 0)
				return rc;
		}
		differ++;
		rc = isolate(d, line, ni, err);
	}
	d->differ += differ;
	return rc < 0 ? rc : differ > 0;
}

int hd_differential_batch(struct hd_differential *d, const char *text, size_t n, struct hd_err *err)
{
	size_t lines = count_lines(text, n);
	struct pair p;
	int rc = run_pair(d, &p, text, n, err);

	if (rc < 0)
		return rc;
	d->batches++;
	d->inputs += lines;
	rc = 0;
	if (!d->b->watch.stopped_by && !agree(d, &p)) {
		const struct hd_buf *a = &p.end[0].output, *b = &p.end[1].output;

		if (same_end(&p) && p.end[0].output_bytes == a->len && p.end[1].output_bytes == b->len &&
			count_lines(hd_buf_str(a), a->len) == lines && count_lines(hd_buf_str(b), b->len) == lines)
			rc = take_lines(d, &p, text, n, lines, err);
		if (rc == 0) {
			d->differ++;
			d->more = true;
			rc = isolate(d, text, n, err);
		}
	}
	pair_release(&p);
	return rc;
}
