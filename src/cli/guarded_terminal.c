/*
 * guarded_terminal.c - see guarded_terminal.h
 */
#include "cli/guarded_terminal.h"

#include "base/mem.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static volatile sig_atomic_t child;	/* pid of the child, for the signal handler */

static void pass_on(int sig)
{
	kill((pid_t)child, sig);
}

static void set_handlers(void (*handler)(int))
{
	/* signals that are passed on to the child; the terminal itself sends SIGINT and SIGQUIT to it */
	static const int ending[] = { SIGTERM, SIGHUP };
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESTART };

	for (size_t i = 0; i < HD_COUNT(ending); i++)
		sigaction(ending[i], &act, NULL);
	act.sa_handler = handler == SIG_DFL ? SIG_DFL : SIG_IGN;
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGQUIT, &act, NULL);
}

static void restore(int fd, const struct termios *settings)
{
	/* ECMA-48 and DEC: leave the alternate screen and the keypad mode, show the cursor, reset colours */
	static const char reset[] = "\033[?1049l\033[?1l\033>\033[?25h\033[m";
	sigset_t set, before;

	sigemptyset(&set);
	sigaddset(&set, SIGTTOU);	/* permit tcsetattr() from the background */
	sigprocmask(SIG_BLOCK, &set, &before);
	tcsetattr(fd, TCSANOW, settings);
	if (write(STDOUT_FILENO, reset, sizeof(reset) - 1) < 0)
		errno = 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static int wait_for_child(void)
{
	int status;

	while (waitpid((pid_t)child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

int hd_guarded_terminal_begin(int *rc, struct hd_err *err)
{
	struct rlimit no_core = { 0, 0 };
	struct termios settings;
	int status, known = tcgetattr(STDOUT_FILENO, &settings);
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGHUP);
		return 0;
	}
	if (pid < 0) {
		*rc = hd_fail_errno(err, HD_EIO, errno, "tui: cannot fork");
		return 1;
	}
	child = pid;
	set_handlers(pass_on);
	status = wait_for_child();
	set_handlers(SIG_DFL);
	if (known == 0 && (status < 0 || !WIFEXITED(status)))
		restore(STDOUT_FILENO, &settings);
	if (status >= 0 && WIFSIGNALED(status)) {
		setrlimit(RLIMIT_CORE, &no_core);	/* the child has written its core file */
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
	*rc = status < 0 ? HD_EIO : -WEXITSTATUS(status);
	return 1;
}
