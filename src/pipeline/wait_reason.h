/*
 * wait_reason.h - find why a thread waits, by the functions on its stack
 *
 *     futex, epoll, poll, sleep, pipe, socket, disk, page fault, child, signal, io_uring, ...
 *
 * The innermost function with a known reason decides: usually a kernel function; without kernel frames, a function of
 * libc.  Without such a function the reason is `other`.
 *
 * For programs that use tokio, hd_wait_reasons_future() also finds the future that the worker was polling.  Other
 * runtimes are not recognised.  Only frames inside tokio's innermost run_task or block_on are considered, because the
 * outer ones belong to the task of the runtime.
 *
 * Owns: two bytes per location.
 */
#ifndef HD_PIPELINE_WAIT_REASON_H
#define HD_PIPELINE_WAIT_REASON_H

#include "pipeline/chains.h"
#include "pipeline/locator.h"

struct hd_wait_reasons;

/* All pointers are borrowed. */
struct hd_wait_reasons *hd_wait_reasons_new(const struct hd_profile *p, const struct hd_locator *l,
	const struct hd_chains *c);
void hd_wait_reasons_free(struct hd_wait_reasons *r);		/* accepts NULL */

/*
 * Return the reason why a thread with this stack waits, as a constant string.  `leaf` is the innermost node of the
 * stack.
 */
const char *hd_wait_reasons_of(struct hd_wait_reasons *r, uint32_t leaf);
/*
 * Return the displayed name of the async function or block that a worker of tokio was running; "[runtime]" if it was
 * running none; "[idle]" if the worker waits for work; NULL if none of tokio's run_task, block_on and park is among the
 * innermost 512 nodes.  The string is borrowed from the profile, or constant.
 */
const char *hd_wait_reasons_future(struct hd_wait_reasons *r, uint32_t leaf);

#endif
