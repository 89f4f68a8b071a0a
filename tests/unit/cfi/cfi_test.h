/*
 * cfi_test.h - write sections with call frame information, and open them with an allocator that can be made to fail
 *
 *     struct image im = { .vaddr = 0x8000 };
 *     cie(&im, "", 16, BYTES(0x0c, 7, 8,  0x90, 1));		def_cfa rsp+8; offset rip cfa-8
 *     fde(&im, 0x1000, 0x20, BYTES(0x41,  0x0e, 16));		advance 1; def_cfa_offset 16
 *     open_over(&o, &im);					o.c, o.rc, o.stats
 *     release(&o);
 */
#ifndef HD_TEST_CFI_H
#define HD_TEST_CFI_H

#include "test.h"

#include "cfi/cfi.h"

#include <stdlib.h>
#include <string.h>

#define BYTES(...)	(const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })
#define NOTHING		(const uint8_t *)"", (size_t)0
#define unused_ok	__attribute__((unused))

/* The allocated blocks, which are freed together; `left` is the number of allocations that still succeed. */
struct heap {
	void **taken;
	size_t n, bytes, left;
};

unused_ok static void *heap_take(void *ctx, size_t bytes)
{
	struct heap *h = ctx;
	void **grown;

	if (!h->left)
		return NULL;
	h->left--;
	grown = realloc(h->taken, (h->n + 1) * sizeof(*h->taken));
	if (!grown)
		return NULL;
	h->taken = grown;
	h->taken[h->n] = calloc(1, bytes);
	h->bytes += bytes;
	return h->taken[h->n++];
}

unused_ok static void heap_release(struct heap *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->taken[i]);
	free(h->taken);
	*h = (struct heap){ 0 };
}

/* A section that is being built: .eh_frame, or .debug_frame if debug_frame is set. */
struct image {
	uint8_t b[70000];
	size_t n;
	size_t cie;			/* offset of the last CIE */
	uint64_t vaddr;
	enum hd_cfi_machine machine;
	bool debug_frame, big, long_form;
};

unused_ok static void put(struct image *im, unsigned int width, uint64_t v)
{
	EXPECT(im->n + width <= sizeof(im->b));
	for (unsigned int i = 0; i < width; i++)
		im->b[im->n++] = (uint8_t)(v >> 8 * (im->big ? width - 1 - i : i));
}

unused_ok static void put_bytes(struct image *im, const void *bytes, size_t n)
{
	EXPECT(im->n + n <= sizeof(im->b));
	memcpy(im->b + im->n, bytes, n);
	im->n += n;
}

/* Start a CIE or FDE and return its offset; end_entry() writes its length. */
unused_ok static size_t start_entry(struct image *im)
{
	if (im->long_form)
		put(im, 4, UINT32_MAX);
	put(im, im->long_form ? 8 : 4, 0);
	return im->n;
}

unused_ok static void end_entry(struct image *im, size_t start)
{
	unsigned int width = im->long_form ? 8 : 4;
	size_t end = im->n;

	im->n = start - width;
	put(im, width, end - start);
	im->n = end;
}

unused_ok static unsigned int word_of(const struct image *im)
{
	return hd_cfi_abi(im->machine)->word;
}

unused_ok static unsigned int id_of(const struct image *im)
{
	return im->debug_frame && im->long_form ? 8 : 4;
}

/*
 * Append a CIE of version 1.  The data alignment is minus one word; the code alignment is 1, on AArch64 4.  With 'z',
 * the augmentation data is empty.
 */
unused_ok static void cie(struct image *im, const char *augmentation, uint8_t ra, const uint8_t *insns, size_t n)
{
	size_t start;

	im->cie = im->n;
	start = start_entry(im);
	put(im, id_of(im), im->debug_frame ? UINT64_MAX : 0);
	put(im, 1, 1);
	put_bytes(im, augmentation, strlen(augmentation) + 1);
	put(im, 1, im->machine == HD_CFI_AARCH64 ? 4 : 1);
	put(im, 1, word_of(im) == 8 ? 0x78 : 0x7c);		/* -8, -4 as SLEB128 */
	put(im, 1, ra);
	if (augmentation[0] == 'z')
		put(im, 1, 0);
	put_bytes(im, insns, n);
	end_entry(im, start);
}

/* Append an FDE with absolute addresses for the CIE at offset `of`. */
unused_ok static void fde_of(struct image *im, size_t of, bool z, uint64_t lo, uint64_t size, const uint8_t *insns,
	size_t n)
{
	size_t start = start_entry(im);

	put(im, id_of(im), im->debug_frame ? of : im->n - of);
	put(im, word_of(im), lo);
	put(im, word_of(im), size);
	if (z)
		put(im, 1, 0);
	put_bytes(im, insns, n);
	end_entry(im, start);
}

/* Append an FDE for the last CIE, whose augmentation must be "". */
unused_ok static void fde(struct image *im, uint64_t lo, uint64_t size, const uint8_t *insns, size_t n)
{
	fde_of(im, im->cie, false, lo, size, insns, n);
}

/* Append the usual CIE of x86-64: the CFA is rsp+8, the return address is at CFA-8. */
unused_ok static void x86_cie(struct image *im)
{
	cie(im, "", 16, BYTES(0x0c, 7, 8,  0x90, 1));
}

struct opened {
	struct hd_cfi *c;
	struct hd_cfi_stats stats;
	int rc;
	struct heap heap;
};

unused_ok static void open_in(struct opened *o, const struct hd_cfi_sections *in)
{
	struct hd_cfi_allocator mem = { heap_take, &o->heap };

	*o = (struct opened){ .heap.left = SIZE_MAX };
	o->rc = hd_cfi_open(&o->c, in, &mem, &o->stats);
}

unused_ok static struct hd_cfi_sections in_of(const struct image *im)
{
	struct hd_cfi_sections in = { .machine = im->machine };

	in.swap = im->big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	*(im->debug_frame ? &in.debug_frame : &in.eh_frame) = (struct hd_cfi_section){ im->b, im->n, im->vaddr };
	return in;
}

/* Open a copy of exactly the size of the image, so that a sanitizer detects reads past the end. */
unused_ok static void open_over(struct opened *o, const struct image *im)
{
	struct hd_cfi_sections in = in_of(im);
	struct hd_cfi_section *sec = im->debug_frame ? &in.debug_frame : &in.eh_frame;
	struct hd_cfi_allocator mem = { heap_take, &o->heap };
	uint8_t *copy;

	*o = (struct opened){ .heap.left = SIZE_MAX };
	copy = heap_take(&o->heap, im->n);
	memcpy(copy, im->b, im->n);
	sec->bytes = copy;
	o->rc = hd_cfi_open(&o->c, &in, &mem, &o->stats);
}

unused_ok static void release(struct opened *o)
{
	heap_release(&o->heap);
}

/* Return the row of an address; the test fails if no function covers it. */
unused_ok static const struct hd_cfi_row *row_at(struct opened *o, uint64_t vaddr)
{
	const struct hd_cfi_fn *fn = hd_cfi_function(o->c, vaddr);

	EXPECT(fn != NULL);
	return hd_cfi_row(fn, vaddr);
}

#endif
