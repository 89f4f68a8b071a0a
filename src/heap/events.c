/*
 * events.c - see events.h
 */
#include "heap/events.h"

#include <string.h>

const struct hd_heap_event hd_heap_events[HD_HEAP_EVENTS] = {
	[HD_HEAP_ALLOCATED] = { "allocated", true, "alloc_space" },
	[HD_HEAP_ALLOCATIONS] = { "allocations", false, "alloc_objects" },
	[HD_HEAP_PEAK] = { "peak", true, "peak_space" },
	[HD_HEAP_PEAK_BLOCKS] = { "peak-blocks", false, "peak_objects" },
	[HD_HEAP_LEAKED] = { "leaked", true, "inuse_space" },
	[HD_HEAP_LEAKED_BLOCKS] = { "leaked-blocks", false, "inuse_objects" },
	[HD_HEAP_TEMPORARY] = { "temporary", false, NULL },
	[HD_HEAP_TEMPORARY_BYTES] = { "temporary-bytes", true, NULL },
	[HD_HEAP_LIFETIME] = { "lifetime", true, NULL },
};

int hd_heap_event_find(const char *name)
{
	for (int i = 0; i < HD_HEAP_EVENTS; i++)
		if (!strcmp(name, hd_heap_events[i].name))
			return i;
	return -1;
}
