/*
 * bundle_equivalence.h - check that a recording and its bundle give the same output, and that
 * the bundle needs none of the files beside the recording
 *
 * expect_law() checks it for any recording and any options; expect_folded() in recording.h and
 * many tests of pipeline/ call it for the recordings that they make.
 */
#ifndef TESTS_UNIT_PIPELINE_LAW_H
#define TESTS_UNIT_PIPELINE_LAW_H

#include "unit/tmpdir.h"

#include "pipeline/bundle_builder.h"
#include "pipeline/pipeline.h"
#include "profile/folded.h"
#include "render/info.h"
#include "render/report.h"

/* Check the sums that hold for every profile. */
static inline void expect_sums(const struct hd_profile *p)
{
	uint64_t dropped = 0, kept = 0;

	for (size_t i = 0; i < p->ndropped; i++)
		dropped += p->dropped[i].count;
	EXPECT_INT(p->read, p->kept + dropped);
	for (size_t e = 0; e < p->nevents; e++) {
		uint64_t weight = 0, samples = 0;

		for (size_t i = 0; i < p->rows.n; i++) {
			weight += p->rows.items[i].event == e ? p->rows.items[i].weight : 0;
			samples += p->rows.items[i].event == e ? p->rows.items[i].count : 0;
		}
		EXPECT(weight == p->events[e].weight);
		EXPECT(samples == p->events[e].samples);
		kept += samples;
	}
	EXPECT_INT(kept, p->kept);
}

/*
 * Return the output of info, report and folded for an input, with warnings, or the error message; the caller frees it.
 */
static inline char *told(const char *path, struct hd_pipeline_opts opts)
{
	struct hd_report_opts by = { .by = HD_BY_COMM | HD_BY_PID | HD_BY_DSO | HD_BY_SYMBOL | HD_BY_LINE,
		.format = HD_FORMAT_JSON };
	struct hd_folded_opts fo = { .annotate = true };
	struct hd_buf text = { 0 };
	struct hd_err err = { 0 };
	struct hd_outfile out;
	struct hd_profile *p;

	opts.keys = HD_KEY_COMM | HD_KEY_PID;
	by.by |= opts.fields.n ? HD_BY_FIELDS : 0;
	if (hd_pipeline_read(&p, path, &opts, &err) < 0) {
		hd_profile_free(p);
		hd_buf_adds(&text, err.msg);
		return hd_buf_take(&text);
	}
	expect_sums(p);
	hd_info_json(&text, p);
	hd_report(&text, p, &by);
	for (uint32_t e = 0; e < p->nevents; e++) {
		hd_outfile_memory(&out);
		hd_folded_write(&out, p, e, &fo);
		hd_buf_adds(&text, hd_buf_str(&out.pending));
		hd_outfile_discard(&out);
	}
	for (size_t i = 0; i < p->log.n; i++)
		hd_buf_addf(&text, "%s %llu %s %s\n", p->log.items[i].code, (unsigned long long)p->log.items[i].count,
			p->log.items[i].text, p->log.items[i].fix);
	hd_profile_free(p);
	return hd_buf_take(&text);
}

/*
 * Return the bundle of the recording, made with the symbol options of `o`, or an empty buffer if `hotdrift bundle`
 * fails. The caller frees it.
 */
static inline struct hd_buf bundle_of(const char *path, const struct hd_pipeline_opts *o,
	struct hd_bundle_builder_stats *stats)
{
	struct hd_bundle_builder_opts opts = { .symfs = o->symfs,
		.kallsyms = o->kallsyms,
		.guest_kallsyms = o->guest_kallsyms };
	struct hd_buf bytes = { 0 };
	struct hd_log log = { 0 };
	struct hd_outfile out;
	struct hd_err err = { 0 };

	hd_outfile_memory(&out);
	if (hd_bundle_builder_run(&out, path, &opts, stats, &log, &err) >= 0)
		hd_buf_add(&bytes, out.pending.data, out.pending.len);
	else
		EXPECT(err.msg[0]);
	hd_outfile_discard(&out);
	hd_log_release(&log);
	return bytes;
}

/*
 * Check that the bundle gives the same output as the recording, while the recording and the files in `away` (NULL ends
 * the list) are renamed.  Afterwards all of them have their names again.
 */
static inline void expect_law_without(const char *path, struct hd_pipeline_opts opts, const char *const *away)
{
	struct hd_bundle_builder_stats stats;
	struct hd_buf bytes = bundle_of(path, &opts, &stats), kept = { 0 }, gone = { 0 };
	char *before = told(path, opts), *after;

	/* A recording from which no bundle can be made cannot be read either. */
	EXPECT(bytes.len || strstr(before, path) == before);
	hd_buf_addf(&kept, "%s.kept", path);
	if (bytes.len) {
		EXPECT_INT(rename(path, kept.data), 0);
		EXPECT_INT(hd_file_write(path, &bytes, NULL), 0);
		for (size_t i = 0; away && away[i]; i++) {
			hd_buf_reset(&gone);
			hd_buf_addf(&gone, "%s.gone", away[i]);
			EXPECT_INT(rename(away[i], gone.data), 0);
		}
		opts.symfs = opts.kallsyms = opts.guest_kallsyms = NULL;
		after = told(path, opts);
		EXPECT_STR(after, before);
		free(after);
		for (size_t i = 0; away && away[i]; i++) {
			hd_buf_reset(&gone);
			hd_buf_addf(&gone, "%s.gone", away[i]);
			EXPECT_INT(rename(gone.data, away[i]), 0);
		}
		EXPECT_INT(unlink(path), 0);
		EXPECT_INT(rename(kept.data, path), 0);
	}
	free(before);
	hd_buf_release(&bytes);
	hd_buf_release(&kept);
	hd_buf_release(&gone);
}

static inline void expect_law(const char *path, struct hd_pipeline_opts opts)
{
	expect_law_without(path, opts, NULL);
}

#endif
