/*
 * cmd_flame.c - hotdrift flame FILE
 */
#include "analysis/tree.h"
#include "cli/input.h"
#include "output/svg.h"

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

static void add_words(struct hd_buf *b, const char *what, const struct hd_words *w)
{
	for (size_t i = 0; i < w->n; i++)
		hd_buf_addf(b, "%s%s %s", b->len ? ", " : "", what, w->items[i]);
}

/* The selection in words, for the subtitle: a part must not pass for the whole. */
static void describe_selection(struct hd_buf *b, const struct hd_select *s)
{
	add_words(b, "comm", &s->comm);
	add_words(b, "pid", &s->pid);
	add_words(b, "tid", &s->tid);
	add_words(b, "cpu", &s->cpu);
	add_words(b, "object", &s->dso);
	add_words(b, "symbol", &s->symbol);
	if (s->time)
		hd_buf_addf(b, "%stime %s", b->len ? ", " : "", s->time);
	if (s->no_kernel)
		hd_buf_addf(b, "%swithout kernel frames", b->len ? ", " : "");
}

static int draw(const struct hd_profile *p, const struct flame_opts *o, const struct hd_flame_opts *fo, struct hd_log *log, struct hd_err *err)
{
	struct hd_tree_opts to = { .event = hd_input_main_event(p), .by_comm = !o->no_comm };
	struct hd_outfile out;
	struct hd_tree *t;
	int rc;

	rc = hd_outfile_open(&out, o->out, err);
	if (rc < 0)
		return rc;
	hd_input_note_other_events(p, to.event, log);
	t = hd_tree_new(p, &to);
	rc = hd_svg_flame(&out, p, t, fo, err);
	hd_tree_free(t);
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
	struct hd_buf filter = { 0 };
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
	o->in.ingest.keys = o->no_comm ? 0 : HD_KEY_COMM;
	rc = hd_input_read(&p, argv[0], &o->in, log, err);
	if (rc < 0)
		return rc;
	describe_selection(&filter, &o->in.ingest.select);
	fo.filter = filter.len ? filter.data : NULL;
	rc = hd_input_need_samples(p, argv[0], err);
	if (rc >= 0)
		rc = draw(p, o, &fo, log, err);
	hd_buf_release(&filter);
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
