/*
 * thread.c - the state of a thread: creation, reuse, and the bounds of its stack
 *
 * A new thread takes over the state of a dead one, with its counters.  So the recorder needs no notice when a thread
 * ends, and memory depends on the number of threads that are alive at the same time.
 */
#include "preload/counters.h"
#include "preload/recorder_memory.h"
#include "preload/stack_cache.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_stack_end;

/* To reuse the state of a dead thread, a new thread examines at most this many states, so that its cost is bounded. */
enum { LOOKS = 16 };

__thread struct hd_tls hd_tls = { .gen = HD_NOBODY };

static struct hd_thread *threads, *look;
static uint32_t nthreads;

void hd_threads_begin(void)
{
	threads = look = NULL;
	nthreads = 0;
}

void hd_thread_sums(uint64_t *allocated, uint64_t *freed)
{
	*allocated = *freed = 0;
	for (const struct hd_thread *t = threads; t; t = t->next) {
		*freed += __atomic_load_n(&t->freed, __ATOMIC_RELAXED);
		*allocated += __atomic_load_n(&t->allocated, __ATOMIC_RELAXED);
	}
}

static bool is_dead(int tid)
{
	return syscall(SYS_tgkill, getpid(), tid, 0) < 0 && errno == ESRCH;
}

static struct hd_thread *taken_over(int tid)
{
	for (int i = 0; threads && i < LOOKS && (uint32_t)i < nthreads; i++) {
		struct hd_thread *t = look ? look : threads;

		look = t->next;
		if (t->tid == tid || is_dead(t->tid))
			return t;
	}
	return NULL;
}

/* ---- where stacks are ---- */

/*
 * Find the bounds of this thread's stack.
 *
 * The stack of the main thread ends where RLIMIT_STACK stops its growth, or 1 GiB below its top if the limit is higher.
 * For other threads, the C library stores the thread descriptor at the top of the stack, so its address is the upper
 * bound.  pthread_getattr_np() cannot be used: it allocates while it holds the lock of the thread, and this call may
 * come from that allocation.
 */
static void find_stack(struct hd_thread *t)
{
	uintptr_t self = (uintptr_t)pthread_self();
	struct rlimit lim;
	size_t size = 1ull << 30;

	if (t->tid == getpid()) {
		t->stack_hi = (uintptr_t)__libc_stack_end;
		if (getrlimit(RLIMIT_STACK, &lim) == 0 && lim.rlim_cur < size)
			size = lim.rlim_cur;
		t->stack_lo = t->stack_hi > size ? t->stack_hi - size : 0;
	} else if (t->stack_hi != self) { /* if equal: the C library reused a dead thread's stack */
		t->stack_lo = hd_region_of(self).lo;
		t->stack_hi = t->stack_lo ? self : 0;
	}
	t->stack_span = t->stack_hi ? t->stack_hi - t->stack_lo - 8 : 0;
}

static struct hd_thread *new_thread(void)
{
	int tid = (int)syscall(SYS_gettid);
	struct hd_thread *t;

	hd_recorder_lock();
	t = taken_over(tid);
	if (!t) {
		t = hd_recorder_mem_map_huge(HD_HUGE);
		if (t) {
			t->next = threads;
			t->random = hd_recorder.secret + 0x9e3779b97f4a7c15u * ++nthreads;
			t->map_epoch = atomic_load(&hd_recorder.map_epoch);
			threads = t;
		}
	}
	if (t)
		t->tid = tid;
	hd_recorder_unlock();
	if (!t)
		return NULL;
	/* While `own` is set, allocations of this thread are the recorder's; hd_heap_header.inside omits them. */
	hd_tls.own = true;
	t->last = NULL;
	t->batch = 0;
	/* The stack of the dead thread may be unmapped. */
	hd_unwind_stack_forget(t);
	t->other_lo = t->other_hi = 0;
	find_stack(t);
	hd_tls.own = false;
	return t;
}

COLD struct hd_thread *hd_enter_first(void)
{
	struct hd_tls *tls = &hd_tls;
	struct hd_thread *t = NULL;
	uint32_t was = tls->gen;
	int errno_was = errno;

	if (was == HD_BUSY) {
		if (hd_recorder.recording && !tls->own)
			__atomic_fetch_add(&hd_recorder.header->inside, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	if (hd_recorder.mode == HD_HEAP_MODE_OFF)
		return NULL;
	tls->gen = HD_BUSY;
	__asm__ volatile("" ::: "memory");
	if (hd_recorder_begin())
		t = was == atomic_load(&hd_recorder.alive->gen) ? tls->thread : new_thread();
	if (t) {
		tls->thread = t;
		tls->own_gen = atomic_load(&hd_recorder.alive->gen);
	} else {
		__asm__ volatile("" ::: "memory");
		tls->gen = HD_NOBODY;
	}
	errno = errno_was;
	return t;
}

void hd_thread_settle_all(void)
{
	/* Other threads may run during the loop, and what they then count may be missing in the sums of the header. */
	for (struct hd_thread *t = threads; t; t = t->next)
		hd_counter_settle(t);
}

/* ---- other stacks: of coroutines, of signals ---- */

uintptr_t hd_thread_other(struct hd_thread *t, uintptr_t sp)
{
	if (sp < t->other_lo || sp >= t->other_hi) {
		struct hd_region r = hd_region_of(sp);

		t->other_lo = r.hi ? r.lo : sp;
		t->other_hi = r.hi ? r.hi : sp;
	}
	return t->other_hi;
}
