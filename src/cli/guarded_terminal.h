/*
 * guarded_terminal.h - restore the terminal, however a full-screen program ends
 *
 * The command continues in a child process.  The parent waits for the child.  If a signal (also SIGKILL) ends the
 * child, the parent restores the settings of the terminal and leaves the alternate screen.  A child that exits does so
 * itself.
 */
#ifndef HD_CLI_GUARDED_TERMINAL_H
#define HD_CLI_GUARDED_TERMINAL_H

#include "base/err.h"

/*
 * Fork.  Returns 0 in the child.  In the parent it returns 1 after the child has ended; *rc is then the result of the
 * command.  There is no error message in that case, because the child has printed it.  If the child was ended by a
 * signal, the parent ends by the same signal.  If fork() fails, the function returns 1 and *rc has the error.
 */
int hd_guarded_terminal_begin(int *rc, struct hd_err *err);

#endif
