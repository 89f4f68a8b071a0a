/*
 * form.c - see form.h
 */
#include "track/form.h"

#include <string.h>

static const struct hd_form_layout forms[HD_FORM_OTHER] = {
	[HD_FORM_LATENCY] = {
		"latency", "sample_id,wall_time_us,kernel_time_us,seq_len",
		{ { "sample_id", HD_FORM_FIELD_NUMBER }, { "wall_time_us", HD_FORM_FIELD_VALUE }, { "kernel_time_us", HD_FORM_FIELD_VALUE },
		  { "seq_len", HD_FORM_FIELD_VALUE } }, 4,
	},
	[HD_FORM_MEMORY] = {
		"memory", "timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes",
		{ { "timestamp_us", HD_FORM_FIELD_TIME }, { "peak_rss_bytes", HD_FORM_FIELD_VALUE }, { "kv_cache_bytes", HD_FORM_FIELD_VALUE },
		  { "activation_bytes", HD_FORM_FIELD_VALUE }, { "temp_buffer_bytes", HD_FORM_FIELD_VALUE } }, 5,
	},
	[HD_FORM_POWER] = {
		"power", "timestamp_us,watts",
		{ { "timestamp_us", HD_FORM_FIELD_TIME }, { "watts", HD_FORM_FIELD_VALUE } }, 2,
	},
	[HD_FORM_SOURCES] = {
		"sources", "t_ns,source,domain,watts,joules_cum,stale",
		{ { "t_ns", HD_FORM_FIELD_TIME }, { "source", HD_FORM_FIELD_NAME }, { "domain", HD_FORM_FIELD_NAME }, { "watts", HD_FORM_FIELD_VALUE },
		  { "joules_cum", HD_FORM_FIELD_VALUE }, { "stale", HD_FORM_FIELD_FLAG } }, 6,
	},
	[HD_FORM_GPU] = {
		"gpu", "t_ns,device,util_pct,mem_util_pct,mem_used_bytes,mem_free_bytes,mem_total_bytes",
		{ { "t_ns", HD_FORM_FIELD_TIME }, { "device", HD_FORM_FIELD_NAME }, { "util_pct", HD_FORM_FIELD_VALUE }, { "mem_util_pct", HD_FORM_FIELD_VALUE },
		  { "mem_used_bytes", HD_FORM_FIELD_VALUE }, { "mem_free_bytes", HD_FORM_FIELD_VALUE }, { "mem_total_bytes", HD_FORM_FIELD_VALUE } }, 7,
	},
	[HD_FORM_SWEEP] = {
		"sweep",
		"setting,coherence_delta,kv_cache_reduction,peak_mem_reduction,energy_reduction,p95_latency_us,accuracy",
		{ { "setting", HD_FORM_FIELD_NAME }, { "coherence_delta", HD_FORM_FIELD_VALUE }, { "kv_cache_reduction", HD_FORM_FIELD_VALUE },
		  { "peak_mem_reduction", HD_FORM_FIELD_VALUE }, { "energy_reduction", HD_FORM_FIELD_VALUE },
		  { "p95_latency_us", HD_FORM_FIELD_VALUE },
		  { "accuracy", HD_FORM_FIELD_VALUE } }, 7,
	},
};

const struct hd_form_layout *hd_form_layout(enum hd_form form)
{
	return form < HD_FORM_OTHER ? &forms[form] : NULL;
}

static bool is_named(const struct hd_csv_cell *cell, const char *name)
{
	return cell->n == strlen(name) && !memcmp(cell->s, name, cell->n);
}

enum hd_form hd_form_detect(const struct hd_csv_cell *cells, size_t n)
{
	for (unsigned f = 0; f < HD_FORM_OTHER; f++) {
		size_t i = 0;

		while (n == forms[f].n && i < n && is_named(&cells[i], forms[f].fields[i].name))
			i++;
		if (i == n && n)
			return (enum hd_form)f;
	}
	return HD_FORM_OTHER;
}
