/*
 * cmd_annotate.c - hotdrift annotate FILE [SYMBOL]: the cost of each line and instruction of a function
 */
#include "cli/annotate_options.h"
#include "cli/inline_hosts.h"
#include "cli/profile_source.h"
#include "cli/terminal.h"
#include "render/annotation.h"

#include <stdlib.h>
#include <string.h>

struct annotate_opts {
	struct hd_terminal term;
	struct hd_input in;
	struct hd_annotate_options code;
	struct hd_annotation_view view;
	const char *symbol, *limit, *percent_limit, *out;
	int percent_type, format;
	bool json, markdown, stdio, print_line;
};

static const struct annotate_opts annotate_defaults = {
	.view = { .context = HD_ANNOTATION_CONTEXT, .hot_lines = HD_ANNOTATION_HOT_LINES },
};

#define ROW(kind, letter, name, arg, help, member)								\
	{ HD_OPT_##kind, letter, name, arg, help, offsetof(struct annotate_opts, member) }
static const struct hd_opt annotate_opts[] = {
	ROW(STR, 's', "function", "SYMBOL", "the same as the operand SYMBOL; perf's spelling is -s or --symbol",
		symbol),
	ROW(STR, 'n', "limit", "N",
		"annotate at most N functions, the hottest first (default 1 without SYMBOL, else 10; 0: all)",
		limit),
	ROW(ENUM, 0, "percent-type", HD_PERCENT_TYPES,
		"what 100 % is: the function (local) or the event (global), by weight (period) or samples (hits)",
		percent_type),
	ROW(STR, 0, "percent-limit", "PCT", "rows with a smaller share are not hot (default 0)", percent_limit),
	ROW(UINT, 0, "context", "N", "show N rows before and after each row with cost (default 5)", view.context),
	ROW(FLAG, 0, "full", NULL, "show all rows, not only those with cost and their context", view.full),
	ROW(FLAG, 'l', "print-line", NULL, "list all lines with cost first, not only the ten hottest", print_line),
	ROW(FLAG, 0, "source-only", NULL, "the source with the cost of each line, without instructions",
		view.source_only),
	ROW(FLAG, 0, "asm-only", NULL, "instructions without source", view.asm_only),
	HD_ROW_JSON(struct annotate_opts, "hotdrift.annotate"),
	HD_ROW_MARKDOWN(struct annotate_opts),
	HD_ROW_FORMAT(struct annotate_opts),
	HD_ROW_OUTPUT(struct annotate_opts),
	ROW(FLAG, 0, "stdio", NULL, "text (default), in perf's spelling", stdio),
	{ 0 },
};
#undef ROW

static const struct hd_opt_group annotate_groups[] = {
	HD_ANNOTATE_GROUP(struct annotate_opts, code),
	HD_INPUT_SELECT_GROUP(struct annotate_opts, in), HD_INPUT_MORE_GROUPS(struct annotate_opts, in),
	HD_INPUT_RUN_GROUPS(struct annotate_opts, in),
	HD_TERMINAL_GROUP(struct annotate_opts, term), { NULL, NULL, 0 },
};

/*
 * Set the function to annotate from the operand, -s or --symbol.  In other commands --symbol selects samples.  In
 * `annotate` it only names the function, because the annotation prints shares of all samples.
 */
static int take_symbol(struct annotate_opts *o, const char *operand, struct hd_err *err)
{
	struct hd_string_list *names = &o->in.ingest.select.symbol;

	if (names->n + (operand != NULL) + (o->symbol != NULL) > 1)
		return hd_fail(err, HD_EUSAGE, "annotate: name one function; a pattern or /REGEX/ selects several");
	o->code.annotate.symbol = operand ? operand : o->symbol ? o->symbol : names->n ? names->items[0] : NULL;
	names->n = 0;
	return 0;
}

/* Check the values that are not checked by the option parser. */
static int check(struct annotate_opts *o, bool symbol, struct hd_err *err)
{
	unsigned long long limit = symbol ? 10 : 1;
	int rc = hd_input_check(&o->in, "annotate", err);

	if (rc >= 0)
		rc = hd_annotate_options_check(&o->code, "annotate", err);
	if (rc >= 0)
		rc = hd_input_percent_limit(&o->view.percent_limit, o->percent_limit, "annotate", err);
	if (rc < 0)
		return rc;
	if (o->limit && hd_parse_uint(o->limit, 1000000, &limit) < 0)
		return hd_fail(err, HD_EUSAGE, "annotate: --limit takes a number up to 1000000, not '%s'", o->limit);
	if (o->view.source_only && o->view.asm_only)
		return hd_fail(err, HD_EUSAGE, "annotate: --source-only and --asm-only exclude each other");
	o->code.annotate.limit = (unsigned)limit;
	o->code.annotate.no_code = o->view.source_only;
	o->code.annotate.no_source = o->view.asm_only;
	o->view.percent = (enum hd_percent_type)o->percent_type;
	if (o->print_line)
		o->view.hot_lines = 0;
	return 0;
}

/* Fail because no sample was taken in the function.  Report where it was inlined, or suggest a similar name. */
static int no_sample(const struct hd_annotations *found, const struct hd_input *in, const char *path,
	struct hd_err *err)
{
	struct hd_inline_hosts hosts;
	int rc;

	hd_inline_hosts_find(&hosts, path, in, found->opts->symbol, true);
	if (hosts.name)
		rc = hd_fail(err, HD_EFORMAT,
			"%s: '%s' was inlined %s wherever a sample was taken in it; annotate %s: [%s < %s] marks its "
			"instructions",
			path, hosts.name, hosts.text.data, hosts.hottest, hosts.name, hosts.hottest);
	else
		rc = hd_fail(err, HD_EFORMAT, "%s: no sample was taken in a function '%s'%s%s%s", path,
			found->opts->symbol, found->nearest ? "; did you mean '" : "",
			found->nearest ? found->nearest : "", found->nearest ? "'?" : "");
	hd_inline_hosts_release(&hosts);
	return rc;
}

/* Explain why nothing was found. */
static int explain(const struct hd_annotations *found, const struct hd_profile_source *e, const struct hd_input *in,
	const char *path, struct hd_err *err)
{
	if (found->err.code)
		return hd_fail(err, found->err.code, "%s", found->err.msg);
	if (!found->opts->symbol || !found->items)	/* hd_annotate() was not called */
		return hd_fail(err, HD_EFORMAT,
			"%s: has no addresses to annotate (format %s); only recordings of perf and their bundles have",
			path, e->p->recording.format ? e->p->recording.format : "unknown");
	return no_sample(found, in, path, err);
}

static int annotate_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct annotate_opts *o = opts;
	enum hd_format format = o->json ? HD_FORMAT_JSON : o->markdown ? HD_FORMAT_MARKDOWN : (enum hd_format)o->format;
	struct hd_annotations found = { .opts = &o->code.annotate };
	struct hd_symbol_user user = { .use = hd_annotate, .arg = &found };
	struct hd_profile_source e = { 0 };
	struct hd_buf text = { 0 };
	char *path = NULL;
	int rc;

	hd_terminal_begin(&text, &o->term, o->out);
	rc = take_symbol(o, argc > 1 ? argv[1] : NULL, err);
	if (rc >= 0)
		rc = check(o, o->code.annotate.symbol != NULL, err);
	if (rc < 0)
		return rc;
	o->in.ingest.no_inline = true;		/* assign samples to whole functions */
	o->in.ingest.symbol_user = &user;
	rc = hd_profile_source_recording(&path, argv[0], &o->in, o->out, err);
	if (rc >= 0)
		rc = hd_profile_source_open(&e, path, &o->in, false, log, err);
	if (rc >= 0 && !found.n)
		rc = explain(&found, &e, &o->in, path, err);
	if (rc >= 0) {
		hd_annotation_write(&text, &found, format, &o->view);
		if (found.n < found.matched && o->code.annotate.symbol)
			hd_warn(log, "annotate.limit", "annotate more of them with --limit N",
				"%zu functions match '%s'; showing %zu",
				found.matched, o->code.annotate.symbol, found.n);
		rc = hd_output_write(o->out, &text, err);
	}
	hd_annotations_release(&found);
	hd_profile_source_release(&e);
	free(path);
	return rc;
}

const struct hd_cmd hd_cmd_annotate = {
	.name = "annotate",
	.reads = true,
	.args = "[FILE [SYMBOL]]",
	.summary = "show the cost of each source line and instruction of a function",
	.details =
		"SYMBOL is the name of a function (without parameters, or as in the symbol table), a pattern with * ? "
		"[a-z], /REGEX/ (POSIX extended), or an address 0x... in the function.  Without SYMBOL it is the "
		"function with the highest self cost of the first event.\n"
		"\n"
		"Costs are those of the samples that were taken at an address.  Their shares equal those of perf "
		"annotate on the same file: 100 % is the function, by weight, unless --percent-type says otherwise.  "
		"With several events, each has a column.\n"
		"\n"
		"If FILE is a run, a commit or `latest`, its recording or bundle is read, at the stored path or beside "
		"the database, if its content has not changed; stored stacks have no addresses.\n"
		"\n"
		"The code is read from the file with the recorded build-id (--symfs and debug files as in other "
		"commands), and a file of another build is rejected.  Instructions are disassembled by capstone if "
		"libcapstone is installed.  Without code (a bundle on another machine, code generated at run time), "
		"the sampled addresses and their lines are shown.\n"
		"\n"
		"[inner < outer] above instructions is the chain of inlined functions that they belong to.  Arrows "
		"connect jumps with their targets in the function; ↑ and ↓ mark those for which there is no room.\n"
		"\n"
		"Source files are found by --substitute-path, --source-prefix, --symfs and the recorded path, in this "
		"order.  A note says if a file is newer than the object.  Files at the recorded path are read only "
		"if their name has the suffix of a source file.",
	.examples =
		"hotdrift annotate perf.data\tthe hottest function\n"
		"hotdrift annotate perf.data main --source-only\tthe source with the cost of each line\n"
		"hotdrift annotate perf.data main --asm-only --full -M intel\tall instructions, Intel syntax\n"
		"hotdrift annotate perf.data '/^parse_/' --json\tevery function that matches, as JSON\n"
		"",
	HD_CMD_OPTS(annotate_opts, annotate_defaults),
	.groups = annotate_groups,
	.max_args = 2,
	.inputs = 1,
	.default_arg = "perf.data",
	.run = annotate_run,
};
