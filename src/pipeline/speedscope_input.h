/*
 * speedscope_input.h - read the JSON files of speedscope, plain or gzipped
 *
 * Source of the format: https://www.speedscope.app/file-format-schema.json.
 *
 *     sampled    "samples": [[frame, ...]], outermost first, "weights": [n, ...]; without weights each weight is 1
 *     evented    "events": [{"type": "O", "frame": 3, "at": 0}, {"type": "C", "frame": 3, "at": 14}]: a stack has the
 *                time from one event to the next
 *
 * All profiles of the file are read.  The name of a profile is the thread name (comm).  A profile of our own files has
 * the event and its unit in a member of its own: "hotdrift": {"event": "cpu-clock", "unit": "ns"}.  In other files, the
 * unit selects the event: `time` in ns for seconds to nanoseconds, `bytes` for bytes, and `samples` for `none` or an
 * unknown unit.  Values are decimal numbers.  They are converted to integers directly, without a floating-point number.
 *
 * Warnings: lost.speedscope (a frame, sample or event that is invalid), speedscope.fraction (decimals were rounded in a
 * unit without a finer one: nanoseconds, bytes, none), speedscope.summed (profiles whose names contain different events
 * are added up as one event).
 */
#ifndef HD_PIPELINE_SPEEDSCOPE_INPUT_H
#define HD_PIPELINE_SPEEDSCOPE_INPUT_H

#include "base/err.h"
#include "pipeline/options.h"
#include "profile/profile.h"

/* Return true if a file that begins with these n bytes is one of speedscope. */
bool hd_speedscope_input_is(const char *head, size_t n);
/* Read fd to its end and fill p, which is empty.  fd is borrowed; path is for messages. */
int hd_speedscope_input_read(struct hd_profile *p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err);

#endif
