/*
 * export_format.h - the formats that `hotdrift convert --to` writes
 *
 * A format writes a profile, the timeline of a GPU capture, or either, depending on the input.  Its row is a struct
 * hd_export_format in its own source file.  To add a format, write that file and append one line to HD_EXPORT_FORMATS;
 * the choices of --to, the help text and the command follow from it.
 */
#ifndef HD_RENDER_EXPORT_FORMAT_H
#define HD_RENDER_EXPORT_FORMAT_H

#include "base/file.h"
#include "profile/profile.h"
#include "render/trace_export.h"

struct hd_export_format {
	/* A profile: */
	unsigned keys;		/* HD_KEY_*: sample fields that the format can hold */
	bool lifetimes;		/* the format holds the lifetimes of heap blocks */
	bool timed;		/* the format holds samples in order of time, so the reader must keep them */
	bool needs_times;	/* the format cannot be written if the samples have no times */
	/* Fail with HD_EFORMAT if the format cannot hold the profile. `path` is for the message. NULL: no check. */
	int (*check)(const struct hd_profile *p, const char *path, struct hd_err *err);
	/*
	 * Write the profile.  Most formats write it piece by piece (hd_export_drain()), so that memory does not grow
	 * with the size of the output; pprof and dhat are made in memory.  NULL: the format can hold only timelines.
	 */
	void (*write)(struct hd_outfile *out, const struct hd_profile *p);
	/* How to write a GPU capture as a timeline.  NULL: a GPU capture is written as a profile. */
	const struct hd_trace_export_format *timeline;
};

/*
 * F(name, word, help): `word` is the word for --to; `name` names the row hd_export_NAME; `help` is its part of the help
 * text.
 */
#define HD_EXPORT_FORMATS(F)										\
	F(pprof, "pprof",										\
	  "    any input for `go tool pprof`, gzipped.  A heap recording has alloc_objects, alloc_space, "	\
	  "inuse_objects, inuse_space (live at the end), peak_objects and peak_space; other inputs have their "	\
	  "events by name and, if known, the number of samples.  comm and pid are labels.\n")			\
	F(speedscope, "speedscope",									\
	  "    any input for speedscope.app.  Each thread of a recording is a profile in order of time; other "	\
	  "inputs have one profile per event.\n")								\
	F(firefox, "firefox",										\
	  "    any input for profiler.firefox.com: threads with samples in time, user and kernel categories, "	\
	  "libraries with build ids (processed profile, version 57).\n")					\
	F(chrome, "chrome",										\
	  "    JSON trace events for chrome://tracing, ui.perfetto.dev and speedscope.  A recording of perf has a " \
	  "CPU profile for each thread (ProfileChunk); it has the number of samples, not their weight.  A GPU "	\
	  "capture is a timeline: each stream of each device is a line, and each thread with its API calls and " \
	  "ranges; arrows lead from a call to what it launched.  hotdrift reads such a timeline too.\n")	\
	F(perfetto, "perfetto",										\
	  "    the same for ui.perfetto.dev and trace_processor, in Perfetto's binary form.  Samples are "	\
	  "PerfSample packets, with counter values that add up to the weight; timelines are TrackEvent packets.\n") \
	F(callgrind, "callgrind",									\
	  "    any input for callgrind_annotate and KCachegrind: self and inclusive cost by function, line and " \
	  "instruction.  Inclusive cost counts recursion once; calls are numbers of samples.\n")		\
	F(perf_script, "perf-script",									\
	  "    the text of `perf script`, for FlameScope, FlameGraph's stackcollapse-perf.pl and others.\n")	\
	F(dhat, "dhat",											\
	  "    a heap recording for dh_view.html, which is part of valgrind: bytes allocated, live at the peak " \
	  "(t-gmax) and at the end, by stack.  Time is measured in allocated bytes, not in instructions; the "	\
	  "maximum of a single stack may be larger than shown; sampled recordings have no lifetimes.\n")

#define HD_EXPORT_DECLARE(name, word, help)	extern const struct hd_export_format hd_export_##name;
HD_EXPORT_FORMATS(HD_EXPORT_DECLARE)
#undef HD_EXPORT_DECLARE

/* If `text` has 64 KiB or more, move it to `out`.  Writers call this after each item, so that `text` stays small. */
static inline void hd_export_drain(struct hd_outfile *out, struct hd_buf *text)
{
	if (text->len < 1 << 16)
		return;
	hd_outfile_add(out, text->data, text->len);
	hd_buf_reset(text);
}

/* Move all of the text to `out` and release `text`. */
static inline void hd_export_finish(struct hd_outfile *out, struct hd_buf *text)
{
	hd_outfile_add(out, hd_buf_str(text), text->len);
	hd_buf_release(text);
}

#endif
