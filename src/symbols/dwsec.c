/*
 * dwsec.c - see dwsec.h
 */
#include "symbols/dwsec.h"

#include "symbols/linenames.h"

#include <string.h>

enum { LONGEST_LEB = 10 };	/* bytes that make a 64-bit number; more are padding */

struct hd_dwsec hd_dwsec_over(const void *p, size_t n, bool swap)
{
	return (struct hd_dwsec){ .mem = p, .size = n, .swap = swap };
}

static struct hd_dwsec unpacked(const struct hd_elf *e, size_t i, bool old_way)
{
	Elf_Scn *scn = elf_getscn(e->elf, i);
	Elf_Data *data;
	GElf_Shdr h;

	if (!scn || !gelf_getshdr(scn, &h))
		return (struct hd_dwsec){ 0 };
	/* Another may have asked for it before: then it is unpacked. */
	data = old_way ? elf_rawdata(scn, NULL) : NULL;
	if (old_way ? data && data->d_buf && data->d_size >= 4 && !memcmp(data->d_buf, "ZLIB", 4) && elf_compress_gnu(scn, 0, 0) < 0
		    : (h.sh_flags & SHF_COMPRESSED) && elf_compress(scn, 0, 0) < 0)
		return (struct hd_dwsec){ 0 };
	data = elf_rawdata(scn, NULL);
	return data && data->d_buf ? hd_dwsec_over(data->d_buf, data->d_size, e->swap) : (struct hd_dwsec){ 0 };
}

struct hd_dwsec hd_dwsec_next(const struct hd_elf *e, const char *name, size_t *i)
{
	while (*i < e->nsections) {
		const struct hd_elf_section *s = &e->sections[(*i)++];
		bool old_way = !strncmp(s->name, ".z", 2) && !strcmp(s->name + 2, name + 1);

		if (!s->has_bytes || !s->size || (strcmp(s->name, name) && !old_way))
			continue;
		if (old_way || (s->flags & SHF_COMPRESSED))
			return unpacked(e, *i - 1, old_way);
		return (struct hd_dwsec){ .e = e, .off = s->off, .size = s->size, .swap = e->swap };
	}
	return (struct hd_dwsec){ 0 };
}

struct hd_dwsec hd_dwsec_find(const struct hd_elf *e, const char *name)
{
	size_t i = 0;

	return hd_dwsec_next(e, name, &i);
}

size_t hd_dwsec_read(const struct hd_dwsec *s, uint64_t off, void *buf, size_t n)
{
	if (off >= s->size)
		return 0;
	if (n > s->size - off)
		n = s->size - off;
	if (s->mem)
		memcpy(buf, s->mem + off, n);
	else if (!s->e || hd_elf_read(s->e, s->off + off, buf, n, NULL) < 0)
		return 0;
	return n;
}

const char *hd_dwsec_string(const struct hd_dwsec *s, uint64_t off, char *buf, size_t n)
{
	size_t got = hd_dwsec_read(s, off, buf, n - 1);

	buf[got] = '\0';
	/* Neither ended by a NUL nor cut by the buffer: it runs out of the section. */
	if (!memchr(buf, '\0', got) && got < n - 1)
		*buf = '\0';
	return buf;
}

/* ---- cursor ---- */

/* Have n bytes in the window, if there are so many. */
static void fill(struct hd_dwcursor *c, size_t n)
{
	size_t left = hd_bytes_left(&c->b), want;

	if (left >= n || c->next >= c->end || c->b.bad)
		return;
	memmove(c->window, c->b.p, left);
	want = sizeof(c->window) - left;
	if (want > c->end - c->next)
		want = c->end - c->next;
	want = hd_dwsec_read(c->s, c->next, c->window + left, want);
	if (!want)
		c->end = c->next;
	c->next += want;
	c->b.p = c->window;
	c->b.end = c->window + left + want;
}

void hd_dwcursor_start(struct hd_dwcursor *c, const struct hd_dwsec *s, uint64_t off, uint64_t end)
{
	c->s = s;
	c->next = off;
	c->end = end < s->size ? end : s->size;
	c->b = hd_bytes_over(c->window, 0, s->swap);
	c->b.bad = off > c->end;
}

uint64_t hd_dwcursor_at(const struct hd_dwcursor *c)
{
	return c->next - hd_bytes_left(&c->b);
}

void hd_dwcursor_limit(struct hd_dwcursor *c, uint64_t end)
{
	uint64_t at = hd_dwcursor_at(c);

	if (end >= c->end)
		return;
	c->end = end;
	if (c->next <= end)
		return;
	c->b.end = c->b.p + (end > at ? end - at : 0);
	c->next = end > at ? end : at;
}

bool hd_dwcursor_more(struct hd_dwcursor *c)
{
	fill(c, 1);
	return hd_bytes_left(&c->b);
}

uint64_t hd_dwcursor_uint(struct hd_dwcursor *c, unsigned size)
{
	const uint8_t *p;

	fill(c, size);
	switch (size) {
	case 1: return hd_bytes_u8(&c->b);
	case 2: return hd_bytes_u16(&c->b);
	case 4: return hd_bytes_u32(&c->b);
	case 8: return hd_bytes_u64(&c->b);
	case 3:
		p = hd_bytes_skip(&c->b, 3);
		if (p)
			return c->b.swap ? (uint64_t)p[0] << 16 | (uint64_t)p[1] << 8 | p[2] : (uint64_t)p[2] << 16 | (uint64_t)p[1] << 8 | p[0];
	}
	c->b.bad = true;
	return 0;
}

uint64_t hd_dwcursor_uleb(struct hd_dwcursor *c)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	fill(c, LONGEST_LEB);
	do {
		fill(c, 1);
		byte = hd_bytes_u8(&c->b);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift = shift < 64 ? shift + 7 : 64;
	} while ((byte & 0x80) && !c->b.bad);
	return v;
}

int64_t hd_dwcursor_sleb(struct hd_dwcursor *c)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		fill(c, 1);
		byte = hd_bytes_u8(&c->b);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift = shift < 64 ? shift + 7 : 64;
	} while ((byte & 0x80) && !c->b.bad);
	if (shift < 64 && (byte & 0x40))
		v |= UINT64_MAX << shift;
	return (int64_t)v;
}

void hd_dwcursor_skip(struct hd_dwcursor *c, uint64_t n)
{
	uint64_t at = hd_dwcursor_at(c);

	if (c->b.bad || n > c->end - at || at > c->end) {
		c->b.bad = true;
		return;
	}
	if (n <= hd_bytes_left(&c->b)) {
		hd_bytes_skip(&c->b, n);
		return;
	}
	c->next = at + n;
	c->b.p = c->b.end = c->window;
}

void hd_dwcursor_skip_string(struct hd_dwcursor *c)
{
	while (hd_dwcursor_more(c)) {
		size_t left = hd_bytes_left(&c->b);
		const uint8_t *nul = memchr(c->b.p, '\0', left);

		hd_bytes_skip(&c->b, nul ? (size_t)(nul - c->b.p) + 1 : left);
		if (nul)
			return;
	}
	c->b.bad = true;
}
