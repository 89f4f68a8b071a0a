/*
 * rank.c DIR - compare the similarity measures of rankings with the tables in rank/
 */
#include "answers.h"

#include "stats/ranking.h"

enum { ITEMS_MAX = 512 };

/* Store one item for each letter, and return their number. */
static size_t letters(const char *s, uint32_t *out)
{
	size_t n = 0;

	for (; s[n] && n < ITEMS_MAX; n++)
		out[n] = (unsigned char)s[n];
	return n;
}

/* Parse a ranking such as "i5 (i9 i13) i2"; the tied items i9 and i13 get one group.  Return the number of items. */
static size_t tied_items(const char *s, uint32_t *item, uint32_t *group)
{
	size_t n = 0;
	uint32_t g = 0;
	bool in_tie = false;

	for (; *s && n < ITEMS_MAX; s++) {
		if (*s == '(' || *s == ')') {
			in_tie = *s == '(';
			g += *s == ')';
		} else if (*s == 'i') {
			char *end;

			item[n] = (uint32_t)strtoul(s + 1, &end, 10);
			group[n++] = g;
			g += !in_tie;
			s = end - 1;
		}
	}
	return n;
}

static void rbo(const char *dir)
{
	static const struct {
		const char *name;
		enum hd_ties ties;
	} variants[] = { { "w", HD_TIES_W }, { "a", HD_TIES_A }, { "b", HD_TIES_B } };
	struct verdict v = { .file = "rank/rbo_ties.csv", .tolerance = 1e-6 };
	struct table t;

	if (!answers_open_by(&t, dir, v.file, ',')) {
		printf("skipped: %s: is not in the folder\n", v.file);
		return;
	}
	for (size_t i = 0; i < t.rows; i++, v.rows++) {
		static uint32_t x[ITEMS_MAX], xg[ITEMS_MAX], y[ITEMS_MAX], yg[ITEMS_MAX];
		struct hd_ranking rx = { x, xg, tied_items(cell(&t, i, "x"), x, xg) },
				  ry = { y, yg, tied_items(cell(&t, i, "y"), y, yg) };

		for (size_t k = 0; k < 3; k++) {
			struct hd_rbo r;
			const double got[] = { hd_rbo(&r, rx, ry, number(&t, i, "p"), variants[k].ties) < 0 ? NAN
													    : r.ext,
				r.min, r.max, r.res };
			static const char *const scores[] = { "ext", "min", "max", "res" };

			for (size_t s = 0; s < 4; s++) {
				char name[16];

				snprintf(name, sizeof(name), "%s.%s", variants[k].name, scores[s]);
				judge(&v, i, name, got[s], number(&t, i, name));
			}
		}
	}
	verdict_end(&v);
	answers_close(&t);
}

static void overlap(const char *dir)
{
	/* the table has three digits */
	struct verdict v = { .file = "rank/average_overlap.tsv", .tolerance = 2e-3 };
	struct table t;

	if (!answers_open(&t, dir, v.file))
		return;
	for (size_t i = 0; i < t.rows; i++, v.rows++) {
		static uint32_t x[ITEMS_MAX], y[ITEMS_MAX];
		struct hd_ranking rx = { x, NULL, letters(cell(&t, i, "list1"), x) },
				  ry = { y, NULL, letters(cell(&t, i, "list2"), y) };

		judge(&v, i, "average overlap", hd_average_overlap(rx, ry, rx.n), number(&t, i, "average_overlap"));
	}
	verdict_end(&v);
	answers_close(&t);
}

static void correlations(const char *dir, const char *file, const char *column)
{
	struct verdict v = { .file = file, .tolerance = 1e-12 };
	static double x[LIST_MAX], y[LIST_MAX];
	static size_t room[2 * LIST_MAX];
	struct table t;

	if (!answers_open(&t, dir, v.file))
		return;
	for (size_t i = 0; i < t.rows; i++, v.rows++) {
		size_t n = numbers(cell(&t, i, "x"), x);

		numbers(cell(&t, i, "y"), y);
		judge(&v, i, column, *column == 't' ? hd_tau_b(x, y, n) : hd_tau_weighted(x, y, n, room),
			number(&t, i, column));
	}
	verdict_end(&v);
	answers_close(&t);
}

static void topk(const char *dir)
{
	struct verdict v = { .file = "rank/topk_fagin.tsv", .tolerance = 1e-12 };
	struct table t;

	if (!answers_open(&t, dir, v.file))
		return;
	for (size_t i = 0; i < t.rows; i++, v.rows++) {
		static uint32_t x[ITEMS_MAX], y[ITEMS_MAX];
		size_t k = letters(cell(&t, i, "list1"), x);
		struct hd_topk half, none;

		letters(cell(&t, i, "list2"), y);
		half = hd_topk(x, y, k, 0.5);
		none = hd_topk(x, y, k, 0);
		judge(&v, i, "K^(0)", none.kendall, number(&t, i, "K_p0"));
		judge(&v, i, "K^(1/2)", half.kendall, number(&t, i, "K_p_half"));
		judge(&v, i, "largest K", half.kendall_max, number(&t, i, "K_max_p_half"));
		judge(&v, i, "footrule", half.footrule, number(&t, i, "footrule_l_k+1"));
		judge(&v, i, "largest footrule", half.footrule_max, number(&t, i, "footrule_max"));
		judge(&v, i, "Jaccard", half.jaccard, number(&t, i, "jaccard"));
	}
	verdict_end(&v);
	answers_close(&t);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	rbo(argv[1]);
	overlap(argv[1]);
	correlations(argv[1], "rank/kendall_tau_b.tsv", "tau_b");
	correlations(argv[1], "rank/weighted_tau.tsv", "weighted_tau");
	topk(argv[1]);
	return 0;
}
