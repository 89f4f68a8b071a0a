/*
 * schedule.c - see schedule.h
 */
#include "bench/schedule.h"

struct hd_schedule hd_schedule_init(unsigned sides, unsigned warmup, unsigned runs)
{
	return (struct hd_schedule){ .sides = sides, .warmup = warmup, .runs = runs };
}

bool hd_schedule_next(struct hd_schedule *s, struct hd_schedule_step *step)
{
	unsigned round = s->done / s->sides, place = s->done % s->sides;

	if (round >= s->warmup + s->runs)
		return false;
	step->warmup = round < s->warmup;
	step->number = step->warmup ? round : round - s->warmup;
	step->side = step->number % 2 ? s->sides - 1 - place : place;
	s->done++;
	return true;
}
