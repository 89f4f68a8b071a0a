/*
 * correlation.c - see correlation.h
 */
#include "gpu/correlation.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

enum { WAYS = 4, SETS = HD_GPU_CALLS / WAYS };

struct call {
	uint64_t correlation;		/* correlation id of the stored call; 0: this slot is free */
	int64_t start_ns, end_ns;
	uint32_t pid, tid, name, stack;
};

struct hd_gpu_correlation {
	struct call (*sets)[WAYS];
};

struct hd_gpu_correlation *hd_gpu_correlation_new(void)
{
	struct hd_gpu_correlation *m = hd_new(struct hd_gpu_correlation);

	m->sets = hd_zalloc(SETS, sizeof(*m->sets));
	return m;
}

void hd_gpu_correlation_free(struct hd_gpu_correlation *m)
{
	if (!m)
		return;
	free(m->sets);
	free(m);
}

/*
 * Return the set (of a set-associative cache) for a correlation id.  Consecutive ids go to consecutive sets, and ids
 * that differ by large powers of two go to different sets.
 */
static struct call *set_of(const struct hd_gpu_correlation *m, uint32_t pid, uint64_t correlation)
{
	return m->sets[(correlation + correlation / SETS + hd_mix(pid, 0)) % SETS];
}

static struct call *look_up(const struct hd_gpu_correlation *m, uint32_t pid, uint64_t correlation)
{
	struct call *set = set_of(m, pid, correlation);

	for (int i = 0; i < WAYS; i++)
		if (set[i].correlation == correlation && set[i].pid == pid)
			return &set[i];
	return NULL;
}

void hd_gpu_correlation_add(struct hd_gpu_correlation *m, const struct hd_gpu_activity *call)
{
	struct call *set, *at;

	if (!call->correlation)
		return;
	at = look_up(m, call->pid, call->correlation);
	if (at && at->start_ns <= call->start_ns && at->end_ns >= call->end_ns)
		return;
	if (!at) {
		at = set = set_of(m, call->pid, call->correlation);
		for (int i = 1; i < WAYS && at->correlation; i++)
			if (!set[i].correlation || set[i].start_ns < at->start_ns)
				at = &set[i];
	}
	*at = (struct call){
		call->correlation, call->start_ns, call->end_ns, call->pid, call->tid, call->name, call->stack,
	};
}

void hd_gpu_correlation_lookup(const struct hd_gpu_correlation *m, struct hd_gpu_activity *a)
{
	const struct call *c = a->correlation ? look_up(m, a->pid, a->correlation) : NULL;

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
