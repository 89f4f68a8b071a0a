/*
 * perf_script_line.h - parse single lines of `perf script` text
 *
 *     comm 1234/1235 [003] 12.345678:  250000 cycles:u:  7f12 f+0x4 (/bin/a)   event
 *             7f12ab34 main+0x1f (/usr/bin/app)                                frame
 *               app.c:42                                                       source line of the frame above it
 *
 * Each field is optional, as `perf script -F` selects it.  The parsers accept what perf 3.13 to 6.x print (source:
 * tools/perf/builtin-script.c and util/evsel_fprintf.c of the Linux kernel).
 *
 * The functions have no state.  The texts in the results are borrowed from the line.
 */
#ifndef HD_PIPELINE_PERF_SCRIPT_LINE_H
#define HD_PIPELINE_PERF_SCRIPT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_script_text {
	const char *s;
	size_t n;
};

struct hd_script_event {
	struct hd_script_text comm;
	int32_t pid, tid;		/* -1: the line has none */
	uint32_t cpu;			/* UINT32_MAX: the line has none */
	bool has_time, has_period;
	uint64_t time_ns, period;
	struct hd_script_text event;	/* without the colon; n is 0 if the line has none */
	/* the rest of the line after the event: a frame, or the fields of a tracepoint */
	struct hd_script_text rest;
};

struct hd_script_frame {
	uint64_t address;
	bool has_address, inlined;
	struct hd_script_text symbol;	/* without `+0x1f`; n is 0 for [unknown] */
	struct hd_script_text object;	/* n is 0 if the line has none */
};

enum hd_script_line { HD_SCRIPT_EVENT, HD_SCRIPT_FRAME, HD_SCRIPT_SOURCE, HD_SCRIPT_OTHER };

/*
 * Return the kind (event, frame, source line or other) of a line that is neither blank nor a comment.  in_event: an
 * event precedes this line, and no blank line has ended it yet.  after_frame: a frame precedes this line, and no blank
 * line or event is between the two.
 */
enum hd_script_line hd_script_line_kind(const char *line, size_t n, bool in_event, bool after_frame);

/* Parse the line of an event.  Returns false if the line is not an event. */
bool hd_script_event_parse(struct hd_script_event *e, const char *line, size_t n);
/*
 * Parse a frame.  If `strict` is set, the frame must have an address and an object, like a frame on the line of an
 * event.  Returns false if the line is not a frame.
 */
bool hd_script_frame_parse(struct hd_script_frame *f, const char *line, size_t n, bool strict);
/* Parse `FILE:LINE`.  Returns false if the line does not name a source line. */
bool hd_script_source_parse(struct hd_script_text *file, uint32_t *number, const char *line, size_t n);

#endif
