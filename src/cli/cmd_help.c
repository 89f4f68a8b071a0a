/*
 * cmd_help.c - hotdrift help [COMMAND], man pages and shell completion, all generated from the table of commands
 */
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/completion.h"
#include "cli/man_page.h"
#include "cli/terminal.h"

#include <stdio.h>

enum { WIDEST = 100, NARROWEST = 60 };	/* limits for the width of a line, in columns */

/* Return the maximum width of a line: that of the terminal, but from NARROWEST to WIDEST.  Pipes and files: WIDEST. */
static unsigned line_columns(void)
{
	struct hd_buf out = { 0 };

	hd_terminal_begin(&out, &(struct hd_terminal){ 0 }, NULL);
	if (!out.columns || out.columns > WIDEST)
		return WIDEST;
	return out.columns < NARROWEST ? NARROWEST : out.columns;
}

void hd_help_command(const struct hd_cmd *cmd)
{
	struct hd_buf out = { 0 };

	hd_help_text(&out, cmd, line_columns());
	fputs(hd_buf_str(&out), stdout);
	hd_buf_release(&out);
}

void hd_help_all(void)
{
	printf("usage: hotdrift COMMAND [options] [FILE]\n\n"
	       "Analyse perf.data recordings, and track hotspots from commit to commit.\n"
	       "\n"
	       "commands:\n");
	for (const struct hd_cmd *const *c = hd_cmds; *c; c++)
		printf("  %-10s %s\n", (*c)->name, (*c)->summary);
	printf("\nEvery command has --help.  Exit status: 0 success, 1 negative result, 2 usage error,\n"
	       "3 inconclusive, 4 not comparable, 5 bad input, 6 other failure.\n");
}

/* ---- the command ---- */

struct help_opts {
	const char *man_dir;
	int completion;		/* enum hd_completion_shell, or NO_SHELL */
};

enum { NO_SHELL = -1 };

static const struct help_opts help_defaults = { .completion = NO_SHELL };

static const struct hd_opt help_opts[] = {
	{ HD_OPT_STR, 0, "man-dir", "DIR", "write the man pages of all commands into DIR",
		offsetof(struct help_opts, man_dir) },
	{ HD_OPT_ENUM, 0, "completion", HD_COMPLETION_SHELLS,
		"print a script that completes command lines in this shell",
		offsetof(struct help_opts, completion) },
	{ 0 },
};

static int print_completion(enum hd_completion_shell shell, struct hd_err *err)
{
	struct hd_buf out = { 0 };
	int rc;

	hd_completion(&out, shell);
	rc = hd_file_write("-", &out, err);
	hd_buf_release(&out);
	return rc;
}

static int help_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct help_opts *o = opts;
	const struct hd_cmd *cmd;

	if (o->man_dir)
		return hd_man_pages(o->man_dir, err);
	if (o->completion != NO_SHELL)
		return print_completion((enum hd_completion_shell)o->completion, err);
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
	.details =
		"The Debian package and 'make install' install the man pages and the completion scripts.  "
		"Without them:\n"
		"  bash  eval \"$(hotdrift help --completion bash)\" in ~/.bashrc\n"
		"  zsh   hotdrift help --completion zsh > _hotdrift, in a folder of $fpath\n"
		"  fish  hotdrift help --completion fish > ~/.config/fish/completions/hotdrift.fish",
	HD_CMD_OPTS(help_opts, help_defaults), .max_args = 1, .run = help_run,
};
