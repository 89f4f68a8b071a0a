/* thread_id.c - see track/thread_id.h */
#include "track/thread_id.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic uint32_t forks;

uint32_t hd_thread_id(void)
{
	static _Thread_local uint32_t id, of_fork;
	uint32_t now = atomic_load_explicit(&forks, memory_order_relaxed);

	if (!id || of_fork != now) {
		id = (uint32_t)syscall(SYS_gettid);
		of_fork = now;
	}
	return id;
}

void hd_thread_id_forked(void)
{
	atomic_fetch_add(&forks, 1);
}
