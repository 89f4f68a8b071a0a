/*
 * flamegraph.h - the flame graph that `flame` and `analyze` write
 *
 * A failed write is reported by hd_outfile_commit().
 */
#ifndef HD_CLI_FLAMEGRAPH_H
#define HD_CLI_FLAMEGRAPH_H

#include "cli/profile_source.h"
#include "profile/folded.h"
#include "render/flamegraph.h"

/* Which tree is drawn, and how it is written. */
struct hd_flamegraph_tree {
	uint32_t event;
	bool by_comm, reverse, in_order;	/* as in struct hd_call_tree_opts */
	const struct hd_string_list *below;
	/* weight of the root if it is larger than the sum of the stacks; 0: use the sum */
	double total;
	bool ascii;			/* write characters outside ASCII as character references */
};

/*
 * Draw one event.  The subtitle describes the sample selection `select`; fo->filter is ignored.  With fo->whole_page,
 * an HTML page is written.  HD_EFORMAT: no stack contains a function of tree->below.
 */
int hd_flamegraph_of_input(struct hd_outfile *out, const struct hd_profile *p, const struct hd_flamegraph_tree *tree,
	const struct hd_flamegraph_opts *fo, const struct hd_selection *select, struct hd_log *log, struct hd_err *err);

/*
 * Read n inputs into *e; the caller releases it, except on failure.  If n > 1, the stacks of the main events of all
 * inputs are added up in one profile.  The unit of the sums is that of the inputs if all inputs have the same unit,
 * otherwise samples.  Warns if the stacks of the inputs were recorded with different values of --call-graph.
 */
int hd_flamegraph_read_inputs(struct hd_profile_source *e, char **paths, int n, const struct hd_input *in,
	struct hd_log *log, struct hd_err *err);

#endif
