/*
 * told.h - all that is said of an input, to be compared with what is said of its bundle
 */
#ifndef TESTS_UNIT_INGEST_TOLD_H
#define TESTS_UNIT_INGEST_TOLD_H

#include "recording.h"

#include "ingest/bundling.h"
#include "output/info.h"
#include "output/report.h"

/* The warnings too; yours. */
static inline char *told(const char *path, struct hd_ingest_opts opts, const char *symfs)
{
	struct hd_report_opts by = { .by = HD_BY_COMM | HD_BY_PID | HD_BY_DSO | HD_BY_SYMBOL | HD_BY_LINE, .format = HD_FORMAT_JSON };
	struct hd_folded_opts fo = { .annotate = true };
	struct hd_buf text = { 0 };
	struct hd_err err = { 0 };
	struct hd_outfile out;
	struct hd_profile *p;

	opts.symfs = symfs;
	opts.keys = HD_KEY_COMM | HD_KEY_PID;
	if (hd_ingest(&p, path, &opts, &err) < 0) {
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
		hd_buf_addf(&text, "%s %llu %s %s\n", p->log.items[i].code, (unsigned long long)p->log.items[i].count, p->log.items[i].text, p->log.items[i].fix);
	hd_profile_free(p);
	return hd_buf_take(&text);
}

/* What `hotdrift bundle` makes of the recording there; yours. */
static inline struct hd_buf bundle_of(const struct place *at, struct hd_bundling_stats *stats)
{
	struct hd_bundling_opts opts = { .symfs = at->dir };
	struct hd_buf bytes = { 0 };
	struct hd_log log = { 0 };
	struct hd_outfile out;
	struct hd_err err = { 0 };

	hd_outfile_memory(&out);
	if (hd_ingest_bundle(&out, at->path, &opts, stats, &log, &err) < 0)
		fail_msg("%s", err.msg);
	hd_buf_add(&bytes, out.pending.data, out.pending.len);
	hd_outfile_discard(&out);
	hd_log_release(&log);
	return bytes;
}

#endif
