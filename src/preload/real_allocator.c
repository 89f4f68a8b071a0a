/*
 * real_allocator.c - see real_allocator.h
 *
 * At first, each entry of hd_real_allocator points to a function that looks up all entries.  The lookup itself may
 * allocate.  It then gets blocks of hd_boot, which are never freed.
 */
#include "preload/counted_blocks.h"
#include "preload/real_allocator.h"
#include "preload/thread_state.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

char hd_boot[HD_BOOT_BYTES] __attribute__((aligned(16)));

static _Atomic size_t boot_used;
static bool finding;

/* Allocate n bytes of hd_boot.  The size of each block is stored before it.  Returns NULL if hd_boot has no room. */
static void *boot_alloc(size_t n, size_t align)
{
	size_t at, end, used = atomic_load(&boot_used);

	do {
		at = ((uintptr_t)hd_boot + used + 16 + align - 1) / align * align - (uintptr_t)hd_boot;
		end = (at + n + 15) & ~(size_t)15;
		if (n > HD_BOOT_BYTES || align > HD_BOOT_BYTES / 4 || end > HD_BOOT_BYTES) {
			errno = ENOMEM;
			return NULL;
		}
	} while (!atomic_compare_exchange_weak(&boot_used, &used, end));
	memcpy(hd_boot + at - 8, &n, 8);
	hd_sampled_filter[hd_sampled_filter_slot(hd_boot + at)] = UINT8_MAX;
	return hd_boot + at;
}

void hd_boot_mark(void)
{
	hd_sampled_filter[hd_sampled_filter_slot(NULL)] = UINT8_MAX;
	for (size_t at = 0; at < atomic_load(&boot_used); at += 16)
		hd_sampled_filter[hd_sampled_filter_slot(hd_boot + at)] = UINT8_MAX;
}

size_t hd_boot_size(const void *p)
{
	size_t n;

	memcpy(&n, (const char *)p - 8, 8);
	return n;
}

static void *find_malloc(size_t n)
{
	if (finding)
		return boot_alloc(n, 16);
	hd_real_allocator_find();
	return hd_real_allocator.malloc(n);
}

static void *find_calloc(size_t n, size_t size)
{
	size_t all;

	if (finding)
		return __builtin_mul_overflow(n, size, &all) ? NULL : boot_alloc(all, 16);	/* hd_boot is zeroed */
	hd_real_allocator_find();
	return hd_real_allocator.calloc(n, size);
}

static void *find_realloc(void *p, size_t n)
{
	if (finding)
		return p ? NULL : boot_alloc(n, 16);
	hd_real_allocator_find();
	return hd_real_allocator.realloc(p, n);
}

static void *find_memalign(size_t align, size_t n)
{
	if (finding)
		return boot_alloc(n, align ? align : 16);
	hd_real_allocator_find();
	return hd_real_allocator.memalign(align, n);
}

static void *find_aligned_alloc(size_t align, size_t n)
{
	if (finding)
		return boot_alloc(n, align ? align : 16);
	hd_real_allocator_find();
	return hd_real_allocator.aligned_alloc(align, n);
}

static int find_posix_memalign(void **p, size_t align, size_t n)
{
	if (finding)
		return (*p = boot_alloc(n, align ? align : 16)) ? 0 : ENOMEM;
	hd_real_allocator_find();
	return hd_real_allocator.posix_memalign(p, align, n);
}

/* Round a size up to whole pages.  A size that is too large stays as it is, so that the allocator refuses it. */
static size_t whole_pages(size_t n)
{
	return n <= SIZE_MAX - 4095 ? (n + 4095) & ~(size_t)4095 : n;
}

static void *find_valloc(size_t n)
{
	return find_memalign(4096, n);
}

static void *find_pvalloc(size_t n)
{
	return find_memalign(4096, whole_pages(n));
}

static void find_free(void *p)
{
	if (finding || !p)
		return;
	hd_real_allocator_find();
	hd_real_allocator.free(p);
}

static size_t find_usable(void *p)
{
	if (finding)
		return 0;
	hd_real_allocator_find();
	return hd_real_allocator.usable(p);
}

static int find_dlclose(void *handle)
{
	hd_real_allocator_find();
	return hd_real_allocator.dlclose(handle);
}

static void *find_mmap(void *addr, size_t n, int prot, int flags, int fd, off_t off)
{
	if (!finding)
		hd_real_allocator_find();
	return finding ? (void *)syscall(SYS_mmap, addr, n, (long)prot, (long)flags, (long)fd, off)
		       : hd_real_allocator.mmap(addr, n, prot, flags, fd, off);
}

static int find_munmap(void *addr, size_t n)
{
	if (!finding)
		hd_real_allocator_find();
	return finding ? (int)syscall(SYS_munmap, addr, n) : hd_real_allocator.munmap(addr, n);
}

static void *find_mremap(void *addr, size_t was, size_t n, int flags, ...)
{
	void *to;
	va_list ap;

	va_start(ap, flags);
	to = flags & MREMAP_FIXED ? va_arg(ap, void *) : NULL;
	va_end(ap);
	if (!finding)
		hd_real_allocator_find();
	return finding ? (void *)syscall(SYS_mremap, addr, was, n, (long)flags, to)
		       : hd_real_allocator.mremap(addr, was, n, flags, to);
}

struct hd_real_allocator hd_real_allocator = {
	find_malloc, find_calloc, find_realloc, find_memalign, find_aligned_alloc, find_posix_memalign, find_valloc,
	find_pvalloc,
	find_free, find_usable, find_dlclose, find_mmap, find_munmap, find_mremap,
};

struct hd_next_allocator hd_next_allocator = { find_malloc, find_calloc, find_free };

/* Substitutes for functions that an allocator lacks. */
static int made_posix_memalign(void **p, size_t align, size_t n)
{
	void *q;

	if (!align || (align & (align - 1)) || align % sizeof(void *))
		return EINVAL;
	q = hd_real_allocator.memalign(align, n);
	if (!q)
		return ENOMEM;
	*p = q;
	return 0;
}

static void *made_valloc(size_t n)
{
	return hd_real_allocator.memalign(4096, n);
}

static void *made_pvalloc(size_t n)
{
	return hd_real_allocator.memalign(4096, whole_pages(n));
}

static size_t made_usable(void *p)
{
	(void)p;
	return 0;
}

static void *sym(const char *name, void *otherwise)
{
	void *p = dlsym(RTLD_NEXT, name);

	return p ? p : otherwise;
}

static bool is_one_object(void *a, void *b)
{
	struct dl_find_object oa, ob;

	return a && b && _dl_find_object(a, &oa) == 0 && _dl_find_object(b, &ob) == 0 &&
		oa.dlfo_link_map == ob.dlfo_link_map;
}

#ifdef __x86_64__
static size_t size_before(const void *p)
{
	size_t v;

	memcpy(&v, (const char *)p - sizeof(v), sizeof(v));
	return v;
}
#endif

/*
 * Return true if the eight bytes before a block hold the size of its chunk, as glibc writes it: 8 more than is usable,
 * with flags in the low bits.
 *
 * This function tests a few blocks of the C library's own allocator.  It never calls another allocator, because that
 * one may still be starting.  For example, mimalloc 3 maps memory while it starts.  Our mmap() then begins the
 * recording.  Later mimalloc forgets all pages from which it returned blocks before its start was complete.
 */
bool hd_real_allocator_has_plain_sizes(void)
{
#ifdef __x86_64__
	static const size_t sizes[] = { 40, 1, 200, 5000, 24 };
	bool same = true;

	if (!is_one_object((void *)gnu_get_libc_version, *(void **)&hd_real_allocator.malloc) ||
	    !is_one_object((void *)gnu_get_libc_version, *(void **)&hd_real_allocator.free))
		return false;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		void *p = hd_real_allocator.malloc(sizes[i]);

		if (!p)
			return false;
		same = same && !(size_before(p) & 2) &&
			(size_before(p) & ~(size_t)7) == hd_real_allocator.usable(p) + 8;
		hd_real_allocator.free(p);
	}
	return same;
#else
	return false;
#endif
}

/*
 * Return true if free(), realloc(), calloc(), memalign() and malloc_usable_size() are functions of the same allocator
 * as malloc().  If an allocator lacks one of the last two, dlsym() finds that of glibc, which does not know its blocks.
 * The recorder would then write a trailer outside of the block, or free() of the allocator would get a block of glibc.
 */
bool hd_real_allocator_is_whole(void)
{
	void *one = *(void **)&hd_real_allocator.malloc;

	return is_one_object(one, *(void **)&hd_real_allocator.free) &&
		is_one_object(one, *(void **)&hd_real_allocator.realloc) &&
		is_one_object(one, *(void **)&hd_real_allocator.calloc) &&
		is_one_object(one, *(void **)&hd_real_allocator.memalign) &&
		is_one_object(one, *(void **)&hd_real_allocator.usable);
}

bool hd_real_allocator_is_found(void)
{
	if (finding)
		return false;
	if (hd_real_allocator.malloc == find_malloc)
		hd_real_allocator_find();
	return true;
}

/* The first call comes before there are threads. */
COLD void hd_real_allocator_find(void)
{
	struct hd_real_allocator r;

	finding = true;
	__asm__ volatile("" ::: "memory");
	*(void **)&r.malloc = sym("malloc", NULL);
	*(void **)&r.calloc = sym("calloc", NULL);
	*(void **)&r.realloc = sym("realloc", NULL);
	*(void **)&r.free = sym("free", NULL);
	*(void **)&r.aligned_alloc = sym("aligned_alloc", NULL);
	*(void **)&r.memalign = sym("memalign", (void *)r.aligned_alloc);
	*(void **)&r.posix_memalign = sym("posix_memalign", (void *)made_posix_memalign);
	*(void **)&r.valloc = sym("valloc", (void *)made_valloc);
	*(void **)&r.pvalloc = sym("pvalloc", (void *)made_pvalloc);
	*(void **)&r.usable = sym("malloc_usable_size", (void *)made_usable);
	*(void **)&r.dlclose = sym("dlclose", NULL);
	*(void **)&r.mmap = sym("mmap", NULL);
	*(void **)&r.munmap = sym("munmap", NULL);
	*(void **)&r.mremap = sym("mremap", NULL);
	/*
	 * If dlsym() does not find a name, it allocates an error message.  Look up the name before hd_real_allocator
	 * changes, so that the message is in hd_boot.  The real allocator cannot be called yet, because it may still be
	 * starting.
	 */
	hd_recorder.own_new = !is_one_object((void *)gnu_get_libc_version, *(void **)&r.malloc) &&
			     is_one_object(sym("_Znwm", NULL), *(void **)&r.malloc);
	hd_real_allocator = r;
	if (hd_recorder.own_new && hd_recorder.header)
		hd_recorder.header->flags |= HD_HEAP_OWN_NEW;
	if (hd_recorder.mode != HD_HEAP_MODE_EXACT)
		hd_next_allocator = (struct hd_next_allocator){ r.malloc, r.calloc, r.free };
	__asm__ volatile("" ::: "memory");
	finding = false;
	/*
	 * The lookup may have allocated memory before the recording could begin.  Set the countdown to the next sample
	 * to 0, so that the next allocation tries again to begin the recording.
	 */
	if (!hd_tls.drawn)
		hd_tls.left = 0;
}
