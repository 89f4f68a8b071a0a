/*
 * cmd_analyze.c - hotdrift analyze FILE -o DIR: write all reports about a recording after reading it once
 */
#include "base/cpus.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "cli/batch.h"
#include "cli/flamegraph.h"
#include "cli/job_list.h"
#include "cli/profile_source.h"
#include "render/gpu_timeline.h"
#include "render/info.h"
#include "render/report.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct analyze_opts {
	struct hd_input in;
	const char *dir, *title, *only;
	unsigned limit;
	/* options for the analysis of many recordings */
	const char *files_from, *slice;
	unsigned processes;
	bool batch, null, force;
};

enum { TOP_ROWS = 5 };		/* number of symbols in top5.txt */

static const struct analyze_opts analyze_defaults = { .limit = TOP_ROWS, .processes = 1 };

static const struct hd_opt analyze_opts[] = {
	{ HD_OPT_STR, 'o', "output", "DIR", "folder for the files, created if missing (required)",
		offsetof(struct analyze_opts, dir) },
	{ HD_OPT_STR, 0, "only", "NAMES", "write only these files, separated by commas (default: all)",
		offsetof(struct analyze_opts, only) },
	{ HD_OPT_STR, 0, "title", "TEXT", "title of the flame graph (default: the names of input and event)",
		offsetof(struct analyze_opts, title) },
	{ HD_OPT_UINT, 'n', "limit", "N", "print the N costliest symbols (default 5, 0 prints all)",
		offsetof(struct analyze_opts, limit) },
	{ 0 },
};
static const struct hd_opt batch_opts[] = {
	{ HD_OPT_FLAG, 0, "batch", NULL,
		"each FILE gets a folder of its own in DIR, even if there is only one; implied by several FILEs, "
		"--files-from and --slice", offsetof(struct analyze_opts, batch) },
	{ HD_OPT_STR, 0, "files-from", "LIST",
		"also analyze the files that LIST names, one a line (- is standard input)",
		offsetof(struct analyze_opts, files_from) },
	{ HD_OPT_FLAG, '0', "null", NULL, "the names in LIST end with a zero byte",
		offsetof(struct analyze_opts, null) },
	{ HD_OPT_STR, 0, "slice", "I/N", "only the I-th of N slices of the files, from 1/N to N/N",
		offsetof(struct analyze_opts, slice) },
	{ HD_OPT_UINT, 'P', "processes", "N", "analyze N files at a time (default 1; 0: one per core)",
		offsetof(struct analyze_opts, processes) },
	{ HD_OPT_FLAG, 0, "force", NULL, "analyze again what is complete", offsetof(struct analyze_opts, force) },
	{ 0 },
};
static const struct hd_opt_group analyze_groups[] = {
	{ "many recordings", batch_opts, 0 },
	HD_INPUT_SELECT_GROUP(struct analyze_opts, in),
	HD_INPUT_MORE_GROUPS(struct analyze_opts, in),
	HD_INPUT_RUN_GROUPS(struct analyze_opts, in),
	{ NULL, NULL, 0 },
};

static const char default_file[] = "perf.data";

/* ---- the files: each is identical to the output of another command ---- */

/* The input of the functions that write the files. */
struct answers {
	const struct hd_profile *p;
	const struct analyze_opts *o;
	unsigned wanted;		/* bit i: files[i] */
	struct hd_tops tops;
};

/*
 * Write one file, about `event` or about the whole recording.  Returns the number of dropped stacks, or a negative
 * code.
 */
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
	const struct hd_flamegraph_tree tree = { .event = event, .by_comm = true };
	struct hd_flamegraph_opts fo = HD_FLAMEGRAPH_DEFAULTS;

	fo.title = a->o->title;
	fo.width = HD_FLAMEGRAPH_WIDTH;
	return hd_flamegraph_of_input(out, a->p, &tree, &fo, &a->o->in.ingest.select, NULL, err);
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
	hd_recording_report_write(out, a->p, &(struct hd_report_opts){ .format = HD_FORMAT_MARKDOWN,
		.limit = HD_REPORT_ROWS, .inlined = inlined_costs(a->o), .tops = &a->tops });
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
 * The table of files.  A row with an event is written only for heap recordings in which this event has samples, and
 * timeline.svg only for GPU captures.  The other files show the main event or the whole recording.
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

/* Set *event to the event that the output files[i] shows.  Returns false if this file is not written. */
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
 * State shared by the threads that write the files.  The number of threads is that of --threads (default: one per CPU),
 * but one for a profile with fewer than MANY_STACKS stacks.  The threads do not change the profile.  Errors are
 * reported in the order of the files.
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

static void write_all(struct writing *w)
{
	unsigned threads = w->a->o->in.ingest.threads ? w->a->o->in.ingest.threads : hd_cpus(), n = 0;
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

/* Return the number of rows of the longest table of functions that is written; 0: all rows. */
static size_t most_rows(unsigned printed)
{
	return !printed ? 0 : printed > HD_REPORT_ROWS ? printed : HD_REPORT_ROWS;
}

/* Write the files, and print the costliest symbols if `print` is set. */
static int answer(struct hd_profile *p, const struct analyze_opts *o, unsigned wanted, bool print,
	struct hd_log *log, struct hd_err *err)
{
	struct answers a = { .p = p, .o = o, .wanted = wanted };
	int rc;

	hd_input_warn_few_samples(p, NULL);	/* for the files; profile.sh prints a warning of its own */
	/*
	 * Add a note about events that the files do not show.  Heap recordings and GPU captures have no such events:
	 * heap recordings get one file per event, and GPU captures get tables of all events.
	 */
	if (!p->recording.heap_interval && !p->gpu)
		hd_input_note_other_events(p, hd_input_main_event(p), log);
	hd_tops_build(&a.tops, p, most_rows(o->limit), inlined_costs(o));
	rc = write_files(&a, log, err);
	if (rc >= 0 && print)
		rc = print_top(&a, err);
	hd_tops_release(&a.tops);
	return rc;
}

/* ---- many recordings ---- */

/* The input of the child processes of a batch. */
struct batch_files {
	struct analyze_opts *o;
	unsigned wanted;
	struct hd_log *log;
};

/* Append the JSON members of a recording's line in the log of a batch: its samples, losses, events and warnings. */
static void add_members(struct hd_buf *out, const struct hd_profile *p, const struct hd_log *log)
{
	struct hd_jsonw w = { .out = out, .depth = 1, .first = true, .flat = true, .flat_depth = 1 };

	hd_jsonw_u64(&w, "samples", p->kept);
	hd_jsonw_u64(&w, "dropped", p->read - p->kept);
	hd_jsonw_u64(&w, "lost_samples", p->recording.lost_samples);
	hd_jsonw_u64(&w, "lost_events", p->recording.lost);
	hd_jsonw_open(&w, "events", '[');
	for (size_t i = 0; i < p->nevents; i++) {
		const struct hd_event *e = &p->events[i];

		hd_jsonw_open(&w, NULL, '{');
		hd_jsonw_str(&w, "name", hd_profile_str(p, e->name));
		hd_jsonw_str(&w, "unit", hd_profile_str(p, e->unit));
		hd_jsonw_u64(&w, "samples", e->samples);
		hd_jsonw_u64(&w, "weight", e->weight);
		hd_jsonw_u64(&w, "lost", e->lost);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_open(&w, "warnings", '[');
	for (size_t i = 0; i < log->n; i++) {
		hd_jsonw_open(&w, NULL, '{');
		hd_jsonw_str(&w, "code", log->items[i].code);
		hd_jsonw_u64(&w, "count", log->items[i].count);
		hd_jsonw_str(&w, "text", log->items[i].text);
		hd_jsonw_str(&w, "fix", log->items[i].fix);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
}

/* Analyze one recording of a batch, in a process of its own. */
static int analyze_file(const char *path, const char *folder, void *arg, struct hd_buf *members, struct hd_err *err)
{
	/* The names of a batch are files: "-" is not standard input. */
	const char *file = strcmp(path, "-") ? path : "./-";
	const struct batch_files *b = arg;
	struct hd_profile *p;
	int rc = hd_input_read_samples(&p, file, &b->o->in, b->log, err);

	if (rc < 0)
		return rc;
	b->o->dir = folder;
	rc = answer(p, b->o, b->wanted, false, b->log, err);
	if (rc >= 0)
		add_members(members, p, b->log);
	hd_profile_free(p);
	return rc;
}

/* Implements hd_cmd.files_only: in a batch (the analysis of many recordings), all operands are files. */
static bool is_batch(int argc, const void *opts)
{
	const struct analyze_opts *o = opts;

	return argc > 1 || o->batch || o->files_from || o->slice;
}

static int analyze_batch(int argc, char **argv, const struct batch_files *how, struct hd_err *err)
{
	struct analyze_opts *o = how->o;
	struct hd_batch batch = { .dir = o->dir, .processes = o->processes ? o->processes : hd_cpus(),
		.force = o->force, .analyze = analyze_file, .arg = (void *)how };
	struct hd_string_list paths = { 0 };
	struct hd_buf text = { 0 };
	bool made;
	int rc = 0;

	/* If --files-from names recordings, the default operand (perf.data) is not one of them. */
	for (int i = 0; i < argc && !(o->files_from && argv[i] == default_file); i++) {
		HD_GROW(paths.items, paths.n + 1, paths.cap);
		paths.items[paths.n++] = argv[i];
	}
	if (o->files_from)
		rc = hd_job_list_read(&paths, &text, o->files_from, o->null, err);
	if (rc >= 0 && o->slice)
		rc = hd_job_list_slice(&paths, o->slice, err);
	if (rc >= 0)
		rc = hd_outfolder_make(o->dir, &made, err);
	if (batch.processes > paths.n)
		batch.processes = paths.n ? (unsigned)paths.n : 1;
	if (batch.processes > 1 && !o->in.ingest.threads)
		o->in.ingest.threads = hd_cpus() > batch.processes ? hd_cpus() / batch.processes : 1;
	if (rc >= 0)
		rc = hd_batch_run(&batch, &paths, err);
	hd_buf_release(&text);
	free(paths.items);
	return rc;
}

static int analyze_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct analyze_opts *o = opts;
	struct hd_profile *p;
	unsigned wanted;
	bool made;
	int rc;

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
	if (is_batch(argc, o))
		return analyze_batch(argc, argv, &(struct batch_files){ o, wanted, log }, err);
	rc = hd_profile_source_read_profile(&p, argv[0], &o->in, log, err);
	if (rc < 0)
		return rc;
	rc = hd_outfolder_make(o->dir, &made, err);
	if (rc >= 0)
		rc = answer(p, o, wanted, true, log, err);
	hd_profile_free(p);
	return rc;
}

const struct hd_cmd hd_cmd_analyze = {
	.name = "analyze", .reads = true, .files_only = is_batch, .args = "[FILE...]",
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
		"No file is replaced before all are written.  If --min-quality is missed, nothing is written.\n"
		"\n"
		"With several FILEs, --batch, --files-from or --slice, each recording is analyzed in a process of its "
		"own, and its files are in DIR/NAME.  NAME has the end of the path and 32 hexadecimal digits of the "
		"SHA-256 of the path, as it is written.  FILE is then always a file, never a run or standard input.\n"
		"\n"
		"Each recording has one line of JSON on standard output, format hotdrift.batch: file, bytes, "
		"mtime_ns, output, status (ok, failed or skipped), exit (its exit status), error, cpu_s, peak_bytes; "
		"if it is ok, also samples, dropped, lost_samples, lost_events, events (name, unit, samples, weight, "
		"lost) and warnings.  DIR/NAME/batch.json is the same line.  Names are escaped as in all outputs: a "
		"backslash as \\\\, control characters as \\xHH.\n"
		"\n"
		"A failed recording does not end the batch.  The exit status is the highest one of all recordings: 1 "
		"if --min-quality was missed, 5 for bad input, 6 for other trouble.\n"
		"\n"
		"A recording is skipped if DIR/NAME/batch.json has its path and its current size and modification "
		"time.  DIR/NAME appears by rename when it is complete, so an interrupted batch is simply started "
		"again.  Other options make no difference: use --force or another DIR.",
	.examples =
		"hotdrift analyze perf.data -o results\tall files\n"
		"hotdrift analyze perf.data -o results --only folded.txt,top5.txt\ttwo of them\n"
		"hotdrift analyze perf.data -o results --min-quality 90\tonly if the stacks are good enough\n"
		"hotdrift analyze before.data after.data -o results\ttwo recordings, each in a folder of its own\n"
		"find . -name '*.data' -print0 | hotdrift analyze --files-from - -0 -o results\tall below a folder\n"
		"",
	HD_CMD_OPTS(analyze_opts, analyze_defaults), .groups = analyze_groups, .max_args = -1,
	.default_arg = default_file, .run = analyze_run,
};
