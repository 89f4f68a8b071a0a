/*
 * mmap_hooks.c - mmap(), munmap() and mremap() of the program, counted if HOTDRIFT_HEAP_MMAP=1
 *
 *     mappings     [ a ]    [ b   ]               the recorded mappings, sorted by address
 *     munmap             [ ...  ]                 b starts later now, and its unmapped bytes are counted as freed; the
 *                                                 block b is counted as freed when its last piece is unmapped
 *
 * A mapping counts as a block of whole pages.  On x86-64 its innermost frame is mmap() or mremap() itself, which
 * distinguishes it from blocks of malloc().  Mappings are few and large, so each one is counted in sampled recordings,
 * too.
 *
 * Mappings by malloc(), the dynamic linker and pthread_create() do not pass through here.
 */
#include "preload/counted_blocks.h"
#include "preload/counters.h"
#include "preload/real_allocator.h"
#include "preload/stack_cache.h"

#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

EXPORT void *mmap(void *addr, size_t n, int prot, int flags, int fd, off_t off);
EXPORT void *mmap64(void *addr, size_t n, int prot, int flags, int fd, off_t off)
	__attribute__((alias("mmap"))); /* off_t has 64 bits */
EXPORT int munmap(void *addr, size_t n);
EXPORT void *mremap(void *addr, size_t was, size_t n, int flags, ...);

/*
 * A recorded mapping, or a piece of one.  munmap() of its middle leaves two pieces, which have the same `number`.
 * node: the stack of the mmap() call, as the id of its innermost node.
 */
struct map { uintptr_t lo, hi; uint32_t node, number; };

static struct map *maps;
static size_t nmaps, room;
static uint32_t numbers;

void hd_maps_begin(void)
{
	maps = NULL;
	nmaps = room = 0;
}

/*
 * Insert m into the sorted array of recorded mappings at index i.  The caller holds the lock.  Returns false if there
 * is no room.
 */
static bool insert(size_t i, struct map m)
{
	if (nmaps == room) {
		size_t more = room ? 2 * room : 1024;
		struct map *v = hd_recorder_mem_take(more * sizeof(*v));

		if (!v)
			return false;
		if (nmaps)
			memcpy(v, maps, nmaps * sizeof(*v));
		maps = v;
		room = more;
	}
	memmove(&maps[i + 1], &maps[i], (nmaps - i) * sizeof(*maps));
	maps[i] = m;
	nmaps++;
	return true;
}

/* Return the index of the first recorded mapping whose end is above an address. */
static size_t first_after(uintptr_t at)
{
	size_t lo = 0, hi = nmaps;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (maps[mid].hi <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool has_piece(uint32_t number)
{
	for (size_t i = 0; i < nmaps; i++)
		if (maps[i].number == number)
			return true;
	return false;
}

struct gone { uint32_t node; size_t bytes; bool all; };

/*
 * Find the lowest recorded mapping with a number of at most `last` that overlaps [lo, hi), and remove the overlapping
 * part of it.  *g describes the removed part.  Takes the lock.  Returns false if there is no such mapping.
 */
static bool cut(uintptr_t lo, uintptr_t hi, uint32_t last, struct gone *g)
{
	struct map *m, was;
	size_t i;

	hd_recorder_lock();
	for (i = first_after(lo); i < nmaps && maps[i].number > last; i++)
		;
	m = &maps[i];
	if (i == nmaps || m->lo >= hi) {
		hd_recorder_unlock();
		return false;
	}
	was = *m;
	if (was.lo < lo && was.hi > hi) {
		/* If there is no room to record the remaining upper part of the mapping, that part is dropped, too. */
		if (!insert(i + 1, (struct map){ hi, was.hi, was.node, was.number }))
			hi = was.hi;
		maps[i].hi = lo;
	} else if (was.lo < lo) {
		m->hi = lo;
	} else if (was.hi > hi) {
		m->lo = hi;
	} else {
		memmove(m, m + 1, (nmaps - i - 1) * sizeof(*m));
		nmaps--;
	}
	lo = was.lo > lo ? was.lo : lo;
	hi = was.hi < hi ? was.hi : hi;
	*g = (struct gone){ was.node, hi - lo, !has_piece(was.number) };
	hd_recorder_unlock();
	return true;
}

static struct hd_block_weight weight(bool sampled, uint64_t n, size_t bytes)
{
	uint64_t blocks = sampled ? n << HD_HEAP_SHIFT : n;

	return (struct hd_block_weight){ .n = blocks,
		.bytes = bytes,
		.seen = n,
		.half_n = blocks,
		.half_bytes = bytes,
		.halves = 3 };
}

static void unmapped(struct hd_thread *t, void *addr, size_t n, uint32_t last)
{
	bool sampled = hd_recorder.mode == HD_HEAP_MODE_SAMPLED;
	struct hd_heap_counter *c;
	struct gone g;

	while (cut((uintptr_t)addr, (uintptr_t)addr + n, last, &g))
		if ((c = hd_counter(t, g.node)) != NULL)
			hd_counter_free(t, c, weight(sampled, g.all, g.bytes), false, sampled, __libc_single_threaded);
}

static void mapped(struct hd_thread *t, void *addr, size_t n, const struct hd_regs *from)
{
	bool sampled = hd_recorder.mode == HD_HEAP_MODE_SAMPLED, kept;
	struct hd_heap_counter *c;

	unmapped(t, addr, n, UINT32_MAX);	/* the previous mappings there (MAP_FIXED) */
	c = hd_stack_counter(t, from);
	if (!c)
		return;
	hd_recorder_lock();
	kept = insert(first_after((uintptr_t)addr),
		(struct map){ (uintptr_t)addr, (uintptr_t)addr + n, c->node,
			__atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED) });
	hd_recorder_unlock();
	if (kept)
		hd_counter_alloc(t, c, weight(sampled, 1, n), sampled, __libc_single_threaded);
	else
		__atomic_fetch_add(&hd_recorder.header->lost, 1, __ATOMIC_RELAXED);
}

static size_t whole_pages(size_t n)
{
	return (n + hd_recorder.page_size - 1) / hd_recorder.page_size * hd_recorder.page_size;
}

/* Returns NULL if the call is not counted. */
static struct hd_thread *enter(void)
{
	struct hd_thread *t;

	if (hd_recorder.mode == HD_HEAP_MODE_UNSET && hd_enter())
		hd_leave();
	if (LIKELY(!hd_recorder.count_maps))
		return NULL;
	t = hd_enter();
	return t;
}

/*
 * Change the registers of a call to an exported function of this library, so that the stack looks as if the program had
 * called the function of the C library.  That function then becomes the innermost frame.  On x86-64, a call puts the
 * return address right below the program's stack pointer.  On other architectures, the registers are returned
 * unchanged.
 */
static struct hd_regs called(void *function, struct hd_regs from)
{
#ifdef __x86_64__
	from.pc = (uintptr_t)function;
	from.sp -= 8;
	from.exact = true;
#else
	(void)function;
#endif
	return from;
}

void *mmap(void *addr, size_t n, int prot, int flags, int fd, off_t off)
{
	struct hd_regs from = called(*(void **)&hd_real_allocator.mmap, HD_HERE());
	void *p = hd_real_allocator.mmap(addr, n, prot, flags, fd, off);
	struct hd_thread *t;

	if (p != MAP_FAILED && (t = enter()) != NULL) {
		mapped(t, p, whole_pages(n), &from);
		hd_leave();
	}
	return p;
}

/* Remove the mapping from the recorder before it is unmapped: after that, another thread may get the same addresses. */
int munmap(void *addr, size_t n)
{
	struct hd_thread *t = (uintptr_t)addr % 4096 == 0 && n && n <= PTRDIFF_MAX ? enter() : NULL;

	if (t) {
		unmapped(t, addr, whole_pages(n), UINT32_MAX);
		hd_leave();
	}
	return hd_real_allocator.munmap(addr, n);
}

/*
 * The call may fail, so the old mapping is removed from the recorder after it.  Another thread may have got the same
 * addresses by then; its mapping has a number above `last`.
 */
void *mremap(void *addr, size_t was, size_t n, int flags, ...)
{
	struct hd_regs from = called(*(void **)&hd_real_allocator.mremap, HD_HERE());
	uint32_t last = __atomic_load_n(&numbers, __ATOMIC_RELAXED);
	struct hd_thread *t;
	void *to, *p;
	va_list ap;

	va_start(ap, flags);
	to = flags & MREMAP_FIXED ? va_arg(ap, void *) : NULL;
	va_end(ap);
	p = hd_real_allocator.mremap(addr, was, n, flags, to);
	if (p != MAP_FAILED && (t = enter()) != NULL) {
		if (was)
			unmapped(t, addr, whole_pages(was), last);
		mapped(t, p, whole_pages(n), &from);
		hd_leave();
	}
	return p;
}
