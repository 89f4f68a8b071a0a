/*
 * bottlenecks.c - see bottlenecks.h
 */
#include "gpu/bottlenecks.h"

#include "base/buf.h"
#include "base/mem.h"

/* Limits of the rules in bottlenecks.h, in per cent of the window. */
static const double IDLE = 50, ALONE = 20, COMPUTE = 50, WORTH = 1;

static void find(struct hd_gpu *g, const char *code, uint32_t device, const char *fix, struct hd_buf *text)
{
	HD_GROW(g->findings, g->nfindings + 1, g->findings_cap);
	g->findings[g->nfindings++] = (struct hd_gpu_finding){ code, device, hd_buf_take(text), hd_strdup(fix) };
}

static void add_time(struct hd_buf *b, uint64_t ns)
{
	static const struct { double ns; const char *unit; } units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "µs" } };

	for (size_t i = 0; i < HD_COUNT(units); i++)
		if ((double)ns >= units[i].ns) {
			hd_buf_addf(b, "%.3g %s", (double)ns / units[i].ns, units[i].unit);
			return;
		}
	hd_buf_addf(b, "%llu ns", (unsigned long long)ns);
}

/* Append a CPU stack as a;b;c, innermost frame last.  A deep stack is cut to its SHOWN innermost frames. */
static void add_stack(struct hd_buf *b, const struct hd_profile *p, uint32_t stack)
{
	enum { SHOWN = 3 };
	hd_frame_id frames[SHOWN];
	size_t n = 0;
	bool unknown;

	for (hd_stack_id at = { stack }; at.v && n < SHOWN; at = hd_stacks_caller(p->stacks, at))
		frames[n++] = hd_stacks_frame(p->stacks, at);
	while (n--)
		hd_buf_addf(b, "%s%s", hd_profile_frame_name(p, frames[n], &unknown), n ? ";" : "");
}

static void add_gap(struct hd_buf *b, const struct hd_profile *p, const struct hd_gpu_gap *gap)
{
	uint64_t ns = (uint64_t)gap->end_ns - (uint64_t)gap->start_ns;

	hd_buf_adds(b, "; in its largest gap (");
	add_time(b, ns);
	hd_buf_addf(b, ", before %s)", hd_profile_str(p, gap->after));
	if (gap->call[0]) {
		hd_buf_addf(b, " %s ran for ", hd_profile_str(p, gap->call[0]));
		add_time(b, gap->call_ns[0]);
	} else {
		hd_buf_adds(b, " no API call was recorded");
	}
	if (gap->range)
		hd_buf_addf(b, ", within the range %s", hd_profile_str(p, gap->range));
	if (gap->stack) {
		hd_buf_adds(b, ", and the host came to ");
		add_stack(b, p, gap->stack);
	}
}

static bool cpu_bound(struct hd_profile *p, const struct hd_gpu_device *d)
{
	const struct hd_gpu_busy *w = &d->active;
	struct hd_buf b = { 0 };

	if (hd_gpu_percent(w->idle_ns, w) < IDLE)
		return false;
	hd_buf_addf(&b, "GPU %u is idle for %.2f %% of ", d->id, hd_gpu_percent(w->idle_ns, w));
	add_time(&b, hd_gpu_window(w));
	hd_buf_adds(&b, ": the host does not keep it busy");
	if (d->ngaps)
		add_gap(&b, p, &d->gaps[0]);
	find(p->gpu, "gpu.cpu-bound", d->id,
		"look at what the host does in the gaps: record the CPU side, too; launch earlier, launch fewer and "
		"larger kernels or graphs, and synchronise less",
		&b);
	return true;
}

/*
 * Return the time of copies between host and device in both directions, unified memory included.  *pageable_ns becomes
 * the part of it on pageable memory.
 */
static uint64_t host_copies(const struct hd_gpu_device *d, uint64_t *pageable_ns)
{
	uint64_t ns = 0;

	*pageable_ns = 0;
	for (int i = 0; i < HD_GPU_COPIES; i++) {
		if (!hd_gpu_copy_is_host((enum hd_gpu_copy)i))
			continue;
		ns += d->copies[i].ns;
		*pageable_ns += d->copies[i].pageable_ns;
	}
	return ns;
}

static bool copy_bound(struct hd_gpu *g, const struct hd_gpu_device *d)
{
	const struct hd_gpu_busy *w = &d->active;
	uint64_t pageable_ns, ns = host_copies(d, &pageable_ns);
	struct hd_buf b = { 0 };

	if (hd_gpu_percent(w->host_copy_alone_ns, w) < ALONE)
		return false;
	hd_buf_addf(&b, "GPU %u copies from or to the host for %.2f %% of ", d->id,
		hd_gpu_percent(w->host_copy_alone_ns, w));
	add_time(&b, hd_gpu_window(w));
	hd_buf_adds(&b, " while no kernel runs");
	for (int i = 0; i < HD_GPU_COPIES; i++) {
		const struct hd_gpu_copies *c = &d->copies[i];

		if (!c->count || !(hd_gpu_copy_is_host((enum hd_gpu_copy)i) || i == HD_GPU_DTOD))
			continue;
		hd_buf_addf(&b, "; %s ", hd_gpu_copy_name((enum hd_gpu_copy)i));
		if (c->sized)
			hd_buf_addf(&b, "%.3g GB/s", hd_gpu_gbps(c));
		else
			hd_buf_adds(&b, "n/a GB/s");
		if (i == HD_GPU_DTOD)
			hd_buf_adds(&b, " (on the device, not counted)");
	}
	if (pageable_ns)
		hd_buf_addf(&b, "; %.0f %% of the copy time uses pageable memory",
			100.0 * (double)pageable_ns / (double)ns);
	find(g, "gpu.copy-bound", d->id,
	     pageable_ns ? "use pinned host memory (cudaHostAlloc) and copy on a stream of its own while kernels run" :
	     "copy less, or copy on a stream of its own while kernels run", &b);
	return true;
}

static bool communication(struct hd_gpu *g, const struct hd_gpu_device *d)
{
	const struct hd_gpu_busy *w = &d->active;
	struct hd_buf b = { 0 };

	if (hd_gpu_percent(w->comm_alone_ns, w) < ALONE)
		return false;
	hd_buf_addf(&b, "GPU %u communicates for %.2f %% of ", d->id, hd_gpu_percent(w->comm_alone_ns, w));
	add_time(&b, hd_gpu_window(w));
	hd_buf_addf(&b, " while no other kernel runs (%llu communication kernel%s)", (unsigned long long)d->comm.count,
		    d->comm.count == 1 ? "" : "s");
	find(g, "gpu.communication", d->id,
	     "overlap communication with computation, and look for ranks that are late: a collective waits for the "
	     "last one", &b);
	return true;
}

static void pageable(struct hd_gpu *g, const struct hd_gpu_device *d)
{
	uint64_t pageable_ns, ns = host_copies(d, &pageable_ns);
	struct hd_buf b = { 0 };

	if (pageable_ns <= ns / 2 || hd_gpu_percent(pageable_ns, &d->active) < WORTH)
		return;
	hd_buf_addf(&b, "GPU %u: %.0f %% of the time of copies from and to the host is spent on pageable memory", d->id,
		    100.0 * (double)pageable_ns / (double)ns);
	find(g, "gpu.pageable", d->id, "use pinned host memory (cudaHostAlloc, pin_memory)", &b);
}

static void compute_bound(struct hd_gpu *g, const struct hd_gpu_device *d)
{
	const struct hd_gpu_busy *w = &d->active;
	struct hd_buf b = { 0 };
	bool holds = hd_gpu_percent(w->compute_ns, w) >= COMPUTE;

	hd_buf_addf(&b, "GPU %u ", d->id);
	if (!holds)
		hd_buf_adds(&b, "has no single bottleneck: it ");
	hd_buf_addf(&b, "runs kernels for %.2f %% of ", hd_gpu_percent(w->compute_ns, w));
	add_time(&b, hd_gpu_window(w));
	hd_buf_addf(&b, ", copies for %.2f %% and is idle for %.2f %%", hd_gpu_percent(w->copy_ns, w),
		    hd_gpu_percent(w->idle_ns, w));
	find(g, holds ? "gpu.compute-bound" : "gpu.none", d->id, holds ? "make the costliest kernels faster" : "", &b);
}

static bool has_operation(const struct hd_gpu_device *d)
{
	return d->nlongest > 0;
}

static void judge(struct hd_profile *p, const struct hd_gpu_device *d)
{
	struct hd_buf b = { 0 };
	bool found;

	if (!hd_gpu_window(&d->active)) {
		hd_buf_addf(&b, "GPU %u: all operations lie at one moment, so that no share of time can be computed",
			d->id);
		find(p->gpu, "gpu.none", d->id, "", &b);
		return;
	}
	found = cpu_bound(p, d);
	found |= copy_bound(p->gpu, d);
	found |= communication(p->gpu, d);
	if (!found)
		compute_bound(p->gpu, d);
	pageable(p->gpu, d);
}

void hd_gpu_bottlenecks_add(struct hd_profile *p, const struct hd_gpu_capture *capture)
{
	struct hd_buf b = { 0 };
	bool any = false;

	for (size_t i = 0; i < p->gpu->ndevices; i++) {
		if (!has_operation(&p->gpu->devices[i]))
			continue;
		any = true;
		judge(p, &p->gpu->devices[i]);
	}
	if (any)
		return;
	hd_buf_adds(&b, capture->has_device_tables ? "no operation of a GPU was recorded" :
		    "the capture holds no GPU operations at all: GPU tracing was off, or the program used no GPU");
	find(p->gpu, "gpu.none", HD_GPU_NO_DEVICE,
	     "record with GPU tracing (nsys profile --trace=cuda), a part of the program that uses the GPU", &b);
}
