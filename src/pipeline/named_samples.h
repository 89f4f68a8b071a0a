/*
 * named_samples.h - add the samples of formats that name their functions themselves to a profile
 *
 * perf script text, folded stacks, pprof, speedscope and callgrind have no addresses to look up: their frames are
 * names, with an object and a source line if the format has them.  The readers of these formats share the selection,
 * the limits and the counters here:
 *
 *     hd_named_samples_begin(&ns, p, opts, fd, path, &format, err) check that the format has what is selected
 *     event = hd_named_event(&ns, "cycles", "cycles");
 *     hd_named_push(&ns, &sample, frame);                          outermost frame first
 *     hd_named_add(&ns, &sample);                                  count the sample, or drop it with a reason
 *     rc = hd_named_samples_end(&ns, rc, err);                     also after an error
 *
 * hd_named_add() adds hd_named_sample.count to the number of samples that were read, and to those that were kept or
 * dropped.  A format without objects may mark no kernel frames; if --no-kernel is given then, hd_named_samples_end()
 * warns (select.no-kernel).  Memory is limited by the size of the input, as in budget.c: after the limit, samples are
 * dropped as lost.budget.
 */
#ifndef HD_PIPELINE_NAMED_SAMPLES_H
#define HD_PIPELINE_NAMED_SAMPLES_H

#include "base/err.h"
#include "pipeline/selector.h"
#include "profile/profile.h"
#include "profile/skip_rules.h"

/* What the samples of a format can have besides a stack. */
enum hd_named_parts {
	HD_NAMED_IDS = 1 << 0,		/* pid and tid */
	HD_NAMED_CPU = 1 << 1,
	HD_NAMED_TIME = 1 << 2,
	HD_NAMED_EVENT = 1 << 3,
	HD_NAMED_DSO = 1 << 4,
	HD_NAMED_COUNT = 1 << 5,	/* hd_named_sample.count is known */
	/* a weight is taken as the number of samples, as in folded stacks */
	HD_NAMED_WEIGHT_IS_COUNT = 1 << 6,
};

struct hd_named_format {
	const char *name;		/* for messages, in the plural: "folded stacks" */
	unsigned parts;			/* enum hd_named_parts */
};

struct hd_named_samples {
	struct hd_profile *p;		/* borrowed, as are opts and path */
	const struct hd_pipeline_opts *opts;
	const char *path;
	struct hd_selector select;
	struct hd_skip_rules skip;
	bool *wanted;			/* indexed by event */
	size_t nwanted, wanted_cap;
	struct hd_buf name;		/* scratch */
	unsigned parts;			/* of the format */
	uint64_t input_bytes, limit;	/* size of the input; limit of the profile's memory */
	int64_t frames_left;		/* frames that may still be pushed */
	uint32_t unchecked;		/* samples since the memory was last compared with the limit */
	uint32_t most_timed;		/* limit of hd_profile.timed */
	bool spent, too_many_timed;
	bool any_kernel;		/* some frame is kernel code */
};

/* A sample while it is assembled.  Zero-initialise. */
struct hd_named_sample {
	hd_stack_id stack;
	/* innermost frame that is not inlined, or the outermost frame if all are inlined; set by hd_named_push() */
	hd_frame_id self;
	bool left_out;			/* some frames were omitted: --no-kernel, --no-inline */
	uint32_t event;
	uint32_t comm;			/* string id */
	int32_t pid, tid;
	uint32_t cpu;			/* UINT32_MAX: unknown; not used for formats without HD_NAMED_CPU */
	uint64_t time_ns;		/* 0: unknown */
	uint64_t weight;
	/* number of samples.  Without HD_NAMED_COUNT, each line or value of the file counts as one */
	uint64_t count;
};

/*
 * Begin to read samples.  fd is the input; only its size is used here.  Returns HD_EUSAGE or HD_EFORMAT if the
 * selection cannot be applied to the format.
 */
int hd_named_samples_begin(struct hd_named_samples *ns, struct hd_profile *p, const struct hd_pipeline_opts *opts,
	int fd, const char *path, const struct hd_named_format *format, struct hd_err *err);
/*
 * End reading.  Must be called in any case.  Returns rc if it is < 0.  Otherwise hd_profile.timed, if it is kept, is
 * brought into the order of time.  Then returns 0, or HD_EFORMAT if there are too many samples.
 */
int hd_named_samples_end(struct hd_named_samples *ns, int rc, struct hd_err *err);

/* Return the event of this name.  If it is new, add it with this unit, or with `samples` if --weight is samples. */
uint32_t hd_named_event(struct hd_named_samples *ns, const char *name, const char *unit);
/* Intern a name of n bytes, without its version if --strip-version is given. */
uint32_t hd_named_name(struct hd_named_samples *ns, const char *s, size_t n);
/* Return true if an object of this name is the kernel or one of its modules. */
bool hd_named_is_kernel(const char *object);
/*
 * Intern a frame of this symbol.  As for perf.data, address and line are kept only if the profile is read with
 * opts->lines.
 */
hd_frame_id hd_named_frame(struct hd_named_samples *ns, const struct hd_profile_symbol *symbol, struct hd_frame frame);

/*
 * Extend the stack by a frame, unless --no-kernel or --no-inline omits it.  After the limit of memory or frames was
 * exceeded, the stack stays as it is, and hd_named_add() drops the sample.
 */
void hd_named_push(struct hd_named_samples *ns, struct hd_named_sample *s, hd_frame_id frame);
/* Count the sample.  Returns true if it was kept. */
bool hd_named_add(struct hd_named_samples *ns, const struct hd_named_sample *s);

#endif
