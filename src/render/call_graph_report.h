/*
 * call_graph_report.h - print callers, callees and call trees as text, Markdown, JSON or CSV
 *
 *     callers     a tree of the callers of each function, from the function upwards
 *     callees     a tree of what each function called
 *     peek        callers, the function and its callees, one level each, as `go tool pprof -peek` counts them
 *     tree        the whole call tree from the root downwards
 *     functions   a tree of callees or callers of every function, as `perf report -g` prints them
 *
 * A row has its weight in the event's unit and its share of the event (total), of the function, and of its parent row.
 * In text, a row that is the only one below its parent is not indented, and lines connect a row with its siblings.
 *
 * JSON: {"format":"hotdrift.call-graph","version":1,"form","inline","events":[{"event","unit","samples","weight",
 * "functions":[{"symbol","rows":[{"id","parent","depth","relation","weight","total_pct","function_pct","parent_pct",
 * "self","self_pct","samples","symbol"}],"hidden"}]}]}
 *
 * relation is function, caller or callee.  A row also has "unknown", "kernel" or "inlined" if it is true.  In the form
 * peek, caller rows come first, then the function, then callee rows; no row has id, parent, depth or parent_pct.  In
 * the form peek and in trees of callers, no row has self and self_pct.  hidden is the number of rows that the limits
 * removed.  CSV has the event and the function in each row.
 */
#ifndef HD_RENDER_CALL_GRAPH_REPORT_H
#define HD_RENDER_CALL_GRAPH_REPORT_H

#include "base/buf.h"
#include "base/name_pattern.h"
#include "profile/profile.h"
#include "render/top.h"

enum hd_call_graph_form {
	HD_CALL_GRAPH_CALLERS, HD_CALL_GRAPH_CALLEES, HD_CALL_GRAPH_PEEK, HD_CALL_GRAPH_TREE, HD_CALL_GRAPH_FUNCTIONS
};

struct hd_call_graph_report_opts {
	enum hd_call_graph_form form;
	enum hd_format format;
	bool csv;			/* print CSV; `format` is ignored */
	bool self_only;			/* count only samples taken in the function (perf's --no-children) */
	bool upwards;			/* form FUNCTIONS: print callers instead of callees (perf's callee order) */
	bool of_parent;			/* shares and row_limit refer to the parent row (perf's fractal) */
	bool inlined;			/* true if inlined functions are frames; JSON has this as "inline" */
	unsigned limit;			/* maximum number of functions per event; 0: all */
	unsigned max_depth;		/* levels below the function or the root; 0: all */
	double percent_limit;		/* do not print functions with a smaller share of the event, in per cent */
	double row_limit;		/* do not print caller and callee rows with a smaller share, in per cent */
};

/*
 * Print all events with samples.  functions: the functions to print in the forms callers, callees and peek; NULL for
 * the other forms.  Returns the number of printed functions, summed over all events.
 */
size_t hd_call_graph_report(struct hd_buf *out, const struct hd_profile *p, const struct hd_name_pattern *functions,
	const struct hd_call_graph_report_opts *o);

#endif
