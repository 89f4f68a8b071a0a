/*
 * cmds.c - the table of commands, in the order of --help
 */
#include "base/nearest.h"
#include "cli/cmd.h"

#include <string.h>

/* One row per command: X(top) declares hd_cmd_top, which cmd_top.c defines. */
#define COMMANDS(X) \
	X(profile) \
	X(info) X(fold) X(flame) X(top) X(tui) X(annotate) X(report) X(analyze) X(convert) X(bundle) \
	X(add) X(log) X(show) X(query) X(merge) X(push) X(prune) X(verify) X(witness) X(hash) \
	X(diff) X(history) X(expect) X(bisect) X(html) \
	X(drift) X(gate) X(ack) X(opportunities) \
	X(stats) X(energy) X(bench) X(grid) X(sample) X(timeline) X(rss) \
	X(target) X(doctor) X(help)

#define DECLARE(name) extern const struct hd_cmd hd_cmd_##name;
#define ADDRESS(name) &hd_cmd_##name,
COMMANDS(DECLARE)
const struct hd_cmd *const hd_cmds[] = { COMMANDS(ADDRESS) NULL };

const struct hd_cmd *hd_cmd_find(const char *name)
{
	for (const struct hd_cmd *const *c = hd_cmds; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

int hd_cmd_unknown(const char *name, struct hd_err *err)
{
	/* Commands of perf, and the commands of hotdrift with the same purpose. */
	static const struct { const char *of_perf, *ours; } perf[] = {
		{ "record", "profile" }, { "script", "fold" }, { "list", "doctor" },
		{ "stat", "bench" }, { "archive", "bundle" }, { "data", "convert" }, { "trace", "profile syscall" },
		{ "sched", "profile async" }, { "flamegraph", "flame" },
	};
	struct hd_nearest n = hd_nearest_to(name);

	for (size_t i = 0; i < sizeof(perf) / sizeof(*perf); i++)
		if (!strcmp(perf[i].of_perf, name))
			return hd_fail(err, HD_EUSAGE,
				"unknown command '%s'; use 'hotdrift %s', or see 'hotdrift --help'", name,
				perf[i].ours);
	for (const struct hd_cmd *const *c = hd_cmds; *c; c++)
		hd_nearest_try(&n, (*c)->name);
	return hd_fail(err, HD_EUSAGE, "unknown command '%s'%s%s 'hotdrift --help' lists them", name,
		hd_nearest_hint(&n), n.best[0] ? "" : ";");
}
