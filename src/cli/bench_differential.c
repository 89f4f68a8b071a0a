/*
 * bench_differential.c - see bench_differential.h
 */
#include "cli/bench_differential.h"

#include "base/file.h"
#include "bench/differential.h"
#include "cli/cmd.h"

#include <string.h>

enum { AS_MARKDOWN = 1, AS_JSON };

static int parse(struct hd_differential_opts *d, const struct hd_bench_opts *o, struct hd_err *err)
{
	unsigned long long n = 0, seed;

	if (o->generate && (hd_parse_uint(o->generate, HD_DIFFERENTIAL_INPUTS_MAX, &n) < 0 || !n))
		return hd_fail(err, HD_EUSAGE, "bench: --generate takes a number from 1 to %llu, not '%s'",
			HD_DIFFERENTIAL_INPUTS_MAX, o->generate);
	if (hd_parse_uint(o->seed, UINT64_MAX, &seed) < 0)
		return hd_fail(err, HD_EUSAGE, "bench: --seed takes a whole number, not '%s'", o->seed);
	if (!o->values || o->values > HD_DIFFERENTIAL_VALUES_MAX || !o->batch)
		return hd_fail(err, HD_EUSAGE, "bench: --values takes 1 to %d, --batch 1 or more",
			HD_DIFFERENTIAL_VALUES_MAX);
	if (o->sizes || o->iterations || o->add || o->last || o->html || o->csv || o->profile || o->min_speedup ||
		o->no_compare || o->output_files.n || o->series.n)
		return hd_fail(err, HD_EUSAGE, "bench: --generate and --corpus compare outputs only; options of timing "
			"do not go with them");
	*d = (struct hd_differential_opts){ .inputs = n, .seed = seed, .values = o->values, .batch = o->batch,
		.corpus = o->corpus };
	return 0;
}

static int report(const struct hd_differential *d, const struct hd_bench_opts *o, struct hd_err *err)
{
	int format = o->json ? AS_JSON : o->format, rc;
	struct hd_buf text = { 0 };

	if (format == AS_JSON)
		hd_differential_json(&text, d);
	else
		hd_differential_text(&text, d, format == AS_MARKDOWN);
	rc = hd_file_write(o->out, &text, err);
	hd_buf_release(&text);
	if (rc >= 0 && d->b->stopped_by)
		return hd_fail(err, HD_EIO, "bench: SIG%s ended the session after %llu inputs",
			sigabbrev_np(d->b->stopped_by), (unsigned long long)d->inputs);
	if (rc >= 0 && (d->differ || d->replayed_differ)) {
		err->msg[0] = '\0';
		return HD_ENO;
	}
	return rc;
}

int hd_bench_compare_inputs(int argc, char **argv, const struct hd_bench_opts *o, struct hd_err *err)
{
	struct hd_differential_opts opts;
	struct hd_bench b = { .o = o, .watch.fd = -1 };
	struct hd_differential d = { .b = &b, .o = &opts, .fd = -1 };
	int rc = parse(&opts, o, err);

	if (rc >= 0 && !argc && !o->base && !o->head && !o->corpus)
		return hd_differential_write_inputs(&opts, o->out, err);
	if (rc >= 0)
		rc = hd_bench_variants_parse(&b, argc, argv, err);
	if (rc >= 0 && b.nsides != 2)
		rc = hd_fail(err, HD_EUSAGE, "bench: --generate and --corpus compare two commands");
	if (rc >= 0)
		rc = hd_differential_run(&d, err);
	if (rc >= 0)
		rc = report(&d, o, err);
	hd_differential_release(&d);
	hd_bench_release(&b);
	return rc;
}
