/*
 * cmd_tui.c - hotdrift tui FILE: browse a recording in the terminal
 */
#include "base/mem.h"
#include "cli/annotate_options.h"
#include "cli/guarded_terminal.h"
#include "cli/profile_source.h"
#include "symbols/symbol_access.h"
#include "tui/tui.h"

#include <stdlib.h>
#include <string.h>

struct tui_opts {
	struct hd_input in;
	struct hd_annotate_options annotate;
	int color;		/* index of auto|always|never */
};

static const struct tui_opts tui_defaults = { 0 };

static const struct hd_opt tui_opts[] = {
	{ HD_OPT_ENUM, 0, "color", "auto|always|never", "colours (default auto: unless $NO_COLOR is set)",
		offsetof(struct tui_opts, color) },
	{ 0 },
};
static const struct hd_opt_group tui_groups[] = {
	HD_INPUT_SELECT_GROUP(struct tui_opts, in), HD_INPUT_MORE_GROUPS(struct tui_opts, in),
	HD_INPUT_RUN_GROUPS(struct tui_opts, in), HD_ANNOTATE_GROUP(struct tui_opts, annotate), { NULL, NULL, 0 },
};

/* Implements hd_symbol_user.use: keep the access to symbols, because the browser annotates functions later. */
static void take_code(void *arg, struct hd_profile *p, const struct hd_symbol_access *access)
{
	const struct hd_symbol_access **code = arg;

	(void)p;
	*code = access;
}

static int browse(const char *path, struct tui_opts *o, struct hd_log *log, struct hd_err *err)
{
	const char *no_color = getenv("NO_COLOR");
	struct hd_symbol_lease lease = { 0 };
	struct hd_tui_input in = { .annotate = &o->annotate.annotate, .inlined = hd_input_inlined(&o->in, false) };
	struct hd_symbol_user user = { take_code, &in.code, &lease };
	struct hd_profile_source e;
	int rc;

	o->in.ingest.symbol_user = &user;
	rc = hd_profile_source_open(&e, path, &o->in, false, log, err);
	if (rc >= 0) {
		in.p = e.p;
		rc = hd_tui_run(&in, !strcmp(path, "-"),
			o->color == 1 || (o->color == 0 && !(no_color && *no_color)), err);
	}
	hd_symbol_lease_end(&lease);
	hd_profile_source_release(&e);
	return rc;
}

static int tui_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct tui_opts *o = opts;
	int child, rc = hd_curses_screen_check(err);

	(void)argc;
	if (rc >= 0)
		rc = hd_input_check(&o->in, "tui", err);
	if (rc >= 0)
		rc = hd_annotate_options_check(&o->annotate, "tui", err);
	if (rc < 0)
		return rc;
	o->in.ingest.lines = true;
	o->in.ingest.details = o->in.ingest.list_fields = true;		/* for the view info */
	o->in.ingest.no_inline = !hd_input_inlined(&o->in, false);
	child = hd_guarded_terminal_begin(&rc, err);
	return child ? rc : browse(argv[0], o, log, err);
}

const struct hd_cmd hd_cmd_tui = {
	.name = "tui",
	.reads = true,
	.args = "[FILE]",
	.summary = "browse a recording in the terminal",
	.details =
		"Views: the costliest functions, callers and callees of a function, the call tree, a flame graph, "
		"the source lines and instructions of a function, and the quality of the recording.  The keys 1 to 7 "
		"or Tab change the view, Enter chooses the function under the cursor, / searches, e changes the event, "
		"? lists all keys, q quits.\n"
		"\n"
		"View 6 annotates a function as hotdrift annotate does: its source lines, on the key a its "
		"instructions, beginning at the hottest row.  If debug information, libcapstone or the object is "
		"missing, a note says what to do.\n"
		"\n"
		"If FILE is -, the recording is read from standard input and keys from /dev/tty.  Names that do not "
		"fit are shortened in the middle.  The command needs a terminal that can move the cursor (TERM is not "
		"dumb) and libncursesw, which is loaded at run time.",
	.examples =
		"hotdrift tui perf.data\tbrowse a recording\n"
		"hotdrift tui --comm server --no-kernel perf.data\tone command, without the kernel\n",
	HD_CMD_OPTS(tui_opts, tui_defaults),
	.groups = tui_groups,
	.max_args = 1,
	.default_arg = "perf.data",
	.run = tui_run,
};
