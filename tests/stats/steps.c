/*
 * steps.c DIR - compare change points and rises with the steps and regressions of another program
 *
 * The other program is airspeed velocity (asv).  It fits a piecewise constant: the pieces that minimize
 *
 *     sum |y - x|  +  gamma (pieces - 1)                 the Potts functional; x of a piece is its median
 *
 * and selects the gamma whose fit minimizes ln(sum |y - x|) + 4 ln(n)/n (pieces - 1).  This program solves both by
 * dynamic programming over all pieces.  The method is independent of stats/changepoint.h: it has no windows, no
 * means and no p-value.  The program first reproduces asv's published results: the fits with the code below, and the
 * regressions with stats/rise.h.
 *
 * Then both methods are applied to each series.  A step of asv must be one of our change points, within 5 values, if
 * our test of the two pieces has p <= 0.001 and each piece has at least 5 values.  It may also lie between two adjacent
 * change points of ours that move in the same direction: they form a staircase.  Other steps that only asv finds are
 * accepted, because asv puts outliers into pieces of their own if this reduces the sum by more than the gammas that the
 * pieces cost.
 *
 * For each change point that only we find, the program prints by how many gammas it would reduce asv's sum.  It is less
 * than one, because otherwise asv would have found it.  Where people annotated a series, our F1 must be at least asv's.
 */
#include "answers.h"
#include "series.h"

#include "stats/changepoint.h"
#include "stats/edivisive.h"
#include "stats/rise.h"

enum { POTTS_MAX = 1024, GAMMAS = 60, LEVEL_LEAST = 5 };
#define P_LEAST 0.001

static double v_[LIST_MAX];

/* ---- the Potts functional ---- */

/* Return an array, which the caller frees: cost[from * n + to] is the sum |y - median| of the values from..to. */
static double *piece_costs(const double *y, size_t n)
{
	double *cost = calloc(n * n + 1, sizeof(*cost)), sorted[POTTS_MAX];

	for (size_t from = 0; from < n; from++) {
		double sum = 0;

		for (size_t to = from, k = 0; to < n; to++, k++) {
			double lo = k ? sorted[(k - 1) / 2] : y[to], hi = k ? sorted[k / 2] : y[to];
			size_t at = k;

			/*
			 * Every point between the two middle values lo and hi is a median and gives the same sum of
			 * distances.  A new value therefore adds its distance from the nearest of these points.
			 */
			sum += fabs(y[to] - fmin(fmax(y[to], lo), hi));
			for (; at && sorted[at - 1] > y[to]; at--)
				sorted[at] = sorted[at - 1];
			sorted[at] = y[to];
			cost[from * n + to] = sum;
		}
	}
	return cost;
}

struct steps {
	size_t right[POTTS_MAX], n;	/* right: index after the last value of each piece */
	double sum;			/* the sum |y - x| of the fit */
};

static void solve(struct steps *s, const double *cost, size_t n, double gamma)
{
	static double best[POTTS_MAX + 1];
	static size_t begin[POTTS_MAX + 1];

	best[0] = -gamma;
	for (size_t to = 1; to <= n; to++) {
		best[to] = INFINITY;
		for (size_t from = 0; from < to; from++) {
			double b = best[from] + gamma + cost[from * n + to - 1];

			if (b < best[to] - 1e-12) {
				best[to] = b;
				begin[to] = from;
			}
		}
	}
	*s = (struct steps){ 0 };
	for (size_t to = n; to; to = begin[to], s->n++)
		s->sum += cost[begin[to] * n + to - 1];
	for (size_t to = n, i = s->n; to; to = begin[to])
		s->right[--i] = to;
}

/* Fit y with each candidate for gamma, and store the fit that asv selects in *out.  Returns its gamma. */
static double solve_auto(struct steps *out, const double *y, const double *cost, size_t n)
{
	double whole = cost[n - 1], scale = 0, best = INFINITY, gamma = 0;
	struct steps s;

	for (size_t i = 0; i + 1 < n; i++)
		scale = fmax(scale, fabs(y[i + 1] - y[i]));
	solve(out, cost, n, 2 * whole + 1);
	if (!(whole > 0))
		return 1;
	for (int i = 0; i < GAMMAS; i++) {
		double g = 2 * whole * pow(1e-5, (double)i / GAMMAS), f;

		solve(&s, cost, n, g);
		if (s.n > n / 3)
			break; /* stop early: with one piece per value the sum is 0, and ln(0) would always win */
		f = 4 * log((double)n) / (double)n * (double)(s.n - 1) + log(fmax(s.sum, 1e-9 * scale));
		if (f < best) {
			best = f;
			gamma = g;
			*out = s;
		}
	}
	return gamma;
}

/* ---- asv's published results ---- */

static const char *behind(const char *s, const char *key)
{
	size_t n = strlen(key);

	for (; s && *s; s = strchr(s, ';') ? strchr(s, ';') + 1 : NULL)
		if (!strncmp(s, key, n) && s[n] == '=')
			return s + n + 1;
	return "";
}

static double median_of(const double *v, size_t n)
{
	double s[POTTS_MAX];

	for (size_t i = 0; i < n; i++) {
		size_t at = i;

		for (; at && s[at - 1] > v[i]; at--)
			s[at] = s[at - 1];
		s[at] = v[i];
	}
	return n % 2 ? s[n / 2] : (s[n / 2 - 1] + s[n / 2]) / 2;
}

static void judge_potts(struct verdict *v, size_t row, const char *params, const char *answer)
{
	static double right[LIST_MAX], value[LIST_MAX];
	size_t n = numbers(behind(params, "y"), v_), k = numbers(behind(answer, "right"), right), from = 0;
	double *cost = piece_costs(v_, n);
	struct steps s;

	numbers(behind(answer, "values"), value);
	solve(&s, cost, n, keyed(params, "gamma"));
	judge(v, row, "pieces", (double)s.n, (double)k);
	for (size_t i = 0; i < s.n && i < k; from = s.right[i++]) {
		judge(v, row, "end of a piece", (double)s.right[i], right[i]);
		judge(v, row, "value of a piece", median_of(v_ + from, s.right[i] - from), value[i]);
	}
	free(cost);
}

static void judge_rises(struct verdict *v, size_t row, const char *params, const char *answer)
{
	static double in[LIST_MAX], pos[LIST_MAX];
	size_t n = numbers(behind(params, "steps"), in) / 3, k = numbers(behind(answer, "pos"), pos) / 4, got;
	struct hd_level levels[16];
	struct hd_rise rises[16];
	double best;

	for (size_t i = 0; i < n && i < 16; i++)
		levels[i] = (struct hd_level){ (size_t)in[3 * i], (size_t)in[3 * i + 1], in[3 * i + 2] };
	got = hd_rises(rises, levels, n, keyed(params, "threshold"), (size_t)keyed(params, "min_size"), &best);
	judge(v, row, "rises", (double)got, (double)k);
	if (!got && !strcmp(answer, "none"))
		return;
	judge(v, row, "newest", levels[n - 1].value, keyed(answer, "latest"));
	judge(v, row, "best", best, keyed(answer, "best"));
	for (size_t i = 0; i < got && i < k; i++) {
		judge(v, row, "last before", (double)rises[i].last, pos[4 * i]);
		judge(v, row, "first behind", (double)rises[i].first, pos[4 * i + 1]);
		judge(v, row, "level before", rises[i].before, pos[4 * i + 2]);
		judge(v, row, "level behind", rises[i].after, pos[4 * i + 3]);
	}
}

static void published(const char *dir)
{
	struct verdict v = { .file = "changepoint/expected.tsv (steps)", .tolerance = 1e-12 };
	struct table t;

	if (!answers_open(&t, dir, "changepoint/expected.tsv"))
		return;
	for (size_t i = 0; i < t.rows; i++) {
		const char *method = cell(&t, i, "method"), *params = cell(&t, i, "params"),
			   *answer = cell(&t, i, "expected");

		if (strcmp(cell(&t, i, "series"), "(inline)"))
			continue;
		v.rows++;
		if (!strcmp(method, "potts_l1"))
			judge_potts(&v, i, params, answer);
		else if (!strcmp(method, "step_regressions"))
			judge_rises(&v, i, params, answer);
		else
			differ(&v, "row %zu: unknown method %s", i + 1, method);
	}
	verdict_end(&v);
	answers_close(&t);
}

/* ---- our change points and asv's steps ---- */

struct both {
	double ours[LIST_MAX], moves[LIST_MAX], theirs[POTTS_MAX], gamma;
	size_t nours, ntheirs, n;
	struct steps s;
	double *cost;
};

static bool look(struct both *b, const char *dir, const char *name)
{
	static struct hd_changepoint points[LIST_MAX];
	long got;

	b->n = series_read(v_, dir, name);
	if (!b->n || b->n > POTTS_MAX)
		return false;
	got = hd_changepoints(points, v_, b->n, &hd_changepoint_defaults);
	b->nours = got > 0 ? (size_t)got : 0;
	for (size_t i = 0; i < b->nours; i++)
		b->ours[i] = (double)points[i].index, b->moves[i] = points[i].after - points[i].before;
	b->cost = piece_costs(v_, b->n);
	b->gamma = solve_auto(&b->s, v_, b->cost, b->n);
	b->ntheirs = b->s.n - 1;
	for (size_t i = 0; i < b->ntheirs; i++)
		b->theirs[i] = (double)b->s.right[i];
	return true;
}

static void tell_ours(const struct both *b)
{
	for (size_t i = 0; i < b->nours; i++) {
		size_t at = (size_t)b->ours[i], piece = 0, from, to;

		if (series_near(b->theirs, b->ntheirs, b->ours[i]))
			continue;
		while (b->s.right[piece] <= at)
			piece++;
		from = piece ? b->s.right[piece - 1] : 0;
		to = b->s.right[piece];
		printf("; ours %zu: %.2f gammas", at,
			(b->cost[from * b->n + to - 1] - b->cost[from * b->n + at - 1] - b->cost[at * b->n + to - 1]) /
				b->gamma);
	}
}

/* Return true if two adjacent change points enclose `at` and move in the same direction. */
static bool is_staircase(const struct both *b, double at)
{
	for (size_t i = 0; i + 1 < b->nours; i++)
		if (b->ours[i] < at && b->ours[i + 1] > at)
			return (b->moves[i] > 0) == (b->moves[i + 1] > 0);
	return false;
}

static void compare(struct verdict *v, const struct both *b, const char *name)
{
	size_t both = 0;

	for (size_t i = 0; i < b->nours; i++)
		both += series_near(b->theirs, b->ntheirs, b->ours[i]);
	printf("    %s: %zu values, ours %zu, asv's %zu, both %zu", name, b->n, b->nours, b->ntheirs, both);
	tell_ours(b);
	for (size_t i = 0; i < b->ntheirs; i++) {
		size_t from = i ? b->s.right[i - 1] : 0, at = b->s.right[i], to = b->s.right[i + 1];
		double p = hd_edivisive_test(v_, from, at, to, false).p;

		if (series_near(b->ours, b->nours, b->theirs[i]))
			continue;
		printf("; asv's %zu: pieces of %zu and %zu, p %.2g", at, at - from, to - at, p);
		if (p <= P_LEAST && at - from >= LEVEL_LEAST && to - at >= LEVEL_LEAST &&
			!is_staircase(b, b->theirs[i]))
			differ(v, "%s: asv's step at %zu is none of ours", name, at);
	}
	putchar('\n');
}

/* Evaluate each series once; those that people annotated are also judged by the annotations. */
static void beside(const char *dir)
{
	struct verdict v = { .file = "changepoint/expected.tsv (asv's steps)",
		.note = "its significant steps are ours" };
	struct table t;
	static struct both b;
	double f_ours, f_theirs;

	if (!answers_open(&t, dir, "changepoint/expected.tsv"))
		return;
	for (size_t i = 0; i < t.rows; i++) {
		const char *name = cell(&t, i, "series");
		bool first = true;

		for (size_t k = 0; k < i && first; k++)
			first = strcmp(cell(&t, k, "series"), name) != 0;
		if (!first || !look(&b, dir, name))
			continue;
		v.rows++;
		compare(&v, &b, name);
		for (size_t k = 0; k < t.rows; k++) {
			if (strcmp(cell(&t, k, "series"), name) || strcmp(cell(&t, k, "method"), "human"))
				continue;
			f_ours = series_f1(cell(&t, k, "expected"), b.ours, b.nours);
			f_theirs = series_f1(cell(&t, k, "expected"), b.theirs, b.ntheirs);
			printf("    %s: F1 %.3f, asv's %.3f\n", name, f_ours, f_theirs);
			if (f_ours < f_theirs)
				differ(&v, "%s: F1 %.3f, asv's %.3f", name, f_ours, f_theirs);
		}
		free(b.cost);
	}
	verdict_end(&v);
	answers_close(&t);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	published(argv[1]);
	beside(argv[1]);
	return 0;
}
