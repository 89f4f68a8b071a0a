/*
 * libdw_child.h - unwind stacks with libdw in a confined child process
 *
 * libdw maps object files and trusts them: a file that shrinks ends the process with SIGBUS, and a hostile one can
 * crash it, make it loop or take over control.  So a child process does this work.  It is forked without exec, so it
 * has a copy of the process table and the objects as they were at the fork.  It may do nothing but read files:
 *
 *     no_new_privs, landlock and seccomp as in base/sandbox.h; no core file; no file may be written;
 *     data limited to what it has plus HD_LIBDW_DATA_MAX; HD_LIBDW_STACK_CPU_MS of CPU time for one stack
 *
 * Parent and child share the memory for one stack.  The parent writes registers, stack and address space there, and
 * then one byte into a pipe.  The child writes the frames there, and then one byte into another pipe.  The answer is
 * untrusted: the parent copies it and checks every number.  If nothing is mapped at the address of a frame other than
 * the innermost one, the parent drops this frame and the outer ones.
 *
 * If a child crashes or reaches a limit, the result for the stack that it was unwinding has no frames, so the sample
 * keeps its innermost function only.  A new child unwinds the next stack.  A child that cannot be started is such a
 * failure, too.  After HD_LIBDW_CHILDREN failures, the results for all further stacks have no frames.
 *
 * Only a process with one thread may call this, because fork() is not safe while other threads run.  Private to
 * unwind/.
 */
#ifndef HD_UNWIND_LIBDW_CHILD_H
#define HD_UNWIND_LIBDW_CHILD_H

#include "unwind/libdw_frames.h"

#define HD_LIBDW_DATA_MAX	(1ull << 30)
enum {
	HD_LIBDW_STACK_CPU_MS = 5000,
	HD_LIBDW_WAIT_MS = 120000,	/* longest wait for an answer of the child, which may wait for a disk */
	HD_LIBDW_CHILDREN = 8,
};

struct hd_libdw_child;

/* `objects` is borrowed. */
struct hd_libdw_child *hd_libdw_child_new(struct hd_object_cfis *objects);
void hd_libdw_child_free(struct hd_libdw_child *c);	/* accepts NULL */
/* End the child.  The next hd_libdw_child_run() starts a new one, which knows the objects that exist at that time. */
void hd_libdw_child_stop(struct hd_libdw_child *c);
void hd_libdw_child_run(struct hd_libdw_child *c, const struct hd_unwind_input *in, struct hd_unwind_result *out);
const struct hd_unwind_child_losses *hd_libdw_child_losses(const struct hd_libdw_child *c);

#endif
