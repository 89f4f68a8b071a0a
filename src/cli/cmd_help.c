/*
 * cmd_help.c - hotdrift help [COMMAND], and the man pages for `make install`
 */
#include "cli/cmd.h"

struct help_opts {
	const char *man_dir;
};

static const struct help_opts help_defaults = { 0 };

static const struct hd_opt help_opts[] = {
	{ HD_OPT_STR, 0, "man-dir", "DIR", "write the man pages of all commands into DIR",
		offsetof(struct help_opts, man_dir) },
	{ 0 },
};

static int help_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct help_opts *o = opts;
	const struct hd_cmd *cmd;

	if (o->man_dir)
		return hd_help_man(o->man_dir, err);
	if (!argc) {
		hd_help_all();
		return 0;
	}
	cmd = hd_cmd_find(argv[0]);
	if (!cmd)
		return hd_cmd_unknown(argv[0], err);
	hd_help_command(cmd);
	return 0;
}

const struct hd_cmd hd_cmd_help = {
	.name = "help", .args = "[COMMAND]", .summary = "explain a command, or list them all",
	HD_CMD_OPTS(help_opts, help_defaults), .max_args = 1, .run = help_run,
};
