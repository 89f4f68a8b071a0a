/*
 * form.c - see form.h
 */
#include "track/form.h"

#include <string.h>

#define VALUE(name) { name, HD_FORM_FIELD_VALUE }
#define TIME(name) { name, HD_FORM_FIELD_TIME }
#define NAME(name) { name, HD_FORM_FIELD_NAME }

static const struct hd_form_layout forms[HD_FORM_OTHER] = {
	[HD_FORM_LATENCY] = {
		"latency", "sample_id,wall_time_us,kernel_time_us,seq_len",
		{ { "sample_id", HD_FORM_FIELD_NUMBER }, VALUE("wall_time_us"), VALUE("kernel_time_us"),
		  VALUE("seq_len") }, 4,
	},
	[HD_FORM_MEMORY] = {
		"memory", "timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes",
		{ TIME("timestamp_us"), VALUE("peak_rss_bytes"), VALUE("kv_cache_bytes"), VALUE("activation_bytes"),
		  VALUE("temp_buffer_bytes") }, 5,
	},
	[HD_FORM_POWER] = { "power", "timestamp_us,watts", { TIME("timestamp_us"), VALUE("watts") }, 2 },
	[HD_FORM_SOURCES] = {
		"sources", "t_ns,source,domain,watts,joules_cum,stale",
		{ TIME("t_ns"), NAME("source"), NAME("domain"), VALUE("watts"), VALUE("joules_cum"),
		  { "stale", HD_FORM_FIELD_FLAG } }, 6,
	},
	[HD_FORM_GPU] = {
		"gpu", "t_ns,device,util_pct,mem_util_pct,mem_used_bytes,mem_free_bytes,mem_total_bytes",
		{ TIME("t_ns"), NAME("device"), VALUE("util_pct"), VALUE("mem_util_pct"), VALUE("mem_used_bytes"),
		  VALUE("mem_free_bytes"), VALUE("mem_total_bytes") }, 7,
	},
	[HD_FORM_SWEEP] = {
		"sweep",
		"setting,coherence_delta,kv_cache_reduction,peak_mem_reduction,energy_reduction,p95_latency_us,"
		"accuracy",
		{ NAME("setting"), VALUE("coherence_delta"), VALUE("kv_cache_reduction"), VALUE("peak_mem_reduction"),
		  VALUE("energy_reduction"), VALUE("p95_latency_us"), VALUE("accuracy") }, 7,
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
