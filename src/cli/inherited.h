/*
 * inherited.h - the signals of this program, and those that it began with
 *
 * This program ignores SIGPIPE and SIGXFSZ, because write() reports both as errors, and does not ignore SIGCHLD, because
 * children would leave no status.  A command that runs as it would without us (collect/child.h) must not inherit that.
 */
#ifndef HD_CLI_INHERITED_H
#define HD_CLI_INHERITED_H

#include <signal.h>

/* Set the signals of this program.  Call it once, before any command runs. */
void hd_inherited_begin(void);
/* Which of them were ignored before. */
const sigset_t *hd_inherited_ignored(void);

#endif
