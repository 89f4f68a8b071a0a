/*
 * call_graph_options.c - see call_graph_options.h
 */
#include "cli/call_graph_options.h"

#include "base/mem.h"
#include "cli/input.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const double default_row_limit = 0.5;	/* per cent, as in perf report */

const struct hd_opt hd_call_graph_opts[] = {
	{ HD_OPT_STR, 0, "callers", "F",
		"tree of the callers of F: a name, a glob, or /REGEX/; one tree per function",
		offsetof(struct hd_call_graph_options, callers) },
	{ HD_OPT_STR, 0, "callees", "F", "tree of what F called",
		offsetof(struct hd_call_graph_options, callees) },
	{ HD_OPT_STR, 0, "peek", "F", "callers of F, F and its callees, as 'pprof -peek' prints them",
		offsetof(struct hd_call_graph_options, peek) },
	{ HD_OPT_FLAG, 0, "tree", NULL, "the call tree from the outermost caller downwards",
		offsetof(struct hd_call_graph_options, tree) },
	{ HD_OPT_WORD, 'g', "call-graph", "WORDS",
		"a tree for every function, as perf report -g: graph or fractal (share of the event or of the "
		"parent), a threshold in per cent, caller or callee (default graph,0.5,caller); none: no trees",
		offsetof(struct hd_call_graph_options, call_graph) },
	{ HD_OPT_FLAG, 'G', "inverted", NULL, "the same as -g caller, in perf report's spelling",
		offsetof(struct hd_call_graph_options, inverted) },
	{ HD_OPT_CLEAR, 0, "children", NULL,
		"trees of all samples whose stack has the function (default with a tree)",
		offsetof(struct hd_call_graph_options, self_only) },
	{ HD_OPT_FLAG, 0, "no-children", NULL,
		"trees of the samples taken in the function; tables have self cost always",
		offsetof(struct hd_call_graph_options, self_only) },
	{ HD_OPT_UINT, 0, "max-depth", "N", "at most N levels of a tree (default 0: all)",
		offsetof(struct hd_call_graph_options, max_depth) },
	{ HD_OPT_STR, 0, "nodefraction", "F",
		"omit rows of a tree below this fraction of the event, in pprof's spelling: 0.005 is 0.5 %",
		offsetof(struct hd_call_graph_options, node_fraction) },
	{ HD_OPT_FLAG, 0, "csv", NULL, "print callers, callees and trees as CSV",
		offsetof(struct hd_call_graph_options, csv) },
	{ 0 },
};

/* Return true if -g has the word none. */
static bool without_trees(const struct hd_call_graph_options *o)
{
	static const char word[] = "none", between[] = ", ";

	for (const char *at = o->call_graph; at && *at; at += strspn(at, between)) {
		size_t n = strcspn(at, between);

		if (n == strlen(word) && !memcmp(at, word, n))
			return true;
		at += n;
	}
	return false;
}

/*
 * Choose the form of the report, such as callers or call tree, and the pattern of its functions.  Returns the number of
 * forms that the options request.
 */
static int choose_form(enum hd_call_graph_form *form, const char **pattern, const struct hd_call_graph_options *o)
{
	const struct { enum hd_call_graph_form form; const char *pattern; bool given; } forms[] = {
		{ HD_CALL_GRAPH_CALLERS, o->callers, o->callers != NULL },
		{ HD_CALL_GRAPH_CALLEES, o->callees, o->callees != NULL },
		{ HD_CALL_GRAPH_PEEK, o->peek, o->peek != NULL },
		{ HD_CALL_GRAPH_TREE, NULL, o->tree },
	};
	int n = 0;

	*form = HD_CALL_GRAPH_FUNCTIONS;
	*pattern = NULL;
	for (size_t i = 0; i < HD_COUNT(forms); i++)
		if (forms[i].given) {
			*form = forms[i].form;
			*pattern = forms[i].pattern;
			n++;
		}
	return n ? n : (o->call_graph || o->inverted) && !without_trees(o);
}

static int fraction(const char *text, double scale, double *pct)
{
	char *end;

	errno = 0;
	*pct = strtod(text, &end) * scale;
	return errno || end == text || *end || !(*pct >= 0 && *pct <= 100) ? -1 : 0;
}

/* Apply one word of the value of -g.  *numbers is the number of words so far that were numbers. */
static int apply_word(struct hd_call_graph_report_opts *r, const char *word, int *numbers, struct hd_err *err)
{
	/* Words without effect, because rows always are functions with their share, weight and number of samples. */
	static const char *const same[] = { "graph", "function", "percent", "period", "count" };
	static const struct { const char *word, *instead; } other[] = {
		{ "flat", "'hotdrift fold' prints whole stacks" },
		{ "folded", "'hotdrift fold' prints folded stacks" },
		{ "address", "trees have functions" },
		{ "srcline", "trees have functions; --by symbol,line prints lines" },
		{ "branch", "trees have functions" },
	};

	for (size_t i = 0; i < HD_COUNT(same); i++)
		if (!strcmp(word, same[i]))
			return 0;
	for (size_t i = 0; i < HD_COUNT(other); i++)
		if (!strcmp(word, other[i].word))
			return hd_fail(err, HD_EUSAGE, "report: -g %s is not supported: %s", word, other[i].instead);
	if (!strcmp(word, "fractal"))
		r->of_parent = true;
	else if (!strcmp(word, "caller"))
		r->upwards = false;
	else if (!strcmp(word, "callee"))
		r->upwards = true;
	else if (isdigit((unsigned char)*word) && (*numbers)++)
		return hd_fail(err, HD_EUSAGE,
			"report: -g takes one number, the threshold, not the print limit '%.40s'", word);
	else if (fraction(word, 1, &r->row_limit) < 0)
		return hd_fail(err, HD_EUSAGE,
			"report: -g takes graph, fractal or none, a threshold in per cent, caller or callee, "
			"not '%.40s'", word);
	return 0;
}

static int apply_words(struct hd_call_graph_report_opts *r, const char *words, struct hd_err *err)
{
	char *copy = hd_strdup(words), *save = NULL;
	int rc = 0, numbers = 0;

	for (char *word = strtok_r(copy, ", ", &save); word && rc >= 0; word = strtok_r(NULL, ", ", &save))
		rc = apply_word(r, word, &numbers, err);
	free(copy);
	return rc;
}

int hd_call_graph_options_apply(struct hd_call_graph_report_opts *r, struct hd_name_pattern *functions,
	const struct hd_call_graph_options *o, const char *percent_limit, struct hd_err *err)
{
	const char *pattern;
	int n = choose_form(&r->form, &pattern, o), rc = 0;

	*functions = (struct hd_name_pattern){ 0 };
	if (n > 1)
		return hd_fail(err, HD_EUSAGE, "report: --callers, --callees, --peek and --tree exclude each other");
	if (n && without_trees(o))
		return hd_fail(err, HD_EUSAGE, "report: -g none excludes --callers, --callees, --peek and --tree");
	if (!n && (o->csv || o->max_depth || o->node_fraction))
		return hd_fail(err, HD_EUSAGE,
			"report: --csv, --max-depth and --nodefraction need --callers, --callees, --peek, --tree or "
			"-g");
	if (!n)
		return 0;
	r->csv = o->csv;
	r->self_only = o->self_only;
	r->max_depth = o->max_depth;
	r->row_limit = r->form == HD_CALL_GRAPH_PEEK ? 0 : default_row_limit;
	if (o->call_graph)
		rc = apply_words(r, o->call_graph, err);
	if (rc >= 0 && percent_limit)
		rc = hd_input_percent_limit(&r->percent_limit, percent_limit, "report", err);
	if (percent_limit)
		r->row_limit = r->percent_limit;
	if (rc >= 0 && o->node_fraction && fraction(o->node_fraction, 100, &r->row_limit) < 0)
		rc = hd_fail(err, HD_EUSAGE, "report: --nodefraction takes a fraction from 0 to 1, not '%s'",
			o->node_fraction);
	if (rc >= 0 && o->self_only && (r->form == HD_CALL_GRAPH_PEEK || r->form == HD_CALL_GRAPH_TREE))
		rc = hd_fail(err, HD_EUSAGE, "report: --no-children is for --callers, --callees and -g");
	if (rc >= 0 && pattern)
		rc = hd_name_pattern_init(functions, pattern,
			r->form == HD_CALL_GRAPH_CALLERS       ? "callers"
				: r->form == HD_CALL_GRAPH_CALLEES ? "callees"
								   : "peek",
			err);
	return rc < 0 ? rc : 1;
}
