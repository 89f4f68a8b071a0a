/*
 * kineto.c - see kineto.h
 */
#include "gpu/kineto.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "gpu/activity_sorter.h"
#include "gpu/kineto_event.h"
#include "gpu/range_stack.h"
#include "gpu/trace_events.h"

#include <stdlib.h>
#include <string.h>

/* The last valid time: 2^61 ns, in the year 2043.  Twice such a time still fits into 64 bits. */
static const int64_t LATEST = (int64_t)1 << 61;

/* Limit for the number of distinct names, because each takes memory.  Traces of real programs have some thousands. */
enum { MAX_NAMES = 1 << 18 };

struct reading {
	const struct hd_gpu_sink *sink;
	const char *path;
	struct hd_gpu_sink sorted;		/* receives the activities after activity_sorter.h has sorted them */
	struct hd_gpu_activity_sorter *order;
	struct hd_gpu_range_stack *ranges;
	struct hd_buf text;			/* the text that text_of() decoded last */
	struct hd_map names;			/* hash of a name -> its dict id; at most MAX_NAMES names */
	int64_t base_ns;			/* the trace's baseTimeNanoseconds, which is added to all times */
	/* times relative to base_ns */
	int64_t first_ns;			/* start of the first event that has a duration */
	int64_t last_ns;			/* end of the last event that has a duration */
	bool any, any_range, any_device, any_call, any_memory;
	struct hd_map devices;			/* set of the ids of devices that have activities */
	struct hd_map callers;			/* set of the processes that called CUDA or ran PyTorch operators */
	uint32_t caller;			/* the process of the last API call; unless `several`, of all of them */
	bool several;				/* several processes called the API */
	struct hd_map pid_of;			/* if `several`: correlation id -> pid of the latest call */
	struct hd_gpu_device_info *properties;	/* properties of all devices of the machine */
	size_t nproperties, properties_cap;
	struct hd_gpu_process *processes;
	size_t nprocesses, processes_cap;
	int64_t version, rank, world;		/* -1: not known */
};

/* ---- names ---- */

/* Decode a JSON string.  The result is in r->text until the next call. */
static const char *text_of(struct reading *r, struct hd_json_text t)
{
	hd_buf_reset(&r->text);
	hd_buf_add(&r->text, "", 0);	/* appends only the NUL that an empty text needs */
	if (t.s)
		hd_json_scan_string(t, &r->text);
	return hd_buf_str(&r->text);
}

static uint32_t intern_text(struct reading *r, const char *s, size_t n)
{
	struct hd_strtab *names = r->sink->dict->names;
	uint64_t hash = hd_hash_bytes(s, n);
	uint32_t id = hd_map_get(&r->names, hash);

	if (id != HD_MAP_NONE && hd_strtab_len(names, id) == n && !memcmp(hd_strtab_get(names, id), s, n))
		return id;
	if (r->names.n >= MAX_NAMES) {
		hd_warn(r->sink->log, "lost.gpu-names", "",
			"%s: has more than %d distinct names; further ones are [other]", r->path, MAX_NAMES);
		return hd_strtab_add(names, "[other]");
	}
	id = hd_strtab_addn(names, s, n);
	hd_map_put(&r->names, hash, id);
	return id;
}

static uint32_t intern(struct reading *r, struct hd_json_text t)
{
	const char *s = text_of(r, t);

	return intern_text(r, s, r->text.len);
}

/*
 * Intern the name of a range without sequence numbers, which differ for each call: "ProfilerStep#17" becomes
 * "ProfilerStep", and "aten::add, op_id = 17" becomes "aten::add".
 */
static uint32_t intern_range(struct reading *r, struct hd_json_text t)
{
	static const char *const counted[] = { ", seq = ", ", op_id = ", ", sizes = " };
	const char *s = text_of(r, t), *at;
	size_t n = r->text.len, digits = n;

	for (size_t i = 0; i < HD_COUNT(counted); i++) {
		at = memmem(s, n, counted[i], strlen(counted[i]));
		if (at)
			n = (size_t)(at - s);
	}
	digits = n;
	while (digits && s[digits - 1] >= '0' && s[digits - 1] <= '9')
		digits--;
	if (digits > 1 && digits < n && s[digits - 1] == '#')
		n = digits - 1;
	return intern_text(r, s, n);
}

/* ---- events -> activities ---- */

/* Set the start and the end of an activity; `instant`: they are equal.  Without valid times, warn and return false. */
static bool read_time(struct reading *r, const struct hd_kineto_event *e, uint64_t offset, struct hd_gpu_activity *a,
		      bool instant)
{
	int64_t ts, dur = 0;

	if (e->ts.s && hd_json_scan_int(e->ts, 3, &ts) &&
	    (instant || (e->dur.s && hd_json_scan_int(e->dur, 3, &dur))) &&
	    ts > -LATEST && ts < LATEST && dur > -LATEST && dur < LATEST) {
		a->start_ns = ts;
		a->end_ns = ts + dur;
		return true;
	}
	hd_warn(r->sink->log, "lost.kineto-event", "",
		"%s: the event at offset %llu has no valid ts and dur; it was skipped", r->path,
		(unsigned long long)offset);
	return false;
}

static void widen(struct reading *r, const struct hd_gpu_activity *a)
{
	if (!r->any || a->start_ns < r->first_ns)
		r->first_ns = a->start_ns;
	if (!r->any || a->end_ns > r->last_ns)
		r->last_ns = a->end_ns;
	r->any = true;
}

static void device_activity(struct reading *r, const struct hd_kineto_event *e,
	const struct hd_kineto_category *category, struct hd_gpu_activity *a)
{
	int64_t bytes = hd_kineto_number(e->bytes, -1);
	bool moves = category->kind == HD_GPU_COPY || category->kind == HD_GPU_SET;

	a->kind = (uint8_t)category->kind;
	if (moves) {
		text_of(r, e->name);
		hd_kineto_parse_copy(a, r->text.data);
	} else {
		a->name = intern(r, e->name);
		a->full = e->full.s ? intern(r, e->full) : 0;
		a->graph = (uint32_t)hd_kineto_number(e->graph, 0);
	}
	a->device = (uint32_t)hd_kineto_number(e->device, hd_kineto_number(e->pid, 0));
	a->stream = (uint32_t)hd_kineto_number(e->stream, hd_kineto_number(e->tid, 0));
	a->context = (uint32_t)hd_kineto_number(e->context, 0);
	a->correlation = (uint64_t)hd_kineto_number(e->correlation, 0);
	a->sized = moves && bytes >= 0;
	a->bytes = a->sized ? (uint64_t)bytes : 0;
	hd_map_put(&r->devices, a->device, 1);
	r->any_device = true;
}

static void host_activity(struct reading *r, const struct hd_kineto_event *e, const struct hd_kineto_category *category,
	struct hd_gpu_activity *a)
{
	a->pid = (uint32_t)hd_kineto_number(e->pid, 0);
	a->tid = (uint32_t)hd_kineto_number(e->tid, 0);
	hd_map_put(&r->callers, a->pid, 1);
	a->kind = (uint8_t)category->kind;
	if (a->kind == HD_GPU_RANGE) {
		a->name = intern_range(r, e->name);
		/* meaning until deliver(): 1 if the range is only a frame of launch stacks */
		a->graph = category->frame;
		r->any_range = true;
		return;
	}
	a->name = intern(r, e->name);
	a->correlation = (uint64_t)hd_kineto_number(e->correlation, 0);
	r->several |= r->any_call && a->pid != r->caller;
	r->caller = a->pid;
	r->any_call = true;
}

/*
 * Add an activity to the sorter.  Its sort key is twice the start time, plus one except for ranges.  Without that,
 * activity_sorter.h would put an API call before a range that starts at the same time.  But the range must come first,
 * because it is a part of the call's stack.
 */
static int add(struct reading *r, struct hd_gpu_activity *a, struct hd_err *err)
{
	a->start_ns = 2 * a->start_ns + (a->kind != HD_GPU_RANGE);
	return hd_gpu_activity_sorter_add(r->order, a, err);
}

static int complete_event(struct reading *r, struct hd_kineto_event *e, uint64_t offset, struct hd_err *err)
{
	const struct hd_kineto_category *category = hd_kineto_category_of(e->cat);
	struct hd_gpu_activity a = { 0 };

	if (!category || !read_time(r, e, offset, &a, false))
		return 0;
	widen(r, &a);
	if (category->span)
		return 0;
	if (e->args.s && category->kind != HD_GPU_RANGE)
		hd_kineto_event_args(e->args, e);
	if (category->kind <= HD_GPU_GRAPH)
		device_activity(r, e, category, &a);
	else
		host_activity(r, e, category, &a);
	return add(r, &a, err);
}

/*
 * Add an event of PyTorch's allocator.  "Device Type" 1 is a GPU.  "Bytes" is negative for a free, and 0 for a free of
 * unknown size.
 */
static int memory_event(struct reading *r, struct hd_kineto_event *e, uint64_t offset, struct hd_err *err)
{
	struct hd_gpu_activity a = { .to = HD_GPU_DEVICE_MEMORY };
	int64_t bytes;

	hd_kineto_event_args(e->args, e);
	bytes = hd_kineto_number(e->memory_bytes, 0);
	if (hd_kineto_number(e->memory_type, 0) != 1 || bytes == INT64_MIN || !read_time(r, e, offset, &a, true))
		return 0;
	a.kind = bytes > 0 ? HD_GPU_ALLOC : HD_GPU_FREE;
	a.bytes = (uint64_t)(bytes > 0 ? bytes : -bytes);
	a.sized = bytes != 0;
	a.address = (uint64_t)hd_kineto_number(e->memory_address, 0);
	a.device = (uint32_t)hd_kineto_number(e->memory_device, 0);
	a.pid = (uint32_t)hd_kineto_number(e->pid, 0);
	a.tid = (uint32_t)hd_kineto_number(e->tid, 0);
	r->any_memory = true;
	return add(r, &a, err);
}

static void process_name(struct reading *r, struct hd_kineto_event *e)
{
	int64_t pid = hd_kineto_number(e->pid, -1);

	if (pid < 0 || pid > UINT32_MAX)
		return;
	hd_kineto_event_args(e->args, e);
	HD_GROW(r->processes, r->nprocesses + 1, r->processes_cap);
	r->processes[r->nprocesses++] = (struct hd_gpu_process){ (uint32_t)pid, intern(r, e->title) };
}

static int read_event(struct reading *r, const struct hd_trace_item *item, struct hd_err *err)
{
	struct hd_kineto_event e = { 0 };

	if (item->value.s[0] != '{')
		return 0;
	hd_kineto_event_members(item->value, &e);
	if (hd_kineto_text_is(e.ph, "X"))
		return complete_event(r, &e, item->offset, err);
	if (hd_kineto_text_is(e.ph, "i") && hd_kineto_text_is(e.name, "[memory]") && e.args.s)
		return memory_event(r, &e, item->offset, err);
	if (hd_kineto_text_is(e.ph, "M") && hd_kineto_text_is(e.name, "process_name") && e.args.s)
		process_name(r, &e);
	return 0;
}

/* ---- the description of the capture ---- */

static void read_properties(struct reading *r, struct hd_json_text list)
{
	const char *at = list.s;
	struct hd_json_text d;

	while (*list.s == '[' && hd_json_scan_item(&at, list.s + list.len, &d)) {
		int64_t id = hd_kineto_number(hd_kineto_member(d, "id"), -1);
		int64_t bytes = hd_kineto_number(hd_kineto_member(d, "totalGlobalMem"), 0);

		if (id < 0 || id > UINT32_MAX)
			continue;
		HD_GROW(r->properties, r->nproperties + 1, r->properties_cap);
		r->properties[r->nproperties++] = (struct hd_gpu_device_info){
			.id = (uint32_t)id, .name = intern(r, hd_kineto_member(d, "name")),
			.total_bytes = bytes > 0 ? (uint64_t)bytes : 0,
		};
	}
}

static void read_member(struct reading *r, const struct hd_trace_item *item)
{
	int64_t base;

	if (hd_json_text_is(item->key, "baseTimeNanoseconds")) {
		base = hd_kineto_number(item->value, 0);
		if (base > -LATEST && base < LATEST)
			r->base_ns = base;
	} else if (hd_json_text_is(item->key, "schemaVersion")) {
		r->version = hd_kineto_number(item->value, -1);
	} else if (hd_json_text_is(item->key, "deviceProperties")) {
		read_properties(r, item->value);
	} else if (hd_json_text_is(item->key, "distributedInfo")) {
		r->rank = hd_kineto_number(hd_kineto_member(item->value, "rank"), -1);
		r->world = hd_kineto_number(hd_kineto_member(item->value, "world_size"), -1);
	}
}

static char *version_text(const struct reading *r)
{
	struct hd_buf b = { 0 };

	if (r->version >= 0)
		hd_buf_addf(&b, "%lld", (long long)r->version);
	if (r->rank >= 0)
		hd_buf_addf(&b, "%srank %lld", b.len ? ", " : "", (long long)r->rank);
	if (r->rank >= 0 && r->world > 0)
		hd_buf_addf(&b, " of %lld", (long long)r->world);
	return b.len ? hd_buf_take(&b) : NULL;
}

/*
 * Fill in the description of the capture.  The trace lists all GPUs of the machine; keep only those that the process
 * used.
 */
static void describe(struct reading *r)
{
	struct hd_gpu_capture *c = r->sink->capture;
	/* Times of 2001 and later are UNIX times; smaller ones count from the start of the machine or of the trace. */
	bool unix_time = r->base_ns || r->first_ns > 1000000000000000000;

	c->source = "kineto";
	c->version = version_text(r);
	c->clock = unix_time ? "1970" : "the trace's own";
	if (r->any) {
		c->session_start_ns = r->base_ns + r->first_ns;
		c->session_end_ns = r->base_ns + r->last_ns;
	}
	c->has_device_tables = r->any_device || r->any_call || r->nproperties;
	c->has_api = r->any_call;
	c->has_memory = r->any_memory;
	c->has_stacks = r->any_range && r->any_call;
	for (size_t i = 0; i < r->nproperties; i++) {
		if (!hd_map_has(&r->devices, r->properties[i].id))
			continue;
		HD_GROW(c->devices, c->ndevices + 1, c->devices_cap);
		c->devices[c->ndevices++] = r->properties[i];
	}
	for (size_t i = 0; i < r->nprocesses; i++) {
		if (!hd_map_has(&r->callers, r->processes[i].pid))
			continue;
		HD_GROW(c->processes, c->nprocesses + 1, c->processes_cap);
		c->processes[c->nprocesses++] = r->processes[i];
	}
}

/* ---- delivery, in order ---- */

static uint32_t process_of(const struct reading *r, uint64_t correlation)
{
	uint32_t pid = r->several ? hd_map_get(&r->pid_of, correlation) : r->caller;

	return pid == HD_MAP_NONE ? 0 : pid;
}

static int deliver(void *context, const struct hd_gpu_activity *in, struct hd_err *err)
{
	struct reading *r = context;
	struct hd_gpu_activity a = *in;

	a.start_ns >>= 1;
	if (a.kind == HD_GPU_RANGE) {
		hd_gpu_range_stack_add(r->ranges, &a);
		if (a.graph)
			return 0;
	} else if (a.kind == HD_GPU_LAUNCH) {
		if (r->any_range)
			a.stack = hd_gpu_range_stack_of_call(r->ranges, &a);
		if (r->several && a.correlation && a.pid != HD_MAP_NONE)
			hd_map_put(&r->pid_of, a.correlation, a.pid);
	} else if (a.kind <= HD_GPU_GRAPH) {
		a.pid = process_of(r, a.correlation);
	}
	a.start_ns += r->base_ns;
	a.end_ns += r->base_ns;
	return r->sink->activity(r->sink->context, &a, err);
}

static void release(struct reading *r)
{
	hd_gpu_activity_sorter_free(r->order);
	hd_gpu_range_stack_free(r->ranges);
	hd_buf_release(&r->text);
	hd_map_release(&r->names);
	hd_map_release(&r->devices);
	hd_map_release(&r->callers);
	hd_map_release(&r->pid_of);
	free(r->properties);
	free(r->processes);
}

bool hd_gpu_kineto_is(const char *head, size_t n)
{
	return hd_trace_events_is(head, n);
}

int hd_gpu_kineto_read(int fd, const char *path, const struct hd_gpu_sink *sink, struct hd_err *err)
{
	struct reading r = { .sink = sink, .path = path, .version = -1, .rank = -1, .world = -1 };
	struct hd_trace_events *t = hd_trace_events_new(fd, path, sink->log);
	struct hd_trace_item item;
	int rc;

	r.sorted = (struct hd_gpu_sink){ .dict = sink->dict, .capture = sink->capture, .log = sink->log,
		.activity = deliver, .context = &r };
	r.order = hd_gpu_activity_sorter_new(&r.sorted, path);
	r.ranges = hd_gpu_range_stack_new(sink->dict);
	while ((rc = hd_trace_events_next(t, &item, err)) > 0) {
		if (!item.key.s)
			rc = read_event(&r, &item, err);
		else
			read_member(&r, &item);
		if (rc < 0)
			break;
	}
	if (rc >= 0) {
		describe(&r);
		rc = hd_gpu_activity_sorter_end(r.order, err);
	}
	if (sink->dict->nnodes >= HD_GPU_RANGE_NODES)
		hd_warn(sink->log, "lost.gpu-stacks", "",
			"%s: has more than %d distinct launch stacks; further ones lack their innermost frames", path,
			HD_GPU_RANGE_NODES);
	hd_trace_events_free(t);
	release(&r);
	return rc;
}
