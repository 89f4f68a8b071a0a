/*
 * wait_reason.h - what a thread waits for, by the functions on its stack
 *
 *     futex, epoll, poll, sleep, pipe, socket, disk, page fault, child, signal, io_uring, ...
 *
 * The innermost function that tells decides: the kernel's own, where it was
 * recorded, else that of libc.  A stack that tells nothing is `other`.
 *
 * Of programs on tokio (and by the same names async-std's and smol's block_on), also the future that a worker
 * was polling: only frames inside of the innermost run_task count, since the
 * outer ones are the runtime's own task.
 *
 * Owns: one byte per location.
 */
#ifndef HD_PIPELINE_WAIT_REASON_H
#define HD_PIPELINE_WAIT_REASON_H

#include "pipeline/chains.h"
#include "pipeline/locator.h"

struct hd_wait_reasons;

/* All borrowed. */
struct hd_wait_reasons *hd_wait_reasons_new(const struct hd_profile *p, const struct hd_locator *l,
	const struct hd_chains *c);
void hd_wait_reasons_free(struct hd_wait_reasons *r);		/* NULL is fine */

/* Of the stack whose innermost node is `leaf`; a constant string. */
const char *hd_wait_reasons_of(struct hd_wait_reasons *r, uint32_t leaf);
/*
 * The async function or block that a worker of a runtime was running there, by its displayed name; "[idle]" for a worker
 * that waits for work; NULL: no runtime is on the stack.
 */
const char *hd_wait_reasons_future(struct hd_wait_reasons *r, uint32_t leaf);

/* The reason that a function tells, or NULL. */
const char *hd_wait_reason_of_function(const char *name, bool kernel);

#endif
