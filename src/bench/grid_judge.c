/*
 * grid_judge.c - see grid.h: judge the settings of a grid by criteria
 */
#include "bench/grid.h"

#include <math.h>

/*
 * Return by how much the value that was measured with setting `s` exceeds the limit of criterion `c`, or falls below
 * it if it is a lower limit.  A result of 0 or less meets the criterion.  NaN: the value was not measured.
 */
static double excess(const struct hd_grid_setting *s, const struct hd_grid_criterion *c)
{
	double v = s->value[c->name].v;

	return c->at_most ? v - c->limit : c->limit - v;
}

bool hd_grid_meets(const struct hd_grid_setting *s, const struct hd_grid_criterion *c)
{
	return excess(s, c) <= 0;
}

static void judge_one(const struct hd_grid *g, struct hd_grid_criterion *c, bool need_one)
{
	bool incomplete = false, unmeasured = false;

	c->missed = c->judged = 0;
	c->worst = NULL;
	for (size_t i = 1; i < g->n; i++) {
		const struct hd_grid_setting *s = &g->settings[i];
		double by = excess(s, c);

		incomplete |= !hd_grid_setting_is_ok(s);
		unmeasured |= hd_grid_setting_is_ok(s) && isnan(by);
		c->judged += !isnan(by);
		c->missed += by > 0;
		if (by > 0 && (!c->worst || by > excess(c->worst, c)))
			c->worst = s;
	}
	incomplete |= g->n < 2;
	if (need_one && c->judged > c->missed)
		c->outcome = HD_GRID_MET;
	else if (!need_one && c->missed)
		c->outcome = HD_GRID_MISSED;
	else if (unmeasured)
		c->outcome = HD_GRID_NOT_MEASURED;
	else if (incomplete)
		c->outcome = HD_GRID_INCOMPLETE;
	else
		c->outcome = need_one ? HD_GRID_MISSED : HD_GRID_MET;
}

static bool meets_all(const struct hd_grid_setting *s, const struct hd_grid_criterion *criteria, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!hd_grid_meets(s, &criteria[i]))
			return false;
	return hd_grid_setting_is_ok(s);
}

enum hd_grid_outcome hd_grid_judge(const struct hd_grid *g, struct hd_grid_criterion *criteria, size_t n, bool need_one,
	const struct hd_grid_setting **one)
{
	enum hd_grid_outcome worst = HD_GRID_MET;

	*one = NULL;
	for (size_t i = 0; i < n; i++)
		judge_one(g, &criteria[i], need_one);
	for (size_t i = 1; i < g->n; i++) {
		if (!*one && meets_all(&g->settings[i], criteria, n))
			*one = &g->settings[i];
		if (!hd_grid_setting_is_ok(&g->settings[i]))
			worst = HD_GRID_INCOMPLETE;
	}
	if (g->n < 2)
		worst = HD_GRID_INCOMPLETE;
	if (need_one && *one)
		return HD_GRID_MET;
	for (size_t i = 0; i < n; i++)
		worst = criteria[i].outcome > worst ? criteria[i].outcome : worst;
	return need_one && worst == HD_GRID_MET ? HD_GRID_MISSED : worst;
}
