/*
 * cmd_top.c - hotdrift top FILE
 */
#include "cli/input.h"
#include "output/report.h"
#include "output/top.h"

struct top_opts {
	struct hd_input in;
	struct hd_top_opts top;
	bool lines;
	bool json;
	int format;		/* enum hd_format */
	int demangle;		/* 0 full, 1 plain */
	const char *out;
};

static const struct top_opts top_defaults = { .top.limit = 5, .demangle = 1 };

static const struct hd_opt top_opts[] = {
	{ HD_OPT_UINT, 'n', "limit", "N", "list the N costliest symbols (default 5, 0 lists all)", offsetof(struct top_opts, top.limit) },
	{ HD_OPT_FLAG, 0, "total", NULL, "rank by total cost (with callees) instead of self cost", offsetof(struct top_opts, top.by_total) },
	{ HD_OPT_FLAG, 0, "lines", NULL, "rank source lines (file:line of the sampled address) instead of symbols", offsetof(struct top_opts, lines) },
	{ HD_OPT_FLAG, 0, "json", NULL, "JSON, format hotdrift.top (with --lines: hotdrift.report)", offsetof(struct top_opts, json) },
	{ HD_OPT_ENUM, 0, "format", "text|markdown|json", "how to write the list (default text)", offsetof(struct top_opts, format) },
	{ HD_OPT_ENUM, 0, "demangle", "full|plain", "names with parameters, or without (default plain)", offsetof(struct top_opts, demangle) },
	{ HD_OPT_STR, 'o', "output", "FILE", "write to FILE instead of standard output", offsetof(struct top_opts, out) },
	{ 0 },
};
static const struct hd_opt_group top_groups[] = HD_INPUT_GROUPS(struct top_opts, in);

/* Source lines are a report by these keys. */
static void write_lines(struct hd_buf *out, const struct hd_profile *p, const struct hd_top_opts *o, enum hd_format format)
{
	struct hd_report_opts ro = { .format = format, .by = HD_BY_DSO | HD_BY_LINE, .limit = o->limit, .inlined = o->inlined };

	hd_report(out, p, &ro);
}

static int top_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct top_opts *o = opts;
	enum hd_format format = o->json ? HD_FORMAT_JSON : (enum hd_format)o->format;
	struct hd_buf text = { 0 };
	struct hd_profile *p;
	int rc;

	(void)argc;
	if (o->lines && o->top.by_total)
		return hd_fail(err, HD_EUSAGE, "top: --lines ranks by self cost; it does not go with --total");
	rc = hd_input_check(&o->in, "top", err);
	if (rc < 0)
		return rc;
	o->in.ingest.lines = o->lines;
	o->in.ingest.full_names = o->top.full_names = o->demangle == 0;
	o->top.inlined = hd_input_inlined(&o->in, false);
	o->in.ingest.no_inline = !o->top.inlined;
	rc = hd_input_read_samples(&p, argv[0], &o->in, log, err);
	if (rc < 0)
		return rc;
	if (o->lines)
		write_lines(&text, p, &o->top, format);
	else
		hd_top_write(&text, p, format, &o->top);
	rc = hd_output_write(o->out, &text, err);
	hd_profile_free(p);
	return rc;
}

const struct hd_cmd hd_cmd_top = {
	.name = "top", .args = "FILE", .summary = "list the symbols with the highest self cost",
	.details =
	"A row is one symbol table entry: (object, start address).  self is the weight of the samples\n"
	"taken in it, total adds its callees, recursion counted once; both as a share of the event's weight\n"
	"(its sum of periods, as perf report --no-children --sort=symbol has it).  An address that no\n"
	"symbol covers is a row of its own, 0x and 16 digits.  With several events there is a table for each.\n"
	"\n"
	"Inlined code counts to the function it was inlined into.  With --inline the innermost inlined function\n"
	"has the self cost, and a row is one function of an object, wherever it was inlined: all symbols of\n"
	"one linkage name, out of line or not, are added up.",
	.examples = "hotdrift top perf.data\tthe five costliest\n"
		    "hotdrift top --lines perf.data\tthe five costliest source lines\n"
		    "hotdrift top -n 20 --total --event cycles perf.data\twith callees, one event\n",
	HD_CMD_OPTS(top_opts, top_defaults), .groups = top_groups, .min_args = 1, .max_args = 1, .run = top_run,
};
