/*
 * flamegraph.h - the flame graph that `flame` and `analyze` write
 *
 * A failed write is reported by hd_outfile_commit().
 */
#ifndef HD_CLI_FLAMEGRAPH_H
#define HD_CLI_FLAMEGRAPH_H

#include "cli/input.h"
#include "profile/folded.h"
#include "render/flamegraph.h"

/* Draw one event.  The subtitle describes `select`, which replaces fo->filter. */
int hd_flamegraph_of_input(struct hd_outfile *out, const struct hd_profile *p, uint32_t event, bool by_comm,
	const struct hd_flamegraph_opts *fo, const struct hd_selection *select, struct hd_err *err);

#endif
