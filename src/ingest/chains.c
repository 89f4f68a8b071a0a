/*
 * chains.c - see chains.h
 */
#include "ingest/chains.h"

#include "base/hash.h"
#include "base/mem.h"
#include "ingest/locate.h"

#include <stdlib.h>
#include <string.h>

enum {
	CACHED_DEPTH = 160,	/* the kernel's default limit is 127 */
	CACHED_THREADS = 16,	/* a power of two */
	MAX_PARTS = 8,		/* kernel, user, and their guest twins; more is not a chain */
};

/*
 * The callers in the outermost part of one thread's last chain, outermost
 * first: neighbouring chains end alike, and what is alike needs no second look.
 * The innermost address of the part is not among them: as a program counter it
 * is another thing.
 */
struct last_path {
	uint32_t space, kernel_space;
	uint32_t n;
	uint8_t mode;			/* of the part */
	uint64_t ip[CACHED_DEPTH];
	uint32_t node[CACHED_DEPTH];
};

/* The index repeats the nodes, so that a look-up touches one line of the cache and not two. */
struct slot {
	struct hd_chain_node key;
	uint32_t id;			/* 0 is empty */
};

struct hd_chains {
	struct hd_chains_source source;
	struct hd_chain_node *nodes;
	size_t n, cap;
	struct slot *slots;
	size_t nslots;			/* a power of two */
	struct hd_chain_root *roots;	/* by the location of their nodes */
	size_t nroots, roots_cap;
	uint32_t *root_nodes;		/* by how they ended: those that are not cut */
	size_t nroot_nodes, root_nodes_cap;
	uint32_t recorded;		/* the root of recorded chains; 0: not made yet */
	uint64_t invalid;
	struct last_path last[CACHED_THREADS];
};

/* A run of addresses under one context marker: [lo, hi) of the chain. */
struct part {
	uint32_t lo, hi;
	uint8_t mode;
};

static struct slot *find_slot(const struct hd_chains *c, struct hd_chain_node key)
{
	size_t i = hd_mix(key.outer, key.location) & (c->nslots - 1);

	while (c->slots[i].id && (c->slots[i].key.outer != key.outer || c->slots[i].key.location != key.location))
		i = (i + 1) & (c->nslots - 1);
	return &c->slots[i];
}

static void rehash(struct hd_chains *c, size_t nslots)
{
	free(c->slots);
	c->slots = hd_zalloc(nslots, sizeof(*c->slots));
	c->nslots = nslots;
	for (size_t id = 1; id < c->n; id++)
		if (!hd_chain_is_root(&c->nodes[id]))
			*find_slot(c, c->nodes[id]) = (struct slot){ c->nodes[id], (uint32_t)id };
}

struct hd_chains *hd_chains_new(const struct hd_chains_source *source)
{
	struct hd_chains *c = hd_new(struct hd_chains);

	c->source = *source;
	HD_GROW(c->nodes, 1024, c->cap);
	c->nodes[0] = (struct hd_chain_node){ 0, 0 };
	c->n = 1;
	rehash(c, 2048);
	return c;
}

void hd_chains_free(struct hd_chains *c)
{
	if (!c)
		return;
	free(c->nodes);
	free(c->slots);
	free(c->roots);
	free(c->root_nodes);
	free(c);
}

void hd_chains_end(struct hd_chains *c)
{
	free(c->slots);
	c->slots = NULL;
	c->nslots = 0;
}

void hd_chains_clear(struct hd_chains *c)
{
	c->n = 1;
	c->nroots = c->nroot_nodes = c->recorded = 0;
	if (c->slots)
		memset(c->slots, 0, c->nslots * sizeof(*c->slots));
	for (size_t i = 0; i < CACHED_THREADS; i++)
		c->last[i].n = 0;
}

static uint32_t add_node(struct hd_chains *c, struct hd_chain_node node)
{
	HD_GROW(c->nodes, c->n + 1, c->cap);
	c->nodes[c->n] = node;
	return (uint32_t)c->n++;
}

uint32_t hd_chains_child(struct hd_chains *c, uint32_t outer, uint32_t location)
{
	struct hd_chain_node key = { outer, location };
	struct slot *slot = find_slot(c, key);

	if (slot->id)
		return slot->id;
	if (3 * (c->n + 1) > 2 * c->nslots) {
		rehash(c, 2 * c->nslots);
		slot = find_slot(c, key);
	}
	*slot = (struct slot){ key, (uint32_t)c->n };
	return add_node(c, key);
}

uint32_t hd_chains_locate(struct hd_chains *c, const struct hd_proc_at *at, unsigned tag, uint64_t ip)
{
	return c->source.locate(c->source.ctx, at, tag, ip);
}

/* ---- roots ---- */

static uint32_t add_root(struct hd_chains *c, enum hd_chain_end end, uint32_t object)
{
	HD_GROW(c->roots, c->nroots + 1, c->roots_cap);
	c->roots[c->nroots] = (struct hd_chain_root){ end, object, 0 };
	return add_node(c, (struct hd_chain_node){ 0, (uint32_t)c->nroots++ });
}

/* There are few: one per object that stacks end in. */
uint32_t hd_chains_root(struct hd_chains *c, enum hd_chain_end end, uint32_t object)
{
	for (size_t i = 0; i < c->nroot_nodes; i++) {
		const struct hd_chain_root *root = hd_chains_root_of(c, c->root_nodes[i]);

		if (root->end == end && root->object == object)
			return c->root_nodes[i];
	}
	HD_GROW(c->root_nodes, c->nroot_nodes + 1, c->root_nodes_cap);
	return c->root_nodes[c->nroot_nodes++] = add_root(c, end, object);
}

uint32_t hd_chains_open(struct hd_chains *c)
{
	return add_root(c, HD_CHAIN_OPEN, 0);
}

void hd_chains_graft(struct hd_chains *c, uint32_t open, uint32_t caller)
{
	c->roots[c->nodes[open].location].graft = caller;
}

const struct hd_chain_root *hd_chains_root_of(const struct hd_chains *c, uint32_t root)
{
	return &c->roots[c->nodes[root].location];
}

/* ---- recorded chains ---- */

/* The cpumode that a context marker announces, or -1 for one nobody defined. */
static int marker_mode(uint64_t marker)
{
	switch (marker) {
	case HD_CONTEXT_HV:		return HD_MODE_HV;
	case HD_CONTEXT_KERNEL:		return HD_MODE_KERNEL;
	case HD_CONTEXT_USER:		return HD_MODE_USER;
	case HD_CONTEXT_DEFERRED:	return 0;
	case HD_CONTEXT_GUEST:
	case HD_CONTEXT_GUEST_KERNEL:	return HD_MODE_GUEST_KERNEL;
	case HD_CONTEXT_GUEST_USER:	return HD_MODE_GUEST_USER;
	}
	return -1;
}

/*
 * Cut the chain at its markers; returns the number of parts.  A frame-pointer
 * walk through code without frame pointers can pick up anything: where a value
 * is no address and no marker we know, the chain ends, and what is inside of
 * it stays.  (perf drops such a chain whole.)  The words from `alike` on are
 * known to be addresses.
 */
static size_t cut(struct hd_chains *c, const struct hd_sample *s, uint32_t alike, struct part parts[MAX_PARTS])
{
	size_t n = 0;
	uint8_t mode = HD_MODE_USER;	/* before any marker, as perf has it */
	uint32_t lo = 0;

	for (uint32_t i = 0; i <= s->nchain; i++) {
		uint64_t ip;
		int next;

		if (i == alike)
			i = s->nchain;
		ip = i < s->nchain ? hd_sample_chain_ip(s, i) : HD_CONTEXT_MAX;
		if (__builtin_expect(ip < HD_CONTEXT_MAX, 1))
			continue;
		if (i > lo) {
			if (n == MAX_PARTS) {
				c->invalid++;
				break;
			}
			parts[n++] = (struct part){ lo, i, mode };
		}
		lo = i + 1;
		if (i == s->nchain)
			break;
		next = marker_mode(ip);
		if (next < 0) {
			c->invalid++;
			break;
		}
		if (ip == HD_CONTEXT_DEFERRED)	/* a cookie follows, not an address */
			break;
		mode = (uint8_t)next;
	}
	return n;
}

/* How many words at the end of the chain are the last one's callers; never all of it. */
static uint32_t alike(const struct last_path *last, const struct hd_proc_at *at, const struct hd_sample *s)
{
	uint32_t n = 0, most = s->nchain ? s->nchain - 1 : 0;

	if (last->space != at->space || last->kernel_space != at->kernel_space)
		return 0;
	if (last->n < most)
		most = last->n;
	while (n < most && hd_sample_chain_ip(s, s->nchain - 1 - n) == last->ip[n])
		n++;
	return n;
}

uint32_t hd_chains_add(struct hd_chains *c, const struct hd_proc_at *at, const struct hd_sample *s, uint32_t *self)
{
	struct last_path *last = &c->last[(uint32_t)s->tid & (CACHED_THREADS - 1)];
	uint32_t known = alike(last, at, s), depth = 0, node;
	struct part parts[MAX_PARTS];
	size_t nparts = s->nchain ? cut(c, s, s->nchain - known, parts) : 0;

	if (!c->recorded)
		c->recorded = hd_chains_root(c, HD_CHAIN_RECORDED, 0);
	node = c->recorded;
	if (!nparts) {
		*self = hd_chains_locate(c, at, HD_TAG_PC | s->cpumode, s->ip);
		return hd_chains_child(c, node, *self);
	}
	for (size_t p = nparts; p-- > 0; ) {
		bool outermost = p == nparts - 1;
		uint32_t i = parts[p].hi;

		if (outermost) {
			/* What is alike counts when it is of the same mode, and its innermost address a caller here, too. */
			if (known && parts[p].hi == s->nchain && parts[p].mode == last->mode && parts[p].lo < s->nchain - known) {
				depth = known;
				node = last->node[known - 1];
				i -= known;
			}
			last->space = at->space;
			last->kernel_space = at->kernel_space;
			last->mode = parts[p].mode;
			if (parts[p].hi != s->nchain)
				last->n = depth = CACHED_DEPTH;		/* a chain that ends elsewhere: nothing is remembered of it */
		}
		while (i-- > parts[p].lo) {
			bool exact = i == parts[p].lo;
			uint64_t ip = hd_sample_chain_ip(s, i);

			node = hd_chains_child(c, node, hd_chains_locate(c, at, parts[p].mode | (exact ? HD_TAG_PC : 0), ip));
			if (outermost && !exact && depth < CACHED_DEPTH) {
				last->ip[depth] = ip;
				last->node[depth++] = node;
			}
		}
		if (outermost)
			last->n = parts[p].hi == s->nchain ? depth : 0;
	}
	*self = c->nodes[node].location;
	if (parts[0].mode != s->cpumode || hd_sample_chain_ip(s, parts[0].lo) != s->ip)
		*self = hd_chains_locate(c, at, HD_TAG_PC | s->cpumode, s->ip);
	return node;
}

uint32_t hd_chains_add_inner(struct hd_chains *c, const struct hd_proc_at *at, uint32_t user, uint64_t ip,
			     const struct hd_sample *s, uint32_t *self)
{
	struct part parts[MAX_PARTS];
	size_t nparts = s->nchain ? cut(c, s, s->nchain, parts) : 0;
	uint32_t node = user;
	uint8_t mode = HD_MODE_USER;

	for (size_t p = nparts; p-- > 0; ) {
		if (parts[p].mode == HD_MODE_USER)
			continue;	/* the same again, as the kernel saw it */
		mode = parts[p].mode;
		for (uint32_t i = parts[p].hi; i-- > parts[p].lo; ) {
			ip = hd_sample_chain_ip(s, i);
			node = hd_chains_child(c, node, hd_chains_locate(c, at, mode | (i == parts[p].lo ? HD_TAG_PC : 0), ip));
		}
	}
	*self = c->nodes[node].location;
	if (mode != s->cpumode || ip != s->ip)
		*self = hd_chains_locate(c, at, HD_TAG_PC | s->cpumode, s->ip);
	return node;
}

uint32_t hd_chains_count(const struct hd_chains *c)
{
	return (uint32_t)c->n;
}

const struct hd_chain_node *hd_chains_nodes(const struct hd_chains *c)
{
	return c->nodes;
}

uint64_t hd_chains_invalid(const struct hd_chains *c)
{
	return c->invalid;
}
