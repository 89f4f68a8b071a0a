/*
 * sampling_rate.c - describe how the events were sampled, for comparisons between recordings
 */
#include "pipeline/perf_input_state.h"

#include "base/mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* Return how perf recorded the stacks of this attr: lbr, dwarf, fp or none. */
static const char *call_graph(const struct hd_perf_attr *a)
{
	if (hd_perf_attr_has_call_stack(a))
		return hd_rate_call_graph("lbr");
	if (a->sample_type & PERF_SAMPLE_STACK_USER && a->stack_user)
		return hd_rate_call_graph("dwarf");
	return hd_rate_call_graph(a->sample_type & PERF_SAMPLE_CALLCHAIN ? "fp" : "none");
}

static void add_call_graph(struct hd_rate *s, const struct hd_perf_attr *a, bool first)
{
	const char *how = call_graph(a);
	uint64_t bytes = !strcmp(how, "dwarf") ? a->stack_user : 0;

	if (first) {
		s->call_graph = how;
		s->stack_bytes = bytes;
	} else if (s->call_graph != how || s->stack_bytes != bytes) {
		s->call_graph = NULL;
		s->stack_bytes = 0;
	}
}

/*
 * Add the settings that one attr requested to its event.  Several attrs can be one event, as on machines with two kinds
 * of cores.  A setting in which they differ is reported as unknown.
 */
static void add_asked(struct hd_rate *s, const struct hd_perf_attr *a, bool first)
{
	uint64_t frequency = a->freq && a->period_or_freq <= INT64_MAX ? a->period_or_freq : 0;
	uint64_t period = !a->freq && a->period_or_freq <= INT64_MAX ? a->period_or_freq : 0;

	if (first) {
		s->frequency_hz = frequency;
		s->period = period;
	} else if (s->frequency_hz != frequency || s->period != period) {
		s->frequency_hz = s->period = 0;
	}
}

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > (uint64_t)INT64_MAX - (b < INT64_MAX ? b : INT64_MAX) ? INT64_MAX : a + b;
}

/*
 * Sums for an event: the time during which its counters were throttled, and the time during which they could have
 * sampled.
 */
struct silence {
	double silent_ns, of_ns;
};

/*
 * Add what the recording reports about one attr to its event: throttling, enabled and running time, time without
 * samples.
 */
static void add_recorded_rate(struct hd_rate *s, struct silence *silence, const struct hd_perf_sampling *t,
	uint64_t first_ns, uint64_t last_ns)
{
	uint64_t from = t->first_ns && t->first_ns < first_ns ? t->first_ns : first_ns,
		 to = t->last_ns > last_ns ? t->last_ns : last_ns;

	s->recorded = true;
	s->throttled = sum(s->throttled, t->throttled);
	s->unthrottled = sum(s->unthrottled, t->unthrottled);
	s->enabled_ns = sum(s->enabled_ns, t->enabled_ns);
	s->running_ns = sum(s->running_ns, t->running_ns);
	silence->silent_ns += (double)t->silent_ns;
	if (to > from)
		silence->of_ns += (double)(to - from) * (double)t->silent_counters;
}

void hd_perf_input_describe_sampling(struct hd_perf_input *in)
{
	const struct hd_recording *rec = &in->p->recording;
	size_t nattrs;
	const struct hd_perf_attr *attrs = hd_perf_attrs(in->pf, &nattrs);
	struct hd_perf_sampling *of = hd_new_array(struct hd_perf_sampling, nattrs + 1);
	struct silence *silence = hd_new_array(struct silence, in->p->nevents + 1);

	if (!in->spans)
		hd_perf_sampling(in->pf, of, rec->last_ns);
	for (size_t i = 0; i < in->request.nattrs && !in->spans; i++) {
		uint32_t event = in->request.event_of[i];
		struct hd_rate *s = &in->p->events[event].rate;

		if (!in->request.event_wanted[i])
			continue;
		add_call_graph(s, &attrs[i], !s->recorded);
		add_asked(s, &attrs[i], !s->recorded);
		add_recorded_rate(s, &silence[event], &of[i], rec->first_ns, rec->last_ns);
		if (silence[event].of_ns > 0)
			s->silent = silence[event].silent_ns < silence[event].of_ns
				? silence[event].silent_ns / silence[event].of_ns
				: 1;
	}
	free(of);
	free(silence);
}
