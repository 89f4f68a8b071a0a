/*
 * cmd_report.c - hotdrift report FILE: a page about a recording, or a table by any keys
 */
#include "base/mem.h"
#include "base/nearest.h"
#include "cli/call_graph_options.h"
#include "cli/inline_hosts.h"
#include "cli/profile_source.h"
#include "cli/span_join.h"
#include "cli/terminal.h"
#include "render/bottleneck_report.h"
#include "render/report.h"
#include "web/report_page.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct report_opts {
	struct hd_terminal term;
	struct hd_input in;
	struct hd_report_opts report;
	struct hd_call_graph_options graph;
	bool json, bottlenecks, html;
	const char *title;
	int format;		/* enum hd_format */
	int demangle;		/* 0: names with parameters; 1: without */
	const char *by, *percent_limit;
	const char *out;
	const char *spans;
	bool stdio;		/* --stdio, as in perf report: text output, which is the default anyway */
};

enum { UNSET = UINT_MAX };

static const struct report_opts report_defaults = { .demangle = 1, .report.limit = UNSET };

static const struct hd_opt report_opts[] = {
	HD_ROW_FORMAT(struct report_opts),
	HD_ROW_JSON(struct report_opts,
		"hotdrift.report; hotdrift.call-graph with --tree, --callers, --callees, --peek, -g and -G; "
		"hotdrift.bottlenecks with --bottlenecks; hotdrift.spans with --spans"),
	{ HD_OPT_STR, 0, "by", "KEYS",
		"one table by these keys: any of event,comm,pid,tid,cpu,dso,symbol,line, and sample fields",
		offsetof(struct report_opts, by) },
	{ HD_OPT_FLAG, 0, "bottlenecks", NULL,
		"judge symbols by the rules of libhotdrift: severity, evidence and suggestion",
		offsetof(struct report_opts, bottlenecks) },
	{ HD_OPT_FLAG, 0, "html", NULL,
		"one interactive page: flame graph, callers and callees, timeline, heat map, tables, lines, quality",
		offsetof(struct report_opts, html) },
	{ HD_OPT_STR, 0, "title", "TEXT", "with --html: title of the page (default: the name of the file)",
		offsetof(struct report_opts, title) },
	{ HD_OPT_UINT, 'n', "limit", "N",
		"rows per table, 0 for all (default: 20 on the page, all with --by and JSON)",
		offsetof(struct report_opts, report.limit) },
	{ HD_OPT_ENUM, 0, "demangle", "full|plain", "names with parameters (full) or without (default plain)",
		offsetof(struct report_opts, demangle) },
	{ HD_OPT_STR, 0, "spans", "FILE",
		"join the asynchronous spans of a program (hd_spans_write_csv() of libhotdrift) with its recording by "
		"'profile async': busy time of each name, and time off the CPU inside its polls; with --by, the field "
		"span",
		offsetof(struct report_opts, spans) },
	HD_ROW_OUTPUT(struct report_opts),
	{ HD_OPT_STR, 0, "percent-limit", "PCT", "omit rows below this share of the event",
		offsetof(struct report_opts, percent_limit) },
	{ HD_OPT_STR, 's', "sort", "KEYS", "the same as --by, in perf report's spelling (also sym and srcline)",
		offsetof(struct report_opts, by) },
	{ HD_OPT_FLAG, 0, "stdio", NULL, "text (default), in perf report's spelling",
		offsetof(struct report_opts, stdio) },
	{ 0 },
};
static const struct hd_opt_group report_groups[] = {
	HD_CALL_GRAPH_GROUP(struct report_opts, graph),
	HD_INPUT_SELECT_GROUP(struct report_opts, in), HD_INPUT_MORE_GROUPS(struct report_opts, in),
	HD_INPUT_RUN_GROUPS(struct report_opts, in),
	HD_TERMINAL_GROUP(struct report_opts, term), { NULL, NULL, 0 },
};

/* Names of JSON members that rows have besides their keys.  A field with such a name cannot be a key. */
static const char *const taken[] = { "rank", "self", "self_pct", "samples", "unknown" };

static int parse_by(const char *text, unsigned *by, struct hd_string_list *fields, struct hd_err *err)
{
	const char *bad;

	if (hd_by_parse(text, by, fields, &bad) < 0)
		return hd_fail(err, HD_EUSAGE,
			"report: --by takes event,comm,pid,tid,cpu,dso,symbol,line and sample fields, separated "
				"by commas, not '%.*s'",
			(int)strcspn(bad, ","), bad);
	for (size_t i = 0; i < HD_COUNT(taken); i++)
		if (hd_string_list_has(fields, taken[i]))
			return hd_fail(err, HD_EUSAGE,
				"report: --by %s is the name of a column; use EVENT.%s for the field of a tracepoint",
				taken[i], taken[i]);
	if (hd_string_list_has(fields, "time"))
		return hd_fail(err, HD_EUSAGE,
			"report: --by time would make one row per sample; use --time or --filter to select by it");
	return 0;
}

static int report(const char *path, struct report_opts *o, struct hd_log *log, struct hd_err *err)
{
	struct hd_outfile out;
	struct hd_profile *p;
	int rc = hd_profile_source_read_profile(&p, path, &o->in, log, err);

	if (rc < 0)
		return rc;
	hd_input_warn_few_samples(p, log);
	if (o->spans)
		hd_span_join_check_times(o->in.ingest.span_polls, o->spans, p, log);
	rc = hd_outfile_open(&out, o->out, err);
	if (rc >= 0) {
		hd_terminal_begin(&out.pending, &o->term, o->out);
		if (o->bottlenecks)
			hd_bottleneck_report(&out.pending, p, o->report.format, o->report.limit, o->report.full_names);
		else
			hd_recording_report_write(&out, p, &o->report);
		rc = hd_outfile_commit(&out, err);
	}
	hd_profile_free(p);
	return rc;
}

/* Write the page, with the code of the hottest functions. */
static int report_page(const char *path, struct report_opts *o, struct hd_log *log, struct hd_err *err)
{
	struct hd_annotate_opts hottest = { .limit = HD_REPORT_PAGE_CODE };
	struct hd_annotations code = { .opts = &hottest };
	struct hd_symbol_user user = { .use = hd_annotate, .arg = &code };
	struct hd_outfile out;
	struct hd_profile *p;
	int rc;

	o->in.ingest.symbol_user = &user;
	rc = hd_profile_source_read_profile(&p, path, &o->in, log, err);
	if (rc >= 0) {
		hd_input_warn_few_samples(p, log);
		rc = hd_outfile_open(&out, o->out, err);
		if (rc >= 0) {
			hd_report_page_write(&out, p, &(struct hd_report_page_opts){
				.title = o->title, .inlined = o->report.inlined, .code = &code });
			rc = hd_outfile_commit(&out, err);
		}
		hd_profile_free(p);
	}
	hd_annotations_release(&code);
	return rc;
}

/* Print the table of spans. */
static int report_spans(const char *path, struct report_opts *o, struct hd_log *log, struct hd_err *err)
{
	struct hd_span_table table = { .file = o->spans };
	struct hd_span_table_row *rows;
	struct hd_buf text = { 0 };
	struct hd_profile *p;
	int rc = hd_profile_source_read_profile(&p, path, &o->in, log, err);

	if (rc < 0)
		return rc;
	hd_span_join_check_times(o->in.ingest.span_polls, o->spans, p, log);
	if (p->tuples.width == 1) {
		hd_span_join(&table, &rows, o->in.ingest.span_polls, p);
		hd_terminal_begin(&text, &o->term, o->out);
		hd_span_table_print(&text, &table, o->report.format);
		free(rows);
		rc = hd_output_write(o->out, &text, err);
	} else {
		rc = hd_fail(err, HD_EUSAGE, "report: --spans needs a recording of perf; %s is none", path);
	}
	hd_profile_free(p);
	return rc;
}

/*
 * Read the file of --spans.  If the user chose no weight, samples are weighted by the time off the CPU.  Without --by,
 * another weight is HD_EUSAGE, and the field `span` is added to the fields that are read.
 */
static int read_spans(struct report_opts *o, struct hd_span_polls **polls, struct hd_log *log, struct hd_err *err)
{
	struct hd_pipeline_opts *in = &o->in.ingest;
	int rc = hd_span_polls_read(polls, o->spans, log, err);

	if (rc < 0)
		return rc;
	in->span_polls = *polls;
	if (in->select.weight == HD_WEIGHT_PERIOD)
		in->select.weight = HD_WEIGHT_OFF_CPU;
	if (!o->by && in->select.weight != HD_WEIGHT_OFF_CPU)
		return hd_fail(err, HD_EUSAGE, "report: --spans without --by needs --weight off-cpu");
	if (!o->by) {
		HD_GROW(in->fields.items, in->fields.n + 1, in->fields.cap);
		in->fields.items[in->fields.n++] = hd_strdup("span");
	}
	return 0;
}

/* Fail because the pattern matches no function.  Report where it was inlined, or suggest a similar name. */
static int no_function(const struct hd_profile *p, const char *path, const struct hd_input *in, const char *pattern,
	struct hd_err *err)
{
	struct hd_nearest n = hd_nearest_to(pattern);
	struct hd_inline_hosts hosts = { 0 };
	int rc;

	hd_input_try_symbols(&n, p);
	if (in->ingest.no_inline)
		hd_inline_hosts_find(&hosts, path, in, pattern, false);
	if (hosts.name)
		rc = hd_fail(err, HD_EFORMAT, "%s: '%s' was inlined %s; --inline shows it as a function of its own",
			path, hosts.name, hosts.text.data);
	else
		rc = hd_fail(err, HD_EFORMAT, "%s: no function of a stack matches '%s'%s", path, pattern,
			hd_nearest_hint(&n));
	hd_inline_hosts_release(&hosts);
	return rc;
}

/* Print callers, callees or trees. */
static int report_call_graph(const char *path, struct report_opts *o, struct hd_call_graph_report_opts *r,
	const struct hd_name_pattern *functions, struct hd_log *log, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	struct hd_profile *p;
	int rc = hd_profile_source_read_profile(&p, path, &o->in, log, err);

	if (rc < 0)
		return rc;
	hd_input_warn_few_samples(p, log);
	r->format = o->report.format;
	r->inlined = !o->in.ingest.no_inline;
	r->limit = o->report.limit == UNSET ? 0 : o->report.limit;
	hd_terminal_begin(&text, &o->term, o->out);
	if (!hd_call_graph_report(&text, p, functions->text ? functions : NULL, r) && functions->text) {
		hd_buf_release(&text);
		rc = no_function(p, path, &o->in, functions->text, err);
	} else {
		rc = hd_output_write(o->out, &text, err);
	}
	hd_profile_free(p);
	return rc;
}

/*
 * If the options request a report of callers, callees or call trees, print this report and return 1.  Return 0 if not,
 * or a negative code.
 */
static int run_call_graph(const char *path, struct report_opts *o, struct hd_log *log, struct hd_err *err)
{
	struct hd_call_graph_report_opts r = { 0 };
	struct hd_name_pattern functions;
	int rc = hd_call_graph_options_apply(&r, &functions, &o->graph, o->percent_limit, err);

	if (rc <= 0)
		return rc;
	if (o->by || o->bottlenecks || o->html || o->spans)
		rc = hd_fail(err, HD_EUSAGE,
			"report: --by, --bottlenecks, --html and --spans exclude --callers, --callees, --peek, --tree "
			"and -g");
	if (rc >= 0)
		rc = hd_input_check(&o->in, "report", err);
	o->in.ingest.no_inline = !hd_input_inlined(&o->in, false);
	if (rc >= 0)
		rc = report_call_graph(path, o, &r, &functions, log, err);
	hd_name_pattern_release(&functions);
	return rc < 0 ? rc : 1;
}

static int report_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct report_opts *o = opts;
	struct hd_string_list *fields = &o->in.ingest.fields;
	struct hd_span_polls *polls = NULL;
	int rc = 0;

	(void)argc;
	o->report.format = o->json ? HD_FORMAT_JSON : (enum hd_format)o->format;
	rc = run_call_graph(argv[0], o, log, err);
	if (rc)
		return rc;
	o->in.ingest.full_names = o->report.full_names = o->demangle == 0;
	if (o->by)
		rc = parse_by(o->by, &o->report.by, fields, err);
	if (rc >= 0)
		rc = hd_input_check(&o->in, "report", err);
	if (rc >= 0)
		rc = hd_input_percent_limit(&o->report.percent_limit, o->percent_limit, "report", err);
	if (rc >= 0 && o->by && o->bottlenecks)
		rc = hd_fail(err, HD_EUSAGE, "report: --by and --bottlenecks exclude each other");
	if (rc >= 0 && o->html && (o->by || o->bottlenecks || o->spans || o->json || o->format))
		rc = hd_fail(err, HD_EUSAGE,
			"report: --html excludes --by, --bottlenecks, --spans, --json and --format");
	if (o->report.limit == UNSET)
		o->report.limit = o->bottlenecks || o->report.by || o->report.format == HD_FORMAT_JSON
			? 0 : HD_REPORT_ROWS;
	o->in.ingest.keys = HD_KEY_COMM | hd_by_keys(o->report.by) |
		(o->bottlenecks ? hd_by_keys(HD_BY_PID | HD_BY_TID) : 0);
	o->in.ingest.lines = o->html || o->report.by & HD_BY_LINE;
	o->in.ingest.timed = o->html;
	o->report.inlined = hd_input_inlined(&o->in, o->html);
	o->in.ingest.list_fields = o->in.ingest.details =
		!o->by; /* without --by, the report contains the text of `info`, which needs both */
	/* This text has the quality of frames, so it must count the same frames as `info`. */
	o->in.ingest.no_inline = o->in.inlined < 0 ||
		(!o->in.inlined && (o->report.by || o->report.format == HD_FORMAT_JSON));
	if (rc >= 0 && o->spans)
		rc = read_spans(o, &polls, log, err);
	if (rc >= 0)
		rc = (o->html ? report_page : o->spans && !o->by ? report_spans : report)(argv[0], o, log, err);
	hd_span_polls_free(polls);
	for (size_t i = 0; i < fields->n; i++)
		free((char *)fields->items[i]);
	free(fields->items);
	return rc;
}

const struct hd_cmd hd_cmd_report = {
	.name = "report",
	.reads = true,
	.args = "[FILE]",
	.summary = "describe a recording on one page, or in one table by any keys",
	.details =
		"Without --by, the page has the content and quality of the recording, then for each event the "
		"symbols, objects and commands by self cost.  With --by, the table has self cost by these keys.  The "
		"event is always a key, because weights of different events do not add up.  line is file:line of the "
		"sampled address, or ?? if no line table covers it.  With --inline, self cost is that of the "
		"innermost inlined function (see 'hotdrift top --help').\n"
		"\n"
		"With --html, the report is one HTML file that works offline.  All its views follow the selected time "
		"and threads, and the address of the page has the selection.  Inlined functions have self cost, as in "
		"'hotdrift top --inline'; --no-inline turns this off.  A timeline needs times of samples, which "
		"recordings of perf have.\n"
		"\n"
		"With --bottlenecks, the report judges symbols by the rules of libhotdrift (docs/library.md): slow "
		"operations by self share, load imbalance across threads, and for heap recordings memory hotspots and "
		"leaks.  It lists what samples cannot show as not judged.\n"
		"\n"
		"Sample fields are keys too: those of a tracepoint ('hotdrift info' lists them; EVENT.FIELD selects "
		"the field of one event, even if its name is one of the keys above), and what the samples were "
		"recorded with: addr, phys_addr, weight, ins_lat, p_stage_cyc, mem, op, snoop, tlb, locked, blocked, "
		"data_src, transaction, cgroup, cgroup_id, data_page_size, code_page_size, cpumode, ip, period.  A "
		"field that an event does not have is an empty cell, in JSON null.  docs/fields.md describes the "
		"fields, the language of --filter and the units of --weight-field.",
	.examples =
		"hotdrift report --format markdown perf.data\tfor a merge request\n"
		"hotdrift report --html -o page.html perf.data\tto look at in a browser\n"
		"hotdrift report --bottlenecks perf.data\twhat to look at first\n"
		"hotdrift report --by dso,comm perf.data\tby object and command\n"
		"hotdrift report --by prev_comm,next_comm perf.data\tof sched:sched_switch: which command gave way "
		"to which\n"
		"hotdrift report --weight-field bytes_req perf.data\tof kmem:kmalloc: requested bytes\n"
		"hotdrift report --json --by symbol,line perf.data\tfor a script\n"
		"hotdrift report --spans spans.csv perf.data\tfutures: busy time, and waits inside of polls\n"
		"",
	HD_CMD_OPTS(report_opts, report_defaults),
	.groups = report_groups,
	.max_args = 1,
	.default_arg = "perf.data",
	.run = report_run,
};
