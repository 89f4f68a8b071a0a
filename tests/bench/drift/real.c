/*
 * real.c - make cases from real runs; see bench.h
 *
 * Nights: the benchmarks of one commit, with 25 repetitions per night.  A case takes `runs` repetitions from each of
 * two nights, or twice as many from one night.  Each benchmark becomes a symbol.  The symbols have the shares 1/i in a
 * random order.  The number of samples of a symbol is a Poisson variate, whose mean varies like the benchmark's time.
 *
 * Stacks: the shares are those of the leaves in a recording.  The sizes of runs and the noise vary as in make.c.
 */
#include "bench.h"

#include "../../stats/answers.h"

enum { NIGHTS_MAX = 16, BENCHMARKS_MAX = 100, REPEATS = 25 };

struct nights {
	size_t nights, benchmarks;
	char *night[NIGHTS_MAX], *benchmark[BENCHMARKS_MAX];
	double ns[NIGHTS_MAX][BENCHMARKS_MAX][REPEATS];
};

static size_t place(char **names, size_t *n, size_t most, const char *name)
{
	size_t i = 0;

	while (i < *n && strcmp(names[i], name) != 0)
		i++;
	if (i == *n && i < most)
		names[(*n)++] = strdup(name);
	return i;
}

struct nights *bench_nights_open(const char *dir)
{
	struct nights *n;
	struct table t;

	if (!answers_open_by(&t, dir, "aa_nights/runs.csv", ','))
		return NULL;
	n = calloc(1, sizeof(*n));
	for (size_t i = 0; n && i < t.rows; i++) {
		size_t night, benchmark;

		if (strcmp(cell(&t, i, "side"), "base") != 0)
			continue;
		night = place(n->night, &n->nights, NIGHTS_MAX, cell(&t, i, "night"));
		benchmark = place(n->benchmark, &n->benchmarks, BENCHMARKS_MAX, cell(&t, i, "benchmark"));
		for (size_t k = 0; night < NIGHTS_MAX && benchmark < BENCHMARKS_MAX && k < REPEATS; k++) {
			char column[16];

			snprintf(column, sizeof(column), "ns%zu", k + 1);
			n->ns[night][benchmark][k] = number(&t, i, column);
		}
	}
	answers_close(&t);
	return n;
}

void bench_nights_free(struct nights *n)
{
	for (size_t i = 0; n && i < n->nights; i++)
		free(n->night[i]);
	for (size_t i = 0; n && i < n->benchmarks; i++)
		free(n->benchmark[i]);
	free(n);
}

static void shuffle(size_t *v, size_t n, struct hd_random *r)
{
	for (size_t i = 0; i < n; i++)
		v[i] = i;
	for (size_t i = n; i-- > 1; ) {
		size_t k = hd_random_below(r, i + 1), x = v[i];

		v[i] = v[k];
		v[k] = x;
	}
}

static void begin(struct profile *p, size_t rows, size_t runs)
{
	p->rows = rows;
	p->base = p->head = runs;
	p->domains = 0;
	for (size_t i = 0; i < rows; i++) {
		p->truth[i] = 1;
		p->of[i][0] = p->of[i][1] = p->of[i][HD_DOMAIN_OLD_NAME] = HD_NO_DOMAIN;
	}
}

void bench_nights_make(struct profile *p, const struct nights *n, size_t runs, bool same_night, double samples,
	double factor, struct hd_random *r)
{
	size_t a = hd_random_below(r, n->nights),
	       b = same_night ? a : (a + 1 + hd_random_below(r, n->nights - 1)) % n->nights;
	size_t order[BENCHMARKS_MAX], from[2][REPEATS];
	double all = 0;

	begin(p, n->benchmarks, runs);
	p->planted = PLANTED - 1;		/* the second of 100 functions has a share of 9.6 % */
	shuffle(order, n->benchmarks, r);
	shuffle(from[0], REPEATS, r);
	shuffle(from[1], REPEATS, r);
	for (size_t i = 0; i < n->benchmarks; i++)
		all += 1 / (double)(i + 1);
	for (size_t i = 0; i < n->benchmarks; i++) {
		double usual = 0;

		for (size_t k = 0; k < REPEATS; k++)
			usual += n->ns[a][order[i]][k] / REPEATS;
		for (size_t k = 0; k < 2 * runs; k++) {
			/* if both sides use the same night, the head gets other repetitions */
			double ns = k < runs ? n->ns[a][order[i]][from[0][k]]
					     : n->ns[b][order[i]][same_night ? from[0][k] : from[1][k - runs]];

			p->y[i * 2 * runs + k] = bench_poisson(r, samples / (double)(i + 1) / all * ns / usual *
							      (i == p->planted && k >= runs ? factor : 1));
		}
	}
	p->truth[p->planted] = factor;
}

/* ---- stacks ---- */

struct stacks {
	size_t leaves, n;
	char *leaf[ROWS_MAX];
	double share[ROWS_MAX];
	size_t planted;			/* index of the leaf whose share is nearest to 7 % */
};

struct stacks *bench_stacks_open(const char *file)
{
	char *text = slurp(*file == '/' ? "" : ".", file), *next;
	struct stacks *s = text ? calloc(1, sizeof(*s)) : NULL;
	double all = 0;

	for (char *line = text; s && *line; line = next) {
		char *space, *leaf;
		size_t i;

		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		space = strrchr(line, ' ');
		if (!space)
			continue;
		*space = '\0';
		leaf = strrchr(line, ';') ? strrchr(line, ';') + 1 : line;
		i = place(s->leaf, &s->leaves, ROWS_MAX, leaf);
		if (i < ROWS_MAX)
			s->share[i] += strtod(space + 1, NULL);
	}
	free(text);
	for (size_t i = 0; s && i < s->leaves; i++)
		all += s->share[i];
	for (size_t i = 0; s && i < s->leaves; i++) {
		s->share[i] /= all;
		if (fabs(s->share[i] - 0.07) < fabs(s->share[s->planted] - 0.07))
			s->planted = i;
	}
	if (s && !s->leaves) {
		free(s);
		return NULL;
	}
	return s;
}

void bench_stacks_free(struct stacks *s)
{
	for (size_t i = 0; s && i < s->leaves; i++)
		free(s->leaf[i]);
	free(s);
}

void bench_stacks_make(struct profile *p, const struct stacks *s, size_t runs, double samples, double cv, double factor,
	struct hd_random *r)
{
	double size[RUNS_MAX];

	begin(p, s->leaves, runs);
	p->planted = s->planted;
	for (size_t k = 0; k < 2 * runs; k++)
		size[k] = samples * exp(0.02 * bench_normal(r));
	for (size_t i = 0; i < s->leaves; i++) {
		double own = cv * exp(0.5 * bench_normal(r));

		for (size_t k = 0; k < 2 * runs; k++)
			p->y[i * 2 * runs + k] = bench_poisson(r, size[k] * s->share[i] * exp(own * bench_normal(r)) *
							      (i == s->planted && k >= runs ? factor : 1));
	}
	p->truth[p->planted] = factor;
}
