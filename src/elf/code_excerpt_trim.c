/*
 * code_excerpt_trim.c - remove the call frame information of unused functions: see code_excerpt.h
 *
 *     OFFSET  SIZE  MEANING of .eh_frame_hdr
 *     0       4     01 1b 03 3b: the version and the encodings of the fields below
 *     4       4     the address of .eh_frame, relative to this field
 *     8       4     number of entries, n
 *     12      8 n   start of a function and position of its FDE, both relative to .eh_frame_hdr; ascending
 *
 * An entry of .eh_frame starts with its length without these 4 bytes.  In an FDE, the distance to its CIE follows.
 */
#include "elf/code_excerpt.h"

#include "base/mem.h"
#include "elf/elf_file.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define SECTION_MAX (256ull << 20)
enum { HDR = 12, PAIR = 8 };

struct frames {
	const struct hd_elf_section *at, *hdr_at;
	uint8_t *old, *new;		/* content of .eh_frame before and after trimming */
	uint8_t *hdr_old, *hdr_new;
	size_t n, hdr_n;
};

static uint32_t get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return le32toh(v);
}

/* Copy the .eh_frame entry (CIE or FDE) at `off` to the new section.  Returns false if its length is invalid. */
static bool keep(struct frames *f, uint64_t off)
{
	uint64_t n;

	if (off > f->n || f->n - off < 8)
		return false;
	n = get32(f->old + off);
	if (n < 4 || n == UINT32_MAX || n > f->n - off - 4)
		return false;
	memcpy(f->new + off, f->old + off, n + 4);
	return true;
}

/* Copy the FDE of entry i of the search table and its CIE, and make it entry number `as` of the new table. */
static bool keep_pair(struct frames *f, uint32_t i, size_t as)
{
	const uint8_t *pair = f->hdr_old + HDR + (size_t)i * PAIR;
	uint64_t off = f->hdr_at->addr + (uint64_t)(int64_t)(int32_t)get32(pair + 4) - f->at->addr, back;

	if (!keep(f, off))
		return false;
	back = get32(f->old + off + 4);
	memcpy(f->hdr_new + HDR + as * PAIR, pair, PAIR);
	return back && back <= off + 4 && keep(f, off + 4 - back);
}

static int by_number(const void *va, const void *vb)
{
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;

	return (a > b) - (a < b);
}

static bool trim(struct frames *f, uint32_t *entries, size_t n)
{
	static const uint8_t form[4] = { 1, 0x1b, 0x03, 0x3b };
	size_t kept = 0;
	uint32_t count;

	if (f->hdr_n < HDR || memcmp(f->hdr_old, form, 4))
		return false;
	count = get32(f->hdr_old + 8);
	if (count > (f->hdr_n - HDR) / PAIR)
		return false;
	memcpy(f->hdr_new, f->hdr_old, HDR);
	qsort(entries, n, sizeof(*entries), by_number);
	for (size_t i = 0; i < n; i++) {
		if (i && entries[i] == entries[i - 1])
			continue;
		if (entries[i] >= count || !keep_pair(f, entries[i], kept++))
			return false;
	}
	count = htole32((uint32_t)kept);
	memcpy(f->hdr_new + 8, &count, 4);
	return true;
}

/*
 * Return a pointer to the copy of the file's bytes off .. off + n - 1 in the excerpt `cut`.  Returns NULL if no single
 * part of the excerpt contains all of them.
 */
static char *place(struct hd_buf *cut, uint64_t off, size_t n)
{
	struct hd_bytes b = hd_bytes_over(cut->data, cut->len, BYTE_ORDER != LITTLE_ENDIAN);
	uint64_t parts, at;

	hd_bytes_skip(&b, 8);
	parts = hd_bytes_u64(&b);
	at = 16 + 16 * parts;
	for (; parts && !b.bad; parts--) {
		uint64_t from = hd_bytes_u64(&b), len = hd_bytes_u64(&b);

		if (off >= from && off - from <= len && n <= len - (off - from))
			return cut->data + at + (off - from);
		at += len;
	}
	return NULL;
}

void hd_code_excerpt_trim(struct hd_buf *cut, uint32_t *entries, size_t n)
{
	int fd = hd_code_excerpt_open(hd_buf_str(cut), cut->len, NULL);
	struct hd_elf *e = NULL;
	struct frames f = { 0 };
	char *frames, *table;

	if (fd < 0 || hd_elf_open(&e, fd, "a file with code", NULL, NULL) < 0)
		return;
	f.at = hd_elf_section(e, ".eh_frame");
	f.hdr_at = hd_elf_section(e, ".eh_frame_hdr");
	if (f.at && f.hdr_at && e->swap == (BYTE_ORDER != LITTLE_ENDIAN)) {
		f.old = hd_elf_bytes(e, f.at, SECTION_MAX, &f.n, NULL);
		f.hdr_old = hd_elf_bytes(e, f.hdr_at, SECTION_MAX, &f.hdr_n, NULL);
		frames = place(cut, f.at->off, f.n);
		table = place(cut, f.hdr_at->off, f.hdr_n);
		f.new = hd_zalloc(f.n + 1, 1);
		f.hdr_new = hd_zalloc(f.hdr_n + 1, 1);
		if (f.old && f.hdr_old && frames && table && trim(&f, entries, n)) {
			memcpy(frames, f.new, f.n);
			memcpy(table, f.hdr_new, f.hdr_n);
		}
	}
	free(f.old);
	free(f.new);
	free(f.hdr_old);
	free(f.hdr_new);
	hd_elf_close(e);
}
