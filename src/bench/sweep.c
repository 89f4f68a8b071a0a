/*
 * sweep.c - see sweep.h
 */
#include "bench/sweep.h"

#include "base/mem.h"
#include "stats/special_functions.h"
#include "track/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST 1e15

/* ---- the command line ---- */

/* Parse a list such as "1000,2000,4000": distinct whole numbers of 1 or more. */
static int parse_values(struct hd_bench_sweep *s, const char *text, struct hd_err *err)
{
	const char *at = text;

	for (;;) {
		size_t n = strcspn(at, ",");
		struct hd_number v;

		if (hd_number_read(at, n, &v) != HD_NUMBER || !v.is_whole || v.negative || !v.whole || v.v > LARGEST)
			return hd_fail(err, HD_EUSAGE, "bench: --%s takes whole numbers from 1 to 1e15, separated by "
				"commas, not '%s'", strcmp(s->word, "size") ? s->word : "sizes", text);
		for (size_t i = 0; i < s->n; i++)
			if (s->values[i] == v.v)
				return hd_fail(err, HD_EUSAGE, "bench: %.0f is in '%s' twice", v.v, text);
		if (s->n == HD_BENCH_SWEEP_MAX)
			return hd_fail(err, HD_EUSAGE, "bench: more than %d values in '%.100s'", HD_BENCH_SWEEP_MAX,
				text);
		s->values[s->n++] = v.v;
		if (!at[n])
			return 0;
		at += n + 1;
	}
}

int hd_bench_sweep_init(struct hd_bench_sweep *s, const struct hd_bench_opts *o, struct hd_err *err)
{
	int rc = 0;

	*s = (struct hd_bench_sweep){ .o = o };
	if (o->sizes && o->iterations)
		return hd_fail(err, HD_EUSAGE, "bench: --sizes and --iterations cannot both be given");
	s->word = o->sizes ? "size" : o->iterations ? "iterations" : NULL;
	if (s->word)
		rc = parse_values(s, o->sizes ? o->sizes : o->iterations, err);
	else
		s->n = 1;
	if (rc >= 0)
		s->sessions = hd_new_array(struct hd_bench_session, s->n);
	return rc;
}

/* ---- one session ---- */

struct inserting {
	struct hd_arena *arena;
	char key[16], value[32];	/* "{size}", "1000" */
	bool done;			/* the key was found */
};

/* Return `text` with each placeholder, such as {size}, replaced.  A new text is allocated in the arena. */
static const char *insert(struct inserting *in, const char *text)
{
	const char *at = text, *found;
	struct hd_buf b = { 0 };

	if (!text || !*in->key || !strstr(text, in->key))
		return text;
	for (; (found = strstr(at, in->key)); at = found + strlen(in->key)) {
		hd_buf_add(&b, at, (size_t)(found - at));
		hd_buf_adds(&b, in->value);
	}
	hd_buf_adds(&b, at);
	in->done = true;
	at = hd_arena_strndup(in->arena, b.data, b.len);
	hd_buf_release(&b);
	return at;
}

/* Parse "elements=N" or "bytes=N". */
static int parse_throughput(struct hd_bench *b, const char *text, struct hd_err *err)
{
	static const enum hd_bench_throughput kinds[] = { HD_BENCH_ELEMENTS, HD_BENCH_BYTES };
	struct hd_number v;

	for (size_t i = 0; text && i < HD_COUNT(kinds); i++) {
		const char *name = hd_bench_throughput_name(kinds[i]);
		size_t n = strlen(name);

		if (strncmp(text, name, n) || text[n] != '=')
			continue;
		if (hd_number_read(text + n + 1, strlen(text + n + 1), &v) != HD_NUMBER || !(v.v > 0))
			break;
		b->throughput = kinds[i];
		b->work = v.v;
	}
	if (text && !b->throughput)
		return hd_fail(err, HD_EUSAGE,
			"bench: --throughput takes elements=N or bytes=N with N above 0, not '%s'",
			text);
	return 0;
}

static int begin_session(struct hd_bench_session *e, const struct hd_bench_sweep *s, int argc, char **argv,
	struct hd_err *err)
{
	struct inserting in = { .arena = &e->text };
	char **words = hd_new_array(char *, (size_t)argc + 1);
	bool used;
	int rc;

	if (s->word) {
		snprintf(in.key, sizeof(in.key), "{%s}", s->word);
		snprintf(in.value, sizeof(in.value), "%.0f", e->value);
	}
	for (int i = 0; i < argc; i++)
		words[i] = (char *)insert(&in, argv[i]);
	e->o.base = insert(&in, e->o.base);
	e->o.head = insert(&in, e->o.head);
	e->o.target_run = insert(&in, e->o.target_run);
	e->o.input = insert(&in, e->o.input);
	e->o.prepare = insert(&in, e->o.prepare);
	used = in.done;
	e->o.conclude = insert(&in, e->o.conclude);
	e->o.throughput = insert(&in, e->o.throughput);
	rc = parse_throughput(&e->b, e->o.throughput, err);
	if (rc >= 0 && s->word && !used)
		rc = hd_fail(err, HD_EUSAGE, "bench: neither the command nor --input nor --prepare contains %s",
			in.key);
	if (rc >= 0)
		rc = hd_bench_variants_parse(&e->b, argc, words, err);
	free(words);
	return rc;
}

int hd_bench_sweep_next(struct hd_bench_sweep *s, int argc, char **argv, struct hd_bench_session **session,
	struct hd_err *err)
{
	struct hd_bench_session *e;
	int rc;

	if (s->begun == s->n)
		return 0;
	if (!s->begun) {
		s->pattern = (struct hd_bench){ .o = s->o, .watch.fd = -1 };
		rc = hd_bench_variants_parse(&s->pattern, argc, argv, err);
		if (rc < 0)
			return rc;
	}
	e = &s->sessions[s->begun];
	*e = (struct hd_bench_session){ .value = s->values[s->begun], .o = *s->o, .b.watch.fd = -1 };
	e->b.o = &e->o;
	s->begun++;
	rc = begin_session(e, s, argc, argv, err);
	*session = e;
	return rc < 0 ? rc : 1;
}

void hd_bench_sweep_release(struct hd_bench_sweep *s)
{
	for (size_t i = 0; i < s->begun; i++) {
		hd_bench_release(&s->sessions[i].b);
		hd_arena_release(&s->sessions[i].text);
	}
	hd_bench_release(&s->pattern);
	free(s->sessions);
	*s = (struct hd_bench_sweep){ 0 };
}

/* ---- the fits ---- */

static struct hd_bench_line fit_line(const double *x, const double *y, size_t n)
{
	struct hd_bench_line line = { .slope = { -INFINITY, INFINITY } };
	double half;

	if (hd_fit_line(&line.fit, x, y, n) < 0)
		return line;
	line.known = true;
	if (n < 3 || !(line.fit.r2 > 0))
		return line;
	/* slope / standard error = t = r sqrt((n - 2) / (1 - r^2)), with r the correlation of the n points */
	half = hd_t_quantile(0.975, (double)n - 2) * fabs(line.fit.slope) *
		sqrt((1 / line.fit.r2 - 1) / ((double)n - 2));
	line.slope = (struct hd_interval){ line.fit.slope - half, line.fit.slope + half };
	return line;
}

int hd_bench_sweep_fit(struct hd_bench_sweep *s, struct hd_err *err)
{
	size_t runs = 0;
	double *x, *y;
	int rc = 0;

	if (!s->word)
		return 0;
	for (size_t i = 0; i < s->begun; i++)
		runs += s->sessions[i].b.nruns;
	x = hd_new_array(double, runs + 1);
	y = hd_new_array(double, runs + 1);
	for (unsigned side = 0; side < HD_BENCH_VARIANTS && rc >= 0; side++) {
		size_t n = 0;

		for (size_t i = 0; i < s->begun; i++) {
			const struct hd_bench_session *e = &s->sessions[i];
			size_t end = n;

			if (e->reported)
				end += hd_bench_values(&e->b, side, HD_BENCH_WALL, y + n);
			for (; n < end; n++)
				x[n] = e->value;
		}
		rc = hd_growth_make(&s->growth[side], x, y, n, s->o->noise_part);
		s->line[side] = fit_line(x, y, n);
	}
	free(x);
	free(y);
	s->fitted = rc >= 0;
	return rc < 0 ? hd_fail(err, HD_EIO, "bench: no memory for %zu runs", runs) : 0;
}
