/*
 * perf_script_input.h - read the text of `perf script`
 *
 *     app 1234/1235 [003] 12.345678:  250000 cycles:u:
 *             7f12ab34 leaf+0x4 (/usr/lib/libfoo.so)
 *             7f12ab00 mid (inlined)
 *             55d0c0de main+0x1f (/usr/bin/app)
 *                                                        a blank line, or the next event, ends the sample
 *
 * All forms that perf 3.13 to 6.x print are read: any choice of fields (-F), a frame on the line of the event, inlined
 * frames, source lines (-F +srcline), blank lines at unusual places.  The file may be gzipped.  The header lines of
 * `perf script --header` fill hd_recording.
 *
 * Each event of perf becomes an event of the profile.  The weight of a sample is its period, or 1 without a period.
 * Symbols have the printed name as linkage name and the name without parameters as displayed name.  A frame without a
 * symbol keeps its address and object.  `A->B` in the perf map of a JVM is A and the function B inlined into it.
 *
 * A number before the time is a thread; `1234/1235` names process and thread.  An id that the text does not have is -1.
 *
 * Warnings: lost.script-line (a line that is none of the above), lost.script-depth, lost.script-end (damaged gzip),
 * script.no-pid (--pid was given, but the text has no process ids).
 */
#ifndef HD_PIPELINE_PERF_SCRIPT_INPUT_H
#define HD_PIPELINE_PERF_SCRIPT_INPUT_H

#include "base/err.h"
#include "pipeline/options.h"
#include "profile/profile.h"

/* Return true if text, the first n bytes of a file, is the text of perf script. */
bool hd_perf_script_input_is(const char *text, size_t n);
/* Read fd to its end and fill p, which is empty.  fd is borrowed; path is for messages. */
int hd_perf_script_input_read(struct hd_profile *p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err);

#endif
