/*
 * locator.c - see locator.h
 */
#include "pipeline/locator.h"

#include "base/hash.h"
#include "base/hex.h"
#include "base/mem.h"
#include "pipeline/profile_symbols.h"

#include <stdlib.h>
#include <string.h>

/*
 * Limit for the number of kernels.  A machine has one kernel, but an untrusted recording can name any number of them.
 * Each kernel costs a lookup for every unmapped kernel address.
 */
enum { MAX_KERNELS = 8 };
/*
 * For estimates of memory.  OBJECT_BYTES: bytes that an object without symbols takes.  NAME_COPIES: how many copies of
 * its path exist.
 */
enum {
	OBJECT_BYTES = 1536,
	NAME_COPIES = 4
};
enum { TAG_SHIFT = 28 };	/* the shift in tag << 28 | location */
/*
 * The cache of mappings (hd_locator.extents) has 1 << EXTENT_BITS entries.  An address selects its entry by a hash of
 * its address space and of its bits above the lowest EXTENT_BYTES ones.
 */
enum { EXTENT_BITS = 10, EXTENT_BYTES = 16 };
/*
 * The location of an address in an object.  The key is (object, offset in the object, tag), so all processes that map
 * the object share the entries.  The table contains no pointers, so a lookup reads one cache line.
 */
struct address {
	uint64_t at;		/* offset in the object; the address itself if no mapping covers it */
	uint32_t owner;		/* id of the object in the process table */
	uint32_t place;		/* tag << TAG_SHIFT | location; 0: empty */
};

/*
 * A part of a function that has one location: its code outside of inlined functions, or one instance of an inlined
 * function.
 */
struct part {
	uint64_t start;		/* linked address of the function */
	uint32_t object;	/* id in the process table */
	uint32_t instance;
	uint32_t location;	/* 0: empty */
};

/* An object of the process table: its id in the profile, and its symbols.  object_of() fills it in on first use. */
struct object {
	bool ready;
	uint32_t id;		/* in the profile */
	uint64_t code_pgoff;	/* file offset of the mapping that contained the first looked-up address */
	bool kernel;
	uint64_t module_start;	/* start of a kernel module; otherwise 0 */
	struct hd_symobj *symbols;
};

struct hd_locator {
	struct hd_profile *p;
	struct hd_process_table *proc;
	struct hd_symbols *symbols;
	const struct hd_pipeline_opts *opts;
	struct hd_profile_symbols naming;

	struct address *addresses;
	/*
	 * direct-mapped cache of mappings; close addresses are usually in the same mapping, or in the same gap between
	 * mappings
	 */
	struct hd_process_extent
		*extents;
	size_t naddresses, nslots;
	struct hd_location *locations;
	size_t nlocations, locations_cap;
	/* index of locations by content; if it used base/hash_index.h, `report` would execute 1 % more instructions */
	uint32_t *slots;
	size_t nlocation_slots;
	hd_frame_id *inlined;
	size_t ninlined, inlined_cap;
	struct part *parts;	/* map from (function, inlined instance) to location; not used if has_address() */
	size_t nparts, npart_slots;

	uint32_t bare_kernel;	/* the profile's object of kernel addresses without a mapping; 0: none so far */
	uint32_t nowhere;	/* the location of callers at unmapped addresses; 0: none so far */
	struct object *objects;
	size_t nobjects, nready;
	uint64_t path_bytes;	/* estimated memory of the paths of all objects that were looked up so far */
	uint32_t kernels[MAX_KERNELS];	/* host kernels: object ids of the process table */
	size_t nkernels;

	struct hd_numbered_address *numbered;	/* indexed by number; NULL: not a numbering locator */
	size_t nnumbered, numbered_cap;
};

static struct hd_locator *new_locator(struct hd_process_table *proc, struct hd_symbols *symbols)
{
	struct hd_locator *l = hd_new(struct hd_locator);

	l->proc = proc;
	l->symbols = symbols;
	l->nslots = 4096;
	l->addresses = hd_new_array(struct address, l->nslots);
	l->extents = hd_new_array(struct hd_process_extent, (size_t)1 << EXTENT_BITS);
	hd_locator_grow(l);
	return l;
}

struct hd_locator *hd_locator_new(struct hd_profile *p, struct hd_process_table *proc, struct hd_symbols *symbols,
				  const struct hd_pipeline_opts *opts)
{
	struct hd_locator *l = new_locator(proc, symbols);

	l->p = p;
	l->opts = opts;
	l->naming = (struct hd_profile_symbols){ .p = p,
		.strip_version = opts->select.strip_version,
		.full_names = opts->full_names };
	HD_GROW(l->locations, 1, l->locations_cap);
	l->locations[l->nlocations++] = (struct hd_location){ 0 };
	l->nlocation_slots = 1024;
	l->slots = hd_new_array(uint32_t, l->nlocation_slots);
	HD_GROW(l->inlined, 1, l->inlined_cap);
	l->npart_slots = 1024;
	l->parts = hd_new_array(struct part, l->npart_slots);
	return l;
}

struct hd_locator *hd_locator_new_numbering(struct hd_process_table *proc)
{
	struct hd_locator *l = new_locator(proc, NULL);

	HD_GROW(l->numbered, 1, l->numbered_cap);
	l->numbered[l->nnumbered++] = (struct hd_numbered_address){ 0 };
	return l;
}

const struct hd_numbered_address *hd_locator_numbered(const struct hd_locator *l, size_t *n)
{
	*n = l->nnumbered;
	return l->numbered;
}

void hd_locator_grow(struct hd_locator *l)
{
	size_t n = hd_process_object_count(l->proc);

	l->objects = hd_realloc(l->objects, n, sizeof(*l->objects));
	for (; l->nobjects < n; l->nobjects++) {
		const struct hd_process_object *po = hd_process_object(l->proc, (uint32_t)l->nobjects);

		l->objects[l->nobjects] = (struct object){ 0 };
		if (po->kind == HD_OBJ_KERNEL && !po->guest && l->symbols && l->nkernels < MAX_KERNELS)
			l->kernels[l->nkernels++] = (uint32_t)l->nobjects;
	}
}

void hd_locator_free(struct hd_locator *l)
{
	if (!l)
		return;
	hd_profile_symbols_release(&l->naming);
	free(l->addresses);
	free(l->extents);
	free(l->locations);
	free(l->slots);
	free(l->inlined);
	free(l->parts);
	free(l->objects);
	free(l->numbered);
	free(l);
}

uint64_t hd_locator_bytes(const struct hd_locator *l)
{
	return 2 * l->naddresses * sizeof(*l->addresses) +
		l->nlocations * (2 * sizeof(*l->locations) + 3 * sizeof(*l->slots)) +
		2 * l->ninlined * sizeof(*l->inlined) + 3 * l->nparts * sizeof(*l->parts) +
		l->nobjects * sizeof(*l->objects) + l->nready * OBJECT_BYTES + l->path_bytes;
}

uint64_t hd_locator_size(const struct hd_locator *l)
{
	return l->naddresses + 16 * l->nready + l->path_bytes / 256;
}

/* Return by how much hd_locator_size() can grow if an object is looked up. */
static uint64_t object_growth(const struct hd_locator *l, uint32_t object)
{
	const struct hd_process_object *po = hd_process_object(l->proc, object);

	return l->objects[object].ready ? 0 : 17 + NAME_COPIES * hd_strtab_len(l->p->names, po->name) / 256;
}

uint64_t hd_locator_growth(const struct hd_locator *l, const struct hd_locator *numbering)
{
	uint64_t n = numbering->nnumbered + object_growth(l, 0);

	for (size_t i = 0; i < l->nkernels; i++)	/* kernel_after_its_map() can look up each of them */
		n += object_growth(l, l->kernels[i]);
	for (size_t i = 1; i < numbering->nnumbered; i++)
		if (numbering->numbered[i].first)
			n += object_growth(l, numbering->numbered[i].object);
	return n;
}

/* ---- objects ---- */

void hd_locator_key(const struct hd_locator *l, uint32_t object, struct hd_symbols_key *key)
{
	const struct hd_process_object *po = hd_process_object(l->proc, object);

	*key = (struct hd_symbols_key){
		.kind = po->kind,
		.path = hd_profile_str(l->p, po->name),
		.build_id = po->build_id,
		.build_id_len = po->build_id_len,
		.pid = po->pid,
		.kernel_start = po->kernel_start,
		.kernel_pgoff = po->kernel_pgoff,
		.code_pgoff = l->objects[object].code_pgoff,
		.guest = po->guest,
		.mnt_ns = po->mnt_ns,
		.ns_pid = po->ns_pid,
		.foreign_pid = po->foreign_pid_ns,
		.ino = po->ino,
		.generation = po->generation,
		.build_id_listed = po->build_id_listed,
	};
	if (l->symbols)
		hd_symbols_settle_key(l->symbols, key);
}

/* Return the object with this id of the process table.  On first use, add it to the profile and look up its symbols. */
static struct object *object_of(struct hd_locator *l, uint32_t id)
{
	struct object *o = &l->objects[id];
	const struct hd_process_object *po = hd_process_object(l->proc, id);
	char build_id[2 * sizeof(po->build_id) + 1];
	struct hd_symbols_key key;

	if (o->ready)
		return o;
	o->ready = true;
	l->nready++;
	l->path_bytes += NAME_COPIES * hd_strtab_len(l->p->names, po->name);
	o->kernel = po->kind == HD_OBJ_KERNEL || po->kind == HD_OBJ_MODULE || po->kind == HD_OBJ_KSYM;
	if (!id)
		return o;
	o->module_start = po->kind == HD_OBJ_MODULE ? po->kernel_start : 0;
	hd_locator_key(l, id, &key);
	hd_hex(key.build_id, key.build_id_len, build_id);
	o->id = hd_profile_add_object(l->p, key.path, build_id, o->kernel);
	if (l->symbols)
		o->symbols = hd_symbols_object(l->symbols, &key);
	return o;
}

bool hd_locator_object(const struct hd_locator *l, uint32_t i, uint32_t *profile_object, const struct hd_symobj **so)
{
	const struct object *o = &l->objects[i];

	*profile_object = o->id;
	*so = o->symbols;
	return o->ready;
}

/*
 * Return the host kernel if its symbol table covers `ip`, else 0.  The recorded mapping of the kernel ends at _etext,
 * but idle tasks are called from code after _etext that has symbols (.init.text).  So an address without a mapping
 * belongs to the kernel if the kernel's symbol table covers it.
 */
static uint32_t kernel_after_its_map(struct hd_locator *l, uint64_t ip)
{
	for (size_t i = 0; i < l->nkernels; i++) {
		struct hd_symbol_hit hit;

		if (ip < hd_process_object(l->proc, l->kernels[i])->kernel_start)
			continue;
		hd_object_lookup(object_of(l, l->kernels[i])->symbols, ip, &hit);
		if (hit.linkage)
			return l->kernels[i];
	}
	return 0;
}

/* ---- an address looked up ---- */

/*
 * Return true for signal trampolines.  A signal handler returns to the first instruction of the trampoline, so the byte
 * before that return address does not belong to a call.
 */
static bool is_trampoline(const char *name)
{
	return !strcmp(name, "__restore_rt") || !strcmp(name, "__kernel_rt_sigreturn") ||
		!strcmp(name, "__kernel_sigreturn");
}

/*
 * Look up an address.  A return address is that of the instruction after the call, so the byte before it is looked
 * up: the call can be the last instruction of the caller.  (perf looks up the address itself, and reports the
 * function after a call that does not return.)  A function that starts at the address is used instead if it is a
 * trampoline, or if no symbol covers the byte before.
 */
static void look_up(struct hd_symobj *so, unsigned tag, uint64_t foff, struct hd_symbol_hit *hit)
{
	bool exact = tag & HD_TAG_PC;
	struct hd_symbol_hit at;

	hd_object_lookup(so, exact ? foff : foff - 1, hit);
	if (exact || (hit->linkage && hit->start + hit->size > hit->vaddr + 1))
		return;
	hd_object_lookup(so, foff, &at);
	if (at.linkage && at.start == at.vaddr && (!hit->linkage || is_trampoline(at.linkage)))
		*hit = at;
}

static void set_line(struct hd_locator *l, struct hd_frame *f, const struct hd_line_hit *line)
{
	f->file = line->file ? hd_profile_name(l->p, line->file) : 0;
	f->line = line->file ? line->line : 0;
}

/*
 * Append the functions inlined at vaddr to l->inlined as frames, outermost first, and return their number.  intern()
 * adds this number to l->ninlined.  On entry *line is the line of vaddr, which belongs to the innermost function.  With
 * opts->lines, each outer function gets the line of its inlined call, and on return *line is the line in the function
 * itself.
 */
static uint32_t add_inlined(struct hd_locator *l, const struct object *o, uint64_t vaddr, struct hd_line_hit *line)
{
	struct hd_inline_hit hits[HD_INLINE_MAX];
	size_t n = hd_object_inlines(o->symbols, vaddr, hits, HD_COUNT(hits));

	if (n == HD_COUNT(hits))
		hd_warn(&l->p->log, "lost.inlined", "",
			"%s: at 0x%llx %d functions or more are inlined into each other; the outer ones are missing",
			hd_object_source(o->symbols), (unsigned long long)vaddr, HD_INLINE_MAX);
	HD_GROW(l->inlined, l->ninlined + n, l->inlined_cap);
	for (size_t i = 0; i < n; i++) {
		struct hd_frame f = { .symbol = hd_profile_symbols_add_inlined(&l->naming, o->id, o->kernel, &hits[i]),
			.inlined = true };

		if (l->opts->lines) {
			f.vaddr = vaddr;
			set_line(l, &f, line);
			*line = (struct hd_line_hit){ hits[i].call_file, hits[i].call_line };
		}
		l->inlined[l->ninlined + n - 1 - i] = hd_profile_add_frame(l->p, &f);
	}
	return (uint32_t)n;
}

/* Return the slot of the location equal to *loc, or an empty slot.  *loc need not be in l->locations yet. */
static size_t location_slot(const struct hd_locator *l, const struct hd_location *loc)
{
	const hd_frame_id *frames = l->inlined + loc->inlined;
	uint64_t h = hd_mix(loc->frame.v, (uint64_t)loc->kernel << 32 | loc->ninlined);
	size_t i;

	for (uint32_t k = 0; k < loc->ninlined; k++)
		h = hd_mix(h, frames[k].v);
	for (i = h & (l->nlocation_slots - 1); l->slots[i]; i = (i + 1) & (l->nlocation_slots - 1)) {
		const struct hd_location *have = &l->locations[l->slots[i]];

		if (have->frame.v == loc->frame.v && have->kernel == loc->kernel && have->ninlined == loc->ninlined &&
		    (!loc->ninlined || !memcmp(l->inlined + have->inlined, frames, loc->ninlined * sizeof(*frames))))
			break;
	}
	return i;
}

static uint32_t intern(struct hd_locator *l, const struct hd_location *loc)
{
	size_t i;

	if (2 * (l->nlocations + 1) > l->nlocation_slots) {
		free(l->slots);
		l->nlocation_slots *= 2;
		l->slots = hd_new_array(uint32_t, l->nlocation_slots);
		for (size_t k = 1; k < l->nlocations; k++)
			l->slots[location_slot(l, &l->locations[k])] = (uint32_t)k;
	}
	i = location_slot(l, loc);
	if (l->slots[i])
		return l->slots[i];
	HD_GROW(l->locations, l->nlocations + 1, l->locations_cap);
	l->locations[l->nlocations] = *loc;
	l->ninlined += loc->ninlined;		/* keep the frames at the end of l->inlined */
	l->slots[i] = (uint32_t)l->nlocations;
	return (uint32_t)l->nlocations++;
}

uint32_t hd_locator_bare_kernel(const struct hd_locator *l)
{
	return l->bare_kernel;
}

/*
 * Return the symbol of an address that no symbol covers.  Addresses in a module are relative to its start, because
 * each boot loads it at another address.  An address of the host's kernel without a mapping is assigned to
 * HD_BARE_KERNEL.
 */
static uint32_t name_address(struct hd_locator *l, const struct object *o, unsigned tag, uint64_t vaddr)
{
	if (!o->id && (tag & HD_TAG_MODE) == HD_MODE_KERNEL) {
		if (!l->bare_kernel)
			l->bare_kernel = hd_profile_add_object(l->p, HD_BARE_KERNEL, "", true);
		return hd_profile_symbols_add_address(&l->naming, l->bare_kernel, true, vaddr);
	}
	if (o->module_start && vaddr >= o->module_start)
		vaddr -= o->module_start;
	return hd_profile_symbols_add_address(&l->naming, o->id, o->kernel || (!o->id && hd_tag_kernel(tag)), vaddr);
}

/*
 * Return true if each address must have a frame of its own.  opts->lines needs that for all addresses.
 * opts->symbol_user needs it for sampled addresses, and with --no-kernel for callers, too, because a sample then counts
 * at its innermost user frame.
 */
static bool has_address(const struct hd_locator *l, unsigned tag)
{
	return l->opts->lines || (l->opts->symbol_user && ((tag & HD_TAG_PC) || l->opts->select.no_kernel));
}

/* Build and intern the location of a lookup result. */
static uint32_t make(struct hd_locator *l, const struct object *o, unsigned tag, const struct hd_symbol_hit *hit)
{
	struct hd_location loc = { .inlined = (uint32_t)l->ninlined,
		.kernel = hd_tag_kernel(tag),
		.unresolved = !hit->linkage };
	struct hd_line_hit line = { 0 };
	struct hd_frame f = { 0 };

	if (hit->linkage)
		f.symbol = hd_profile_symbols_add(&l->naming, o->id, o->kernel, hit);
	else
		f.symbol = name_address(l, o, tag, hit->vaddr);
	loc.root = hd_profile_symbols_is_root(&l->naming, f.symbol);
	if (l->opts->lines && o->symbols)
		hd_object_line(o->symbols, hit->vaddr, &line);
	if (!l->opts->no_inline && o->symbols && hit->linkage)
		loc.ninlined = add_inlined(l, o, hit->vaddr, &line);
	if (has_address(l, tag))
		f.vaddr = hit->vaddr;
	if (l->opts->lines)
		set_line(l, &f, &line);
	loc.frame = hd_profile_add_frame(l->p, &f);
	return intern(l, &loc);
}

static struct part *part_slot(const struct hd_locator *l, const struct part *key)
{
	size_t i = hd_mix(key->start, (uint64_t)key->object << 32 | key->instance) & (l->npart_slots - 1);

	for (; l->parts[i].location; i = (i + 1) & (l->npart_slots - 1)) {
		const struct part *p = &l->parts[i];

		if (p->start == key->start && p->object == key->object && p->instance == key->instance)
			break;
	}
	return &l->parts[i];
}

static void grow_parts(struct hd_locator *l)
{
	struct part *old = l->parts;
	size_t n = l->npart_slots;

	l->npart_slots *= 2;
	l->parts = hd_new_array(struct part, l->npart_slots);
	for (size_t i = 0; i < n; i++)
		if (old[i].location)
			*part_slot(l, &old[i]) = old[i];
	free(old);
}

/*
 * Return the location of an address, as make() does, with a cache by (function, instance of an inlined function).  Most
 * addresses of a function share a few locations.
 */
static uint32_t share(struct hd_locator *l, uint32_t object, const struct object *o, unsigned tag,
	const struct hd_symbol_hit *hit)
{
	struct part key = { .start = hit->start, .object = object }, *p;

	if (!l->opts->no_inline)
		key.instance = hd_object_inline_instance(o->symbols, hit->vaddr);
	p = part_slot(l, &key);
	if (p->location && l->locations[p->location].kernel == hd_tag_kernel(tag))
		return p->location;
	key.location = make(l, o, tag, hit);
	if (!p->location && 2 * ++l->nparts > l->npart_slots) {
		grow_parts(l);
		p = part_slot(l, &key);
	}
	*p = key;
	return key.location;
}

uint32_t hd_locator_nowhere(struct hd_locator *l)
{
	struct hd_location loc = { .inlined = (uint32_t)l->ninlined, .unresolved = true };
	struct hd_frame f = { 0 };

	if (!l->nowhere) {
		f.symbol = hd_profile_symbols_add_unmapped(&l->naming);
		loc.frame = hd_profile_add_frame(l->p, &f);
		l->nowhere = intern(l, &loc);
	}
	return l->nowhere;
}

/* ---- the table of addresses ---- */

static inline size_t first_slot(const struct hd_locator *l, uint32_t object, unsigned tag, uint64_t foff)
{
	return hd_mix((uint64_t)object << 8 | tag, foff) & (l->nslots - 1);
}

static struct address *slot(const struct hd_locator *l, uint32_t object, unsigned tag, uint64_t foff)
{
	size_t i = first_slot(l, object, tag, foff);

	for (; l->addresses[i].place; i = (i + 1) & (l->nslots - 1)) {
		const struct address *a = &l->addresses[i];

		if (a->at == foff && a->owner == object && a->place >> TAG_SHIFT == tag)
			break;
	}
	return &l->addresses[i];
}

static void grow(struct hd_locator *l)
{
	struct address *old = l->addresses;
	size_t n = l->nslots;

	l->nslots *= 2;
	l->addresses = hd_new_array(struct address, l->nslots);
	for (size_t i = 0; i < n; i++)
		if (old[i].place)
			*slot(l, old[i].owner, old[i].place >> TAG_SHIFT, old[i].at) = old[i];
	free(old);
}

/* Look up the symbol of an address in an object, and return its location. */
static uint32_t resolve(struct hd_locator *l, uint32_t object, unsigned tag, uint64_t foff)
{
	struct hd_symbol_hit hit = { .vaddr = foff };
	struct object *o = object_of(l, object);

	if (o->symbols)
		look_up(o->symbols, tag, foff, &hit);
	return hit.linkage && !has_address(l, tag) ? share(l, object, o, tag, &hit) : make(l, o, tag, &hit);
}

/* Find the mapping of an address.  For user code the result is cached in l->extents. */
static void where_is(const struct hd_locator *l, const struct hd_process_context *at, unsigned tag, uint64_t ip,
	struct hd_process_location *where)
{
	uint64_t key = (ip >> EXTENT_BYTES) + ((uint64_t)at->space << 48);
	struct hd_process_extent *e = &l->extents[key * 0x9e3779b97f4a7c15u >> (64 - EXTENT_BITS)];

	if ((tag & HD_TAG_MODE) != HD_MODE_USER) {
		hd_process_find(l->proc, at, ip, tag & HD_TAG_MODE, where);
		return;
	}
	if (e->space != at->space || ip < e->start || ip >= e->end)
		hd_process_extent(l->proc, at->space, ip, e);
	*where = (struct hd_process_location){ 0 };
	if (e->object)
		*where = (struct hd_process_location){ e->object, e->start, e->end, ip + e->delta };
}

/*
 * JIT code has one mapping per function.  If the last instruction of such code is a call, its return address is the
 * end of the mapping.  In that case set *where to the mapping before `ip`.
 */
static void step_back(const struct hd_locator *l, const struct hd_process_context *at, unsigned tag, uint64_t ip,
	struct hd_process_location *where)
{
	struct hd_process_location before;

	where_is(l, at, tag, ip - 1, &before);
	if (!before.object || hd_process_object(l->proc, before.object)->kind != HD_OBJ_JIT)
		return;
	*where = before;
	where->foff++;
}

/* Assign the next number to an address, and return the number. */
static uint32_t next_number(struct hd_locator *l, const struct hd_process_context *at, unsigned tag, uint64_t ip,
	const struct hd_process_location *where)
{
	bool first = !l->objects[where->object].ready;

	l->objects[where->object].ready = true;
	HD_GROW(l->numbered, l->nnumbered + 1, l->numbered_cap);
	l->numbered[l->nnumbered] = (struct hd_numbered_address){
		.ip = ip, .foff = where->foff, .at = *at, .object = where->object, .tag = (uint8_t)tag, .first = first,
	};
	return (uint32_t)l->nnumbered++;
}

/*
 * Return the location that all callers at unmapped addresses share.  In a numbering locator: the number of the
 * first of them.
 */
static uint32_t unmapped(struct hd_locator *l, const struct hd_process_context *at, unsigned tag, uint64_t ip)
{
	if (!l->numbered)
		return hd_locator_nowhere(l);
	if (!l->nowhere)
		l->nowhere = next_number(l, at, tag, ip, &(struct hd_process_location){ 0 });
	return l->nowhere;
}

/* Return the location of an address that is at `where`. */
static inline uint32_t location_at(struct hd_locator *l, const struct hd_process_context *at, unsigned tag, uint64_t ip,
	const struct hd_process_location *where)
{
	struct address *a = slot(l, where->object, tag, where->foff);

	if (!a->place) {
		uint32_t location;

		if (!l->objects[where->object].ready)
			l->objects[where->object].code_pgoff = where->foff - (ip - where->map_start);
		location = l->numbered ? next_number(l, at, tag, ip, where)
				       : resolve(l, where->object, tag, where->foff);
		if (3 * (l->naddresses + 1) > 2 * l->nslots) {
			grow(l);
			a = slot(l, where->object, tag, where->foff);
		}
		l->naddresses++;
		*a = (struct address){ where->foff, where->object, tag << TAG_SHIFT | location };
	}
	return a->place & ((1u << TAG_SHIFT) - 1);
}

uint32_t hd_locator_find(struct hd_locator *l, const struct hd_process_context *at, unsigned tag, uint64_t ip)
{
	struct hd_process_location where;

	where_is(l, at, tag, ip, &where);
	if (!(tag & HD_TAG_PC) && (!where.object || where.map_start == ip))
		step_back(l, at, tag, ip, &where);
	if (!where.object) {
		where.foff = ip;
		if ((tag & HD_TAG_MODE) == HD_MODE_KERNEL)
			where.object = kernel_after_its_map(l, ip);
		else if (!(tag & HD_TAG_PC))
			/* callers at unmapped addresses get no entry in the table, because their number is unlimited */
			return unmapped(l, at, tag, ip);
	}
	return location_at(l, at, tag, ip, &where);
}

uint32_t hd_locator_find_numbered(struct hd_locator *l, const struct hd_numbered_address *a)
{
	if (!a->object || !l->objects[a->object].ready)
		return hd_locator_find(l, &a->at, a->tag, a->ip);
	return location_at(l, &a->at, a->tag, a->ip,
		&(struct hd_process_location){ .object = a->object, .foff = a->foff });
}

void hd_locator_prefetch_numbered(const struct hd_locator *l, const struct hd_numbered_address *a)
{
	__builtin_prefetch(&l->addresses[first_slot(l, a->object, a->tag, a->foff)]);
}

const struct hd_location *hd_locator_get(const struct hd_locator *l, uint32_t location)
{
	return &l->locations[location];
}

const hd_frame_id *hd_locator_inlined(const struct hd_locator *l, const struct hd_location *loc)
{
	return l->inlined + loc->inlined;
}
