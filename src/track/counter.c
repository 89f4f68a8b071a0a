/*
 * counter.c - see counter.h
 */
#include "track/counter.h"

enum hd_counter_change hd_counter_add(struct hd_counter *c, uint64_t value, double t_s, bool *hidden)
{
	double dt = t_s - c->last_s;
	uint64_t step = value - c->last;
	enum hd_counter_change what;

	*hidden = false;
	if (c->range && value > c->range)
		return HD_COUNTER_INVALID;
	what = !c->begun ? HD_COUNTER_FIRST : value == c->last ? HD_COUNTER_SAME : value > c->last ? HD_COUNTER_ROSE :
	       c->range ? HD_COUNTER_WRAPPED : HD_COUNTER_RESET;
	if (what == HD_COUNTER_WRAPPED)
		step += c->range;	/* wrapped: value - last + range, computed modulo 2^64 */
	if (what == HD_COUNTER_FIRST || what == HD_COUNTER_RESET)
		step = 0;
	else if (c->range)
		*hidden = (double)step + (double)c->range <= c->limit_per_s * dt;
	c->begun = true;
	c->last = value;
	c->last_s = t_s;
	c->sum += step;
	return what;
}
