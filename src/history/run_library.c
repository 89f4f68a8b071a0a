/*
 * run_library.c - see run_library.h
 */
#include "history/run_library.h"

#include "base/encode.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "series/sample_folder.h"
#include "track/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_BYTES = 64 << 20, STATS = 12 };

static const char OBJECT[] = "[libhotdrift]";

struct reading {
	struct hd_run_csv_set *set;
	const char *path;
	struct hd_err *err;
	struct hd_run_stat stats[STATS];
	size_t nstats;
};

/* ---- values ---- */

/* Read a number from a member of a JSON object; NaN if the member is null or absent. */
static int number_of(double *out, const struct reading *r, const struct hd_json *row, const char *key)
{
	const struct hd_json *v = hd_json_get(row, key);
	const char *text = v ? hd_json_number(v) : "";
	struct hd_number n;

	*out = NAN;
	if (!v || hd_json_kind(v) == HD_JSON_NULL)
		return 0;
	if (hd_number_read(text, strlen(text), &n) != HD_NUMBER)
		return hd_fail(r->err, HD_EFORMAT, "%s: \"%s\" is not a number", r->path, key);
	*out = n.v;
	return 0;
}

/*
 * Read a whole number from a member of a JSON object: from 0 to 2^63 - 1, the largest integer that a database can
 * store.
 */
static int whole_of(uint64_t *out, const struct reading *r, const struct hd_json *row, const char *key)
{
	const struct hd_json *v = hd_json_get(row, key);
	const char *text = v ? hd_json_number(v) : "";
	struct hd_number n;

	if (hd_number_read(text, strlen(text), &n) != HD_NUMBER || !n.is_whole || n.negative || n.whole > INT64_MAX)
		return hd_fail(r->err, HD_EFORMAT, "%s: \"%s\" is not a whole number from 0 to 2^63 - 1", r->path, key);
	*out = n.whole;
	return 0;
}

/* Read a name into the arena and decode its escapes.  key: the member of `row` that has the name. */
static int name_of(const char **out, const struct reading *r, const struct hd_json *row, const char *key)
{
	const struct hd_json *v = hd_json_get(row, key);
	struct hd_buf name = { 0 };
	const char *s;
	size_t n = 0;

	if (!v || hd_json_kind(v) != HD_JSON_STRING)
		return hd_fail(r->err, HD_EFORMAT, "%s: \"%s\" is not a string", r->path, key);
	s = hd_json_string(v, &n);
	hd_decode_folded(&name, s, n);
	if (name.len && memchr(name.data, '\0', name.len)) {
		hd_buf_release(&name);
		return hd_fail(r->err, HD_EFORMAT, "%s: a name contains a NUL", r->path);
	}
	*out = hd_arena_strndup(&r->set->arena, hd_buf_str(&name), name.len);
	hd_buf_release(&name);
	return 0;
}

/* ---- series ---- */

static void put(struct reading *r, const char *name, double value)
{
	if (isfinite(value) && r->nstats < STATS)
		r->stats[r->nstats++] = (struct hd_run_stat){ .name = name, .value = value };
}

static void put_between(struct reading *r, const char *name, double value, double lo, double hi)
{
	size_t n = r->nstats;

	put(r, name, value);
	if (r->nstats == n || !isfinite(lo) || !isfinite(hi))
		return;
	r->stats[n].has_interval = true;
	r->stats[n].lo = lo;
	r->stats[n].hi = hi;
}

/* A number in a JSON object of the report: its member `key` becomes the statistic `name`. */
struct figure {
	const char *key, *name;
};

static int put_figures(struct reading *r, const struct hd_json *row, const struct figure *figures, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double v;
		int rc = number_of(&v, r, row, figures[i].key);

		if (rc < 0)
			return rc;
		put(r, figures[i].name, v);
	}
	return 0;
}

/* End a series: append it with the statistics that were added.  All texts are constant or in the arena. */
static void end_series(struct reading *r, const char *kind, const char *name, const char *unit, uint64_t samples,
	const char *method)
{
	struct hd_run_csv_set *set = r->set;
	struct hd_run_stat *stats = hd_arena_alloc(&set->arena, (r->nstats + 1) * sizeof(*stats));

	memcpy(stats, r->stats, r->nstats * sizeof(*stats));
	HD_GROW(set->series, set->n + 1, set->cap);
	set->series[set->n++] = (struct hd_run_series){ .kind = kind, .name = name, .unit = unit, .samples = samples,
		.stats = stats, .nstats = r->nstats, .method = method };
	r->nstats = 0;
}

static bool has_kind(const struct hd_run_csv_set *set, size_t n, const char *kind)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(set->series[i].kind, kind))
			return true;
	return false;
}

/* ---- sections ---- */

static int add_operation(struct reading *r, const struct hd_json *row, const char *name, uint64_t count)
{
	static const struct figure figures[] = {
		{ "count", "n" }, { "mean_ns", "mean" }, { "min_ns", "min" }, { "max_ns", "max" },
		{ "gflops_per_s", "gflops_per_s" }, { "gbytes_per_s", "gbytes_per_s" },
	};
	int rc = put_figures(r, row, figures, count ? HD_COUNT(figures) : 1);

	if (rc >= 0)
		end_series(r, "operation", name, "ns", count, NULL);
	return rc;
}

static int add_allocation(struct reading *r, const struct hd_json *row, const char *name, uint64_t blocks)
{
	static const struct figure figures[] = {
		{ "blocks", "n" }, { "peak_bytes", "peak" }, { "live_bytes", "live" },
	};
	uint64_t bytes = 0;
	int rc = put_figures(r, row, figures, HD_COUNT(figures));

	if (rc >= 0)
		rc = whole_of(&bytes, r, row, "bytes");
	if (rc < 0)
		return rc;
	put(r, "mean", blocks ? (double)bytes / (double)blocks : NAN);
	end_series(r, "allocation", name, "bytes", blocks, NULL);
	return 0;
}

/*
 * A section of the report (`operations` or `allocations`), which is stored as an event.  Each row of the section
 * becomes a hotspot of this event, and also a series.  self, total, samples: the keys of these values in a row.
 */
struct costs {
	const char *section, *unit, *self, *total, *samples;
	int (*add_series)(struct reading *r, const struct hd_json *row, const char *name, uint64_t samples);
};

static int by_cost(const void *pa, const void *pb)
{
	const struct hd_run_hotspot *a = pa, *b = pb;

	return a->self != b->self ? (a->self > b->self ? -1 : 1) : strcmp(a->name, b->name);
}

static int by_name(const void *pa, const void *pb)
{
	const struct hd_run_hotspot *a = pa, *b = pb;

	return strcmp(a->name, b->name);
}

static int check_names(const struct reading *r, struct hd_run_hotspot *rows, size_t n, const char *section)
{
	qsort(rows, n, sizeof(*rows), by_name);
	for (size_t i = 1; i < n; i++)
		if (!strcmp(rows[i].name, rows[i - 1].name))
			return hd_fail(r->err, HD_EFORMAT, "%s: a name occurs twice in \"%s\"", r->path, section);
	return 0;
}

static int add_cost(struct reading *r, struct hd_run_event *e, struct hd_run_hotspot *to, const struct hd_json *row,
	const struct costs *c)
{
	uint64_t total = 0;
	int rc;

	*to = (struct hd_run_hotspot){ .object = OBJECT };
	rc = name_of(&to->name, r, row, "name");
	if (rc >= 0)
		rc = whole_of(&to->self, r, row, c->self);
	if (rc >= 0)
		rc = whole_of(&total, r, row, c->total);
	if (rc >= 0)
		rc = whole_of(&to->samples, r, row, c->samples);
	if (rc >= 0)
		rc = c->add_series(r, row, to->name, to->samples);
	if (rc < 0)
		return rc;
	to->linkage = to->name;
	to->total = total < to->self ? to->self : total;
	/* No sum overflows: the value that is added and the sum before the addition are both below 2^63. */
	e->weight += to->self;
	e->samples += to->samples;
	if (e->weight > INT64_MAX || e->samples > INT64_MAX)
		return hd_fail(r->err, HD_EFORMAT, "%s: the sum of \"%s\" is larger than a database can store", r->path,
			c->section);
	return 0;
}

/* Add a section of the report as an event with hotspots, if any of its rows has a cost. */
static int add_costs(struct reading *r, struct hd_run_library *out, const struct hd_json *root, const struct costs *c)
{
	const struct hd_json *list = hd_json_get(root, c->section);
	size_t n = list ? hd_json_count(list) : 0;
	struct hd_run_hotspot *rows = hd_arena_alloc(&r->set->arena, (n + 1) * sizeof(*rows));
	struct hd_run_event e = { .name = c->section, .unit = c->unit, .hotspots = rows, .nhotspots = n };
	int rc = 0;

	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = add_cost(r, &e, &rows[i], hd_json_at(list, i), c);
	if (rc >= 0)
		rc = check_names(r, rows, n, c->section);
	if (rc < 0 || !e.weight)
		return rc;
	qsort(rows, n, sizeof(*rows), by_cost);
	out->events[out->n++] = e;
	return 0;
}

static int add_memory(struct reading *r, const struct hd_json *row)
{
	static const struct { const char *name, *column, *sum; } kinds[] = {
		{ "rss", "peak_rss_bytes", NULL }, { "kv_cache", "kv_cache_bytes", "kv_cache_total" },
		{ "activation", "activation_bytes", "activation_total" },
		{ "temp_buffer", "temp_buffer_bytes", NULL },
	};
	double peak, mean, sum;
	uint64_t snapshots = 0;
	const char *name;
	int rc = name_of(&name, r, row, "name");
	size_t k = 0;

	if (rc >= 0)
		rc = whole_of(&snapshots, r, row, "snapshots");
	if (rc >= 0)
		rc = number_of(&peak, r, row, "peak_bytes");
	if (rc >= 0)
		rc = number_of(&mean, r, row, "mean_bytes");
	if (rc >= 0)
		rc = number_of(&sum, r, row, "total_bytes");
	if (rc < 0)
		return rc;
	while (k < HD_COUNT(kinds) && strcmp(kinds[k].name, name))
		k++;
	/* A class of memory whose bytes are always 0 was not measured, as in a memory CSV. */
	if (k == HD_COUNT(kinds) || (k && !(peak > 0)))
		return 0;
	put(r, "n", (double)snapshots);
	put(r, "mean", mean);
	put(r, "max", peak);
	if (!k) {
		put(r, "peak_rss", peak);
		put(r, "mean_rss", mean);
	}
	if (kinds[k].sum)
		put(r, kinds[k].sum, sum);
	end_series(r, "memory", kinds[k].column, "bytes", snapshots, NULL);
	return 0;
}

static int add_latency(struct reading *r, const struct hd_json *row)
{
	static const struct { const char *name, *unit; } columns[] = {
		{ "wall_time_us", "us" }, { "kernel_time_us", "us" }, { "seq_len", "1" },
	};
	static const char *const keys[] = { "mean", "std", "p50", "p95", "p99", "min", "max", "outliers" };
	uint64_t n = 0;
	const char *name;
	int rc = name_of(&name, r, row, "name");
	size_t k = 0;

	if (rc >= 0)
		rc = whole_of(&n, r, row, "n");
	put(r, "n", (double)n);
	for (size_t i = 0; i < HD_COUNT(keys) && rc >= 0; i++) {
		char lo_key[16], hi_key[16];
		double v, lo = NAN, hi = NAN;

		snprintf(lo_key, sizeof(lo_key), "%s_lo", keys[i]);
		snprintf(hi_key, sizeof(hi_key), "%s_hi", keys[i]);
		rc = number_of(&v, r, row, keys[i]);
		if (rc >= 0)
			rc = number_of(&lo, r, row, lo_key);
		if (rc >= 0)
			rc = number_of(&hi, r, row, hi_key);
		if (rc >= 0)
			put_between(r, keys[i], v, lo, hi);
	}
	while (rc >= 0 && k < HD_COUNT(columns) && strcmp(columns[k].name, name))
		k++;
	if (rc >= 0 && k < HD_COUNT(columns))
		end_series(r, "latency", columns[k].name, columns[k].unit, n, NULL);
	r->nstats = 0;
	return rc;
}

static int add_span(struct reading *r, const struct hd_json *row)
{
	static const struct figure figures[] = {
		{ "count", "n" }, { "polls", "polls" }, { "busy_ns", "busy" }, { "idle_ns", "idle" },
		{ "scheduled_ns", "scheduled" }, { "longest_poll_ns", "longest_poll" },
	};
	const char *name;
	uint64_t n = 0;
	int rc = name_of(&name, r, row, "name");

	if (rc >= 0)
		rc = whole_of(&n, r, row, "count");
	if (rc >= 0)
		rc = put_figures(r, row, figures, HD_COUNT(figures));
	if (rc >= 0)
		end_series(r, "span", name, "ns", n, NULL);
	return rc;
}

/* Sums over the domains that are added, which are those that no other domain contains. */
struct power_sum {
	double joules, mean, peak, duration;
	uint64_t n;
	size_t domains;
	struct hd_buf method;
};

static void put_power(struct reading *r, uint64_t n, double mean, double joules, double peak, double duration)
{
	put(r, "n", (double)n);
	put(r, "mean", mean);
	put(r, "joules", joules);
	put(r, "peak", peak);
	put(r, "duration_s", duration);
}

static int add_domain(struct reading *r, const struct hd_json *row, struct power_sum *sum)
{
	const struct hd_json *counter = hd_json_get(row, "counter"), *added = hd_json_get(row, "added");
	double joules, mean, peak, duration;
	const char *source, *domain;
	struct hd_buf b = { 0 };
	uint64_t n = 0;
	int rc = name_of(&source, r, row, "source");

	if (rc >= 0)
		rc = name_of(&domain, r, row, "domain");
	if (rc >= 0)
		rc = number_of(&joules, r, row, "joules");
	if (rc >= 0)
		rc = number_of(&mean, r, row, "mean_watts");
	if (rc >= 0)
		rc = number_of(&peak, r, row, "peak_watts");
	if (rc >= 0)
		rc = number_of(&duration, r, row, "duration_s");
	if (rc >= 0)
		rc = whole_of(&n, r, row, "n_samples");
	if (rc < 0)
		return rc;
	hd_buf_addf(&b, "%s of ", counter && hd_json_bool(counter) ? "counter" : "trapezoid");
	hd_enc_visible(&b, source, strlen(source));
	hd_buf_addc(&b, ' ');
	hd_enc_visible(&b, domain, strlen(domain));
	if (added && hd_json_bool(added)) {
		hd_buf_addf(&sum->method, "%s%s", sum->domains ? ", " : "", b.data);
		sum->joules += isfinite(joules) ? joules : 0;
		sum->mean += isfinite(mean) ? mean : 0;
		sum->peak = peak;
		sum->duration = duration > sum->duration ? duration : sum->duration;
		sum->n += n;
		sum->domains++;
	}
	put_power(r, n, mean, joules, peak, duration);
	end_series(r, "power", NULL, "W", n, hd_arena_strndup(&r->set->arena, b.data, b.len));
	hd_buf_reset(&b);
	hd_buf_addf(&b, "watts %s/%s", source, domain);
	r->set->series[r->set->n - 1].name = hd_arena_strndup(&r->set->arena, b.data, b.len);
	hd_buf_release(&b);
	return 0;
}

static int add_power(struct reading *r, const struct hd_json *list)
{
	const size_t before = r->set->n;
	struct power_sum sum = { 0 };
	struct hd_run_series all;
	int rc = 0;

	for (size_t i = 0; i < hd_json_count(list) && rc >= 0; i++)
		rc = add_domain(r, hd_json_at(list, i), &sum);
	if (rc >= 0 && sum.domains) {
		/* Domains can have their peaks at different times, so the sum of several domains has no known peak. */
		put_power(r, sum.n, sum.mean, sum.joules, sum.domains == 1 ? sum.peak : NAN, sum.duration);
		end_series(r, "power", "watts", "W", sum.n,
			hd_arena_strndup(&r->set->arena, sum.method.data, sum.method.len < 400 ? sum.method.len : 400));
		/* The sum comes before its domains, as for CSV files. */
		all = r->set->series[r->set->n - 1];
		memmove(&r->set->series[before + 1], &r->set->series[before], (r->set->n - 1 - before) * sizeof(all));
		r->set->series[before] = all;
	}
	hd_buf_release(&sum.method);
	return rc;
}

static int add_rows(struct reading *r, const struct hd_json *root, const char *section,
	int (*add)(struct reading *r, const struct hd_json *row))
{
	const struct hd_json *list = hd_json_get(root, section);
	int rc = 0;

	for (size_t i = 0; list && i < hd_json_count(list) && rc >= 0; i++)
		rc = add(r, hd_json_at(list, i));
	return rc;
}

/* ---- the report ---- */

static bool is_string(const struct hd_json *v, const char *text)
{
	size_t n = 0;
	const char *s = v && hd_json_kind(v) == HD_JSON_STRING ? hd_json_string(v, &n) : NULL;

	return s && n == strlen(text) && !memcmp(s, text, n);
}

static int check_format(const struct reading *r, const struct hd_json *root)
{
	static const char *const sections[] = { "operations", "allocations", "memory", "latency", "power", "spans" };
	const struct hd_json *version = hd_json_get(root, "version");

	if (!is_string(hd_json_get(root, "format"), "hotdrift.library"))
		return hd_fail(r->err, HD_EFORMAT,
			"%s: not a report of libhotdrift (hd_report_write() with HD_REPORT_JSON)", r->path);
	if (!version || strcmp(hd_json_number(version), "1"))
		return hd_fail(r->err, HD_EFORMAT, "%s: version of the report is not 1", r->path);
	for (size_t i = 0; i < HD_COUNT(sections); i++) {
		const struct hd_json *list = hd_json_get(root, sections[i]);

		if (list && hd_json_kind(list) != HD_JSON_ARRAY)
			return hd_fail(r->err, HD_EFORMAT, "%s: \"%s\" is not an array", r->path, sections[i]);
		for (size_t k = 0; list && k < hd_json_count(list); k++)
			if (hd_json_kind(hd_json_at(list, k)) != HD_JSON_OBJECT)
				return hd_fail(r->err, HD_EFORMAT, "%s: a row of \"%s\" is not an object", r->path,
					sections[i]);
	}
	return 0;
}

static int take_report(struct hd_run_library *out, struct reading *r, const struct hd_json *root)
{
	static const struct costs costs[] = {
		{ "operations", "ns", "self_ns", "total_ns", "count", add_operation },
		{ "allocations", "bytes", "bytes", "bytes", "blocks", add_allocation },
	};
	const size_t before = r->set->n;
	const struct hd_json *power = hd_json_get(root, "power");
	char boot[HD_BOOT_ID];
	uint64_t us = 0;
	int rc = check_format(r, root);

	for (size_t i = 0; i < HD_COUNT(costs) && rc >= 0; i++)
		rc = add_costs(r, out, root, &costs[i]);
	if (rc >= 0 && !has_kind(r->set, before, "memory"))
		rc = add_rows(r, root, "memory", add_memory);
	if (rc >= 0 && !has_kind(r->set, before, "latency"))
		rc = add_rows(r, root, "latency", add_latency);
	if (rc >= 0 && power && !has_kind(r->set, before, "power"))
		rc = add_power(r, power);
	if (rc >= 0)
		rc = add_rows(r, root, "spans", add_span);
	if (rc < 0)
		return rc;
	if (hd_json_get(root, "timestamp_us"))
		rc = whole_of(&us, r, root, "timestamp_us");
	out->recorded_s = (int64_t)(us / 1000000);
	hd_boot_id(boot);
	out->is_here = *boot && is_string(hd_json_get(root, "boot_id"), boot);
	if (rc >= 0 && r->set->n == before && !out->n)
		return hd_fail(r->err, HD_EFORMAT, "%s: nothing was recorded", r->path);
	return rc;
}

int hd_run_library_parse(struct hd_run_library *out, struct hd_run_csv_set *set, const char *text, size_t n,
	const char *path, struct hd_err *err)
{
	struct reading r = { .set = set, .path = path, .err = err };
	struct hd_json_doc *doc;
	int rc;

	*out = (struct hd_run_library){ .n = 0 };
	rc = hd_json_parse(&doc, text, n, path, err);
	if (rc < 0)
		return rc;
	rc = take_report(out, &r, hd_json_root(doc));
	hd_json_free(doc);
	return rc;
}

int hd_run_library_read(struct hd_run_library *out, struct hd_run_csv_set *set, const char *path, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	int fd = hd_file_open(path, err), rc;

	if (fd < 0)
		return fd;
	rc = hd_file_slurp(fd, path, MAX_BYTES, &text, err);
	close(fd);
	if (rc >= 0)
		rc = hd_run_library_parse(out, set, hd_buf_str(&text), text.len, path, err);
	hd_buf_release(&text);
	return rc < 0 ? rc : 0;
}
