/*
 * debug_section.c - see debug_section.h
 */
#include "elf/debug_section.h"

#include "elf/unpack.h"

#include <string.h>

#define DEBUG_MAX (2ull << 30)		/* limit for the unpacked size of all debug sections */

enum {
	LONGEST_LEB = 10,		/* bytes of the longest 64-bit LEB128 number without padding */
	RATIO_MAX = 64,			/* largest accepted compression ratio; that of DWARF is 2 to 20 */
	SMALL = 1 << 20,		/* below this size the ratio is not checked */
};

int hd_debug_sections_check(const struct hd_elf *e, struct hd_err *err)
{
	uint64_t total = 0;

	for (size_t i = 0; i < e->nsections; i++) {
		const struct hd_elf_section *s = &e->sections[i];
		uint64_t size = s->size;
		int rc;

		if (strncmp(s->name, ".debug_", 7) && strncmp(s->name, ".zdebug_", 8))
			continue;
		if (!s->has_bytes)
			return hd_fail(err, HD_EFORMAT, "`%s` has no bytes in the file", s->name);
		if (hd_elf_section_packed(s)) {
			rc = hd_unpack_size(e, s, &size, err);
			if (rc < 0)
				return rc;
			if (size > SMALL && size / RATIO_MAX > s->size)
				return hd_fail(err, HD_EFORMAT, "`%s` declares that its %llu bytes decompress to %llu",
					s->name, (unsigned long long)s->size, (unsigned long long)size);
		}
		if (size > DEBUG_MAX - total)
			return hd_fail(err, HD_EFORMAT, "more than %llu MiB of debug sections", DEBUG_MAX >> 20);
		total += size;
	}
	return 0;
}

static struct hd_debug_section packed(const struct hd_elf *e, struct hd_elf_section *sec)
{
	uint64_t size;

	if (hd_unpack_size(e, sec, &size, NULL) < 0)
		return (struct hd_debug_section){ 0 };
	return (struct hd_debug_section){ .e = e, .packed = sec, .size = size, .swap = e->swap };
}

struct hd_debug_section hd_debug_section_next(const struct hd_elf *e, const char *name, size_t *i)
{
	while (*i < e->nsections) {
		struct hd_elf_section *s = &e->sections[(*i)++];
		bool old_way = !strncmp(s->name, ".z", 2) && !strcmp(s->name + 2, name + 1);

		if (!s->has_bytes || !s->size || (strcmp(s->name, name) && !old_way))
			continue;
		if (old_way || (s->flags & SHF_COMPRESSED))
			return packed(e, s);
		return (struct hd_debug_section){ .e = e, .off = s->off, .size = s->size, .swap = e->swap };
	}
	return (struct hd_debug_section){ 0 };
}

struct hd_debug_section hd_debug_section_find(const struct hd_elf *e, const char *name)
{
	size_t i = 0;

	return hd_debug_section_next(e, name, &i);
}

const uint8_t *hd_debug_section_memory(const struct hd_debug_section *s)
{
	const uint8_t *p = s->mem;

	if (s->packed) {
		p = hd_unpack(s->e, s->packed);
		if (p)
			p += s->off;
	}
	return p;
}

size_t hd_debug_section_read(const struct hd_debug_section *s, uint64_t off, void *buf, size_t n)
{
	const uint8_t *p;

	if (off >= s->size)
		return 0;
	if (n > s->size - off)
		n = s->size - off;
	p = hd_debug_section_memory(s);
	if (p)
		memcpy(buf, p + off, n);
	else if (s->packed || !s->e || hd_elf_read(s->e, s->off + off, buf, n, NULL) < 0)
		return 0;
	return n;
}

const char *hd_debug_section_string(const struct hd_debug_section *s, uint64_t off, char *buf, size_t n)
{
	const uint8_t *p = off < s->size ? hd_debug_section_memory(s) : NULL;
	size_t got;

	if (p) {
		size_t most = s->size - off < n - 1 ? s->size - off : n - 1;
		const uint8_t *nul = memchr(p + off, '\0', most);

		/* If there is neither a NUL nor a full buffer, the string runs beyond the section. */
		got = nul ? (size_t)(nul - (p + off)) : most < n - 1 ? 0 : most;
		memcpy(buf, p + off, got);
		buf[got] = '\0';
		return buf;
	}
	got = hd_debug_section_read(s, off, buf, n - 1);
	buf[got] = '\0';
	if (!memchr(buf, '\0', got) && got < n - 1)
		*buf = '\0';
	return buf;
}

/* ---- cursor ---- */

/* Refill the cursor's window so that at least n bytes are left in it, if the section has as many. */
static void fill(struct hd_debug_cursor *c, size_t n)
{
	size_t left = hd_bytes_left(&c->b), want;

	if (left >= n || c->next >= c->end || c->b.bad)
		return;
	memmove(c->window, c->b.p, left);
	want = sizeof(c->window) - left;
	if (want > c->end - c->next)
		want = c->end - c->next;
	want = hd_debug_section_read(c->s, c->next, c->window + left, want);
	if (!want)
		c->end = c->next;
	c->next += want;
	c->b.p = c->window;
	c->b.end = c->window + left + want;
}

void hd_debug_cursor_start(struct hd_debug_cursor *c, const struct hd_debug_section *s, uint64_t off, uint64_t end)
{
	const uint8_t *p = off < s->size ? hd_debug_section_memory(s) : NULL;

	c->s = s;
	c->next = off;
	c->end = end < s->size ? end : s->size;
	c->b = hd_bytes_over(c->window, 0, s->swap);
	c->b.bad = off > c->end;
	if (p && off < c->end) {
		/* The whole section is the window. */
		c->next = c->end;
		c->b = hd_bytes_over(p + off, c->end - off, s->swap);
	}
}

uint64_t hd_debug_cursor_at(const struct hd_debug_cursor *c)
{
	return c->next - hd_bytes_left(&c->b);
}

void hd_debug_cursor_limit(struct hd_debug_cursor *c, uint64_t end)
{
	uint64_t at = hd_debug_cursor_at(c);

	if (end >= c->end)
		return;
	c->end = end;
	if (c->next <= end)
		return;
	c->b.end = c->b.p + (end > at ? end - at : 0);
	c->next = end > at ? end : at;
}

uint64_t hd_debug_cursor_uint(struct hd_debug_cursor *c, unsigned size)
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
			return c->b.swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
				? (uint64_t)p[0] << 16 | (uint64_t)p[1] << 8 | p[2]
				: (uint64_t)p[2] << 16 | (uint64_t)p[1] << 8 | p[0];
	}
	c->b.bad = true;
	return 0;
}

/*
 * Read a LEB128 number.  *sign receives the bits that must be set in the result if the number is signed and negative.
 */
static inline uint64_t leb(struct hd_debug_cursor *c, uint64_t *sign)
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
	*sign = shift < 64 && (byte & 0x40) ? UINT64_MAX << shift : 0;
	return v;
}

uint64_t hd_debug_cursor_long_uleb(struct hd_debug_cursor *c)
{
	uint64_t sign;

	fill(c, LONGEST_LEB);
	return leb(c, &sign);
}

int64_t hd_debug_cursor_sleb(struct hd_debug_cursor *c)
{
	uint64_t sign, v = leb(c, &sign);

	return (int64_t)(v | sign);
}

void hd_debug_cursor_skip(struct hd_debug_cursor *c, uint64_t n)
{
	uint64_t at = hd_debug_cursor_at(c);

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
