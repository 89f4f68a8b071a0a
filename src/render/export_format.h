/*
 * export_format.h - the formats that `hotdrift convert --to` writes
 *
 * A format writes either a profile or the timeline of a GPU capture.  Its row is a struct hd_export_format in its own
 * source file.  To add a format, write that file and append one line to HD_EXPORT_FORMATS; the choices of --to, the
 * help text and the command follow from it.
 */
#ifndef HD_RENDER_EXPORT_FORMAT_H
#define HD_RENDER_EXPORT_FORMAT_H

#include "profile/profile.h"
#include "render/trace_export.h"

struct hd_export_format {
	/* A profile: */
	unsigned keys;		/* HD_KEY_*: sample fields that the format can hold */
	bool lifetimes;		/* the format holds the lifetimes of heap blocks */
	bool gzip;		/* the output is compressed */
	/* Fail with HD_EFORMAT if the format cannot hold the profile. `path` is for the message. NULL: no check. */
	int (*check)(const struct hd_profile *p, const char *path, struct hd_err *err);
	void (*write)(struct hd_buf *out, const struct hd_profile *p);
	/* A timeline; NULL if the format writes a profile. */
	const struct hd_trace_export_format *timeline;
};

/*
 * F(name, help): `name` is the word for --to and names the row hd_export_NAME; `help` is its part of the help text.
 */
#define HD_EXPORT_FORMATS(F)										\
	F(dhat,												\
	  "    a heap recording for dh_view.html, which is part of valgrind: bytes allocated, live at the peak " \
	  "(t-gmax) and at the end, by stack.  Time is measured in allocated bytes, not in instructions; the "	\
	  "maximum of a single stack may be larger than shown; sampled recordings have no lifetimes.\n")	\
	F(pprof,											\
	  "    any input for `go tool pprof`, gzipped.  A heap recording has alloc_objects, alloc_space, "	\
	  "inuse_objects, inuse_space (live at the end), peak_objects and peak_space; other inputs have their "	\
	  "events by name.  comm and pid are labels.\n")						\
	F(chrome,											\
	  "    a GPU capture as a timeline for chrome://tracing, ui.perfetto.dev or speedscope, in JSON (trace " \
	  "events).  Each stream of each device is a line, and each thread with its API calls and ranges; "	\
	  "arrows lead from a call to what it launched.  hotdrift reads such a file too.\n")		\
	F(perfetto,											\
	  "    the same in Perfetto's binary form (TrackEvent packets), which is half as large; for "		\
	  "ui.perfetto.dev and trace_processor.\n")

#define HD_EXPORT_DECLARE(name, help)	extern const struct hd_export_format hd_export_##name;
HD_EXPORT_FORMATS(HD_EXPORT_DECLARE)
#undef HD_EXPORT_DECLARE

#endif
