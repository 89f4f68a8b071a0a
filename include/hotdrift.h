/*
 * hotdrift.h - libhotdrift: measure from inside of a program
 *
 *     #include <hotdrift.h>
 *
 *     void parse(struct input *in)
 *     {
 *             HD_SCOPE("parse");                          measured until the end of this block
 *             ...
 *     }
 *     ...
 *     hd_report_write(HD_GLOBAL, "report.json", HD_REPORT_JSON);          hotdrift add --report report.json
 *
 * A profiler owns everything that is recorded: operations, allocations by name, a timeline, spans, memory snapshots,
 * latency and power samples.  Functions that record or report such data take the profiler as their first argument.
 * HD_GLOBAL is the profiler of the process; its first use creates it.
 *
 * Errors:        functions that can fail return 0 or more, or a negative enum hd_track_status.  The library never
 *                exits, prints, or changes signals or their handlers.  A call that succeeds does not change errno,
 *                except those that open or read power sources or a GPU.
 * Arrays:        functions with `out` and `cap` write at most `cap` rows.  They return the number of all rows, which
 *                may be larger than `cap`, or a negative status.  If `cap` is 0, `out` may be NULL.
 * Thread safety: every function may be called by any thread at any time, except hd_profiler_free().  One
 *                hd_latency_timer or hd_memory_scope must not be used by two threads at once.
 * Names:         copied when they are first seen; cut to HD_NAME_BYTES - 1 bytes.  Names in results belong to the
 *                profiler and are valid until it is freed.
 * Units:         part of the names: _ns, _us, _bytes, _watts, _joules.  Times of the timeline, spans and operations are
 *                CLOCK_MONOTONIC.  In CSV files, timestamp_us is microseconds since 1970; t_ns is described with the
 *                function that writes it.
 * ABI:           configuration structures begin with `size`, which the caller sets with sizeof, so that later versions
 *                can add fields at the end.  All functions are C; see the end for the C++ class.
 *
 * Link with `pkg-config --cflags --libs hotdrift`.  Needs the C library only.
 */
#ifndef HOTDRIFT_H
#define HOTDRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)	/* the library itself is compiled with hidden visibility */
#endif

#define HD_TRACK_ABI 1

enum hd_track_status {
	HD_TRACK_OK = 0,
	HD_TRACK_NOMEM = -1,
	HD_TRACK_NONE = -2,		/* there is no value, or no such source or device */
	HD_TRACK_FULL = -3,		/* a table is full, data was dropped, or a power source is in use already */
	HD_TRACK_INVALID = -4,		/* an argument is invalid: for example a NaN, an empty name, or a size of 0 */
	HD_TRACK_ORDER = -5,		/* the call is not valid now, for example a stop without a start */
	HD_TRACK_IO = -6,		/* a file cannot be written or read; errno has the reason */
	HD_TRACK_UNSUPPORTED = -7,	/* the machine, the driver or the C library lacks what the function needs */
};

/* Return a short English text for a status; the string is a constant. */
const char *hd_track_status_text(int status);

/* ------------------------------------------------------------------------------------------------------ profilers */

enum { HD_NAME_BYTES = 128 };

struct hd_profiler;				/* opaque */
#define HD_GLOBAL ((struct hd_profiler *)0)	/* the profiler of the process */

struct hd_profiler_config {
	size_t size;			/* sizeof(struct hd_profiler_config) */
	size_t timeline_events;		/* capacity in events (0: 65,536); if it is full, the oldest are dropped */
	size_t names_max;		/* largest number of distinct names of each kind; 0: 16,384 */
	bool trace_ops;			/* each operation adds a BEGIN and an END to the timeline */
};

/* Create a profiler, which the caller owns.  `config` may be NULL.  Returns HD_TRACK_OK, NOMEM or INVALID. */
int hd_profiler_new(struct hd_profiler **out, const struct hd_profiler_config *config);
/* Free a profiler.  Does nothing for NULL.  No other thread may use the profiler any more. */
void hd_profiler_free(struct hd_profiler *p);
/*
 * Drop all recorded data.  Open operations and spans stay open, but their time before the reset is not counted.  Blocks
 * of hd_record_alloc() are dropped, so hd_record_free() returns HD_TRACK_ORDER for them.
 */
int hd_profiler_reset(struct hd_profiler *p);

/* ----------------------------------------------------------------------------------------------------- operations */

/*
 * Begin and end an operation of the calling thread.  Operations nest and may be recursive: stop ends the innermost open
 * one of that name.  Operations inside of it that are still open end as well, and hd_ops_unbalanced() counts them.
 * `flops` and `bytes` are the work of this call, 0 if unknown.  A stop returns HD_TRACK_ORDER if the thread has no open
 * operation of that name.  After the first call of a name on a thread, memory is allocated only if operations nest deeper
 * than before.
 */
int hd_op_start(struct hd_profiler *p, const char *name);
int hd_op_stop(struct hd_profiler *p, const char *name);
int hd_op_stop_work(struct hd_profiler *p, const char *name, double flops, double bytes);

/* Totals of one name over all threads. */
struct hd_op {
	const char *name;
	uint64_t count;			/* number of calls that have ended */
	uint64_t open;			/* number of calls that have not ended */
	uint64_t total_ns;		/* time with nested operations; a recursive call counts once */
	uint64_t self_ns;		/* time without nested operations */
	uint64_t min_ns, max_ns;	/* time of one call, with nested operations */
	double mean_ns;
	double flops, bytes;
	/* computed from total_ns; NaN if the flops or bytes, or the time, are 0 */
	double gflops_per_s, gbytes_per_s;
	uint32_t threads;		/* number of threads that called the operation */
	uint64_t busiest_thread_ns;	/* the largest total_ns of one thread */
};

enum hd_op_order { HD_OPS_BY_TIME, HD_OPS_BY_CALLS, HD_OPS_BY_FLOPS };

/* Write the first `cap` operations to `out`: largest first in the given order, equal ones by name. */
int64_t hd_ops(struct hd_profiler *p, enum hd_op_order order, struct hd_op *out, size_t cap);
/* Return the number of operations that an outer stop ended, or that a thread left open when it exited. */
uint64_t hd_ops_unbalanced(struct hd_profiler *p);

/* ---------------------------------------------------------------------------------------------------- allocations */

/*
 * Record a block of `bytes` under a name.  The address identifies the block and is never dereferenced.  If a
 * block with this address is already recorded, the old block counts as freed.  hd_record_free() returns HD_TRACK_ORDER
 * for an unknown address.
 */
int hd_record_alloc(struct hd_profiler *p, const char *name, const void *address, uint64_t bytes);
int hd_record_free(struct hd_profiler *p, const void *address);

struct hd_alloc {
	const char *name;
	uint64_t blocks, bytes;			/* blocks and bytes that were recorded in total */
	uint64_t live_blocks, live_bytes;	/* blocks and bytes that are not freed */
	uint64_t peak_bytes;			/* largest live_bytes of this name */
	/* live_bytes of this name when those of all names together were largest */
	uint64_t peak_share_bytes;
	/* ages of the live blocks: the largest one, and the mean; 0 if there are none */
	uint64_t oldest_ns, mean_age_ns;
};

struct hd_alloc_sum {
	uint64_t blocks, bytes, live_blocks, live_bytes, peak_bytes;
};

/*
 * Write the `cap` names with the most live bytes to `out`, largest first.  Blocks that are live at the end of a program
 * are its leaks.
 */
int64_t hd_allocs(struct hd_profiler *p, struct hd_alloc *out, size_t cap);
int hd_alloc_sum(struct hd_profiler *p, struct hd_alloc_sum *out);

/* ------------------------------------------------------------------------------------------------------- timeline */

enum hd_event_kind { HD_EVENT_BEGIN, HD_EVENT_END, HD_EVENT_INSTANT, HD_EVENT_ALLOC, HD_EVENT_FREE, HD_EVENT_CUSTOM };
enum { HD_EVENT_ARGS = 4 };

struct hd_event_arg {
	const char *key;
	const char *text;		/* if not NULL, the value is this text; else it is `number` */
	double number;
};

/*
 * Add an event of the calling thread, now.  The caller of an ALLOC or FREE passes the number of bytes as an argument
 * with the key "bytes".  HD_TRACK_FULL: the event was added without some arguments, because there are more than
 * HD_EVENT_ARGS, a key is empty, memory is short, or names_max is reached for a new key or text.  If names_max prevents
 * `name` itself, FULL is returned as well and there is no event.
 */
int hd_event(struct hd_profiler *p, enum hd_event_kind kind, const char *name, const struct hd_event_arg *args,
	     size_t n);

struct hd_timeline_sum {
	uint64_t events;		/* number of events that were added in total */
	uint64_t kept, dropped;		/* numbers of events; dropped ones were overwritten by newer ones */
};

struct hd_duration {
	const char *name;
	uint64_t count, total_ns, min_ns, max_ns;	/* durations of the pairs of BEGIN and END that are both kept */
	double mean_ns;
};

enum hd_timeline_form { HD_TIMELINE_CHROME, HD_TIMELINE_PERFETTO };

int hd_timeline_sum(struct hd_profiler *p, struct hd_timeline_sum *out);
/*
 * Write the durations by name to `out`, largest total first.  A BEGIN without an END of its own ends with the END of the
 * operation around it.
 */
int64_t hd_timeline_durations(struct hd_profiler *p, struct hd_duration *out, size_t cap);
/*
 * Write the kept events to a file, atomically, in the JSON form of Chrome or the protobuf form of Perfetto.  An END
 * whose BEGIN is not kept is skipped.
 */
int hd_timeline_write(struct hd_profiler *p, const char *path, enum hd_timeline_form form);

/* ---------------------------------------------------------------------------------------------------------- spans */

/*
 * A span is a task of an asynchronous program: it may begin, run and end on different threads.  It is busy between
 * hd_span_enter() and hd_span_leave() (one poll of a future, one resume of a coroutine) and idle otherwise.
 */
typedef uint64_t hd_span_id;			/* 0: no span */

/* Return the new span in *id.  `parent` is a span or 0. */
int hd_span_begin(struct hd_profiler *p, const char *name, hd_span_id parent, hd_span_id *id);
/* The thread that entered a span must leave it; on another thread hd_span_leave() returns HD_TRACK_ORDER. */
int hd_span_enter(struct hd_profiler *p, hd_span_id id);
int hd_span_leave(struct hd_profiler *p, hd_span_id id);
/*
 * Record that the span became ready to run.  `waker` is the span that caused it; 0: no span, but for example a timer.
 */
int hd_span_wake(struct hd_profiler *p, hd_span_id id, hd_span_id waker);
/* End a span.  If it is busy, its current poll ends as well. */
int hd_span_end(struct hd_profiler *p, hd_span_id id);

struct hd_span_total {			/* sums over all spans of one name */
	const char *name;
	uint64_t count, open;
	uint64_t polls, wakes, self_wakes;	/* self_wakes: wakes by the span itself */
	uint64_t busy_ns, idle_ns;
	uint64_t scheduled_ns;			/* part of idle_ns: from a wake to the next poll */
	uint64_t longest_poll_ns, longest_idle_ns;
	uint32_t threads;			/* number of threads that polled spans of this name, at most 1,024 */
};

struct hd_span_waker {			/* how often spans named `waker` woke spans named `name` */
	const char *name;
	const char *waker;		/* NULL: wakes without a waker, for example by timers */
	uint64_t wakes;
};

/*
 * Write the first `cap` names of spans to `out`, longest busy time first.  A poll or a wait that has not ended counts
 * up to now.
 */
int64_t hd_span_totals(struct hd_profiler *p, struct hd_span_total *out, size_t cap);
/* Write the first `cap` pairs of names to `out`, most wakes first. */
int64_t hd_span_wakers(struct hd_profiler *p, struct hd_span_waker *out, size_t cap);
/*
 * Write the polls as CSV: t_ns,duration_ns,pid,tid,span,parent,name with t_ns in CLOCK_MONOTONIC.  `hotdrift report
 * --spans FILE` joins them with a recording of `profile.sh async` by thread and time.  At most timeline_events polls
 * are kept.  HD_TRACK_FULL: the file was written, but older polls were dropped.
 */
int hd_spans_write_csv(struct hd_profiler *p, const char *path);

/* --------------------------------------------------------------------------------------------------------- memory */

struct hd_memory_snapshot {
	uint64_t timestamp_us;		/* time of the snapshot in microseconds since 1970 */
	uint64_t rss_bytes;		/* resident memory of this process now, from /proc/self/statm */
	uint64_t peak_rss_bytes;	/* largest resident memory so far: VmHWM of /proc/self/status; it never falls */
	uint64_t kv_cache_bytes, activation_bytes, temp_buffer_bytes;	/* as the caller passed them */
};

/*
 * Take a snapshot and keep it.  The caller passes the bytes of three classes of its memory, 0 for a class that it does
 * not use.  `out` may be NULL.
 */
int hd_memory_snap(struct hd_profiler *p, uint64_t kv_cache_bytes, uint64_t activation_bytes,
		   uint64_t temp_buffer_bytes, struct hd_memory_snapshot *out);

struct hd_memory_kind {
	uint64_t peak_bytes;
	double mean_bytes;
	double total_bytes;		/* sum of the values in all snapshots, in bytes */
};

struct hd_memory_sum {
	uint64_t snapshots;
	struct hd_memory_kind rss, kv_cache, activation, temp_buffer;
};

int hd_memory_sum(struct hd_profiler *p, struct hd_memory_sum *out);
/* Write the snapshots as CSV: timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes. */
int hd_memory_write_csv(struct hd_profiler *p, const char *path);

/* The start values of a scope, which measures allocations between hd_memory_scope_start() and _stop(). */
struct hd_memory_scope {
	uint64_t private_[8];		/* private to the library */
};

enum hd_memory_method {
	/* libhotdrift-heap.so is preloaded and records every allocation: exact, for the thread and the process */
	HD_MEMORY_HEAP_LIBRARY,
	HD_MEMORY_MALLOC_STATISTICS,	/* mallinfo2(): change of the bytes in use, only for the whole process */
};

/* The bytes that were allocated and freed in between. */
struct hd_memory_scope_result {
	enum hd_memory_method method;
	uint64_t thread_allocated_bytes, thread_freed_bytes;	/* 0 if unknown */
	/* of all threads; with mallinfo2(): growth or shrinkage of the bytes in use */
	uint64_t allocated_bytes, freed_bytes;
	int64_t rss_delta_bytes;	/* growth of the resident memory; 0 if unknown */
};

/*
 * Start and stop a scope.  The stop adds the result to the totals of `name` in reports, and sets *out, which may be NULL.
 * HD_TRACK_ORDER: the scope was not started in this process.  UNSUPPORTED: neither method is available.
 */
int hd_memory_scope_start(struct hd_profiler *p, struct hd_memory_scope *scope);
int hd_memory_scope_stop(struct hd_profiler *p, struct hd_memory_scope *scope, const char *name,
			 struct hd_memory_scope_result *out);

/* ------------------------------------------------------------------------------------------------------------ GPU */

struct hd_gpu_memory {
	uint64_t used_bytes, free_bytes, total_bytes;	/* of the whole device, all processes */
	/* used_bytes minus used_bytes of the previous call for the same profiler and device; 0 in the first call */
	int64_t delta_bytes;
};

/*
 * Read the memory of a GPU by NVML, which is loaded at run time.  HD_TRACK_NONE: there is no such device, or the driver
 * is not loaded.  UNSUPPORTED: NVML is missing or cannot be used, or it does not report the memory of this device.
 */
int hd_gpu_memory(struct hd_profiler *p, unsigned device, struct hd_gpu_memory *out);
/*
 * Call cuProfilerStart() or cuProfilerStop() of the CUDA driver if the program has loaded it.  HD_TRACK_UNSUPPORTED:
 * the program has not loaded it, or the call failed.  ORDER: CUDA is not initialised, or the thread has no CUDA
 * context.
 */
int hd_gpu_capture_start(void);
int hd_gpu_capture_stop(void);

/* -------------------------------------------------------------------------------------------------------- latency */

struct hd_latency {
	uint64_t sample_id;
	double wall_time_us, kernel_time_us;
	uint64_t seq_len;
};

int hd_latency_add(struct hd_profiler *p, const struct hd_latency *sample);

/*
 * A timer for one sample: wall time by CLOCK_MONOTONIC, kernel_time_us by CLOCK_THREAD_CPUTIME_ID of the calling
 * thread.
 */
struct hd_latency_timer {
	uint64_t private_[4];		/* private to the library */
};

int hd_latency_start(struct hd_latency_timer *timer);
/*
 * End the timer and add its sample.  If kernel_time_us is negative, the CPU time since the start is used.  `out` may be
 * NULL.  HD_TRACK_ORDER: the timer does not run, or the CPU time is wanted and another thread started the timer.
 */
int hd_latency_stop(struct hd_profiler *p, struct hd_latency_timer *timer, uint64_t sample_id, uint64_t seq_len,
		    double kernel_time_us, struct hd_latency *out);

enum hd_latency_column { HD_LATENCY_WALL, HD_LATENCY_KERNEL, HD_LATENCY_SEQ_LEN };

/*
 * Statistics as `hotdrift stats` computes them (src/stats/summary.h): std divides by n, percentiles are by nearest
 * rank.
 */
struct hd_latency_stats {
	uint64_t n, outliers;
	double mean, std, p50, p95, p99, min, max;
	double mean_lo, mean_hi, p95_lo, p95_hi;	/* 95 % intervals; NaN where none exists */
};

int hd_latency_stats(struct hd_profiler *p, enum hd_latency_column column, struct hd_latency_stats *out);
/* Write the samples as CSV: sample_id,wall_time_us,kernel_time_us,seq_len. */
int hd_latency_write_csv(struct hd_profiler *p, const char *path);

/* ---------------------------------------------------------------------------------------------------------- power */

/*
 * A source of power: exactly one of the two functions is set.  They return HD_TRACK_OK or a negative status.  They must
 * not call hd_power_*() for the same profiler, because its lock is held.
 */
struct hd_watt_source {
	size_t size;					/* sizeof(struct hd_watt_source) */
	const char *name;
	int (*read_watts)(void *arg, double *watts);
	int (*read_joules)(void *arg, double *joules);	/* a counter that never falls */
	void *arg;
};

/*
 * Add a source of power.  Sources must be added before the first sample; afterwards the result is HD_TRACK_ORDER.
 * NONE: this machine has no readable domain of RAPL or NVML.  FULL: the profiler already has this source, or too many
 * domains.
 */
int hd_power_use(struct hd_profiler *p, const struct hd_watt_source *source);
int hd_power_use_rapl(struct hd_profiler *p);
int hd_power_use_nvml(struct hd_profiler *p);
int hd_power_use_constant(struct hd_profiler *p, double watts);

/*
 * Read all sources now.  HD_TRACK_NONE: there are no sources.  FULL: the profiler has 4,194,304 readings of domains, and
 * drops further ones.  A reading that fails is no error; hd_power_totals() counts it.
 */
int hd_power_sample(struct hd_profiler *p);
/*
 * Start a thread of the library that reads all power sources every `interval_us`, until hd_power_stop().  All signals
 * are blocked in this thread.
 */
int hd_power_start(struct hd_profiler *p, uint64_t interval_us);
int hd_power_stop(struct hd_profiler *p);

struct hd_power_total {
	const char *source, *domain;
	double joules, mean_watts, peak_watts, duration_s;
	uint64_t n_samples, failed;
	/* true: the joules are from a counter of the source; false: integrated from watts */
	bool counter;
	bool added;			/* false: not part of a sum, for example because another domain contains it */
};

int64_t hd_power_totals(struct hd_profiler *p, struct hd_power_total *out, size_t cap);
/* Write the samples as CSV: t_ns,source,domain,watts,joules_cum,stale.  t_ns is nanoseconds since 1970. */
int hd_power_write_csv(struct hd_profiler *p, const char *path);

/* --------------------------------------------------------------------------------------- results, fingerprints */

/*
 * The results for one setting of a sweep.  The fields are the columns of the CSV file.  The caller sets a value that
 * was not measured to NaN, and hd_sweep_write_csv() writes it as 0.
 */
struct hd_sweep_row {
	const char *setting;
	double coherence_delta, kv_cache_reduction, peak_mem_reduction, energy_reduction, p95_latency_us, accuracy;
};

/* Write rows to a CSV file.  *unmeasured becomes the number of values that were NaN; `unmeasured` may be NULL. */
int hd_sweep_write_csv(const char *path, const struct hd_sweep_row *rows, size_t n, size_t *unmeasured);

enum { HD_DIGEST_TEXT = 65 };
/* text of a 32-bit float: as serde_json writes it before version 1.0.147 (RYU), or from that version on (ZMIJ) */
enum hd_float_form { HD_FLOAT_RYU, HD_FLOAT_ZMIJ };

/*
 * Compute the fingerprint of a configuration (JSON), as `hotdrift hash` prints it: `out` becomes 64 hexadecimal digits
 * and a NUL.  Returns HD_TRACK_OK, NOMEM or INVALID.  INVALID: an argument is NULL or unknown, the text is not valid
 * JSON, is too large or nested too deeply, or a value has the wrong type or is out of range.
 */
int hd_config_digest(const char *json, size_t n, enum hd_float_form form, char out[HD_DIGEST_TEXT]);

/* ---------------------------------------------------------------------------------------------------- bottlenecks */

enum hd_bottleneck_kind {
	HD_SLOW_OPERATION,		/* share of the operation's self time in that of all operations */
	HD_HIGH_CALL_COUNT,
	HD_MEMORY_HOTSPOT,		/* share of the peak memory */
	HD_LEAK,			/* live bytes of the name, as a share of the bytes that all names allocated */
	HD_LOW_THROUGHPUT,		/* GFLOP/s, computed from the operation's self time */
	HD_MEMORY_BOUND,		/* FLOPs per byte are below the balance of the machine */
	HD_LOAD_IMBALANCE,		/* time of the busiest thread against the mean of all threads that called it */
};

enum hd_severity { HD_SEVERITY_LOW, HD_SEVERITY_MEDIUM, HD_SEVERITY_HIGH, HD_SEVERITY_CRITICAL };

/* Limits for the severities LOW, MEDIUM, HIGH and CRITICAL.  hd_bottleneck_limits() fills in the defaults below. */
struct hd_bottleneck_limits {
	size_t size;
	double slow_pct[4];		/* 20, 25, 35, 50 % of the time */
	double calls[4];		/* 10,000, 50,000, 100,000, infinite */
	double memory_pct[4];		/* 30, 45, 60, infinite: % of the peak memory */
	double leak_pct[4];		/* 5, 10, 25, 50 % of the bytes that all names allocated */
	/*
	 * In gflops_per_s and balance_share, a value below the limit is a finding; in the other limits, a value above
	 * it.
	 */
	double gflops_per_s[4];		/* 1, 0.1, 0.01, 0 */
	/*
	 * default 1, 0.5, 0.25, 0.1: FLOPs per byte of the operation, divided by machine_flops_per_byte
	 */
	double balance_share[4];
	double imbalance[4];		/* 1.5, 2, 4, 8 times the mean */
	/*
	 * default 1: an operation with a smaller percentage of the time cannot be HD_LOW_THROUGHPUT, HD_MEMORY_BOUND or
	 * HD_LOAD_IMBALANCE
	 */
	double min_share_pct;
	/* FLOPs that the machine can compute per byte that it reads; NaN: measured by hd_machine_balance() */
	double machine_flops_per_byte;
};

struct hd_bottleneck {
	enum hd_bottleneck_kind kind;
	enum hd_severity severity;
	const char *name;		/* name of the operation or allocation */
	double value, limit;		/* in the unit of struct hd_bottleneck_limits; limit: that of severity LOW */
	char evidence[192];		/* "takes 41.2 % of the time of all operations: 1.23 s in 500 calls" */
	char suggestion[192];
};

void hd_bottleneck_limits(struct hd_bottleneck_limits *out);
/*
 * Find bottlenecks in the recorded operations and allocations, and write the `cap` worst ones to `out`, worst first.
 * If `limits` is NULL, the defaults are used.
 */
int64_t hd_bottlenecks(struct hd_profiler *p, const struct hd_bottleneck_limits *limits, struct hd_bottleneck *out,
		       size_t cap);

struct hd_machine_balance {
	double flops_per_s, bytes_per_s;	/* of one thread, for multiply-adds of doubles and reads of 64 MiB */
};

/*
 * Measure the speed of this machine.  The first call in a process takes about 50 ms; later calls return the same
 * numbers.
 */
int hd_machine_balance(struct hd_machine_balance *out);

/* -------------------------------------------------------------------------------------------------------- reports */

enum hd_report_form { HD_REPORT_TEXT, HD_REPORT_JSON, HD_REPORT_MARKDOWN, HD_REPORT_HTML };

/*
 * Write a report of the recorded data atomically: a new file, then a rename.  An existing file is replaced as a whole.
 */
int hd_report_write(struct hd_profiler *p, const char *path, enum hd_report_form form);
/* Return the report as a string that the caller frees with free(). */
int hd_report_string(struct hd_profiler *p, enum hd_report_form form, char **out);

/* ---------------------------------------------------------------------------------------------------------- guards */

struct hd_scope {
	struct hd_profiler *p;
	const char *name;		/* NULL: there is nothing to stop; hd_op_start() failed, or the scope ended */
};

struct hd_scope hd_scope_start(struct hd_profiler *p, const char *name);
void hd_scope_stop(struct hd_scope *scope);

#define HD_JOIN_(a, b) a##b
#define HD_JOIN(a, b) HD_JOIN_(a, b)
#if defined(__GNUC__) && !defined(__cplusplus)
/* Measure the rest of the enclosing block as an operation.  This uses the cleanup attribute of gcc and clang. */
#define HD_SCOPE_IN(p, name) \
	struct hd_scope HD_JOIN(hd_scope_, __LINE__) __attribute__((cleanup(hd_scope_stop), unused)) = \
		hd_scope_start((p), (name))
#define HD_SCOPE(name) HD_SCOPE_IN(HD_GLOBAL, name)
#endif

/* Return CLOCK_MONOTONIC in nanoseconds. */
uint64_t hd_now_ns(void);

/* Execute `call`, a call or statement, as an operation of that name.  elapsed_ms, a double, becomes its time in ms. */
#define HD_TIME_CALL(p, name, elapsed_ms, call) \
	do { \
		uint64_t hd_begin_ns_ = hd_now_ns(); \
		hd_op_start((p), (name)); \
		call; \
		hd_op_stop((p), (name)); \
		(elapsed_ms) = (double)(hd_now_ns() - hd_begin_ns_) / 1e6; \
	} while (0)

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}

namespace hotdrift {

/* An object of this class measures from its construction to its destruction.  The name must outlive it. */
class scope {
public:
	explicit scope(const char *name, hd_profiler *p = HD_GLOBAL) : scope_(hd_scope_start(p, name)) {}
	~scope() { hd_scope_stop(&scope_); }
	scope(const scope &) = delete;
	scope &operator=(const scope &) = delete;

private:
	hd_scope scope_;
};

} // namespace hotdrift

#define HD_SCOPE_IN(p, name) ::hotdrift::scope HD_JOIN(hd_scope_, __LINE__)((name), (p))
#define HD_SCOPE(name) HD_SCOPE_IN(HD_GLOBAL, name)
#endif

#endif
