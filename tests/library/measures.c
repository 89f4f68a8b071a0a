/*
 * measures.c - use libhotdrift: write CSV files into the current folder, and print the statistics that the library
 * computes
 *
 * Each line of the output is "NAME VALUE" with 17 digits.  The test compares it with what hotdrift computes from the
 * files.
 */
#include <hotdrift.h>

#include <stdio.h>
#include <string.h>

static int fails(const char *what, int status)
{
	if (status < 0)
		fprintf(stderr, "%s: %s\n", what, hd_track_status_text(status));
	return status < 0;
}

static int steps(void *arg, double *watts)
{
	static const double values[] = { 10, 30, 20, 20, 40 };
	unsigned *at = arg;

	*watts = values[*at % 5];
	++*at;
	return HD_TRACK_OK;
}

static int measure_latency(void)
{
	struct hd_latency_stats s;

	for (unsigned i = 0; i < 400; i++) {
		struct hd_latency sample = { i, 1000 + i * 37 % 101 + (i % 50 == 0) * 5000, 3.25 * (i % 7), 128 };

		if (fails("latency", hd_latency_add(HD_GLOBAL, &sample)))
			return 1;
	}
	if (fails("stats", hd_latency_stats(HD_GLOBAL, HD_LATENCY_WALL, &s)) ||
	    fails("csv", hd_latency_write_csv(HD_GLOBAL, "latency.csv")))
		return 1;
	printf("mean %.17g\nstd %.17g\np50 %.17g\np95 %.17g\np99 %.17g\noutliers %llu\n", s.mean, s.std, s.p50, s.p95,
	       s.p99, (unsigned long long)s.outliers);
	printf("mean_lo %.17g\nmean_hi %.17g\np95_lo %.17g\np95_hi %.17g\n", s.mean_lo, s.mean_hi, s.p95_lo, s.p95_hi);
	return 0;
}

static int measure_power(void)
{
	unsigned at = 0;
	struct hd_watt_source source = { .size = sizeof(source), .name = "bench", .read_watts = steps, .arg = &at };
	struct hd_power_total t;

	if (fails("use", hd_power_use(HD_GLOBAL, &source)))
		return 1;
	for (unsigned i = 0; i < 50; i++)
		if (fails("sample", hd_power_sample(HD_GLOBAL)))
			return 1;
	if (hd_power_totals(HD_GLOBAL, &t, 1) != 1 || fails("csv", hd_power_write_csv(HD_GLOBAL, "power.csv")))
		return 1;
	printf("joules %.17g\nmean_watts %.17g\npeak_watts %.17g\n", t.joules, t.mean_watts, t.peak_watts);
	return 0;
}

static int measure_memory(void)
{
	struct hd_memory_sum sum;

	for (unsigned i = 1; i <= 5; i++)
		if (fails("snap", hd_memory_snap(HD_GLOBAL, 100 * i, i, 0, NULL)))
			return 1;
	if (fails("sum", hd_memory_sum(HD_GLOBAL, &sum)) ||
	    fails("csv", hd_memory_write_csv(HD_GLOBAL, "memory.csv")))
		return 1;
	printf("kv_mean %.17g\nrss_peak %llu\n", sum.kv_cache.mean_bytes, (unsigned long long)sum.rss.peak_bytes);
	return 0;
}

static int fingerprint(void)
{
	static const char json[] = "{\"lambda\": 0.1, \"b\": [1e16, \"\\u00e9\"]}";
	char digest[HD_DIGEST_TEXT];

	if (fails("digest", hd_config_digest(json, strlen(json), HD_FLOAT_RYU, digest)))
		return 1;
	printf("digest %s\n", digest);
	return 0;
}

int main(void)
{
	return measure_latency() || measure_power() || measure_memory() || fingerprint();
}
