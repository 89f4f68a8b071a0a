/*
 * cmd_flame.c - hotdrift flame FILE: draw a flame graph
 */
#include "cli/flame_options.h"
#include "cli/flamegraph.h"
#include "cli/source_difference.h"
#include "pipeline/folded_input.h"

#include <stdlib.h>
#include <string.h>

#define AT(member)	offsetof(struct hd_flame_options, member)

static const struct hd_flame_options flame_defaults = { 0 };

static const struct hd_opt flame_opts[] = {
	HD_ROW_OUTPUT(struct hd_flame_options),
	{ 0 },
};
static const struct hd_opt compare_opts[] = {
	{ HD_OPT_STR, 0, "base", "INPUT",
		"colours show the change since this recording, folded text or run: red grew, blue shrank", AT(base) },
	{ HD_OPT_FLAG, 0, "negate", NULL, "swap the two colours", AT(negate) },
	{ HD_OPT_FLAG, 0, "color-blind", NULL, "orange instead of red", AT(colour_blind) },
	{ HD_OPT_FLAG, 0, "no-vanished", NULL, "do not draw frames that only the base has", AT(no_gone) },
	{ 0 },
};
static const struct hd_opt_group flame_groups[] = {
	{ "comparison", compare_opts, 0 },
	{ "shape", hd_flame_shape_opts, 0 },
	{ "texts", hd_flame_text_opts, 0 },
	{ "colours and fonts", hd_flame_colour_opts, 0 },
	{ "file", hd_flame_file_opts, 0 },
	{ "selection", hd_select_opts, AT(in) + offsetof(struct hd_input, ingest.select) },
	HD_INPUT_MORE_GROUPS(struct hd_flame_options, in),
	HD_INPUT_RUN_GROUPS(struct hd_flame_options, in),
	{ NULL, NULL, 0 },
};

/* Return the options that determine the tree to draw. */
static struct hd_flamegraph_tree tree_of(const struct hd_flame_options *o, const struct hd_profile *p,
	const struct hd_flame_numbers *n)
{
	return (struct hd_flamegraph_tree){
		.event = hd_input_main_event(p),
		.by_comm = !o->no_comm,
		.reverse = o->reverse,
		.in_order = o->no_sort || o->flamechart,
		.below = o->base_symbol.n ? &o->base_symbol : NULL,
		.total = n->total,
		.ascii = n->ascii,
	};
}

static int draw(const struct hd_profile *p, const struct hd_flame_options *o, const struct hd_flamegraph_opts *fo,
	const struct hd_flame_numbers *n, struct hd_log *log, struct hd_err *err)
{
	struct hd_flamegraph_tree tree = tree_of(o, p, n);
	struct hd_outfile out;
	int rc;

	rc = hd_outfile_open(&out, o->out, err);
	if (rc < 0)
		return rc;
	if (!fo->base || p->nevents != 2)
		hd_input_note_other_events(p, tree.event, log);
	rc = hd_flamegraph_of_input(&out, p, &tree, fo, &o->in.ingest.select, log, err);
	if (rc < 0) {
		hd_outfile_discard(&out);
		return rc;
	}
	return hd_outfile_commit(&out, err);
}

/* Draw a difference, whose head is the main event of profile `p`.  name: of the base. */
static int draw_difference(const struct hd_difference *d, const char *name, bool no_gone, const struct hd_profile *p,
	const struct hd_flame_options *o, struct hd_flamegraph_opts *fo, const struct hd_flame_numbers *n,
	struct hd_log *log, struct hd_err *err)
{
	struct hd_flamegraph_base b = { .d = d, .name = name, .negate = o->negate, .orange = o->colour_blind,
		.no_gone = o->no_gone || no_gone };

	fo->base = &b;
	return draw(p, o, fo, n, log, err);
}

/* Draw a differential flame graph of the input and --base. */
static int draw_changes(const struct hd_profile_source *head, const char *path, const struct hd_flame_options *o,
	struct hd_flamegraph_opts *fo, const struct hd_flame_numbers *n, struct hd_log *log, struct hd_err *err)
{
	const struct hd_difference_opts how = { .by_comm = !o->no_comm };
	struct hd_profile_source base;
	struct hd_difference d;
	int rc;

	if (!strcmp(o->base, "-") && !strcmp(path, "-"))
		return hd_fail(err, HD_EUSAGE, "flame: only one of FILE and --base can be standard input");
	rc = hd_profile_source_read(&base, o->base, NULL, &o->in, &o->in.db, log, err);
	if (rc < 0)
		return rc;
	hd_profile_source_warn_unlike(&base, head, &o->in, log);
	rc = hd_source_difference_build(&d, &base, head, &how, &o->in, log, err);
	if (rc >= 0)
		rc = draw_difference(&d, base.run ? base.run : o->base, false, head->p, o, fo, n, log, err);
	hd_difference_release(&d);
	hd_profile_source_release(&base);
	return rc;
}

/* Draw the change from the first of the two counts of folded text to the second. */
static int draw_two_counts(const struct hd_profile_source *e, uint32_t base, const struct hd_flame_options *o,
	struct hd_flamegraph_opts *fo, const struct hd_flame_numbers *n, struct hd_log *log, struct hd_err *err)
{
	const struct hd_difference_side sides[2] = { { .p = e->p, .event = base }, { .p = e->p, .event = e->event } };
	const struct hd_difference_opts how = { .by_comm = !o->no_comm };
	struct hd_difference d;
	int rc;

	hd_difference_build(&d, &sides[HD_BASE], &sides[HD_HEAD], &how);
	rc = draw_difference(&d, "the first column", true, e->p, o, fo, n, log, err);
	hd_difference_release(&d);
	return rc;
}

/*
 * If `p` was read from folded text with two counts per line, return the event of the first count, otherwise UINT32_MAX.
 */
static uint32_t base_event(const struct hd_profile *p)
{
	for (uint32_t i = 0; i < p->nevents; i++)
		if (p->recording.format && !strcmp(p->recording.format, "folded") &&
		    !strcmp(hd_profile_str(p, p->events[i].name), HD_FOLDED_BASE_EVENT) && p->events[i].samples)
			return i;
	return UINT32_MAX;
}

static int draw_input(const struct hd_profile_source *e, const char *path, const struct hd_flame_options *o,
	struct hd_flamegraph_opts *fo, const struct hd_flame_numbers *n, struct hd_log *log, struct hd_err *err)
{
	const struct hd_profile *p = e->p;
	uint32_t base = base_event(p);

	if (o->base)
		return draw_changes(e, path, o, fo, n, log, err);
	if (base == UINT32_MAX || base == e->event)
		return draw(p, o, fo, n, log, err);
	if (hd_flame_options_reorder(o))
		return hd_fail(err, HD_EUSAGE,
			"flame: %s has two counts per line, so the difference is drawn, which cannot be combined with "
			"--reverse, --no-sort, --flamechart and --base-symbol; select one count by --event folded or "
			"--event base", path);
	return draw_two_counts(e, base, o, fo, n, log, err);
}

static int flame_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct hd_flame_options *o = opts;
	struct hd_flamegraph_opts fo = HD_FLAMEGRAPH_DEFAULTS;
	struct hd_flame_colours_opts co = hd_flame_options_colours(o);
	struct hd_flame_attributes *attributes = NULL;
	struct hd_flame_numbers n = { 0 };
	struct hd_profile_source e = { 0 };
	int rc = hd_flame_options_take(&fo, &n, o, err);

	if (rc >= 0)
		rc = hd_input_check(&o->in, "flame", err);
	if (rc >= 0 && argc > 1 && (o->no_sort || o->flamechart))
		rc = hd_fail(err, HD_EUSAGE, "flame: --no-sort and --flamechart take one input, which has the order");
	if (rc >= 0 && hd_flame_colours_used(&co))
		rc = hd_flame_colours_new(&fo.colours, &co, err);
	if (rc >= 0 && o->attributes_path)
		rc = hd_flame_attributes_read(&attributes, o->attributes_path, err);
	if (rc < 0)
		goto out;
	fo.attributes = attributes;
	o->in.ingest.keys = o->no_comm ? 0 : HD_KEY_COMM;
	o->in.ingest.no_inline = !hd_input_inlined(&o->in, true);
	o->in.ingest.lines = o->lines;
	o->in.ingest.timed = o->flamechart;
	o->in.ingest.ordered = o->flamechart || o->no_sort;
	rc = hd_flamegraph_read_inputs(&e, argv, argc, &o->in, log, err);
	if (rc >= 0) {
		e.event = hd_input_main_event(e.p);
		hd_input_warn_few_samples(e.p, log);
		rc = draw_input(&e, argv[0], o, &fo, &n, log, err);
	}
	if (rc >= 0 && co.map_path)
		rc = hd_flame_colours_save(fo.colours, err);
	hd_profile_source_release(&e);
out:
	hd_flame_colours_free(fo.colours);
	hd_flame_attributes_free(attributes);
	return rc;
}

const struct hd_cmd hd_cmd_flame = {
	.name = "flame",
	.reads = true,
	.args = "[FILE...]",
	.summary = "draw an interactive flame graph as one SVG file",
	.details =
		"A box is a function at one place of the call tree.  Its width is the share of the event's weight "
		"spent in the function and its callees.  In a browser, a click zooms, / searches, ? lists the keys, "
		"and View reverses, merges threads, sorts, and hides functions.  The file works offline, and without "
		"scripts as a static picture.  Colours distinguish user, kernel, inlined, JIT and unknown frames; one "
		"name has one colour.  A file stays below 2 MB: what does not fit is drawn as grey blocks that say how "
		"many frames they stand for.\n"
		"\n"
		"FILE is any input; several are added up.  If it has several events, the first with samples is drawn.  "
		"The stacks are embedded, so the SVG itself is an input: 'hotdrift fold flame.svg' prints them.\n"
		"\n"
		"With --base the graph is differential.  A box is red if its cost with callees grew since the base, "
		"and blue if it fell; darker colours are larger changes.  Grey boxes differ by no more than sampling "
		"error explains (p 0.05 per box, as in 'hotdrift diff'), or their share fell because others grew.  "
		"Widths are costs of FILE.  Frames that only the base has are drawn dashed, with their cost there.  "
		"Folded text with two counts per line, base and head, is drawn in the same way, without them.\n"
		"\n"
		"The options of flamegraph.pl and inferno-flamegraph have their names and meanings here, except that "
		"--base of inferno is --base-symbol.  docs/flame.md has a table.",
	.examples =
		"hotdrift flame perf.data -o flame.svg\tthe whole recording\n"
		"hotdrift flame --comm app --no-kernel perf.data > app.svg\tone program, user space only\n"
		"hotdrift flame --base before.data after.data > change.svg\twhat grew and what shrank\n"
		"hotdrift flame perf.data -o flame.html\ta page that fits a phone, too\n"
		"",
	HD_CMD_OPTS(flame_opts, flame_defaults),
	.groups = flame_groups,
	.max_args = -1,
	.default_arg = "perf.data",
	.run = flame_run,
};
