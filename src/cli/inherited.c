/*
 * inherited.c - see inherited.h
 */
#include "cli/inherited.h"

/* Does not change after hd_inherited_begin(). */
static sigset_t ignored;

static void set(int sig, void (*handler)(int))
{
	if (signal(sig, handler) == SIG_IGN)
		sigaddset(&ignored, sig);
}

void hd_inherited_begin(void)
{
	sigemptyset(&ignored);
	set(SIGPIPE, SIG_IGN);
	set(SIGXFSZ, SIG_IGN);
	set(SIGCHLD, SIG_DFL);
}

const sigset_t *hd_inherited_ignored(void)
{
	return &ignored;
}
