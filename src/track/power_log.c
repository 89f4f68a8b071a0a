/*
 * power_log.c - samples of power sources and their energy: the functions hd_power_*() of hotdrift.h
 *
 * A profiler has up to three meters (RAPL, NVML, a constant; power.h) and sources of the caller.  Each number that is
 * read is a domain.  A reading of any domain is a row; hd_power_totals() computes energies from the rows (energy.h) by
 * the rules of `hotdrift energy` (series/energy_report.h): a domain with watts is integrated, one with only a counter
 * uses its increase.
 *
 * Locks:  `lock` protects the whole state.  Callbacks of the caller run with it held; they must not call hd_power_*()
 *         of the same profiler.
 * fork(): the sampling thread does not exist in a child.  The child may start its own.
 */
#include "track/energy.h"
#include "track/form_file.h"
#include "track/power.h"
#include "track/power_overlap.h"
#include "track/profiler.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	METERS = 3,
	DOMAINS_MAX = HD_POWER_DOMAINS_MAX,
	ROWS_MAX = 4 << 20,		/* 128 MiB, a limit for a sampling thread that is never stopped */
};

struct domain {
	char source[HD_NAME_BYTES], name[HD_NAME_BYTES];
	uint64_t failed;
	/* true: the values come from the callback of the caller; false: they come from a meter */
	bool is_callers;
	struct hd_watt_source callback;
	bool begun;			/* `last` is valid */
	double last, joules_cum;
};

struct row {
	uint64_t t_ns;			/* time of the reading, in ns since 1970 */
	double watts, joules_cum;	/* NaN: not reported */
	uint32_t domain;
	bool stale;
};

struct meter {
	struct hd_power_meter *meter;
	pid_t only_in;			/* pid of the only process that may use the meter (for NVML); 0: any */
	uint32_t first;			/* domain d of the meter is domain first + d of the state */
	size_t failed[DOMAINS_MAX];	/* failed readings that were already counted, for each domain of the meter */
};

struct power_state {
	pthread_mutex_t lock;
	struct meter meters[METERS];
	size_t nmeters;
	/* each domain is allocated separately, because callers have pointers to its name */
	struct domain *domains[DOMAINS_MAX];
	size_t ndomains;
	struct row *rows;
	size_t nrows, rows_cap;
	bool sampled;
	struct hd_power_clock clock;
	struct hd_power_sample *samples;	/* room for one reading of any meter */
	pthread_t thread;
	pid_t thread_owner;			/* the process in which the thread runs; 0: there is none */
	pthread_cond_t wake;			/* signalled when the thread shall stop */
	bool stop;
	uint64_t interval_ns;
};

/* ---- domains ---- */

static int add_domain(struct power_state *s, const char *source, const char *name, struct domain **out)
{
	struct domain *d;

	if (s->ndomains == DOMAINS_MAX)
		return HD_TRACK_FULL;
	d = calloc(1, sizeof(*d));
	if (!d)
		return HD_TRACK_NOMEM;
	s->domains[s->ndomains++] = d;
	memcpy(d->source, source, strnlen(source, sizeof(d->source) - 1));
	memcpy(d->name, name, strnlen(name, sizeof(d->name) - 1));
	*out = d;
	return HD_TRACK_OK;
}

/*
 * Return HD_TRACK_OK if a source may be added, HD_TRACK_ORDER after the first sample, or FULL if `source` is already
 * used.
 */
static int may_add(const struct power_state *s, const char *source)
{
	if (s->sampled)
		return HD_TRACK_ORDER;
	for (size_t i = 0; i < s->ndomains; i++)
		if (!strcmp(s->domains[i]->source, source))
			return HD_TRACK_FULL;
	return HD_TRACK_OK;
}

int hd_power_use(struct hd_profiler *p, const struct hd_watt_source *source)
{
	struct power_state *s = hd_profiler_part(p, HD_PART_POWER);
	char name[HD_NAME_BYTES] = "";
	struct domain *d;
	int rc;

	if (!s)
		return HD_TRACK_NOMEM;
	if (!source || source->size < sizeof(*source) || !source->name || !*source->name ||
	    !source->read_watts == !source->read_joules)
		return HD_TRACK_INVALID;
	memcpy(name, source->name, strnlen(source->name, sizeof(name) - 1));
	pthread_mutex_lock(&s->lock);
	rc = may_add(s, name);
	if (rc >= 0)
		rc = add_domain(s, name, "total", &d);
	if (rc >= 0) {
		d->is_callers = true;
		d->callback = *source;
	}
	pthread_mutex_unlock(&s->lock);
	return rc;
}

/*
 * Add a domain to this state for each domain of the meter, in the same order: the meter's domain d is domain m->first +
 * d of the state.
 */
static int add_meter(struct power_state *s, struct hd_power_meter *meter, pid_t only_in)
{
	struct meter *m = &s->meters[s->nmeters];
	size_t before = s->ndomains;
	struct domain *d;
	int rc = HD_TRACK_OK;

	*m = (struct meter){ .meter = meter, .only_in = only_in, .first = (uint32_t)s->ndomains };
	for (size_t i = 0; i < hd_power_domains(meter) && rc >= 0; i++) {
		const struct hd_power_domain *of = hd_power_domain(meter, i);

		rc = add_domain(s, of->source, of->name, &d);
	}
	while (rc < 0 && s->ndomains > before)
		free(s->domains[--s->ndomains]);
	s->nmeters += rc >= 0;
	return rc;
}

static int use_meter(struct hd_profiler *p, const char *only, double watts)
{
	struct power_state *s = hd_profiler_part(p, HD_PART_POWER);
	struct hd_power_config config = hd_power_config();
	struct hd_power_meter *meter = NULL;
	int rc;

	if (!s)
		return HD_TRACK_NOMEM;
	config.only = only;
	config.constant_watts = watts;
	rc = hd_power_open(&meter, &config);
	if (rc >= 0 && !hd_power_usable(meter))
		rc = HD_TRACK_NONE;
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->nmeters && rc >= 0; i++)
		for (size_t k = 0; k < hd_power_sources(meter) && rc >= 0; k++)
			if (hd_power_source(meter, k)->n && hd_power_source(s->meters[i].meter, k)->n)
				rc = HD_TRACK_FULL;	/* the state has a meter of this kind already */
	if (rc >= 0 && s->sampled)
		rc = HD_TRACK_ORDER;
	if (rc >= 0)
		rc = add_meter(s, meter, strcmp(only, "nvml") ? 0 : getpid());
	pthread_mutex_unlock(&s->lock);
	if (rc < 0)
		hd_power_close(meter);
	return rc;
}

int hd_power_use_rapl(struct hd_profiler *p)
{
	return use_meter(p, "rapl", NAN);
}

int hd_power_use_nvml(struct hd_profiler *p)
{
	return use_meter(p, "nvml", NAN);
}

int hd_power_use_constant(struct hd_profiler *p, double watts)
{
	return watts >= 0 && !isinf(watts) ? use_meter(p, "constant", watts) : HD_TRACK_INVALID;
}

/* ---- sampling ---- */

static int add_row(struct power_state *s, struct row row)
{
	if (s->nrows == s->rows_cap) {
		size_t cap = s->rows_cap ? 2 * s->rows_cap : 256;
		struct row *rows = cap <= ROWS_MAX ? realloc(s->rows, cap * sizeof(*rows)) : NULL;

		if (!rows)
			return cap <= ROWS_MAX ? HD_TRACK_NOMEM : HD_TRACK_FULL;
		s->rows = rows;
		s->rows_cap = cap;
	}
	s->rows[s->nrows++] = row;
	return HD_TRACK_OK;
}

/* Add the readings that failed since the last call of this function to the counts of failed readings by domain. */
static void count_failures(struct power_state *s, struct meter *m)
{
	for (size_t i = 0; i < hd_power_domains(m->meter); i++) {
		size_t failed = hd_power_domain(m->meter, i)->failed;

		s->domains[m->first + i]->failed += failed - m->failed[i];
		m->failed[i] = failed;
	}
}

static int sample_meter(struct power_state *s, struct meter *m)
{
	size_t n;
	int rc = HD_TRACK_OK;

	if (m->only_in && m->only_in != getpid()) {
		for (size_t i = 0; i < hd_power_domains(m->meter); i++)
			s->domains[m->first + i]->failed++;
		return rc;
	}
	n = hd_power_read(m->meter, HD_POWER_ALL, s->samples);
	count_failures(s, m);
	for (size_t i = 0; i < n && rc >= 0; i++) {
		const struct hd_power_sample *from = &s->samples[i];

		rc = add_row(s, (struct row){ .t_ns = from->t_ns, .watts = from->watts,
					      .joules_cum = from->joules_cum, .stale = from->stale,
					      .domain = m->first + (uint32_t)from->domain });
	}
	return rc;
}

/* Read a source that the caller provided as a function.  If the reading fails, no row is added. */
static int sample_callers(struct power_state *s, uint32_t index)
{
	struct domain *d = s->domains[index];
	bool is_watts = d->callback.read_watts;
	struct row row = { .domain = index, .watts = NAN, .joules_cum = NAN };
	uint64_t before = hd_power_clock_ns(&s->clock);
	double v = NAN;
	int rc = (is_watts ? d->callback.read_watts : d->callback.read_joules)(d->callback.arg, &v);

	row.t_ns = before + (hd_power_clock_ns(&s->clock) - before) / 2;
	if (rc < 0 || !isfinite(v)) {
		d->failed++;
		return HD_TRACK_OK;
	}
	row.stale = d->begun && v == d->last;
	if (is_watts) {
		row.watts = v;
	} else {
		/* A counter that falls was reset; the energy of that step is lost. */
		if (d->begun && v > d->last)
			d->joules_cum += v - d->last;
		row.joules_cum = d->joules_cum;
	}
	d->begun = true;
	d->last = v;
	return add_row(s, row);
}

/* Read all sources, and return the first error; HD_TRACK_NONE if there are no sources.  The caller holds the lock. */
static int sample_all(struct power_state *s)
{
	int rc = s->ndomains ? HD_TRACK_OK : HD_TRACK_NONE, each;

	s->sampled |= s->ndomains > 0;
	for (size_t i = 0; i < s->nmeters; i++) {
		each = sample_meter(s, &s->meters[i]);
		rc = rc < 0 ? rc : each;
	}
	for (size_t i = 0; i < s->ndomains; i++) {
		each = s->domains[i]->is_callers ? sample_callers(s, (uint32_t)i) : HD_TRACK_OK;
		rc = rc < 0 ? rc : each;
	}
	return rc;
}

int hd_power_sample(struct hd_profiler *p)
{
	struct power_state *s = hd_profiler_part(p, HD_PART_POWER);
	int rc;

	if (!s)
		return HD_TRACK_NOMEM;
	pthread_mutex_lock(&s->lock);
	rc = sample_all(s);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

/* ---- the thread ---- */

static void init_condition(pthread_cond_t *condition)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &attr);
	pthread_condattr_destroy(&attr);
}

static void *run(void *state)
{
	struct power_state *s = state;
	uint64_t next;

	pthread_mutex_lock(&s->lock);
	next = hd_now_ns();
	while (!s->stop) {
		uint64_t now;

		sample_all(s);		/* a failed reading has no row; it is counted in `failed` */
		now = hd_now_ns();
		next += s->interval_ns;
		if (next < now)		/* the thread is late; skip the readings that it missed */
			next = now + s->interval_ns;
		while (!s->stop && hd_now_ns() < next) {
			struct timespec until = { .tv_sec = (time_t)(next / 1000000000u),
						  .tv_nsec = (long)(next % 1000000000u) };

			pthread_cond_timedwait(&s->wake, &s->lock, &until);
		}
	}
	sample_all(s);			/* a last reading, so that the energy covers the time until the stop */
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/*
 * Return true if this process has a sampling thread.  fork() does not copy the thread.  In a child, reset what is left
 * of the parent's thread: its owner, its stop flag, and `wake`, in which that thread may have been waiting.
 */
static bool is_running(struct power_state *s)
{
	if (s->thread_owner && s->thread_owner != getpid()) {
		s->thread_owner = 0;
		s->stop = false;
		init_condition(&s->wake);
	}
	return s->thread_owner;
}

/*
 * Start the sampling thread.  All signals are blocked while it is created, because a thread inherits the signal mask.
 */
static int start_thread(struct power_state *s)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&s->thread, NULL, run, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!error)
		s->thread_owner = getpid();
	return error ? HD_TRACK_NOMEM : HD_TRACK_OK;
}

int hd_power_start(struct hd_profiler *p, uint64_t interval_us)
{
	struct power_state *s = hd_profiler_part(p, HD_PART_POWER);
	int rc = HD_TRACK_OK;

	if (!s)
		return HD_TRACK_NOMEM;
	if (!interval_us || interval_us > UINT64_MAX / 1000 / 2)
		return HD_TRACK_INVALID;
	pthread_mutex_lock(&s->lock);
	if (is_running(s))
		rc = HD_TRACK_ORDER;
	else if (!s->ndomains)
		rc = HD_TRACK_NONE;
	s->interval_ns = rc < 0 ? s->interval_ns : interval_us * 1000;
	if (rc >= 0)
		rc = start_thread(s);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

static int stop(struct power_state *s)
{
	pthread_mutex_lock(&s->lock);
	if (!is_running(s) || s->stop) {
		pthread_mutex_unlock(&s->lock);
		return HD_TRACK_ORDER;
	}
	s->stop = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	pthread_mutex_lock(&s->lock);
	s->stop = false;
	s->thread_owner = 0;
	pthread_mutex_unlock(&s->lock);
	return HD_TRACK_OK;
}

int hd_power_stop(struct hd_profiler *p)
{
	struct power_state *s = hd_profiler_part(p, HD_PART_POWER);

	return s ? stop(s) : HD_TRACK_NOMEM;
}

/* ---- results ---- */

/* Set *out to a copy of the rows, which the caller frees.  The caller holds the lock. */
static int64_t copy_rows(const struct power_state *s, struct row **out)
{
	*out = malloc(s->nrows * sizeof(**out) + 1);
	if (!*out)
		return HD_TRACK_NOMEM;
	if (s->nrows)
		memcpy(*out, s->rows, s->nrows * sizeof(**out));
	return (int64_t)s->nrows;
}

/*
 * Return b - a in seconds.  The difference is computed before it becomes a double, because a double has a resolution of
 * only 256 ns for nanoseconds since 1970.  `b` may be before `a`: each meter reads the real time once, when it is
 * opened, so a change of the system clock between two openings shifts their times against each other.
 */
static double seconds_between(uint64_t a, uint64_t b)
{
	return (double)(int64_t)(b - a) / 1e9;
}

/* Compute the energy of a domain.  `samples` has room for all rows. */
static int add_energy(struct hd_power_total *out, const struct row *rows, size_t nrows, uint32_t domain,
		      struct hd_energy_sample *samples)
{
	const struct hd_energy_span whole = { NAN, NAN };
	size_t nwatts = 0, n = 0;
	struct hd_energy e;
	int rc;

	for (size_t i = 0; i < nrows; i++)
		nwatts += rows[i].domain == domain && !isnan(rows[i].watts);
	out->counter = !nwatts;
	for (size_t i = 0; i < nrows; i++) {
		double v = out->counter ? rows[i].joules_cum : rows[i].watts;

		if (rows[i].domain == domain && !isnan(v))
			samples[n++] = (struct hd_energy_sample){ seconds_between(rows[0].t_ns, rows[i].t_ns), v,
								  !out->counter && rows[i].stale };
	}
	rc = (out->counter ? hd_energy_counter : hd_energy)(&e, samples, n, whole);
	if (rc < 0)
		return rc;
	out->joules = e.total_joules;
	out->mean_watts = e.enough ? e.mean_watts : NAN;
	out->peak_watts = e.enough ? e.peak_watts : NAN;
	out->duration_s = e.duration_s;
	out->n_samples = e.n_samples;
	return rc;
}

/* Return true if the domain can be read. */
static bool is_usable(const struct power_state *s, uint32_t domain)
{
	for (size_t i = 0; i < s->nmeters; i++) {
		const struct meter *m = &s->meters[i];

		if (domain >= m->first && domain - m->first < hd_power_domains(m->meter))
			return hd_power_domain(m->meter, domain - m->first)->state == HD_POWER_USABLE;
	}
	return true;
}

/*
 * Set all fields of the totals except the energies.  `domains` becomes the domain index of each total.  Returns the
 * number of totals.
 */
static size_t list_totals(const struct power_state *s, struct hd_power_total *out, size_t cap,
			  uint32_t domains[DOMAINS_MAX])
{
	struct hd_power_overlap overlaps[DOMAINS_MAX];
	size_t n = 0;

	for (uint32_t i = 0; i < s->ndomains; i++)
		if (is_usable(s, i)) {
			overlaps[n] = (struct hd_power_overlap){ .source = s->domains[i]->source,
								 .domain = s->domains[i]->name };
			domains[n++] = i;
		}
	hd_power_overlap_resolve(overlaps, n);
	for (size_t i = 0; i < n && i < cap; i++)
		out[i] = (struct hd_power_total){ .source = overlaps[i].source, .domain = overlaps[i].domain,
						  .failed = s->domains[domains[i]]->failed,
						  .added = !overlaps[i].why_not };
	return n;
}

int64_t hd_power_totals(struct hd_profiler *p, struct hd_power_total *out, size_t cap)
{
	struct power_state *s = hd_profiler_part(p, HD_PART_POWER);
	struct hd_energy_sample *samples = NULL;
	uint32_t domains[DOMAINS_MAX];
	struct row *rows;
	int64_t nrows;
	size_t n;
	int rc = HD_TRACK_NOMEM;

	if (!s)
		return HD_TRACK_NOMEM;
	if (cap && !out)
		return HD_TRACK_INVALID;
	/* The energies are computed without the lock, so that sampling goes on. */
	pthread_mutex_lock(&s->lock);
	n = list_totals(s, out, cap, domains);
	nrows = copy_rows(s, &rows);
	pthread_mutex_unlock(&s->lock);
	if (nrows >= 0)
		samples = malloc((size_t)nrows * sizeof(*samples) + 1);
	if (samples)
		rc = HD_TRACK_OK;
	for (size_t i = 0; i < n && i < cap && rc >= 0; i++)
		rc = add_energy(&out[i], rows, (size_t)nrows, domains[i], samples);
	free(samples);
	free(rows);
	return rc < 0 ? rc : (int64_t)n;
}

static void put_row(struct hd_csvout *o, const void *any, const void *context)
{
	const struct power_state *s = context;
	const struct row *row = any;
	/* No lock is needed, because the names of a domain never change. */
	const struct domain *d = s->domains[row->domain];

	hd_csvout_u64(o, row->t_ns);
	hd_csvout_name(o, d->source, strlen(d->source));
	hd_csvout_name(o, d->name, strlen(d->name));
	hd_csvout_num(o, row->watts);
	hd_csvout_num(o, row->joules_cum);
	hd_csvout_u64(o, row->stale);
}

int hd_power_write_csv(struct hd_profiler *p, const char *path)
{
	struct power_state *s = hd_profiler_part(p, HD_PART_POWER);
	struct row *rows;
	int64_t n;
	int rc;

	if (!s)
		return HD_TRACK_NOMEM;
	if (!path)
		return HD_TRACK_INVALID;
	pthread_mutex_lock(&s->lock);
	n = copy_rows(s, &rows);
	pthread_mutex_unlock(&s->lock);
	if (n < 0)
		return (int)n;
	rc = hd_form_write(path, HD_FORM_SOURCES, rows, sizeof(*rows), (size_t)n, put_row, s);
	free(rows);
	return rc;
}

/* ---- functions of struct hd_part_type (profiler.h) ---- */

static int power_create(void **state, const struct hd_profiler *p)
{
	struct hd_power_config config = { .constant_watts = NAN };
	struct power_state *s = calloc(1, sizeof(*s));

	(void)p;
	if (!s)
		return HD_TRACK_NOMEM;
	s->samples = malloc(HD_POWER_DOMAINS_MAX * sizeof(*s->samples));
	if (!s->samples) {
		free(s);
		return HD_TRACK_NOMEM;
	}
	s->clock = hd_power_clock(&config);
	pthread_mutex_init(&s->lock, NULL);
	init_condition(&s->wake);
	*state = s;
	return HD_TRACK_OK;
}

/* Drop all rows and the counts of failed readings.  The sources stay. */
static void power_reset(void *state)
{
	struct power_state *s = state;

	pthread_mutex_lock(&s->lock);
	s->nrows = 0;
	for (size_t i = 0; i < s->ndomains; i++)
		s->domains[i]->failed = 0;
	pthread_mutex_unlock(&s->lock);
}

static void power_release(void *state)
{
	struct power_state *s = state;

	stop(s);
	for (size_t i = 0; i < s->nmeters; i++)
		if (!s->meters[i].only_in || s->meters[i].only_in == getpid())
			hd_power_close(s->meters[i].meter);
	pthread_cond_destroy(&s->wake);
	pthread_mutex_destroy(&s->lock);
	for (size_t i = 0; i < s->ndomains; i++)
		free(s->domains[i]);
	free(s->rows);
	free(s->samples);
	free(s);
}

static void power_lock(void *state, bool on)
{
	struct power_state *s = state;

	hd_part_lock(&s->lock, on);
}

const struct hd_part_type hd_part_power = { power_create, power_reset, power_release, power_lock };
