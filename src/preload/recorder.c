/*
 * recorder.c - settings, and a process from its first allocation to its end
 *
 *     HOTDRIFT_HEAP            where recordings go: PREFIX.PID; unset, nothing is recorded
 *     HOTDRIFT_HEAP_INTERVAL   bytes between samples, 1: every allocation is counted; default 65536
 *     HOTDRIFT_HEAP_BUDGET     per cent of the time that samples may take: the interval begins as 1, and is raised when they take more
 *     HOTDRIFT_HEAP_MMAP       1: what the program maps itself is counted, too
 *     HOTDRIFT_HEAP_SEED       the samples are drawn from this, for tests
 *
 * A program that runs with the rights of another user is left alone.
 */
#include "preload/recorder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

enum { PREFIX_ROOM = 3072, INTERVAL = 64 * 1024, SAMPLE_NS = 1000 };	/* what a sample and its free cost, about */

static struct hd_alive before;		/* anyone asked */
struct hd_recorder hd_recorder = { .alive = &before };

static char prefix[PREFIX_ROOM];
static uint32_t generations;	/* of this process; a child's is one more */

static uint64_t number(const char *text, uint64_t otherwise)
{
	uint64_t v = 0;

	if (!text || !*text)
		return otherwise;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || v > UINT64_MAX / 20)
			return otherwise;
		v = v * 10 + (uint64_t)(*text - '0');
	}
	return v;
}

static enum hd_heap_mode read_settings(void)
{
	const char *where;
	uint64_t percent;

	if (getauxval(AT_SECURE))
		return HD_HEAP_MODE_OFF;
	where = getenv("HOTDRIFT_HEAP");
	if (!where || where[0] != '/' || strlen(where) >= sizeof(prefix))
		return HD_HEAP_MODE_OFF;
	strcpy(prefix, where);		/* the program may write over its environment */
	hd_recorder.prefix = prefix;
	hd_recorder.interval = number(getenv("HOTDRIFT_HEAP_INTERVAL"), INTERVAL);
	if (!hd_recorder.interval || hd_recorder.interval > 1ull << 32)
		hd_recorder.interval = INTERVAL;
	hd_recorder.seed = number(getenv("HOTDRIFT_HEAP_SEED"), 0);
	hd_recorder.count_maps = number(getenv("HOTDRIFT_HEAP_MMAP"), 0) == 1;
	percent = number(getenv("HOTDRIFT_HEAP_BUDGET"), 0);
	if (percent && percent <= 100) {
		hd_recorder.budget = SAMPLE_NS * 100 / percent;
		hd_recorder.interval = 1;
		return HD_HEAP_MODE_SAMPLED;
	}
	return hd_recorder.interval == 1 ? HD_HEAP_MODE_EXACT : HD_HEAP_MODE_SAMPLED;
}

static void fork_child(void)
{
	struct hd_alive *a = hd_recorder.alive;

	atomic_store(&a->gen, 0);
	atomic_store(&a->lock, 0);
}

/* The first allocation of all, from before there are threads. */
static bool first(void)
{
	struct hd_alive *a;

	hd_recorder.page_size = getauxval(AT_PAGESZ);
	a = hd_recorder_mem_map(hd_recorder.page_size);
	if (!a)
		return false;
	hd_recorder.alive = a;
	if (madvise(a, hd_recorder.page_size, MADV_WIPEONFORK) < 0) {
		if (pthread_atfork(NULL, NULL, fork_child))
			return false;
	}
	hd_recorder.mode = read_settings();
	if (hd_recorder.mode == HD_HEAP_MODE_EXACT && !hd_real_allocator_is_whole()) {
		/* Samples are in a table.  With an interval of 1, every block is a sample. */
		hd_recorder.in_table = true;
		hd_recorder.mode = HD_HEAP_MODE_SAMPLED;
	}
	if (hd_recorder.mode == HD_HEAP_MODE_EXACT) {
		hd_recorder.plain_sizes = hd_real_allocator_has_plain_sizes();
		hd_next_allocator = (struct hd_next_allocator){ hd_exact_malloc, hd_exact_calloc, hd_exact_free };
	}
	return true;
}

static uint64_t mixed_seed(void)
{
	struct timespec t;
	uint64_t v = hd_recorder.seed;

	if (!v) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		v = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec + ((uint64_t)getpid() << 40);
	}
	v ^= (uint64_t)generations << 56;
	v = (v ^ (v >> 31)) * 0xd6e8feb86659fd93u;
	return v ^ (v >> 29) ^ 0x2545f4914f6cdd1du;
}

bool hd_recorder_begin(void)
{
	struct hd_alive *a;
	bool child;

	if (hd_recorder.mode == HD_HEAP_MODE_UNSET) {
		if (!hd_real_allocator_is_found())
			return false;
		if (!first()) {
			hd_recorder.mode = HD_HEAP_MODE_OFF;
			return false;
		}
	}
	a = hd_recorder.alive;
	if (hd_recorder.mode == HD_HEAP_MODE_OFF)
		return false;
	if (atomic_load_explicit(&a->gen, memory_order_acquire))
		return hd_recorder.recording;
	hd_recorder_lock();
	if (!atomic_load(&a->gen)) {
		child = generations != 0;
		generations++;
		hd_recorder.header = NULL;
		hd_recorder.recording = false;
		hd_recorder.secret = mixed_seed();
		hd_recorder_mem_begin();
		hd_threads_begin();
		hd_stack_tree_begin();
		hd_modules_begin();
		hd_regions_begin();
		hd_sampled_begin();
		hd_maps_begin();
		if (hd_recording_file_begin()) {
			if (child)
				hd_recorder.header->flags |= HD_HEAP_FORKED;
			hd_tick_begin(child);
			hd_recorder.recording = true;
		}
		atomic_store_explicit(&a->gen, generations, memory_order_release);
	}
	hd_recorder_unlock();
	return hd_recorder.recording;
}

void hd_recorder_save(bool ended)
{
	struct hd_alive *a = hd_recorder.alive;
	uint32_t was = hd_tls.gen;

	/* A handler that interrupted the recorder must not wait for its lock. */
	if (!atomic_load(&a->gen) || !hd_recorder.recording || was == HD_BUSY ||
		hd_recorder.header->pid != (uint32_t)getpid())
		return;
	hd_tls.gen = HD_BUSY;
	__asm__ volatile("" ::: "memory");
	hd_recorder_lock();
	hd_thread_settle_all();
	if (hd_recorder.mode == HD_HEAP_MODE_SAMPLED && was == atomic_load(&a->gen))
		hd_sampled_settle(hd_tls.thread);
	if (ended)
		hd_recording_file_end();
	else
		hd_recording_file_write();
	hd_recorder_unlock();
	__asm__ volatile("" ::: "memory");
	hd_tls.gen = was;
}
