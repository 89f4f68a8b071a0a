/*
 * recorder_memory.c - see recorder_memory.h
 *
 * hd_recorder_mem_take() gets memory from the kernel in large pieces and never returns it.  A forked child does not
 * touch the pieces of its parent (copy on write), so they cost nothing there.
 *
 * A program that allocates from thousands of places needs some megabytes, which are accessed at random.  They are put
 * into huge pages where the kernel has them, to save entries of the TLB for the recorder and for the program.
 */
#include "preload/recorder_memory.h"
#include "preload/recorder.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PIECE = 256 * 1024, STACK = 256 * 1024 };

/* start of the unused rest of the newest piece.  A piece is memory that is mapped at once and handed out in parts. */
static char *piece;
/*
 * piece_left: number of unused bytes, which start at `piece`.  piece_bytes: size of the newest piece.  The first piece
 * is small, later ones are huge pages.
 */
static size_t piece_left, piece_bytes;
static char *stack;		/* lowest address */

/*
 * Begin with no piece of memory.  A forked child must not continue to use the piece of its parent,
 * because another thread of the parent may have been allocating from it at the time of the fork.
 */
void hd_recorder_mem_begin(void)
{
	piece_left = piece_bytes = 0;
}

/* Map memory by a system call: the function mmap() is a hook of this library, which would count the memory. */
void *hd_recorder_mem_map(size_t bytes)
{
	long p = syscall(SYS_mmap, NULL, bytes, (long)(PROT_READ | PROT_WRITE),
		(long)(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE), -1L, 0L);

	return p == -1 ? NULL : (void *)p;
}

void hd_recorder_mem_unmap(void *p, size_t bytes)
{
	syscall(SYS_munmap, p, bytes);
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/*
 * Map memory that can become huge pages on request.  If transparent_hugepage is "always", a thread with a single
 * allocation would take 2 MiB.  So the mapping is marked MADV_NOHUGEPAGE, and the caller requests huge pages explicitly
 * with hd_recorder_mem_make_huge().
 */
void *hd_recorder_mem_map_huge(size_t bytes)
{
	char *p = hd_recorder_mem_map(bytes + HD_HUGE),
	     *from = (char *)(((uintptr_t)p + HD_HUGE - 1) & ~(uintptr_t)(HD_HUGE - 1));
	int had = errno;

	if (!p)
		return NULL;
	if (from > p)
		hd_recorder_mem_unmap(p, (size_t)(from - p));
	hd_recorder_mem_unmap(from + bytes, (size_t)(p + HD_HUGE - from));
	madvise(from, bytes, MADV_NOHUGEPAGE);
	errno = had;
	return from;
}

/*
 * Replace the pages of a mapping by huge pages.  MADV_COLLAPSE keeps the content of pages that were written.  It fails
 * before Linux 6.1.  The kernel may then still use huge pages later, because of MADV_HUGEPAGE.
 */
bool hd_recorder_mem_make_huge(void *p, size_t bytes)
{
	int had = errno, rc;

	madvise(p, bytes, MADV_HUGEPAGE);
	rc = madvise(p, bytes, MADV_COLLAPSE);
	errno = had;
	return rc == 0;
}

/*
 * Populate the whole pages within [p, p + bytes).  Before Linux 5.14, MADV_POPULATE_WRITE fails and the kernel provides
 * each page on first access.
 */
void hd_recorder_mem_fill(void *p, size_t bytes)
{
	uintptr_t page = hd_recorder.page_size, from = ((uintptr_t)p + page - 1) / page * page,
		  to = ((uintptr_t)p + bytes) / page * page;
	int had = errno;

	if (from < to)
		madvise((void *)from, to - from, MADV_POPULATE_WRITE);
	errno = had;
}

static void *more(size_t *bytes)
{
	void *p;

	if (!piece_bytes)
		return hd_recorder_mem_map(*bytes = PIECE);
	p = hd_recorder_mem_map_huge(*bytes = HD_HUGE);
	if (p)
		hd_recorder_mem_make_huge(p, HD_HUGE);
	return p;
}

void *hd_recorder_mem_take(size_t bytes)
{
	size_t most = piece_bytes == HD_HUGE ? HD_HUGE / 4 : PIECE / 4;
	void *p;

	bytes = (bytes + 15) & ~(size_t)15;
	if (bytes >= most)
		return hd_recorder_mem_map(bytes);
	if (bytes > piece_left) {
		p = more(&most);
		if (!p)
			return NULL;
		piece = p;
		piece_left = piece_bytes = most;
	}
	p = piece;
	piece += bytes;
	piece_left -= bytes;
	return p;
}

static int errno_was;		/* errno of the thread that holds the lock */

/* The lock is 0: free, 1: held, 2: held and waited for. */
void hd_recorder_lock(void)
{
	_Atomic uint32_t *lock = &hd_recorder.alive->lock;
	uint32_t was = 0;
	int had = errno;

	/*
	 * In a process with a single thread, no atomic exchange is needed.  A signal handler that interrupts the
	 * recorder cannot take the lock either, because hd_enter() returns NULL in it.
	 */
	if (LIKELY(__libc_single_threaded))
		atomic_store_explicit(lock, 1, memory_order_relaxed);
	else if (!atomic_compare_exchange_strong(lock, &was, 1))
		while (atomic_exchange(lock, 2) != 0)
			syscall(SYS_futex, lock, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
	errno_was = had;
}

void hd_recorder_unlock(void)
{
	_Atomic uint32_t *lock = &hd_recorder.alive->lock;
	int had = errno_was;

	if (LIKELY(__libc_single_threaded))
		atomic_store_explicit(lock, 0, memory_order_relaxed);
	else if (atomic_exchange(lock, 0) == 2)
		syscall(SYS_futex, lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	errno = had;
}

void hd_on_stack(void (*fn)(void *), void *arg)
{
	char *top;

	if (!stack)
		stack = hd_recorder_mem_map(STACK);
	if (!stack) {
		fn(arg);
		return;
	}
	top = stack + STACK;
#if defined(__x86_64__)
	/*
	 * rbx holds the program's stack pointer.  `fn` runs on the recorder's stack, so the red zone of the program's
	 * stack stays intact.
	 */
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "callq *%[fn]\n\t"
			 "movq %%rbx, %%rsp"
			 : "+D"(arg), [fn] "+r"(fn), [top] "+r"(top)
			 :
			 : "rbx", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc",
			   "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
			   "xmm11",
			   "xmm12", "xmm13", "xmm14", "xmm15");
#elif defined(__aarch64__)
	/* x19 holds the program's stack pointer. */
	__asm__ volatile("mov x19, sp\n\t"
			 "mov x0, %[arg]\n\t"
			 "mov sp, %[top]\n\t"
			 "blr %[fn]\n\t"
			 "mov sp, x19"
			 :
			 : [arg] "r"(arg), [fn] "r"(fn), [top] "r"(top)
			 : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13",
			 "x14", "x15", "x16", "x17", "x18", "x19", "x30", "memory", "cc", "v0", "v1", "v2", "v3", "v4",
			 "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18",
			 "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
#else
#error "hd_on_stack is written for x86-64 and aarch64"
#endif
}
