/*
 * launch_stacks.c - see launch_stacks.h
 */
#include "gpu/launch_stacks.h"

#include "base/mem.h"

#include <string.h>

bool hd_gpu_is_cuda_frame(const char *function, const char *object)
{
	static const char *const objects[] = { "libhotdrift-cuda", "libcupti", "libcuda.so", "libcudart" };
	static const char *const functions[] = { "__cuda", "cudart::", "__device_stub__", "gpu_launch_marker" };
	const char *base = object ? strrchr(object, '/') : NULL;

	base = base ? base + 1 : object;
	for (size_t i = 0; base && i < HD_COUNT(objects); i++)
		if (!strncmp(base, objects[i], strlen(objects[i])))
			return true;
	for (size_t i = 0; function && i < HD_COUNT(functions); i++)
		if (!strncmp(function, functions[i], strlen(functions[i])))
			return true;
	/* functions of the CUDA API, such as cudaLaunchKernel and cuLaunchKernel */
	if (function && !strncmp(function, "cuda", 4))
		return function[4] >= 'A' && function[4] <= 'Z';
	return function && !strncmp(function, "cu", 2) && function[2] >= 'A' && function[2] <= 'Z';
}

/*
 * Return the stack without its innermost frames, which belong to the CUDA libraries and to the recorder.  The result
 * ends with the function of the program that called these libraries.
 */
static hd_stack_id launching(const struct hd_profile *p, hd_stack_id stack)
{
	for (; stack.v; stack = hd_stacks_caller(p->stacks, stack)) {
		const struct hd_profile_symbol *s = &p->symbols[p->frames[hd_stacks_frame(p->stacks, stack).v].symbol];

		if (!hd_gpu_is_cuda_frame(s->unresolved ? "" : hd_profile_str(p, s->linkage),
					 hd_profile_str(p, p->objects[s->object].name)))
			break;
	}
	return stack;
}

static uint64_t key_of(uint32_t pid, uint64_t correlation)
{
	return (uint64_t)pid << 32 | (uint32_t)correlation;
}

bool hd_launch_stacks_is_marker(const char *event)
{
	const char *colon = strchr(event, ':');

	return colon && !strncmp(colon + 1, HD_LAUNCH_MARKER, strlen(HD_LAUNCH_MARKER));
}

void hd_launch_stacks_build(struct hd_launch_stacks *l, const struct hd_profile *p, size_t field)
{
	for (uint32_t e = 0; e < p->nevents; e++) {
		if (!hd_launch_stacks_is_marker(hd_profile_str(p, p->events[e].name)))
			continue;
		for (uint32_t i = p->events[e].first_row; i; i = p->rows.items[i - 1].next) {
			const struct hd_sample_row *row = &p->rows.items[i - 1];
			struct hd_value v = hd_tuples_get(&p->tuples, row->tuple)[field];
			hd_stack_id stack = launching(p, row->stack);
			uint64_t key = key_of((uint32_t)row->pid, v.v);

			if (v.kind != HD_VALUE_SIGNED && v.kind != HD_VALUE_UNSIGNED && v.kind != HD_VALUE_ADDRESS)
				continue;
			l->samples += row->count;
			l->repeated += row->count - 1;
			if (hd_map_has(&l->stacks, key))
				l->repeated++;
			else
				hd_map_put(&l->stacks, key, stack.v);
		}
	}
}

void hd_launch_stacks_release(struct hd_launch_stacks *l)
{
	hd_map_release(&l->stacks);
}

hd_stack_id hd_launch_stacks_get(const struct hd_launch_stacks *l, uint32_t pid, uint64_t correlation)
{
	uint32_t stack = correlation && correlation <= UINT32_MAX ? hd_map_get(&l->stacks, key_of(pid, correlation))
								  : HD_MAP_NONE;

	return (hd_stack_id){ stack == HD_MAP_NONE ? 0 : stack };
}
