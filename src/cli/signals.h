/*
 * signals.h - signal settings of this program, and those that it inherited
 *
 * This program ignores SIGPIPE and SIGXFSZ, because write() reports both as errors.  It does not ignore SIGCHLD,
 * because children would then leave no exit status.  A command that series/child.h runs must not inherit these
 * settings.
 */
#ifndef HD_CLI_SIGNALS_H
#define HD_CLI_SIGNALS_H

#include <signal.h>

/* Set the signals of this program.  Called once, before any command runs. */
void hd_signals_init(void);
/*
 * Return the set of those signals among SIGPIPE, SIGXFSZ and SIGCHLD that were ignored before hd_signals_init() was
 * called.  The set is constant and owned by this module.
 */
const sigset_t *hd_signals_ignored(void);

#endif
