/*
 * bench_csv.c - print the runs of a benchmark session as CSV; see bench/bench.h
 *
 * `hotdrift stats` can read the file as named columns (series/series.h).
 */
#include "bench/bench.h"

#include "base/encode.h"
#include "track/number.h"

#include <math.h>
#include <string.h>

void hd_bench_csv_header(struct hd_buf *out, const struct hd_bench *b, const char *swept)
{
	if (swept)
		hd_buf_addf(out, "%s,", swept);
	hd_buf_adds(out, "run,side,failed");
	for (unsigned m = 0; m < b->nmetrics; m++) {
		const char *name = b->metrics[m].name;

		hd_buf_addc(out, ',');
		if (m < HD_BENCH_MEASURED)
			hd_buf_adds(out, name);
		else
			hd_enc_csv(out, name, strlen(name));
	}
	hd_buf_adds(out, ",minor_faults,major_faults,waited,set_aside\n");
}

void hd_bench_csv(struct hd_buf *out, const struct hd_bench *b, const char *swept, double value)
{
	char text[HD_NUMBER_TEXT_MAX];

	for (size_t i = 0; i < b->nruns; i++) {
		const struct hd_bench_run *run = &b->runs[i];

		if (run->warmup)
			continue;
		if (swept) {
			hd_number_write(text, value);
			hd_buf_addf(out, "%s,", text);
		}
		hd_buf_addf(out, "%u,\"%s\",%d", run->number + 1, b->side[run->side].name, run->why_failed != NULL);
		for (unsigned m = 0; m < b->nmetrics; m++) {
			text[0] = '\0';
			if (isfinite(run->value[m]))
				hd_number_write(text, run->value[m]);
			hd_buf_addf(out, ",%s", text);
		}
		hd_buf_addf(out, ",%llu,%llu,%llu,%llu\n", (unsigned long long)run->end.minor_faults,
			(unsigned long long)run->end.major_faults, (unsigned long long)run->end.waited,
			(unsigned long long)run->end.set_aside);
	}
}
