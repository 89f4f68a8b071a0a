/*
 * run_csv.c - see run_csv.h
 */
#include "history/run_csv.h"

#include "base/encode.h"
#include "base/file.h"
#include "base/mem.h"
#include "series/energy_report.h"
#include "series/series_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MAX_BYTES = 1 << 30,		/* maximum size of a file; db/blob.h stores no larger text */
	HEADER = 512,			/* bytes read to recognise a file; every known header line is shorter */
	STATS = 24,			/* room for the statistics of one series; none has so many */
	/* the text about how energy was measured lists no further power domains once it has this many bytes */
	METHOD = 400,
	DEVICES = 256,			/* limit for the number of GPUs in a file */
};

/* State while a series is built. */
struct making {
	struct hd_run_csv_set *all;
	struct hd_run_csv *file;
	struct hd_run_stat stats[STATS];
	size_t n;
};

static const char *keep(struct hd_run_csv_set *all, const char *text)
{
	return hd_arena_strndup(&all->arena, text, strlen(text));
}

/* ---- numbers ---- */

/* Add a statistic; values that are not finite are skipped. */
static void put(struct making *m, const char *name, double value)
{
	if (isfinite(value))
		m->stats[m->n++] = (struct hd_run_stat){ .name = name, .value = value };
}

static void put_sure(struct making *m, const char *name, double value, struct hd_interval ci)
{
	size_t n = m->n;

	put(m, name, value);
	if (m->n > n && isfinite(ci.lo) && isfinite(ci.hi)) {
		m->stats[n].has_interval = true;
		m->stats[n].lo = ci.lo;
		m->stats[n].hi = ci.hi;
	}
}

static void put_summary(struct making *m, const struct hd_series_stats_column *c)
{
	const struct hd_summary *s = &c->sum;

	put(m, "n", (double)s->n);
	if (!s->n)
		return;
	put_sure(m, "mean", s->mean, s->ci_mean);
	put_sure(m, "std", s->std, s->ci_std);
	put_sure(m, "p50", s->p50, s->ci_p50);
	put_sure(m, "p95", s->p95, s->ci_p95);
	put_sure(m, "p99", s->p99, s->ci_p99);
	put(m, "min", s->min);
	put(m, "max", s->max);
	put(m, "outliers", (double)s->outliers);
	if (c->against) {
		put(m, "slope", c->fit.slope);
		put(m, "r2", c->fit.r2);
	}
}

struct figures {
	bool enough;
	double joules, peak, duration, counter, disagreement, update_period;	/* NaN: unknown */
};

static void put_energy(struct making *m, const struct figures *f)
{
	if (!f->enough)
		return;
	put(m, "joules", f->joules);
	put(m, "peak", f->peak);
	put(m, "duration_s", f->duration);
	put(m, "counter_joules", f->counter);
	put(m, "disagreement_pct", f->disagreement);
	put(m, "update_period_s", f->update_period);
}

/* ---- series ---- */

/* Derive the unit from the suffix of the column name; "1" if that has no unit. */
static const char *unit_of(const char *column)
{
	static const struct { const char *end, *unit; } units[] = {
		{ "_us", "us" }, { "_ns", "ns" }, { "_ms", "ms" }, { "_s", "s" }, { "_bytes", "bytes" },
		{ "_watts", "W" },
		{ "_joules", "J" }, { "_pct", "%" },
	};
	size_t n = strlen(column);

	if (!strcmp(column, "watts"))
		return "W";
	for (size_t i = 0; i < HD_COUNT(units); i++) {
		size_t len = strlen(units[i].end);

		if (n > len && !strcmp(column + n - len, units[i].end))
			return units[i].unit;
	}
	return "1";
}

/*
 * Append the series that was built in `m` to the set m->all.  The set borrows `name` and `method`, so they must be in
 * its arena.  `method` may be NULL.
 */
static void end_series(struct making *m, const char *name, const char *unit, size_t samples, const char *method)
{
	struct hd_run_csv_set *all = m->all;
	struct hd_run_stat *stats = hd_arena_alloc(&all->arena, (m->n + 1) * sizeof(*stats));

	memcpy(stats, m->stats, m->n * sizeof(*stats));
	HD_GROW(all->series, all->n + 1, all->cap);
	all->series[all->n++] = (struct hd_run_series){
		.kind = m->file->kind, .name = name, .unit = unit, .method = method, .samples = samples,
		.csv = hd_buf_str(&m->file->text),
		.csv_len = m->file->text.len, .stats = stats, .nstats = m->n,
	};
	m->n = 0;
}

/* Return the name of the series that a column becomes.  device: the name of its GPU, or NULL. */
static const char *column_name(struct making *m, const char *column, const char *device)
{
	struct hd_buf b = { 0 };
	const char *kept;

	if (m->file->name)
		hd_buf_addf(&b, "%s.", m->file->name);
	hd_buf_adds(&b, column);
	if (device)
		hd_buf_addf(&b, " GPU %s", device);
	kept = keep(m->all, b.data);
	hd_buf_release(&b);
	return kept;
}

static void put_memory(struct making *m, const struct hd_series_stats *st, const char *column)
{
	if (!strcmp(column, "peak_rss_bytes")) {
		put(m, "peak_rss", st->peak_rss);
		put(m, "mean_rss", st->mean_rss);
	} else if (!strcmp(column, "kv_cache_bytes")) {
		put(m, "kv_cache_total", st->kv_cache_total);
	} else if (!strcmp(column, "activation_bytes")) {
		put(m, "activation_total", st->activation_total);
	}
}

/*
 * Add all columns of a file.  energy: the energy report if the file has one column of watts, else
 * NULL.  device: the GPU of these rows, or NULL.
 */
static int add_columns(struct making *m, const struct hd_series *s, const struct hd_energy_report *energy,
	const char *device, struct hd_log *log, struct hd_err *err)
{
	static const struct hd_string_list all = { 0 };
	struct hd_series_stats st;
	int rc = hd_series_stats_make(&st, s, &all, log, err);

	for (size_t i = 0; rc >= 0 && i < st.n; i++) {
		const char *column = st.columns[i].column->name;

		if (st.columns[i].not_measured) {
			put(m, "n", 0);
			end_series(m, column_name(m, column, device), unit_of(column), 0, NULL);
			continue;
		}
		put_summary(m, &st.columns[i]);
		if (st.is_memory && st.columns[i].sum.n)
			put_memory(m, &st, column);
		if (energy && !strcmp(column, "watts"))
			put_energy(m,
				&(struct figures){ energy->enough, energy->total_joules, energy->peak_watts,
					energy->duration_s, NAN, NAN, NAN });
		end_series(m, column_name(m, column, device), unit_of(column), st.columns[i].sum.n,
			   energy && !strcmp(column, "watts") ? energy->method : NULL);
	}
	hd_series_stats_release(&st);
	return rc;
}

/*
 * Describe how energy was measured, with the domains: "counter of intel-rapl package-0, ...".  If there are several
 * domains, only those that are part of the sum are named.
 */
static const char *method_of(struct making *m, const char *method, const struct hd_energy_domain *d, size_t n)
{
	struct hd_buf b = { 0 };
	const char *kept, *before = " of ";

	hd_buf_adds(&b, method);
	for (size_t i = 0; i < n && b.len < METHOD; i++) {
		if (n > 1 && d[i].why_not)
			continue;
		hd_buf_adds(&b, before);
		hd_enc_visible(&b, d[i].source, strlen(d[i].source));
		hd_buf_addc(&b, ' ');
		hd_enc_visible(&b, d[i].domain, strlen(d[i].domain));
		before = ", ";
	}
	kept = keep(m->all, b.data);
	hd_buf_release(&b);
	return kept;
}

static void add_domain(struct making *m, const struct hd_energy_domain *d)
{
	struct hd_buf name = { 0 };

	put(m, "n", (double)d->n_samples);
	if (d->enough)
		put(m, "mean", d->mean_watts);
	put_energy(m, &(struct figures){ d->enough, d->joules, d->peak_watts, d->duration_s, d->counter_joules,
					 d->disagreement_pct, d->update_period_s });
	hd_buf_addf(&name, "watts %s/%s", d->source, d->domain);
	end_series(m, column_name(m, name.data, NULL), "W", d->n_samples, method_of(m, d->method, d, 1));
	hd_buf_release(&name);
}

static void add_sources(struct making *m, const struct hd_energy_report *r)
{
	put(m, "n", (double)r->n_samples);
	if (r->enough)
		put(m, "mean", r->mean_watts);
	put_energy(m,
		&(struct figures){ r->enough, r->total_joules, r->peak_watts, r->duration_s, r->counter_joules,
			r->disagreement_pct, NAN });
	end_series(m, column_name(m, "watts", NULL), "W", r->n_samples, method_of(m, r->method, r->domains, r->n));
	for (size_t i = 0; i < r->n; i++)
		add_domain(m, &r->domains[i]);
}

static int add_power(struct making *m, const struct hd_series *s, struct hd_log *log, struct hd_err *err)
{
	struct hd_energy_report r;
	int rc = hd_energy_report_make(&r, s, log, err);

	if (rc >= 0 && s->form == HD_FORM_POWER)
		rc = add_columns(m, s, &r, NULL, log, err);
	else if (rc >= 0)
		add_sources(m, &r);
	hd_energy_report_release(&r);
	return rc;
}

static bool has_values(const struct hd_series *s)
{
	for (size_t i = 0; i < s->ncolumns; i++)
		if (s->columns[i].kind == HD_FORM_FIELD_VALUE && s->columns[i].n)
			return true;
	return false;
}

/* Add the columns of each GPU, in the order of their first rows.  Devices without any value are skipped. */
static int add_devices(struct making *m, const struct hd_series *s, struct hd_log *log, struct hd_err *err)
{
	const struct hd_series_column *device = hd_series_find(s, "device");
	bool *done = hd_new_array(bool, hd_strtab_count(s->text) + 1);
	size_t devices = 0;
	int rc = 0;

	for (size_t i = 0; i < s->rows && rc >= 0; i++) {
		uint32_t id = device->names[i];
		struct hd_series *rows;

		if (done[id])
			continue;
		done[id] = true;
		if (++devices > DEVICES) {
			rc = hd_fail(err, HD_EFORMAT, "%s: more than %d devices", s->path, DEVICES);
			break;
		}
		rows = hd_series_rows_of(s, device, id);
		if (has_values(rows))
			rc = add_columns(m, rows, NULL, hd_strtab_get(s->text, id), log, err);
		hd_series_free(rows);
	}
	free(done);
	return rc;
}

static int add_series(struct making *m, const struct hd_series *s, struct hd_log *log, struct hd_err *err)
{
	switch (s->form) {
	case HD_FORM_POWER: case HD_FORM_SOURCES: return add_power(m, s, log, err);
	case HD_FORM_GPU: return add_devices(m, s, log, err);
	default: return add_columns(m, s, NULL, NULL, log, err);
	}
}

/* ---- files ---- */

static const char *kind_of(const struct hd_series *s)
{
	switch (s->form) {
	case HD_FORM_LATENCY: return "latency";
	case HD_FORM_MEMORY: return "memory";
	case HD_FORM_POWER: case HD_FORM_SOURCES: return "power";
	case HD_FORM_GPU: return "gpu";
	case HD_FORM_SWEEP: return "results";
	case HD_FORM_OTHER: break;
	}
	return "other";
}

static const char *header_of(const char *form)
{
	static const enum hd_form forms[] = { HD_FORM_LATENCY, HD_FORM_MEMORY, HD_FORM_POWER, HD_FORM_GPU };

	for (size_t i = 0; i < HD_COUNT(forms); i++)
		if (!strcmp(hd_form_layout(forms[i])->name, form))
			return hd_form_layout(forms[i])->header;
	return hd_form_layout(HD_FORM_SWEEP)->header;
}

/*
 * Set the kind of a file, after checking that it has the requested form and that the set has no other file of its
 * name or, without a name, of its kind.
 */
static int set_kind(struct hd_run_csv_set *all, struct hd_run_csv *f, const struct hd_run_csv_input *in,
	const char *kind, struct hd_err *err)
{
	if (in->form && strcmp(in->form, kind))
		return hd_fail(err, HD_EFORMAT,
			"%s: line 1 is not the header of a %s file (%s%s); --series NAME=FILE accepts any", f->path,
			in->form, header_of(in->form),
			strcmp(in->form, "power") ? "" : ", or that of power by source");
	if (!in->name && !strcmp(kind, "other"))
		return hd_fail(err, HD_EFORMAT,
			"%s: line 1 is not the header of a known form; --series NAME=FILE accepts any", f->path);
	f->kind = in->name ? "other" : kind;
	for (size_t i = 0; i < all->nfiles; i++) {
		const struct hd_run_csv *g = all->files[i];

		if (in->name && g->name && !strcmp(in->name, g->name))
			return hd_fail(err, HD_EUSAGE, "two files have the same name: --series %s=%s and %s=%s",
				g->name, g->path, f->name, f->path);
		if (!in->name && !g->name && !strcmp(g->kind, f->kind))
			return hd_fail(err, HD_EUSAGE,
				"%s and %s: a run has one %s file; a second one needs a name: --series NAME=%s",
				g->path, f->path, kind, f->path);
	}
	return 0;
}

/*
 * Fail if the log reports that rows were lost while reading.  The message is the first such warning, which names the
 * line.
 */
static int need_whole(const struct hd_log *log, struct hd_err *err)
{
	for (size_t i = 0; i < log->n; i++)
		if (!strncmp(log->items[i].code, "lost.csv-", 9))
			return hd_fail(err, HD_EFORMAT, "%s; nothing was added", log->items[i].text);
	return 0;
}

static int read_text(struct hd_run_csv *f, struct hd_err *err)
{
	int fd = hd_file_open(f->path, err), rc;

	if (fd < 0)
		return fd;
	rc = hd_file_slurp(fd, f->path, MAX_BYTES, &f->text, err);
	close(fd);
	if (rc >= 0)
		hd_sha256_hex(hd_buf_str(&f->text), f->text.len, f->sha256);
	return rc;
}

static int add_file(struct hd_run_csv_set *all, struct hd_run_csv *f, const struct hd_run_csv_input *in,
	struct hd_log *log, struct hd_err *err)
{
	struct making m = { .all = all, .file = f };
	struct hd_series *s = NULL;
	struct hd_buf text = { 0 };
	int rc = read_text(f, err);

	if (rc < 0)
		return rc;
	hd_buf_add(&text, hd_buf_str(&f->text), f->text.len);	/* a copy: the parser modifies it */
	rc = hd_series_parse(&s, text.data, text.len, f->path, log, err);
	if (rc >= 0)
		rc = need_whole(log, err);
	if (rc >= 0)
		rc = set_kind(all, f, in, kind_of(s), err);
	if (rc >= 0)
		rc = add_series(&m, s, log, err);
	hd_series_free(s);
	hd_buf_release(&text);
	return rc;
}

static void free_file(struct hd_run_csv *f)
{
	hd_buf_release(&f->text);
	free(f);
}

int hd_run_csv_set_add(struct hd_run_csv_set *all, const struct hd_run_csv_input *in, struct hd_log *log,
	struct hd_err *err)
{
	struct hd_run_csv *f = hd_new(struct hd_run_csv);
	struct hd_log of_file = { 0 };
	size_t n = all->n;
	int rc;

	f->path = keep(all, in->path);
	f->name = in->name ? keep(all, in->name) : NULL;
	rc = add_file(all, f, in, &of_file, err);
	if (rc < 0) {
		all->n = n;	/* series that were added before the failure refer to the text of the file */
		free_file(f);
	} else {
		hd_log_add(log, &of_file);
		HD_GROW(all->files, all->nfiles + 1, all->files_cap);
		all->files[all->nfiles++] = f;
	}
	hd_log_release(&of_file);
	return rc < 0 ? rc : 0;
}

void hd_run_csv_set_release(struct hd_run_csv_set *all)
{
	for (size_t i = 0; i < all->nfiles; i++)
		free_file(all->files[i]);
	free(all->files);
	free(all->series);
	hd_arena_release(&all->arena);
	*all = (struct hd_run_csv_set){ 0 };
}

bool hd_run_is_csv(const char *path)
{
	struct hd_csv_cell cells[HD_FORM_FIELDS_MAX];
	char text[HEADER];
	struct hd_csv csv;
	struct stat st;
	ssize_t got = -1;
	size_t n;
	int fd;

	if (!strcmp(path, "-") || stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	fd = hd_file_open(path, NULL);
	if (fd >= 0) {
		got = hd_file_pread(fd, text, sizeof(text), 0, path, NULL);
		close(fd);
	}
	if (got <= 0)
		return false;
	csv = hd_csv_init(text, (size_t)got);
	return hd_csv_next(&csv, cells, HD_COUNT(cells), &n) == HD_CSV_ROW && n <= HD_COUNT(cells) &&
		hd_form_detect(cells, n) != HD_FORM_OTHER;
}
