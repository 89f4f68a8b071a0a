/*
 * process_table.c - see process_table.h
 */
#include "process/process_table.h"
#include "process/replay.h"

#include "base/mem.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Limit for the work to keep JIT code mapped when later mappings without a file cover it.  This many steps take
 * seconds.
 */
enum { JIT_STEPS = 1 << 24 };

struct hd_process_table *hd_process_table_new(struct hd_strtab *names, struct hd_log *log)
{
	struct hd_process_table *proc = hd_new(struct hd_process_table);

	proc->names = names;
	proc->log = log;
	proc->limit = UINT64_MAX;
	hd_objects_init(&proc->objects, names);
	hd_kernels_init(&proc->kernels);
	HD_GROW(proc->mappings, 1, proc->mappings_cap);
	proc->mappings[proc->nmappings++] = (struct hd_mapping){ 0 };
	return proc;
}

void hd_process_table_free(struct hd_process_table *proc)
{
	if (!proc)
		return;
	hd_objects_release(&proc->objects);
	hd_address_spaces_release(&proc->spaces);
	hd_tasks_release(&proc->tasks);
	hd_kernels_release(&proc->kernels);
	free(proc->records);
	free(proc->ranges);
	free(proc->mappings);
	free(proc);
}

uint64_t hd_process_range_end(uint64_t addr, uint64_t len)
{
	return len > UINT64_MAX - addr ? UINT64_MAX : addr + len;
}

uint32_t hd_process_map_range(struct hd_process_table *proc, uint32_t space, const struct hd_process_range *r,
	uint32_t object)
{
	uint64_t end = hd_process_range_end(r->addr, r->len), delta = r->pgoff - r->addr;
	const struct hd_process_object *o = &proc->objects.items[object];
	struct hd_address_space_hit hit;

	if (end == r->addr)
		return space;
	if (o->kind == HD_OBJ_VDSO || o->kind == HD_OBJ_MODULE || o->kind == HD_OBJ_KSYM)
		delta = 0 - r->addr;
	else if (o->kind != HD_OBJ_KERNEL && hd_objects_has_absolute_addresses(&proc->objects, object))
		delta = 0;
	/*
	 * perf synthesizes the mappings of running processes twice.  A mapping that exists already creates no new
	 * version of the address space.
	 */
	if (hd_address_spaces_find(&proc->spaces, space, r->addr, &hit) && hit.start == r->addr && hit.end == end &&
	    proc->mappings[hit.what].object == object && proc->mappings[hit.what].delta == delta)
		return space;
	HD_GROW(proc->mappings, proc->nmappings + 1, proc->mappings_cap);
	proc->mappings[proc->nmappings] = (struct hd_mapping){ delta, object };
	return hd_address_spaces_map(&proc->spaces, space, r->addr, end, (uint32_t)proc->nmappings++);
}

void hd_process_set_recorder_namespaces(struct hd_process_table *proc, uint64_t mnt_ino, uint64_t pid_ino)
{
	proc->tasks.mnt_ns = mnt_ino;
	proc->tasks.pid_ns = pid_ino;
}

uint32_t hd_process_map_around_jit(struct hd_process_table *proc, uint32_t space, const struct hd_process_range *r,
	uint32_t object)
{
	uint64_t end = hd_process_range_end(r->addr, r->len), from = r->addr, at = r->addr;

	while (at < end) {
		struct hd_address_space_hit hit;
		const struct hd_mapping *map;
		bool last, jit;

		if (proc->jit_steps++ >= JIT_STEPS) {
			hd_warn(proc->log, "lost.side-band", "",
				"memory was mapped over JIT code too often to follow that; its names are kept");
			return space;
		}
		hd_address_spaces_probe(&proc->spaces, space, at, &hit);
		map = &proc->mappings[hit.what];
		jit = hit.what && proc->objects.items[map->object].kind == HD_OBJ_JIT;
		last = hit.end >= end;
		if (hit.what && !jit && map->object == object && from == at &&
			hd_objects_has_absolute_addresses(&proc->objects, object)) {
			from = at = hit.end;	/* the range has this object already */
			continue;
		}
		if (jit || last) {
			struct hd_process_range part = *r;

			part.addr = from;
			part.len = (jit ? at : end) - from;
			part.pgoff += from - r->addr;
			space = hd_process_map_range(proc, space, &part, object);
			from = hit.end;
		}
		at = hit.end;
	}
	return space;
}

uint32_t hd_process_map_jit_ranges(struct hd_process_table *proc, uint32_t space, const struct hd_process_event *r,
	size_t n)
{
	struct hd_address_space_range *all;
	size_t nall = 0;

	if (n == 1) {
		const struct hd_process_range *m = &proc->ranges[r->a];

		return hd_process_map_range(proc, space, m, hd_objects_add_jit(&proc->objects, m->name, r->pid));
	}
	all = hd_new_array(struct hd_address_space_range, n);
	for (size_t i = 0; i < n; i++) {
		const struct hd_process_range *m = &proc->ranges[r[i].a];
		uint64_t end = hd_process_range_end(m->addr, m->len);

		if (end == m->addr)
			continue;
		HD_GROW(proc->mappings, proc->nmappings + 1, proc->mappings_cap);
		proc->mappings[proc->nmappings] = (struct hd_mapping){ m->pgoff - m->addr,
			hd_objects_add_jit(&proc->objects, m->name, r->pid) };
		all[nall++] = (struct hd_address_space_range){ m->addr, end, (uint32_t)proc->nmappings++ };
	}
	space = hd_address_spaces_map_all(&proc->spaces, space, all, nall);
	free(all);
	return space;
}

/*
 * Find the recorder's namespaces: those of pid 1 if they were recorded; else those of the hotdrift process if the
 * recording was made on this machine, which are set already; else the first recorded ones.
 */
static void find_namespaces(struct hd_process_table *proc)
{
	const struct hd_process_event *ours = NULL;

	for (size_t i = 0; i < proc->nrecords; i++) {
		const struct hd_process_event *r = &proc->records[i];

		if (r->kind != HD_PROCESS_EVENT_NAMESPACES)
			continue;
		if (!ours || r->pid == 1)
			ours = r;
		if (r->pid == 1)
			break;
	}
	if (ours && (ours->pid == 1 || !proc->tasks.mnt_ns)) {
		proc->tasks.mnt_ns = proc->ranges[ours->a].addr;
		proc->tasks.pid_ns = proc->ranges[ours->a].len;
	}
}

/* Return true if both records are JIT code of one process and time. */
static bool is_more(const struct hd_process_event *a, const struct hd_process_event *b)
{
	return b->kind == HD_PROCESS_EVENT_JIT && b->pid == a->pid && b->when.time_ns == a->when.time_ns &&
		b->when.seq == a->when.seq;
}

void hd_process_build(struct hd_process_table *proc)
{
	assert(!proc->built);
	hd_process_sort_events(proc);
	proc->first_seq = UINT64_MAX;
	for (size_t i = 0; i < proc->nrecords; i++) {
		proc->timed |= proc->records[i].when.time_ns != 0;
		if (proc->records[i].when.seq < proc->first_seq)
			proc->first_seq = proc->records[i].when.seq;
		proc->jits |= proc->records[i].kind == HD_PROCESS_EVENT_JIT;
	}
	find_namespaces(proc);
	for (size_t i = 0; i < proc->nrecords && hd_process_has_room(proc, proc->limit); i++) {
		const struct hd_process_event *r = &proc->records[i];
		size_t n = 1;

		for (; r->kind == HD_PROCESS_EVENT_JIT && i + 1 < proc->nrecords && is_more(r, &proc->records[i + 1]);
			i++)
			n++;
		if (n > 1)
			hd_tasks_replay_jit(proc, r, n);
		else if (r->kind == HD_PROCESS_EVENT_KSYMBOL ||
			(r->kind == HD_PROCESS_EVENT_MMAP && hd_kernels_owns_mmap(r)))
			hd_kernels_replay(proc, r);
		else
			hd_tasks_replay(proc, r);
	}
	hd_tasks_freeze(proc);
	hd_kernels_freeze(proc);
	proc->built = true;

	/* Lookups do not use the records. */
	free(proc->records);
	free(proc->ranges);
	proc->records = NULL;
	proc->ranges = NULL;
	proc->nrecords = proc->records_cap = proc->nranges = proc->ranges_cap = 0;
}

static bool extends(const struct hd_process_table *from, const struct hd_process_table *to)
{
	if (from->timed != to->timed || from->first_seq != to->first_seq || from->nmappings > to->nmappings ||
	    from->tasks.mnt_ns != to->tasks.mnt_ns || from->tasks.pid_ns != to->tasks.pid_ns)
		return false;
	for (size_t i = 0; i < from->nmappings; i++)
		if (from->mappings[i].delta != to->mappings[i].delta ||
			from->mappings[i].object != to->mappings[i].object)
			return false;
	return hd_objects_is_prefix(&from->objects, &to->objects) &&
		hd_address_spaces_is_prefix(&from->spaces, &to->spaces) &&
		hd_kernels_is_prefix(&from->kernels, &to->kernels);
}

bool hd_process_grow(struct hd_process_table *proc, struct hd_process_table *more)
{
	struct hd_process_table was = *proc;
	bool same;

	assert(proc->built && more->built && proc->names == more->names);
	same = extends(proc, more);
	if (same) {
		*proc = *more;
		*more = was;
	}
	hd_process_table_free(more);
	return same;
}

/*
 * Old kernels and other producers record times in samples only.  Then records and samples are ordered by their place in
 * the file.  If all tasks were synthesized at the end (perf record --tail-synthesize), every record comes before all
 * samples, like records without a time.
 */
static struct hd_record_time comparable(const struct hd_process_table *proc, struct hd_record_time when)
{
	if (!proc->timed && when.seq > proc->first_seq)
		when.time_ns = 0;
	return when;
}

void hd_process_at(struct hd_process_table *proc, int32_t pid, int32_t tid, struct hd_record_time when,
	struct hd_process_context *at)
{
	assert(proc->built);
	when = comparable(proc, when);
	if (!(proc->has_last && proc->last_tid == tid && proc->last_pid == pid &&
	      !hd_record_time_before(when, proc->last) && !hd_record_time_before(proc->last_until, when))) {
		proc->last_until = (struct hd_record_time){ UINT64_MAX, UINT64_MAX };
		proc->last = when;
		proc->last_pid = pid;
		proc->last_tid = tid;
		proc->has_last = true;
		hd_tasks_at(proc, pid, tid, when, &proc->last_at, &proc->last_until);
		proc->last_at.kernel_space = hd_kernels_at(proc, pid, when, &proc->last_until);
	}
	*at = proc->last_at;
}

struct hd_process_table *hd_process_view_new(const struct hd_process_table *proc)
{
	struct hd_process_table *view = hd_new(struct hd_process_table);

	assert(proc->built && !hd_process_has_guests(proc));
	*view = *proc;
	view->has_last = false;
	hd_timeline_view(&view->tasks.threads);
	hd_timeline_view(&view->tasks.mms);
	hd_timeline_view(&view->kernels.line);
	return view;
}

void hd_process_view_free(struct hd_process_table *view)
{
	if (!view)
		return;
	free(view->tasks.threads.cursor);
	free(view->tasks.mms.cursor);
	free(view->kernels.line.cursor);
	free(view);
}

bool hd_process_is_unmapped_data(const struct hd_process_table *proc, uint32_t space, const char *name, bool executable,
	uint32_t flags, uint64_t addr, uint64_t len)
{
	return hd_objects_is_data(name, executable, flags) &&
		!hd_address_spaces_any(&proc->spaces, space, addr, hd_process_range_end(addr, len));
}

bool hd_process_ignores_mmap(struct hd_process_table *proc, const struct hd_process_mmap *m)
{
	struct hd_process_context at;
	char name[64];		/* a longer name can be cut: the start of a name shows whether it is data */

	snprintf(name, sizeof(name), "%.*s", (int)(m->name_len < sizeof(name) ? m->name_len : sizeof(name)), m->name);
	if (m->cpumode != 2)
		return false;
	hd_process_at(proc, m->pid, m->tid, m->when, &at);
	return at.comm != HD_PROCESS_UNNAMED &&
	       hd_process_is_unmapped_data(proc, at.space, name, m->executable, m->flags, m->addr, m->len);
}

void hd_process_find(const struct hd_process_table *proc, const struct hd_process_context *at, uint64_t ip,
	uint8_t cpumode, struct hd_process_location *where)
{
	struct hd_address_space_hit hit;

	*where = (struct hd_process_location){ 0 };
	if (cpumode == 1 || cpumode == 4) {
		hd_kernels_find(proc, at->kernel_space, ip, cpumode == 4, where);
	} else if (cpumode == 2 && hd_address_spaces_find(&proc->spaces, at->space, ip, &hit)) {
		const struct hd_mapping *map = &proc->mappings[hit.what];

		*where = (struct hd_process_location){ map->object, hit.start, hit.end, ip + map->delta };
	}
}

void hd_process_extent(const struct hd_process_table *proc, uint32_t space, uint64_t ip,
	struct hd_process_extent *extent)
{
	struct hd_address_space_hit hit;
	const struct hd_mapping *map;

	hd_address_spaces_probe(&proc->spaces, space, ip, &hit);
	map = &proc->mappings[hit.what];
	*extent = (struct hd_process_extent){ hit.start, hit.end, map->delta, space, hit.what ? map->object : 0 };
}

const struct hd_process_object *hd_process_object(const struct hd_process_table *proc, uint32_t id)
{
	return &proc->objects.items[id < proc->objects.n ? id : 0];
}

uint32_t hd_process_object_count(const struct hd_process_table *proc)
{
	return (uint32_t)proc->objects.n;
}
