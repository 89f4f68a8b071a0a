/*
 * memory.c - see memory.h
 */
#include "gpu/memory.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

struct hd_gpu_block { uint64_t address, bytes; uint32_t pid, device; bool used; };

static size_t home_of(const struct hd_gpu_blocks *b, uint64_t address, uint32_t pid, uint32_t device)
{
	return hd_mix(address, (uint64_t)pid << 32 | device) & (b->cap - 1);
}

/* Return the slot of the hash table that contains the block, or the empty slot where the block must be inserted. */
static size_t slot_of(const struct hd_gpu_blocks *b, uint64_t address, uint32_t pid, uint32_t device)
{
	size_t i = home_of(b, address, pid, device);

	while (b->slots[i].used &&
		(b->slots[i].address != address || b->slots[i].pid != pid || b->slots[i].device != device))
		i = (i + 1) & (b->cap - 1);
	return i;
}

static void grow(struct hd_gpu_blocks *b)
{
	struct hd_gpu_blocks old = *b;

	b->cap = old.cap ? 2 * old.cap : 256;
	b->slots = hd_new_array(struct hd_gpu_block, b->cap);
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].used)
			b->slots[slot_of(b, old.slots[i].address, old.slots[i].pid, old.slots[i].device)] =
				old.slots[i];
	free(old.slots);
}

/* Empty a slot.  Blocks after it are moved back, so that no search ends before it finds them. */
static void remove_slot(struct hd_gpu_blocks *b, size_t hole)
{
	size_t mask = b->cap - 1;

	for (size_t i = (hole + 1) & mask; b->slots[i].used; i = (i + 1) & mask) {
		size_t home = home_of(b, b->slots[i].address, b->slots[i].pid, b->slots[i].device);

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		b->slots[hole] = b->slots[i];
		hole = i;
	}
	b->slots[hole].used = false;
	b->n--;
}

static void add_bytes(struct hd_gpu_memory_use *m, uint64_t bytes, int64_t now)
{
	if (__builtin_add_overflow(m->used_bytes, bytes, &m->used_bytes))
		m->used_bytes = UINT64_MAX;
	if (m->used_bytes > m->peak_bytes) {
		m->peak_bytes = m->used_bytes;
		m->peak_ns = now;
	}
}

static void take_bytes(struct hd_gpu_memory_use *m, uint64_t bytes)
{
	m->used_bytes -= bytes < m->used_bytes ? bytes : m->used_bytes;
}

static void free_bytes(struct hd_gpu_memory_use *m, uint64_t bytes)
{
	m->frees++;
	take_bytes(m, bytes);
}

void hd_gpu_blocks_add(struct hd_gpu_blocks *b, struct hd_gpu_memory_use *m, const struct hd_gpu_activity *a)
{
	size_t at;

	if (2 * (b->n + 1) > b->cap)
		grow(b);
	m->known = true;
	at = slot_of(b, a->address, a->pid, a->device);
	if (a->kind == HD_GPU_FREE) {
		if (b->slots[at].used) {
			free_bytes(m, b->slots[at].bytes);
			remove_slot(b, at);
		} else if (b->n >= HD_GPU_BLOCKS && a->sized) {
			free_bytes(m, a->bytes);
		} else {
			m->unmatched_frees++;
		}
		return;
	}
	m->allocs++;
	/* the table still has a block at this address, because its free was not recorded */
	if (b->slots[at].used)
		take_bytes(m, b->slots[at].bytes);
	add_bytes(m, a->bytes, a->start_ns);
	if (!b->slots[at].used && b->n >= HD_GPU_BLOCKS)
		return;
	b->n += !b->slots[at].used;
	b->slots[at] = (struct hd_gpu_block){ a->address, a->bytes, a->pid, a->device, true };
}

void hd_gpu_blocks_release(struct hd_gpu_blocks *b)
{
	free(b->slots);
	*b = (struct hd_gpu_blocks){ 0 };
}
