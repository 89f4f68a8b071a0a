/*
 * cmd_report.c - hotdrift report FILE
 */
#include "cli/input.h"
#include "output/report.h"

#include <limits.h>
#include <string.h>

struct report_opts {
	struct hd_input in;
	struct hd_report_opts report;
	bool json;
	int format;		/* enum hd_format */
	int demangle;		/* 0 full, 1 plain */
	const char *by;
	const char *out;
};

enum { UNSET = UINT_MAX };

static const struct report_opts report_defaults = { .demangle = 1, .report.limit = UNSET };

static const struct hd_opt report_opts[] = {
	{ HD_OPT_ENUM, 0, "format", "text|markdown|json", "how to write it (default text)", offsetof(struct report_opts, format) },
	{ HD_OPT_FLAG, 0, "json", NULL, "JSON, format hotdrift.report", offsetof(struct report_opts, json) },
	{ HD_OPT_STR, 0, "by", "KEYS", "one table by these: any of event,comm,pid,tid,cpu,dso,symbol,line", offsetof(struct report_opts, by) },
	{ HD_OPT_UINT, 'n', "limit", "N", "rows a table, 0 for all (default: 20 on the page, all with --by and JSON)", offsetof(struct report_opts, report.limit) },
	{ HD_OPT_ENUM, 0, "demangle", "full|plain", "names with parameters, or without (default plain)", offsetof(struct report_opts, demangle) },
	{ HD_OPT_STR, 'o', "output", "FILE", "write to FILE instead of standard output", offsetof(struct report_opts, out) },
	{ 0 },
};
static const struct hd_opt_group report_groups[] = HD_INPUT_GROUPS(struct report_opts, in);

static int report_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct report_opts *o = opts;
	struct hd_outfile out;
	struct hd_profile *p;
	const char *bad;
	int rc;

	(void)argc;
	o->report.format = o->json ? HD_FORMAT_JSON : (enum hd_format)o->format;
	o->in.ingest.full_names = o->report.full_names = o->demangle == 0;
	if (o->by && hd_by_parse(o->by, &o->report.by, &bad) < 0)
		return hd_fail(err, HD_EUSAGE, "report: --by takes any of event,comm,pid,tid,cpu,dso,symbol,line with commas "
			       "between, not '%.*s'", (int)strcspn(bad, ","), bad);
	rc = hd_input_check(&o->in, "report", err);
	if (rc < 0)
		return rc;
	if (o->report.limit == UNSET)
		o->report.limit = o->report.by || o->report.format == HD_FORMAT_JSON ? 0 : HD_REPORT_ROWS;
	o->in.ingest.keys = HD_KEY_COMM | hd_by_keys(o->report.by);
	o->in.ingest.lines = o->report.by & HD_BY_LINE;
	o->report.inlined = hd_input_inlined(&o->in, false);
	/* The page tells how good the frames are, and counts those of `info`. */
	o->in.ingest.no_inline = o->in.inlined < 0 || (!o->in.inlined && (o->report.by || o->report.format == HD_FORMAT_JSON));
	rc = hd_input_read_samples(&p, argv[0], &o->in, log, err);
	if (rc < 0)
		return rc;
	rc = hd_outfile_open(&out, o->out, err);
	if (rc >= 0) {
		hd_report_write(&out, p, &o->report);
		rc = hd_outfile_commit(&out, err);
	}
	hd_profile_free(p);
	return rc;
}

const struct hd_cmd hd_cmd_report = {
	.name = "report", .args = "FILE", .summary = "one recording on one page, or one table by any keys",
	.details =
	"Without --by: what was recorded and how good it is, then per event the symbols, objects and commands\n"
	"by self cost.  With --by: self cost by these keys; the event is always one of them, as weights of\n"
	"different events do not add up.  line is file:line of the sampled address, ?? where no line table covers it.\n"
	"With --inline self cost is that of the innermost inlined function, as 'hotdrift top --help' has it.",
	.examples = "hotdrift report --format markdown perf.data\tfor a merge request\n"
		    "hotdrift report --by dso,comm perf.data\twhere, by whom\n"
		    "hotdrift report --json --by symbol,line perf.data\tfor a script\n",
	HD_CMD_OPTS(report_opts, report_defaults), .groups = report_groups, .min_args = 1, .max_args = 1, .run = report_run,
};
