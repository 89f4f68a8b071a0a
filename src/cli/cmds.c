/*
 * cmds.c - the table of commands, in the order of --help
 */
#include "base/nearest.h"
#include "cli/cmd.h"

#include <string.h>

extern const struct hd_cmd hd_cmd_profile;
extern const struct hd_cmd hd_cmd_info, hd_cmd_fold, hd_cmd_flame, hd_cmd_top, hd_cmd_report, hd_cmd_analyze,
	hd_cmd_convert, hd_cmd_bundle;
extern const struct hd_cmd hd_cmd_add, hd_cmd_log, hd_cmd_show, hd_cmd_query, hd_cmd_merge, hd_cmd_push, hd_cmd_prune,
	hd_cmd_verify, hd_cmd_witness, hd_cmd_hash;
extern const struct hd_cmd hd_cmd_diff, hd_cmd_history, hd_cmd_expect, hd_cmd_bisect, hd_cmd_html;
extern const struct hd_cmd hd_cmd_drift, hd_cmd_gate, hd_cmd_ack;
extern const struct hd_cmd hd_cmd_stats, hd_cmd_energy, hd_cmd_bench, hd_cmd_sample, hd_cmd_timeline, hd_cmd_rss;
extern const struct hd_cmd hd_cmd_target, hd_cmd_doctor, hd_cmd_help;

const struct hd_cmd *const hd_cmds[] = {
	&hd_cmd_profile,
	&hd_cmd_info, &hd_cmd_fold, &hd_cmd_flame, &hd_cmd_top, &hd_cmd_report, &hd_cmd_analyze, &hd_cmd_convert,
	&hd_cmd_bundle,
	&hd_cmd_add, &hd_cmd_log, &hd_cmd_show, &hd_cmd_query, &hd_cmd_merge, &hd_cmd_push, &hd_cmd_prune,
	&hd_cmd_verify, &hd_cmd_witness, &hd_cmd_hash,
	&hd_cmd_diff, &hd_cmd_history, &hd_cmd_expect, &hd_cmd_bisect, &hd_cmd_html,
	&hd_cmd_drift, &hd_cmd_gate, &hd_cmd_ack,
	&hd_cmd_stats, &hd_cmd_energy, &hd_cmd_bench, &hd_cmd_sample, &hd_cmd_timeline, &hd_cmd_rss,
	&hd_cmd_target, &hd_cmd_doctor, &hd_cmd_help,
	NULL,
};

const struct hd_cmd *hd_cmd_find(const char *name)
{
	for (const struct hd_cmd *const *c = hd_cmds; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

int hd_cmd_unknown(const char *name, struct hd_err *err)
{
	/* Commands of perf whose work one of ours does under another name. */
	static const struct { const char *theirs, *ours; } perf[] = {
		{ "record", "profile" }, { "script", "fold" }, { "annotate", "report --by symbol,line" },
		{ "list", "doctor" },
		{ "stat", "bench" }, { "archive", "bundle" }, { "data", "convert" }, { "trace", "profile syscall" },
		{ "sched", "profile async" }, { "flamegraph", "flame" },
	};
	struct hd_nearest n = hd_nearest_to(name);

	for (size_t i = 0; i < sizeof(perf) / sizeof(*perf); i++)
		if (!strcmp(perf[i].theirs, name))
			return hd_fail(err, HD_EUSAGE,
				"unknown command '%s'; use 'hotdrift %s', or see 'hotdrift --help'", name,
				perf[i].ours);
	for (const struct hd_cmd *const *c = hd_cmds; *c; c++)
		hd_nearest_try(&n, (*c)->name);
	return hd_fail(err, HD_EUSAGE, "unknown command '%s'%s%s 'hotdrift --help' lists them", name,
		hd_nearest_hint(&n), n.best[0] ? "" : ";");
}
