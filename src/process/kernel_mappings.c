/*
 * kernel_mappings.c - replay and look up the mappings of the kernel, for the host and for each guest
 *
 * The kernel's main map has the lowest priority: its recorded range is often far too large (0 to ~0), and modules
 * lie inside it.  So an address is first looked up in the space (address_spaces.h) of modules and KSYMBOLs.
 */
#include "process/process_table.h"
#include "process/replay.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* A module cannot be larger than this, because all modules together are within 2 GiB. */
#define MODULE_MAX (UINT64_C(1) << 31)

enum { CPUMODE_KERNEL = 1, CPUMODE_GUEST_KERNEL = 4, CPUMODE_GUEST_USER = 5 };

struct hd_kernel_instance {			/* state while building */
	uint32_t space, main;
};

struct hd_kernel_main_map {
	uint64_t start, end;
	uint32_t object;
};

bool hd_kernels_owns_mmap(const struct hd_process_event *r)
{
	return r->cpumode == CPUMODE_KERNEL || r->cpumode == CPUMODE_GUEST_KERNEL ||
	       r->cpumode == CPUMODE_GUEST_USER || (r->cpumode == 0 && r->pid == -1);
}

void hd_kernels_init(struct hd_kernels *ks)
{
	HD_GROW(ks->items, 1, ks->cap);
	ks->items[ks->n++] = (struct hd_kernel_instance){ 0 };
	HD_GROW(ks->mains, 1, ks->mains_cap);
	ks->mains[ks->nmains++] = (struct hd_kernel_main_map){ 0 };
}

void hd_kernels_release(struct hd_kernels *ks)
{
	hd_map_release(&ks->by_pid);
	hd_map_release(&ks->pairs);
	hd_timeline_release(&ks->line);
	free(ks->items);
	free(ks->mains);
	free(ks->pair);
	*ks = (struct hd_kernels){ 0 };
}

/*
 * Return the index of the kernel that a record maps.  A guest is identified by the pid of its process on the host;
 * pid 0 stands for a single guest without a pid.
 */
static uint32_t kernel_of(struct hd_kernels *ks, const struct hd_process_event *r)
{
	int32_t pid = r->pid < 0 ? 0 : r->pid;
	uint32_t k;

	if (r->cpumode != CPUMODE_GUEST_KERNEL)
		return 0;
	k = hd_map_get(&ks->by_pid, (uint32_t)pid);
	if (k != HD_MAP_NONE)
		return k;
	HD_GROW(ks->items, ks->n + 1, ks->cap);
	ks->items[ks->n] = (struct hd_kernel_instance){ 0 };
	hd_map_put(&ks->by_pid, (uint32_t)pid, (uint32_t)ks->n);
	return (uint32_t)ks->n++;
}

static void push(struct hd_kernels *ks, uint32_t k, struct hd_record_time when)
{
	hd_timeline_push(&ks->line, &(struct hd_timeline_entry){
		.when = when, .owner = k, .a = ks->items[k].space, .b = ks->items[k].main,
	});
}

static void replay_main(struct hd_process_table *proc, uint32_t k, const struct hd_process_range *m)
{
	struct hd_kernels *ks = &proc->kernels;
	/* the main map covers all addresses if kptr_restrict hid its address and its length, which are then 0 */
	uint64_t end = m->len ? hd_process_range_end(m->addr, m->len) : UINT64_MAX;
	struct hd_kernel_main_map *main;

	if (end == m->addr)
		/* hiperf writes a second kernel map, an empty range at ~0; keep the first map */
		return;
	HD_GROW(ks->mains, ks->nmains + 1, ks->mains_cap);
	main = &ks->mains[ks->nmains];
	main->start = m->addr;
	main->end = end;
	main->object = hd_objects_add_kernel(&proc->objects, m->name, m->addr, m->pgoff, m->build_id, k != 0);
	ks->items[k].main = (uint32_t)ks->nmains++;
}

static void replay_mmap(struct hd_process_table *proc, const struct hd_process_event *r)
{
	struct hd_kernels *ks = &proc->kernels;
	const struct hd_process_range *m = &proc->ranges[r->a];
	const char *name = hd_strtab_get(proc->names, m->name);
	const struct hd_kernel_main_map *main;
	struct hd_process_range before_main;
	uint32_t k, object;

	if (r->cpumode == CPUMODE_GUEST_USER) {
		hd_warn(proc->log, "lost.guest-map", "", "a guest's user mapping (%s) is ignored", name);
		return;
	}
	k = kernel_of(ks, r);
	if (hd_is_kernel_name(name)) {
		replay_main(proc, k, m);
		push(ks, k, r->when);
		return;
	}
	if (!strcmp(name, "__entry_SYSCALL_64_trampoline")) {
		/* This mapping is an alias of a part of the kernel, which is at pgoff in the kernel's main map. */
		object = ks->mains[ks->items[k].main].object;
		if (!object)
			return;
	} else if (name[0] == '/' || name[0] == '[') {
		object = hd_objects_add_module(&proc->objects, m->name, m->addr, m->build_id, k != 0);
	} else {
		/* Ignore this mapping, as perf does, so that the kernel's main map continues to cover the range. */
		hd_warn(proc->log, "lost.kernel-map", "", "the kernel mapping '%s' is neither a path nor [module]",
			name);
		return;
	}
	if (!m->addr && m->len > MODULE_MAX) {
		hd_warn(proc->log, "lost.empty-map", "record with kernel.kptr_restrict=0 or as root",
			"the kernel mapping '%s' was recorded without its address, as all of memory", name);
		return;
	}
	if (!m->len) {
		hd_warn(proc->log, "lost.empty-map", "record with kernel.kptr_restrict=0 or as root",
			"the kernel mapping '%s' was recorded without its size", name);
		return;
	}
	before_main = *m;
	main = &ks->mains[ks->items[k].main];
	/* perf extends the last module to the end of memory; cut it where the kernel's main map begins. */
	if (main->object && main->start > m->addr && main->start < hd_process_range_end(m->addr, m->len))
		before_main.len = main->start - m->addr;
	ks->items[k].space = hd_process_map_range(proc, ks->items[k].space, &before_main, object);
	push(ks, k, r->when);
}

static void replay_ksymbol(struct hd_process_table *proc, const struct hd_process_event *r)
{
	struct hd_kernels *ks = &proc->kernels;
	const struct hd_process_range *m = &proc->ranges[r->a];
	uint32_t *space = &ks->items[0].space;
	struct hd_address_space_hit hit;

	if (!m->len)
		return;
	if (!r->flag) {
		*space = hd_process_map_range(proc, *space, m,
			hd_objects_add_ksymbol(&proc->objects, m->name, m->addr));
	} else {
		/*
		 * If the registration of the symbol was not recorded, another mapping may cover its address; do not
		 * remove that one.
		 */
		if (!hd_address_spaces_find(&proc->spaces, *space, m->addr, &hit) ||
		    proc->objects.items[proc->mappings[hit.what].object].kind != HD_OBJ_KSYM)
			return;
		*space = hd_address_spaces_map(&proc->spaces, *space, hit.start, hit.end, 0);
	}
	push(ks, 0, r->when);
}

void hd_kernels_replay(struct hd_process_table *proc, const struct hd_process_event *r)
{
	if (r->kind == HD_PROCESS_EVENT_KSYMBOL)
		replay_ksymbol(proc, r);
	else
		replay_mmap(proc, r);
}

void hd_kernels_freeze(struct hd_process_table *proc)
{
	hd_timeline_freeze(&proc->kernels.line, proc->kernels.n);
}

bool hd_process_has_guests(const struct hd_process_table *proc)
{
	return proc->kernels.n > 1;
}

/* The function returns false if there are guest kernels, so all entries that it compares are those of the host. */
bool hd_kernels_is_prefix(const struct hd_kernels *from, const struct hd_kernels *to)
{
	if (from->n > 1 || to->n > 1 || from->line.n > to->line.n || from->nmains > to->nmains)
		return false;
	for (size_t i = 0; i < from->line.n; i++) {
		const struct hd_timeline_entry *a = &from->line.items[i], *b = &to->line.items[i];

		if (a->when.time_ns != b->when.time_ns || a->when.seq != b->when.seq || a->a != b->a || a->b != b->b)
			return false;
	}
	for (size_t i = 0; i < from->nmains; i++) {
		const struct hd_kernel_main_map *a = &from->mains[i], *b = &to->mains[i];

		if (a->start != b->start || a->end != b->end || a->object != b->object)
			return false;
	}
	return true;
}

static uint32_t moment_of(struct hd_kernels *ks, uint32_t k, struct hd_record_time when, struct hd_record_time *until)
{
	const struct hd_timeline_entry *m = hd_timeline_at(&ks->line, k, when, until);

	return m ? (uint32_t)(m - ks->line.items) + 1 : 0;
}

/*
 * Return the id of the kernel mappings of a process at time `when`; 0: there are none.  Ids up to the number of entries
 * in the timeline (ks->line) are entries of the host's kernel.  Higher ids are pairs of such an entry and one of a
 * guest's kernel.
 */
uint32_t hd_kernels_at(struct hd_process_table *proc, int32_t pid, struct hd_record_time when,
	struct hd_record_time *until)
{
	struct hd_kernels *ks = &proc->kernels;
	uint32_t host = moment_of(ks, 0, when, until), guest, k, id;
	uint64_t key;

	if (ks->n == 1)
		return host;
	k = hd_map_get(&ks->by_pid, (uint32_t)pid);
	if (k == HD_MAP_NONE)
		k = hd_map_get(&ks->by_pid, 0);
	/* k is HD_MAP_NONE if there is no guest with this pid or with pid 0; such a k has no entries */
	guest = moment_of(ks, k, when, until);
	if (!guest)
		return host;
	key = (uint64_t)host << 32 | guest;
	id = hd_map_get(&ks->pairs, key);
	if (id == HD_MAP_NONE) {
		id = (uint32_t)ks->npairs;
		HD_GROW(ks->pair, ks->npairs + 1, ks->pairs_cap);
		ks->pair[ks->npairs++] = key;
		hd_map_put(&ks->pairs, key, id);
	}
	return (uint32_t)ks->line.n + 1 + id;
}

bool hd_kernels_find(const struct hd_process_table *proc, uint32_t kernel_space, uint64_t ip, bool guest,
		     struct hd_process_location *where)
{
	const struct hd_kernels *ks = &proc->kernels;
	const struct hd_kernel_main_map *main;
	const struct hd_timeline_entry *m;
	struct hd_address_space_hit hit;
	uint32_t moment;

	if (kernel_space <= ks->line.n)
		moment = guest ? 0 : kernel_space;
	else if (kernel_space - ks->line.n - 1 < ks->npairs)
		moment = (uint32_t)(ks->pair[kernel_space - ks->line.n - 1] >> (guest ? 0 : 32));
	else
		moment = 0;
	if (!moment)
		return false;
	m = &ks->line.items[moment - 1];
	if (hd_address_spaces_find(&proc->spaces, m->a, ip, &hit)) {
		const struct hd_mapping *map = &proc->mappings[hit.what];

		*where = (struct hd_process_location){ map->object, hit.start, hit.end, ip + map->delta };
		return true;
	}
	main = &ks->mains[m->b];
	if (!main->object || ip < main->start || ip >= main->end)
		return false;
	*where = (struct hd_process_location){ main->object, main->start, main->end, ip };
	return true;
}
