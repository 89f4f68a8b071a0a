/*
 * cuda_trace_activities.c - see cuda_trace.h: the second walk through a trace, and its warnings
 */
#include "gpu/cuda_trace.h"

#include "base/mem.h"
#include "gpu/activity_sorter.h"
#include "gpu/cuda_trace_tables.h"
#include "inject/cupti.h"

#include <stdlib.h>
#include <string.h>

/* ---- activities ---- */

/*
 * Return the length of an API function's name without suffixes for versions and stream modes: 15 for
 * cudaMemcpyAsync_ptsz_v7000, the length of cudaMemcpyAsync.
 */
static size_t plain_length(const char *name)
{
	size_t n = strlen(name), digits = n;

	while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	if (digits < n && digits >= 2 && name[digits - 1] == 'v' && name[digits - 2] == '_')
		n = digits - 2;
	if (n > 5 && (!strncmp(name + n - 5, "_ptsz", 5) || !strncmp(name + n - 5, "_ptds", 5)))
		n -= 5;
	if (n > 3 && !strncmp(name + n - 3, "_v2", 3))
		n -= 3;
	return n;
}

static uint32_t name_of_call(struct hd_cuda_trace_reader *r, uint32_t domain, uint32_t cbid)
{
	static const struct { uint32_t id; const char *name; } runtime[] = {
#define ROW(name, id) { id, #name },
		HD_RUNTIME_LAUNCHES(ROW)
	}, driver[] = {
		HD_DRIVER_LAUNCHES(ROW)
#undef ROW
	};
	const char *name = domain == HD_CUPTI_RUNTIME ? "a function of the CUDA runtime"
						      : "a function of the CUDA driver";
	size_t n = domain == HD_CUPTI_RUNTIME ? HD_COUNT(runtime) : HD_COUNT(driver), len;

	if ((domain != HD_CUPTI_RUNTIME && domain != HD_CUPTI_DRIVER) || cbid >= HD_CUDA_TRACE_CBIDS)
		return hd_strtab_add(r->sink->dict->names, name);
	if (r->call[domain][cbid])
		return r->call[domain][cbid];
	len = strlen(name);
	for (size_t i = 0; i < n; i++) {
		if ((domain == HD_CUPTI_RUNTIME ? runtime : driver)[i].id == cbid) {
			name = (domain == HD_CUPTI_RUNTIME ? runtime : driver)[i].name;
			len = plain_length(name);
		}
	}
	return r->call[domain][cbid] = hd_strtab_addn(r->sink->dict->names, name, len);
}

/* Set the times of an activity, minus ahead_ns.  If CUPTI had no valid times for it, count that and return false. */
static bool set_times(struct hd_cuda_trace_reader *r, struct hd_gpu_activity *a, uint64_t start, uint64_t end,
	int64_t ahead_ns)
{
	if (!start || start > INT64_MAX || end > INT64_MAX ||
		__builtin_sub_overflow((int64_t)start, ahead_ns, &a->start_ns) ||
		__builtin_sub_overflow((int64_t)end, ahead_ns, &a->end_ns)) {
		r->untimed++;
		return false;
	}
	return true;
}

static uint8_t copy_kind(uint8_t kind)
{
	static const uint8_t kinds[] = {
		[1] = HD_GPU_HTOD, [2] = HD_GPU_DTOH, [3] = HD_GPU_HTOD, [4] = HD_GPU_DTOH, [5] = HD_GPU_DTOD,
		[6] = HD_GPU_DTOD,
		[7] = HD_GPU_DTOD, [8] = HD_GPU_DTOD, [9] = HD_GPU_HTOH, [10] = HD_GPU_PTOP,
	};

	return kind < HD_COUNT(kinds) ? kinds[kind] : HD_GPU_COPY_UNKNOWN;
}

static uint8_t memory_kind(unsigned int kind)
{
	return kind < HD_GPU_MEMORY_KINDS ? (uint8_t)kind : HD_GPU_MEM_UNKNOWN;
}

/*
 * Each of the following functions completes an activity from a record.  It returns false if the record has no valid
 * times.
 */

static bool read_kernel(struct hd_cuda_trace_reader *r, const void *record, struct hd_gpu_activity *a)
{
	const struct hd_cuda_kernel *k = record;

	a->name = hd_cuda_trace_id(&r->name, k->name);
	a->full = hd_cuda_trace_id(&r->full, k->name);
	a->device = k->device;
	a->context = k->context;
	a->stream = k->stream;
	return set_times(r, a, k->start_ns, k->end_ns, r->cupti_ahead_ns);
}

static bool read_copy(struct hd_cuda_trace_reader *r, const void *record, struct hd_gpu_activity *a)
{
	const struct hd_cuda_copy *c = record;

	a->copy = copy_kind(c->kind);
	a->from = memory_kind(c->from);
	a->to = memory_kind(c->to);
	a->bytes = c->bytes;
	a->sized = true;
	a->device = c->device;
	a->context = c->context;
	a->stream = c->stream;
	return set_times(r, a, c->start_ns, c->end_ns, r->cupti_ahead_ns);
}

static bool read_set(struct hd_cuda_trace_reader *r, const void *record, struct hd_gpu_activity *a)
{
	const struct hd_cuda_set *s = record;

	a->to = memory_kind(s->memory);
	a->bytes = s->bytes;
	a->sized = true;
	a->device = s->device;
	a->context = s->context;
	a->stream = s->stream;
	return set_times(r, a, s->start_ns, s->end_ns, r->cupti_ahead_ns);
}

static bool read_sync(struct hd_cuda_trace_reader *r, const void *record, struct hd_gpu_activity *a)
{
	const struct hd_cuda_sync *s = record;

	a->sync = s->kind < HD_GPU_SYNCS ? (uint8_t)s->kind : HD_GPU_SYNC_UNKNOWN;
	a->context = s->context;
	a->stream = s->stream;
	return set_times(r, a, s->start_ns, s->end_ns, r->cupti_ahead_ns);
}

static bool read_launch(struct hd_cuda_trace_reader *r, const void *record, struct hd_gpu_activity *a)
{
	const struct hd_cuda_launch *l = record;

	a->name = name_of_call(r, l->domain, l->cbid);
	a->tid = l->tid;
	a->stack = hd_cuda_trace_id(&r->stack, l->stack);
	return set_times(r, a, l->start_ns, l->end_ns ? l->end_ns : l->start_ns, 0);
}

static const struct activity_type {
	size_t bytes;			/* minimum size of the record; 0: the type is no activity */
	enum hd_gpu_kind kind;
	bool (*read)(struct hd_cuda_trace_reader *r, const void *record, struct hd_gpu_activity *a);
} activity_types[] = {
	[HD_CUDA_KERNEL] = { sizeof(struct hd_cuda_kernel), HD_GPU_KERNEL, read_kernel },
	[HD_CUDA_COPY] = { sizeof(struct hd_cuda_copy), HD_GPU_COPY, read_copy },
	[HD_CUDA_SET] = { sizeof(struct hd_cuda_set), HD_GPU_SET, read_set },
	[HD_CUDA_SYNC] = { sizeof(struct hd_cuda_sync), HD_GPU_SYNC, read_sync },
	[HD_CUDA_LAUNCH] = { sizeof(struct hd_cuda_launch), HD_GPU_LAUNCH, read_launch },
};

/*
 * Set *a to the activity in a record.  Returns false if the record is not an activity, is too short, or has no valid
 * times.
 */
static bool activity_of(struct hd_cuda_trace_reader *r, const struct hd_cuda_record *head, struct hd_gpu_activity *a)
{
	union {
		struct hd_cuda_kernel kernel;
		struct hd_cuda_copy copy;
		struct hd_cuda_set set;
		struct hd_cuda_sync sync;
		struct hd_cuda_launch launch;
	} record;			/* an aligned copy */
	const struct activity_type *type;

	if (head->type >= HD_COUNT(activity_types) || !activity_types[head->type].bytes)
		return false;
	type = &activity_types[head->type];
	if (head->bytes < type->bytes)
		return hd_cuda_trace_bad(r);
	memcpy(&record, head, type->bytes);
	*a = (struct hd_gpu_activity){
		.kind = (uint8_t)type->kind, .correlation = head->n, .pid = r->info.pid,
	};
	return type->read(r, &record, a);
}

static int read_activities(struct hd_cuda_trace_reader *r, struct hd_err *err)
{
	struct hd_gpu_activity_sorter *o = hd_gpu_activity_sorter_new(r->sink, r->w.path);
	const struct hd_cuda_record *head;
	struct hd_gpu_activity a;
	int rc;

	hd_cuda_trace_rewind(&r->w);
	while ((rc = hd_cuda_trace_next(&r->w, NULL, &head, err)) > 0) {
		if (activity_of(r, head, &a))
			rc = hd_gpu_activity_sorter_add(o, &a, err);
		if (rc < 0)
			break;
	}
	if (rc >= 0)
		rc = hd_gpu_activity_sorter_end(o, err);
	hd_gpu_activity_sorter_free(o);
	return rc;
}

/* ---- the whole ---- */

static void describe(struct hd_cuda_trace_reader *r, const struct hd_cuda_header *h)
{
	struct hd_gpu_capture *c = r->sink->capture;
	char comm[sizeof(h->comm) + 1];
	uint64_t ahead = h->begin_real_ns - h->begin_monotonic_ns;

	c->source = "hotdrift";
	c->version = hd_strdup("1");
	c->clock = "CLOCK_MONOTONIC";
	c->epoch_ns = h->begin_real_ns > h->begin_monotonic_ns && ahead <= INT64_MAX ? (int64_t)ahead : 0;
	r->cupti_ahead_ns = h->flags & HD_CUDA_MONOTONIC ? 0 : c->epoch_ns;
	c->session_start_ns = c->session_end_ns = h->begin_monotonic_ns <= INT64_MAX ? (int64_t)h->begin_monotonic_ns
										     : 0;
	c->has_device_tables = h->status == HD_CUDA_RECORDING;
	c->has_api = c->has_sync = true;
	c->has_stacks = r->info.stacks;
	c->hostname = hd_strdup(r->info.hostname);
	hd_cuda_trace_text(comm, h->comm, sizeof(h->comm));
	HD_GROW(c->processes, 1, c->processes_cap);
	c->processes[c->nprocesses++] = (struct hd_gpu_process){ h->pid, hd_strtab_add(r->sink->dict->names, comm) };
}

static void warn_of_status(struct hd_cuda_trace_reader *r, const struct hd_cuda_header *h)
{
	static const char *const fixes[] = {
		[HD_CUDA_RECORDING] = "",
		[HD_CUDA_NO_CUPTI] = "install CUDA's CUPTI, or set HOTDRIFT_CUPTI to the path of libcupti.so",
		[HD_CUDA_NO_FUNCTION] = "use the libcupti of CUDA 10 or newer",
		[HD_CUDA_BUSY] =
			"record without torch.profiler, Nsight, compute-sanitizer or cuda-gdb in the same process",
		[HD_CUDA_REFUSED] = "check with nvidia-smi that there is a GPU with a driver",
	};
	struct hd_log *log = r->sink->log;

	if (h->status)
		hd_warn(log, "gpu.not-recorded", h->status < HD_COUNT(fixes) ? fixes[h->status] : "",
			"%s: no GPU activity was recorded: %s (CUPTI's result was %u)", r->w.path, r->info.reason,
			h->result);
	if (h->write_error)
		hd_warn(log, "lost.gpu-write", "record where there is room",
			"%s: the trace ends early, because it could not be written: %s", r->w.path,
			strerror((int)(h->write_error & 0xfff)));
	else if (!h->status && !r->ended)
		hd_warn(log, "gpu.cut", "",
			"%s: the process was killed or called _exit or exec: records after the last write are missing",
			r->w.path);
}

static void warn_of_losses(struct hd_cuda_trace_reader *r)
{
	struct hd_log *log = r->sink->log;

	if (__builtin_add_overflow(r->lost.cupti, r->lost.no_memory, &r->sink->capture->dropped))
		r->sink->capture->dropped = UINT64_MAX;
	if (r->bad)
		hd_warn_n(log, "lost.gpu-record", r->bad, "",
			  "%s: a record before 0x%llx is too short or has an invalid reference; it was skipped",
			  r->w.path, (unsigned long long)r->bad_at);
	if (r->untimed)
		hd_warn_n(log, "lost.gpu-time", r->untimed, "", "%s: activities without times were skipped",
			r->w.path);
	if (r->lost.unknown)
		hd_warn_n(log, "lost.gpu-record", r->lost.unknown, "",
			  "%s: the recorder skipped records of an unknown kind", r->w.path);
}

int hd_cuda_trace_read(int fd, const char *path, const struct hd_gpu_sink *sink,
		      const struct hd_cuda_trace_lookup *lookup, struct hd_err *err)
{
	struct hd_cuda_trace_reader *r;
	struct hd_cuda_header h;
	int rc = hd_cuda_trace_header(&h, fd, path, err);

	if (rc < 0)
		return rc;
	r = hd_new(struct hd_cuda_trace_reader);
	r->sink = sink;
	r->lookup = lookup;
	hd_cuda_trace_walk_init(&r->w, fd, path);
	hd_cuda_trace_fill_info(&r->info, &h);
	describe(r, &h);
	if (lookup && lookup->begin) {
		char release[sizeof(h.release) + 1], machine[sizeof(h.machine) + 1];

		hd_cuda_trace_text(release, h.release, sizeof(h.release));
		hd_cuda_trace_text(machine, h.machine, sizeof(h.machine));
		lookup->begin(lookup->context, r->info.hostname, release, machine);
	}
	rc = hd_cuda_trace_read_tables(r, err);
	if (rc >= 0) {
		warn_of_status(r, &h);
		rc = read_activities(r, err);
		warn_of_losses(r);
	}
	free(r->name.v);
	free(r->full.v);
	free(r->stack.v);
	free(r->raw);
	free(r->addresses);
	hd_cuda_trace_walk_release(&r->w);
	free(r);
	return rc;
}
