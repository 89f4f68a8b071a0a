/*
 * hash_index.h - the hash table: an index over an array that the caller owns
 *
 * The caller keeps its elements in an array of its own; the table maps the hash of an element's key to its index
 * (id).  The caller compares the keys, so one table serves every key type:
 *
 *     size_t at;
 *     uint64_t hash = hd_hash_bytes(s, n);
 *
 *     for (uint32_t id = hd_index_first(&t, hash, &at); id != HD_INDEX_NONE; id = hd_index_next(&t, hash, &at))
 *             if (same(&items[id], s, n))
 *                     return id;
 *     hd_index_add(&t, hash, id_of_the_new_element);
 *
 * The table uses open addressing with linear probing; at most 2/3 of the slots are used.  A slot keeps 32 bits of the
 * hash, so few elements of other keys are returned, and growing the table does not need the keys.  map.h is the simpler
 * table for 64-bit keys that need no comparison.
 *
 * Zero-initialise.  Thread safety: readers may run at the same time while no thread adds.
 */
#ifndef HD_BASE_HASH_INDEX_H
#define HD_BASE_HASH_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define HD_INDEX_NONE UINT32_MAX

struct hd_index_slot {
	uint32_t hash;		/* the low half */
	uint32_t id1;		/* id + 1; 0: empty */
};

struct hd_index {
	struct hd_index_slot *slots;
	size_t n, cap;		/* cap: a power of two, or 0 */
};

/*
 * Return the id of the first slot from *at on that is empty (HD_INDEX_NONE) or has this hash, and set *at to that
 * slot.
 */
static inline uint32_t hd_index_scan(const struct hd_index *t, uint64_t hash, size_t *at)
{
	size_t i = *at & (t->cap - 1);

	while (t->slots[i].id1 && t->slots[i].hash != (uint32_t)hash)
		i = (i + 1) & (t->cap - 1);
	*at = i;
	return t->slots[i].id1 - 1;	/* HD_INDEX_NONE if the slot is empty */
}

/*
 * Return the first element whose hash is probably `hash`, or HD_INDEX_NONE; the caller compares the keys.  *at is the
 * position for hd_index_next().
 */
static inline uint32_t hd_index_first(const struct hd_index *t, uint64_t hash, size_t *at)
{
	*at = (size_t)hash;
	return t->cap ? hd_index_scan(t, hash, at) : HD_INDEX_NONE;
}

/* Return the next element whose hash is probably `hash`, or HD_INDEX_NONE. */
static inline uint32_t hd_index_next(const struct hd_index *t, uint64_t hash, size_t *at)
{
	++*at;
	return hd_index_scan(t, hash, at);
}

/* Add an element.  The caller has checked that no element with an equal key is in the table.  id < HD_INDEX_NONE. */
void hd_index_add(struct hd_index *t, uint64_t hash, uint32_t id);
void hd_index_clear(struct hd_index *t);	/* remove all elements, keep the memory */
void hd_index_release(struct hd_index *t);

#endif
