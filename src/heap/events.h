/*
 * events.h - the events of a heap profile, as a table
 */
#ifndef HD_HEAP_EVENTS_H
#define HD_HEAP_EVENTS_H

#include <stdbool.h>

enum hd_heap_event_id {
	HD_HEAP_ALLOCATED,
	HD_HEAP_ALLOCATIONS,
	HD_HEAP_PEAK,
	HD_HEAP_PEAK_BLOCKS,
	HD_HEAP_LEAKED,
	HD_HEAP_LEAKED_BLOCKS,
	HD_HEAP_TEMPORARY,
	HD_HEAP_TEMPORARY_BYTES,
	/* sum over blocks of the bytes that the process allocated during the life of the block; only on request */
	HD_HEAP_LIFETIME,
	HD_HEAP_EVENTS
};

struct hd_heap_event {
	const char *name;	/* name of the event in the profile, and in the option --event */
	bool bytes;		/* true: the weight is bytes; false: a number of allocations (blocks) */
	const char *pprof;	/* sample type in a pprof profile; NULL: not exported */
};

extern const struct hd_heap_event hd_heap_events[HD_HEAP_EVENTS];

/* Return the id of an event by its name; -1 if there is none. */
int hd_heap_event_find(const char *name);

#endif
