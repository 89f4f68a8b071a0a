/*
 * report_content.c - see report_content.h
 */
#include "track/report_content.h"

#include "track/atomic_file.h"
#include "track/bottleneck_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- columns ---- */

#define COLUMN(key_, title_, type_, unit_, row, member, ...)						\
	{ .key = (key_), .title = (title_), .type = HD_REPORT_##type_, .unit = HD_REPORT_##unit_,		\
	  .offset = offsetof(row, member), ##__VA_ARGS__ }

static const struct hd_report_column bottleneck_columns[] = {
	COLUMN("severity", "severity", WORD, PLAIN, struct hd_report_bottleneck, severity),
	COLUMN("kind", "kind", WORD, PLAIN, struct hd_report_bottleneck, kind),
	COLUMN("name", "name", NAME, PLAIN, struct hd_report_bottleneck, found.name),
	COLUMN("value", NULL, F64, PLAIN, struct hd_report_bottleneck, found.value),
	COLUMN("limit", NULL, F64, PLAIN, struct hd_report_bottleneck, found.limit),
	COLUMN("evidence", "evidence", WORD, PLAIN, struct hd_report_bottleneck, evidence, .below = true),
	COLUMN("suggestion", "suggestion", WORD, PLAIN, struct hd_report_bottleneck, suggestion, .below = true),
};

static const struct hd_report_column op_columns[] = {
	COLUMN("name", "operation", NAME, PLAIN, struct hd_report_op, op.name),
	COLUMN("count", "calls", U64, PLAIN, struct hd_report_op, op.count),
	COLUMN("open", "open", U64, PLAIN, struct hd_report_op, op.open),
	COLUMN("self_pct", "self %", F64, PERCENT, struct hd_report_op, self_pct, .bar = true),
	COLUMN("self_ns", "self", U64, NS, struct hd_report_op, op.self_ns),
	COLUMN("total_ns", "total", U64, NS, struct hd_report_op, op.total_ns),
	COLUMN("mean_ns", "mean", F64, NS, struct hd_report_op, op.mean_ns),
	COLUMN("min_ns", "min", U64, NS, struct hd_report_op, op.min_ns),
	COLUMN("max_ns", "max", U64, NS, struct hd_report_op, op.max_ns),
	COLUMN("flops", NULL, F64, PLAIN, struct hd_report_op, op.flops),
	COLUMN("bytes", NULL, F64, BYTES, struct hd_report_op, op.bytes),
	COLUMN("gflops_per_s", "GFLOP/s", F64, PLAIN, struct hd_report_op, op.gflops_per_s),
	COLUMN("gbytes_per_s", "GB/s", F64, PLAIN, struct hd_report_op, op.gbytes_per_s),
	COLUMN("threads", "threads", U32, PLAIN, struct hd_report_op, op.threads),
	COLUMN("busiest_thread_ns", NULL, U64, NS, struct hd_report_op, op.busiest_thread_ns),
};

static const struct hd_report_column alloc_columns[] = {
	COLUMN("name", "allocation", NAME, PLAIN, struct hd_alloc, name),
	COLUMN("live_bytes", "live", U64, BYTES, struct hd_alloc, live_bytes),
	COLUMN("live_blocks", "live blocks", U64, PLAIN, struct hd_alloc, live_blocks),
	COLUMN("bytes", "allocated", U64, BYTES, struct hd_alloc, bytes),
	COLUMN("blocks", "blocks", U64, PLAIN, struct hd_alloc, blocks),
	COLUMN("peak_bytes", "peak", U64, BYTES, struct hd_alloc, peak_bytes),
	COLUMN("peak_share_bytes", "at the peak of all", U64, BYTES, struct hd_alloc, peak_share_bytes),
	COLUMN("oldest_ns", "oldest", U64, NS, struct hd_alloc, oldest_ns),
	COLUMN("mean_age_ns", "mean age", U64, NS, struct hd_alloc, mean_age_ns),
};

static const struct hd_report_column alloc_sum_columns[] = {
	COLUMN("bytes", "allocated", U64, BYTES, struct hd_alloc_sum, bytes),
	COLUMN("blocks", "blocks", U64, PLAIN, struct hd_alloc_sum, blocks),
	COLUMN("peak_bytes", "peak", U64, BYTES, struct hd_alloc_sum, peak_bytes),
	COLUMN("live_bytes", "live", U64, BYTES, struct hd_alloc_sum, live_bytes),
	COLUMN("live_blocks", "live blocks", U64, PLAIN, struct hd_alloc_sum, live_blocks),
};

static const struct hd_report_column memory_columns[] = {
	COLUMN("name", "memory", WORD, PLAIN, struct hd_report_memory, name),
	COLUMN("snapshots", "snapshots", U64, PLAIN, struct hd_report_memory, snapshots),
	COLUMN("peak_bytes", "peak", U64, BYTES, struct hd_report_memory, kind.peak_bytes),
	COLUMN("mean_bytes", "mean", F64, BYTES, struct hd_report_memory, kind.mean_bytes),
	COLUMN("total_bytes", "sum of snapshots", F64, BYTES, struct hd_report_memory, kind.total_bytes),
};

/* The rows about latency have different units (two are microseconds, one is a length), so the columns have none. */
static const struct hd_report_column latency_columns[] = {
	COLUMN("name", "column", WORD, PLAIN, struct hd_report_latency, name),
	COLUMN("n", "samples", U64, PLAIN, struct hd_report_latency, stats.n),
	COLUMN("mean", "mean", F64, PLAIN, struct hd_report_latency, stats.mean),
	COLUMN("mean_lo", NULL, F64, PLAIN, struct hd_report_latency, stats.mean_lo),
	COLUMN("mean_hi", NULL, F64, PLAIN, struct hd_report_latency, stats.mean_hi),
	COLUMN("std", "std", F64, PLAIN, struct hd_report_latency, stats.std),
	COLUMN("p50", "p50", F64, PLAIN, struct hd_report_latency, stats.p50),
	COLUMN("p95", "p95", F64, PLAIN, struct hd_report_latency, stats.p95),
	COLUMN("p95_lo", NULL, F64, PLAIN, struct hd_report_latency, stats.p95_lo),
	COLUMN("p95_hi", NULL, F64, PLAIN, struct hd_report_latency, stats.p95_hi),
	COLUMN("p99", "p99", F64, PLAIN, struct hd_report_latency, stats.p99),
	COLUMN("min", "min", F64, PLAIN, struct hd_report_latency, stats.min),
	COLUMN("max", "max", F64, PLAIN, struct hd_report_latency, stats.max),
	COLUMN("outliers", "outliers", U64, PLAIN, struct hd_report_latency, stats.outliers),
};

static const struct hd_report_column power_columns[] = {
	COLUMN("source", "source", NAME, PLAIN, struct hd_power_total, source),
	COLUMN("domain", "domain", NAME, PLAIN, struct hd_power_total, domain),
	COLUMN("joules", "J", F64, PLAIN, struct hd_power_total, joules),
	COLUMN("mean_watts", "mean W", F64, PLAIN, struct hd_power_total, mean_watts),
	COLUMN("peak_watts", "peak W", F64, PLAIN, struct hd_power_total, peak_watts),
	COLUMN("duration_s", "duration", F64, SECONDS, struct hd_power_total, duration_s),
	COLUMN("n_samples", "samples", U64, PLAIN, struct hd_power_total, n_samples),
	COLUMN("failed", "failed reads", U64, PLAIN, struct hd_power_total, failed),
	COLUMN("counter", "counter", BOOL, PLAIN, struct hd_power_total, counter),
	COLUMN("added", "in the sum", BOOL, PLAIN, struct hd_power_total, added),
};

static const struct hd_report_column span_columns[] = {
	COLUMN("name", "span", NAME, PLAIN, struct hd_span_total, name),
	COLUMN("count", "count", U64, PLAIN, struct hd_span_total, count),
	COLUMN("open", "open", U64, PLAIN, struct hd_span_total, open),
	COLUMN("polls", "polls", U64, PLAIN, struct hd_span_total, polls),
	COLUMN("wakes", "wakes", U64, PLAIN, struct hd_span_total, wakes),
	COLUMN("self_wakes", "self wakes", U64, PLAIN, struct hd_span_total, self_wakes),
	COLUMN("busy_ns", "busy", U64, NS, struct hd_span_total, busy_ns),
	COLUMN("idle_ns", "idle", U64, NS, struct hd_span_total, idle_ns),
	COLUMN("scheduled_ns", "scheduled", U64, NS, struct hd_span_total, scheduled_ns),
	COLUMN("longest_poll_ns", "longest poll", U64, NS, struct hd_span_total, longest_poll_ns),
	COLUMN("longest_idle_ns", "longest idle", U64, NS, struct hd_span_total, longest_idle_ns),
	COLUMN("threads", "threads", U32, PLAIN, struct hd_span_total, threads),
};

static const struct hd_report_column duration_columns[] = {
	COLUMN("name", "event", NAME, PLAIN, struct hd_duration, name),
	COLUMN("count", "count", U64, PLAIN, struct hd_duration, count),
	COLUMN("total_ns", "total", U64, NS, struct hd_duration, total_ns),
	COLUMN("mean_ns", "mean", F64, NS, struct hd_duration, mean_ns),
	COLUMN("min_ns", "min", U64, NS, struct hd_duration, min_ns),
	COLUMN("max_ns", "max", U64, NS, struct hd_duration, max_ns),
};

static const struct hd_report_column timeline_columns[] = {
	COLUMN("events", "events", U64, PLAIN, struct hd_timeline_sum, events),
	COLUMN("kept", "kept", U64, PLAIN, struct hd_timeline_sum, kept),
	COLUMN("dropped", "dropped", U64, PLAIN, struct hd_timeline_sum, dropped),
};

static const struct hd_report_column scope_columns[] = {
	COLUMN("name", "scope", NAME, PLAIN, struct hd_report_scope, name),
	COLUMN("count", "count", U64, PLAIN, struct hd_report_scope, total.count),
	COLUMN("allocated_bytes", "allocated", U64, BYTES, struct hd_report_scope, total.allocated_bytes),
	COLUMN("freed_bytes", "freed", U64, BYTES, struct hd_report_scope, total.freed_bytes),
	COLUMN("largest_bytes", "most in one", U64, BYTES, struct hd_report_scope, total.largest_bytes),
	COLUMN("thread_allocated_bytes", "by its thread", U64, BYTES, struct hd_report_scope,
	       total.thread_allocated_bytes),
	COLUMN("thread_freed_bytes", "freed by it", U64, BYTES, struct hd_report_scope, total.thread_freed_bytes),
	COLUMN("method", "method", WORD, PLAIN, struct hd_report_scope, method),
};

/* ---- sections ---- */

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define SECTION(key_, title_, columns_, rows_, n_, ...)						\
	{ .key = (key_), .title = (title_), .columns = (columns_), .ncolumns = COUNT_OF(columns_),	\
	  .rows = (rows_), .n = (n_), .row_size = sizeof((rows_)[0]), ##__VA_ARGS__ }

size_t hd_report_content_sections(struct hd_report_section out[HD_REPORT_SECTIONS],
				  const struct hd_report_content *c)
{
	const struct hd_report_section all[HD_REPORT_SECTIONS] = {
		SECTION("bottlenecks", "Bottlenecks", bottleneck_columns, c->bottlenecks, c->nbottlenecks),
		SECTION("operations", "Operations", op_columns, c->ops, c->nops),
		SECTION("allocations", "Allocations", alloc_columns, c->allocs, c->nallocs),
		SECTION("allocation_sum", "All allocations", alloc_sum_columns, &c->alloc_sum,
			c->alloc_sum.blocks > 0, .single = true),
		SECTION("memory", "Memory", memory_columns, c->memory, c->nmemory),
		SECTION("memory_scopes", "Memory scopes", scope_columns, c->scopes, c->nscopes),
		SECTION("latency", "Latency", latency_columns, c->latency, c->nlatency),
		SECTION("power", "Power", power_columns, c->power, c->npower),
		SECTION("spans", "Spans", span_columns, c->spans, c->nspans),
		SECTION("durations", "Durations on the timeline", duration_columns, c->durations, c->ndurations),
		SECTION("timeline", "Timeline", timeline_columns, &c->timeline, c->timeline.events > 0,
			.single = true),
	};

	memcpy(out, all, sizeof(all));
	return HD_REPORT_SECTIONS;
}

/* ---- content ---- */

/*
 * Set `rows` to a new array of the rows that `get` returns, and `n` to their number.  Names that another thread adds
 * meanwhile may be missing.  If anything fails, the macro returns the status from the function that uses it.
 */
#define TAKE(rows, n, get)								\
	do {										\
		int64_t first_ = get(NULL, 0), second_;					\
											\
		if (first_ < 0)								\
			return (int)first_;						\
		(rows) = calloc(first_ ? (size_t)first_ : 1, sizeof(*(rows)));		\
		if (!(rows))								\
			return HD_TRACK_NOMEM;						\
		second_ = first_ ? get((rows), (size_t)first_) : 0;			\
		if (second_ < 0) {							\
			free(rows);							\
			(rows) = NULL;							\
			return (int)second_;						\
		}									\
		(n) = (size_t)(second_ < first_ ? second_ : first_);			\
	} while (0)

static int take_ops(struct hd_report_content *c, struct hd_profiler *p)
{
	struct hd_op *ops = NULL;
	double self = 0;

#define GET(rows, n) hd_ops(p, HD_OPS_BY_TIME, (rows), (n))
	TAKE(ops, c->nops, GET);
#undef GET
	c->ops = calloc(c->nops ? c->nops : 1, sizeof(*c->ops));
	for (size_t i = 0; c->ops && i < c->nops; i++)
		self += (double)ops[i].self_ns;
	for (size_t i = 0; c->ops && i < c->nops; i++)
		c->ops[i] = (struct hd_report_op){ ops[i], self > 0 ? 100 * (double)ops[i].self_ns / self : NAN };
	free(ops);
	return c->ops ? HD_TRACK_OK : HD_TRACK_NOMEM;
}

static int take_bottlenecks(struct hd_report_content *c, struct hd_profiler *p)
{
	struct hd_bottleneck *found = NULL;

#define GET(rows, n) hd_bottlenecks(p, NULL, (rows), (n))
	TAKE(found, c->nbottlenecks, GET);
#undef GET
	c->bottlenecks = calloc(c->nbottlenecks ? c->nbottlenecks : 1, sizeof(*c->bottlenecks));
	for (size_t i = 0; c->bottlenecks && i < c->nbottlenecks; i++) {
		struct hd_report_bottleneck *b = &c->bottlenecks[i];

		b->found = found[i];
		b->severity = hd_severity_word(found[i].severity);
		b->kind = hd_bottleneck_kind_word(found[i].kind);
		b->evidence = b->found.evidence;
		b->suggestion = b->found.suggestion;
	}
	free(found);
	return c->bottlenecks ? HD_TRACK_OK : HD_TRACK_NOMEM;
}

static int take_scopes(struct hd_report_content *c, struct hd_profiler *p)
{
	struct hd_memory_scope_total *totals;
	int64_t n = hd_memory_scope_totals(p, &totals);

	if (n < 0)
		return (int)n;
	c->scopes = calloc(n ? (size_t)n : 1, sizeof(*c->scopes));
	for (int64_t i = 0; c->scopes && i < n; i++) {
		struct hd_report_scope *s = &c->scopes[i];

		s->total = totals[i];
		s->name = s->total.name;
		s->method = totals[i].method == HD_MEMORY_HEAP_LIBRARY ? "heap library" : "malloc statistics";
	}
	c->nscopes = (size_t)n;
	free(totals);
	return c->scopes ? HD_TRACK_OK : HD_TRACK_NOMEM;
}

static int take_arrays(struct hd_report_content *c, struct hd_profiler *p)
{
	int rc = take_ops(c, p);

	if (rc >= 0)
		rc = take_bottlenecks(c, p);
	if (rc >= 0)
		rc = take_scopes(c, p);
	if (rc < 0)
		return rc;
#define GET(rows, n) hd_allocs(p, (rows), (n))
	TAKE(c->allocs, c->nallocs, GET);
#undef GET
#define GET(rows, n) hd_power_totals(p, (rows), (n))
	TAKE(c->power, c->npower, GET);
#undef GET
#define GET(rows, n) hd_span_totals(p, (rows), (n))
	TAKE(c->spans, c->nspans, GET);
#undef GET
#define GET(rows, n) hd_timeline_durations(p, (rows), (n))
	TAKE(c->durations, c->ndurations, GET);
#undef GET
	return HD_TRACK_OK;
}

static int take_memory(struct hd_report_content *c, struct hd_profiler *p)
{
	struct hd_memory_sum sum = { 0 };
	const struct hd_report_memory rows[HD_REPORT_MEMORIES] = {
		{ "rss", 0, { 0 } }, { "kv_cache", 0, { 0 } }, { "activation", 0, { 0 } }, { "temp_buffer", 0, { 0 } },
	};
	int rc = hd_memory_sum(p, &sum);

	if (rc < 0 || !sum.snapshots)
		return rc;
	memcpy(c->memory, rows, sizeof(rows));
	c->memory[0].kind = sum.rss;
	c->memory[1].kind = sum.kv_cache;
	c->memory[2].kind = sum.activation;
	c->memory[3].kind = sum.temp_buffer;
	for (size_t i = 0; i < HD_REPORT_MEMORIES; i++)
		c->memory[i].snapshots = sum.snapshots;
	c->nmemory = HD_REPORT_MEMORIES;
	return rc;
}

static int take_latency(struct hd_report_content *c, struct hd_profiler *p)
{
	static const char *const names[HD_REPORT_LATENCIES] = {
		[HD_LATENCY_WALL] = "wall_time_us",
		[HD_LATENCY_KERNEL] = "kernel_time_us",
		[HD_LATENCY_SEQ_LEN] = "seq_len",
	};

	for (int i = 0; i < HD_REPORT_LATENCIES; i++) {
		struct hd_latency_stats stats = { 0 };
		int rc = hd_latency_stats(p, (enum hd_latency_column)i, &stats);

		if (rc == HD_TRACK_NOMEM)
			return rc;
		if (rc >= 0)
			c->latency[c->nlatency++] = (struct hd_report_latency){ names[i], stats };
	}
	return HD_TRACK_OK;
}

static void read_boot_id(char out[40])
{
	int errno_was = errno, fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, out, 39) : 0;

	if (fd >= 0)
		close(fd);
	out[n > 0 ? n : 0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	errno = errno_was;
}

int hd_report_content_take(struct hd_report_content *c, struct hd_profiler *p)
{
	struct timespec now = { 0 };
	int rc;

	*c = (struct hd_report_content){ 0 };
	read_boot_id(c->boot_id);
	clock_gettime(CLOCK_REALTIME, &now);
	c->head = (struct hd_report_head){
		.program = program_invocation_short_name, .boot_id = c->boot_id, .pid = (uint64_t)getpid(),
		.timestamp_us = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000,
		.unbalanced = hd_ops_unbalanced(p),
	};
	rc = take_arrays(c, p);
	if (rc >= 0)
		rc = take_memory(c, p);
	if (rc >= 0)
		rc = take_latency(c, p);
	if (rc < 0) {
		hd_report_content_release(c);
		return rc;
	}
	hd_alloc_sum(p, &c->alloc_sum);
	hd_timeline_sum(p, &c->timeline);
	return HD_TRACK_OK;
}

void hd_report_content_release(struct hd_report_content *c)
{
	free(c->bottlenecks);
	free(c->ops);
	free(c->allocs);
	free(c->scopes);
	free(c->power);
	free(c->spans);
	free(c->durations);
	*c = (struct hd_report_content){ 0 };
}

/* ---- the interface ---- */

int hd_report_string(struct hd_profiler *p, enum hd_report_form form, char **out)
{
	struct hd_report_section sections[HD_REPORT_SECTIONS];
	struct hd_report_content content;
	struct hd_text text = { 0 };
	int rc;

	if (!out || (unsigned)form > HD_REPORT_HTML)
		return HD_TRACK_INVALID;
	*out = NULL;
	rc = hd_report_content_take(&content, p);
	if (rc < 0)
		return rc;
	hd_report_render(&text, form, &content.head, sections, hd_report_content_sections(sections, &content));
	hd_report_content_release(&content);
	return hd_text_take(&text, out);
}

int hd_report_write(struct hd_profiler *p, const char *path, enum hd_report_form form)
{
	char *text;
	int rc;

	if (!path || !*path)
		return HD_TRACK_INVALID;
	rc = hd_report_string(p, form, &text);
	if (rc < 0)
		return rc;
	rc = hd_atomic_write(path, text, strlen(text));
	free(text);
	return rc;
}
