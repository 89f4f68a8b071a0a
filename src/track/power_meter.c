/*
 * power_meter.c - see power.h
 */
#include "track/power.h"

#include "stats/order.h"
#include "track/power_source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct hd_power_ops *const all_ops[] = { &hd_power_rapl, &hd_power_nvml, &hd_power_hwmon,
						      &hd_power_battery, &hd_power_constant };

enum {
	SOURCES = sizeof(all_ops) / sizeof(all_ops[0]),
	LIMIT_WATTS = 1000,		/* limit_per_s of counter.h, in watts: a package draws less than this */
};

struct hd_power_meter {
	struct hd_power_clock clock;
	struct hd_power_source sources[SOURCES];
	void *states[SOURCES];
	/* the domains; each one is allocated separately, so that its address never changes */
	struct hd_power_item **items;
	size_t n, cap;
};

const char *hd_power_state_name(enum hd_power_state state)
{
	static const char *const names[] = { "usable", "absent", "denied", "unsupported", "no library", "broken" };

	return names[state];
}

struct hd_power_config hd_power_config(void)
{
	const char *sysfs = secure_getenv("HOTDRIFT_SYSFS"), *nvml = secure_getenv("HOTDRIFT_NVML");

	return (struct hd_power_config){ .sysfs = sysfs && *sysfs ? sysfs : NULL,
					 .nvml = nvml && *nvml ? nvml : NULL,
					 .constant_watts = NAN };
}

/* ---- time ---- */

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts = { 0 };

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

struct hd_power_clock hd_power_clock(const struct hd_power_config *config)
{
	struct hd_power_clock c = { .now_ns = config->now_ns, .now_arg = config->now_arg };

	c.mono_ns = clock_ns(CLOCK_MONOTONIC);
	c.real_ns = c.now_ns ? c.now_ns(c.now_arg) : clock_ns(CLOCK_REALTIME);
	return c;
}

uint64_t hd_power_clock_ns(const struct hd_power_clock *c)
{
	return c->now_ns ? c->now_ns(c->now_arg) : c->real_ns + (clock_ns(CLOCK_MONOTONIC) - c->mono_ns);
}

uint64_t hd_power_now_ns(struct hd_power_meter *m)
{
	return hd_power_clock_ns(&m->clock);
}

/* ---- domains ---- */

bool hd_power_full(const struct hd_power_meter *m)
{
	return m->n >= HD_POWER_DOMAINS_MAX;
}

static bool is_taken(const struct hd_power_meter *m, const char *source, const char *name)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->items[i]->d.source, source) && !strcmp(m->items[i]->d.name, name))
			return true;
	return false;
}

struct hd_power_item *hd_power_add(struct hd_power_meter *m, const char *source, const char *name, const char *unique)
{
	struct hd_power_item *item;

	if (hd_power_full(m))
		return NULL;
	if (m->n == m->cap) {
		size_t cap = m->cap ? 2 * m->cap : 16;
		struct hd_power_item **items = realloc(m->items, cap * sizeof(struct hd_power_item *));

		if (!items)
			return NULL;
		m->items = items;
		m->cap = cap;
	}
	item = calloc(1, sizeof(*item));
	if (!item)
		return NULL;
	HD_POWER_SET(item->d.source, "%s", source);
	HD_POWER_SET(item->d.name, "%s", name);
	if (is_taken(m, item->d.source, item->d.name))
		HD_POWER_SET(item->d.name, "%.31s@%.31s", name, unique);
	item->d.range_joules = item->d.update_period_s = item->d.counter_period_s = NAN;
	m->items[m->n++] = item;
	return item;
}

void hd_power_set_counter(struct hd_power_item *item, double unit_joules, uint64_t range)
{
	item->d.has_joules = true;
	item->unit_joules = unit_joules;
	item->counter.range = range;
	item->counter.limit_per_s = LIMIT_WATTS / unit_joules;
	if (range)
		item->d.range_joules = (double)range * unit_joules;
}

bool hd_power_set_path(struct hd_power_item *item, const char *path)
{
	struct hd_power_domain *d = &item->d;

	if (strlen(path) < sizeof(d->path)) {
		HD_POWER_SET(d->path, "%s", path);
		return true;
	}
	d->state = HD_POWER_BROKEN;
	HD_POWER_SET(d->why, "its path has %zu bytes, more than %zu: %.100s...", strlen(path), sizeof(d->path) - 1,
		path);
	return false;
}

/* ---- opening ---- */

/*
 * Set the state of a source.  It is usable if one of its domains is; otherwise it has the state and the reason of its
 * first domain.
 */
static void judge(struct hd_power_meter *m, struct hd_power_source *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct hd_power_domain *d = &m->items[s->first + i]->d;

		if (!i || d->state == HD_POWER_USABLE) {
			s->state = d->state;
			HD_POWER_SET(s->why, "%s", d->why);
		}
		if (d->state == HD_POWER_USABLE)
			return;
	}
}

int hd_power_open(struct hd_power_meter **out, const struct hd_power_config *config)
{
	struct hd_power_meter *m = calloc(1, sizeof(*m));
	int rc = HD_TRACK_OK;

	*out = NULL;
	if (!m)
		return HD_TRACK_NOMEM;
	m->clock = hd_power_clock(config);
	for (size_t i = 0; i < SOURCES; i++) {
		struct hd_power_source *s = &m->sources[i];

		*s = (struct hd_power_source){ .name = all_ops[i]->name, .state = HD_POWER_ABSENT, .first = m->n };
		if (rc >= 0 && (!config->only || !strcmp(config->only, all_ops[i]->name)))
			rc = all_ops[i]->open(m, config, s, &m->states[i]);
		s->n = m->n - s->first;
		judge(m, s);
	}
	if (rc < 0) {
		hd_power_close(m);
		return rc;
	}
	*out = m;
	return rc;
}

void hd_power_close(struct hd_power_meter *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < SOURCES; i++)
		if (all_ops[i]->close && m->states[i])
			all_ops[i]->close(m->states[i]);
	for (size_t i = 0; i < m->n; i++)
		free(m->items[i]);
	free(m->items);
	free(m);
}

/* ---- sources and domains ---- */

size_t hd_power_sources(const struct hd_power_meter *m)
{
	(void)m;
	return SOURCES;
}

const struct hd_power_source *hd_power_source(const struct hd_power_meter *m, size_t i)
{
	return &m->sources[i];
}

size_t hd_power_domains(const struct hd_power_meter *m)
{
	return m->n;
}

size_t hd_power_usable(const struct hd_power_meter *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += m->items[i]->d.state == HD_POWER_USABLE;
	return n;
}

static double median_of(const struct hd_power_pace *p)
{
	double dt[HD_POWER_INTERVALS];
	size_t n = p->n < HD_POWER_INTERVALS ? p->n : HD_POWER_INTERVALS;

	if (n < 2)
		return NAN;
	memcpy(dt, p->dt_s, n * sizeof(*dt));
	hd_order_sort(dt, n);
	return hd_order_median(dt, n);
}

const struct hd_power_domain *hd_power_domain(struct hd_power_meter *m, size_t i)
{
	struct hd_power_item *item = m->items[i];

	item->d.counter_period_s = median_of(&item->counter_pace);
	item->d.update_period_s = item->d.has_watts ? median_of(&item->watts_pace) : item->d.counter_period_s;
	return &item->d;
}

/* ---- reading ---- */

static void new_value(struct hd_power_pace *p, double t_s)
{
	if (p->begun)
		p->dt_s[p->n++ % HD_POWER_INTERVALS] = t_s - p->last_s;
	p->begun = true;
	p->last_s = t_s;
}

/* Add a reading of the counter.  *fresh becomes true if the counter has a new value.  Return false if it is invalid. */
static bool count(struct hd_power_item *item, const struct hd_power_reading *r, double t_s, bool *fresh)
{
	bool hidden;
	enum hd_counter_change what = hd_counter_add(&item->counter, r->count, t_s, &hidden);

	if (what == HD_COUNTER_INVALID)
		return false;
	item->d.wraps += what == HD_COUNTER_WRAPPED;
	item->d.resets += what == HD_COUNTER_RESET;
	item->d.hidden_wraps += hidden;
	*fresh = what != HD_COUNTER_SAME;
	if (*fresh)
		new_value(&item->counter_pace, t_s);
	return true;
}

static bool read_item(struct hd_power_meter *m, const struct hd_power_ops *ops, void *state, size_t i,
		      struct hd_power_sample *out)
{
	struct hd_power_item *item = m->items[i];
	struct hd_power_reading r = { .watts = NAN };
	uint64_t before = hd_power_now_ns(m);
	bool got = ops->read(state, item, &r), fresh = false, counted;
	double t_s;

	*out = (struct hd_power_sample){ .t_ns = before + (hd_power_now_ns(m) - before) / 2, .domain = i,
					 .watts = NAN, .joules_cum = NAN };
	t_s = (double)(out->t_ns - m->clock.real_ns) / 1e9;
	item->d.reads++;
	counted = got && r.has_count && count(item, &r, t_s, &fresh);
	if (counted)
		out->joules_cum = (double)item->counter.sum * item->unit_joules;
	if (got && isfinite(r.watts)) {
		out->watts = r.watts;
		fresh = !item->has_last || r.watts != item->last_watts || r.never_stale;
		if (fresh)
			new_value(&item->watts_pace, t_s);
		item->has_last = true;
		item->last_watts = r.watts;
	}
	if (isnan(out->watts) && !counted) {
		item->d.failed++;
		return false;
	}
	out->stale = !fresh;
	item->d.fresh += fresh;
	return true;
}

size_t hd_power_read(struct hd_power_meter *m, size_t source, struct hd_power_sample *out)
{
	size_t n = 0;

	for (size_t k = 0; k < SOURCES; k++) {
		const struct hd_power_source *s = &m->sources[k];

		if (source != HD_POWER_ALL && source != k)
			continue;
		for (size_t i = s->first; i < s->first + s->n; i++)
			if (m->items[i]->d.state == HD_POWER_USABLE)
				n += read_item(m, all_ops[k], m->states[k], i, &out[n]);
	}
	return n;
}
