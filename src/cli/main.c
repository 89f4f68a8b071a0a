/*
 * main.c - find the command, parse its options, run it, report errors
 *
 * Only this file prints errors and chooses the exit status.  If the reader of stdout has closed the pipe, the program
 * exits with 0 and prints no error, so that `hotdrift fold x | head` works.
 */
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/suggestion.h"
#include "base/sandbox.h"
#include "cli/pager.h"
#include "cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *value_in(const struct hd_opt *rows, const char *opts, const char *name)
{
	for (const struct hd_opt *o = rows; o && o->kind; o++)
		if ((o->kind == HD_OPT_STR || o->kind == HD_OPT_OUT) && !strcmp(o->name, name))
			return *(const char *const *)(opts + o->offset);
	return NULL;
}

/* Return the value of the option --NAME, an option of the command or of one of its option groups; NULL if not given. */
static const char *option_value(const struct hd_cmd *cmd, const void *opts, const char *name)
{
	const char *value = value_in(cmd->opts, opts, name);

	for (const struct hd_opt_group *g = cmd->groups; !value && g && g->title; g++)
		value = value_in(g->opts, (const char *)opts + g->offset, name);
	return value;
}

static int declare_in(const struct hd_opt *rows, const char *opts, struct hd_err *err)
{
	int rc = 0;

	for (const struct hd_opt *o = rows; rc >= 0 && o && o->kind; o++) {
		const char *path = o->kind == HD_OPT_OUT ? *(const char *const *)(opts + o->offset) : NULL;

		if (path)
			rc = hd_output_declare(path, o->name, err);
	}
	return rc;
}

/* Declare the files that the options name as outputs.  Fails if two of them are the same file. */
static int declare_outputs(const struct hd_cmd *cmd, const void *opts, struct hd_err *err)
{
	int rc = declare_in(cmd->opts, opts, err);

	for (const struct hd_opt_group *g = cmd->groups; rc >= 0 && g && g->title; g++)
		rc = declare_in(g->opts, (const char *)opts + g->offset, err);
	return rc;
}

/*
 * Return true if `name` can be a stored run or a commit.  An existing file takes precedence over both, except that
 * run:NAME is never a file (profile_source.h).
 */
static bool may_be_run(const char *name)
{
	return !strncmp(name, "run:", 4) || (strcmp(name, "-") != 0 && access(name, F_OK) < 0);
}

/*
 * Enter the sandbox if the command only reads files.  A command that reads stored runs needs the database and git, so
 * it runs without the sandbox.
 */
static void confine(const struct hd_cmd *cmd, int argc, char **argv, const void *opts)
{
	const char *base = cmd->reads ? option_value(cmd, opts, "base") : NULL;
	bool files = cmd->files_only && cmd->files_only(argc, opts);

	if (!cmd->reads || (base && may_be_run(base)))
		return;
	for (int i = 0; i < argc && !files && !(cmd->inputs && i >= cmd->inputs); i++)
		if (may_be_run(argv[i]))
			return;
	hd_sandbox_enter(option_value(cmd, opts, "output"));
}

/* Start a pager if the command has the options of terminal.h, such as --no-pager. */
static void begin_pager(struct hd_pager *pager, const struct hd_cmd *cmd, void *opts)
{
	pager->pid = 0;
	for (const struct hd_opt_group *g = cmd->groups; g && g->title; g++)
		if (g->opts == hd_terminal_opts)
			hd_pager_begin(pager, (struct hd_terminal *)((char *)opts + g->offset),
				option_value(cmd, opts, "output"));
}

static int run_command(const struct hd_cmd *cmd, int argc, char **argv, struct hd_err *err)
{
	void *opts = hd_zalloc(1, cmd->opts_size);
	struct hd_log log = { 0 };
	struct hd_pager pager;
	int nargs = 0, rc;

	if (cmd->defaults)
		memcpy(opts, cmd->defaults, cmd->opts_size);
	rc = hd_opts_parse(cmd, argc, argv, &nargs, opts, err);
	if (rc > 0) {
		hd_help_command(cmd);
		rc = 0;
	} else if (rc == 0 && (rc = declare_outputs(cmd, opts, err)) == 0) {
		begin_pager(&pager, cmd, opts);	/* before confine(), because the sandbox forbids exec() */
		confine(cmd, nargs, argv, opts);
		hd_suggestion_warnings(&log, cmd, opts);
		rc = cmd->run(nargs, argv, opts, &log, err);
		if (rc < 0)
			hd_suggestion_error(err, cmd, opts);
		hd_pager_end(&pager);
		hd_log_print(&log, stderr);
	}
	hd_log_release(&log);
	hd_opts_release(cmd, opts);
	free(opts);
	return rc;
}

/* Open /dev/null as each closed descriptor 0..2, so that no later open() gets one of these. */
static void hold_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= 2);
	if (fd > 2)
		close(fd);
}

/* Return true if the command line contains the word that changes the meaning of exit statuses (hd_cmd.other_status). */
static bool has_other_status(const struct hd_cmd *cmd, int argc, char **argv)
{
	for (int i = 0; i < argc && cmd->other_status; i++)
		if (!strcmp(argv[i], cmd->other_status))
			return true;
	return false;
}

static int report(int rc, struct hd_err *err)
{
	errno = 0;
	if ((fflush(stdout) || ferror(stdout)) && errno != EPIPE && rc >= 0)
		rc = hd_fail_errno(err, HD_EIO, errno ? errno : EIO, "standard output");
	if (rc < 0 && err->msg[0])
		hd_print_message("error", err->msg);
	return rc;
}

static int finish(int rc, struct hd_err *err)
{
	return hd_exit_status(report(rc, err));
}

int main(int argc, char **argv)
{
	static char buffer[1 << 16];
	struct hd_err err = { 0 };
	const struct hd_cmd *cmd;
	bool other;
	int rc;

	hd_mem_begin();
	hold_standard_descriptors();
	hd_signals_init();
	/* Buffer help texts until finish(), which detects a closed pipe.  glibc ignores the size of a NULL buffer. */
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	if (argc < 2) {
		hd_help_all();
		fflush(stdout);
		return 2;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		hd_help_all();
		return finish(0, &err);
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
		printf("hotdrift %s\n", HD_VERSION);
		return finish(0, &err);
	}
	cmd = hd_cmd_find(argv[1]);
	if (!cmd)
		return finish(hd_cmd_unknown(argv[1], &err), &err);
	other = has_other_status(cmd, argc - 2, argv + 2);	/* before parsing reorders argv */
	rc = report(run_command(cmd, argc - 2, argv + 2, &err), &err);
	return other ? cmd->status(rc) : hd_exit_status(rc);
}
