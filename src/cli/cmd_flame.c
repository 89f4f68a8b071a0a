/*
 * cmd_flame.c - hotdrift flame FILE
 */
#include "cli/draw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct flame_opts {
	struct hd_input in;
	const char *title;
	bool icicle;
	bool no_comm;
	int theme;		/* enum hd_theme */
	unsigned width;
	const char *minwidth;
	const char *out;
};

static const struct flame_opts flame_defaults = { .width = HD_FLAME_WIDTH };

static const struct hd_opt flame_opts[] = {
	{ HD_OPT_STR, 'o', "output", "FILE", "write to FILE instead of standard output", offsetof(struct flame_opts, out) },
	{ HD_OPT_STR, 0, "title", "TEXT", "title of the picture (default: the input's name and the event's)", offsetof(struct flame_opts, title) },
	{ HD_OPT_FLAG, 0, "icicle", NULL, "roots on top", offsetof(struct flame_opts, icicle) },
	{ HD_OPT_FLAG, 0, "no-comm", NULL, "without the first level, one box per thread name", offsetof(struct flame_opts, no_comm) },
	{ HD_OPT_ENUM, 0, "theme", "auto|light|dark", "colours (default auto: as the reader's system is set)", offsetof(struct flame_opts, theme) },
	{ HD_OPT_UINT, 0, "width", "PX", "width of the picture where scripts are off (default 1200)", offsetof(struct flame_opts, width) },
	{ HD_OPT_STR, 0, "minwidth", "PX", "leave out frames narrower than this (default 0.1; they are counted)", offsetof(struct flame_opts, minwidth) },
	{ 0 },
};
static const struct hd_opt_group flame_groups[] = HD_INPUT_GROUPS(struct flame_opts, in);

static int draw(const struct hd_profile *p, const struct flame_opts *o, const struct hd_flame_opts *fo, struct hd_log *log, struct hd_err *err)
{
	struct hd_outfile out;
	int rc;

	rc = hd_outfile_open(&out, o->out, err);
	if (rc < 0)
		return rc;
	hd_input_note_other_events(p, hd_input_main_event(p), log);
	rc = hd_draw_flame(&out, p, !o->no_comm, fo, &o->in.ingest.select, err);
	if (rc < 0) {
		hd_outfile_discard(&out);
		return rc;
	}
	return hd_outfile_commit(&out, err);
}

static int flame_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct flame_opts *o = opts;
	struct hd_flame_opts fo = HD_FLAME_DEFAULTS;
	struct hd_profile *p;
	char *end;
	int rc;

	(void)argc;
	fo.title = o->title;
	fo.icicle = o->icicle;
	fo.theme = (enum hd_theme)o->theme;
	fo.width = o->width;
	if (!o->width)
		return hd_fail(err, HD_EUSAGE, "flame: --width takes a number of pixels above 0");
	if (o->minwidth) {
		errno = 0;
		fo.minwidth = strtod(o->minwidth, &end);
		if (errno || end == o->minwidth || *end || !(fo.minwidth >= 0))
			return hd_fail(err, HD_EUSAGE, "flame: --minwidth takes a number of pixels, not '%s'", o->minwidth);
	}
	rc = hd_input_check(&o->in, "flame", err);
	if (rc < 0)
		return rc;
	o->in.ingest.keys = o->no_comm ? 0 : HD_KEY_COMM;
	o->in.ingest.no_inline = !hd_input_inlined(&o->in, true);
	rc = hd_input_read_samples(&p, argv[0], &o->in, log, err);
	if (rc < 0)
		return rc;
	rc = draw(p, o, &fo, log, err);
	hd_profile_free(p);
	return rc;
}

const struct hd_cmd hd_cmd_flame = {
	.name = "flame", .args = "FILE", .summary = "draw an interactive flamegraph as one SVG file",
	.details =
	"A box is a function in one place of the call tree, its width the share of the event's weight that\n"
	"was spent in it and its callees.  In a browser: click zooms, / searches, Esc resets, arrows move,\n"
	"i turns it over; it works offline and without scripts it is still a picture.\n"
	"Colours tell user, kernel, inlined, JIT and unknown frames apart; one name has one colour.\n"
	"FILE is perf.data or folded stacks; of several events the first with samples is drawn.",
	.examples = "hotdrift flame perf.data -o flame.svg\tthe whole recording\n"
		    "hotdrift flame --comm app --no-kernel perf.data > app.svg\tone program, its own side\n",
	HD_CMD_OPTS(flame_opts, flame_defaults), .groups = flame_groups, .min_args = 1, .max_args = 1, .run = flame_run,
};
