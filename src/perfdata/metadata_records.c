/*
 * metadata_records.c - handle the records that describe the recording itself
 *
 * In pipe mode, attrs, features, build-ids and names are records instead of sections; they are stored in the same
 * tables.  LOST and LOST_SAMPLES records are summed up.  record_table.c calls these handlers on the first walk.
 */
#include "perfdata/perf_state.h"

#include "base/mem.h"

#include <stdio.h>

void hd_perf_warn_body(struct hd_perf *pf, const struct hd_record *rec, const char *why)
{
	hd_warn(pf->log, "lost.record-body", "", "%s: %s (%u bytes): %s", hd_perf_path(pf), hd_record_label(rec).s,
		rec->size, why);
}

/*
 * Handle HEADER_ATTR.  Its body is an attr, with the size that the attr states, then ids of the attr up to the end of
 * the record.
 */
void hd_record_read_attr(struct hd_perf *pf, const struct hd_record *rec)
{
	size_t n = rec->size - 8;
	uint32_t size = n >= 8 ? hd_get32(rec->data + 4, pf->file.swap) : 0;
	struct hd_err err;
	int at;

	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	if (size > n)
		hd_perf_warn_body(pf, rec, "the attr is longer than its record; it gets no ids");
	at = hd_perf_add_attr(pf, rec->data, size < n ? size : n, &err);
	if (at < 0) {
		hd_warn(pf->log, "lost.attr", "", "%s: %s: %s", hd_perf_path(pf), hd_record_label(rec).s, err.msg);
		return;
	}
	if (size < n && hd_perf_add_ids(pf, (size_t)at, rec->data + size, (n - size) / 8, &err) < 0)
		hd_warn(pf->log, "lost.attr-ids", "", "%s: %s: %s", hd_perf_path(pf), hd_record_label(rec).s, err.msg);
}

void hd_perf_add_event_type(struct hd_perf *pf, const uint8_t *p, size_t n)
{
	size_t at = pf->nevent_types;

	if (at >= HD_EVENT_TYPES_MAX || n < 8 + 1)
		return;
	HD_GROW(pf->event_types, at + 1, pf->cap_event_types);
	pf->event_types[at].config = hd_get64(p, pf->file.swap);
	pf->event_types[at].name = hd_strndup((const char *)p + 8, strnlen((const char *)p + 8, n - 8));
	pf->nevent_types++;
}

void hd_record_read_event_type(struct hd_perf *pf, const struct hd_record *rec)
{
	hd_perf_add_event_type(pf, rec->data, rec->size - 8u);
}

/* Handle HEADER_FEATURE.  Its body is the u64 number of the feature, then the content that its section would have. */
void hd_record_read_feature(struct hd_perf *pf, const struct hd_record *rec)
{
	size_t n = rec->size - 8;
	struct hd_err err;
	const char *name;
	uint64_t bit;

	if (n < 8) {
		hd_perf_warn_body(pf, rec, "too short for the number of its feature");
		return;
	}
	bit = hd_get64(rec->data, pf->file.swap);
	/* A HEADER_FEATURE record without content marks the end of the features. */
	if (bit >= HD_FEAT_BITS || n == 8)
		return;
	if (hd_perf_read_feature(pf, (unsigned int)bit, rec->data + 8, n - 8, &err) < 0) {
		name = hd_feature_name((unsigned int)bit);
		hd_warn(pf->log, "lost.feature", "", "%s: %s: header feature %s: %s", hd_perf_path(pf),
			hd_record_label(rec).s, name ? name : "", err.msg);
	}
}

/* Handle EVENT_UPDATE.  Its body is a u64 kind of update, a u64 id of the event, then the new value. */
void hd_record_read_event_update(struct hd_perf *pf, const struct hd_record *rec)
{
	size_t n = rec->size - 8, len;
	const char *name;
	uint32_t at;

	if (n < 16) {
		hd_perf_warn_body(pf, rec, "too short for its fields");
		return;
	}
	if (hd_get64(rec->data, pf->file.swap) != HD_UPDATE_NAME)
		return;
	at = hd_perf_attr_of(pf, hd_get64(rec->data + 8, pf->file.swap));
	name = (const char *)rec->data + 16;
	len = strnlen(name, n - 16);
	if (at != UINT32_MAX && len)
		hd_perf_name_attr(pf, at, hd_strndup(name, len));
}

void hd_record_read_build_id(struct hd_perf *pf, const struct hd_record *rec)
{
	struct hd_err err;

	if (hd_perf_add_build_id(pf, rec->misc, rec->data, rec->size - 8u, &err) < 0)
		hd_perf_warn_body(pf, rec, err.msg);
}

void hd_record_read_lost(struct hd_perf *pf, const struct hd_record *rec)
{
	struct hd_lost lost;
	struct hd_err err;
	uint64_t news;

	if (hd_perf_parse_lost(pf, rec, &lost, &err) < 0) {
		hd_perf_warn_body(pf, rec, "too short for the count");
		return;
	}
	if (rec->type == PERF_RECORD_LOST) {
		pf->stats.lost_events += lost.count;
	} else if (rec->misc & HD_MISC_LOST_SAMPLES_BPF) {
		/* no loss: the user's filter (perf record --filter) removed these samples */
		pf->stats.filtered_samples += hd_get64(rec->data, pf->file.swap);
		return;
	} else {
		pf->stats.lost_samples += lost.count;
	}
	if (rec->type == PERF_RECORD_LOST || lost.counter) {
		news = hd_lost_unreported(&pf->lost_seen, &lost);
		if (news)
			hd_warn_n(pf->log, "lost.events", news,
				"record with a larger buffer (perf record -m 16M) or a lower frequency",
				"%s: the kernel dropped events while recording because its buffer was full (first: %s)",
				hd_perf_path(pf), hd_record_label(rec).s);
	} else if (lost.count) {
		hd_warn_n(pf->log, "lost.samples", lost.count, "record with a lower frequency",
			"%s: samples were dropped while recording (first: %s)", hd_perf_path(pf),
			hd_record_label(rec).s);
	}
}

/*
 * Warn if the data source of a sample has no operation, which is in its low five bits.  A kernel sets at least one of
 * these bits (one of them means "not available") or leaves the whole word 0.
 */
void hd_perf_check_sample(struct hd_perf *pf, const struct hd_record *rec)
{
	struct hd_sample s;
	struct hd_err err;

	if (hd_perf_parse_sample(pf, rec, &s, &err) == 0 && s.data_src && !(s.data_src & 0x1f))
		hd_warn(pf->log, "odd.data-source", "",
			"%s: %s: its data source 0x%llx names no operation; the sample was kept", hd_perf_path(pf),
			hd_record_label(rec).s, (unsigned long long)s.data_src);
}
