/*
 * reanalysis.c - see reanalysis.h
 */
#include "cli/reanalysis.h"

#include "base/encode.h"
#include "base/hex.h"
#include "base/mem.h"
#include "history/run_from_profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check_sum(const struct hd_witness_run *run, const char *path, struct hd_log *log, struct hd_err *err)
{
	char hex[HD_SHA256_HEX];
	uint64_t bytes;
	int rc;

	if (!run->recording) {
		hd_warn(log, "witness.no-sum", "only the events and the top list are compared",
			"run %s has no stored checksum of its recording", run->run_id);
		return 0;
	}
	rc = hd_sha256_file(path, hex, &bytes, err);
	if (rc >= 0 && strcmp(hex, run->recording))
		rc = hd_fail(err, HD_ENO,
			"%s is not the recording of run %s: its SHA-256 is %.12s..., not %.12s...", path,
			run->run_id, hex, run->recording);
	return rc;
}

static bool same_name(const char *visible, const char *raw)
{
	struct hd_buf v = { 0 };
	bool same;

	if (!visible || !raw)
		return !visible && !raw;
	hd_enc_visible(&v, raw, strlen(raw));
	same = !strcmp(hd_buf_str(&v), visible);
	hd_buf_release(&v);
	return same;
}

static int check_top(const struct hd_witness_run *run, const struct hd_witness_top *t, const struct hd_run_event *e,
	const char *path, struct hd_err *err)
{
	const struct hd_run_hotspot *h = t->rank > 0 && (uint64_t)t->rank <= e->nhotspots ? &e->hotspots[t->rank - 1]
											  : NULL;
	const char *was = t->name ? t->name : t->vaddr ? t->vaddr : "[unknown]";
	const char *name = h && h->name ? h->name : h ? h->linkage : NULL;
	char vaddr[24] = "";

	if (h)
		snprintf(vaddr, sizeof(vaddr), "0x%016" PRIx64, h->vaddr);
	if (h && (int64_t)h->self == t->self && (int64_t)h->samples == t->samples && same_name(t->name, name) &&
	    (t->name || !t->vaddr || !strcmp(t->vaddr, vaddr)))
		return 0;
	if (!h)
		return hd_fail(err, HD_ENO, "%s: run %s has %s at rank %lld of event %lld, the recording has "
			"none", path,
			run->run_id, was, (long long)t->rank, (long long)t->event);
	return hd_fail(err, HD_ENO,
		"%s: run %s has %s with %lld at rank %lld of event %lld, here it is %s with %" PRIu64, path,
		run->run_id, was, (long long)t->self, (long long)t->rank, (long long)t->event, name ? name : vaddr,
		h->self);
}

static int compare(const struct hd_witness_run *run, const struct hd_run *now, const char *path, uint64_t *symbols,
	struct hd_err *err)
{
	int rc = 0;

	if (run->sums.nevents != now->nevents)
		return hd_fail(err, HD_ENO, "%s: it has %zu events, run %s has %zu", path, now->nevents, run->run_id,
			run->sums.nevents);
	for (size_t i = 0; i < now->nevents; i++) {
		const struct hd_witness_event *was = &run->sums.events[i];
		const struct hd_run_event *is = &now->events[i];

		if (was->event != (int64_t)i || !same_name(was->name, is->name) || was->weight != (int64_t)is->weight ||
		    was->samples != (int64_t)is->samples)
			return hd_fail(err, HD_ENO,
				"%s: event %zu is %s with %" PRIu64 " in %" PRIu64
				" samples, run %s has %s with %lld in %lld",
				path, i, is->name, is->weight, is->samples, run->run_id, was->name ? was->name : "",
				(long long)was->weight, (long long)was->samples);
	}
	for (size_t i = 0; i < run->ntops && rc >= 0; i++) {
		if (run->tops[i].event < 0 || (uint64_t)run->tops[i].event >= now->nevents)
			continue;
		rc = check_top(run, &run->tops[i], &now->events[run->tops[i].event], path, err);
		++*symbols;
	}
	return rc;
}

int hd_reanalyze(const struct hd_witness_run *run, const char *recording, struct hd_input *in, uint64_t *symbols,
	struct hd_log *log, struct hd_err *err)
{
	struct hd_run_profile_arrays parts = { 0 };
	struct hd_profile *p = NULL;
	struct hd_run now = { 0 };
	int rc = check_sum(run, recording, log, err);

	in->ingest.keys = HD_KEY_COMM;		/* as in `add` */
	if (rc >= 0)
		rc = hd_input_read_samples(&p, recording, in, log, err);
	if (rc >= 0) {
		hd_run_from_profile(&now, &parts, p, run->inline_mode && !strcmp(run->inline_mode, "inline"));
		rc = compare(run, &now, recording, symbols, err);
		hd_run_profile_arrays_release(&parts);
	}
	hd_profile_free(p);
	return rc;
}
