/*
 * malloc_hooks.c - malloc() and its relatives, as the program calls them
 *
 * The functions count down hd_tls.left, the bytes until the next sample of this thread.  Until it reaches 0, malloc()
 * and calloc() only call hd_next_allocator.  That is the real allocator, or exact.c if every allocation is counted.
 *
 * operator new and delete call malloc and free, unless the program or its allocator defines its own.
 *
 * strdup() and strndup() of mimalloc 3 do not call malloc().  So this file exports functions of these names that call
 * malloc(), as those of the C library do.
 */
#include "preload/counted_blocks.h"
#include "preload/real_allocator.h"
#include "preload/stack_cache.h"

#include <errno.h>
#include <string.h>

EXPORT void *malloc(size_t n);
EXPORT void *calloc(size_t n, size_t size);
EXPORT void *realloc(void *p, size_t n);
EXPORT void *reallocarray(void *p, size_t n, size_t size);
EXPORT void *memalign(size_t align, size_t n);
EXPORT void *aligned_alloc(size_t align, size_t n);
EXPORT int posix_memalign(void **p, size_t align, size_t n);
EXPORT void *valloc(size_t n);
EXPORT void *pvalloc(size_t n);
EXPORT void free(void *p);
EXPORT size_t malloc_usable_size(void *p);
EXPORT int dlclose(void *handle);
EXPORT char *strdup(const char *s);
EXPORT char *strndup(const char *s, size_t n);

/* Return true if exact.c counts every allocation.  Before the settings were read, the result is false. */
static inline bool is_exact(void)
{
	return hd_recorder.mode == HD_HEAP_MODE_EXACT;
}

static COLD void settle_mode(void)
{
	if (hd_enter())
		hd_leave();
}

/* A countdown larger than what any program allocates, so that hd_tls.left never reaches 0. */
#define AS_GOOD_AS_EVER (1ull << 62)

static inline bool counts_all(void)
{
	if (UNLIKELY(hd_recorder.mode == HD_HEAP_MODE_UNSET))
		settle_mode();
	if (LIKELY(!is_exact()))
		return false;
	hd_tls.left = AS_GOOD_AS_EVER;
	return true;
}

static inline bool is_left(size_t n)
{
	struct hd_tls *t = &hd_tls;

	if (UNLIKELY(n >= t->left))
		return false;
	t->left -= n + 1;
	return true;
}

/*
 * Decrement the countdown for a block of n bytes.  Returns false if the countdown is over.  The fast path decrements
 * first (one instruction) and tests the result.  The slow path is a tail call and restores the countdown.  An
 * allocation by a signal handler between these two steps is not sampled.
 *
 * The caller of malloc() is the caller of both paths.  So HD_HERE(), which reads the caller's registers, finds the
 * program in either path, and the fast path needs no stack frame.
 */
static inline bool take(size_t n)
{
	bool under;

#ifdef __x86_64__
	__asm__("subq %[n], %[left]" : [under] "=@ccc"(under), [left] "+m"(hd_tls.left) : [n] "r"((uint64_t)n + 1));
#else
	under = __builtin_sub_overflow(hd_tls.left, (uint64_t)n + 1, &hd_tls.left);
#endif
	return !under;
}

static COLD void *slow_malloc(size_t n)
{
	struct hd_regs from = HD_HERE();
	void *p;

	hd_tls.left += (uint64_t)n + 1;
	if (counts_all())
		return hd_exact_alloc(n, 0, false, &from);
	p = hd_real_allocator.malloc(n);
	hd_sampled_alloc(p, n, &from);
	return p;
}

void *malloc(size_t n)
{
	return LIKELY(take(n)) ? hd_next_allocator.malloc(n) : slow_malloc(n);
}

static COLD void *slow_calloc(size_t n, size_t size)
{
	struct hd_regs from = HD_HERE();
	void *p;

	hd_tls.left += (uint64_t)n * size + 1;
	if (counts_all())
		return hd_exact_alloc(n * size, 0, true, &from);
	p = hd_real_allocator.calloc(n, size);
	hd_sampled_alloc(p, n * size, &from);
	return p;
}

void *calloc(size_t n, size_t size)
{
	size_t all;

	if (UNLIKELY(__builtin_mul_overflow(n, size, &all)))
		return hd_real_allocator.calloc(n, size);
	return LIKELY(take(all)) ? hd_next_allocator.calloc(n, size) : slow_calloc(n, size);
}

/* The common part of realloc() and reallocarray(): p can be any block, or NULL. */
static void *resize(void *p, size_t n, const struct hd_regs *from)
{
	void *q;

	if (UNLIKELY(hd_is_boot(p))) {
		q = malloc(n);
		if (q)
			memcpy(q, p, hd_boot_size(p) < n ? hd_boot_size(p) : n);
		return q;
	}
	if (counts_all())
		return p ? hd_exact_realloc(p, n, from) : hd_exact_alloc(n, 0, false, from);
	/*
	 * Count the old block as freed before realloc(): once the block has moved, another thread may get its address.
	 * If realloc() fails, the block stays allocated but is no longer a sample.
	 */
	if (p && hd_sampled_filter[hd_sampled_filter_slot(p)])
		hd_sampled_free(p, false);
	q = hd_real_allocator.realloc(p, n);
	if (!is_left(n))
		hd_sampled_alloc(n ? q : NULL, n, from);
	return q;
}

void *realloc(void *p, size_t n)
{
	struct hd_regs from = HD_HERE();

	return resize(p, n, &from);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	struct hd_regs from = HD_HERE();
	size_t all;

	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return resize(p, all, &from);
}

void *memalign(size_t align, size_t n)
{
	struct hd_regs from = HD_HERE();
	void *p;

	if (counts_all())
		return hd_exact_alloc(n, align ? align : 1, false, &from);
	p = hd_real_allocator.memalign(align, n);
	if (!is_left(n))
		hd_sampled_alloc(p, n, &from);
	return p;
}

void *aligned_alloc(size_t align, size_t n)
{
	struct hd_regs from = HD_HERE();
	void *p;

	/* Invalid alignments are left to the allocator, which rejects them. */
	if (counts_all() && align && !(align & (align - 1)))
		return hd_exact_alloc(n, align, false, &from);
	p = hd_real_allocator.aligned_alloc(align, n);
	if (!is_exact() && !is_left(n))
		hd_sampled_alloc(p, n, &from);
	return p;
}

int posix_memalign(void **out, size_t align, size_t n)
{
	struct hd_regs from = HD_HERE();
	int errno_was = errno, rc;
	void *p;

	if (counts_all() && align && !(align & (align - 1)) && align % sizeof(void *) == 0) {
		p = hd_exact_alloc(n, align, false, &from);
		errno = errno_was;
		if (!p)
			return ENOMEM;
		*out = p;
		return 0;
	}
	rc = hd_real_allocator.posix_memalign(out, align, n);
	if (!is_exact() && !rc && !is_left(n))
		hd_sampled_alloc(*out, n, &from);
	return rc;
}

void *valloc(size_t n)
{
	struct hd_regs from = HD_HERE();
	void *p;

	if (counts_all())
		return hd_exact_alloc(n, hd_recorder.page_size, false, &from);
	p = hd_real_allocator.valloc(n);
	if (!is_left(n))
		hd_sampled_alloc(p, n, &from);
	return p;
}

void *pvalloc(size_t n)
{
	struct hd_regs from = HD_HERE();
	size_t page = hd_recorder.page_size ? hd_recorder.page_size : 4096, all;
	void *p;

	if (counts_all() && n <= SIZE_MAX - page)
		return hd_exact_alloc((n + page - 1) / page * page, page, false, &from);
	/* pvalloc() rounds the size up to whole pages, and the program may use all of them. */
	all = n <= SIZE_MAX - page ? (n + page - 1) / page * page : n;
	p = hd_real_allocator.pvalloc(n);
	if (!is_exact() && !is_left(all))
		hd_sampled_alloc(p, all, &from);
	return p;
}

/*
 * Free a block that may be a sample according to the filter.  NULL and the blocks of hd_boot (allocated before the real
 * allocator was found) are always in the filter; nothing is done for them.
 */
static COLD void slow_free(void *p)
{
	if (UNLIKELY(!p || hd_is_boot(p)))
		return;
	if (!is_exact())
		hd_sampled_free(p, true);
	hd_next_allocator.free(p);
}

void free(void *p)
{
	if (UNLIKELY(hd_sampled_filter[hd_sampled_filter_slot(p)]))
		slow_free(p);
	else
		hd_next_allocator.free(p);
}

size_t malloc_usable_size(void *p)
{
	if (!p)
		return 0;
	if (hd_is_boot(p))
		return hd_boot_size(p);
	return is_exact() ? hd_exact_usable(p) : hd_real_allocator.usable(p);
}

/* glibc also exports strdup() and strndup() under these names. */
char *__strdup(const char *s);
char *__strndup(const char *s, size_t n);

char *strdup(const char *s)
{
	return __strdup(s);
}

char *strndup(const char *s, size_t n)
{
	return __strndup(s, n);
}

int dlclose(void *handle)
{
	int rc = hd_real_allocator.dlclose(handle);

	atomic_fetch_add(&hd_recorder.map_epoch, 1);
	return rc;
}
