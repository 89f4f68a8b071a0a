/*
 * cmd_convert.c - hotdrift convert FILE --to FORMAT: write a profile or a timeline in the format of another tool
 */
#include "cli/profile_source.h"
#include "pipeline/gpu_input.h"
#include "render/export_format.h"

#include <string.h>

struct convert_opts {
	struct hd_input in;
	int to;			/* index into `formats`, or NO_FORMAT */
	const char *out;
};

enum { NO_FORMAT = -1 };

static const struct convert_opts convert_defaults = { .to = NO_FORMAT };

#define POINTER(name, word, help)	&hd_export_##name,
#define CHOICE(name, word, help)	"|" word
#define CHOICES			(&HD_EXPORT_FORMATS(CHOICE)[1])
#define HELP(name, word, help)		word "\n" help

static const struct hd_export_format *const formats[] = { HD_EXPORT_FORMATS(POINTER) };

static const struct hd_opt convert_opts[] = {
	{ HD_OPT_ENUM, 0, "to", CHOICES, "output format (required)", offsetof(struct convert_opts, to) },
	HD_ROW_OUTPUT(struct convert_opts),
	{ 0 },
};
static const struct hd_opt_group convert_groups[] = HD_INPUT_GROUPS(struct convert_opts, in);

/* ---- timelines ---- */

/* Return the name of a selection option that was given but cannot be applied to a timeline, or NULL. */
static const char *other_rule(const struct hd_selection *s)
{
	return s->event.n ? "--event" : s->comm.n ? "--comm" : s->cpu.n ? "--cpu" : s->dso.n ? "--dso" :
	       s->symbol.n ? "--symbol" : s->filter ? "--filter" : s->weight || s->weight_field ? "--weight" : NULL;
}

struct timeline {
	struct hd_trace_export file;
	uint64_t n;		/* number of activities that were written */
};

static int on_activity(void *context, const struct hd_gpu_activity *a, struct hd_err *err)
{
	struct timeline *t = context;

	t->n++;
	return hd_trace_export_add(&t->file, a, err);
}

/* Fail if the selection matches nothing.  An empty capture gives an empty timeline and a warning. */
static int must_have_any(const struct timeline *t, const struct hd_selection *s, const char *path, struct hd_log *log,
			 struct hd_err *err)
{
	if (t->n)
		return 0;
	if (s->time || s->pid.n || s->tid.n)
		return hd_fail(err, HD_EFORMAT,
			"%s: --time, --pid and --tid select none of its operations, calls and ranges; "
			"--time is in seconds of the capture's clock",
			path);
	hd_warn(log, "timeline.empty", "record with GPU tracing",
		"%s: holds no operations, calls or ranges: the timeline is empty", path);
	return 0;
}

/* Write the timeline while the capture is read, because the capture may not fit in memory. */
static int write_timeline(const struct convert_opts *o, const char *path, struct hd_log *log, struct hd_err *err)
{
	struct hd_strtab *names = hd_strtab_new();
	struct hd_gpu_capture capture = { 0 };
	struct hd_gpu_dict dict;
	struct timeline t = { .n = 0 };
	struct hd_outfile out;
	int rc;

	hd_gpu_dict_init(&dict, names);
	rc = hd_outfile_open(&out, o->out, err);
	if (rc >= 0) {
		hd_trace_export_begin(&t.file, formats[o->to]->timeline, &out, &dict, &capture);
		rc = hd_gpu_input_each(path, &o->in.ingest, &dict, &capture, on_activity, &t, log, err);
		rc = rc < 0 ? rc : must_have_any(&t, &o->in.ingest.select, path, log, err);
		hd_trace_export_end(&t.file, rc >= 0);
		rc = rc < 0 ? rc : hd_outfile_commit(&out, err);
		hd_outfile_discard(&out);
	}
	hd_gpu_capture_release(&capture);
	hd_gpu_dict_release(&dict);
	hd_strtab_free(names);
	return rc;
}

static int write_profile(const struct convert_opts *o, const struct hd_profile *p, const char *path, struct hd_err *err)
{
	const struct hd_export_format *format = formats[o->to];
	struct hd_outfile out;
	int rc = format->check ? format->check(p, path, err) : 0;

	if (rc >= 0 && format->needs_times && !(p->timed && p->timed->n && p->timed->has_times))
		rc = hd_fail(err, HD_EFORMAT,
			"%s: has no samples with times, which this format needs; convert a recording of perf, a bundle "
			"or a GPU capture, or use --to speedscope or --to pprof", path);
	if (rc >= 0)
		rc = hd_outfile_open(&out, o->out, err);
	if (rc < 0)
		return rc;
	format->write(&out, p);
	rc = hd_outfile_commit(&out, err);
	hd_outfile_discard(&out);
	return rc;
}

static int convert_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct convert_opts *o = opts;
	const struct hd_export_format *format;
	struct hd_profile *p;
	int rc;

	(void)argc;
	if (o->to == NO_FORMAT)
		return hd_fail(err, HD_EUSAGE, "convert: --to %s is missing", CHOICES);
	format = formats[o->to];
	rc = hd_input_check(&o->in, "convert", err);
	if (rc < 0)
		return rc;
	if (format->timeline && !strcmp(argv[0], "-"))
		rc = hd_pipeline_spool_stdin(err);
	if (rc < 0)
		return rc;
	rc = 0;
	if (format->timeline)
		rc = hd_gpu_input_is_capture(argv[0], err);
	if (rc < 0)
		return rc;
	if (rc && other_rule(&o->in.ingest.select))
		return hd_fail(err, HD_EUSAGE,
			"convert: the timeline of a GPU capture is selected by --time, --pid and --tid only, not by %s",
			other_rule(&o->in.ingest.select));
	if (rc)
		return write_timeline(o, argv[0], log, err);
	o->in.ingest.keys = format->keys;
	o->in.ingest.lines = true;
	o->in.ingest.lifetimes = format->lifetimes;
	o->in.ingest.timed = format->timed;
	o->in.ingest.no_inline = !hd_input_inlined(&o->in, true);
	rc = hd_profile_source_read_profile(&p, argv[0], &o->in, log, err);
	if (rc < 0)
		return rc;
	rc = write_profile(o, p, argv[0], err);
	hd_profile_free(p);
	return rc;
}

const struct hd_cmd hd_cmd_convert = {
	.name = "convert",
	.reads = true,
	.args = "[FILE]",
	.summary = "write a profile in another tool's format",
	.details =
		HD_EXPORT_FORMATS(HELP)
		"\n"
		"The timeline of a GPU capture has every operation, or those selected by --time, --pid and --tid.  It "
		"is written while the capture is read, in constant memory.\n"
		"\n"
		"The formats contain functions, inlined functions and, where they have a place for them, source lines, "
		"so their viewers need no other file.  docs/formats.md has a table of the tools.",
	.examples =
		"hotdrift convert perf.data --to firefox -o profile.json\tthen load it at "
		"https://profiler.firefox.com\n"
		"hotdrift convert perf.data --to callgrind -o callgrind.out\tthen callgrind_annotate --inclusive=yes "
		"callgrind.out\n"
		"hotdrift convert heap.data --to dhat -o dhat.json\tthen open dh_view.html and load it\n"
		"hotdrift convert heap.data --to pprof -o heap.pb.gz\tthen go tool pprof -sample_index=alloc_space "
		"heap.pb.gz\n"
		"hotdrift convert trace.json.gz --to perfetto -o trace.pftrace\tthen open it at "
		"https://ui.perfetto.dev\n",
	HD_CMD_OPTS(convert_opts, convert_defaults),
	.groups = convert_groups,
	.max_args = 1,
	.default_arg = "perf.data",
	.run = convert_run,
};
