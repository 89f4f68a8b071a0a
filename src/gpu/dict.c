/*
 * dict.c - names and stacks of a GPU capture, see activity.h
 */
#include "gpu/activity.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

void hd_gpu_dict_init(struct hd_gpu_dict *d, struct hd_strtab *names)
{
	*d = (struct hd_gpu_dict){ .names = names };
	HD_GROW(d->nodes, 1, d->nodes_cap);
	d->nodes[d->nnodes++] = (struct hd_gpu_node){ 0 };
}

void hd_gpu_dict_release(struct hd_gpu_dict *d)
{
	free(d->nodes);
	hd_index_release(&d->index);
	*d = (struct hd_gpu_dict){ 0 };
}

static uint64_t hash_of(uint32_t caller, const struct hd_gpu_frame *f)
{
	return hd_mix(hd_mix((uint64_t)caller << 32 | f->name, f->address), f->module);
}

uint32_t hd_gpu_dict_stack(struct hd_gpu_dict *d, uint32_t caller, const struct hd_gpu_frame *frame)
{
	uint64_t hash = hash_of(caller, frame);
	size_t at;

	for (uint32_t id = hd_index_first(&d->index, hash, &at); id != HD_INDEX_NONE;
	     id = hd_index_next(&d->index, hash, &at)) {
		const struct hd_gpu_node *n = &d->nodes[id];

		if (n->caller == caller && n->frame.name == frame->name && n->frame.module == frame->module &&
		    n->frame.address == frame->address)
			return id;
	}
	HD_GROW(d->nodes, d->nnodes + 1, d->nodes_cap);
	d->nodes[d->nnodes] = (struct hd_gpu_node){ caller, *frame };
	hd_index_add(&d->index, hash, (uint32_t)d->nnodes);
	return (uint32_t)d->nnodes++;
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
