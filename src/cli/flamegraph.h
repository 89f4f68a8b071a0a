/*
 * flamegraph.h - what `fold`, `flame` and `analyze` write of a profile, in one place, so that it is the same
 *
 * Of several events that of hd_input_main_event, unless another is asked for.  A failed write is told by hd_outfile_commit.
 */
#ifndef HD_CLI_FLAMEGRAPH_H
#define HD_CLI_FLAMEGRAPH_H

#include "cli/input.h"
#include "profile/folded.h"
#include "render/flamegraph.h"

/* The subtitle says what `select` selects; fo->filter is set here. */
int hd_flamegraph_of_input(struct hd_outfile *out, const struct hd_profile *p, uint32_t event, bool by_comm,
	const struct hd_flamegraph_opts *fo, const struct hd_selection *select, struct hd_err *err);

#endif
