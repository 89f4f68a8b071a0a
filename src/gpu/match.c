/*
 * match.c - see match.h
 *
 * The calls are a ring; each is in a chain of its hash, the newest first.  The ring overwrites the oldest call, which is
 * the last of its chain.
 */
#include "gpu/match.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

struct call {
	uint64_t correlation;
	int64_t start_ns, end_ns;
	uint32_t pid, tid, name, stack;
	uint32_t older;			/* in the chain: place + 1; 0: none */
	uint32_t hash;
};

struct hd_gpu_match {
	struct call *ring;		/* HD_GPU_CALLS */
	uint32_t *newest;		/* by hash: place + 1 */
	size_t at;			/* the next place */
	bool full;
};

struct hd_gpu_match *hd_gpu_match_new(void)
{
	struct hd_gpu_match *m = hd_new(struct hd_gpu_match);

	m->ring = hd_new_array(struct call, HD_GPU_CALLS);
	m->newest = hd_new_array(uint32_t, HD_GPU_CALLS);
	return m;
}

void hd_gpu_match_free(struct hd_gpu_match *m)
{
	if (!m)
		return;
	free(m->ring);
	free(m->newest);
	free(m);
}

static uint32_t hash_of(uint32_t pid, uint64_t correlation)
{
	return (uint32_t)hd_mix(correlation, pid) & (HD_GPU_CALLS - 1);
}

static struct call *look_up(const struct hd_gpu_match *m, uint32_t hash, uint32_t pid, uint64_t correlation)
{
	for (uint32_t at = m->newest[hash]; at; at = m->ring[at - 1].older) {
		struct call *c = &m->ring[at - 1];

		if (c->correlation == correlation && c->pid == pid)
			return c;
	}
	return NULL;
}

/* Take the oldest call out of its chain. */
static void drop(struct hd_gpu_match *m, uint32_t place)
{
	uint32_t *link = &m->newest[m->ring[place].hash];

	while (*link && *link != place + 1)
		link = &m->ring[*link - 1].older;
	*link = 0;
}

void hd_gpu_match_add(struct hd_gpu_match *m, const struct hd_gpu_activity *call)
{
	uint32_t hash = hash_of(call->pid, call->correlation);
	struct call c = { call->correlation, call->start_ns, call->end_ns, call->pid, call->tid, call->name, call->stack, 0, hash };
	struct call *known;

	if (!call->correlation)
		return;
	known = look_up(m, hash, call->pid, call->correlation);
	if (known) {
		c.older = known->older;
		if (known->start_ns > call->start_ns || known->end_ns < call->end_ns)
			*known = c;
		return;
	}
	if (m->full)
		drop(m, (uint32_t)m->at);
	c.older = m->newest[hash];
	m->ring[m->at] = c;
	m->newest[hash] = (uint32_t)m->at + 1;
	m->at = (m->at + 1) % HD_GPU_CALLS;
	m->full |= !m->at;
}

void hd_gpu_match_find(const struct hd_gpu_match *m, struct hd_gpu_activity *a)
{
	const struct call *c = a->correlation ? look_up(m, hash_of(a->pid, a->correlation), a->pid, a->correlation) : NULL;

	if (!c)
		return;
	a->joined = true;
	a->launch_ns = c->start_ns;
	a->launch_name = c->name;
	if (!a->stack)
		a->stack = c->stack;
	if (!a->tid)
		a->tid = c->tid;
}
