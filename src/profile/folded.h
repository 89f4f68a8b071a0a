/*
 * folded.h - write collapsed stacks: `comm;main;f;g 123`
 *
 * Each distinct stack text is one line: the frames, outermost first, then a blank and the weight (the format of Brendan
 * Gregg's stackcollapse scripts).  Lines are sorted frame by frame in byte order, a stack before its extensions.  An
 * address without a symbol is `[unknown]`.
 */
#ifndef HD_PROFILE_FOLDED_H
#define HD_PROFILE_FOLDED_H

#include "base/file.h"
#include "profile/profile.h"

/*
 * Limit for the length of a line, in bytes.  A small recording can have deep stacks of functions with long names, whose
 * text is huge.  Therefore longer lines are omitted, and so is each line with which the output could have more than
 * `most_bytes` bytes.  Numbers do not count for the length of their line; for `most_bytes` they count as 22 bytes.
 */
enum { HD_FOLDED_LINE = 16 << 20 };

/*
 * The first frame of each line: comm, comm-PID or comm-PID/TID.  The profile must have been read with the keys for it:
 * HD_KEY_COMM, HD_KEY_PID, HD_KEY_TID.  Without HD_KEY_COMM, lines have no such frame.
 */
enum hd_folded_process { HD_FOLDED_COMM, HD_FOLDED_PID, HD_FOLDED_TID };	/* comm, comm-PID, comm-PID/TID */

struct hd_folded_opts {
	uint64_t most_bytes;	/* limit for the size of the output; 0: hd_folded_most() */
	bool annotate;		/* append _[k] to kernel frames, _[i] to inlined frames, _[j] to JIT frames */
	bool annotate_kernel, annotate_inlined, annotate_jit;	/* like `annotate`, for one kind of frame each */
	bool full_names;	/* names with parameters */
	bool tidy;		/* names as stackcollapse-perf.pl writes them (tidy_name.h) */
	bool addresses;		/* write frames without a symbol as [libc.so.6 <4f1c>]: object and address in it */
	bool source;		/* append :FILE:LINE to frames that have a source line */
	bool merge_recursion;	/* a function that calls itself is one frame */
	bool counts;		/* write the number of samples before each weight: `main;f 12 3400` */
	int process;		/* enum hd_folded_process */
};

/* Return the default of most_bytes: 32 MiB, plus 96 bytes for each byte of the input. */
uint64_t hd_folded_most(const struct hd_profile *p);
/*
 * Write the lines of one event, with the thread name first if the profile has HD_KEY_COMM.  Stacks of weight 0 and
 * the empty stack have no line.  Return the number of stacks that the limits omit.
 */
uint64_t hd_folded_write(struct hd_outfile *out, const struct hd_profile *p, uint32_t event,
	const struct hd_folded_opts *opts);

/* Warn that hd_folded_write() omitted `stacks` stacks, unless this is 0. */
void hd_folded_warn_omitted(struct hd_log *log, const struct hd_profile *p, uint64_t stacks);

#endif
