/*
 * differential.c - the inputs of a comparison; see differential.h
 */
#include "bench/differential.h"

#include "base/file.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CORPUS_MAX = 100000, INPUT_MAX_BYTES = 256 << 20 };

static int read_text(struct hd_buf *text, const char *path, struct hd_err *err)
{
	int fd = hd_file_open(path, err), rc = fd;

	if (fd < 0)
		return fd;
	rc = hd_file_slurp(fd, path, INPUT_MAX_BYTES, text, err);
	close(fd);
	return rc;
}

static int take_file(struct hd_differential *d, const char *path, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	int rc = read_text(&text, path, err);

	for (size_t at = 0; rc >= 0 && at < text.len && !hd_signal_watch_stopped(&d->b->watch);) {
		size_t end = at;

		for (unsigned i = 0; i < d->o->batch && end < text.len; i++) {
			const char *nl = memchr(text.data + end, '\n', text.len - end);

			end = nl ? (size_t)(nl + 1 - text.data) : text.len;
		}
		rc = hd_differential_batch(d, text.data + at, end - at, err);
		at = end;
	}
	hd_buf_release(&text);
	return rc;
}

static int take_generated(struct hd_differential *d, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	int rc = 0;

	for (uint64_t left = d->o->inputs; left && rc >= 0 && !hd_signal_watch_stopped(&d->b->watch);) {
		uint64_t n = left < d->o->batch ? left : d->o->batch;

		hd_buf_reset(&text);
		for (uint64_t i = 0; i < n; i++)
			hd_input_generator_line(&d->generator, &text);
		rc = hd_differential_batch(d, text.data, text.len, err);
		left -= n;
	}
	hd_buf_release(&text);
	return rc;
}

static int is_input(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 6 && !strcmp(e->d_name + n - 6, ".input") && *e->d_name != '.';
}

static int replay_one(struct hd_differential *d, const char *name, struct hd_err *err)
{
	struct hd_buf path = { 0 }, text = { 0 };
	int rc;

	hd_buf_addf(&path, "%s/%s", d->o->corpus, name);
	rc = read_text(&text, path.data, err);
	if (rc >= 0)
		rc = hd_differential_test(d, hd_buf_str(&text), text.len, err);
	if (rc >= 0)
		d->replayed++;
	if (rc > 0) {
		d->replayed_differ++;
		rc = hd_differential_keep(d, &text, err);
	}
	hd_buf_release(&path);
	hd_buf_release(&text);
	return rc;
}

/* Run both commands on each file of the corpus folder, sorted by name; create the folder if it does not exist. */
static int take_corpus(struct hd_differential *d, struct hd_err *err)
{
	struct dirent **entries = NULL;
	bool made;
	int n, rc = hd_outfolder_make(d->o->corpus, &made, err);

	if (rc < 0)
		return rc;
	n = scandir(d->o->corpus, &entries, is_input, alphasort);
	if (n < 0)
		return hd_fail_errno(err, HD_EIO, errno, "%s: cannot read the corpus", d->o->corpus);
	for (int i = 0; i < n; i++) {
		if (rc >= 0 && i < CORPUS_MAX && !hd_signal_watch_stopped(&d->b->watch))
			rc = replay_one(d, entries[i]->d_name, err);
		free(entries[i]);
	}
	free(entries);
	return rc;
}

int hd_differential_run(struct hd_differential *d, struct hd_err *err)
{
	int rc = hd_signal_watch_begin(&d->b->watch, err);

	if (rc < 0)
		return rc;
	d->fd = -1;
	d->generator = hd_input_generator_init(d->o->seed, d->o->values);
	if (d->o->corpus)
		rc = take_corpus(d, err);
	if (rc >= 0 && d->b->o->input)
		rc = take_file(d, d->b->o->input, err);
	if (rc >= 0)
		rc = take_generated(d, err);
	d->b->stopped_by = d->b->watch.stopped_by;
	hd_signal_watch_end(&d->b->watch);
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
	return rc < 0 ? rc : 0;
}

void hd_differential_release(struct hd_differential *d)
{
	for (size_t i = 0; i < d->nfound; i++) {
		hd_buf_release(&d->found[i].input);
		for (unsigned s = 0; s < HD_BENCH_VARIANTS; s++)
			hd_buf_release(&d->found[i].output[s]);
		free(d->found[i].file);
	}
	d->nfound = 0;
}

int hd_differential_write_inputs(const struct hd_differential_opts *o, const char *path, struct hd_err *err)
{
	struct hd_input_generator g = hd_input_generator_init(o->seed, o->values);
	struct hd_buf line = { 0 };
	struct hd_outfile out;
	int rc = hd_outfile_open(&out, path, err);

	if (rc < 0)
		return rc;
	for (uint64_t i = 0; i < o->inputs; i++) {
		hd_buf_reset(&line);
		hd_input_generator_line(&g, &line);
		hd_outfile_add(&out, line.data, line.len);
	}
	rc = hd_outfile_commit(&out, err);
	hd_outfile_discard(&out);
	hd_buf_release(&line);
	return rc;
}
