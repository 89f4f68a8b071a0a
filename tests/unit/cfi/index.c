/* index.c - find the function of an address by .eh_frame_hdr, by a scan of .eh_frame, or in .debug_frame */
#include "cfi_test.h"

#include <pthread.h>
#include <stdatomic.h>

/*
 * Make four functions of 0x20 bytes, each with its own CFA: 0x1000 (rsp+8), 0x2000 (rsp+16), 0x3000 (rsp+24), 0x4000
 * (rsp+32).  fdes receives the offsets of their FDEs.
 */
static void four(struct image *im, size_t fdes[4])
{
	*im = (struct image){ .vaddr = 0x8000 };
	x86_cie(im);
	for (unsigned int i = 0; i < 4; i++) {
		fdes[i] = im->n;
		fde(im, 0x1000 * (i + 1), 0x20, BYTES(0x0e, (uint8_t)(8 * (i + 1))));
	}
}

static void put_hdr(struct image *hdr, uint8_t enc, uint32_t count)
{
	*hdr = (struct image){ .vaddr = 0x7000 };
	put_bytes(hdr, BYTES(1, 0x1b, 0x03, enc));	/* pointer: pcrel sdata4; count: udata4 */
	put(hdr, 4, 0x8000 - 0x7004);
	put(hdr, 4, count);
}

/*
 * Write .eh_frame_hdr with the usual table (datarel, sdata4) of n pairs: the start of a function, and the offset of
 * its FDE.
 */
static void pairs(struct image *hdr, const uint64_t lo[], const size_t fdes[], unsigned int n)
{
	put_hdr(hdr, 0x3b, n);
	for (unsigned int i = 0; i < n; i++) {
		put(hdr, 4, lo[i] - 0x7000);
		put(hdr, 4, 0x8000 + fdes[i] - 0x7000);
	}
}

static void open_both(struct opened *o, const struct image *im, const struct image *hdr)
{
	struct hd_cfi_sections in = in_of(im);

	in.eh_frame_hdr = (struct hd_cfi_section){ hdr->b, hdr->n, hdr->vaddr };
	open_in(o, &in);
}

static const uint64_t starts[] = { 0x1000, 0x2000, 0x3000, 0x4000 };

static void expect_four(struct opened *o)
{
	EXPECT_INT(o->rc, 1);
	EXPECT_INT(o->stats.functions, 4);
	for (unsigned int i = 0; i < 4; i++) {
		EXPECT_INT(row_at(o, starts[i])->cfa_off, 8 * (i + 1));
		EXPECT_INT(row_at(o, starts[i] + 0x1f)->cfa_off, 8 * (i + 1));
		EXPECT(!hd_cfi_function(o->c, starts[i] - 1));
		EXPECT(!hd_cfi_function(o->c, starts[i] + 0x20));
	}
	EXPECT(!hd_cfi_function(o->c, 0));
	EXPECT(!hd_cfi_function(o->c, UINT64_MAX));
}

TEST(the_table_of_eh_frame_hdr_is_searched)
{
	struct image im, hdr;
	struct opened o;
	size_t fdes[4];

	four(&im, fdes);
	pairs(&hdr, starts, fdes, 4);
	open_both(&o, &im, &hdr);
	EXPECT(o.stats.by_hdr && !o.stats.damage);
	expect_four(&o);
	release(&o);
}

TEST(a_table_may_have_other_encodings)
{
	static const struct { uint8_t enc, width; uint64_t base; } forms[] = {
		{ 0x00, 8, 0 }, { 0x04, 8, 0 }, { 0x03, 4, 0 }, { 0x02, 2, 0 }, { 0x3c, 8, 0x7000 },
		{ 0x3a, 2, 0x7000 },
	};
	struct image im, hdr;
	struct opened o;
	size_t fdes[4];

	four(&im, fdes);
	for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
		put_hdr(&hdr, forms[f].enc, 4);
		for (unsigned int i = 0; i < 4; i++) {
			put(&hdr, forms[f].width, starts[i] - forms[f].base);
			put(&hdr, forms[f].width, 0x8000 + fdes[i] - forms[f].base);
		}
		open_both(&o, &im, &hdr);
		EXPECT(o.stats.by_hdr);
		expect_four(&o);
		release(&o);
	}
	put_hdr(&hdr, 0x1b, 4);		/* pcrel */
	for (unsigned int i = 0; i < 4; i++) {
		put(&hdr, 4, starts[i] - (0x7000 + hdr.n));
		put(&hdr, 4, 0x8000 + fdes[i] - (0x7000 + hdr.n));
	}
	open_both(&o, &im, &hdr);
	EXPECT(o.stats.by_hdr);
	expect_four(&o);
	release(&o);
}

/*
 * Expect that the table is rejected for this reason (NULL: it is missing), and that a scan of .eh_frame finds all four
 * functions.
 */
static void expect_scan(const struct image *im, const struct image *hdr, const char *why)
{
	struct opened o;

	open_both(&o, im, hdr);
	EXPECT(!o.stats.by_hdr);
	if (why)
		EXPECT_STR(o.stats.damage, why);
	else
		EXPECT(!o.stats.damage);
	expect_four(&o);
	release(&o);
}

TEST(a_table_that_cannot_be_used_makes_a_scan)
{
	static const uint64_t unsorted[] = { 0x1000, 0x3000, 0x2000, 0x4000 };
	struct image im, hdr;
	size_t fdes[4], wrong[4];

	four(&im, fdes);
	pairs(&hdr, unsorted, fdes, 4);
	expect_scan(&im, &hdr, ".eh_frame_hdr: the table is not sorted");
	pairs(&hdr, starts, fdes, 4);
	hdr.b[8] = 5;
	expect_scan(&im, &hdr, ".eh_frame_hdr: the table is larger than the section");
	memset(hdr.b + 8, 0xff, 4);
	expect_scan(&im, &hdr, ".eh_frame_hdr: the table is larger than the section");
	memcpy(wrong, fdes, sizeof(wrong));
	wrong[2] = im.n;
	pairs(&hdr, starts, wrong, 4);
	expect_scan(&im, &hdr, ".eh_frame_hdr: the table points outside of .eh_frame");
	wrong[2] = (size_t)-8;
	pairs(&hdr, starts, wrong, 4);
	expect_scan(&im, &hdr, ".eh_frame_hdr: the table points outside of .eh_frame");
	pairs(&hdr, starts, fdes, 4);
	hdr.b[0] = 2;
	expect_scan(&im, &hdr, ".eh_frame_hdr: its form is not known");
	pairs(&hdr, starts, fdes, 4);
	hdr.b[3] = 0x01;		/* uleb128 cannot be searched */
	expect_scan(&im, &hdr, ".eh_frame_hdr: its form is not known");
	hdr.b[3] = 0xff;		/* 0xff means that the linker made no table */
	expect_scan(&im, &hdr, NULL);
	for (hdr.n = 1; hdr.n < 12; hdr.n++)
		expect_scan(&im, &hdr, hdr.n >= 4 ? NULL : ".eh_frame_hdr: its form is not known");
	pairs(&hdr, starts, fdes, 0);
	expect_scan(&im, &hdr, NULL);
}

TEST(pairs_that_share_an_entry_make_a_scan)
{
	static const uint64_t many[] = { 0x1000, 0x1001, 0x1002, 0x1003, 0x1004, 0x1005, 0x1006, 0x1007 };
	struct image im, hdr;
	size_t fdes[4];

	four(&im, fdes);
	pairs(&hdr, many, (const size_t[8]){ fdes[0], fdes[0], fdes[0], fdes[0], fdes[0], fdes[0], fdes[0], fdes[0] },
		8);
	expect_scan(&im, &hdr, ".eh_frame_hdr: entries of .eh_frame overlap");
}

TEST(a_pair_that_names_another_start_than_its_entry_is_not_believed)
{
	static const uint64_t wrong[] = { 0x1000, 0x2008, 0x3000, 0x4000 };
	struct image im, hdr;
	struct opened o;
	size_t fdes[4];

	four(&im, fdes);
	pairs(&hdr, wrong, fdes, 4);
	open_both(&o, &im, &hdr);
	EXPECT(o.stats.by_hdr);
	EXPECT(!hd_cfi_function(o.c, 0x2010));
	EXPECT_INT(row_at(&o, 0x3000)->cfa_off, 24);
	release(&o);
}

TEST(entries_in_any_order_are_sorted)
{
	struct image im = { .vaddr = 0x8000 };
	struct opened o;
	uint64_t at = 7;

	x86_cie(&im);
	for (unsigned int i = 0; i < 101; i++, at = at * 2 % 101)	/* `at` takes each value from 1 to 100 once */
		fde(&im, 0x1000 + 0x20 * (i ? at : 0), 0x20, BYTES(0x0e, (uint8_t)(i ? at : 0)));
	open_over(&o, &im);
	EXPECT_INT(o.stats.functions, 101);
	for (unsigned int i = 0; i < 101; i++)
		EXPECT_INT(row_at(&o, 0x1000 + 0x20 * i + 5)->cfa_off, i);
	release(&o);
}

TEST(of_overlapping_functions_the_one_that_starts_last_is_tried_first)
{
	struct image im = { .vaddr = 0x8000 };
	struct opened o;

	x86_cie(&im);
	fde(&im, 0x1000, 0x100, BYTES(0x0e, 16));
	fde(&im, 0x1010, 0x10, BYTES(0x0e, 24));
	fde(&im, 0x1018, 0x4, BYTES(0x0e, 32));
	open_over(&o, &im);
	EXPECT_INT(row_at(&o, 0x100f)->cfa_off, 16);
	EXPECT_INT(row_at(&o, 0x1010)->cfa_off, 24);
	EXPECT_INT(row_at(&o, 0x1018)->cfa_off, 32);
	EXPECT_INT(row_at(&o, 0x101c)->cfa_off, 24);
	EXPECT_INT(row_at(&o, 0x1020)->cfa_off, 16);
	EXPECT(!hd_cfi_function(o.c, 0x1100));
	release(&o);
}

TEST(of_functions_with_the_same_start_the_last_in_the_file_is_tried_first)
{
	struct image im = { .vaddr = 0x8000 };
	struct opened o;

	x86_cie(&im);
	for (uint64_t lo = 0x9000; lo; lo -= 0x1000)
		for (unsigned int i = 1; i <= 3; i++)
			fde(&im, lo, 0x10 * (4 - i), BYTES(0x0e, (uint8_t)(8 * i)));
	open_over(&o, &im);
	for (uint64_t lo = 0x9000; lo; lo -= 0x1000) {
		EXPECT_INT(row_at(&o, lo + 0x0f)->cfa_off, 24);
		EXPECT_INT(row_at(&o, lo + 0x1f)->cfa_off, 16);
		EXPECT_INT(row_at(&o, lo + 0x2f)->cfa_off, 8);
	}
	release(&o);
}

TEST(debug_frame_is_used_for_addresses_that_eh_frame_lacks)
{
	struct image eh = { .vaddr = 0x8000 }, debug = { .debug_frame = true };
	struct hd_cfi_sections in;
	struct opened o;

	x86_cie(&eh);
	fde(&eh, 0x1000, 0x20, BYTES(0x0e, 16));
	x86_cie(&debug);
	fde(&debug, 0x1000, 0x20, BYTES(0x0e, 24));
	fde(&debug, 0x2000, 0x20, BYTES(0x0e, 32));
	in = in_of(&eh);
	in.debug_frame = in_of(&debug).debug_frame;
	open_in(&o, &in);
	EXPECT_INT(o.stats.functions, 3);
	EXPECT_INT(row_at(&o, 0x1000)->cfa_off, 16);
	EXPECT_INT(row_at(&o, 0x2000)->cfa_off, 32);
	release(&o);
}

TEST(a_function_is_compiled_once_and_stays)
{
	struct image im, hdr;
	struct opened o;
	size_t fdes[4], taken;
	const struct hd_cfi_fn *fn;

	four(&im, fdes);
	pairs(&hdr, starts, fdes, 4);
	open_both(&o, &im, &hdr);
	fn = hd_cfi_function(o.c, 0x2000);
	taken = o.heap.n;
	EXPECT(hd_cfi_function(o.c, 0x201f) == fn);
	EXPECT_INT(o.heap.n, taken);
	EXPECT(hd_cfi_function(o.c, 0x3000) != fn);
	EXPECT_INT(o.heap.n, taken + 1);
	release(&o);
}

TEST(missing_memory_is_reported_by_each_lookup)
{
	struct image im;
	size_t fdes[4], left;
	int rc = -1;

	four(&im, fdes);
	for (left = 0; rc < 0; left++) {
		struct heap heap = { .left = left };
		struct hd_cfi_allocator mem = { heap_take, &heap };
		struct hd_cfi_sections in = in_of(&im);
		struct hd_cfi *c;

		rc = hd_cfi_open(&c, &in, &mem, NULL);
		EXPECT(rc == 1 || !c);
		if (rc == 1) {
			EXPECT(!hd_cfi_function(c, 0x1000));
			heap.left = 1;
			EXPECT(hd_cfi_function(c, 0x1000) != NULL);
			EXPECT(!hd_cfi_function(c, 0x2000));
		}
		heap_release(&heap);
	}
	EXPECT_INT(left - 1, 3);	/* hd_cfi_open() makes three allocations: struct hd_cfi, the index, the slots */
}

/* ---- threads ---- */

/* An allocator that looks up the same function once during an allocation, as another thread could. */
struct meddler { struct heap heap; struct hd_cfi *c; const struct hd_cfi_fn *theirs; };

static void *meddling_take(void *ctx, size_t bytes)
{
	struct meddler *m = ctx;
	struct hd_cfi *c = m->c;

	m->c = NULL;
	if (c)
		m->theirs = hd_cfi_function(c, 0x1000);
	return heap_take(&m->heap, bytes);
}

TEST(if_two_threads_compile_a_function_both_use_the_first_result)
{
	struct meddler m = { .heap.left = SIZE_MAX };
	struct hd_cfi_allocator mem = { meddling_take, &m };
	struct hd_cfi_sections in;
	struct image im;
	struct hd_cfi *c;
	size_t fdes[4];

	four(&im, fdes);
	in = in_of(&im);
	EXPECT_INT(hd_cfi_open(&c, &in, &mem, NULL), 1);
	m.c = c;
	EXPECT(hd_cfi_function(c, 0x1000) == m.theirs);
	EXPECT(m.theirs != NULL);
	EXPECT(hd_cfi_function(c, 0x1000) == m.theirs);
	heap_release(&m.heap);
}

enum { MANY = 200 };

struct pool { uint8_t bytes[1 << 20]; _Atomic size_t used; };

static void *pool_take(void *ctx, size_t bytes)
{
	struct pool *p = ctx;
	size_t at = atomic_fetch_add(&p->used, (bytes + 15) & ~(size_t)15);

	return at + bytes <= sizeof(p->bytes) ? p->bytes + at : NULL;
}

struct asker { pthread_t thread; struct hd_cfi *c; const struct hd_cfi_fn *fn[MANY]; };

static void *ask_all(void *arg)
{
	struct asker *a = arg;

	for (unsigned int i = 0; i < MANY; i++)
		a->fn[i] = hd_cfi_function(a->c, 0x1000 + 0x20 * i);
	return NULL;
}

TEST(threads_that_ask_at_once_are_answered_alike)
{
	static struct pool pool __attribute__((aligned(16)));
	static struct image im = { .vaddr = 0x8000 };
	static struct asker askers[4];
	struct hd_cfi_allocator mem = { pool_take, &pool };
	struct hd_cfi_sections in;
	struct hd_cfi *c;

	x86_cie(&im);
	for (unsigned int i = 0; i < MANY; i++)
		fde(&im, 0x1000 + 0x20 * i, 0x20, BYTES(0x41,  0x0e, 16,  0x41,  0x0e, 24));
	in = in_of(&im);
	EXPECT_INT(hd_cfi_open(&c, &in, &mem, NULL), 1);
	for (int t = 0; t < 4; t++) {
		askers[t].c = c;
		EXPECT(!pthread_create(&askers[t].thread, NULL, ask_all, &askers[t]));
	}
	for (int t = 0; t < 4; t++)
		pthread_join(askers[t].thread, NULL);
	for (unsigned int i = 0; i < MANY; i++) {
		EXPECT(askers[0].fn[i] && askers[0].fn[i]->nrows == 3);
		for (int t = 1; t < 4; t++)
			EXPECT(askers[t].fn[i] == askers[0].fn[i]);
	}
}

TEST_MAIN(RUN(the_table_of_eh_frame_hdr_is_searched), RUN(a_table_may_have_other_encodings),
	RUN(a_table_that_cannot_be_used_makes_a_scan), RUN(pairs_that_share_an_entry_make_a_scan),
	RUN(a_pair_that_names_another_start_than_its_entry_is_not_believed), RUN(entries_in_any_order_are_sorted),
	RUN(of_overlapping_functions_the_one_that_starts_last_is_tried_first),
	RUN(of_functions_with_the_same_start_the_last_in_the_file_is_tried_first),
	RUN(debug_frame_is_used_for_addresses_that_eh_frame_lacks), RUN(a_function_is_compiled_once_and_stays),
	RUN(missing_memory_is_reported_by_each_lookup),
	RUN(if_two_threads_compile_a_function_both_use_the_first_result),
	RUN(threads_that_ask_at_once_are_answered_alike))
