/* session_panel.c - the parts of the session page that describe one mode; see session_folders.h */
#include "web/session_folders.h"

#include "profile/group.h"
#include "profile/mode.h"
#include "profile/stack_quality.h"
#include "profile/sampling_error.h"
#include "base/mem.h"
#include "series/series_stats.h"
#include "render/gpu.h"
#include "render/report.h"
#include "render/unit_text.h"

#include <stdlib.h>
#include <string.h>

enum { TOP_ROWS = 5, TABLE_ROWS = 12, PICTURES = 6, SERIES_MOST = 100 };

/* ---- events ---- */

/* The texts that the page shows instead of the names of these events, which hotdrift itself makes. */
static const struct {
	const char *name, *label;
} labels[] = {
	{ "peak", "live at the peak" }, { "leaked", "never freed" }, { "allocated", "allocated" },
	{ "temporary", "freed at once" },
	{ "blocked", "blocked" }, { "queued", "waiting for a CPU" }, { "preempted", "preempted" },
	{ "woken", "ended by waking others" },
	{ "syscalls", "in system calls" }, { "wall", "on and off the CPU" },
	{ "gpu-kernels", "in kernels" }, { "gpu-copies", "in copies" }, { "gpu-copy-bytes", "copied" },
	{ "gpu-sets", "in memset" },
	{ "gpu-sync", "waiting for a GPU" },
};

static const char *label_of(const char *event)
{
	for (size_t i = 0; i < HD_COUNT(labels); i++)
		if (!strcmp(labels[i].name, event))
			return labels[i].label;
	return event;
}

static const char *event_name(const struct hd_profile *p, uint32_t event)
{
	return hd_profile_str(p, p->events[event].name);
}

/*
 * Select the events whose pictures are shown: those of the first four rows of `labels` for a heap recording, otherwise
 * the first PICTURES events with samples.  Returns their number.
 */
static size_t choose_events(uint32_t out[PICTURES], const struct hd_profile *p)
{
	size_t n = 0;

	if (p->recording.heap_interval) {
		for (size_t k = 0; k < 4; k++)
			for (uint32_t e = 0; e < p->nevents && n < PICTURES; e++)
				if (p->events[e].samples && !strcmp(event_name(p, e), labels[k].name))
					out[n++] = e;
		return n;
	}
	for (uint32_t e = 0; e < p->nevents && n < PICTURES; e++)
		if (p->events[e].samples)
			out[n++] = e;
	return n;
}

static void add_figure(struct hd_session_page *s, const char *label, struct hd_buf *value)
{
	hd_session_page_figure(s, label, hd_buf_str(value));
	hd_buf_release(value);
}

static void add_events(struct hd_session_page *s, const struct hd_profile *p, const uint32_t *events, size_t n)
{
	struct hd_buf value = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct hd_event *e = &p->events[events[i]];

		hd_unit_text_add(&value, e->weight, hd_profile_str(p, e->unit));
		if (hd_sampling_error_applies(p, events[i]))
			hd_buf_addf(&value, " \302\261 %.1f %%",
				hd_sampling_error_sd_pct(p, events[i], e->weight, e->samples, e->var));
		add_figure(s, label_of(event_name(p, events[i])), &value);
	}
}

static void add_top(struct hd_session_page *s, const struct hd_profile *p, uint32_t event)
{
	struct hd_top_opts o = { .limit = TOP_ROWS };
	struct hd_buf title = { 0 };
	struct hd_table t;
	struct hd_top top;

	hd_top_first(&top, p, event, TOP_ROWS, NULL);
	hd_buf_addf(&title, "Top %d of ", TOP_ROWS);
	hd_event_line(&title, p, event, false);
	hd_top_rows(&t, p, &top, &o);
	hd_session_page_table(s, hd_buf_str(&title), &t);
	hd_table_release(&t);
	hd_top_release(&top);
	hd_buf_release(&title);
}

static int add_pictures(struct hd_session_page *s, const struct hd_profile *p, const uint32_t *events, size_t n,
	struct hd_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc >= 0; i++) {
		struct hd_call_tree *t = hd_call_tree_new(p,
			&(struct hd_call_tree_opts){ .event = events[i], .by_comm = true });

		rc = hd_session_page_picture(s, label_of(event_name(p, events[i])), p, t, err);
		hd_call_tree_free(t);
	}
	return rc;
}

/* ---- tables by sample fields: reasons for blocking, system calls ---- */

static void add_groups(struct hd_session_page *s, const struct hd_profile *p, const char *title)
{
	struct hd_report_opts o = { .limit = TABLE_ROWS };
	struct hd_groups g;
	struct hd_table t;

	hd_groups_build(&g, p, HD_BY_FIELDS, false);
	if (g.n) {
		hd_report_rows(&t, p, &g, 0, &o);	/* the rows of the first event, which is blocked or syscalls */
		hd_session_page_table(s, title, &t);
		hd_table_release(&t);
	}
	hd_groups_release(&g);
}

/* Count the failed calls: those whose second sample field, `error`, is neither ok nor unfinished. */
static uint64_t failed_calls(const struct hd_profile *p)
{
	uint64_t n = 0;
	struct hd_groups g;

	hd_groups_build(&g, p, HD_BY_FIELDS, false);
	for (size_t i = 0; i < g.n && p->nfields == 2; i++) {
		struct hd_value v = hd_tuples_get(&p->tuples, g.rows[i].tuple)[1];
		const char *text = v.kind == HD_VALUE_TEXT ? hd_profile_str(p, (uint32_t)v.v) : "ok";

		if (strcmp(text, "ok") != 0 && strcmp(text, "unfinished") != 0)
			n += g.rows[i].samples;
	}
	hd_groups_release(&g);
	return n;
}

/* ---- a GPU capture ---- */

static void add_gpu(struct hd_session_page *s, const struct hd_profile *p)
{
	for (size_t i = 0; i < p->gpu->nfindings; i++) {
		struct hd_buf text = { 0 };

		hd_gpu_finding_text(&text, &p->gpu->findings[i]);
		hd_session_page_finding(s, hd_buf_str(&text));
		hd_buf_release(&text);
	}
	hd_session_page_timeline(s, p);
	for (size_t i = 0; i < hd_gpu_ntables; i++) {
		struct hd_table t;

		hd_table_init(&t, hd_gpu_tables[i].columns, hd_gpu_tables[i].ncolumns);
		hd_gpu_tables[i].fill(&t, p);
		if (t.ncells)
			hd_session_page_table(s, hd_gpu_tables[i].title, &t);
		hd_table_release(&t);
	}
}

/* ---- a recording ---- */

static void add_counts(struct hd_session_page *s, bool calls, const struct hd_profile *p,
	const struct hd_json *run)
{
	struct hd_stack_quality q = hd_stack_quality_of(&p->recording);
	const struct hd_json *seconds = hd_json_get(run, "record_seconds");
	struct hd_buf value = { 0 };

	hd_unit_text_count(&value, p->kept);
	add_figure(s, calls ? "calls recorded" : "samples", &value);
	if (calls) {
		hd_unit_text_count(&value, failed_calls(p));
		add_figure(s, "of them failed", &value);
	}
	if (hd_stack_grade_word(q.grade)) {
		hd_buf_addf(&value, "%s, %.0f %% to their root", hd_stack_grade_word(q.grade), q.root_pct);
		add_figure(s, "stacks", &value);
	}
	if (seconds && hd_json_kind(seconds) == HD_JSON_NUMBER) {
		double ns = strtod(hd_json_number(seconds), NULL) * 1e9;

		hd_unit_text_add(&value, ns > 0 && ns < 1e18 ? (uint64_t)ns : 0, "ns");
		add_figure(s, "recorded for", &value);
	}
}

int hd_session_panel_recording(struct hd_session_page *s, const char *mode, const struct hd_json *run,
	const char *recording, hd_session_reader *read, struct hd_err *err)
{
	const struct hd_profile_mode *m = hd_profile_mode_find(mode);
	const char *names[2] = { m ? m->group_fields[0] : NULL, m ? m->group_fields[1] : NULL };
	const struct hd_string_list fields = { .items = names, .n = m && m->group_title ? HD_COUNT(names) : 0 };
	uint32_t events[PICTURES];
	size_t n;
	struct hd_log log = { 0 };
	struct hd_profile *p;
	int rc;

	rc = read(&p, recording, mode, hd_session_folders_run_text(run, "event"), &fields, &log, err);
	for (size_t i = 0; i < log.n; i++)
		hd_session_page_note(s, log.items[i].text);
	hd_log_release(&log);
	if (rc < 0)
		return rc;
	n = choose_events(events, p);
	add_events(s, p, events, n);
	add_counts(s, m && m->counts_calls, p, run);
	if (p->gpu)
		add_gpu(s, p);
	for (size_t i = 0; i < n; i++) {
		add_top(s, p, events[i]);
		if (!i && m && m->group_title)
			add_groups(s, p, m->group_title);
	}
	rc = add_pictures(s, p, events, n, err);
	hd_profile_free(p);
	return rc;
}

/* ---- CSV files ---- */

static const struct hd_column measured[] = {
	{ "series", false, true }, { "n", true, false }, { "p50", true, false }, { "p95", true, false },
	{ "p99", true, false },
	{ "min", true, false }, { "max", true, false },
};

static void add_series(struct hd_session_page *s, const struct hd_series_stats *st, const char *name)
{
	struct hd_buf value = { 0 };
	struct hd_table t;

	hd_table_init(&t, measured, HD_COUNT(measured));
	for (size_t i = 0; i < st->n; i++) {
		const struct hd_summary *sum = &st->columns[i].sum;
		const double v[] = { sum->p50, sum->p95, sum->p99, sum->min, sum->max };

		if (!sum->n)
			continue;
		hd_table_string(&t, st->columns[i].column->name);
		hd_table_cellf(&t, "%zu", sum->n);
		for (size_t k = 0; k < HD_COUNT(v); k++)
			hd_table_real(&t, v[k]);
	}
	if (t.ncells) {
		if (!strcmp(name, "latency.csv") && st->columns[0].sum.n) {
			hd_unit_text_real(&value, st->columns[0].sum.p50);
			hd_buf_adds(&value, " / ");
			hd_unit_text_real(&value, st->columns[0].sum.p95);
			hd_buf_adds(&value, " / ");
			hd_unit_text_real(&value, st->columns[0].sum.p99);
			add_figure(s, "latency p50 / p95 / p99, us", &value);
		}
		if (st->is_memory) {
			hd_unit_text_add(&value, st->peak_rss > 0 && st->peak_rss < 1e18 ? (uint64_t)st->peak_rss : 0,
				"bytes");
			add_figure(s, "peak RSS", &value);
		}
		hd_session_page_table(s, name, &t);
	}
	hd_table_release(&t);
}

static void add_file(struct hd_session_page *s, const char *path, const char *name)
{
	struct hd_string_list all = { 0 };
	struct hd_log log = { 0 };
	struct hd_err err = { 0 };
	struct hd_series *series;
	struct hd_series_stats st;

	if (hd_series_read(&series, path, &log, &err) < 0) {
		hd_session_page_note(s, err.msg);
	} else {
		if (hd_series_stats_make(&st, series, &all, &log, &err) >= 0)
			add_series(s, &st, name);
		else
			hd_session_page_note(s, err.msg);
		hd_series_stats_release(&st);
		hd_series_free(series);
	}
	for (size_t k = 0; k < log.n; k++)
		hd_session_page_note(s, log.items[k].text);
	hd_log_release(&log);
}

/* Add the CSV files that exist in `folder`.  profile.sh gives them these names; it numbers the files of --series. */
void hd_session_panel_series(struct hd_session_page *s, const char *folder)
{
	static const char *const names[] = { "latency.csv", "memory.csv", "timeline.csv", "power.csv", "gpu.csv",
		"results.csv" };

	for (size_t i = 0; i < HD_COUNT(names) + SERIES_MOST; i++) {
		struct hd_buf path = { 0 }, name = { 0 };

		if (i < HD_COUNT(names))
			hd_buf_adds(&name, names[i]);
		else
			hd_buf_addf(&name, "series-%zu.csv", i - HD_COUNT(names) + 1);
		hd_buf_addf(&path, "%s/%s", folder, name.data);
		if (hd_session_folders_is_file(path.data))
			add_file(s, path.data, name.data);
		hd_buf_release(&path);
		hd_buf_release(&name);
	}
}
