/*
 * cmd_analyze.c - hotdrift analyze FILE -o DIR: write all reports about a recording after reading it once
 */
#include "base/mem.h"
#include "cli/flamegraph.h"
#include "cli/profile_source.h"
#include "render/gpu_timeline.h"
#include "render/info.h"
#include "render/report.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct analyze_opts {
	struct hd_input in;
	const char *dir, *title, *only;
	unsigned limit;
};

enum { TOP_ROWS = 5 };		/* of top5.txt */

static const struct analyze_opts analyze_defaults = { .limit = TOP_ROWS };

static const struct hd_opt analyze_opts[] = {
	{ HD_OPT_STR, 'o', "output", "DIR", "folder for the files, created if missing (required)",
		offsetof(struct analyze_opts, dir) },
	{ HD_OPT_STR, 0, "only", "NAMES", "write only these files, separated by commas (default: all)",
		offsetof(struct analyze_opts, only) },
	{ HD_OPT_STR, 0, "title", "TEXT", "title of the flame graph (default: the names of input and event)",
		offsetof(struct analyze_opts, title) },
	{ HD_OPT_FLAG, 0, "command-ended", NULL,
		"the recorded command ended by itself: warn (lost.tail) when its end is not in the recording",
		offsetof(struct analyze_opts, in.ingest.command_ended) },
	{ HD_OPT_UINT, 'n', "limit", "N", "print the N costliest symbols (default 5, 0 prints all)",
		offsetof(struct analyze_opts, limit) },
	{ 0 },
};
static const struct hd_opt_group analyze_groups[] = HD_INPUT_GROUPS(struct analyze_opts, in);

/* ---- the files: each has the bytes that another command writes ---- */

/* The files to write, and what several of them need. */
struct answers {
	const struct hd_profile *p;
	const struct analyze_opts *o;
	unsigned wanted;		/* bit i: files[i] */
	struct hd_tops tops;
};

/* Write a file about `event`, or about the recording.  Returns the number of dropped stacks, or a negative code. */
typedef int write_fn(struct hd_outfile *out, const struct answers *a, uint32_t event, struct hd_err *err);

static void put(struct hd_outfile *out, struct hd_buf *text)
{
	hd_outfile_add(out, text->data, text->len);
	hd_buf_release(text);
}

static bool inlined_costs(const struct analyze_opts *o)
{
	return hd_input_inlined(&o->in, false);
}

static int folded(struct hd_outfile *out, const struct answers *a, uint32_t event, struct hd_err *err)
{
	static const struct hd_folded_opts plain = { 0 };

	uint64_t left_out = hd_folded_write(out, a->p, event, &plain);

	return left_out < INT_MAX ? (int)left_out : INT_MAX;
}

static int flamegraph(struct hd_outfile *out, const struct answers *a, uint32_t event, struct hd_err *err)
{
	struct hd_flamegraph_opts fo = HD_FLAMEGRAPH_DEFAULTS;

	fo.title = a->o->title;
	fo.width = HD_FLAMEGRAPH_WIDTH;
	return hd_flamegraph_of_input(out, a->p, event, true, &fo, &a->o->in.ingest.select, err);
}

static void add_top(struct hd_buf *text, const struct answers *a, unsigned limit)
{
	hd_top_write(text, a->p, HD_FORMAT_TEXT,
		&(struct hd_top_opts){ .limit = limit, .inlined = inlined_costs(a->o), .tops = &a->tops });
}

static int top5(struct hd_outfile *out, const struct answers *a, uint32_t event, struct hd_err *err)
{
	struct hd_buf text = { 0 };

	add_top(&text, a, TOP_ROWS);
	put(out, &text);
	return 0;
}

static int report_md(struct hd_outfile *out, const struct answers *a, uint32_t event, struct hd_err *err)
{
	hd_recording_report_write(out, a->p, &(struct hd_report_opts){ .format = HD_FORMAT_MARKDOWN, .limit = HD_REPORT_ROWS,
							     .inlined = inlined_costs(a->o), .tops = &a->tops });
	return 0;
}

static int report_json(struct hd_outfile *out, const struct answers *a, uint32_t event, struct hd_err *err)
{
	hd_recording_report_write(out, a->p,
		&(struct hd_report_opts){ .format = HD_FORMAT_JSON, .inlined = inlined_costs(a->o) });
	return 0;
}

static int info_json(struct hd_outfile *out, const struct answers *a, uint32_t event, struct hd_err *err)
{
	struct hd_buf text = { 0 };

	hd_info_json(&text, a->p);
	put(out, &text);
	return 0;
}

static int timeline(struct hd_outfile *out, const struct answers *a, uint32_t event, struct hd_err *err)
{
	hd_gpu_timeline_svg(out, a->p);
	return 0;
}

/*
 * The table of files.  A row with an event is written only for heap recordings in which this event has samples.  The
 * other files show the main event.
 */
static const struct { const char *name; write_fn *write; const char *event; } files[] = {
	{ "folded.txt", folded, NULL }, { "flamegraph.svg", flamegraph, NULL }, { "top5.txt", top5, NULL },
	{ "report.md", report_md, NULL }, { "report.json", report_json, NULL }, { "info.json", info_json, NULL },
	{ "folded-peak.txt", folded, "peak" }, { "flamegraph-peak.svg", flamegraph, "peak" },
	{ "folded-leaked.txt", folded, "leaked" }, { "flamegraph-leaked.svg", flamegraph, "leaked" },
	{ "folded-temporary.txt", folded, "temporary" }, { "flamegraph-temporary.svg", flamegraph, "temporary" },
	{ "timeline.svg", timeline, NULL },
};

/* Set *wanted to the files named by --only, one bit each, or to all. */
static int parse_only(unsigned *wanted, const char *only, struct hd_err *err)
{
	size_t n, i;

	*wanted = only ? 0 : ~0u;
	for (const char *at = only; at; at = at[n] ? at + n + 1 : NULL) {
		n = strcspn(at, ",");
		for (i = 0; i < HD_COUNT(files) && (strlen(files[i].name) != n || memcmp(files[i].name, at, n)); i++)
			;
		if (i == HD_COUNT(files))
			return hd_fail(err, HD_EUSAGE,
				"analyze: --only: unknown file '%.*s'; 'hotdrift analyze --help' lists the names",
				(int)n, at);
		*wanted |= 1u << i;
	}
	return 0;
}

/* Set *event to the event of files[i].  Returns false if the file is not written. */
static bool event_of(const struct answers *a, size_t i, uint32_t *event)
{
	const struct hd_profile *p = a->p;

	if (!(a->wanted >> i & 1))
		return false;
	*event = hd_input_main_event(p);
	if (files[i].write == timeline)
		return hd_gpu_timeline_has(p);
	if (!files[i].event)
		return true;
	for (*event = 0; p->recording.heap_interval && *event < p->nevents; ++*event)
		if (p->events[*event].samples && !strcmp(hd_profile_str(p, p->events[*event].name), files[i].event))
			return true;
	return false;
}

enum { MANY_STACKS = 50000 };	/* with fewer stacks, a second thread costs more time than it saves */

/*
 * State shared by the threads that write the files.  Their number is that of the threads that read the input
 * (--threads, default: all CPUs).  They do not change the profile.  Errors are reported in the order of the files.
 */
struct writing {
	const struct answers *a;
	atomic_size_t next;		/* index of the next file to write */
	struct one_file {
		struct hd_outfile out;
		struct hd_err err;
		int rc;
	} file[HD_COUNT(files)];
};

static void *write_some(void *arg)
{
	struct writing *w = arg;
	size_t i;

	while ((i = atomic_fetch_add(&w->next, 1)) < HD_COUNT(files)) {
		struct one_file *f = &w->file[i];
		uint32_t event;

		if (!event_of(w->a, i, &event))
			continue;
		f->rc = files[i].write(&f->out, w->a, event, &f->err);
		if (f->rc >= 0)
			hd_outfile_sync(&f->out);
	}
	return NULL;
}

static unsigned cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) < 0 ? 1 : (unsigned)CPU_COUNT(&set);
}

static void write_all(struct writing *w)
{
	unsigned threads = w->a->o->in.ingest.threads ? w->a->o->in.ingest.threads : cores(), n = 0;
	pthread_t others[HD_COUNT(files)];

	if (hd_stacks_count(w->a->p->stacks) < MANY_STACKS)
		threads = 1;

	while (n < HD_COUNT(files) - 1 && n + 1 < threads && !pthread_create(&others[n], NULL, write_some, w))
		n++;
	write_some(w);
	while (n > 0)
		pthread_join(others[--n], NULL);
}

/* Write all files, then commit them, so that no existing file is replaced if writing any of them fails. */
static int write_files(const struct answers *a, struct hd_log *log, struct hd_err *err)
{
	struct writing w = { .a = a };
	struct hd_buf path = { 0 };
	size_t opened = 0;
	uint32_t event;
	int rc = 0;

	for (; opened < HD_COUNT(files) && rc >= 0; opened += rc >= 0) {
		if (!event_of(a, opened, &event))
			continue;
		hd_buf_reset(&path);
		hd_buf_addf(&path, "%s/%s", a->o->dir, files[opened].name);
		rc = hd_outfile_open(&w.file[opened].out, path.data, err);
	}
	hd_buf_release(&path);
	if (rc >= 0)
		write_all(&w);
	for (size_t i = 0; i < opened && rc >= 0; i++) {
		struct one_file *f = &w.file[i];

		if (!event_of(a, i, &event))
			continue;
		rc = f->rc;
		if (rc > 0)
			hd_folded_warn_omitted(log, a->p, (uint64_t)rc);
		if (rc < 0)
			*err = f->err;
		else if (f->out.failed && f->out.errnum != EPIPE)	/* the commit reports the error */
			rc = hd_outfile_commit(&f->out, err);
	}
	for (size_t i = 0; i < opened; i++) {
		if (!event_of(a, i, &event))
			continue;
		if (rc >= 0)
			rc = hd_outfile_commit(&w.file[i].out, err);
		else
			hd_outfile_discard(&w.file[i].out);
	}
	return rc;
}

static int print_top(const struct answers *a, struct hd_err *err)
{
	struct hd_buf text = { 0 };

	add_top(&text, a, a->o->limit);
	return hd_output_write(NULL, &text, err);
}

/* Return the number of rows that the longest list needs; 0: all. */
static size_t most_rows(unsigned printed)
{
	return !printed ? 0 : printed > HD_REPORT_ROWS ? printed : HD_REPORT_ROWS;
}

static int answer(const struct hd_profile *p, const struct analyze_opts *o, unsigned wanted, struct hd_log *log,
	struct hd_err *err)
{
	struct answers a = { .p = p, .o = o, .wanted = wanted };
	int rc;

	hd_tops_build(&a.tops, p, most_rows(o->limit), inlined_costs(o));
	rc = write_files(&a, log, err);
	if (rc >= 0)
		rc = print_top(&a, err);
	hd_tops_release(&a.tops);
	return rc;
}

static int analyze_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct analyze_opts *o = opts;
	struct hd_profile *p;
	unsigned wanted;
	bool made;
	int rc;

	(void)argc;
	if (!o->dir || !*o->dir)
		return hd_fail(err, HD_EUSAGE, "analyze: -o DIR is missing: the folder for the files");
	rc = parse_only(&wanted, o->only, err);
	if (rc >= 0)
		rc = hd_input_check(&o->in, "analyze", err);
	if (rc < 0)
		return rc;
	o->in.ingest.keys = HD_KEY_COMM;
	o->in.ingest.no_inline = !hd_input_inlined(&o->in, true);
	o->in.ingest.list_fields = o->in.ingest.details = true;	/* info.json needs them */
	rc = hd_profile_source_read_profile(&p, argv[0], &o->in, log, err);
	if (rc < 0)
		return rc;
	rc = hd_outfolder_make(o->dir, &made, err);
	if (rc >= 0) {
		/* Heap recordings have one file per event, and tables of GPU captures show all events: no note. */
		if (!p->recording.heap_interval && !p->gpu)
			hd_input_note_other_events(p, hd_input_main_event(p), log);
		rc = answer(p, o, wanted, log, err);
	}
	hd_profile_free(p);
	return rc;
}

const struct hd_cmd hd_cmd_analyze = {
	.name = "analyze", .reads = true, .args = "[FILE]",
	.summary = "write all reports about a recording into a folder, reading it once",
	.details =
		"Each file has the same bytes as the output of another command:\n"
		"\n"
		"  folded.txt      hotdrift fold FILE\n"
		"  flamegraph.svg  hotdrift flame FILE\n"
		"  top5.txt        hotdrift top FILE\n"
		"  report.md       hotdrift report --format markdown FILE\n"
		"  report.json     hotdrift report --format json FILE\n"
		"  info.json       hotdrift info --json FILE\n"
		"\n"
		"Heap recordings also get folded-EVENT.txt and flamegraph-EVENT.svg for the events peak, leaked and "
		"temporary.  GPU captures also get timeline.svg, which shows what each device did over time.\n"
		"\n"
		"The costliest symbols are printed.  Pictures have inlined functions as frames; tables add their "
		"cost to the surrounding functions.  --inline or --no-inline makes both the same.\n"
		"\n"
		"No file is replaced before all are written.  If --min-quality is missed, nothing is written.",
	.examples =
		"hotdrift analyze perf.data -o results\tall files\n"
		"hotdrift analyze perf.data -o results --only folded.txt,top5.txt\ttwo of them\n"
		"hotdrift analyze perf.data -o results --min-quality 90\tonly if the stacks are good enough\n"
		"",
	HD_CMD_OPTS(analyze_opts, analyze_defaults), .groups = analyze_groups, .max_args = 1,
	.default_arg = "perf.data", .run = analyze_run,
};
