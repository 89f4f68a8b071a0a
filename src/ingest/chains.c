/*
 * chains.c - see chains.h
 */
#include "ingest/chains.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	TAG_SHIFT = 28,
	CACHED_DEPTH = 160,	/* the kernel's default limit is 127 */
	CACHED_THREADS = 16,	/* a power of two */
	MAX_PARTS = 8,		/* kernel, user, and their guest twins; more is not a chain */
};

/* The last path of one thread, outermost first. */
struct last_path {
	uint32_t root;
	uint32_t n;
	uint64_t ip[CACHED_DEPTH];
	uint32_t node[CACHED_DEPTH];
	uint8_t tag[CACHED_DEPTH];
};

/* The index repeats the node's key, so that a look-up touches one cache line and not two. */
struct slot {
	uint64_t ip;
	uint32_t key;
	uint32_t id;			/* 0 is empty */
};

struct hd_chains {
	struct hd_chain_node *nodes;
	size_t n, cap;
	struct slot *slots;
	size_t nslots;			/* a power of two */
	struct hd_proc_at *ats;
	size_t nats, ats_cap;
	struct hd_map roots;		/* (space, kernel space) -> root node */
	uint64_t invalid;
	struct last_path last[CACHED_THREADS];
};

/* A run of addresses under one context marker: [lo, hi) of the chain. */
struct part {
	uint32_t lo, hi;
	uint8_t mode;
};

static struct slot *find_slot(const struct hd_chains *c, uint32_t key, uint64_t ip)
{
	size_t i = hd_mix(key, ip) & (c->nslots - 1);

	while (c->slots[i].id && (c->slots[i].ip != ip || c->slots[i].key != key))
		i = (i + 1) & (c->nslots - 1);
	return &c->slots[i];
}

static void rehash(struct hd_chains *c, size_t nslots)
{
	free(c->slots);
	c->slots = hd_zalloc(nslots, sizeof(*c->slots));
	c->nslots = nslots;
	for (size_t id = 1; id < c->n; id++)
		*find_slot(c, c->nodes[id].key, c->nodes[id].ip) =
			(struct slot){ c->nodes[id].ip, c->nodes[id].key, (uint32_t)id };
}

struct hd_chains *hd_chains_new(void)
{
	struct hd_chains *c = hd_new(struct hd_chains);

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
	free(c->ats);
	hd_map_release(&c->roots);
	free(c);
}

void hd_chains_clear(struct hd_chains *c)
{
	c->n = 1;
	c->nats = 0;
	memset(c->slots, 0, c->nslots * sizeof(*c->slots));
	hd_map_clear(&c->roots);
	for (size_t i = 0; i < CACHED_THREADS; i++)
		c->last[i].n = c->last[i].root = 0;
}

static uint32_t child(struct hd_chains *c, uint32_t outer, unsigned tag, uint64_t ip)
{
	uint32_t key = (uint32_t)tag << TAG_SHIFT | outer;
	struct slot *slot = find_slot(c, key, ip);

	if (slot->id)
		return slot->id;
	if (3 * (c->n + 1) > 2 * c->nslots) {
		rehash(c, 2 * c->nslots);
		slot = find_slot(c, key, ip);
	}
	HD_GROW(c->nodes, c->n + 1, c->cap);
	c->nodes[c->n] = (struct hd_chain_node){ ip, key };
	*slot = (struct slot){ ip, key, (uint32_t)c->n };
	return (uint32_t)c->n++;
}

uint32_t hd_chains_root(struct hd_chains *c, const struct hd_proc_at *at)
{
	uint64_t key = (uint64_t)at->space << 32 | at->kernel_space;
	uint32_t id = hd_map_get(&c->roots, key);

	if (id != HD_MAP_NONE)
		return id;
	HD_GROW(c->ats, c->nats + 1, c->ats_cap);
	c->ats[c->nats] = *at;
	id = child(c, 0, HD_CHAIN_ROOT, c->nats++);
	hd_map_put(&c->roots, key, id);
	return id;
}

/* The cpumode that a context marker announces, or -1 for one nobody defined. */
static int marker_mode(uint64_t marker)
{
	switch (marker) {
	case HD_CONTEXT_HV:		return 3;
	case HD_CONTEXT_KERNEL:		return 1;
	case HD_CONTEXT_USER:		return 2;
	case HD_CONTEXT_DEFERRED:	return 0;
	case HD_CONTEXT_GUEST:
	case HD_CONTEXT_GUEST_KERNEL:	return 4;
	case HD_CONTEXT_GUEST_USER:	return 5;
	}
	return -1;
}

/*
 * Cut the chain at its markers; returns the number of parts.  A frame-pointer
 * walk through code without frame pointers can pick up anything: where a value
 * is no address and no marker we know, the chain ends, and what is inside of
 * it stays.  (perf drops such a chain whole.)
 */
static size_t cut(struct hd_chains *c, const struct hd_sample *s, struct part parts[MAX_PARTS])
{
	size_t n = 0;
	uint8_t mode = 2;		/* before any marker: user, as perf has it */
	uint32_t lo = 0;

	for (uint32_t i = 0; i <= s->nchain; i++) {
		uint64_t ip = i < s->nchain ? hd_sample_chain_ip(s, i) : HD_CONTEXT_MAX;
		int next;

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

uint32_t hd_chains_add(struct hd_chains *c, uint32_t root, const struct hd_sample *s, uint32_t *self)
{
	struct last_path *last = &c->last[(uint32_t)s->tid & (CACHED_THREADS - 1)];
	struct part parts[MAX_PARTS];
	size_t nparts = s->nchain ? cut(c, s, parts) : 0;
	uint32_t depth = 0, node = root;
	bool same = last->root == root;

	if (!nparts)
		return *self = child(c, root, HD_CHAIN_PC | s->cpumode, s->ip);
	last->root = root;
	for (size_t p = nparts; p-- > 0; ) {
		for (uint32_t i = parts[p].hi; i-- > parts[p].lo; ) {
			uint64_t ip = hd_sample_chain_ip(s, i);
			uint8_t tag = (uint8_t)(parts[p].mode | (i == parts[p].lo ? HD_CHAIN_PC : 0));

			if (same && depth < last->n && last->ip[depth] == ip && last->tag[depth] == tag) {
				node = last->node[depth++];
				continue;
			}
			same = false;
			node = child(c, node, tag, ip);
			if (depth < CACHED_DEPTH) {
				last->ip[depth] = ip;
				last->tag[depth] = tag;
				last->node[depth++] = node;
			}
		}
	}
	last->n = depth;
	*self = node;
	if (parts[0].mode != s->cpumode || hd_sample_chain_ip(s, parts[0].lo) != s->ip)
		*self = child(c, root, HD_CHAIN_PC | s->cpumode, s->ip);
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

const struct hd_proc_at *hd_chains_at(const struct hd_chains *c, const struct hd_chain_node *root)
{
	return &c->ats[root->ip];
}

uint64_t hd_chains_invalid(const struct hd_chains *c)
{
	return c->invalid;
}
