/*
 * rate.c - see rate.h
 */
#include "render/rate.h"

static void number(struct hd_jsonw *w, const char *key, bool known, uint64_t v)
{
	if (known)
		hd_jsonw_u64(w, key, v);
	else
		hd_jsonw_null(w, key);
}

void hd_rate_json(struct hd_jsonw *w, const struct hd_rate *r)
{
	hd_jsonw_row(w, "sampling", '{');
	number(w, "frequency_hz", r->frequency_hz, r->frequency_hz);
	number(w, "period", r->period, r->period);
	number(w, "throttled", r->recorded, r->throttled);
	number(w, "unthrottled", r->recorded, r->unthrottled);
	if (r->recorded)
		hd_jsonw_num(w, "silent_pct", 100 * r->silent, 4);
	else
		hd_jsonw_null(w, "silent_pct");
	number(w, "enabled_ns", r->enabled_ns, r->enabled_ns);
	number(w, "running_ns", r->enabled_ns, r->running_ns);
	hd_jsonw_str(w, "call_graph", r->call_graph);
	number(w, "stack_bytes", r->stack_bytes, r->stack_bytes);
	hd_jsonw_close(w, '}');
}
