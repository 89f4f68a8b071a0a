/*
 * pager.h - show the output of a command in a pager, by git's rules
 *
 *     hd_pager_begin(&pager, &terminal, output)      before the sandbox, in which no program can be started
 *     ... the command writes to standard output ...
 *     hd_pager_end(&pager)                           before messages are printed
 *
 * A pager is used if the output goes to standard output, which is a terminal, TERM is set and not "dumb", and
 * --no-pager is not given.  The pager is $HOTDRIFT_PAGER, else $PAGER, else less; "" and cat mean no pager.
 * hotdrift.ini cannot name one.  If LESS is not set, it is set to FRX: less then ends at once if the output fits the
 * screen.  A command with characters that a shell interprets is run by sh, as git does; other commands are split at
 * blanks and executed directly.  If the pager cannot be started, the output is printed without it.
 *
 * The pager is a child that waits for the first output before it executes the program, so neither a command without
 * output nor progress messages start the pager.  A user who leaves the pager early closes the pipe: the command ends
 * quietly with 0.  SIGINT, SIGTERM, SIGHUP and SIGQUIT end the command after the pager has ended.
 */
#ifndef HD_CLI_PAGER_H
#define HD_CLI_PAGER_H

#include "cli/terminal.h"

#include <sys/types.h>

struct hd_pager {
	pid_t pid;		/* process id of the pager; 0: it was not started */
};

/* Start a pager if the rules require one, and make standard output the pipe to it.  output: value of -o, or NULL. */
void hd_pager_begin(struct hd_pager *pager, struct hd_terminal *t, const char *output);
/* Close the pipe and wait until the user has left the pager.  Accepts a pager that was not started. */
void hd_pager_end(struct hd_pager *pager);

#endif
