/*
 * process_memory.h - resident memory of this process, from /proc
 *
 * Both functions read into a small buffer on the stack and allocate nothing.  HD_TRACK_UNSUPPORTED: /proc is not
 * mounted or has no such line.  Thread-safe.
 */
#ifndef HD_TRACK_PROCESS_MEMORY_H
#define HD_TRACK_PROCESS_MEMORY_H

#include "track/status.h"

/* Set *bytes to the resident memory now (second field of /proc/self/statm). */
int hd_process_memory_rss(uint64_t *bytes);
/* Set *bytes to the peak of the resident memory so far (VmHWM of /proc/self/status). */
int hd_process_memory_peak(uint64_t *bytes);

#endif
