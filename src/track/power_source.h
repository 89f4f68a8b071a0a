/*
 * power_source.h - the interface that each power source implements for power_meter.c
 *
 * Each source is one struct hd_power_ops.  open() finds the domains and calls hd_power_add() for each one, also for
 * those that cannot be used; it sets state and why of a domain.  track/power_meter.c calls read() for usable domains
 * and does the rest: times, wraps, repeated values, update periods.
 */
#ifndef HD_TRACK_POWER_SOURCE_H
#define HD_TRACK_POWER_SOURCE_H

#include "track/counter.h"
#include "track/power.h"

enum { HD_POWER_INTERVALS = 255 };

/*
 * The durations between new values of a quantity; only the last HD_POWER_INTERVALS of them are stored.  A reading that
 * repeats the previous value is not new, unless hd_power_reading.never_stale is set.
 */
struct hd_power_pace {
	double dt_s[HD_POWER_INTERVALS];	/* ring buffer of durations in seconds */
	/* number of durations that were added so far; dt_s stores only the last HD_POWER_INTERVALS of them */
	size_t n;
	bool begun;
	double last_s;
};

struct hd_power_item {
	struct hd_power_domain d;
	double unit_joules;			/* joules per unit of the counter */
	struct hd_counter counter;
	unsigned own[3];			/* private data of the source */
	/* The following fields belong to track/power_meter.c.  power_constant.c keeps its number in last_watts. */
	bool has_last;
	double last_watts;
	struct hd_power_pace watts_pace, counter_pace;
};

struct hd_power_reading {
	double watts;				/* NaN: none */
	bool never_stale;			/* a reading with the same watts as before counts as new */
	bool has_count;
	uint64_t count;				/* value of the counter, as the hardware reports it */
};

struct hd_power_ops {
	const char *name;
	/*
	 * Open the source and add its domains.  Returns HD_TRACK_OK or HD_TRACK_NOMEM.  If it adds none, s->state stays
	 * HD_POWER_ABSENT unless open() sets it.
	 */
	int (*open)(struct hd_power_meter *m, const struct hd_power_config *config, struct hd_power_source *s,
		void **state);
	/*
	 * Read a domain into *out, whose values are all unset before the call.  Returns true if a value was set.  Must
	 * not block.
	 */
	bool (*read)(void *state, struct hd_power_item *item, struct hd_power_reading *out);
	void (*close)(void *state);		/* NULL: there is nothing to close */
};

extern const struct hd_power_ops hd_power_rapl, hd_power_nvml, hd_power_hwmon, hd_power_battery, hd_power_constant;

/*
 * Add a usable domain that has no quantities yet.  Returns NULL if there is no memory, or if the meter has the largest
 * number of domains (hd_power_full()).  If the source already has a domain of that name, "@" and `unique` are appended
 * to the name.
 */
struct hd_power_item *hd_power_add(struct hd_power_meter *m, const char *source, const char *name, const char *unique);
/* Give the domain a counter.  `range` is in units of the counter; 0: the counter never wraps. */
void hd_power_set_counter(struct hd_power_item *item, double unit_joules, uint64_t range);
/* Set the path of the domain.  If it is too long, return false and make the domain unusable. */
bool hd_power_set_path(struct hd_power_item *item, const char *path);
bool hd_power_full(const struct hd_power_meter *m);
/* Print formatted text into an array such as path or why of struct hd_power_domain.  A longer text is truncated. */
#define HD_POWER_SET(array, ...) ((void)!snprintf(array, sizeof(array), __VA_ARGS__))

#endif
