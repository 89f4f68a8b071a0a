/*
 * power_constant.c - a number of watts that the caller states
 *
 * This is an assumption, not a measurement, for a machine that has no sensors or has an external meter.
 */
#include "track/power_source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int constant_open(struct hd_power_meter *m, const struct hd_power_config *config, struct hd_power_source *s,
			 void **state)
{
	double watts = config->constant_watts;
	struct hd_power_item *item;

	if (!(watts >= 0) || isinf(watts)) {
		HD_POWER_SET(s->why, "no number of watts was given");
		return HD_TRACK_OK;
	}
	if (hd_power_full(m))
		return HD_TRACK_OK;
	item = hd_power_add(m, "constant", "constant", "");
	if (!item)
		return HD_TRACK_NOMEM;
	item->d.has_watts = true;
	item->last_watts = watts;
	HD_POWER_SET(item->d.quantity, "given");
	return HD_TRACK_OK;
}

static bool constant_read(void *state, struct hd_power_item *item, struct hd_power_reading *out)
{
	out->watts = item->last_watts;
	out->never_stale = true;
	return true;
}

const struct hd_power_ops hd_power_constant = { .name = "constant", .open = constant_open, .read = constant_read };
