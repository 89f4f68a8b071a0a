/* events.c - collect the side-band records and sort them */
#include "process/process_table.h"
#include "process/replay.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECT_INDEX_BYTES = 48, TASK_BYTES = 64 };	/* estimated bytes per entry of the hash tables */
/* limit for the number of records: indices have 32 bits, and a mapping can make three ranges */
enum { RECORDS_MAX = 1 << 30 };

uint64_t hd_process_memory_bytes(const struct hd_process_table *proc)
{
	const struct hd_tasks *ts = &proc->tasks;
	uint64_t moments = ts->threads.n + ts->mms.n + proc->kernels.line.n;
	uint64_t bytes = proc->nrecords * sizeof(*proc->records) + proc->nranges * sizeof(*proc->ranges) +
		proc->nmappings * sizeof(*proc->mappings) + proc->spaces.n * sizeof(*proc->spaces.items) +
		proc->spaces.tree.n * sizeof(*proc->spaces.tree.nodes) + moments * sizeof(struct hd_timeline_entry) +
		proc->objects.n * (sizeof(*proc->objects.items) + OBJECT_INDEX_BYTES) + ts->by_tid.n * TASK_BYTES;

	return bytes + bytes / 2;		/* arrays grow by half */
}

void hd_process_limit_memory(struct hd_process_table *proc, uint64_t bytes)
{
	proc->limit = bytes;
}

bool hd_process_has_room(const struct hd_process_table *proc, uint64_t part)
{
	if (hd_process_memory_bytes(proc) + hd_strtab_bytes(proc->names) < part)
		return true;
	hd_warn(proc->log, "lost.side-band", "split the recording",
		"task and mapping records take more than the %llu MiB that a recording of this size may take; the rest "
		"is ignored",
		(unsigned long long)(proc->limit >> 20));
	return false;
}

static struct hd_process_event *add(struct hd_process_table *proc, enum hd_process_event_kind kind,
	struct hd_record_time when, int32_t pid, int32_t tid)
{
	struct hd_process_event *r;

	assert(!proc->built);
	if (proc->nrecords >= RECORDS_MAX) {
		hd_warn(proc->log, "lost.side-band", "", "more than %d task and mapping records; the rest is ignored",
			RECORDS_MAX);
		return NULL;
	}
	/*
	 * Limit the records to half of the memory limit (proc->limit), because the state that is built from them takes
	 * about as much memory as the records.
	 */
	if (!hd_process_has_room(proc, proc->limit / 2))
		return NULL;
	HD_GROW(proc->records, proc->nrecords + 1, proc->records_cap);
	r = &proc->records[proc->nrecords++];
	*r = (struct hd_process_event){ .when = when, .pid = pid, .tid = tid, .kind = (uint8_t)kind };
	return r;
}

static struct hd_process_range *add_range(struct hd_process_table *proc, struct hd_process_event *r)
{
	HD_GROW(proc->ranges, proc->nranges + 1, proc->ranges_cap);
	r->a = (uint32_t)proc->nranges;
	return &proc->ranges[proc->nranges++];
}

static uint32_t intern(struct hd_process_table *proc, const char *s, size_t len)
{
	return hd_strtab_addn(proc->names, s, strnlen(s, len));
}

void hd_process_add_mmap(struct hd_process_table *proc, const struct hd_process_mmap *m)
{
	struct hd_process_event *r = add(proc, HD_PROCESS_EVENT_MMAP, m->when, m->pid, m->tid);
	uint8_t id_len = m->build_id_len;

	if (!r)
		return;
	r->cpumode = m->cpumode;
	r->flag = m->executable;
	if (id_len > sizeof(((struct hd_process_object *)0)->build_id))
		id_len = sizeof(((struct hd_process_object *)0)->build_id);
	*add_range(proc, r) = (struct hd_process_range){
		.addr = m->addr, .len = m->len, .pgoff = m->pgoff, .flags = m->flags,
		.name = intern(proc, m->name, m->name_len),
		.build_id = id_len ? hd_strtab_addn(proc->objects.ids, (const char *)m->build_id, id_len) : 0,
		.file = hd_objects_file_id(&proc->objects, m->ino, m->generation),
	};
}

void hd_process_add_comm(struct hd_process_table *proc, struct hd_record_time when, int32_t pid, int32_t tid,
		      const char *comm, size_t comm_len, bool exec)
{
	struct hd_process_event *r = add(proc, HD_PROCESS_EVENT_COMM, when, pid, tid);

	if (!r)
		return;
	r->a = intern(proc, comm, comm_len);
	r->flag = exec;
}

static void add_fork(struct hd_process_table *proc, struct hd_record_time when, int32_t pid, int32_t ppid, int32_t tid,
		     int32_t ptid, bool running)
{
	struct hd_process_event *r = add(proc, HD_PROCESS_EVENT_FORK, when, pid, tid);

	if (!r)
		return;
	r->a = (uint32_t)ppid;
	r->b = (uint32_t)ptid;
	r->flag = running;
}

void hd_process_add_fork(struct hd_process_table *proc, struct hd_record_time when, int32_t pid, int32_t ppid,
	int32_t tid, int32_t ptid)
{
	add_fork(proc, when, pid, ppid, tid, ptid, false);
}

void hd_process_add_fork_running(struct hd_process_table *proc, struct hd_record_time when, int32_t pid, int32_t ppid,
	int32_t tid, int32_t ptid)
{
	add_fork(proc, when, pid, ppid, tid, ptid, true);
}

/*
 * An EXIT is ignored, because samples are still taken while the thread exits.  They need its comm and its mappings.  A
 * later FORK of the same tid ends the thread.
 */
void hd_process_add_exit(struct hd_process_table *proc, struct hd_record_time when, int32_t pid, int32_t tid)
{
	assert(!proc->built);
}

void hd_process_add_ksymbol(struct hd_process_table *proc, struct hd_record_time when, uint64_t addr, uint32_t len,
			 const char *name, size_t name_len, bool unregister)
{
	struct hd_process_event *r = add(proc, HD_PROCESS_EVENT_KSYMBOL, when, -1, -1);

	if (!r)
		return;
	r->flag = unregister;
	*add_range(proc, r) = (struct hd_process_range){
		.addr = addr, .len = len, .name = intern(proc, name, name_len),
	};
}

void hd_process_add_jit(struct hd_process_table *proc, struct hd_record_time when, int32_t pid, uint64_t addr,
	uint64_t len, uint64_t foff, uint32_t name)
{
	struct hd_process_event *r = add(proc, HD_PROCESS_EVENT_JIT, when, pid, pid);

	if (r)
		*add_range(proc, r) = (struct hd_process_range){
			.addr = addr, .len = len, .pgoff = foff, .name = name
		};
}

void hd_process_add_namespaces(struct hd_process_table *proc, struct hd_record_time when, int32_t pid, int32_t tid,
			    uint64_t mnt_ino, uint64_t pid_ino)
{
	struct hd_process_event *r = add(proc, HD_PROCESS_EVENT_NAMESPACES, when, pid, tid);

	if (!r)
		return;
	*add_range(proc, r) = (struct hd_process_range){ .addr = mnt_ino, .len = pid_ino };
}

void hd_process_add_build_id(struct hd_process_table *proc, const char *name, const uint8_t *id, uint8_t len,
	uint8_t cpumode)
{
	assert(!proc->built);
	hd_objects_add_build_id(&proc->objects, name, id, len, cpumode);
}

void hd_process_add_perfmap_name(struct hd_process_table *proc, const char *name)
{
	assert(!proc->built);
	hd_objects_add_perfmap_name(&proc->objects, name);
}

static int by_when(const void *pa, const void *pb)
{
	const struct hd_process_event *a = pa, *b = pb;

	if (a->when.time_ns != b->when.time_ns)
		return a->when.time_ns < b->when.time_ns ? -1 : 1;
	return a->when.seq < b->when.seq ? -1 : a->when.seq > b->when.seq;
}

/* Merge the sorted halves [0, mid) and [mid, n) of r; the first half wins ties. */
static void merge(struct hd_process_event *r, size_t mid, size_t n, struct hd_process_event *tmp)
{
	size_t i = 0, j = mid, k = 0;

	if (by_when(&r[mid - 1], &r[mid]) <= 0)
		return;		/* recordings are nearly in order */
	memcpy(tmp, r, mid * sizeof(*r));
	while (i < mid && j < n)
		r[k++] = by_when(&tmp[i], &r[j]) <= 0 ? tmp[i++] : r[j++];
	memcpy(&r[k], &tmp[i], (mid - i) * sizeof(*r));
}

/* Bottom-up merge sort: stable, not recursive, and one pass of comparisons if the records are in order. */
void hd_process_sort_events(struct hd_process_table *proc)
{
	size_t n = proc->nrecords;
	struct hd_process_event *tmp = NULL;

	for (size_t i = 1; i < n && !tmp; i++)
		if (by_when(&proc->records[i - 1], &proc->records[i]) > 0)
			tmp = hd_realloc(NULL, n, sizeof(*tmp));
	if (!tmp)
		return;
	for (size_t width = 1; width < n; width *= 2)
		for (size_t lo = 0; lo + width < n; lo += 2 * width)
			merge(&proc->records[lo], width, n - lo < 2 * width ? n - lo : 2 * width, tmp);
	free(tmp);
}
