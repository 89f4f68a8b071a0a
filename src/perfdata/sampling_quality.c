/*
 * sampling_quality.c - compute how evenly events were sampled, from throttling and from the times that counters ran
 *
 *     THROTTLE, UNTHROTTLE    u64 time, u64 id, u64 stream_id; the counter took no samples between the two
 *     READ                    u32 pid, u32 tid, and a counter as described by attr.read_format
 *     STAT                    u64 id, u32 cpu, u32 thread, u64 value, u64 enabled, u64 running
 *     SAMPLE                  with PERF_SAMPLE_READ: also counters
 *
 * The times enabled and running are cumulative, so the largest values of each counter are used.  Taking the last
 * values instead would be wrong: READ records are parsed on the first walk, but samples can be parsed on a later one.
 * A counter is identified by its id; inherited counters, which are read per thread, by id and thread.
 *
 * perf opens one counter per CPU for a thread.  While the thread runs on one CPU, its counters on the other CPUs are
 * enabled but do not run, which is not multiplexing.  Therefore the running times of a thread's counters are summed,
 * and the longest enabled time is used for all of them.
 */
#include "perfdata/perf_state.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

enum { THROTTLE_BYTES = 24 };

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* ---- throttling ---- */

static struct hd_throttle_gaps *silence_of(struct hd_perf *pf, uint64_t stream, uint32_t attr)
{
	uint32_t at = hd_map_get(&pf->silence_index, stream);

	if (at == HD_MAP_NONE) {
		HD_GROW(pf->silences, pf->nsilences + 1, pf->cap_silences);
		at = (uint32_t)pf->nsilences++;
		pf->silences[at] = (struct hd_throttle_gaps){ .attr = attr };
		hd_map_put(&pf->silence_index, stream, at);
	}
	return &pf->silences[at];
}

void hd_perf_note_throttle(struct hd_perf *pf, const struct hd_record *rec, size_t room)
{
	bool begins = rec->type == PERF_RECORD_THROTTLE;
	uint64_t time, stream;
	struct hd_throttle_gaps *s;
	uint32_t attr;

	if (begins)
		pf->stats.throttled++;
	else
		pf->stats.unthrottled++;
	if (room < THROTTLE_BYTES || !pf->nattrs)
		return;
	time = hd_get64(rec->data, pf->file.swap);
	stream = hd_get64(rec->data + 16, pf->file.swap);
	attr = hd_perf_attr_of(pf, hd_get64(rec->data + 8, pf->file.swap));
	if (attr >= pf->nattrs)
		return;
	s = silence_of(pf, stream, attr);
	s->throttled += begins;
	s->unthrottled += !begins;
	if (!s->first_ns || time < s->first_ns)
		s->first_ns = time;
	if (time > s->last_ns)
		s->last_ns = time;
	if (begins && !s->open) {
		s->since_ns = time;
		s->open = true;
	} else if (!begins && s->open) {
		s->ns = plus(s->ns, time > s->since_ns ? time - s->since_ns : 0);
		s->open = false;
	}
}

/* ---- times ---- */

/*
 * Store the cumulative times of the counter `key`; the longest enabled time of a key wins.  `thread` identifies the
 * counted thread: perf opens one counter for each CPU on which the thread may run, and all of them have the same
 * `thread`.
 */
static void note_times(struct hd_perf *pf, uint64_t key, uint64_t thread, uint32_t attr, uint64_t enabled_ns,
	uint64_t running_ns)
{
	uint32_t at = hd_map_get(&pf->times_index, key), t = hd_map_get(&pf->thread_index, thread);

	if (t == HD_MAP_NONE) {
		t = (uint32_t)pf->nthreads++;
		hd_map_put(&pf->thread_index, thread, t);
	}
	if (at == HD_MAP_NONE) {
		HD_GROW(pf->times, pf->ntimes + 1, pf->cap_times);
		at = (uint32_t)pf->ntimes++;
		pf->times[at].enabled_ns = 0;
		hd_map_put(&pf->times_index, key, at);
	}
	if (enabled_ns >= pf->times[at].enabled_ns)
		pf->times[at] = (struct hd_counter_times){ enabled_ns,
			running_ns < enabled_ns ? running_ns : enabled_ns, attr, t };
}

void hd_perf_note_sample_times(struct hd_perf *pf, const struct hd_sample *s)
{
	bool swap = pf->file.swap;

	for (uint32_t i = 0; i < s->nread && s->read_id && s->read_times; i++) {
		uint64_t id = hd_get64(s->read + 8 * ((size_t)s->read_words * i + s->read_id), swap),
			 key = hd_perf_counter_key(pf, s, id);
		uint32_t at = hd_perf_attr_of(pf, id);

		if (at != UINT32_MAX)
			note_times(pf, key, key == id ? id : hd_mix(~(uint64_t)at, (uint32_t)s->tid), at,
				hd_get64(s->read_times, swap), hd_get64(s->read_times + 8, swap));
	}
}

void hd_perf_note_read(struct hd_perf *pf, const struct hd_record *rec, size_t room, const struct hd_sample_layout *l,
	uint32_t attr)
{
	uint64_t both = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING, f = l ? l->read_format : 0,
		 id = attr;
	bool swap = pf->file.swap;
	size_t words = 3 + !!(f & PERF_FORMAT_ID);

	if (!l || (f & both) != both || f & PERF_FORMAT_GROUP || room < 8 + 8 * words)
		return;
	if (f & PERF_FORMAT_ID) {
		id = hd_get64(rec->data + 32, swap);
		attr = hd_perf_attr_of(pf, id);
	}
	if (attr < pf->nattrs)
		note_times(pf, hd_mix(id, hd_get32(rec->data + 4, swap)),
			hd_mix(~(uint64_t)attr, hd_get32(rec->data + 4, swap)), attr, hd_get64(rec->data + 16, swap),
			hd_get64(rec->data + 24, swap));
}

void hd_perf_note_stat(struct hd_perf *pf, const struct hd_record *rec)
{
	bool swap = pf->file.swap;
	uint64_t id = hd_get64(rec->data, swap), key = hd_mix(id, hd_get64(rec->data + 8, swap));
	uint32_t attr = hd_perf_attr_of(pf, id);

	if (attr < pf->nattrs)
		note_times(pf, key, key, attr, hd_get64(rec->data + 24, swap), hd_get64(rec->data + 32, swap));
}

/* ---- by attr ---- */

static void add_silence(struct hd_perf_sampling *p, const struct hd_throttle_gaps *s, uint64_t end_ns)
{
	uint64_t tail = s->open && end_ns > s->since_ns ? end_ns - s->since_ns : 0;

	p->throttled = plus(p->throttled, s->throttled);
	p->unthrottled = plus(p->unthrottled, s->unthrottled);
	p->silent_ns = plus(p->silent_ns, plus(s->ns, tail));
	p->silent_counters++;
	if (!p->first_ns || s->first_ns < p->first_ns)
		p->first_ns = s->first_ns;
	if (s->last_ns > p->last_ns)
		p->last_ns = s->last_ns;
}

static void add_times(const struct hd_perf *pf, struct hd_perf_sampling *of)
{
	struct hd_counter_times *all = hd_new_array(struct hd_counter_times, pf->nthreads + 1);

	for (size_t i = 0; i < pf->ntimes; i++) {
		const struct hd_counter_times *c = &pf->times[i];
		struct hd_counter_times *t = &all[c->thread];

		t->attr = c->attr;
		t->running_ns = plus(t->running_ns, c->running_ns);
		if (c->enabled_ns > t->enabled_ns)
			t->enabled_ns = c->enabled_ns;
	}
	for (size_t i = 0; i < pf->nthreads; i++) {
		struct hd_perf_sampling *p = &of[all[i].attr];

		p->enabled_ns = plus(p->enabled_ns, all[i].enabled_ns);
		p->running_ns = plus(p->running_ns,
			all[i].running_ns < all[i].enabled_ns ? all[i].running_ns : all[i].enabled_ns);
	}
	free(all);
}

void hd_perf_sampling(const struct hd_perf *pf, struct hd_perf_sampling *of, uint64_t end_ns)
{
	for (size_t i = 0; i < pf->nattrs; i++)
		of[i] = (struct hd_perf_sampling){ 0 };
	for (size_t i = 0; i < pf->nsilences; i++)
		add_silence(&of[pf->silences[i].attr], &pf->silences[i], end_ns);
	add_times(pf, of);
}
