/*
 * dict.c - names and stacks of a GPU capture, see activity.h
 */
#include "gpu/activity.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

struct hd_gpu_slots { uint32_t *id; size_t n; };	/* node ids; 0: empty; n is a power of two */

void hd_gpu_dict_init(struct hd_gpu_dict *d, struct hd_strtab *names)
{
	*d = (struct hd_gpu_dict){ .names = names, .index = hd_new(struct hd_gpu_slots) };
	HD_GROW(d->nodes, 1, d->nodes_cap);
	d->nodes[d->nnodes++] = (struct hd_gpu_node){ 0 };
}

void hd_gpu_dict_release(struct hd_gpu_dict *d)
{
	free(d->nodes);
	if (d->index)
		free(d->index->id);
	free(d->index);
	*d = (struct hd_gpu_dict){ 0 };
}

static uint64_t hash_of(uint32_t caller, const struct hd_gpu_frame *f)
{
	return hd_mix(hd_mix((uint64_t)caller << 32 | f->name, f->address), f->module);
}

/* Return the slot of the node, or the empty one where it belongs. */
static size_t slot_of(const struct hd_gpu_dict *d, uint32_t caller, const struct hd_gpu_frame *f)
{
	size_t mask = d->index->n - 1, i = hash_of(caller, f) & mask;

	for (; d->index->id[i]; i = (i + 1) & mask) {
		const struct hd_gpu_node *n = &d->nodes[d->index->id[i]];

		if (n->caller == caller && n->frame.name == f->name && n->frame.module == f->module &&
			n->frame.address == f->address)
			break;
	}
	return i;
}

static void grow_index(struct hd_gpu_dict *d)
{
	free(d->index->id);
	d->index->n = d->index->n ? 2 * d->index->n : 256;
	d->index->id = hd_new_array(uint32_t, d->index->n);
	for (uint32_t id = 1; id < d->nnodes; id++)
		d->index->id[slot_of(d, d->nodes[id].caller, &d->nodes[id].frame)] = id;
}

uint32_t hd_gpu_dict_stack(struct hd_gpu_dict *d, uint32_t caller, const struct hd_gpu_frame *frame)
{
	size_t at;

	if (2 * d->nnodes >= d->index->n)
		grow_index(d);
	at = slot_of(d, caller, frame);
	if (!d->index->id[at]) {
		HD_GROW(d->nodes, d->nnodes + 1, d->nodes_cap);
		d->nodes[d->nnodes] = (struct hd_gpu_node){ caller, *frame };
		d->index->id[at] = (uint32_t)d->nnodes++;
	}
	return d->index->id[at];
}

void hd_gpu_capture_release(struct hd_gpu_capture *c)
{
	free(c->version);
	free(c->devices);
	free(c->processes);
	free(c->hostname);
	free(c->command);
	*c = (struct hd_gpu_capture){ 0 };
}
