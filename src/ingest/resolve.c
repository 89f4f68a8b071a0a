/*
 * resolve.c - see resolve.h
 */
#include "ingest/resolve.h"

#include "base/hash.h"
#include "base/hex.h"
#include "base/mem.h"
#include "ingest/select.h"

#include <stdlib.h>
#include <string.h>

enum { MODE_KERNEL = 1, MODE_HV = 3, MODE_GUEST_KERNEL = 4 };
enum { MAX_KERNELS = 8 };	/* a machine has one; a recording can name any number, and each is asked about an address */

/* One distinct address: asked about once, however many chains pass through it. */
struct address {
	uint64_t ip;
	uint32_t space;		/* of the process or the kernel, whichever the tag means */
	uint32_t at;		/* index of a hd_proc_at with that space */
	uint8_t tag;
	uint32_t object;	/* of proc/ */
	uint64_t foff;
	hd_frame_id frame;
};

/* What is known of the path from the root to a node. */
struct path {
	hd_stack_id stack;
	uint32_t address;	/* index + 1; 0 for roots */
	uint32_t root;		/* root node */
	uint32_t depth, unknown;
	bool has_user, at_root;
};

/* An object of proc/ as the profile and symbols/ know it; filled on first use. */
struct object {
	bool ready;
	uint32_t id;		/* in the profile */
	bool kernel;
	struct hd_symobj *symbols;
};

struct hd_resolver {
	struct hd_profile *p;
	struct hd_proc *proc;
	struct hd_symbols *symbols;
	const struct hd_ingest_opts *opts;

	struct address *addresses;
	size_t naddresses, addresses_cap;
	uint32_t *slots;	/* address index + 1 */
	size_t nslots;
	struct path *paths;
	size_t paths_cap;
	struct object *objects;
	size_t nobjects;
	uint32_t kernels[MAX_KERNELS];	/* the host's, of proc/ */
	size_t nkernels;
	bool *root_symbols;	/* by profile symbol: does a stack end there? */
	size_t nroot_symbols, root_symbols_cap;
};

struct hd_resolver *hd_resolver_new(struct hd_profile *p, struct hd_proc *proc, struct hd_symbols *symbols,
				    const struct hd_ingest_opts *opts)
{
	struct hd_resolver *r = hd_new(struct hd_resolver);

	r->p = p;
	r->proc = proc;
	r->symbols = symbols;
	r->opts = opts;
	r->nobjects = hd_proc_object_count(proc);
	r->objects = hd_new_array(struct object, r->nobjects);
	for (uint32_t i = 1; i < r->nobjects && symbols && r->nkernels < MAX_KERNELS; i++) {
		const struct hd_proc_object *po = hd_proc_object(proc, i);

		if (po->kind == HD_OBJ_KERNEL && !po->guest)
			r->kernels[r->nkernels++] = i;
	}
	return r;
}

void hd_resolver_free(struct hd_resolver *r)
{
	if (!r)
		return;
	free(r->addresses);
	free(r->slots);
	free(r->paths);
	free(r->objects);
	free(r->root_symbols);
	free(r);
}

/* ---- distinct addresses ---- */

static bool kernel_mode(unsigned tag)
{
	unsigned mode = tag & (HD_CHAIN_PC - 1);

	return mode == MODE_KERNEL || mode == MODE_HV || mode == MODE_GUEST_KERNEL;
}

static size_t address_slot(const struct hd_resolver *r, uint32_t space, uint8_t tag, uint64_t ip)
{
	size_t i = hd_mix((uint64_t)space << 8 | tag, ip) & (r->nslots - 1);

	for (; r->slots[i]; i = (i + 1) & (r->nslots - 1)) {
		const struct address *a = &r->addresses[r->slots[i] - 1];

		if (a->ip == ip && a->space == space && a->tag == tag)
			break;
	}
	return i;
}

static uint32_t add_address(struct hd_resolver *r, const struct hd_proc_at *at, uint32_t at_ix, uint8_t tag, uint64_t ip)
{
	uint32_t space = kernel_mode(tag) ? at->kernel_space : at->space;
	size_t i;

	if (2 * (r->naddresses + 1) > r->nslots) {
		free(r->slots);
		r->nslots = r->nslots ? 2 * r->nslots : 4096;
		r->slots = hd_new_array(uint32_t, r->nslots);
		for (size_t k = 0; k < r->naddresses; k++) {
			const struct address *a = &r->addresses[k];

			r->slots[address_slot(r, a->space, a->tag, a->ip)] = (uint32_t)k + 1;
		}
	}
	i = address_slot(r, space, tag, ip);
	if (!r->slots[i]) {
		HD_GROW(r->addresses, r->naddresses + 1, r->addresses_cap);
		r->addresses[r->naddresses++] = (struct address){ .ip = ip, .space = space, .at = at_ix, .tag = tag };
		r->slots[i] = (uint32_t)r->naddresses;
	}
	return r->slots[i];
}

static void collect_addresses(struct hd_resolver *r, const struct hd_chains *c)
{
	const struct hd_chain_node *nodes = hd_chains_nodes(c);
	uint32_t n = hd_chains_count(c);

	r->naddresses = 0;
	if (r->slots)
		memset(r->slots, 0, r->nslots * sizeof(*r->slots));
	r->paths = hd_grow(r->paths, n, &r->paths_cap, sizeof(*r->paths));
	memset(r->paths, 0, sizeof(*r->paths));
	for (uint32_t id = 1; id < n; id++) {
		struct path *path = &r->paths[id];
		unsigned tag = hd_chain_tag(&nodes[id]);

		*path = (struct path){ 0 };
		if (tag == HD_CHAIN_ROOT) {
			path->root = id;
			continue;
		}
		path->root = r->paths[hd_chain_outer(&nodes[id])].root;
		path->address = add_address(r, hd_chains_at(c, &nodes[path->root]), path->root, (uint8_t)tag, nodes[id].ip);
	}
}

/* ---- addresses to frames ---- */

static struct object *object_of(struct hd_resolver *r, uint32_t id)
{
	struct object *o = &r->objects[id];
	const struct hd_proc_object *po = hd_proc_object(r->proc, id);
	char build_id[2 * sizeof(po->build_id) + 1];

	if (o->ready)
		return o;
	o->ready = true;
	o->kernel = po->kind == HD_OBJ_KERNEL || po->kind == HD_OBJ_MODULE || po->kind == HD_OBJ_KSYM;
	hd_hex(po->build_id, po->build_id_len, build_id);
	if (id)
		o->id = hd_profile_add_object(r->p, hd_profile_str(r->p, po->name), build_id, o->kernel);
	if (id && r->symbols) {
		struct hd_symbols_key key = {
			.kind = (enum hd_symbols_kind)po->kind,
			.path = hd_profile_str(r->p, po->name),
			.build_id = po->build_id,
			.build_id_len = po->build_id_len,
			.pid = po->pid,
			.kernel_start = po->kernel_start,
			.kernel_pgoff = po->kernel_pgoff,
			.other_root = po->mnt_ns != 0,
		};

		o->symbols = hd_symbols_object(r->symbols, &key);
	}
	return o;
}

/* A stack that was walked to its end ends in one of these (DESIGN.md, root_reached). */
static bool is_root_name(const char *name)
{
	static const char *const roots[] = {
		"main", "_start", "_dl_start_user", "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main",
		"start_thread", "clone", "clone3", "__clone", "__clone3",
	};
	size_t n = strcspn(name, "@");		/* __libc_start_main@@GLIBC_2.34 */

	for (size_t i = 0; i < HD_COUNT(roots); i++)
		if (strlen(roots[i]) == n && !memcmp(name, roots[i], n))
			return true;
	return false;
}

static void note_root_symbol(struct hd_resolver *r, uint32_t symbol, const char *linkage)
{
	size_t old = r->nroot_symbols;

	if (symbol < old)
		return;
	HD_GROW(r->root_symbols, (size_t)symbol + 1, r->root_symbols_cap);
	memset(r->root_symbols + old, 0, (size_t)symbol + 1 - old);
	r->nroot_symbols = (size_t)symbol + 1;
	r->root_symbols[symbol] = linkage && is_root_name(linkage);
}

static uint32_t named_symbol(struct hd_resolver *r, const struct object *o, const struct hd_symbol_hit *hit)
{
	struct hd_profile *p = r->p;
	struct hd_symbol s = { .object = o->id, .start = hit->start, .size = hit->size, .kernel = o->kernel };
	size_t before = p->nsymbols;
	uint32_t id = hd_profile_add_symbol(p, &s);
	char *name, *full;

	if (p->nsymbols == before)
		return id;
	/* Kernel names stay as they are, as in kallsyms and in perf. */
	name = r->opts->select.strip_version ? hd_selector_strip(hit->linkage) : o->kernel ? NULL : hd_demangle(hit->linkage, false);
	full = o->kernel ? NULL : hd_demangle(hit->linkage, true);
	p->symbols[id].linkage = hd_profile_name(p, hit->linkage);
	p->symbols[id].name = name ? hd_profile_name(p, name) : p->symbols[id].linkage;
	p->symbols[id].full = full ? hd_profile_name(p, full) : p->symbols[id].linkage;
	free(name);
	free(full);
	note_root_symbol(r, id, hit->linkage);
	return id;
}

static uint32_t bare_address(struct hd_resolver *r, const struct object *o, uint64_t address)
{
	struct hd_symbol s = { .object = o->id, .start = address, .unresolved = true, .kernel = o->kernel };
	uint32_t id = hd_profile_add_symbol(r->p, &s);

	note_root_symbol(r, id, NULL);
	return id;
}

/* Code that is entered by returning to its first instruction: the address is no call's successor. */
static bool is_trampoline(const char *name)
{
	return !strcmp(name, "__restore_rt") || !strcmp(name, "__kernel_rt_sigreturn") || !strcmp(name, "__kernel_sigreturn");
}

/*
 * A return address names the next instruction; step back to stay in the caller
 * even when the call was its last one (perf looks the address up as it is, and
 * names the function behind a call that does not return).
 */
static void look_up(struct hd_symobj *so, const struct address *a, struct hd_symbol_hit *hit)
{
	bool exact = a->tag & HD_CHAIN_PC;
	struct hd_symbol_hit at;

	hd_object_lookup(so, exact ? a->foff : a->foff - 1, hit);
	if (exact || (hit->linkage && hit->start + hit->size > hit->vaddr + 1))
		return;
	hd_object_lookup(so, a->foff, &at);
	if (at.linkage && at.start == at.vaddr && (!hit->linkage || is_trampoline(at.linkage)))
		*hit = at;
}

static void resolve_address(struct hd_resolver *r, struct address *a)
{
	struct object *o = object_of(r, a->object);
	struct hd_symbol_hit hit = { .vaddr = a->foff };
	struct hd_frame f = { 0 };

	if (o->symbols)
		look_up(o->symbols, a, &hit);
	f.symbol = hit.linkage ? named_symbol(r, o, &hit) : bare_address(r, o, a->object ? a->foff : a->ip);
	/* Nothing mapped in kernel mode is still the kernel's. */
	if (!a->object && kernel_mode(a->tag))
		r->p->symbols[f.symbol].kernel = true;
	if (r->opts->lines) {
		struct hd_line_hit line = { 0 };

		f.vaddr = hit.vaddr;
		if (o->symbols)
			hd_object_line(o->symbols, hit.vaddr, &line);
		if (line.file) {
			f.file = hd_profile_name(r->p, line.file);
			f.line = line.line;
		}
	}
	a->frame = hd_profile_add_frame(r->p, &f);
}

struct order {
	uint64_t foff;
	uint32_t object;
	uint32_t address;
};

static int by_object_and_address(const void *va, const void *vb)
{
	const struct order *a = va, *b = vb;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a->foff != b->foff)
		return a->foff < b->foff ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

/*
 * The kernel's map ends at _etext, but idle tasks come from code behind it that
 * is still named (.init.text).  What no map covers is the kernel's when its
 * symbol table says so.  The object of proc/, or 0.
 */
static uint32_t kernel_behind_its_map(struct hd_resolver *r, uint64_t ip)
{
	for (size_t i = 0; i < r->nkernels; i++) {
		struct hd_symbol_hit hit;

		if (ip < hd_proc_object(r->proc, r->kernels[i])->kernel_start)
			continue;
		hd_object_lookup(object_of(r, r->kernels[i])->symbols, ip, &hit);
		if (hit.linkage)
			return r->kernels[i];
	}
	return 0;
}

static void resolve_addresses(struct hd_resolver *r, const struct hd_chains *c)
{
	const struct hd_chain_node *nodes = hd_chains_nodes(c);
	struct order *order = hd_new_array(struct order, r->naddresses);

	for (size_t i = 0; i < r->naddresses; i++) {
		struct address *a = &r->addresses[i];
		struct hd_proc_where where = { 0 };

		hd_proc_find(r->proc, hd_chains_at(c, &nodes[a->at]), a->ip, a->tag & (HD_CHAIN_PC - 1), &where);
		a->object = where.object;
		a->foff = where.object ? where.foff : a->ip;
		if (!where.object && (a->tag & (HD_CHAIN_PC - 1)) == MODE_KERNEL)
			a->object = kernel_behind_its_map(r, a->ip);
		order[i] = (struct order){ a->foff, a->object, (uint32_t)i };
	}
	qsort(order, r->naddresses, sizeof(*order), by_object_and_address);
	for (size_t i = 0; i < r->naddresses; i++)
		resolve_address(r, &r->addresses[order[i].address]);
	free(order);
}

/* ---- chains to stacks ---- */

static void build_stacks(struct hd_resolver *r, const struct hd_chains *c)
{
	const struct hd_chain_node *nodes = hd_chains_nodes(c);
	uint32_t n = hd_chains_count(c);

	for (uint32_t id = 1; id < n; id++) {
		struct path *path = &r->paths[id];
		const struct path *outer = &r->paths[hd_chain_outer(&nodes[id])];
		const struct address *a;
		const struct hd_symbol *s;
		uint32_t symbol;

		if (!path->address)
			continue;
		a = &r->addresses[path->address - 1];
		symbol = r->p->frames[a->frame.v].symbol;
		s = &r->p->symbols[symbol];
		path->has_user = outer->has_user || !kernel_mode(a->tag);
		/* The outermost user frame is the first one met on the way in. */
		path->at_root = outer->has_user ? outer->at_root : path->has_user && r->root_symbols[symbol];
		if (r->opts->select.no_kernel && kernel_mode(a->tag)) {
			path->stack = outer->stack;
			path->depth = outer->depth;
			path->unknown = outer->unknown;
			continue;
		}
		path->stack = hd_stacks_add(r->p->stacks, outer->stack, a->frame);
		path->depth = outer->depth + 1;
		path->unknown = outer->unknown + s->unresolved;
	}
}

void hd_resolver_run(struct hd_resolver *r, const struct hd_chains *c)
{
	note_root_symbol(r, 0, NULL);
	collect_addresses(r, c);
	resolve_addresses(r, c);
	build_stacks(r, c);
}

hd_stack_id hd_resolver_stack(const struct hd_resolver *r, uint32_t node)
{
	return r->paths[node].stack;
}

hd_frame_id hd_resolver_frame(const struct hd_resolver *r, uint32_t node)
{
	const struct path *path = &r->paths[node];

	return path->address ? r->addresses[path->address - 1].frame : (hd_frame_id){ 0 };
}

bool hd_resolver_has_user(const struct hd_resolver *r, uint32_t node)
{
	return r->paths[node].has_user;
}

bool hd_resolver_at_root(const struct hd_resolver *r, uint32_t node)
{
	return r->paths[node].at_root;
}

uint32_t hd_resolver_depth(const struct hd_resolver *r, uint32_t node)
{
	return r->paths[node].depth;
}

uint32_t hd_resolver_unknown(const struct hd_resolver *r, uint32_t node)
{
	return r->paths[node].unknown;
}

bool hd_resolver_object(const struct hd_resolver *r, uint32_t i, uint32_t *profile_object, const struct hd_symobj **so)
{
	const struct object *o = &r->objects[i];

	*profile_object = o->id;
	*so = o->symbols;
	return o->ready;
}
