/*
 * summary.c - see summary.h
 */
#include "gpu/summary.h"

#include "base/map.h"
#include "base/mem.h"
#include "gpu/busy.h"
#include "gpu/gaps.h"
#include "gpu/histogram.h"
#include "gpu/memory.h"

#include <stdlib.h>
#include <string.h>

enum { CALLS_SHOWN = 64, METRICS_MAX = 4096 };

struct device {
	struct hd_gpu_device d;
	struct hd_gpu_sweep sweep;
	uint32_t last;			/* name id of the operation with the latest end so far */
	int64_t last_end;
};

/*
 * What is stored about a name.  count, ns: number and total time of the calls of the API function with this name.
 * kernel: class of the kernel with this name (0 not classified yet, 1 computation, 2 communication).
 */
struct named { uint64_t count, ns; uint8_t kernel; };

struct hd_gpu_summary {
	const struct hd_gpu_dict *dict;
	struct hd_gpu *g;
	struct device *devices;		/* in order of their first activity */
	size_t ndevices, devices_cap;
	struct hd_map by_id;		/* device id -> index */
	struct named *names;		/* indexed by name id */
	size_t nnames, names_cap;
	struct hd_map by_metric;	/* device << 32 | name -> index */
	size_t metrics_cap;
	struct hd_gpu_recent calls, ranges;
	struct hd_gpu_histogram latency;
	struct hd_gpu_blocks blocks;
};

struct hd_gpu_summary *hd_gpu_summary_new(const struct hd_gpu_dict *dict)
{
	struct hd_gpu_summary *s = hd_new(struct hd_gpu_summary);

	s->dict = dict;
	s->g = hd_new(struct hd_gpu);
	hd_gpu_recent_init(&s->calls, HD_GPU_RECENT_CALLS);
	hd_gpu_recent_init(&s->ranges, HD_GPU_RECENT_RANGES);
	return s;
}

void hd_gpu_summary_free(struct hd_gpu_summary *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->ndevices; i++) {
		hd_gpu_sweep_release(&s->devices[i].sweep);
		free(s->devices[i].d.longest);
	}
	free(s->devices);
	free(s->names);
	hd_map_release(&s->by_id);
	hd_map_release(&s->by_metric);
	hd_gpu_recent_release(&s->calls);
	hd_gpu_recent_release(&s->ranges);
	hd_gpu_histogram_release(&s->latency);
	hd_gpu_blocks_release(&s->blocks);
	hd_gpu_free(s->g);
	free(s);
}

bool hd_gpu_is_communication(const char *kernel)
{
	static const char *const beginnings[] = { "nccl", "rccl", "mscclKernel", "nvshmem" };

	if (!strncmp(kernel, "void ", 5))
		kernel += 5;
	for (size_t i = 0; i < HD_COUNT(beginnings); i++)
		if (!strncmp(kernel, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

static struct named *named(struct hd_gpu_summary *s, uint32_t name)
{
	if (name >= s->nnames) {
		size_t n = hd_strtab_count(s->dict->names);

		HD_GROW(s->names, n, s->names_cap);
		memset(s->names + s->nnames, 0, (n - s->nnames) * sizeof(*s->names));
		s->nnames = n;
	}
	return &s->names[name];
}

static bool communicates(struct hd_gpu_summary *s, uint32_t name)
{
	struct named *n = named(s, name);

	if (!n->kernel)
		n->kernel = hd_gpu_is_communication(hd_strtab_get(s->dict->names, name)) ? 2 : 1;
	return n->kernel == 2;
}

/* Return the device, which is added if it is new, or NULL if there are too many. */
static struct device *device_of(struct hd_gpu_summary *s, uint32_t id)
{
	uint32_t at = hd_map_get(&s->by_id, id);

	if (at != HD_MAP_NONE)
		return &s->devices[at];
	if (s->ndevices == HD_GPU_DEVICES_MAX)
		return NULL;
	HD_GROW(s->devices, s->ndevices + 1, s->devices_cap);
	s->devices[s->ndevices] = (struct device){ .d = { .id = id } };
	hd_gpu_sweep_init(&s->devices[s->ndevices].sweep);
	hd_map_put(&s->by_id, id, (uint32_t)s->ndevices);
	return &s->devices[s->ndevices++];
}

static uint64_t duration(const struct hd_gpu_activity *a)
{
	return (uint64_t)a->end_ns - (uint64_t)a->start_ns;
}

static void sum(struct hd_gpu_sum *to, uint64_t ns)
{
	to->count++;
	to->ns += ns;
}

/* ---- the longest operations: a heap, the shortest of them on top ---- */

static uint64_t length(const struct hd_gpu_span *s)
{
	return (uint64_t)s->end_ns - (uint64_t)s->start_ns;
}

/*
 * The order by which keep_longest() drops operations: return true if `a` is shorter than `b`, or if it has the same
 * length and starts later.
 */
static bool shorter(const struct hd_gpu_span *a, const struct hd_gpu_span *b)
{
	return length(a) != length(b) ? length(a) < length(b) : a->start_ns > b->start_ns;
}

static void keep_longest(struct hd_gpu_device *d, const struct hd_gpu_span *span)
{
	struct hd_gpu_span *heap = d->longest;
	size_t i;

	if (!heap)
		heap = d->longest = hd_new_array(struct hd_gpu_span, HD_GPU_LONGEST);
	if (d->nlongest < HD_GPU_LONGEST) {
		for (i = d->nlongest++; i && shorter(span, &heap[(i - 1) / 2]); i = (i - 1) / 2)
			heap[i] = heap[(i - 1) / 2];
		heap[i] = *span;
		return;
	}
	if (!shorter(&heap[0], span))
		return;
	for (i = 0;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < HD_GPU_LONGEST && shorter(&heap[child + 1], &heap[child]))
			child++;
		if (child >= HD_GPU_LONGEST || !shorter(&heap[child], span))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = *span;
}

static int by_start(const void *va, const void *vb)
{
	const struct hd_gpu_span *a = va, *b = vb;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns ? -1 : 1;
	return a->stream < b->stream ? -1 : a->stream > b->stream;
}

/* ---- one activity ---- */

static void add_copy(struct hd_gpu_copies *c, const struct hd_gpu_activity *a)
{
	uint64_t ns = duration(a);

	c->count++;
	c->ns += ns;
	if (a->sized) {
		c->sized++;
		c->sized_ns += ns;
		if (__builtin_add_overflow(c->bytes, a->bytes, &c->bytes))
			c->bytes = UINT64_MAX;
	}
	if (a->from == HD_GPU_PAGEABLE || a->to == HD_GPU_PAGEABLE) {
		c->pageable++;
		c->pageable_ns += ns;
	}
}

static void add_join(struct hd_gpu_summary *s, const struct hd_gpu_activity *a)
{
	s->g->joinable++;
	s->g->with_stack += a->stack != 0;
	if (!a->joined)
		return;
	s->g->joined++;
	s->g->latency.early += a->start_ns < a->launch_ns;
	hd_gpu_histogram_add(&s->latency,
		a->start_ns < a->launch_ns ? 0 : (uint64_t)a->start_ns - (uint64_t)a->launch_ns);
}

/* Add an operation of a device: kernel, copy, memset or graph.  Returns false if there are too many devices. */
static bool add_operation(struct hd_gpu_summary *s, const struct hd_gpu_activity *a)
{
	struct device *dev = device_of(s, a->device);
	uint64_t ns = duration(a);
	unsigned lanes = HD_GPU_LANE_COPY;
	int64_t idle_since;

	if (!dev)
		return false;
	switch (a->kind) {
	case HD_GPU_KERNEL:
		lanes = HD_GPU_LANE_COMPUTE | (communicates(s, a->name) ? HD_GPU_LANE_COMM : HD_GPU_LANE_WORK);
		sum(&dev->d.kernels, ns);
		sum(&s->g->kernels, ns);
		if (lanes & HD_GPU_LANE_COMM) {
			sum(&dev->d.comm, ns);
			sum(&s->g->comm, ns);
		}
		break;
	case HD_GPU_GRAPH:
		lanes = HD_GPU_LANE_COMPUTE | HD_GPU_LANE_WORK;
		sum(&dev->d.graphs, ns);
		sum(&s->g->graphs, ns);
		s->g->unnamed++;
		break;
	case HD_GPU_COPY:
		lanes |= hd_gpu_copy_is_host(a->copy) ? HD_GPU_LANE_HOST_COPY : 0;
		add_copy(&dev->d.copies[a->copy], a);
		sum(&s->g->copies, ns);
		break;
	default:
		sum(&dev->d.sets, ns);
		sum(&s->g->sets, ns);
		break;
	}
	add_join(s, a);
	if (hd_gpu_sweep_add(&dev->sweep, lanes, a->start_ns, a->end_ns, &idle_since))
		hd_gpu_gap_add(&dev->d, idle_since, dev->last, a, &s->calls, &s->ranges);
	if (!dev->last || a->end_ns >= dev->last_end) {
		dev->last = a->name;
		dev->last_end = a->end_ns;
	}
	keep_longest(&dev->d, &(struct hd_gpu_span){
		a->start_ns, a->end_ns, a->name, a->stream, a->kind == HD_GPU_COPY ? 1 : a->kind == HD_GPU_SET ? 2 : 0,
	});
	return true;
}

static bool add_metric(struct hd_gpu_summary *s, const struct hd_gpu_activity *a)
{
	uint64_t key = (uint64_t)a->device << 32 | a->name;
	uint32_t at = hd_map_get(&s->by_metric, key);
	struct hd_gpu_metric *m;

	if (at == HD_MAP_NONE) {
		if (s->g->nmetrics == METRICS_MAX)
			return false;
		at = (uint32_t)s->g->nmetrics++;
		HD_GROW(s->g->metrics, s->g->nmetrics, s->metrics_cap);
		s->g->metrics[at] = (struct hd_gpu_metric){ .device = a->device, .name = a->name, .max = a->value };
		hd_map_put(&s->by_metric, key, at);
	}
	m = &s->g->metrics[at];
	m->count++;
	m->mean += (a->value - m->mean) / (double)m->count;
	if (a->value > m->max)
		m->max = a->value;
	return true;
}

bool hd_gpu_summary_add(struct hd_gpu_summary *s, const struct hd_gpu_activity *a)
{
	struct device *dev;
	struct named *n;

	switch (a->kind) {
	case HD_GPU_KERNEL:
	case HD_GPU_COPY:
	case HD_GPU_SET:
	case HD_GPU_GRAPH:
		return add_operation(s, a);
	case HD_GPU_LAUNCH:
		n = named(s, a->name);
		n->count++;
		n->ns += duration(a);
		sum(&s->g->api, duration(a));
		hd_gpu_recent_add(&s->calls, a);
		return true;
	case HD_GPU_SYNC:
		sum(&s->g->syncs[a->sync], duration(a));
		return true;
	case HD_GPU_RANGE:
		hd_gpu_recent_add(&s->ranges, a);
		return true;
	case HD_GPU_ALLOC:
	case HD_GPU_FREE:
		if (a->to != HD_GPU_DEVICE_MEMORY && a->to != HD_GPU_MANAGED && a->to != HD_GPU_MEM_UNKNOWN)
			return true;
		dev = device_of(s, a->device);
		if (dev)
			hd_gpu_blocks_add(&s->blocks, &dev->d.memory, a);
		return dev != NULL;
	case HD_GPU_METRIC:
		return add_metric(s, a);
	default:
		return true;
	}
}

/* ---- the end ---- */

static int by_ns(const void *va, const void *vb, void *names)
{
	const struct hd_gpu_call *a = va, *b = vb;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return strcmp(hd_strtab_get(names, a->name), hd_strtab_get(names, b->name));
}

static void list_calls(struct hd_gpu_summary *s)
{
	struct hd_gpu *g = s->g;
	size_t cap = 0;

	for (size_t i = 0; i < s->nnames; i++) {
		if (!s->names[i].count)
			continue;
		HD_GROW(g->calls, g->ncalls + 1, cap);
		g->calls[g->ncalls++] = (struct hd_gpu_call){ (uint32_t)i, s->names[i].count, s->names[i].ns };
	}
	if (g->ncalls)
		qsort_r(g->calls, g->ncalls, sizeof(*g->calls), by_ns, s->dict->names);
	if (g->ncalls > CALLS_SHOWN)
		g->ncalls = CALLS_SHOWN;
}

/*
 * Set d->session to the time of the whole session, and compute its idle time.  If operations lie outside of the session
 * that the capture states, the session is extended to include them.
 */
static void end_session(struct hd_gpu_device *d, const struct hd_gpu_capture *c)
{
	bool active = hd_gpu_window(&d->active) > 0;

	if (c->session_end_ns <= c->session_start_ns)
		return;
	d->session = d->active;
	if (!active || c->session_start_ns < d->session.start_ns)
		d->session.start_ns = c->session_start_ns;
	if (!active || c->session_end_ns > d->session.end_ns)
		d->session.end_ns = c->session_end_ns;
	d->session.idle_ns = hd_gpu_window(&d->session) - (hd_gpu_window(&d->active) - d->active.idle_ns);
}

static void end_device(struct device *dev, const struct hd_gpu_capture *c)
{
	struct hd_gpu_device *d = &dev->d;

	hd_gpu_sweep_end(&dev->sweep, &d->active);
	end_session(d, c);
	d->memory.delta_bytes = (int64_t)(d->memory.used_bytes < INT64_MAX ? d->memory.used_bytes : INT64_MAX);
	if (d->nlongest)
		qsort(d->longest, d->nlongest, sizeof(*d->longest), by_start);
	d->timeline_ns = dev->sweep.begin;
	d->bucket_ns = (uint64_t)1 << dev->sweep.shift;
	if (hd_gpu_window(&d->active)) {
		d->nbuckets = (size_t)((hd_gpu_window(&d->active) - 1) >> dev->sweep.shift) + 1;
		d->buckets = dev->sweep.buckets;
		dev->sweep.buckets = NULL;
	}
}

static int by_id(const void *va, const void *vb)
{
	const struct hd_gpu_device *a = va, *b = vb;

	return a->id < b->id ? -1 : a->id > b->id;
}

static void list_devices(struct hd_gpu_summary *s, const struct hd_gpu_capture *c)
{
	struct hd_gpu *g = s->g;

	for (size_t i = 0; i < c->ndevices; i++) {
		struct device *dev = device_of(s, c->devices[i].id);

		if (!dev)
			break;
		dev->d.name = c->devices[i].name;
		dev->d.total_bytes = c->devices[i].total_bytes;
		dev->d.bandwidth_bytes = c->devices[i].bandwidth_bytes;
	}
	g->devices = hd_new_array(struct hd_gpu_device, s->ndevices + 1);
	for (size_t i = 0; i < s->ndevices; i++) {
		end_device(&s->devices[i], c);
		g->devices[g->ndevices++] = s->devices[i].d;
		s->devices[i].d.longest = NULL;
	}
	if (g->ndevices)
		qsort(g->devices, g->ndevices, sizeof(*g->devices), by_id);
}

struct hd_gpu *hd_gpu_summary_end(struct hd_gpu_summary *s, const struct hd_gpu_capture *c)
{
	struct hd_gpu *g = s->g;

	g->source = c->source;
	g->version = c->version ? hd_strdup(c->version) : NULL;
	g->clock = c->clock;
	g->epoch_ns = c->epoch_ns;
	g->dropped = c->dropped;
	g->latency.count = s->latency.n;
	g->latency.mean_ns = s->latency.n ? s->latency.sum_ns / (double)s->latency.n : 0;
	g->latency.p50_ns = hd_gpu_histogram_percentile(&s->latency, 50);
	g->latency.p95_ns = hd_gpu_histogram_percentile(&s->latency, 95);
	g->latency.max_ns = s->latency.max_ns;
	list_calls(s);
	list_devices(s, c);
	s->g = NULL;
	return g;
}
