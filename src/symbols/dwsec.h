/*
 * dwsec.h - reading a debug section piece by piece
 *
 * Debug sections are the largest parts of a binary, and lines need little of
 * them: so they stay in the file, and a cursor reads on as it goes.  Packed
 * ones are unpacked whole when they are first read, after lines.h's check that they may be.
 *
 * A cursor is hd_bytes over a window that moves, or over the section where that is in
 * memory; `bad` sticks the same way.
 */
#ifndef HD_SYMBOLS_DWSEC_H
#define HD_SYMBOLS_DWSEC_H

#include "symbols/elffile.h"

/* Zero is a section that is not there.  Borrows the file. */
struct hd_dwsec {
	const struct hd_elf *e;		/* in the file, at off; or, NULL, in memory */
	uint64_t off;
	const uint8_t *mem;
	struct hd_elf_section *packed;	/* ... or at off of what this unpacks to */
	uint64_t size;
	bool swap;
};

/* The section of that name (`.debug_x`, or `.zdebug_x`). */
struct hd_dwsec hd_dwsec_find(const struct hd_elf *e, const char *name);
/* The next one from section number *i on, where a file has several; *i is then behind it.  Size 0: no more. */
struct hd_dwsec hd_dwsec_next(const struct hd_elf *e, const char *name, size_t *i);
struct hd_dwsec hd_dwsec_over(const void *p, size_t n, bool swap);

/* Its bytes when they are in memory, unpacked now if need be; NULL when they are in the file or cannot be unpacked. */
const uint8_t *hd_dwsec_memory(const struct hd_dwsec *s);
/* Up to n bytes at off; returns how many there were. */
size_t hd_dwsec_read(const struct hd_dwsec *s, uint64_t off, void *buf, size_t n);
/* The string at off, at most n - 1 bytes of it, into buf; "" when it does not end within the section. */
const char *hd_dwsec_string(const struct hd_dwsec *s, uint64_t off, char *buf, size_t n);

struct hd_dwcursor {
	const struct hd_dwsec *s;
	uint64_t next;			/* offset of what follows the window */
	uint64_t end;			/* nothing behind this is read */
	struct hd_bytes b;
	uint8_t window[256];
};

/* From off up to end (or the section's, whichever is first). */
void hd_dwcursor_start(struct hd_dwcursor *c, const struct hd_dwsec *s, uint64_t off, uint64_t end);
/* Read no further than end from now on. */
void hd_dwcursor_limit(struct hd_dwcursor *c, uint64_t end);
uint64_t hd_dwcursor_at(const struct hd_dwcursor *c);
bool hd_dwcursor_more(struct hd_dwcursor *c);
uint64_t hd_dwcursor_uint(struct hd_dwcursor *c, unsigned size);	/* of 1, 2, 3, 4 or 8 bytes */
uint64_t hd_dwcursor_long_uleb(struct hd_dwcursor *c);
static inline uint64_t hd_dwcursor_uleb(struct hd_dwcursor *c)
{
	return c->b.p < c->b.end && *c->b.p < 0x80 ? *c->b.p++ : hd_dwcursor_long_uleb(c);
}
int64_t hd_dwcursor_sleb(struct hd_dwcursor *c);
void hd_dwcursor_skip(struct hd_dwcursor *c, uint64_t n);
void hd_dwcursor_skip_string(struct hd_dwcursor *c);

#endif
