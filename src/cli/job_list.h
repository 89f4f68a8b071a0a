/*
 * job_list.h - the recordings of a batch: operands and a file with one path a line, divided into slices
 *
 * Slices: `--slice I/N` selects the jobs I, I + N, I + 2 N ... of the list, counted from 1.  Each job is in exactly one
 * of the N slices, and a job that is appended to the list moves no other job.
 *
 * Output names: the results of a recording are in a folder whose name depends on the path only, as it is written in the
 * list.  The name consists of the end of the path, for readers, and 32 hexadecimal digits of the path's SHA-256:
 *
 *     runs/1/perf.data    ->  runs_1_perf.data-a1b6...
 *     runs_1_perf.data    ->  runs_1_perf.data-e5cd...
 */
#ifndef HD_CLI_JOB_LIST_H
#define HD_CLI_JOB_LIST_H

#include "base/buf.h"
#include "base/err.h"
#include "base/string_list.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Append the paths in the file `from` ("-": standard input) to `paths`.  They end at a line feed, or with `null` at a
 * zero byte, and are not changed otherwise; empty ones are skipped.  `text` owns them.  HD_EFORMAT: a zero byte without
 * `null`.
 */
int hd_job_list_read(struct hd_string_list *paths, struct hd_buf *text, const char *from, bool null,
	struct hd_err *err);

/* Keep only the jobs of a slice, "I/N" with 1 <= I <= N.  HD_EUSAGE if the text has another form. */
int hd_job_list_slice(struct hd_string_list *paths, const char *slice, struct hd_err *err);

/*
 * Append the output name of a path.  It consists of at most 93 letters, digits, dots, dashes and underscores, and does
 * not begin with a dot or dash.  Two different paths have different names.
 */
void hd_job_output_name(struct hd_buf *out, const char *path);

#endif
