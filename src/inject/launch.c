/*
 * launch.c - calls of the CUDA API that put work on a GPU
 *
 *     program -> cudaLaunchKernel() -> CUPTI -> hd_launch_call(enter) -> gpu_launch_marker(correlation id)
 *                       ...                     hd_launch_call(exit)  -> a LAUNCH record
 *
 * A function of the runtime API calls one of the driver API with the same correlation id: only the outer call counts.
 *
 * The stack is taken with backtrace(3), which finds frames by their unwind tables: libraries without frame pointers,
 * such as the CUDA runtime, do not end it.  It is taken inside of a normal call, never in a signal handler.  The trace
 * has addresses.  A stack that was recorded before is usually not recorded again (hd_hash_ids_get()).
 */
#include "inject/injection.h"

#include <errno.h>
#include <execinfo.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CALLS = 4 };			/* maximum number of nested calls of one thread that are stored */

/* perf sets a uprobe on gpu_launch_marker() and reads the correlation id from the first argument register. */
EXPORT void gpu_launch_marker(uint32_t correlation);

struct call { uint32_t domain, cbid, correlation, stack; uint64_t start; };

static bool with_stacks;
static struct hd_hash_ids stacks;
static __thread struct { uint32_t open, tid; struct call call[CALLS]; } thread;

uint64_t hd_launch_count;

__attribute__((noinline, used)) void gpu_launch_marker(uint32_t correlation)
{
	__asm__ volatile("" : : "r"(correlation) : "memory");
}

void hd_launch_begin(bool want_stacks)
{
	void *one[1];

	/* The first call of backtrace() loads a library, so make it now. */
	with_stacks = want_stacks && backtrace(one, 1) > 0;
}

/*
 * Return the id of this thread's stack, and record the stack if it is new.  0: there is no stack, nothing is recorded,
 * or the trace has no room for the stack.
 */
static uint32_t stack_of_caller(void)
{
	void *frame[HD_CUDA_DEPTH + 1];
	struct hd_cuda_stack *s;
	bool is_new;
	uint32_t id, depth;
	int n = backtrace(frame, HD_CUDA_DEPTH + 1);

	if (n <= 0 || !hd_trace_file_lock())
		return 0;
	if (hd_modules_update())
		hd_hash_ids_clear(&stacks);
	id = hd_hash_ids_get(&stacks, hd_hash_ids_hash(frame, (size_t)n * sizeof(frame[0])), &is_new);
	if (is_new) {
		depth = n > HD_CUDA_DEPTH ? HD_CUDA_DEPTH : (uint32_t)n;
		s = hd_trace_file_record(HD_CUDA_STACK, sizeof(*s) + depth * sizeof(uint64_t), id);
		if (s) {
			s->depth = depth;
			s->cut = n > HD_CUDA_DEPTH;
			for (uint32_t i = 0; i < depth; i++) {
				uint64_t address = (uintptr_t)frame[i];

				memcpy((char *)(s + 1) + i * sizeof(address), &address, sizeof(address));
			}
		} else {
			hd_hash_ids_take_back(&stacks);
			id = 0;
		}
	}
	hd_trace_file_unlock();
	return id;
}

static void enter(uint32_t domain, uint32_t cbid, uint32_t correlation)
{
	struct call *c;

	if (thread.open && thread.call[thread.open - 1].correlation == correlation)
		return;
	if (thread.open == CALLS)
		/*
		 * Calls of the API do not nest so deep, so all stored calls have ended.  CUPTI did not report their
		 * ends, because an exception passed through them.
		 */
		thread.open = 0;
	c = &thread.call[thread.open++];
	*c = (struct call){ .domain = domain, .cbid = cbid, .correlation = correlation };
	if (with_stacks)
		c->stack = stack_of_caller();
	gpu_launch_marker(correlation);
	c->start = hd_injection_now();
}

static bool is_call(const struct call *c, uint32_t domain, uint32_t cbid, uint32_t correlation)
{
	return c->domain == domain && c->cbid == cbid && c->correlation == correlation;
}

static void leave(uint32_t domain, uint32_t cbid, uint32_t correlation)
{
	uint64_t end = hd_injection_now();
	struct hd_cuda_launch *l;
	struct call c;
	uint32_t i = thread.open;

	while (i && !is_call(&thread.call[i - 1], domain, cbid, correlation))
		i--;
	if (!i)
		return;
	thread.open = i - 1;
	c = thread.call[i - 1];
	if (!thread.tid)
		thread.tid = (uint32_t)syscall(SYS_gettid);
	if (!hd_trace_file_lock())
		return;
	l = hd_trace_file_record(HD_CUDA_LAUNCH, sizeof(*l), correlation);
	if (l) {
		l->start_ns = c.start;
		l->end_ns = end;
		l->tid = thread.tid;
		l->stack = c.stack;
		l->domain = domain;
		l->cbid = cbid;
		hd_launch_count++;
	}
	hd_trace_file_unlock();
}

void hd_launch_call(void *user, uint32_t domain, uint32_t cbid, const void *data)
{
	int error = errno;
	uint32_t site, correlation;

	(void)user;
	if (!data || !atomic_load_explicit(&hd_recording, memory_order_relaxed))
		return;
	memcpy(&site, (const char *)data + HD_CALL_SITE, sizeof(site));
	memcpy(&correlation, (const char *)data + HD_CALL_CORRELATION, sizeof(correlation));
	if (domain == HD_CUPTI_RUNTIME && cbid == HD_CUPTI_DEVICE_RESET) {
		if (site == HD_CUPTI_ENTER)
			/*
			 * Flush before the device is reset, because the records of completed operations would be lost.
			 */
			hd_cupti.flush_all(0);
	} else if (site == HD_CUPTI_ENTER) {
		enter(domain, cbid, correlation);
	} else {
		leave(domain, cbid, correlation);
	}
	errno = error;
}
