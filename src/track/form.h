/*
 * form.h - the CSV forms of hotdrift: their columns, and the kinds of values
 *
 *     latency   sample_id,wall_time_us,kernel_time_us,seq_len
 *     memory    timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes
 *     power     timestamp_us,watts
 *     sources   t_ns,source,domain,watts,joules_cum,stale          power by source
 *     gpu       t_ns,device,util_pct,mem_util_pct,mem_used_bytes,mem_free_bytes,mem_total_bytes
 *     sweep     setting,coherence_delta,kv_cache_reduction,peak_mem_reduction,energy_reduction,p95_latency_us,accuracy
 *
 * A file has a form if its header is exactly that line.  Units are part of the names.  A file with any other header
 * is a table of named series.
 */
#ifndef HD_TRACK_FORM_H
#define HD_TRACK_FORM_H

#include "track/csv.h"

enum hd_form {
	HD_FORM_LATENCY,
	HD_FORM_MEMORY,
	HD_FORM_POWER,
	HD_FORM_SOURCES,
	HD_FORM_GPU,
	HD_FORM_SWEEP,
	HD_FORM_OTHER
};

enum hd_form_field_kind {
	HD_FORM_FIELD_VALUE,		/* a measurement; summarised */
	HD_FORM_FIELD_NUMBER,	/* the number of a sample; summarised only on request */
	HD_FORM_FIELD_TIME,		/* time of the row */
	HD_FORM_FIELD_NAME,		/* text */
	HD_FORM_FIELD_FLAG,		/* 0 or 1 */
};

struct hd_form_field {
	const char *name;
	enum hd_form_field_kind kind;
};

enum { HD_FORM_FIELDS_MAX = 7 };

struct hd_form_layout {
	const char *name;			/* "latency" */
	const char *header;			/* the header line, without LF */
	struct hd_form_field fields[HD_FORM_FIELDS_MAX];
	unsigned n;
};

/* Return the layout of a form; NULL for HD_FORM_OTHER. */
const struct hd_form_layout *hd_form_layout(enum hd_form form);

/* Return the form of a header. */
enum hd_form hd_form_detect(const struct hd_csv_cell *cells, size_t n);

#endif
