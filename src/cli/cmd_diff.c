/*
 * cmd_diff.c - hotdrift diff A B: compare functions and stacks of two inputs or runs
 */
#include "base/encode.h"
#include "cli/source_difference.h"
#include "cli/terminal.h"
#include "render/diff.h"

#include <stdio.h>
#include <string.h>

struct diff_opts {
	struct hd_terminal term;
	struct hd_input in;
	const char *event, *symbol, *out;
	unsigned limit;
	int format;		/* FORMAT_... */
	bool json, csv, markdown, significant, normalize;
};

enum { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_JSON, FORMAT_CSV, FORMAT_FOLDED };

static const struct diff_opts diff_defaults = { .limit = 10 };

static const struct hd_opt diff_opts[] = {
	{ HD_OPT_STR, 0, "event", "NAME", "compare this event (default: the first with samples)",
		offsetof(struct diff_opts, event) },
	{ HD_OPT_STR, 0, "symbol", "NAME", "only this function, and the stacks through it",
		offsetof(struct diff_opts, symbol) },
	{ HD_OPT_UINT, 'n', "limit", "N", "list the N largest changes (default 10, 0 lists all)",
		offsetof(struct diff_opts, limit) },
	{ HD_OPT_FLAG, 0, "significant", NULL, "only changes that sampling error does not explain",
		offsetof(struct diff_opts, significant) },
	HD_ROW_JSON(struct diff_opts, "hotdrift.diff"),
	HD_ROW_CSV(struct diff_opts),
	HD_ROW_MARKDOWN(struct diff_opts),
	{ HD_OPT_ENUM, 0, "format", "text|markdown|json|csv|folded",
		"output format; folded: all stacks as `stack BASE HEAD` lines with unchanged names",
		offsetof(struct diff_opts, format) },
	{ HD_OPT_FLAG, 0, "normalize", NULL, "with --format folded: scale the base to the weight of the head",
		offsetof(struct diff_opts, normalize) },
	HD_ROW_OUTPUT(struct diff_opts),
	{ 0 },
};
static const struct hd_opt_group diff_groups[] = {
	HD_INPUT_RUN_GROUPS(struct diff_opts, in),
	HD_INPUT_MORE_GROUPS(struct diff_opts, in),
	HD_TERMINAL_GROUP(struct diff_opts, term), { NULL, NULL, 0 },
};

static int compare(struct hd_buf *out, struct hd_profile_source *a, struct hd_profile_source *b, char **names,
	const struct diff_opts *o, int format, struct hd_log *log, struct hd_err *err)
{
	struct hd_difference_opts how = { .exact = format == FORMAT_FOLDED };
	struct hd_difference d;
	struct hd_diff_report w = {
		.d = &d, .name = { a->run ? a->run : names[0], b->run ? b->run : names[1] }, .p = { a->p, b->p },
		.event = { a->event, b->event }, .through = UINT32_MAX, .limit = o->limit,
		.significant = o->significant,
	};
	int rc;

	how.by_comm = a->p->keys & HD_KEY_COMM && b->p->keys & HD_KEY_COMM;
	rc = hd_source_difference_build(&d, a, b, &how, &o->in, log, err);
	if (rc >= 0 && o->symbol) {
		w.through = hd_difference_find(&d, o->symbol);
		if (w.through == UINT32_MAX) {
			struct hd_nearest near = hd_nearest_to(o->symbol);

			hd_difference_try(&d, &near);
			rc = hd_fail(err, HD_EFORMAT, "no function '%s' in either of '%s' and '%s'%s", o->symbol,
				names[0], names[1], hd_nearest_hint(&near));
		}
	}
	if (rc >= 0 && format == FORMAT_FOLDED)
		hd_difference_folded(out, &d, o->normalize);
	else if (rc >= 0)
		hd_diff_write(out, &w, (enum hd_diff_format)format);
	hd_difference_release(&d);
	return rc;
}

static int diff_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct diff_opts *o = opts;
	int format = o->json ? FORMAT_JSON : o->csv ? FORMAT_CSV : o->markdown ? FORMAT_MARKDOWN : o->format, rc;
	struct hd_profile_source a = { 0 }, b = { 0 };
	struct hd_buf out = { 0 };

	(void)argc;
	hd_terminal_begin(&out, &o->term, o->out);
	if (o->json + o->csv + o->markdown > 1)
		return hd_fail(err, HD_EUSAGE, "diff: at most one of --json, --csv and --markdown");
	if (o->normalize && format != FORMAT_FOLDED)
		return hd_fail(err, HD_EUSAGE,
			"diff: --normalize requires --format folded; the tables always compare shares");
	if (!strcmp(argv[0], "-") && !strcmp(argv[1], "-"))
		return hd_fail(err, HD_EUSAGE, "diff: only one side can be standard input");
	rc = hd_input_check(&o->in, "diff", err);
	if (rc < 0)
		return rc;
	o->in.ingest.keys = HD_KEY_COMM;
	o->in.ingest.no_inline = !hd_input_inlined(&o->in, true);
	rc = hd_profile_source_read(&a, argv[0], o->event, &o->in, &o->in.db, log, err);
	if (rc >= 0)
		rc = hd_profile_source_read(&b, argv[1], o->event, &o->in, &o->in.db, log, err);
	if (rc >= 0) {
		hd_profile_source_warn_unlike(&a, &b, &o->in, log);
		rc = compare(&out, &a, &b, argv, o, format, log, err);
	}
	if (rc >= 0)
		rc = hd_output_write(o->out, &out, err);
	hd_profile_source_release(&a);
	hd_profile_source_release(&b);
	hd_buf_release(&out);
	return rc;
}

const struct hd_cmd hd_cmd_diff = {
	.name = "diff",
	.args = "A B",
	.summary = "compare functions and stacks of two inputs or runs",
	.details =
		"A and B are inputs (perf.data, a bundle, folded stacks, - for one of them) or runs of the database, "
		"in any combination.  If a file of that name exists it is read, otherwise the name is that of a run "
		"as in 'hotdrift log'.  run:NAME is always a run.\n"
		"\n"
		"The table compares shares of the event's weight, so recordings of different length and sampling "
		"rate are comparable.  points are percentage points of self cost.  Other columns have the absolute "
		"cost per run, or per unit of work if all runs know theirs, and its change.  If the work is unknown "
		"and runs in turns (bench --add) do not decide, the change is the one beyond the factor by which most "
		"of the cost changed; the line above the table names this factor.  So it does not change because one "
		"other function changed, unless that function has most of the cost.  For stored runs it is the number "
		"and the 95 % interval of 'gate'; for two single profiles the same estimate without an interval.\n"
		"\n"
		"Functions of the same name are one function, whatever their object, as in folded text.  Suffixes "
		"that compilers append (.isra.0, .constprop.1, a hash) are ignored, and the old name is shown.  "
		"Inlined code counts for the function that contains it, as in 'top' and 'gate'.  With --inline it "
		"counts for the inlined function.  The stacks show both.\n"
		"\n"
		"* marks significant rows.  q is the p-value of two single profiles whose only error is sample "
		"counting (conditional test below 10 samples, otherwise z), adjusted over all rows with at least 10 "
		"samples (Benjamini-Hochberg 0.05).  A difference of one sample is never significant.  Runs vary by "
		"more than sample counting: 'hotdrift drift' compares several runs per side.  Counts of folded text "
		"up to ten million are taken as samples, larger ones as periods with a common divisor of at least "
		"1,000.\n"
		"\n"
		"--format folded writes `stack BASE HEAD` lines, the input of differential flame graph programs.",
	.examples =
		"hotdrift diff before.data after.data\tcompare two recordings\n"
		"hotdrift diff latest:serve~1 latest:serve --symbol parse_row\tstored runs, one function and its "
		"stacks\n"
		"hotdrift diff latest perf.data --significant --markdown\ta stored run against a file\n"
		"",
	HD_CMD_OPTS(diff_opts, diff_defaults),
	.groups = diff_groups,
	.min_args = 2,
	.max_args = 2,
	.run = diff_run,
};
