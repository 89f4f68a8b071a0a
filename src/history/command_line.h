/*
 * command_line.h - find the workload's part of a recorded command line
 */
#ifndef HD_HISTORY_COMMAND_LINE_H
#define HD_HISTORY_COMMAND_LINE_H

#include "base/buf.h"

/*
 * Append the program (without its folder) and its arguments to `out`.
 *
 * `command` is the recorded command line.  If it starts with `perf record`, perf's options are skipped: up to ` -- `,
 * or up to the first word that is neither an option nor the value of one.  Nothing is appended if no workload is left,
 * or for another command of perf.
 */
void hd_workload_arguments(struct hd_buf *out, const char *command);

#endif
