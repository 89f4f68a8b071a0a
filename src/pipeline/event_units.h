/*
 * event_units.h - look up the unit of an event by its name
 *
 * The text of perf script and callgrind name their events but not the units of the values.  The names are those of
 * perf, with or without a PMU and modifiers (cpu-clock:u, cpu_core/cycles/P), those of valgrind and Xdebug, and those
 * that hotdrift writes into these formats: of heap recordings, GPU captures, and spans of time (--weight wall).
 *
 * The functions have no state.
 */
#ifndef HD_PIPELINE_EVENT_UNITS_H
#define HD_PIPELINE_EVENT_UNITS_H

#include <stddef.h>

/* Return the unit of the values of an event whose name has n bytes: "ns", "cycles", ...; NULL if it is unknown. */
const char *hd_event_units_find(const char *name, size_t n);

#endif
