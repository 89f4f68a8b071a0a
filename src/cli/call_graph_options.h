/*
 * call_graph_options.h - the options of report that print callers, callees and call trees
 */
#ifndef HD_CLI_CALL_GRAPH_OPTIONS_H
#define HD_CLI_CALL_GRAPH_OPTIONS_H

#include "base/name_pattern.h"
#include "cli/cmd.h"
#include "render/call_graph_report.h"

struct hd_call_graph_options {
	const char *callers, *callees, *peek;	/* patterns of functions */
	bool tree;
	const char *call_graph;			/* value of -g; "" if -g has no value, NULL without -g */
	bool inverted, self_only, csv;
	unsigned max_depth;
	const char *node_fraction;
};

extern const struct hd_opt hd_call_graph_opts[];
#define HD_CALL_GRAPH_GROUP(type, member)	{ "callers and callees", hd_call_graph_opts, offsetof(type, member) }

/*
 * Set up a report from the options.  *report must be zeroed.  Returns 1, or 0 if the options request no report, or
 * HD_EUSAGE.  percent_limit: the value of --percent-limit, NULL if it was not given.  The caller must release
 * *functions, except after an error.  functions->text is NULL for reports without a pattern.
 */
int hd_call_graph_options_apply(struct hd_call_graph_report_opts *report, struct hd_name_pattern *functions,
	const struct hd_call_graph_options *o, const char *percent_limit, struct hd_err *err);

#endif
