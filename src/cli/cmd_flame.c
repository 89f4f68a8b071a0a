/*
 * cmd_flame.c - hotdrift flame FILE: draw a flame graph
 */
#include "cli/flamegraph.h"
#include "cli/profile_source.h"
#include "gate/difference.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct flame_opts {
	struct hd_input in;
	const char *title, *base;
	bool icicle;
	bool no_comm;
	int theme;		/* enum hd_flamegraph_theme */
	unsigned width;
	const char *minwidth;
	const char *out;
};

static const struct flame_opts flame_defaults = { .width = HD_FLAMEGRAPH_WIDTH };

static const struct hd_opt flame_opts[] = {
	HD_ROW_OUTPUT(struct flame_opts),
	{ HD_OPT_STR, 0, "title", "TEXT", "title of the picture (default: the names of input and event)",
		offsetof(struct flame_opts, title) },
	{ HD_OPT_STR, 0, "base", "INPUT",
		"colours show the change since this recording, folded text or run: red grew, blue shrank",
		offsetof(struct flame_opts, base) },
	{ HD_OPT_FLAG, 0, "icicle", NULL, "draw the roots at the top", offsetof(struct flame_opts, icicle) },
	{ HD_OPT_FLAG, 0, "no-comm", NULL, "omit the first level, which has one box per thread name",
		offsetof(struct flame_opts, no_comm) },
	{ HD_OPT_ENUM, 0, "theme", "auto|light|dark", "colours (default auto: the setting of the viewer's system)",
		offsetof(struct flame_opts, theme) },
	{ HD_OPT_UINT, 0, "width", "PX", "width of the picture without scripts (default 1200)",
		offsetof(struct flame_opts, width) },
	{ HD_OPT_STR, 0, "minwidth", "PX", "omit frames narrower than this (default 0.1); their cost is still counted",
		offsetof(struct flame_opts, minwidth) },
	{ 0 },
};
static const struct hd_opt_group flame_groups[] = {
	{ "selection", hd_select_opts, offsetof(struct flame_opts, in) + offsetof(struct hd_input, ingest.select) },
	HD_INPUT_MORE_GROUPS(struct flame_opts, in),
	HD_INPUT_RUN_GROUPS(struct flame_opts, in),
	{ NULL, NULL, 0 },
};

static int draw(const struct hd_profile *p, const struct flame_opts *o, const struct hd_flamegraph_opts *fo,
	struct hd_log *log, struct hd_err *err)
{
	struct hd_outfile out;
	int rc;

	rc = hd_outfile_open(&out, o->out, err);
	if (rc < 0)
		return rc;
	hd_input_note_other_events(p, hd_input_main_event(p), log);
	rc = hd_flamegraph_of_input(&out, p, hd_input_main_event(p), !o->no_comm, fo, &o->in.ingest.select, err);
	if (rc < 0) {
		hd_outfile_discard(&out);
		return rc;
	}
	return hd_outfile_commit(&out, err);
}

/* Draw a differential flame graph. */
static int draw_changes(const struct hd_profile *p, const char *path, const struct flame_opts *o,
	struct hd_flamegraph_opts *fo, struct hd_log *log, struct hd_err *err)
{
	struct hd_difference_side base_side, head = { .p = p, .event = hd_input_main_event(p) };
	const struct hd_difference_opts how = { .by_comm = !o->no_comm };
	struct hd_flamegraph_base base;
	struct hd_difference d;
	struct hd_profile_source e;
	int rc;

	if (!strcmp(o->base, "-") && !strcmp(path, "-"))
		return hd_fail(err, HD_EUSAGE, "flame: only one of FILE and --base can be standard input");
	rc = hd_profile_source_read(&e, o->base, NULL, &o->in, &o->in.db, log, err);
	if (rc < 0)
		return rc;
	base_side = (struct hd_difference_side){ e.p, e.event, e.samples, (double)e.nruns, 0 };
	hd_difference_build(&d, &base_side, &head, &how);
	base = (struct hd_flamegraph_base){ &d, e.run ? e.run : o->base };
	fo->base = &base;
	rc = draw(p, o, fo, log, err);
	hd_difference_release(&d);
	hd_profile_source_release(&e);
	return rc;
}

static int flame_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct flame_opts *o = opts;
	struct hd_flamegraph_opts fo = HD_FLAMEGRAPH_DEFAULTS;
	struct hd_profile *p;
	char *end;
	int rc;

	(void)argc;
	fo.title = o->title;
	fo.icicle = o->icicle;
	fo.theme = (enum hd_flamegraph_theme)o->theme;
	fo.width = o->width;
	if (!o->width)
		return hd_fail(err, HD_EUSAGE, "flame: --width takes a number of pixels above 0");
	if (o->minwidth) {
		errno = 0;
		fo.minwidth = strtod(o->minwidth, &end);
		if (errno || end == o->minwidth || *end || !(fo.minwidth >= 0))
			return hd_fail(err, HD_EUSAGE, "flame: --minwidth takes a number of pixels, not '%s'",
				o->minwidth);
	}
	rc = hd_input_check(&o->in, "flame", err);
	if (rc < 0)
		return rc;
	o->in.ingest.keys = o->no_comm ? 0 : HD_KEY_COMM;
	o->in.ingest.no_inline = !hd_input_inlined(&o->in, true);
	rc = hd_profile_source_read_profile(&p, argv[0], &o->in, log, err);
	if (rc < 0)
		return rc;
	rc = o->base ? draw_changes(p, argv[0], o, &fo, log, err) : draw(p, o, &fo, log, err);
	hd_profile_free(p);
	return rc;
}

const struct hd_cmd hd_cmd_flame = {
	.name = "flame",
	.reads = true,
	.args = "[FILE]",
	.summary = "draw an interactive flame graph as one SVG file",
	.details =
		"A box is a function at one place of the call tree.  Its width is the share of the event's weight "
		"spent in the function and its callees.  In a browser, a click zooms, / searches, Esc resets, arrow "
		"keys move, and i inverts the graph.  The file works offline, and without scripts as a static "
		"picture.  Colours distinguish user, kernel, inlined, JIT and unknown frames; one name has one "
		"colour.\n"
		"\n"
		"FILE is perf.data or folded stacks.  If it has several events, the first with samples is drawn.\n"
		"\n"
		"With --base the graph is differential.  Widths are those of FILE.  A box is red if its cost with "
		"callees grew since the base, and blue if it fell; darker colours are larger changes.  Grey boxes "
		"differ by no more than sampling error explains (p 0.05 per box, as in 'hotdrift diff'), or their "
		"share fell because others grew.  The header states how much of the cost only the base has.",
	.examples =
		"hotdrift flame perf.data -o flame.svg\tthe whole recording\n"
		"hotdrift flame --comm app --no-kernel perf.data > app.svg\tone program, user space only\n"
		"hotdrift flame --base before.data after.data > change.svg\twhat grew and what shrank\n"
		"",
	HD_CMD_OPTS(flame_opts, flame_defaults),
	.groups = flame_groups,
	.max_args = 1,
	.default_arg = "perf.data",
	.run = flame_run,
};
