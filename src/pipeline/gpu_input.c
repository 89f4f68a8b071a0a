/*
 * gpu_input.c - see gpu_input.h
 */
#include "pipeline/gpu_input.h"

#include "base/encode.h"
#include "base/file.h"
#include "base/mem.h"
#include "gpu/feed.h"
#include "gpu/kineto.h"
#include "gpu/nsys.h"
#include "gpu/bottlenecks.h"
#include "gpu/cuda_trace.h"
#include "pipeline/gpu_trace_symbols.h"
#include "gpu/launch_stacks.h"
#include "pipeline/profile_symbols.h"
#include "pipeline/damage.h"
#include "pipeline/selector.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One row per format: a test of the first bytes of a file, and the reader. */
static const struct {
	const char *format;
	bool (*is)(const char *head, size_t n);
	int (*read)(int fd, const char *path, const struct hd_gpu_sink *sink, struct hd_err *err);
	/*
	 * The reader of captures that have addresses instead of names; it is called instead of `read`.  It takes the
	 * symbols from the files of the program.
	 */
	int (*look_up)(int fd, const char *path, const struct hd_pipeline_opts *opts, const struct hd_gpu_sink *sink,
		       struct hd_err *err);
} readers[] = {
	{ "nsys", hd_gpu_is_sqlite, hd_gpu_nsys_read, NULL },
	{ "kineto", hd_gpu_kineto_is, hd_gpu_kineto_read, NULL },
	{ "gpu-trace", hd_cuda_trace_is, NULL, hd_gpu_trace_symbols_read },
};

#define GPU_FRAME "[GPU]"		/* frame between a CPU stack and the operation that it launched */

/* An operation of the GPU: its frame in the profile, and whether --symbol and --dso select it. */
struct operation { hd_frame_id frame; uint8_t wanted; };	/* wanted: 0 not yet looked up, 1 no, 2 yes */

/* The stack in the profile for one stack of the capture (a node in the tree of stacks of its dictionary). */
struct cpu_stack {
	hd_stack_id id;
	/* the frames are functions of objects; if false, they are ranges that the program named (NVTX) */
	bool called;
	bool root;			/* the outermost function of the stack is a root: main, _start, clone ... */
	uint32_t unknown;		/* frames without a symbol */
};

/* The state while a capture is read. */
struct reading {
	struct hd_profile *p;
	const struct hd_pipeline_opts *opts;
	const char *path;
	const struct hd_launch_stacks *launches;	/* NULL: the capture is read without a recording */
	uint64_t with_launch;		/* operations with a stack of `launches` */
	struct hd_selector select;
	struct hd_profile_symbols naming;
	struct hd_gpu_dict dict;
	struct hd_gpu_capture capture;
	struct hd_gpu_feed *feed;
	uint32_t event[HD_GPU_EVENTS];
	bool wanted[HD_GPU_EVENTS];
	uint32_t object;		/* HD_GPU_OBJECT */
	hd_frame_id boundary;		/* the frame named GPU_FRAME */
	struct operation *operations;	/* indexed by string id of the name */
	size_t noperations, operations_cap;
	struct cpu_stack *stacks;	/* indexed by dict node; created on demand */
	size_t nstacks, stacks_cap;
	struct hd_map processes;	/* pid -> name id */
	size_t nprocesses;		/* number of processes of the capture that are in the map */
	int64_t first_ns, last_ns;
	bool any;
};

int hd_gpu_input_kind(const char *head, size_t n)
{
	for (size_t i = 0; i < HD_COUNT(readers); i++)
		if (readers[i].is(head, n))
			return (int)i;
	return -1;
}

/* ---- frames and stacks ---- */

static hd_frame_id named_frame(struct reading *r, uint32_t object, const char *name)
{
	return hd_profile_add_frame(r->p,
		&(struct hd_frame){ .symbol = hd_profile_symbols_add_named(&r->naming, object, name) });
}

static hd_frame_id cpu_frame(struct reading *r, const struct hd_gpu_frame *f)
{
	const char *module = f->module ? hd_profile_str(r->p, f->module) : "";
	uint32_t object = *module ? hd_profile_add_object(r->p, module, "", false) : 0;

	if (f->name)
		return named_frame(r, object, hd_profile_str(r->p, f->name));
	return hd_profile_add_frame(r->p, &(struct hd_frame){
		.symbol = hd_profile_symbols_add_address(&r->naming, object, false, f->address), .vaddr = f->address,
	});
}

/*
 * Convert a stack of the capture's dict to a stack of the profile.  Callers have smaller ids than callees, so one loop
 * converts all stacks up to this node.
 */
static const struct cpu_stack *cpu_stack(struct reading *r, uint32_t node)
{
	if (!r->nstacks) {
		HD_GROW(r->stacks, 1, r->stacks_cap);
		r->stacks[r->nstacks++] = (struct cpu_stack){ 0 };
	}
	while (r->nstacks <= node) {
		const struct hd_gpu_node *n = &r->dict.nodes[r->nstacks];
		hd_frame_id frame = cpu_frame(r, &n->frame);
		struct cpu_stack s = r->stacks[n->caller];

		if (!n->caller) {
			s.called = n->frame.module || n->frame.address;
			s.root = hd_profile_symbols_is_root(&r->naming, r->p->frames[frame.v].symbol);
		}
		s.unknown += !n->frame.name;
		s.id = hd_stacks_add(r->p->stacks, s.id, frame);
		HD_GROW(r->stacks, r->nstacks + 1, r->stacks_cap);
		r->stacks[r->nstacks++] = s;
	}
	return &r->stacks[node];
}

/* Return the operation with this name; on first use, add its frame and test whether --symbol and --dso select it. */
static const struct operation *operation_of(struct reading *r, uint32_t name)
{
	struct operation *op;

	if (name >= r->noperations) {
		size_t n = hd_strtab_count(r->p->names);

		HD_GROW(r->operations, n, r->operations_cap);
		memset(r->operations + r->noperations, 0, (n - r->noperations) * sizeof(*r->operations));
		r->noperations = n;
	}
	op = &r->operations[name];
	if (!op->wanted) {
		const struct hd_profile_symbol *s;
		hd_frame_id frame = named_frame(r, r->object, name ? hd_profile_str(r->p, name) : HD_UNKNOWN);

		op = &r->operations[name];
		op->frame = frame;
		s = &r->p->symbols[r->p->frames[frame.v].symbol];
		op->wanted = hd_selector_dso(&r->select, HD_GPU_OBJECT) &&
				hd_selector_symbol(&r->select, hd_profile_str(r->p, s->name),
					hd_profile_str(r->p, s->linkage))
			? 2
			: 1;
	}
	return op;
}

/* ---- rows ---- */

/* Return the name id of a process; 0, the empty string, if the capture does not have it. */
static uint32_t process_name(struct reading *r, uint32_t pid)
{
	uint32_t name;

	for (; r->nprocesses < r->capture.nprocesses; r->nprocesses++)
		hd_map_put(&r->processes, r->capture.processes[r->nprocesses].pid,
			r->capture.processes[r->nprocesses].name);
	name = hd_map_get(&r->processes, pid);
	return name == HD_MAP_NONE ? 0 : name;
}

static bool is_wanted(struct reading *r, const struct hd_gpu_activity *a, const struct operation *op, uint32_t comm)
{
	return op->wanted == 2 && hd_selector_ids(&r->select, (int32_t)a->pid, (int32_t)a->tid, 0) &&
	       hd_selector_time(&r->select, a->start_ns > 0 ? (uint64_t)a->start_ns : 0) &&
	       (!r->opts->select.comm.n || hd_selector_comm(&r->select, hd_profile_str(r->p, comm)));
}

/* Add `row` with a weight to the event number `which`, if the event is selected. */
static void add_row(struct reading *r, int which, struct hd_sample_row row, uint64_t weight)
{
	if (!r->wanted[which])
		return;
	row.event = r->event[which];
	row.weight = r->opts->select.weight == HD_WEIGHT_SAMPLES ? 1 : weight;
	row.count = 1;
	/* weights are exact: each unit counts as a sample of weight 1, so the sum of the squares is the weight */
	if (hd_profile_add_bounded(r->p, &row, r->path) && r->opts->squares)
		r->p->events[row.event].squares += (double)row.weight;
}

/* Return the GPU event to which an activity belongs; -1: it belongs to none. */
static int event_of(const struct hd_gpu_activity *a)
{
	switch (a->kind) {
	case HD_GPU_KERNEL:
	case HD_GPU_GRAPH:	return HD_GPU_EVENT_KERNELS;
	case HD_GPU_COPY:	return HD_GPU_EVENT_COPIES;
	case HD_GPU_SET:	return HD_GPU_EVENT_SETS;
	case HD_GPU_SYNC:	return HD_GPU_EVENT_SYNC;
	default:		return -1;
	}
}

static int on_activity(void *context, const struct hd_gpu_activity *a, struct hd_err *err)
{
	struct reading *r = context;
	struct hd_profile *p = r->p;
	struct hd_recording *rec = &p->recording;
	int which = event_of(a);
	const struct operation *op;
	struct hd_sample_row row = { 0 };
	hd_stack_id launch = { 0 };
	uint32_t comm;

	(void)err;
	if (which < 0)
		return 0;
	if (r->launches && which != HD_GPU_EVENT_SYNC)
		launch = hd_launch_stacks_get(r->launches, a->pid, a->correlation);
	/* count operations that are not selected, too, because struct hd_gpu describes the whole trace */
	r->with_launch += launch.v != 0;
	op = operation_of(r, r->opts->full_names && a->full ? a->full : a->name);
	comm = p->keys & HD_KEY_COMM || r->opts->select.comm.n ? process_name(r, a->pid) : 0;
	p->read++;
	if (!is_wanted(r, a, op, comm) ||
	    !(r->wanted[which] || (which == HD_GPU_EVENT_COPIES && r->wanted[HD_GPU_EVENT_COPY_BYTES]))) {
		hd_profile_drop(p, "not selected", 1);
		return 0;
	}
	p->kept++;
	if (!r->any || a->start_ns < r->first_ns)
		r->first_ns = a->start_ns;
	if (!r->any || a->end_ns > r->last_ns)
		r->last_ns = a->end_ns;
	r->any = true;
	row.self = op->frame;
	if (launch.v) {
		row.stack = hd_stacks_add(p->stacks, launch, r->boundary);
	} else if (a->stack && !r->launches) {
		const struct cpu_stack *s = cpu_stack(r, a->stack);

		row.stack = hd_stacks_add(p->stacks, s->id, r->boundary);
		rec->with_stack += s->called;
		rec->root_reached += s->called && s->root;
		rec->unknown_frames += s->unknown;
	}
	row.stack = hd_stacks_add(p->stacks, row.stack, op->frame);
	if (!r->launches)
		rec->frames += hd_stacks_depth(p->stacks, row.stack);
	row.comm = p->keys & HD_KEY_COMM ? comm : 0;
	row.pid = p->keys & HD_KEY_PID ? (int32_t)a->pid : 0;
	row.tid = p->keys & HD_KEY_TID ? (int32_t)a->tid : 0;
	add_row(r, which, row, (uint64_t)a->end_ns - (uint64_t)a->start_ns);
	if (which == HD_GPU_EVENT_COPIES && a->sized)
		add_row(r, HD_GPU_EVENT_COPY_BYTES, row, a->bytes);
	return 0;
}

/* ---- begin and end ---- */

/* Return an option that needs data which GPU captures do not have, or NULL. */
static const char *unsupported_option(const struct hd_pipeline_opts *o)
{
	if (o->select.cpu.n || o->keys & HD_KEY_CPU)
		return "--cpu";
	if (o->fields.n)
		return o->launches ? "--gpu-trace" : "--by";
	return o->select.filter ? "--filter" : o->select.weight_field ? "--weight-field" :
	       o->select.weight > HD_WEIGHT_SAMPLES ? "--weight" : NULL;
}

static int begin_events(struct reading *r, struct hd_err *err)
{
	bool any = false;

	for (int i = 0; i < HD_GPU_EVENTS; i++) {
		r->wanted[i] = hd_selector_event(&r->select, hd_gpu_events[i].name);
		any |= r->wanted[i];
		if (r->wanted[i])
			r->event[i] = hd_profile_add_event(r->p, hd_gpu_events[i].name,
				r->opts->select.weight == HD_WEIGHT_SAMPLES ? "samples" : hd_gpu_events[i].unit);
	}
	if (!any)
		return hd_fail(err, HD_EFORMAT,
			"%s: has no event '%s'; a GPU capture has gpu-kernels, gpu-copies, gpu-copy-bytes, "
			"gpu-sets and gpu-sync",
			r->path, r->opts->select.event.items[0]);
	return 0;
}

static void describe(struct reading *r, int fd, const char *format)
{
	struct hd_recording *rec = &r->p->recording;
	struct stat st;

	rec->format = format;
	rec->mode = "file";
	rec->endian = "little";
	rec->bytes = fstat(fd, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
	rec->processes = (uint32_t)r->capture.nprocesses;
	rec->hostname = r->capture.hostname ? hd_strdup(r->capture.hostname) : NULL;
	for (size_t at = 0; at < r->capture.command_len; rec->ncmdline++) {
		rec->cmdline = hd_realloc(rec->cmdline, rec->ncmdline + 1, sizeof(*rec->cmdline));
		rec->cmdline[rec->ncmdline] = hd_strdup(r->capture.command + at);
		at += strlen(r->capture.command + at) + 1;
	}
	rec->first_ns = r->any && r->first_ns > 0 ? (uint64_t)r->first_ns : 0;
	rec->last_ns = r->any && r->last_ns > 0 ? (uint64_t)r->last_ns : 0;
}

/* The idle gaps of the GPUs have ids of stacks of the capture.  Replace these by ids of stacks of the profile. */
static void convert_gaps(struct reading *r)
{
	struct hd_gpu *g = r->p->gpu;

	for (size_t d = 0; d < g->ndevices; d++)
		for (size_t i = 0; i < g->devices[d].ngaps; i++)
			g->devices[d].gaps[i].stack = cpu_stack(r, g->devices[d].gaps[i].stack)->id.v;
}

static void begin(struct reading *r, struct hd_profile *p)
{
	r->p = p;
	r->naming = (struct hd_profile_symbols){ .p = p, .strip_version = r->opts->select.strip_version,
					.full_names = r->opts->full_names };
	r->object = hd_profile_add_object(p, HD_GPU_OBJECT, "", false);
	r->boundary = named_frame(r, r->object, GPU_FRAME);
	hd_gpu_dict_init(&r->dict, p->names);
	r->feed = hd_gpu_feed_new(&r->dict, &r->capture, &p->log, on_activity, r);
}

static void release(struct reading *r)
{
	hd_gpu_feed_free(r->feed);
	hd_gpu_dict_release(&r->dict);
	hd_gpu_capture_release(&r->capture);
	hd_profile_symbols_release(&r->naming);
	hd_selector_release(&r->select);
	hd_map_release(&r->processes);
	free(r->operations);
	free(r->stacks);
}

/* Read the capture with the reader number `kind`.  Return 0, HD_GPU_AGAIN (read it once more), or < 0. */
static int read_capture(int kind, int fd, const char *path, const struct hd_pipeline_opts *opts,
			const struct hd_gpu_sink *sink, struct hd_err *err)
{
	if (readers[kind].look_up)
		return readers[kind].look_up(fd, path, opts, sink, err);
	return readers[kind].read(fd, path, sink, err);
}

/* a trace of the same run may end this long before the first sample, or begin this long after the last one */
enum { APART_NS = 1000000000 };

/*
 * Fail unless the trace was written during the recording.  Correlation ids cannot show this: they begin at 1 in every
 * run.
 */
static int check_same_run(const struct reading *r, struct hd_err *err)
{
	const struct hd_recording *rec = &r->p->recording;

	if (r->any && (r->last_ns < 0 || (uint64_t)r->last_ns + APART_NS < rec->first_ns ||
		       r->first_ns > (int64_t)rec->last_ns + APART_NS))
		return hd_fail(err, HD_EFORMAT,
			"%s: is not a trace of the recorded run: its operations are from %.3f to "
			"%.3f s of the monotonic clock, the samples from %.3f to %.3f s",
			r->path, (double)r->first_ns / 1e9, (double)r->last_ns / 1e9, (double)rec->first_ns / 1e9,
			(double)rec->last_ns / 1e9);
	if (r->any && !r->with_launch && strcmp(r->capture.clock, "CLOCK_MONOTONIC") != 0)
		return hd_fail(err, HD_EFORMAT, "%s: its clock (%s) is not that of the recording", r->path,
			       r->capture.clock);
	return 0;
}

/* Warn of operations whose launch has no sample, and of launches with the same id. */
static void warn_unjoined(struct reading *r)
{
	struct hd_gpu *g = r->p->gpu;
	const struct hd_launch_stacks *l = r->launches;
	const struct hd_recording *rec = &r->p->recording;

	g->with_stack = r->with_launch;
	if (g->with_stack < g->joinable)
		hd_warn(&r->p->log, "lost.gpu-launches",
			rec->lost || rec->lost_samples
				? "record with a larger buffer (perf record -m 16M) or smaller stack copies"
				: "record with -e cpu-clock/freq=499/ instead of -F 499: with -F perf limits the rate "
					"of the marker's samples, too",
			"%s: %llu of %llu operations have no CPU stack: the recording has %llu "
			"samples of " HD_LAUNCH_MARKER,
			r->path, (unsigned long long)(g->joinable - g->with_stack), (unsigned long long)g->joinable,
			(unsigned long long)l->samples);
	if (l->repeated)
		hd_warn(&r->p->log, "gpu.repeated-launches", "",
			"%llu launches have the correlation id of an earlier one of their process; the first stack "
			"counts",
			(unsigned long long)l->repeated);
}

/* Read the capture once into p.  Return 0, HD_GPU_AGAIN (discard p and read once more), or < 0. */
static int once(struct hd_profile *p, int kind, int fd, const char *path, const struct hd_launch_stacks *launches,
		const struct hd_pipeline_opts *opts, bool again, struct hd_err *err)
{
	struct reading r = { .opts = opts, .path = path, .launches = launches };
	int rc = hd_selector_init(&r.select, &opts->select, err);

	if (rc < 0)
		return rc;
	begin(&r, p);
	if (unsupported_option(opts))
		rc = hd_fail(err, HD_EFORMAT, "%s: a GPU capture does not have the data that %s selects by", path,
			     unsupported_option(opts));
	if (rc >= 0)
		rc = begin_events(&r, err);
	if (rc >= 0)
		rc = read_capture(kind, fd, path, opts, hd_gpu_feed_sink(r.feed, again), err);
	if (!rc) {
		p->gpu = hd_gpu_feed_end(r.feed);
		convert_gaps(&r);
		hd_gpu_bottlenecks_add(p, &r.capture);
		if (!launches)
			describe(&r, fd, readers[kind].format);
	}
	if (!rc && launches) {
		rc = check_same_run(&r, err);
		warn_unjoined(&r);
	}
	release(&r);
	return rc;
}

int hd_gpu_input_read(struct hd_profile **p, int kind, int fd, const char *path, const struct hd_pipeline_opts *opts,
		  struct hd_err *err)
{
	unsigned keys = (*p)->keys;
	int rc = once(*p, kind, fd, path, NULL, opts, false, err);

	if (rc != HD_GPU_AGAIN)
		return rc;
	hd_profile_free(*p);
	*p = hd_profile_new();
	(*p)->keys = keys;
	rc = once(*p, kind, fd, path, NULL, opts, true, err);
	return rc > 0 ? hd_fail(err, HD_EFORMAT, "%s: cannot be sorted", path) : rc;
}

int hd_gpu_input_add(struct hd_profile *p, const char *path, const struct hd_launch_stacks *l,
		       const struct hd_pipeline_opts *opts, struct hd_err *err)
{
	char *head;
	ssize_t n;
	int kind, rc = 0, fd = hd_file_open(path, err);

	if (fd < 0)
		return fd;
	head = hd_alloc(HD_FILE_HEAD);
	n = hd_file_pread(fd, head, HD_FILE_HEAD, 0, path, err);
	kind = n < 0 ? -1 : hd_gpu_input_kind(head, (size_t)n);
	free(head);
	if (n < 0)
		rc = (int)n;
	else if (kind < 0)
		rc = hd_fail(err, HD_EFORMAT, "%s: is not a trace of libhotdrift-cuda.so (docs/gpu-format.md)", path);
	/*
	 * The reader must sort the activities itself in this call.  It must not return HD_GPU_AGAIN after it added
	 * rows, because they could not be removed from the profile.
	 */
	if (rc >= 0)
		rc = once(p, kind, fd, path, l, opts, true, err);
	close(fd);
	return rc > 0 ? hd_fail(err, HD_EFORMAT, "%s: cannot be sorted", path) : rc;
}

/* ---- every activity, for a caller that makes no profile ---- */

/* The state of hd_gpu_input_each(). */
struct passing {
	struct hd_selector select;
	hd_gpu_next *next;
	void *context;
};

static int pass_on(void *context, const struct hd_gpu_activity *a, struct hd_err *err)
{
	struct passing *p = context;

	if (!hd_selector_ids(&p->select, (int32_t)a->pid, (int32_t)a->tid, 0) ||
	    !hd_selector_time(&p->select, a->start_ns > 0 ? (uint64_t)a->start_ns : 0))
		return 0;
	return p->next(p->context, a, err);
}

/* Set *kind to the number of the reader for an open file, or to -1 if it is not a GPU capture. */
static int read_kind(int *kind, int fd, const char *path, struct hd_err *err)
{
	char *head = hd_alloc(HD_FILE_HEAD);
	ssize_t n = hd_file_pread(fd, head, HD_FILE_HEAD, 0, path, err);

	*kind = n < 0 ? -1 : hd_gpu_input_kind(head, (size_t)n);
	free(head);
	return n < 0 ? (int)n : 0;
}

/* Return `kind`, or fail if it is -1. */
static int need_capture(int kind, const char *path, struct hd_err *err)
{
	if (kind >= 0)
		return kind;
	return hd_fail(err, HD_EFORMAT,
		"%s: is not a GPU capture: an export of nsys, a trace of the PyTorch profiler, or a "
		"recording of libhotdrift-cuda.so",
		path);
}

static int must_be_capture(const char *head, size_t n, const char *path, struct hd_err *err)
{
	return need_capture(hd_gpu_input_kind(head, n), path, err);
}

int hd_gpu_input_is_capture(const char *path, struct hd_err *err)
{
	bool is_stdin = !strcmp(path, "-");
	struct stat st;
	int fd, kind, rc;

	if ((is_stdin ? fstat(STDIN_FILENO, &st) : stat(path, &st)) < 0) {
		if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG)
			return 0;
		return hd_fail_errno(err, HD_EIO, errno, "%s: cannot be examined", path);
	}
	/* Do not open a FIFO here: the actual reader of the FIFO could then miss its content. */
	if (!S_ISREG(st.st_mode))
		return 0;
	fd = hd_file_open(path, err);
	if (fd < 0)
		return fd;
	rc = read_kind(&kind, fd, path, err);
	close(fd);
	return rc < 0 ? rc : kind >= 0;
}

/*
 * Open a capture.  Returns the index of its reader in `readers`, or < 0.  The caller closes *fd unless it is negative,
 * also after an error.
 */
static int open_capture(int *fd, const char *path, struct hd_err *err)
{
	struct stat st;
	int kind, rc;

	*fd = hd_file_open(path, err);
	if (*fd < 0)
		return *fd;
	if (fstat(*fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))) {
		rc = hd_file_spool(*fd, path, must_be_capture, err);
		close(*fd);
		*fd = rc;
		if (rc < 0)
			return rc;
	}
	rc = read_kind(&kind, *fd, path, err);
	return rc < 0 ? rc : need_capture(kind, path, err);
}

int hd_gpu_input_each(const char *path, const struct hd_pipeline_opts *opts, struct hd_gpu_dict *dict,
		       struct hd_gpu_capture *capture, hd_gpu_next *next, void *context, struct hd_log *log,
		       struct hd_err *err)
{
	struct passing p = { .next = next, .context = context };
	struct hd_gpu_feed *feed = NULL;
	int fd = -1, rc = hd_selector_init(&p.select, &opts->select, err), kind;

	if (rc < 0)
		return rc;
	rc = kind = open_capture(&fd, path, err);
	if (rc >= 0) {
		feed = hd_gpu_feed_new(dict, capture, log, pass_on, &p);
		/*
		 * With again = true, the reader sorts the activities, so it cannot return HD_GPU_AGAIN after it has
		 * passed on some of them.
		 */
		rc = read_capture(kind, fd, path, opts, hd_gpu_feed_sink(feed, true), err);
	}
	if (fd >= 0)
		close(fd);
	if (rc >= 0)
		hd_gpu_free(hd_gpu_feed_end(feed));	/* also warns about what the recorder lost */
	hd_gpu_feed_free(feed);
	hd_selector_release(&p.select);
	if (rc >= 0 && opts->strict)
		rc = hd_damage_check(log, err);
	return rc > 0 ? hd_fail(err, HD_EFORMAT, "%s: cannot be sorted", path) : rc;
}
