/*
 * batch.h - analyze many recordings, each in a child process, into a folder of its own
 *
 *     DIR/NAME/                results of one recording; NAME is hd_job_output_name() of its path
 *     DIR/NAME/batch.json      the line of this recording in the log
 *     DIR/.NAME.tmp/           results that are being written (base/fresh_folder.h)
 *
 * A recording that crashes its process, or exhausts its memory, ends that process only.  The log goes to standard
 * output: when a recording is done, one line of JSON is written with one write().
 *
 * Resuming: results are complete if batch.json names the same path, and the size and modification time that the
 * recording has now.  Such a recording is skipped.  Results appear by rename, so interrupted ones are never complete.
 *
 * On SIGINT, SIGTERM and SIGHUP the children are killed and their unfinished folders are removed.
 */
#ifndef HD_CLI_BATCH_H
#define HD_CLI_BATCH_H

#include "base/buf.h"
#include "base/err.h"
#include "base/string_list.h"

#include <stdbool.h>

struct hd_batch {
	const char *dir;	/* path of the output folder DIR, which exists */
	unsigned processes;	/* children at a time, at least 1 */
	bool force;		/* analyze complete recordings again */
	/*
	 * Write the results of the recording `path` into `folder`, and append JSON members for its line in the log to
	 * `members`, as text: `"samples": 1, ...`.  Called in the child process.
	 */
	int (*analyze)(const char *path, const char *folder, void *arg, struct hd_buf *members, struct hd_err *err);
	void *arg;
};

/*
 * Run the batch.  If recordings fail, the batch continues; the code of a failed recording with the highest exit status
 * is returned at the end.  If the log cannot be written, the batch ends with HD_EIO, unless the reason is a closed
 * pipe.  A signal ends the batch with HD_EIO.
 */
int hd_batch_run(const struct hd_batch *b, const struct hd_string_list *paths, struct hd_err *err);

#endif
