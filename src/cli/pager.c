/*
 * pager.c - see pager.h
 */
#include "cli/pager.h"

#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Return the command line of the pager; NULL: use none. */
static const char *pager_command(void)
{
	const char *value = getenv("HOTDRIFT_PAGER");

	if (!value)
		value = getenv("PAGER");
	if (!value)
		return "less";
	return value[strspn(value, " \t")] && strcmp(value, "cat") ? value : NULL;
}

/* ---- the child */

/* Wait for output.  Returns false if the command ended without any. */
static bool wait_for_output(void)
{
	struct pollfd p = { STDIN_FILENO, POLLIN, 0 };

	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		;
	return p.revents & POLLIN;
}

static void copy_input(void)
{
	static char block[1 << 16];
	ssize_t n;

	while ((n = read(STDIN_FILENO, block, sizeof(block))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && hd_file_write_all(STDOUT_FILENO, block, (size_t)n) < 0)
			break;
}

/* Give the pager the signal settings that hotdrift was started with. */
static void restore_signals(void)
{
	static const int signals[] = { SIGPIPE, SIGXFSZ };

	for (size_t i = 0; i < HD_COUNT(signals); i++)
		if (!sigismember(hd_signals_ignored(), signals[i]))
			signal(signals[i], SIG_DFL);
}

static void execute(const char *command)
{
	char *copy = hd_strdup(command), *save = NULL, *argv[64];
	size_t n = 0;

	if (strpbrk(command, "|&;<>()$`\\\"'\n*?[#~=%")) {
		execlp("sh", "sh", "-c", command, (char *)NULL);
		return;
	}
	for (char *word = strtok_r(copy, " \t", &save); word && n < HD_COUNT(argv) - 1;
		word = strtok_r(NULL, " \t", &save))
		argv[n++] = word;
	argv[n] = NULL;
	execvp(argv[0], argv);
}

static void run_child(const char *command)
{
	char why[300];

	if (!wait_for_output())
		_exit(0);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	restore_signals();
	execute(command);
	if (strcmp(command, "less")) {	/* no warning if the default pager, less, is missing */
		snprintf(why, sizeof(why), "the pager '%.200s' cannot be started: %s", command, strerror(errno));
		hd_print_message("warning", why);
	}
	copy_input();
	_exit(0);
}

/* ---- signals that end the command */

static volatile sig_atomic_t running;	/* process id of the pager, for the handler */

/*
 * Signal handler.  It closes the pipe, so that the pager sees the end of its input.  It waits for the pager, which uses
 * the terminal until then.  Then it ends this process by the same signal.
 */
static void end_after_pager(int sig)
{
	close(STDOUT_FILENO);
	while (waitpid((pid_t)running, NULL, 0) < 0 && errno == EINTR)
		;
	signal(sig, SIG_DFL);
	raise(sig);
}

static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static void set_handlers(void (*handler)(int))
{
	struct sigaction now, act = { .sa_handler = handler, .sa_flags = SA_NODEFER };

	for (size_t i = 0; i < HD_COUNT(ending); i++)
		if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaction(ending[i], &act, NULL);
}

/* ---- begin and end */

void hd_pager_begin(struct hd_pager *pager, struct hd_terminal *t, const char *output)
{
	const char *command = pager_command(), *term = getenv("TERM");
	int ends[2];

	pager->pid = 0;
	if (t->no_pager || !command || (output && strcmp(output, "-")) || !isatty(STDOUT_FILENO) || !term ||
		!strcmp(term, "dumb") || pipe2(ends, O_CLOEXEC) < 0)
		return;
	t->columns = hd_terminal_columns();
	pager->pid = fork();
	if (pager->pid == 0) {
		close(ends[1]);
		dup2(ends[0], STDIN_FILENO);
		close(ends[0]);
		run_child(command);
	}
	if (pager->pid > 0) {
		t->paged = true;
		running = pager->pid;
		set_handlers(end_after_pager);
		dup2(ends[1], STDOUT_FILENO);
	} else {
		pager->pid = 0;
	}
	close(ends[0]);
	close(ends[1]);
}

void hd_pager_end(struct hd_pager *pager)
{
	int null;

	if (!pager->pid)
		return;
	fflush(stdout);
	set_handlers(SIG_IGN);	/* the keys of the terminal are for the pager now */
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDOUT_FILENO);	/* closes the pipe */
		close(null);
	} else {
		close(STDOUT_FILENO);
	}
	while (waitpid(pager->pid, NULL, 0) < 0 && errno == EINTR)
		;
	pager->pid = 0;
}
