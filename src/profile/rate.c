/*
 * rate.c - see rate.h
 */
#include "profile/rate.h"

#include <inttypes.h>
#include <string.h>

const char *const hd_rate_call_graphs[HD_RATE_CALL_GRAPHS] = { "none", "fp", "dwarf", "lbr" };

const char *hd_rate_call_graph(const char *word)
{
	for (size_t i = 0; word && i < HD_RATE_CALL_GRAPHS; i++)
		if (!strcmp(word, hd_rate_call_graphs[i]))
			return hd_rate_call_graphs[i];
	return NULL;
}

void hd_rate_asked(struct hd_buf *out, const struct hd_rate *s)
{
	if (s->frequency_hz)
		hd_buf_addf(out, "%" PRIu64 " Hz", s->frequency_hz);
	else if (s->period)
		hd_buf_addf(out, "period %" PRIu64, s->period);
}

double hd_rate_shared(const struct hd_rate *s)
{
	if (!s->enabled_ns || s->running_ns >= s->enabled_ns)
		return 0;
	return 1 - (double)s->running_ns / (double)s->enabled_ns;
}

static void part(struct hd_buf *out, size_t from)
{
	if (out->len > from)
		hd_buf_adds(out, ", ");
}

void hd_rate_text(struct hd_buf *out, const struct hd_rate *s)
{
	size_t from = out->len;

	hd_rate_asked(out, s);
	if (s->throttled) {
		part(out, from);
		hd_buf_addf(out, "throttled %" PRIu64 " time%s (%.2f %% of the time)", s->throttled,
			s->throttled == 1 ? "" : "s", 100 * s->silent);
	}
	if (s->enabled_ns) {
		part(out, from);
		hd_buf_addf(out, "on the counter %.1f %% of the time", 100 * (1 - hd_rate_shared(s)));
	}
}
