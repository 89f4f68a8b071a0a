/*
 * signals.c - see signals.h
 */
#include "cli/signals.h"

/* Does not change after hd_signals_init(). */
static sigset_t ignored;

static void set(int sig, void (*handler)(int))
{
	if (signal(sig, handler) == SIG_IGN)
		sigaddset(&ignored, sig);
}

void hd_signals_init(void)
{
	sigemptyset(&ignored);
	set(SIGPIPE, SIG_IGN);
	set(SIGXFSZ, SIG_IGN);
	set(SIGCHLD, SIG_DFL);
}

const sigset_t *hd_signals_ignored(void)
{
	return &ignored;
}
