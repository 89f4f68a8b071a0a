/*
 * trie.c - stacks as nodes of a tree: (caller node, module, address) -> node
 *
 * Nodes lie in the recording.  An index of their numbers, open addressing, is
 * read without a lock: an entry is stored after its node is filled.  A full
 * index is copied into one twice as large; readers of the old one miss what is
 * new, and look again under the lock.
 */
#include "preload/inner.h"

enum { BLOCKS = 16384, FIRST_SLOTS = 4096 };

struct index {
	uint32_t mask;
	_Atomic uint32_t slots[];	/* node; 0: empty */
};

static struct hd_heap_node *blocks[BLOCKS];
static _Atomic(struct index *) current;
static uint32_t count;			/* nodes, with the one that is none; the next one's number */

void hd_trie_begin(void)
{
	atomic_store(&current, NULL);
	count = 0;
}

static inline struct hd_heap_node *node_of(uint32_t id)
{
	return &blocks[id / HD_HEAP_NODES][id % HD_HEAP_NODES];
}

static inline uint32_t hash(uint32_t caller, uint32_t module, uint64_t address)
{
	uint64_t h = (address ^ ((uint64_t)caller << 32 | module)) * 0x9e3779b97f4a7c15u;

	h = (h ^ (h >> 29) ^ caller) * 0xd6e8feb86659fd93u;
	return (uint32_t)(h >> 32);
}

static inline uint32_t find(const struct index *ix, uint32_t h, uint32_t caller, uint32_t module, uint64_t address)
{
	for (uint32_t i = h & ix->mask; ; i = (i + 1) & ix->mask) {
		uint32_t id = atomic_load_explicit(&ix->slots[i], memory_order_acquire);
		const struct hd_heap_node *n;

		if (!id)
			return 0;
		n = node_of(id);
		if (n->address == address && n->caller == caller && n->module == module)
			return id;
	}
}

static void put(struct index *ix, uint32_t id)
{
	const struct hd_heap_node *n = node_of(id);
	uint32_t i = hash(n->caller, n->module, n->address) & ix->mask;

	while (atomic_load_explicit(&ix->slots[i], memory_order_relaxed))
		i = (i + 1) & ix->mask;
	atomic_store_explicit(&ix->slots[i], id, memory_order_release);
}

/* Room for one more in the index. */
static bool grow(void)
{
	struct index *old = atomic_load(&current), *ix;
	uint32_t slots = old ? 2 * (old->mask + 1) : FIRST_SLOTS;

	if (old && 2 * (uint64_t)(count + 1) <= old->mask)
		return true;
	ix = hd_mem_take(sizeof(*ix) + slots * sizeof(ix->slots[0]));
	if (!ix)
		return false;
	ix->mask = slots - 1;
	for (uint32_t id = 1; id < count; id++)
		put(ix, id);
	atomic_store_explicit(&current, ix, memory_order_release);
	return true;
}

static COLD uint32_t add(uint32_t h, uint32_t caller, uint32_t module, uint64_t address)
{
	uint32_t id = 0, block;

	hd_lock();
	if (!grow())
		goto out;
	id = find(atomic_load(&current), h, caller, module, address);
	if (id)
		goto out;
	if (!count)
		count = 1;
	block = count / HD_HEAP_NODES;
	if (block == BLOCKS)
		goto out;
	if (count % HD_HEAP_NODES == 0 || count == 1) {
		blocks[block] = hd_file_block(HD_HEAP_NODES_BLOCK, HD_HEAP_NODES * sizeof(struct hd_heap_node), block * HD_HEAP_NODES);
		if (!blocks[block])
			goto out;
	}
	id = count;
	*node_of(id) = (struct hd_heap_node){ caller, module, address };
	count++;
	put(atomic_load(&current), id);
out:
	hd_unlock();
	return id;
}

uint32_t hd_trie_child(uint32_t caller, uint32_t module, uint64_t address)
{
	const struct index *ix = atomic_load_explicit(&current, memory_order_acquire);
	uint32_t h = hash(caller, module, address), id = ix ? find(ix, h, caller, module, address) : 0;

	return id ? id : add(h, caller, module, address);
}
