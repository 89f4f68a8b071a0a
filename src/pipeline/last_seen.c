/*
 * last_seen.c - see last_seen.h
 */
#include "pipeline/last_seen.h"

#include "base/mem.h"

#include <stdlib.h>

static uint64_t process_key(int32_t pid)
{
	return (uint32_t)pid;
}

static uint64_t thread_key(int32_t tid)
{
	return UINT64_C(1) << 32 | (uint32_t)tid;
}

static void raise_to(struct hd_last_seen *nw, uint64_t key, uint64_t time_ns)
{
	uint32_t at = hd_map_get(&nw->index, key);

	if (at == HD_MAP_NONE) {
		at = (uint32_t)nw->n;
		HD_GROW(nw->times, nw->n + 1, nw->cap);
		nw->times[nw->n++] = 0;
		hd_map_put(&nw->index, key, at);
	}
	if (time_ns > nw->times[at])
		nw->times[at] = time_ns;
}

static uint64_t time_of(const struct hd_last_seen *nw, uint64_t key)
{
	uint32_t at = hd_map_get(&nw->index, key);

	return at == HD_MAP_NONE ? 0 : nw->times[at];
}

void hd_last_seen_change(struct hd_last_seen *nw, int32_t pid, int32_t tid)
{
	if (nw->time_ns) {
		raise_to(nw, process_key(nw->pid), nw->time_ns);
		raise_to(nw, thread_key(nw->tid), nw->time_ns);
		if (nw->time_ns > nw->all)
			nw->all = nw->time_ns;
	}
	nw->pid = pid;
	nw->tid = tid;
	nw->time_ns = 0;
}

bool hd_last_seen_is_late(struct hd_last_seen *nw, int32_t pid, int32_t tid, uint64_t time_ns)
{
	hd_last_seen_change(nw, nw->pid, nw->tid);
	if (pid < 0)
		return time_ns < nw->all;
	return time_ns < time_of(nw, process_key(pid)) || time_ns < time_of(nw, thread_key(tid));
}

void hd_last_seen_release(struct hd_last_seen *nw)
{
	hd_map_release(&nw->index);
	free(nw->times);
	*nw = (struct hd_last_seen){ 0 };
}
