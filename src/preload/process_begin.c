/*
 * process_begin.c - settings, and the first allocation of a process
 *
 *     HOTDRIFT_HEAP            PREFIX, an absolute path: write recordings to PREFIX.PID.  If it is unset or a relative
 *                              path, nothing is recorded
 *     HOTDRIFT_HEAP_INTERVAL   mean number of bytes between samples, default 65536; 1: count every allocation
 *     HOTDRIFT_HEAP_BUDGET     percent (1 to 100) of the CPU time that samples may take: the interval starts at 1 and
 *                              rises when samples take more.  HOTDRIFT_HEAP_INTERVAL is then ignored
 *     HOTDRIFT_HEAP_MMAP       1: count the program's own calls of mmap(), too
 *     HOTDRIFT_HEAP_SEED       seed of the random numbers that choose the samples, for tests
 *
 * A program that the kernel starts in secure-execution mode (AT_SECURE; for example, a set-user-ID program) is not
 * recorded.
 */
#include "preload/counted_blocks.h"
#include "preload/frame_rules.h"
#include "preload/real_allocator.h"
#include "preload/recorder_memory.h"
#include "preload/recording.h"
#include "preload/stack_tree.h"
#include "preload/thread_state.h"

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

/*
 * INTERVAL: default of HOTDRIFT_HEAP_INTERVAL, in bytes.  SAMPLE_NS: assumed CPU time, in ns, that a sample and its
 * free take
 */
enum { PREFIX_ROOM = 3072, INTERVAL = 64 * 1024, SAMPLE_NS = 1000 };

static struct hd_alive before;		/* used until first() has mapped the page that a fork wipes */
struct hd_recorder hd_recorder = { .alive = &before };

static char prefix[PREFIX_ROOM];
/* number of recorded processes from which this process descends, plus 1 */
static uint32_t generations;

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

/*
 * Prepare to record this process.  Called by the first allocation, before there are threads.  Returns false if there is
 * no memory.
 */
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
		/*
		 * Blocks of the program's allocator cannot have trailers (8 bytes at the end of a block), which exact
		 * recordings need.  So every allocation is counted in the table of samples, with an interval of 1.
		 */
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
			/*
			 * A process that is killed before the first regular write leaves a recording without
			 * allocations.  The times of its begin place its resident memory in time.
			 */
			hd_recording_file_write();
		}
		atomic_store_explicit(&a->gen, generations, memory_order_release);
	}
	hd_recorder_unlock();
	return hd_recorder.recording;
}
