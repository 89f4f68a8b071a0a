/*
 * trace_export.h - write a GPU capture as a timeline for other viewers
 *
 *     chrome     Chrome trace events in JSON: chrome://tracing, ui.perfetto.dev, speedscope, and hotdrift itself.
 *                Source: "Trace Event Format", docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
 *                Names of categories and arguments are those of Kineto (gpu/kineto.h)
 *     perfetto   TrackEvent packets: ui.perfetto.dev, trace_processor.  Source: protos/perfetto/trace/ of
 *                github.com/google/perfetto, and perfetto.dev/docs/reference/synthetic-track-event
 *
 *     struct hd_trace_export f;
 *     hd_trace_export_begin(&f, &hd_trace_export_chrome, &out, &dict, &capture);
 *     hd_trace_export_add(&f, &activity, err);	once per activity, by rising start
 *     hd_trace_export_end(&f, rc >= 0);
 *
 * Each stream of a device has a track, and so has each thread, with its API calls and ranges.  If slices overlap
 * without nesting, it has several (trace_tracks.h).  An allocation of device memory is an event of the thread
 * (chrome) or changes a counter of the device (perfetto).  Arrows lead from a call to the operation that it launched.
 * A synchronisation has no slice, because its API call has one.
 *
 * Times are microseconds with three decimals in JSON and nanoseconds in Perfetto.  JavaScript reads times as doubles,
 * which hold a current UNIX time in microseconds only to a precision of 0.25.  So if the clock is UNIX time, times are
 * relative to the start of the session, and `baseTimeNanoseconds` contains that start, as in Kineto's files.
 *
 * Events are written as they are added: memory does not grow with activities.  hd_outfile_commit() reports failed
 * writes.
 */
#ifndef HD_RENDER_TRACE_EXPORT_H
#define HD_RENDER_TRACE_EXPORT_H

#include "base/file.h"
#include "render/trace_tracks.h"

struct hd_trace_export_format;

struct hd_trace_export {
	const struct hd_trace_export_format *format;
	struct hd_outfile *out;			/* borrowed, as are dict and capture */
	const struct hd_gpu_dict *dict;
	const struct hd_gpu_capture *capture;
	struct hd_trace_tracks tracks;
	/* sets of the processes [0] and devices [1] whose names were written already */
	struct hd_map groups[2];
	struct hd_map written_names;		/* perfetto: the ids of the names (dict->names) already written */
	struct hd_map counters;			/* perfetto: id of a counter -> index into `values` */
	uint64_t *values;			/* current values of the counters */
	size_t nvalues, values_cap;
	int64_t base_ns;			/* subtracted from all times */
	uint64_t arrows;			/* number of arrows written */
	uint64_t events;			/* chrome: number of events written */
	bool begun, any;
	struct hd_buf text, inner, event, name;	/* buffers that are reused from event to event */
};

void hd_trace_export_begin(struct hd_trace_export *f, const struct hd_trace_export_format *format,
	struct hd_outfile *out, const struct hd_gpu_dict *dict, const struct hd_gpu_capture *capture);
/* Write one activity.  Returns 0: a failed write is reported by hd_outfile_commit(). */
int hd_trace_export_add(struct hd_trace_export *f, const struct hd_gpu_activity *a, struct hd_err *err);
/* Write the end of the file if the whole capture was read (`whole`), and release f. */
void hd_trace_export_end(struct hd_trace_export *f, bool whole);

/* ---- for the files that implement a format ---- */

struct hd_trace_export_format {
	void (*begin)(struct hd_trace_export *f);
	/* write the name of a device or of a process */
	void (*group)(struct hd_trace_export *f, bool device, uint32_t id);
	void (*track)(struct hd_trace_export *f, size_t track);
	void (*slice)(struct hd_trace_export *f, size_t track, const struct hd_gpu_activity *a);
	void (*memory)(struct hd_trace_export *f, const struct hd_gpu_activity *a);
	void (*metric)(struct hd_trace_export *f, const struct hd_gpu_activity *a);
	void (*end)(struct hd_trace_export *f);
};

extern const struct hd_trace_export_format hd_trace_export_chrome, hd_trace_export_perfetto;

/*
 * The names that the next functions return are valid until the next call of any of them; the category stays valid.
 *
 * Return the name of an activity for viewers: "Memcpy HtoD (pageable -> device)".
 */
const char *hd_trace_export_name(struct hd_trace_export *f, const struct hd_gpu_activity *a);
/* Return Kineto's category for an activity that has a slice. */
const char *hd_trace_export_category(const struct hd_gpu_activity *a);
/*
 * Return the name of a device ("GPU 0" if the capture has none) or of a process ("" if the capture has none).
 */
const char *hd_trace_export_group_name(struct hd_trace_export *f, bool device, uint32_t id);
/*
 * Return the name of a track: "stream 7" or "thread 4711".  If a stream or thread has several tracks (lanes, see
 * trace_tracks.h), the name of each one after the first has its number.
 */
const char *hd_trace_export_track_name(struct hd_trace_export *f, const struct hd_trace_track *k);

#endif
