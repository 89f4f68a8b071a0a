/*
 * chains.c - see chains.h
 */
#include "pipeline/chains.h"

#include "base/hash.h"
#include "base/mem.h"
#include "pipeline/locator.h"

#include <stdlib.h>
#include <string.h>

enum {
	CACHED_DEPTH = 160,	/* by default the kernel records at most 127 addresses of a chain */
	CACHED_THREADS = 16,	/* a power of two */
	/*
	 * limit for the parts of a chain (a part is a run of addresses under one context marker).  A valid chain has
	 * fewer: kernel and user of the host, the same of a guest, a hypervisor.  A chain with more parts is
	 * shortened to its first MAX_PARTS parts and counted as invalid
	 */
	MAX_PARTS = 8,
	RECENT_BITS = 15,
	/*
	 * a lookup that misses the caches of this file counts as this many words (entries of chains) towards the limit
	 * that hd_chains_limit() sets
	 */
	ASK_WORDS = 8,
	TAG_SHIFT = 27,		/* the shift in (1 + tag) << TAG_SHIFT | location */
};

/*
 * Cache of recent lookups: (address space, tag, address) -> location.  The space is that of the process, or that of the
 * kernel for a kernel address.  The tag is the cpumode and a flag for exact program counters.  The cache is
 * direct-mapped, so a colliding address evicts the entry.
 */
struct recent {
	uint64_t ip;
	uint32_t space;
	uint32_t place;		/* (1 + tag) << TAG_SHIFT | location; 0: empty */
};

/*
 * The callers in the outermost part of the last chain of a thread, outermost caller first.  (A part is a run of
 * addresses under one context marker.)  Consecutive chains of a thread usually have the same callers, which add() then
 * reuses without a lookup.  The innermost address of the part is not stored: it is a program counter, and the others
 * are return addresses.
 */
struct last_path {
	uint32_t space, kernel_space;
	uint32_t n;
	uint8_t mode;			/* cpumode of the part */
	uint64_t ip[CACHED_DEPTH];
	uint32_t node[CACHED_DEPTH];
};

/* A slot of the hash index of nodes.  It has a copy of the node, so a lookup reads one cache line instead of two. */
struct slot {
	struct hd_chain_node key;
	uint32_t id;			/* 0: empty */
};

struct hd_chains {
	struct hd_chains_source source;
	struct hd_chain_node *nodes;
	size_t n, cap;
	struct slot *slots;
	size_t nslots;			/* a power of two */
	struct hd_chain_root *roots;	/* indexed by the location of a root node */
	size_t nroots, roots_cap;
	uint32_t *root_nodes;		/* the roots that hd_chains_root() made */
	size_t nroot_nodes, root_nodes_cap;
	uint32_t recorded;		/* the root of recorded chains; 0: not yet created */
	uint64_t invalid;
	int64_t words_left;		/* remaining budget of hd_chains_limit() */
	struct recent *recent;
	struct last_path last[CACHED_THREADS];
};

/* A run of addresses under one context marker: [lo, hi) of the chain. */
struct part {
	uint32_t lo, hi;
	uint8_t mode;
};

static inline size_t first_slot(const struct hd_chains *c, struct hd_chain_node key)
{
	return hd_mix(key.outer, key.location) & (c->nslots - 1);
}

static inline struct slot *find_slot(const struct hd_chains *c, struct hd_chain_node key)
{
	size_t i = first_slot(c, key);

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
	c->words_left = INT64_MAX;
	c->recent = hd_new_array(struct recent, (size_t)1 << RECENT_BITS);
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
	free(c->recent);
	free(c->roots);
	free(c->root_nodes);
	free(c);
}

void hd_chains_end(struct hd_chains *c)
{
	free(c->slots);
	free(c->recent);
	c->slots = NULL;
	c->recent = NULL;
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

static __attribute__((noinline)) uint32_t new_child(struct hd_chains *c, struct slot *slot, struct hd_chain_node key)
{
	if (3 * (c->n + 1) > 2 * c->nslots) {
		rehash(c, 2 * c->nslots);
		slot = find_slot(c, key);
	}
	*slot = (struct slot){ key, (uint32_t)c->n };
	return add_node(c, key);
}

static inline uint32_t child(struct hd_chains *c, uint32_t outer, uint32_t location)
{
	struct hd_chain_node key = { outer, location };
	struct slot *slot = find_slot(c, key);

	return __builtin_expect(slot->id != 0, 1) ? slot->id : new_child(c, slot, key);
}

uint32_t hd_chains_child(struct hd_chains *c, uint32_t outer, uint32_t location)
{
	return child(c, outer, location);
}

void hd_chains_prefetch_child(const struct hd_chains *c, uint32_t outer, uint32_t location)
{
	__builtin_prefetch(&c->slots[first_slot(c, (struct hd_chain_node){ outer, location })]);
}

/* Look up the location of an address that is not in the cache of recent lookups, and store it there. */
static __attribute__((noinline)) uint32_t ask(struct hd_chains *c, struct recent *r,
	const struct hd_process_context *at, unsigned tag, uint64_t ip)
{
	uint32_t location = c->source.locate(c->source.ctx, at, tag, ip);

	c->words_left -= ASK_WORDS;
	if (location >> TAG_SHIFT == 0)		/* a location too large for the entry is not cached */
		*r = (struct recent){ ip, hd_tag_kernel(tag) ? at->kernel_space : at->space,
			(1 + tag) << TAG_SHIFT | location };
	return location;
}

static inline uint32_t locate(struct hd_chains *c, const struct hd_process_context *at, unsigned tag, uint64_t ip)
{
	uint32_t space = hd_tag_kernel(tag) ? at->kernel_space : at->space;
	uint64_t h = (ip + ((uint64_t)space << 8 | tag) * 0x9e3779b97f4a7c15u) * 0xd1b54a32d192ed03u;
	struct recent *r = &c->recent[h >> (64 - RECENT_BITS)];

	if (__builtin_expect(r->ip == ip && r->space == space && r->place >> TAG_SHIFT == 1 + tag, 1))
		return r->place & ((1u << TAG_SHIFT) - 1);
	return ask(c, r, at, tag, ip);
}

uint32_t hd_chains_locate(struct hd_chains *c, const struct hd_process_context *at, unsigned tag, uint64_t ip)
{
	return locate(c, at, tag, ip);
}

/* ---- roots ---- */

static uint32_t add_root(struct hd_chains *c, enum hd_chain_end end, uint32_t object)
{
	HD_GROW(c->roots, c->nroots + 1, c->roots_cap);
	c->roots[c->nroots] = (struct hd_chain_root){ end, object, 0 };
	return add_node(c, (struct hd_chain_node){ 0, (uint32_t)c->nroots++ });
}

/* Linear search for the root node is sufficient: there is about one root per object in which stacks end. */
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

/* Return the cpumode that a context marker announces, or -1 for an undefined marker. */
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

/* Return word i of the chain of the sample s.  In add(), `swap` is constant, so the compiler removes the branch. */
static inline __attribute__((always_inline)) uint64_t word(const struct hd_sample *s, uint32_t i, bool swap)
{
	uint64_t v;

	memcpy(&v, s->chain + 8 * (size_t)i, 8);
	return swap ? __builtin_bswap64(v) : v;
}

/*
 * Split the chain at its context markers, and return the number of parts.  The words from index `alike` on equal those
 * of the thread's last chain; they are known to be addresses and are not tested.  A frame-pointer walk through code
 * without frame pointers can yield arbitrary values.  The chain ends at the first value that is neither an address nor
 * a known marker.  The parts before it, which are the inner frames, are kept. (perf drops the whole chain.)
 */
static inline __attribute__((always_inline)) size_t cut(struct hd_chains *c, const struct hd_sample *s, uint32_t alike,
	bool swap, struct part parts[MAX_PARTS])
{
	size_t n = 0;
	uint8_t mode = HD_MODE_USER;	/* mode before the first marker, as in perf */
	uint32_t lo = 0;

	for (uint32_t i = 0; i < alike; i++) {
		uint64_t ip = word(s, i, swap);
		int next;

		if (__builtin_expect(ip < HD_CONTEXT_MAX, 1))
			continue;
		if (i > lo) {
			if (n == MAX_PARTS)
				goto invalid;
			parts[n++] = (struct part){ lo, i, mode };
		}
		lo = i + 1;
		next = marker_mode(ip);
		if (next < 0)
			goto invalid;
		if (ip == HD_CONTEXT_DEFERRED)	/* a cookie follows, not an address */
			return n;
		mode = (uint8_t)next;
	}
	if (s->nchain > lo) {
		if (n == MAX_PARTS)
			goto invalid;
		parts[n++] = (struct part){ lo, s->nchain, mode };
	}
	return n;
invalid:
	c->invalid++;
	return n;
}

/*
 * Return the number of words at the end of the chain that equal the callers of the thread's last chain; at most
 * nchain - 1.
 */
static inline __attribute__((always_inline)) uint32_t alike(const struct last_path *last,
	const struct hd_process_context *at, const struct hd_sample *s, bool swap)
{
	uint32_t n = 0, most = s->nchain - 1;

	if (last->space != at->space || last->kernel_space != at->kernel_space)
		return 0;
	if (last->n < most)
		most = last->n;
	while (n < most && word(s, s->nchain - 1 - n, swap) == last->ip[n])
		n++;
	return n;
}

void hd_chains_limit(struct hd_chains *c, int64_t words)
{
	c->words_left = words;
}

static __attribute__((cold, noinline)) void exhausted(struct hd_chains *c)
{
	c->words_left = INT64_MAX;
	if (c->source.exhausted)
		c->source.exhausted(c->source.ctx);
}

/*
 * Add the nodes of the chain of the sample s, from the outermost to the one before the innermost.  Callers that equal
 * those of the thread's last chain are taken from the cached path of that chain.
 */
static inline __attribute__((always_inline)) struct hd_chain_tip add(struct hd_chains *c,
	const struct hd_process_context *at, const struct hd_sample *s, bool swap, uint32_t *self)
{
	struct last_path *last = &c->last[(uint32_t)s->tid & (CACHED_THREADS - 1)];
	uint32_t known = s->nchain ? alike(last, at, s, swap) : 0, node = c->recorded, location = 0;
	struct part parts[MAX_PARTS];
	size_t nparts = s->nchain ? cut(c, s, s->nchain - known, swap, parts) : 0;

	c->words_left -= s->nchain - known;
	if (__builtin_expect(c->words_left < 0, 0))
		exhausted(c);
	if (!nparts) {
		*self = locate(c, at, HD_TAG_PC | s->cpumode, s->ip);
		return (struct hd_chain_tip){ node, *self };
	}
	for (size_t p = nparts; p-- > 0; ) {
		const struct part *part = &parts[p];
		uint32_t i = part->hi, depth = CACHED_DEPTH;	/* inner parts are not cached */
		bool outermost = p == nparts - 1, ends = part->hi == s->nchain;

		if (outermost) {
			/*
			 * Reuse the cached path of the thread's last chain only if this part (a run of addresses under
			 * one context marker) has the same cpumode as the path, and if all addresses of the path are
			 * callers in this part.
			 */
			if (known && ends && part->mode == last->mode && part->lo < s->nchain - known) {
				node = last->node[known - 1];
				i -= known;
			} else {
				known = 0;
			}
			last->space = at->space;
			last->kernel_space = at->kernel_space;
			last->mode = part->mode;
			if (ends)	/* a part that other words follow is not cached */
				depth = known;
		}
		while (--i > part->lo) {
			uint64_t ip = word(s, i, swap);

			node = child(c, node, locate(c, at, part->mode, ip));
			if (depth < CACHED_DEPTH) {
				last->ip[depth] = ip;
				last->node[depth++] = node;
			}
		}
		location = locate(c, at, part->mode | HD_TAG_PC, word(s, i, swap));
		if (p)
			node = child(c, node, location);
		if (outermost)
			last->n = ends ? depth : 0;
	}
	*self = location;
	if (parts[0].mode != s->cpumode || word(s, parts[0].lo, swap) != s->ip)
		*self = locate(c, at, HD_TAG_PC | s->cpumode, s->ip);
	return (struct hd_chain_tip){ node, location };
}

struct hd_chain_tip hd_chains_add_callers(struct hd_chains *c, const struct hd_process_context *at,
	const struct hd_sample *s, uint32_t *self)
{
	if (__builtin_expect(!c->recorded, 0))
		c->recorded = hd_chains_root(c, HD_CHAIN_RECORDED, 0);
	return s->chain_swap ? add(c, at, s, true, self) : add(c, at, s, false, self);
}

uint32_t hd_chains_add(struct hd_chains *c, const struct hd_process_context *at, const struct hd_sample *s,
	uint32_t *self)
{
	struct hd_chain_tip tip = hd_chains_add_callers(c, at, s, self);

	return child(c, tip.outer, tip.location);
}

uint32_t hd_chains_add_non_user(struct hd_chains *c, const struct hd_process_context *at, uint32_t user, uint64_t ip,
			     const struct hd_sample *s, uint32_t *self)
{
	struct part parts[MAX_PARTS];
	size_t nparts = s->nchain ? cut(c, s, s->nchain, s->chain_swap, parts) : 0;
	uint32_t node = user;
	uint8_t mode = HD_MODE_USER;

	for (size_t p = nparts; p-- > 0; ) {
		if (parts[p].mode == HD_MODE_USER)
			continue;	/* `user` represents these frames already */
		mode = parts[p].mode;
		for (uint32_t i = parts[p].hi; i-- > parts[p].lo; ) {
			ip = hd_sample_chain_ip(s, i);
			node = child(c, node, locate(c, at, mode | (i == parts[p].lo ? HD_TAG_PC : 0), ip));
		}
	}
	*self = c->nodes[node].location;
	if (mode != s->cpumode || ip != s->ip)
		*self = locate(c, at, HD_TAG_PC | s->cpumode, s->ip);
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

void hd_chains_count_invalid(struct hd_chains *c, uint64_t n)
{
	c->invalid += n;
}
