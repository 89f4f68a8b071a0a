/*
 * sampler.c - see sampler.h
 */
#include "series/sampler.h"

#include "base/clock.h"
#include "base/mem.h"
#include "series/power_csv.h"
#include "series/rss.h"
#include "track/csvout.h"
#include "track/form.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { ROW = 512 };		/* upper bound for the bytes of a row of numbers */
/*
 * One second.  While the memory size does not change, a row of memory.csv is written only once per second.  The
 * sampling interval grows up to one second.
 */
static const uint64_t second_ns = 1000000000;

struct hd_sampler_private {
	struct hd_outfile file[HD_SAMPLE_KINDS];
	bool open[HD_SAMPLE_KINDS];
	struct hd_power_csv power;
	struct hd_power_sample *samples;
	struct hd_rss_watch *rss;
	uint64_t epoch_ns;		/* origin of CLOCK_MONOTONIC, in ns since 1970 */
	uint64_t last_bytes, last_row_ns;
};

const char *hd_sampler_kind_name(enum hd_sampler_kind part)
{
	static const char *const names[] = { "power", "gpu", "memory" };

	return names[part];
}

/* Return the time for all rows, in ns since 1970.  Implements now_ns of struct hd_power_config (track/power.h). */
static uint64_t clock_ns(void *arg)
{
	const struct hd_sampler_private *p = arg;

	return p->epoch_ns + hd_monotonic_ns();
}

static uint64_t epoch_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec - hd_monotonic_ns();
}

int hd_sampler_open(struct hd_sampler **out, const struct hd_sampler_config *what, struct hd_err *err)
{
	struct hd_sampler *s = hd_new(struct hd_sampler);
	struct hd_power_config config = hd_power_config();
	int rc = 0;

	s->what = *what;
	s->interval_ns = what->every_ns;
	s->p = hd_new(struct hd_sampler_private);
	s->p->epoch_ns = epoch_now();
	config.constant_watts = what->constant_watts;
	config.now_ns = clock_ns;
	config.now_arg = s->p;
	if (what->part[HD_SAMPLE_POWER])
		rc = hd_power_open(&s->meter, &config);
	if (rc >= 0 && what->part[HD_SAMPLE_GPU])
		rc = hd_gpumem_open(&s->gpus, &config, &s->gpu_why);
	if (rc < 0) {
		hd_sampler_free(s);
		return hd_fail(err, HD_EIO, "no memory for power sources");
	}
	s->source = hd_new_array(bool, (s->meter ? hd_power_sources(s->meter) : 0) + 1);
	s->gpu = hd_new_array(struct hd_sampler_gpu, (s->gpus ? hd_gpumem_devices(s->gpus) : 0) + 1);
	s->p->samples = hd_new_array(struct hd_power_sample, (s->meter ? hd_power_domains(s->meter) : 0) + 1);
	s->reads[HD_SAMPLE_POWER] = s->meter && hd_power_usable(s->meter);
	s->reads[HD_SAMPLE_GPU] = s->gpus != NULL;
	s->reads[HD_SAMPLE_MEMORY] = what->part[HD_SAMPLE_MEMORY];
	*out = s;
	return 0;
}

int hd_sampler_files(struct hd_sampler *s, const char *dir, struct hd_err *err)
{
	static const enum hd_form forms[] = { HD_FORM_SOURCES, HD_FORM_GPU, HD_FORM_MEMORY };
	struct hd_buf path = { 0 };
	int rc = 0;

	for (int i = 0; i < HD_SAMPLE_KINDS && rc >= 0; i++) {
		const char *header = hd_form_layout(forms[i])->header;

		if (!s->reads[i])
			continue;
		hd_buf_reset(&path);
		hd_buf_addf(&path, "%s/%s.csv", dir, hd_sampler_kind_name((enum hd_sampler_kind)i));
		rc = hd_outfile_open(&s->p->file[i], path.data, err);
		s->p->open[i] = rc >= 0;
		if (rc >= 0 && i == HD_SAMPLE_POWER) {
			hd_power_csv_init(&s->p->power, &s->p->file[i], hd_power_domains(s->meter));
		} else if (rc >= 0) {
			hd_outfile_add(&s->p->file[i], header, strlen(header));
			hd_outfile_add(&s->p->file[i], "\n", 1);
		}
	}
	hd_buf_release(&path);
	return rc;
}

/* ---- one reading ---- */

static void read_power(struct hd_sampler *s)
{
	for (size_t i = 0; s->reads[HD_SAMPLE_POWER] && i < hd_power_sources(s->meter); i++) {
		size_t n = s->source[i] ? hd_power_read(s->meter, i, s->p->samples) : 0;

		for (size_t k = 0; k < n; k++) {
			const struct hd_power_sample *x = &s->p->samples[k];

			hd_power_csv_add(&s->p->power, x, hd_power_domain(s->meter, x->domain));
		}
	}
}

static void note_gpu(struct hd_sampler_gpu *g, const struct hd_gpumem_sample *x)
{
	g->n++;
	if (!isnan(x->util_pct)) {
		g->n_util++;
		g->util_sum_pct += x->util_pct;
		g->util_max_pct = x->util_pct > g->util_max_pct ? x->util_pct : g->util_max_pct;
	}
	if (!x->has_memory)
		return;
	if (!g->has_memory)
		g->used_first_bytes = x->used_bytes;
	g->has_memory = true;
	g->used_max_bytes = x->used_bytes > g->used_max_bytes ? x->used_bytes : g->used_max_bytes;
}

static void bytes_cell(struct hd_csvout *o, bool has, uint64_t bytes)
{
	if (has)
		hd_csvout_u64(o, bytes);
	else
		hd_csvout_empty(o);
}

static void read_gpus(struct hd_sampler *s)
{
	for (size_t i = 0; s->reads[HD_SAMPLE_GPU] && i < hd_gpumem_devices(s->gpus); i++) {
		struct hd_gpumem_sample x;
		char room[ROW];
		struct hd_csvout o = hd_csvout_to(room, sizeof(room));

		if (!hd_gpumem_read(s->gpus, i, &x))
			continue;
		note_gpu(&s->gpu[i], &x);
		hd_csvout_u64(&o, x.t_ns);
		hd_csvout_u64(&o, i);
		hd_csvout_num(&o, x.util_pct);
		hd_csvout_num(&o, x.mem_util_pct);
		bytes_cell(&o, x.has_memory, x.used_bytes);
		bytes_cell(&o, x.has_memory, x.free_bytes);
		bytes_cell(&o, x.has_memory, x.total_bytes);
		if (hd_csvout_end(&o) < 0)
			continue;
		hd_outfile_add(&s->p->file[HD_SAMPLE_GPU], room, o.len);
		s->rows[HD_SAMPLE_GPU]++;
	}
}

static void memory_row(struct hd_sampler *s, uint64_t now, uint64_t bytes)
{
	char room[ROW];
	int n = snprintf(room, sizeof(room), "%llu,%llu,0,0,0\n", (unsigned long long)(now / 1000),
			 (unsigned long long)bytes);

	hd_outfile_add(&s->p->file[HD_SAMPLE_MEMORY], room, (size_t)n);
	s->peak_rss_bytes = bytes > s->peak_rss_bytes ? bytes : s->peak_rss_bytes;
	s->p->last_bytes = bytes;
	s->p->last_row_ns = now;
	s->rows[HD_SAMPLE_MEMORY]++;
}

/* Read the memory.  Write a row if it changed, or if the last row is a second old. */
static void read_memory(struct hd_sampler *s)
{
	struct hd_sampler_private *p = s->p;
	uint64_t bytes, now;

	if (!s->reads[HD_SAMPLE_MEMORY] || !hd_rss_watch_read(p->rss, &bytes))
		return;
	now = clock_ns(p);
	if (s->rows[HD_SAMPLE_MEMORY] && bytes == p->last_bytes && now - p->last_row_ns < second_ns)
		return;
	memory_row(s, now, bytes);
}

static void read_all(struct hd_sampler *s)
{
	read_power(s);
	read_gpus(s);
	read_memory(s);
	s->readings++;
}

/* ---- the loop ---- */

static double cpu_seconds(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u) < 0)
		return 0;
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
		(double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void sample_until_end(struct hd_sampler *s, struct hd_child *c)
{
	uint64_t deadline = c->start_ns + s->interval_ns;

	while (!hd_child_wait(c, deadline)) {
		uint64_t late = hd_monotonic_ns() - deadline;

		s->latest_ns = late > s->latest_ns ? late : s->latest_ns;
		s->missed += late / s->interval_ns;
		read_all(s);
		if (s->readings % HD_SAMPLER_ROWS == 0 && s->interval_ns < second_ns)
			s->interval_ns = 2 * s->interval_ns < second_ns ? 2 * s->interval_ns : second_ns;
		deadline = hd_deadline_after(deadline, s->interval_ns, hd_monotonic_ns());
	}
}

int hd_sampler_run(struct hd_sampler *s, struct hd_child *c, char *const *argv, pid_t pid, const sigset_t *ignored,
		   struct hd_err *err)
{
	struct hd_sampler_private *p = s->p;
	double cpu;
	int rc;

	read_power(s);		/* the reading before the start that power_csv.h needs */
	rc = argv ? hd_child_start(c, argv, ignored, err) : hd_child_attach(c, pid, err);
	if (rc < 0)
		return rc;
	cpu = cpu_seconds();
	s->start_ns = p->epoch_ns + c->start_ns;
	if (s->reads[HD_SAMPLE_POWER])
		hd_power_csv_begin(&p->power, s->start_ns);
	if (s->reads[HD_SAMPLE_MEMORY]) {
		p->rss = hd_rss_watch_new(c->pid);
		read_memory(s);
	}
	read_gpus(s);
	s->readings++;
	sample_until_end(s, c);
	s->end_ns = p->epoch_ns + c->end_ns;
	if (s->reads[HD_SAMPLE_POWER])
		hd_power_csv_finish(&p->power, s->end_ns);
	read_power(s);
	read_gpus(s);
	s->readings++;
	if (p->rss) {
		s->processes = hd_rss_watch_seen(p->rss);
		s->processes_missed = hd_rss_watch_missed(p->rss);
	}
	s->rows[HD_SAMPLE_POWER] = p->power.rows;
	s->cpu_s = cpu_seconds() - cpu;
	rc = hd_child_reap(c, err);
	/*
	 * If the command ended before the first reading of memory, write a row with the peak that the kernel reports.
	 */
	if (rc >= 0 && s->reads[HD_SAMPLE_MEMORY] && !s->rows[HD_SAMPLE_MEMORY] && !c->attached)
		memory_row(s, s->end_ns, c->peak_rss_bytes);
	return rc;
}

int hd_sampler_commit(struct hd_sampler *s, struct hd_log *log, struct hd_err *err)
{
	static const char *const codes[HD_SAMPLE_KINDS] = { "lost.power-csv", "lost.gpu-csv", "lost.memory-csv" };
	int rc = 0;

	for (int i = 0; i < HD_SAMPLE_KINDS; i++) {
		struct hd_err other;
		bool any = s->p->open[i] && s->rows[i];
		int one = any ? hd_outfile_commit(&s->p->file[i], rc < 0 ? &other : err) : 0;

		if (rc < 0 && one < 0)
			hd_warn(log, codes[i], NULL, "%s", other.msg);
		s->written[i] = any && one >= 0;
		if (s->p->open[i] && !any)
			hd_outfile_discard(&s->p->file[i]);
		s->p->open[i] = false;
		rc = rc < 0 ? rc : one;
	}
	return rc;
}

void hd_sampler_free(struct hd_sampler *s)
{
	if (!s)
		return;
	for (int i = 0; i < HD_SAMPLE_KINDS; i++)
		if (s->p->open[i])
			hd_outfile_discard(&s->p->file[i]);
	hd_power_csv_release(&s->p->power);
	hd_rss_watch_free(s->p->rss);
	hd_gpumem_close(s->gpus);
	hd_power_close(s->meter);
	free(s->p->samples);
	free(s->p);
	free(s->source);
	free(s->gpu);
	free(s);
}
