/*
 * cmd_top.c - hotdrift top FILE: the costliest symbols
 */
#include "cli/profile_source.h"
#include "cli/terminal.h"
#include "render/report.h"
#include "render/top.h"

struct top_opts {
	struct hd_terminal term;
	struct hd_input in;
	struct hd_top_opts top;
	bool lines;
	bool json;
	int format;		/* enum hd_format */
	int demangle;		/* 0: names with parameters; 1: without */
	const char *out, *percent_limit;
	bool stdio;		/* --stdio, as in perf report: text output, which is the default anyway */
};

static const struct top_opts top_defaults = { .top.limit = 5, .demangle = 1 };

static const struct hd_opt top_opts[] = {
	{ HD_OPT_UINT, 'n', "limit", "N", "list the N costliest symbols (default 5, 0 lists all)",
		offsetof(struct top_opts, top.limit) },
	{ HD_OPT_FLAG, 0, "total", NULL, "rank by total cost (with callees) instead of self cost",
		offsetof(struct top_opts, top.by_total) },
	{ HD_OPT_FLAG, 0, "lines", NULL, "rank source lines (file:line of the sampled address) instead of symbols",
		offsetof(struct top_opts, lines) },
	HD_ROW_JSON(struct top_opts, "hotdrift.top (with --lines: hotdrift.report)"),
	HD_ROW_FORMAT(struct top_opts),
	{ HD_OPT_ENUM, 0, "demangle", "full|plain", "names with parameters (full) or without (default plain)",
		offsetof(struct top_opts, demangle) },
	HD_ROW_OUTPUT(struct top_opts),
	{ HD_OPT_STR, 0, "percent-limit", "PCT", "omit rows below this share of the event",
		offsetof(struct top_opts, percent_limit) },
	{ HD_OPT_FLAG, 0, "children", NULL, "the same as --total, in perf report's spelling",
		offsetof(struct top_opts, top.by_total) },
	{ HD_OPT_CLEAR, 0, "no-children", NULL, "rank by self cost (default), in perf report's spelling",
		offsetof(struct top_opts, top.by_total) },
	{ HD_OPT_FLAG, 0, "stdio", NULL, "text (default), in perf report's spelling",
		offsetof(struct top_opts, stdio) },
	{ 0 },
};
static const struct hd_opt_group top_groups[] = {
	HD_INPUT_SELECT_GROUP(struct top_opts, in), HD_INPUT_MORE_GROUPS(struct top_opts, in),
	HD_INPUT_RUN_GROUPS(struct top_opts, in),
	HD_TERMINAL_GROUP(struct top_opts, term), { NULL, NULL, 0 },
};

/* Print the costliest source lines: a table by object and line, in the form of the command `report`. */
static void write_lines(struct hd_buf *out, const struct hd_profile *p, const struct hd_top_opts *o,
	enum hd_format format)
{
	struct hd_report_opts ro = { .format = format,
		.by = HD_BY_DSO | HD_BY_LINE,
		.limit = o->limit,
		.percent_limit = o->percent_limit,
		.inlined = o->inlined };

	hd_report(out, p, &ro);
}

/*
 * If neither a selection nor --total was given, use the stored list of functions of the run, which has the costs of
 * whole functions.  Otherwise warn that the stored stacks count inlined functions separately.
 */
static void use_stored_list(struct top_opts *o, const struct hd_profile_source *e, struct hd_log *log)
{
	if (!o->top.by_total && hd_profile_source_functions(e, &o->in))
		o->top.tops = &e->tops;
	else
		hd_warn(log, "run.inlined", "omit the selection and --total to print the stored list of functions",
			"run %s: its stored stacks count inlined functions separately", e->run);
}

static int top_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct top_opts *o = opts;
	enum hd_format format = o->json ? HD_FORMAT_JSON : (enum hd_format)o->format;
	struct hd_buf text = { 0 };
	struct hd_profile_source e;
	int rc;

	(void)argc;
	hd_terminal_begin(&text, &o->term, o->out);
	if (o->lines && o->top.by_total)
		return hd_fail(err, HD_EUSAGE, "top: --lines ranks by self cost and excludes --total");
	rc = hd_input_check(&o->in, "top", err);
	if (rc >= 0)
		rc = hd_input_percent_limit(&o->top.percent_limit, o->percent_limit, "top", err);
	if (rc < 0)
		return rc;
	o->in.ingest.lines = o->lines;
	o->in.ingest.full_names = o->top.full_names = o->demangle == 0;
	o->top.inlined = hd_input_inlined(&o->in, false);
	o->in.ingest.no_inline = !o->top.inlined;
	rc = hd_profile_source_open(&e, argv[0], &o->in, false, log, err);
	if (rc < 0)
		return rc;
	hd_input_warn_few_samples(e.p, log);
	if (e.tops.n && !o->top.inlined)
		use_stored_list(o, &e, log);
	if (o->lines)
		write_lines(&text, e.p, &o->top, format);
	else
		hd_top_write(&text, e.p, format, &o->top);
	rc = hd_output_write(o->out, &text, err);
	hd_profile_source_release(&e);
	return rc;
}

const struct hd_cmd hd_cmd_top = {
	.name = "top",
	.reads = true,
	.args = "[FILE]",
	.summary = "list the symbols with the highest self cost",
	.details =
		"A row is one symbol table entry: (object, start address).  self is the weight of the samples taken "
		"in it.  total adds the cost of its callees and counts recursion once.  Both are shares of the "
		"event's weight (its sum of periods, as in perf report --no-children --sort=symbol).  An address "
		"without a symbol is a row named 0x and 16 digits.  Each event has a table.\n"
		"\n"
		"Inlined code counts for the function into which it was inlined.  With --inline, the innermost "
		"inlined function has the self cost, and a row is one function of an object, wherever it was "
		"inlined: all symbols of one linkage name, out of line or not, are added up.\n"
		"\n"
		"In heap recordings, and with --weight off-cpu, wall or syscalls, frames of the allocator, the C and "
		"C++ libraries, locks, the loader and the kernel have no self cost: it counts for the first frame of "
		"the user's code.  A second table lists the functions in which the samples were taken.  --skip RULES "
		"adds patterns of * ? [a-z], separated by commas, for a function (without parameters, or as in the "
		"symbol table) or an object (the last part of its path).  !PATTERN is never skipped; --skip none "
		"skips nothing; --skip default applies the rules to any recording.",
	.examples =
		"hotdrift top perf.data\tthe five costliest symbols\n"
		"hotdrift top --lines perf.data\tthe five costliest source lines\n"
		"hotdrift top -n 20 --total --event cycles perf.data\twith callees, one event\n"
		"",
	HD_CMD_OPTS(top_opts, top_defaults),
	.groups = top_groups,
	.max_args = 1,
	.default_arg = "perf.data",
	.run = top_run,
};
