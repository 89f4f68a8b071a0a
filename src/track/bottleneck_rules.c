/*
 * bottleneck_rules.c - see bottleneck_rules.h
 */
#include "track/bottleneck_rules.h"

#include "track/quantity_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the numbers ---- */

static bool is_known(double v)
{
	return isfinite(v) && v >= 0;
}

static bool is_work(double v)
{
	return isfinite(v) && v > 0;
}

static double sum_of_self(const struct hd_bottleneck_input *in)
{
	double sum = 0;

	for (size_t i = 0; i < in->ncosts; i++)
		if (is_known(in->costs[i].self))
			sum += in->costs[i].self;
	return sum;
}

static bool is_large_enough(double cost, double sum, const struct hd_bottleneck_limits *limits)
{
	return is_work(cost) && sum > 0 && 100 * cost / sum >= limits->min_share_pct;
}

/*
 * A function of this type computes the value of a row that one rule compares with its limits.  NaN: the rule skips the
 * row.  sum: the sum of the self costs that are known.
 */
typedef double value_of(const struct hd_bottleneck_input *in, const struct hd_bottleneck_limits *limits, double sum,
			size_t row);

static double share_of_cost(const struct hd_bottleneck_input *in, const struct hd_bottleneck_limits *limits,
			    double sum, size_t row)
{
	return sum > 0 && is_known(in->costs[row].self) ? 100 * in->costs[row].self / sum : NAN;
}

static double calls(const struct hd_bottleneck_input *in, const struct hd_bottleneck_limits *limits, double sum,
		    size_t row)
{
	return in->costs[row].calls;
}

static double share_of_peak(const struct hd_bottleneck_input *in, const struct hd_bottleneck_limits *limits,
			    double sum, size_t row)
{
	return is_work(in->peak) ? 100 * in->memory[row].at_peak / in->peak : NAN;
}

static double live_share(const struct hd_bottleneck_input *in, const struct hd_bottleneck_limits *limits, double sum,
			 size_t row)
{
	return is_work(in->allocated) ? 100 * in->memory[row].live / in->allocated : NAN;
}

static double throughput(const struct hd_bottleneck_input *in, const struct hd_bottleneck_limits *limits, double sum,
			 size_t row)
{
	const struct hd_cost_row *r = &in->costs[row];

	return !in->unit && is_work(r->flops) && is_large_enough(r->self, sum, limits) ? r->flops / r->self : NAN;
}

static double intensity(const struct hd_cost_row *r)
{
	return is_work(r->flops) && is_work(r->bytes) ? r->flops / r->bytes : NAN;
}

static double share_of_balance(const struct hd_bottleneck_input *in, const struct hd_bottleneck_limits *limits,
			       double sum, size_t row)
{
	const struct hd_cost_row *r = &in->costs[row];

	return is_work(in->flops_per_byte) && is_large_enough(r->self, sum, limits) ?
		intensity(r) / in->flops_per_byte : NAN;
}

static double imbalance(const struct hd_bottleneck_input *in, const struct hd_bottleneck_limits *limits, double sum,
			size_t row)
{
	const struct hd_cost_row *r = &in->costs[row];

	return isfinite(r->threads) && r->threads >= 2 && is_large_enough(r->all_threads, sum, limits) ?
		r->busiest * r->threads / r->all_threads : NAN;
}

/* ---- the kinds ---- */

static const struct kind {
	const char *word;
	value_of *value;
	size_t limits;			/* offset of the rule's four limits in struct hd_bottleneck_limits */
	bool memory;			/* the rule judges the rows of in->memory; otherwise those of in->costs */
	bool below;			/* a value below its limit is a bottleneck; otherwise one above it */
	const char *suggestion;
} kinds[HD_BOTTLENECK_KINDS] = {
	[HD_SLOW_OPERATION] = { "slow-operation", share_of_cost, offsetof(struct hd_bottleneck_limits, slow_pct),
		.suggestion = "Make it faster first: look for a better algorithm, and at its costliest lines." },
	[HD_HIGH_CALL_COUNT] = { "high-call-count", calls, offsetof(struct hd_bottleneck_limits, calls),
		.suggestion = "Do more work in each call: process items in batches, or move the call out of the inner "
			"loop." },
	[HD_MEMORY_HOTSPOT] = { "memory-hotspot", share_of_peak, offsetof(struct hd_bottleneck_limits, memory_pct),
		.memory = true,
		.suggestion = "Allocate it later, free it earlier, reuse it, or store it in smaller types." },
	[HD_LEAK] = { "leak", live_share, offsetof(struct hd_bottleneck_limits, leak_pct), .memory = true,
		.suggestion = "Free the blocks when they are no longer used, or limit the size of the cache that "
			"keeps them." },
	[HD_LOW_THROUGHPUT] = { "low-throughput", throughput, offsetof(struct hd_bottleneck_limits, gflops_per_s),
		.below = true,
		.suggestion = "Vectorise the inner loop, remove dependences between its iterations, and keep its "
			"data in the cache." },
	[HD_MEMORY_BOUND] = { "memory-bound", share_of_balance, offsetof(struct hd_bottleneck_limits, balance_share),
		.below = true,
		.suggestion = "Use data again while it is in the cache (blocks, fused loops), or move fewer bytes "
			"(smaller types)." },
	[HD_LOAD_IMBALANCE] = { "load-imbalance", imbalance, offsetof(struct hd_bottleneck_limits, imbalance),
		.suggestion = "Divide the work by its cost instead of its count, or into smaller pieces that idle "
			"threads take." },
};

const char *hd_bottleneck_kind_word(enum hd_bottleneck_kind kind)
{
	return (unsigned)kind < HD_BOTTLENECK_KINDS ? kinds[kind].word : "unknown";
}

const char *hd_severity_word(enum hd_severity severity)
{
	static const char *const words[] = { "low", "medium", "high", "critical" };

	return (unsigned)severity < sizeof(words) / sizeof(words[0]) ? words[severity] : "unknown";
}

static const double *limits_of(const struct kind *k, const struct hd_bottleneck_limits *limits)
{
	return (const double *)(const void *)((const char *)limits + k->limits);
}

/* A rule has a limit for each of the four severities.  Return how many of these limits the value passes (0 to 4). */
static int passed(const struct kind *k, const double limit[4], double value)
{
	int n = 0;

	while (n < 4 && (k->below ? value < limit[n] : value > limit[n]))
		n++;
	return n;
}

void hd_bottleneck_limits(struct hd_bottleneck_limits *out)
{
	*out = (struct hd_bottleneck_limits){
		.size = sizeof(*out),
		.slow_pct = { 20, 25, 35, 50 },
		.calls = { 10000, 50000, 100000, INFINITY },
		.memory_pct = { 30, 45, 60, INFINITY },
		.leak_pct = { 5, 10, 25, 50 },
		.gflops_per_s = { 1, 0.1, 0.01, 0 },
		.balance_share = { 1, 0.5, 0.25, 0.1 },
		.imbalance = { 1.5, 2, 4, 8 },
		.min_share_pct = 1,
		.machine_flops_per_byte = NAN,
	};
}

/* ---- judging ---- */

static int by_severity(const void *pa, const void *pb)
{
	const struct hd_bottleneck_found *a = pa, *b = pb;
	int order;

	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->value != b->value)
		return (a->value > b->value) == kinds[a->kind].below ? 1 : -1;
	order = strcmp(a->name, b->name);
	return order ? order : (a->row > b->row) - (a->row < b->row);
}

bool hd_bottleneck_rules_need_balance(const struct hd_bottleneck_input *in, const struct hd_bottleneck_limits *limits)
{
	double sum = sum_of_self(in);

	for (size_t i = 0; i < in->ncosts; i++)
		if (is_known(intensity(&in->costs[i])) && is_large_enough(in->costs[i].self, sum, limits))
			return true;
	return false;
}

/* Judge all rows by all rules.  If out is not NULL, write the results to it.  Returns the number of results. */
static size_t judge(struct hd_bottleneck_found *out, const struct hd_bottleneck_input *in,
		    const struct hd_bottleneck_limits *limits)
{
	double sum = sum_of_self(in);
	size_t n = 0;

	for (int k = 0; k < HD_BOTTLENECK_KINDS; k++) {
		size_t rows = kinds[k].memory ? in->nmemory : in->ncosts;

		for (size_t i = 0; i < rows; i++) {
			double value = kinds[k].value(in, limits, sum, i);
			int severity = is_known(value) ? passed(&kinds[k], limits_of(&kinds[k], limits), value) : 0;

			if (!severity)
				continue;
			if (out)
				out[n] = (struct hd_bottleneck_found){
					(enum hd_bottleneck_kind)k, (enum hd_severity)(severity - 1), i,
					kinds[k].memory ? in->memory[i].name : in->costs[i].name, value,
				};
			n++;
		}
	}
	return n;
}

int64_t hd_bottleneck_rules_judge(struct hd_bottleneck_found **out, const struct hd_bottleneck_input *in,
				  const struct hd_bottleneck_limits *limits)
{
	size_t n = judge(NULL, in, limits);

	*out = calloc(n ? n : 1, sizeof(**out));
	if (!*out)
		return HD_TRACK_NOMEM;
	judge(*out, in, limits);
	qsort(*out, n, sizeof(**out), by_severity);
	return (int64_t)n;
}

/* ---- sentences ---- */

static const char *plural(double n)
{
	return n == 1 ? "" : "s";
}

/* Write a cost with its unit. */
static char *cost_text(char out[HD_QUANTITY_TEXT], const struct hd_bottleneck_input *in, double cost)
{
	size_t n;

	if (!in->unit || !strcmp(in->unit, "ns"))
		return hd_quantity_ns(out, cost);
	if (!strcmp(in->unit, "bytes"))
		return hd_quantity_bytes(out, cost);
	hd_quantity_count(out, cost);
	n = strlen(out);
	snprintf(out + n, HD_QUANTITY_TEXT - n, " %s", in->unit);
	return out;
}

static void describe_slow(struct hd_bottleneck *b, const struct hd_bottleneck_input *in, const struct hd_cost_row *r)
{
	char share[HD_QUANTITY_TEXT], cost[HD_QUANTITY_TEXT], count[HD_QUANTITY_TEXT];
	double n = r->samples > 0 ? r->samples : r->calls;

	snprintf(b->evidence, sizeof(b->evidence), "takes %s %% of %s: %s", hd_quantity_tenths(share, b->value),
		 in->unit ? "the event" : "the time of all operations", cost_text(cost, in, r->self));
	if (!is_work(n))
		return;
	snprintf(b->evidence + strlen(b->evidence), sizeof(b->evidence) - strlen(b->evidence), " in %s %s%s",
		 hd_quantity_count(count, n), r->samples > 0 ? "sample" : "call", plural(n));
}

static void describe_calls(struct hd_bottleneck *b, const struct hd_bottleneck_input *in, const struct hd_cost_row *r)
{
	char count[HD_QUANTITY_TEXT], each[HD_QUANTITY_TEXT];

	snprintf(b->evidence, sizeof(b->evidence), "was called %s times", hd_quantity_count(count, b->value));
	if (is_known(r->total))
		snprintf(b->evidence + strlen(b->evidence), sizeof(b->evidence) - strlen(b->evidence), ", %s each",
			 cost_text(each, in, r->total / b->value));
}

static void describe_peak(struct hd_bottleneck *b, const struct hd_bottleneck_input *in,
			  const struct hd_memory_row *r)
{
	char share[HD_QUANTITY_TEXT], bytes[HD_QUANTITY_TEXT], peak[HD_QUANTITY_TEXT];

	snprintf(b->evidence, sizeof(b->evidence), "held %s of the %s that were live at the peak, %s %%",
		 hd_quantity_bytes(bytes, r->at_peak), hd_quantity_bytes(peak, in->peak),
		 hd_quantity_tenths(share, b->value));
}

static void describe_leak(struct hd_bottleneck *b, const struct hd_bottleneck_input *in,
			  const struct hd_memory_row *r)
{
	char share[HD_QUANTITY_TEXT], bytes[HD_QUANTITY_TEXT], blocks[HD_QUANTITY_TEXT], age[HD_QUANTITY_TEXT];

	snprintf(b->evidence, sizeof(b->evidence), "%s are not freed, %s %% of all allocated bytes",
		 hd_quantity_bytes(bytes, r->live), hd_quantity_tenths(share, b->value));
	if (is_work(r->live_blocks))
		snprintf(b->evidence + strlen(b->evidence), sizeof(b->evidence) - strlen(b->evidence),
			 " (%s block%s)", hd_quantity_count(blocks, r->live_blocks), plural(r->live_blocks));
	if (is_work(r->oldest_ns))
		snprintf(b->evidence + strlen(b->evidence), sizeof(b->evidence) - strlen(b->evidence),
			 "; the oldest is %s old", hd_quantity_ns(age, r->oldest_ns));
}

static void describe_throughput(struct hd_bottleneck *b, const struct hd_bottleneck_input *in,
				const struct hd_cost_row *r)
{
	char rate[HD_QUANTITY_TEXT], flops[HD_QUANTITY_TEXT], time[HD_QUANTITY_TEXT];

	snprintf(b->evidence, sizeof(b->evidence), "computes %s GFLOP/s in its own time: %s FLOPs in %s",
		 hd_quantity_real(rate, b->value), hd_quantity_real(flops, r->flops), hd_quantity_ns(time, r->self));
}

static void describe_intensity(struct hd_bottleneck *b, const struct hd_bottleneck_input *in,
			       const struct hd_cost_row *r)
{
	char mine[HD_QUANTITY_TEXT], balance[HD_QUANTITY_TEXT];

	snprintf(b->evidence, sizeof(b->evidence),
		 "does %s FLOPs per byte; one thread of this machine computes %s in the time of one byte",
		 hd_quantity_real(mine, intensity(r)), hd_quantity_real(balance, in->flops_per_byte));
}

static void describe_imbalance(struct hd_bottleneck *b, const struct hd_bottleneck_input *in,
			       const struct hd_cost_row *r)
{
	char cost[HD_QUANTITY_TEXT], times[HD_QUANTITY_TEXT], threads[HD_QUANTITY_TEXT];

	snprintf(b->evidence, sizeof(b->evidence), "its busiest thread has %s, %s times the mean of its %s threads",
		 cost_text(cost, in, r->busiest), hd_quantity_real(times, b->value),
		 hd_quantity_count(threads, r->threads));
}

void hd_bottleneck_rules_describe(struct hd_bottleneck *out, const struct hd_bottleneck_input *in,
				  const struct hd_bottleneck_limits *limits, const struct hd_bottleneck_found *found)
{
	const struct kind *k = &kinds[found->kind];

	*out = (struct hd_bottleneck){
		.kind = found->kind, .severity = found->severity, .name = found->name,
		.value = found->value, .limit = limits_of(k, limits)[HD_SEVERITY_LOW],
	};
	switch (found->kind) {
	case HD_SLOW_OPERATION:	describe_slow(out, in, &in->costs[found->row]); break;
	case HD_HIGH_CALL_COUNT: describe_calls(out, in, &in->costs[found->row]); break;
	case HD_MEMORY_HOTSPOT:	describe_peak(out, in, &in->memory[found->row]); break;
	case HD_LEAK:		describe_leak(out, in, &in->memory[found->row]); break;
	case HD_LOW_THROUGHPUT:	describe_throughput(out, in, &in->costs[found->row]); break;
	case HD_MEMORY_BOUND:	describe_intensity(out, in, &in->costs[found->row]); break;
	case HD_LOAD_IMBALANCE:	describe_imbalance(out, in, &in->costs[found->row]); break;
	}
	snprintf(out->suggestion, sizeof(out->suggestion), "%s", k->suggestion);
}
