/*
 * thread_id.h - the kernel's id of the calling thread, cached per thread
 */
#ifndef HD_TRACK_THREAD_ID_H
#define HD_TRACK_THREAD_ID_H

#include <stdint.h>

/* Return the same id as gettid().  Thread-safe.  Correct also in a child right after fork(). */
uint32_t hd_thread_id(void);
/* Drop the cached ids.  Called in the child after fork(). */
void hd_thread_id_forked(void);

#endif
