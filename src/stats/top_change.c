/*
 * top_change.c - see top_change.h
 */
#include "stats/top_change.h"

#include "stats/ranking.h"
#include "stats/order.h"
#include "stats/random.h"
#include "stats/special_functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct hd_top_change_opts hd_top_change_defaults = { .top = 5, .p = 0.05, .gap = 0.005, .rbo_p = 0.8, .seed = 1 };

struct ranked {
	double share;
	uint32_t item;
};

static int hottest_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->share != y->share ? (x->share > y->share ? -1 : 1) : (x->item > y->item) - (x->item < y->item);
}

/*
 * Rank symbols by share.  Symbols with equal shares are tied; symbols without a share are omitted.  Returns the number
 * of ranked symbols.
 */
static size_t rank(uint32_t *item, uint32_t *group, struct ranked *room, const double *share, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (share[i] > 0)
			room[k++] = (struct ranked){ share[i], (uint32_t)i };
	qsort(room, k, sizeof(*room), hottest_first);
	for (size_t i = 0; i < k; i++) {
		item[i] = room[i].item;
		group[i] = i ? group[i - 1] + (room[i].share != room[i - 1].share) : 0;
	}
	return k;
}

struct sides {
	size_t n;
	double *base, *head;			/* shares */
	uint32_t *item[2], *group[2];
	size_t count[2];
	struct ranked *room;
};

static double score(struct sides *s, double p, int *rc)
{
	struct hd_rbo r = { 0 };

	s->count[0] = rank(s->item[0], s->group[0], s->room, s->base, s->n);
	s->count[1] = rank(s->item[1], s->group[1], s->room, s->head, s->n);
	if (hd_rbo(&r, (struct hd_ranking){ s->item[0], s->group[0], s->count[0] },
		    (struct hd_ranking){ s->item[1], s->group[1], s->count[1] }, p, HD_TIES_A) < 0)
		*rc = HD_STATS_NOMEM;
	return fmax(0, 1 - r.ext);
}

static double moved(const struct sides *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += fabs(s->head[i] - s->base[i]) / 2;
	return sum;
}

/* ---- material ---- */

/*
 * Return the p-value of "symbol i is hotter than symbol k" in the head, or if `head` is false, in the base.  Return 1
 * if the share of i does not exceed that of k by `gap` or more.
 */
static double p_of_order(const struct hd_symbol_verdict *i, const struct hd_symbol_verdict *k, bool head, size_t runs,
	double gap)
{
	double a = head ? i->share_head : i->share_base, b = head ? k->share_head : k->share_base, za, zb, se;

	if (!(a - b >= gap))
		return 1;
	za = head ? i->test.mean_head : i->test.mean_base;
	zb = head ? k->test.mean_head : k->test.mean_base;
	se = sqrt((i->test.s * i->test.s + k->test.s * k->test.s) / (double)runs);
	return i->test.df > 0 ? hd_t_upper((za - zb) / se, fmin(i->test.df, k->test.df)) : 1;
}

static size_t place_of(const uint32_t *item, size_t n, size_t symbol)
{
	size_t i = 0;

	while (i < n && item[i] != symbol)
		i++;
	return i;
}

/*
 * Look for a pair of symbols that changed places, of which at least one is among the hottest symbols of the base or of
 * the head.
 */
static void look_at_pairs(struct hd_top_change *out, const struct hd_symbol_verdict *rows, const struct sides *s,
	const struct hd_variance_model *m, const struct hd_top_change_opts *o)
{
	for (size_t side = 0; side < 2; side++)
		for (size_t a = 0; a < o->top && a < s->count[side]; a++) {
			size_t i = s->item[side][a];

			for (size_t k = 0; k < s->n && !out->material; k++) {
				const struct hd_symbol_verdict *up = side ? &rows[i] : &rows[k],
							       *down = side ? &rows[k] : &rows[i];

				/* skip unless `up` is above `down` in the head and below it in the base */
				if (k == i || p_of_order(down, up, false, m->base, o->gap) > o->p ||
				    p_of_order(up, down, true, m->head, o->gap) > o->p)
					continue;
				out->material = true;
				out->above = (size_t)(up - rows);
				out->below = (size_t)(down - rows);
			}
		}
}

static void look_at_lists(struct hd_top_change *out, const struct sides *s, unsigned top)
{
	size_t nb = s->count[0] < top ? s->count[0] : top, nh = s->count[1] < top ? s->count[1] : top;

	out->set_changed = nb != nh;
	for (size_t i = 0; i < nb; i++) {
		out->set_changed |= place_of(s->item[1], nh, s->item[0][i]) == nh;
		out->order_changed |= i >= nh || s->item[0][i] != s->item[1][i];
	}
}

/* ---- when nothing changed ---- */

static void draw(double *share, const struct hd_symbol_verdict *rows, const double *common, size_t n, size_t runs,
	struct hd_random *r)
{
	double all = 0;

	for (size_t i = 0; i < n; i++) {
		double z = sqrt(-2 * log(hd_random_unit(r))) * cos(2 * M_PI * hd_random_unit(r));

		share[i] = common[i] > 0 ? common[i] * exp(z * rows[i].s_common / sqrt((double)runs)) : 0;
		all += share[i];
	}
	for (size_t i = 0; i < n; i++)
		share[i] /= all > 0 ? all : 1;
}

static int find_limits(struct hd_top_change *out, struct sides *s, const struct hd_symbol_verdict *rows,
	const struct hd_variance_model *m, const struct hd_top_change_opts *o)
{
	double *common = malloc(s->n * sizeof(*common)), scores[HD_TOP_CHANGE_DRAWS], moves[HD_TOP_CHANGE_DRAWS],
	       runs = (double)(m->base + m->head);
	struct hd_random r = hd_random_from(o->seed);
	int rc = common ? HD_STATS_OK : HD_STATS_NOMEM;

	for (size_t i = 0; rc >= 0 && i < s->n; i++)
		common[i] = (rows[i].share_base * (double)m->base + rows[i].share_head * (double)m->head) / runs;
	for (unsigned d = 0; rc >= 0 && d < HD_TOP_CHANGE_DRAWS; d++) {
		draw(s->base, rows, common, s->n, m->base, &r);
		draw(s->head, rows, common, s->n, m->head, &r);
		scores[d] = score(s, o->rbo_p, &rc);
		moves[d] = moved(s);
	}
	free(common);
	if (rc < 0)
		return rc;
	hd_order_sort(scores, HD_TOP_CHANGE_DRAWS);
	hd_order_sort(moves, HD_TOP_CHANGE_DRAWS);
	out->score_limit = scores[hd_order_nearest(HD_TOP_CHANGE_DRAWS, 95)];
	out->moved = fmax(0, out->moved - hd_order_median(moves, HD_TOP_CHANGE_DRAWS));
	return rc;
}

static int compare(struct hd_top_change *out, struct sides *s, const struct hd_symbol_verdict *rows,
	const struct hd_variance_model *m, const struct hd_top_change_opts *o)
{
	int rc = HD_STATS_OK;

	for (size_t i = 0; i < s->n; i++) {
		s->base[i] = rows[i].share_base;
		s->head[i] = rows[i].share_head;
	}
	out->score = score(s, o->rbo_p, &rc);
	out->moved = moved(s);
	look_at_lists(out, s, o->top);
	look_at_pairs(out, rows, s, m, o);
	return rc < 0 ? rc : find_limits(out, s, rows, m, o);
}

int hd_top_change_find(struct hd_top_change *out, const struct hd_symbol_verdict *rows, size_t n,
	const struct hd_variance_model *m, const struct hd_top_change_opts *o)
{
	struct sides s = { .n = n };
	size_t each = n * (2 * sizeof(double) + sizeof(struct ranked) + 4 * sizeof(uint32_t));
	char *room;
	int rc;

	*out = (struct hd_top_change){ 0 };
	if (!n)
		return HD_STATS_NONE;
	room = malloc(each);
	if (!room)
		return HD_STATS_NOMEM;
	s.base = (double *)room;
	s.head = s.base + n;
	s.room = (struct ranked *)(s.head + n);
	s.item[0] = (uint32_t *)(s.room + n);
	s.item[1] = s.item[0] + n;
	s.group[0] = s.item[1] + n;
	s.group[1] = s.group[0] + n;
	rc = compare(out, &s, rows, m, o);
	free(room);
	return rc;
}
