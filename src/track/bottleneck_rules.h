/*
 * bottleneck_rules.h - find bottlenecks: compare rows of costs and rows of memory with limits
 *
 *     in.costs = rows, in.ncosts = n, in.unit = NULL;
 *     n = hd_bottleneck_rules_judge(&found, &in, &limits);
 *     for (i = 0; i < n; i++)
 *             hd_bottleneck_rules_describe(&out, &in, &limits, &found[i]);
 *     free(found);
 *
 * The rows come from a profiler of libhotdrift (bottlenecks.c) or from a sampled profile
 * (render/bottleneck_report.h).  The limits are those of hotdrift.h.  Each rule compares a value with its limits.  The
 * words of the formulas are fields of the structs below; T is the sum of `self` over all rows of costs:
 *
 *     slow-operation     100 * self / T                      above the limit
 *     high-call-count    calls                               above
 *     memory-hotspot     100 * at_peak / peak                above
 *     leak               100 * live / allocated              above; `allocated` is that of all names
 *     low-throughput     flops / self, in GFLOP/s            below; only if in->unit is NULL, so that self is in ns;
 *                                                            rows with self >= min_share_pct % of T
 *     memory-bound       flops / bytes / flops_per_byte      below; rows with self >= min_share_pct % of T
 *     load-imbalance     busiest * threads / all_threads     above; rows with all_threads >= min_share_pct % of T and
 *                                                            at least 2 threads
 *
 * A severity is reached if its limit and those of all lower severities are passed.  A value that equals a limit does
 * not pass it; nothing passes a limit that is NaN.  A number that is unknown (NaN), negative or infinite is not judged.
 *
 * Order: highest severity, then kind, then the value that is further beyond its limit, then name.
 * Thread safety: the functions share no state.
 */
#ifndef HD_TRACK_BOTTLENECK_RULES_H
#define HD_TRACK_BOTTLENECK_RULES_H

#include "track/status.h"

enum { HD_BOTTLENECK_KINDS = HD_LOAD_IMBALANCE + 1 };

/*
 * The cost of an operation or of a symbol.  An unknown value is NaN, or 0 in the fields whose comment has "0: unknown".
 */
struct hd_cost_row {
	const char *name;
	double self, total;		/* without and with what it called */
	double calls;
	double samples;			/* number of samples in a sampled profile; 0: not sampled */
	double flops, bytes;		/* 0: unknown */
	double threads;			/* number of threads that executed the operation; 0: unknown */
	double all_threads, busiest;	/* cost summed over all threads, and the largest cost of one thread */
};

/* The memory that was allocated under one name, in bytes. */
struct hd_memory_row {
	const char *name;
	double at_peak;			/* live bytes when the sum over all names was largest */
	double live, live_blocks;	/* live bytes and number of live blocks at the end */
	double oldest_ns;		/* age of the oldest live block */
};

struct hd_bottleneck_input {
	const struct hd_cost_row *costs;
	size_t ncosts;
	const char *unit;		/* unit of the costs, such as "cycles"; NULL: ns of operations */
	const struct hd_memory_row *memory;
	size_t nmemory;
	double peak, allocated;		/* largest live bytes, and allocated bytes, of all names together */
	double flops_per_byte;		/* machine balance; NaN: the rule memory-bound is skipped */
};

struct hd_bottleneck_found {
	enum hd_bottleneck_kind kind;
	enum hd_severity severity;
	size_t row;			/* index of in->costs or in->memory */
	const char *name;		/* name of that row, borrowed */
	double value;
};

/* Return true if a row needs in->flops_per_byte. */
bool hd_bottleneck_rules_need_balance(const struct hd_bottleneck_input *in, const struct hd_bottleneck_limits *limits);
/* Judge all rows.  Returns the number of results in *out, which the caller frees, or HD_TRACK_NOMEM. */
int64_t hd_bottleneck_rules_judge(struct hd_bottleneck_found **out, const struct hd_bottleneck_input *in,
				  const struct hd_bottleneck_limits *limits);
/*
 * Convert a result to the form of hotdrift.h: fill in *out, with the text of the evidence and of the suggestion.
 * out->limit is the limit of the lowest severity.  out->name is borrowed from the row.
 */
void hd_bottleneck_rules_describe(struct hd_bottleneck *out, const struct hd_bottleneck_input *in,
				  const struct hd_bottleneck_limits *limits, const struct hd_bottleneck_found *found);

/* Return the word of a kind ("slow-operation") or severity ("critical") in reports. */
const char *hd_bottleneck_kind_word(enum hd_bottleneck_kind kind);
const char *hd_severity_word(enum hd_severity severity);

#endif
