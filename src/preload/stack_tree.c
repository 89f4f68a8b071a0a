/*
 * stack_tree.c - stacks as nodes of a tree: (caller node, module, address) -> node
 *
 * Nodes are part of the recording.  A new stack shares its outer nodes with an earlier stack.  All inner nodes after
 * the last shared one are new and get consecutive ids:
 *
 *     1 main  2 run  3 parse  4 add        5 grow, whose caller is 2     6 copy
 *
 * Only the first node of such a sequence (1, 5) is in the index.  Every other node has the id of its caller plus 1, so
 * the lookup tests that id before the index; most nodes are found there.
 *
 * The index is a hash table of node ids with open addressing.  It is read without the lock: an entry is stored after
 * its node is complete.  When the index is half full, a new one of twice its size replaces it.  A reader of the old
 * index may miss new nodes, and searches again under the lock.  Each entry has 8 bits of the hash, so a lookup rarely
 * reads a node other than the one that it looks for.
 */
#include "preload/recording.h"
#include "preload/stack_tree.h"
#include "preload/thread_state.h"

enum { BLOCKS = 16384, FIRST_SLOTS = 4096, ID_BITS = 24 };

#define ID_MASK ((1u << ID_BITS) - 1)
_Static_assert(BLOCKS * HD_HEAP_NODES - 1 <= ID_MASK, "numbers of nodes fit");

struct index {
	uint32_t mask;
	_Atomic uint32_t slots[];	/* bits 24 - 31: low 8 bits of the hash; bits 0 - 23: node id; 0: empty */
};

static struct hd_heap_node *blocks[BLOCKS];
static _Atomic(struct index *) current;
static _Atomic uint32_t count;		/* number of nodes, with the unused node 0, and so the id of the next node */
static uint32_t indexed;

void hd_stack_tree_begin(void)
{
	atomic_store(&current, NULL);
	atomic_store(&count, 0);
	indexed = 0;
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

/* Return the first slot for a hash.  It is chosen by other bits of the hash than the 8 bits that an entry stores. */
static inline uint32_t place(const struct index *ix, uint32_t h)
{
	return h >> 8 & ix->mask;
}

static inline uint32_t find(const struct index *ix, uint32_t h, uint32_t caller, uint32_t module, uint64_t address)
{
	for (uint32_t i = place(ix, h); ; i = (i + 1) & ix->mask) {
		uint32_t slot = atomic_load_explicit(&ix->slots[i], memory_order_acquire), id = slot & ID_MASK;
		const struct hd_heap_node *n;

		if (!slot)
			return 0;
		if ((slot ^ h << ID_BITS) >> ID_BITS)
			continue;
		n = node_of(id);
		if (n->address == address && n->caller == caller && n->module == module)
			return id;
	}
}

/*
 * Return caller + 1 if the node with this id has the given caller, module and address; else 0.  Most nodes are added
 * right after their caller, so they have this id, and put() does not add them to the index.
 */
static inline uint32_t following(uint32_t caller, uint32_t module, uint64_t address)
{
	const struct hd_heap_node *n;

	if (!caller || UNLIKELY(caller + 1 >= atomic_load_explicit(&count, memory_order_acquire)))
		return 0;
	n = node_of(caller + 1);
	return n->address == address && n->caller == caller && n->module == module ? caller + 1 : 0;
}

static inline bool follows(uint32_t caller, uint32_t id)
{
	return caller && caller == id - 1;
}

static void put(struct index *ix, uint32_t id)
{
	const struct hd_heap_node *n = node_of(id);
	uint32_t h, i;

	if (follows(n->caller, id))
		return;
	h = hash(n->caller, n->module, n->address);
	i = place(ix, h);
	while (atomic_load_explicit(&ix->slots[i], memory_order_relaxed))
		i = (i + 1) & ix->mask;
	atomic_store_explicit(&ix->slots[i], h << ID_BITS | id, memory_order_release);
}

/* Make room for one more entry in the index.  Returns false if there is no memory. */
static bool grow(void)
{
	struct index *old = atomic_load(&current), *ix;
	uint32_t slots = old ? 2 * (old->mask + 1) : FIRST_SLOTS;

	if (old && 2 * (uint64_t)(indexed + 1) <= old->mask)
		return true;
	ix = hd_recorder_mem_take(sizeof(*ix) + slots * sizeof(ix->slots[0]));
	if (!ix)
		return false;
	if (old)
		hd_recorder_mem_fill(ix, sizeof(*ix) + slots * sizeof(ix->slots[0]));
	ix->mask = slots - 1;
	for (uint32_t id = 1, n = atomic_load(&count); id < n; id++)
		put(ix, id);
	atomic_store_explicit(&current, ix, memory_order_release);
	return true;
}

static uint32_t add(uint32_t caller, uint32_t module, uint64_t address)
{
	uint32_t had = atomic_load_explicit(&count, memory_order_relaxed), id = had ? had : 1,
		 block = id / HD_HEAP_NODES;

	if (block == BLOCKS || (!follows(caller, id) && !grow()))
		return 0;
	if (id % HD_HEAP_NODES == 0 || id == 1) {
		blocks[block] = hd_recording_file_block(HD_HEAP_NODES_BLOCK,
			HD_HEAP_NODES * sizeof(struct hd_heap_node), block * HD_HEAP_NODES);
		if (!blocks[block])
			return 0;
	}
	*node_of(id) = (struct hd_heap_node){ caller, module, address };
	if (!follows(caller, id)) {
		put(atomic_load(&current), id);
		indexed++;
	}
	atomic_store_explicit(&count, id + 1, memory_order_release);
	return id;
}

/*
 * Mark nodes first..last of a stack as changed, so that the next write of the file includes them.  A stack has fewer
 * nodes than a block of the recording, so these nodes are in at most two blocks.
 */
static void mark_new(uint32_t first, uint32_t last)
{
	uint32_t split = last / HD_HEAP_NODES * HD_HEAP_NODES;

	if (first < split) {
		hd_recording_file_mark_dirty(node_of(first), (split - first) * sizeof(struct hd_heap_node));
		first = split;
	}
	hd_recording_file_mark_dirty(node_of(first), (last - first + 1) * sizeof(struct hd_heap_node));
}
_Static_assert((int)HD_DEPTH < (int)HD_HEAP_NODES, "a stack fits into two blocks");

bool hd_stack_tree_add(uint32_t caller, const struct hd_found_frame *now, uint32_t n, struct hd_last_frame *to)
{
	bool is_new = false;
	uint32_t first = 0, last = 0;

	hd_recorder_lock();
	for (; n > 0; to++) {
		const struct hd_found_frame *f = &now[--n];

		/*
		 * Another thread may have added the outer nodes already.  If a node is new, the nodes of its callees on
		 * this stack are new as well.
		 */
		to->node = is_new ? 0 : hd_stack_tree_child(caller, f->step->module, f->pc);
		is_new = is_new || !to->node;
		if (is_new && (to->node = add(caller, f->step->module, f->pc)) != 0) {
			last = to->node;
			first = first ? first : last;
		}
		caller = to->node;
		if (!caller)
			break;
	}
	if (last)	/* even if there was no room for all nodes: other stacks may share the added ones */
		mark_new(first, last);
	hd_recorder_unlock();
	return caller != 0;
}

uint32_t hd_stack_tree_child(uint32_t caller, uint32_t module, uint64_t address)
{
	const struct index *ix;
	uint32_t id = following(caller, module, address);

	if (id)
		return id;
	ix = atomic_load_explicit(&current, memory_order_acquire);
	return ix ? find(ix, hash(caller, module, address), caller, module, address) : 0;
}
