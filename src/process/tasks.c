/*
 * tasks.c - replay and look up threads and processes: their comms, forks, execs and mappings
 *
 * A thread is identified by its tid.  The threads of a process share one mm (as in the kernel: the memory of a
 * process).  A fork with another pid creates an mm.  The mappings of an mm change with time.  Each version of them has
 * an id, called a space (address_spaces.h).  The replay pushes entries to two timelines: comm, mm and pid of each
 * thread, and the current space of each mm.
 */
#include "process/process_table.h"
#include "process/replay.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

struct hd_task {
	int32_t pid, tid;
	uint32_t comm, mm;
	bool named;			/* false: the comm is the synthetic name ":TID" */
	uint64_t mnt_ns, pid_ns;	/* 0: not recorded */
};

void hd_tasks_release(struct hd_tasks *ts)
{
	hd_map_release(&ts->by_tid);
	hd_map_release(&ts->strangers);
	hd_timeline_release(&ts->threads);
	hd_timeline_release(&ts->mms);
	free(ts->items);
	free(ts->mm_space);
	*ts = (struct hd_tasks){ 0 };
}

static uint32_t made_up_comm(struct hd_process_table *proc, int32_t tid)
{
	char name[16];

	if (tid == 0)
		return hd_strtab_add(proc->names, "swapper");
	snprintf(name, sizeof(name), ":%d", (int)tid);
	return hd_strtab_add(proc->names, name);
}

/* ---- replaying */

static uint32_t new_mm(struct hd_tasks *ts)
{
	HD_GROW(ts->mm_space, ts->nmm + 1, ts->mm_cap);
	ts->mm_space[ts->nmm] = 0;
	return (uint32_t)ts->nmm++;
}

static void set_space(struct hd_process_table *proc, struct hd_record_time when, uint32_t mm, uint32_t space)
{
	if (proc->tasks.mm_space[mm] == space)
		return;
	proc->tasks.mm_space[mm] = space;
	hd_timeline_push(&proc->tasks.mms, &(struct hd_timeline_entry){ .when = when, .owner = mm, .a = space });
}

static void push(struct hd_process_table *proc, struct hd_record_time when, uint32_t t)
{
	const struct hd_task *task = &proc->tasks.items[t];

	hd_timeline_push(&proc->tasks.threads, &(struct hd_timeline_entry){
		.when = when, .owner = t, .a = task->comm, .b = task->mm, .pid = task->pid,
	});
}

/* Return the index of the thread with this tid; a new one is added.  The caller sets all fields of the entry. */
static uint32_t slot_of(struct hd_tasks *ts, int32_t tid)
{
	uint32_t t = hd_map_get(&ts->by_tid, (uint32_t)tid);

	if (t != HD_MAP_NONE)
		return t;
	HD_GROW(ts->items, ts->n + 1, ts->cap);
	ts->items[ts->n] = (struct hd_task){ 0 };
	hd_map_put(&ts->by_tid, (uint32_t)tid, (uint32_t)ts->n);
	return (uint32_t)ts->n++;
}

/* Return the index of thread `tid` of process `pid`, or HD_MAP_NONE. */
static uint32_t known(const struct hd_tasks *ts, int32_t pid, int32_t tid)
{
	uint32_t t = hd_map_get(&ts->by_tid, (uint32_t)tid);

	return t != HD_MAP_NONE && ts->items[t].pid == pid ? t : HD_MAP_NONE;
}

static uint32_t begin_leader(struct hd_process_table *proc, struct hd_record_time when, int32_t pid)
{
	uint32_t t = slot_of(&proc->tasks, pid);

	proc->tasks.items[t] = (struct hd_task){
		.pid = pid, .tid = pid, .comm = made_up_comm(proc, pid), .named = pid == 0, .mm = new_mm(&proc->tasks),
	};
	push(proc, when, t);
	return t;
}

/*
 * Return the thread that a record names.  If no FORK created it, it is added and shares the mappings of its process.
 * If the tid was last seen in another process, it was reused, and the thread is new.
 */
static uint32_t task_of(struct hd_process_table *proc, struct hd_record_time when, int32_t pid, int32_t tid)
{
	uint32_t t = known(&proc->tasks, pid, tid), leader;
	struct hd_task task;

	if (t != HD_MAP_NONE)
		return t;
	if (pid == tid)
		return begin_leader(proc, when, pid);
	leader = known(&proc->tasks, pid, pid);
	if (leader == HD_MAP_NONE)
		leader = begin_leader(proc, when, pid);
	task = proc->tasks.items[leader];
	task.tid = tid;
	task.comm = made_up_comm(proc, tid);
	task.named = false;
	t = slot_of(&proc->tasks, tid);
	proc->tasks.items[t] = task;
	push(proc, when, t);
	return t;
}

static void replay_comm(struct hd_process_table *proc, const struct hd_process_event *r)
{
	uint32_t t = task_of(proc, r->when, r->pid, r->tid);
	struct hd_task *task = &proc->tasks.items[t];

	task->comm = r->a;
	task->named = true;
	/*
	 * An exec (r->flag) drops no mapping: until execve returns, samples have user frames of the old image.
	 * Mappings of the new image replace the old ones as they are recorded.
	 */
	push(proc, r->when, t);
}

/*
 * Create a thread; it replaces any earlier thread with that tid.  In the same process it shares its parent's mm.  In
 * another process it starts with its parent's mappings, unless perf synthesized the record for a running task.
 */
static void replay_fork(struct hd_process_table *proc, const struct hd_process_event *r)
{
	struct hd_tasks *ts = &proc->tasks;
	int32_t ppid = (int32_t)r->a, ptid = (int32_t)r->b;
	uint32_t parent = known(ts, ppid, ptid), family = parent, t;
	struct hd_task child = { .pid = r->pid, .tid = r->tid };

	if (r->tid == ptid || (r->pid == ppid && r->tid == r->pid))
		return;		/* a task cannot be its own parent */
	if (family == HD_MAP_NONE)
		family = known(ts, ppid, ppid);
	if (parent != HD_MAP_NONE && ts->items[parent].named) {
		child.comm = ts->items[parent].comm;
		child.named = true;
	} else if (ptid == 0 && ppid == 0) {
		child.comm = made_up_comm(proc, 0);
		child.named = true;
	} else {
		child.comm = made_up_comm(proc, r->tid);
	}
	if (family != HD_MAP_NONE) {
		child.mnt_ns = ts->items[family].mnt_ns;
		child.pid_ns = ts->items[family].pid_ns;
	}
	if (r->tid != r->pid) {
		/*
		 * A new thread shares the address space of its process.  Usually this is the process of its parent.  If
		 * the record names another process that is not known yet, it is added.
		 */
		if (r->pid != ppid || family == HD_MAP_NONE)
			family = known(ts, r->pid, r->pid);
		if (family == HD_MAP_NONE)
			family = begin_leader(proc, r->when, r->pid);
		child.mm = ts->items[family].mm;
	} else {
		child.mm = new_mm(ts);
		if (family != HD_MAP_NONE && !r->flag)
			set_space(proc, r->when, child.mm, ts->mm_space[ts->items[family].mm]);
	}
	t = slot_of(ts, r->tid);
	ts->items[t] = child;
	push(proc, r->when, t);
}

static void replay_mmap(struct hd_process_table *proc, const struct hd_process_event *r)
{
	struct hd_tasks *ts = &proc->tasks;
	const struct hd_process_range *m = &proc->ranges[r->a];
	uint32_t t = known(ts, r->pid, r->tid), mm, object;
	const struct hd_task *task;
	enum hd_object_kind kind;

	if (!m->len)
		return;		/* empty: it covers nothing */
	if (t == HD_MAP_NONE)
		t = task_of(proc, r->when, r->pid, r->pid);
	task = &ts->items[t];
	mm = task->mm;
	if (hd_process_is_unmapped_data(proc, ts->mm_space[mm], hd_strtab_get(proc->names, m->name), r->flag, m->flags,
		    m->addr, m->len))
		return;
	object = hd_objects_add_user(&proc->objects, &(struct hd_user_mapping){
		.name = m->name, .build_id = m->build_id, .pid = r->pid, .executable = r->flag, .flags = m->flags,
		.file = m->file,
		.mnt_ns = task->mnt_ns != ts->mnt_ns ? task->mnt_ns : 0,
		.foreign_pid_ns = task->pid_ns && task->pid_ns != ts->pid_ns,
	});
	kind = proc->objects.items[object].kind;
	if (proc->jits && (kind == HD_OBJ_PERFMAP || kind == HD_OBJ_ANON))
		set_space(proc, r->when, mm, hd_process_map_around_jit(proc, ts->mm_space[mm], m, object));
	else
		set_space(proc, r->when, mm, hd_process_map_range(proc, ts->mm_space[mm], m, object));
}

void hd_tasks_replay_jit(struct hd_process_table *proc, const struct hd_process_event *r, size_t n)
{
	uint32_t t = task_of(proc, r->when, r->pid, r->pid), mm = proc->tasks.items[t].mm;

	set_space(proc, r->when, mm, hd_process_map_jit_ranges(proc, proc->tasks.mm_space[mm], r, n));
}

static void replay_namespaces(struct hd_process_table *proc, const struct hd_process_event *r)
{
	uint32_t t = task_of(proc, r->when, r->pid, r->tid);
	struct hd_task *task = &proc->tasks.items[t];

	task->mnt_ns = proc->ranges[r->a].addr;
	task->pid_ns = proc->ranges[r->a].len;
}

void hd_tasks_replay(struct hd_process_table *proc, const struct hd_process_event *r)
{
	switch ((enum hd_process_event_kind)r->kind) {
	case HD_PROCESS_EVENT_MMAP: replay_mmap(proc, r); break;
	case HD_PROCESS_EVENT_COMM: replay_comm(proc, r); break;
	case HD_PROCESS_EVENT_FORK: replay_fork(proc, r); break;
	case HD_PROCESS_EVENT_NAMESPACES: replay_namespaces(proc, r); break;
	case HD_PROCESS_EVENT_JIT: hd_tasks_replay_jit(proc, r, 1); break;
	case HD_PROCESS_EVENT_KSYMBOL: break;		/* handled by kernel_mappings.c */
	}
}

void hd_tasks_freeze(struct hd_process_table *proc)
{
	struct hd_tasks *ts = &proc->tasks;

	hd_timeline_freeze(&ts->threads, ts->n);
	hd_timeline_freeze(&ts->mms, ts->nmm);
	free(ts->items);
	free(ts->mm_space);
	ts->items = NULL;
	ts->mm_space = NULL;
}

/* ---- lookup */

static const struct hd_timeline_entry *thread_at(struct hd_tasks *ts, int32_t tid, struct hd_record_time when,
					 struct hd_record_time *until)
{
	uint32_t t = hd_map_get(&ts->by_tid, (uint32_t)tid);

	return t == HD_MAP_NONE ? NULL : hd_timeline_at(&ts->threads, t, when, until);
}

uint32_t hd_process_comm(struct hd_process_table *proc, const struct hd_process_context *at, int32_t tid)
{
	uint32_t comm;

	if (at->comm != HD_PROCESS_UNNAMED)
		return at->comm;
	comm = hd_map_get(&proc->tasks.strangers, (uint32_t)tid);
	if (comm == HD_MAP_NONE) {
		comm = made_up_comm(proc, tid);
		hd_map_put(&proc->tasks.strangers, (uint32_t)tid, comm);
	}
	return comm;
}

void hd_tasks_at(struct hd_process_table *proc, int32_t pid, int32_t tid, struct hd_record_time when,
	struct hd_process_context *at, struct hd_record_time *until)
{
	struct hd_tasks *ts = &proc->tasks;
	const struct hd_timeline_entry *thread = thread_at(ts, tid, when, until), *leader, *space;

	at->comm = thread ? thread->a : HD_PROCESS_UNNAMED;
	at->space = 0;
	/*
	 * The thread was not seen yet, or it was last seen in another process because its FORK was
	 * lost.  Use the mappings of the process leader.
	 */
	if ((!thread || thread->pid != pid) && pid != tid) {
		leader = thread_at(ts, pid, when, until);
		if (leader && leader->pid == pid)
			thread = leader;
	}
	if (!thread)
		return;
	space = hd_timeline_at(&ts->mms, thread->b, when, until);
	if (space)
		at->space = space->a;
}
