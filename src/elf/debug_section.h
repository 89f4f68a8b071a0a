/*
 * debug_section.h - reading a debug section piece by piece
 *
 * Debug sections are the largest parts of a binary, and lines need little of
 * them: so they stay in the file, and a cursor reads on as it goes.  Packed
 * ones are unpacked whole when they are first read, after hd_debug_sections_check().
 *
 * A cursor is hd_bytes over a window that moves, or over the section where that is in
 * memory; `bad` sticks the same way.
 */
#ifndef HD_ELF_DEBUG_SECTION_H
#define HD_ELF_DEBUG_SECTION_H

#include "elf/elf_file.h"

/* Zero is a section that is not there.  Borrows the file. */
struct hd_debug_section {
	const struct hd_elf *e;		/* in the file, at off; or, NULL, in memory */
	uint64_t off;
	const uint8_t *mem;
	struct hd_elf_section *packed;	/* ... or at off of what this unpacks to */
	uint64_t size;
	bool swap;
};

/*
 * Check that the debug sections of `e` can be unpacked: their sizes, the unpacked sizes they declare, and the sum.
 * HD_EFORMAT names the section that is invalid.  Call this before any other function below.
 */
int hd_debug_sections_check(const struct hd_elf *e, struct hd_err *err);

/* The section of that name (`.debug_x`, or `.zdebug_x`). */
struct hd_debug_section hd_debug_section_find(const struct hd_elf *e, const char *name);
/* The next one from section number *i on, where a file has several; *i is then behind it.  Size 0: no more. */
struct hd_debug_section hd_debug_section_next(const struct hd_elf *e, const char *name, size_t *i);

/* Its bytes when they are in memory, unpacked now if need be; NULL when they are in the file or cannot be unpacked. */
const uint8_t *hd_debug_section_memory(const struct hd_debug_section *s);
/* Up to n bytes at off; returns how many there were. */
size_t hd_debug_section_read(const struct hd_debug_section *s, uint64_t off, void *buf, size_t n);
/* The string at off, at most n - 1 bytes of it, into buf; "" when it does not end within the section. */
const char *hd_debug_section_string(const struct hd_debug_section *s, uint64_t off, char *buf, size_t n);

struct hd_debug_cursor {
	const struct hd_debug_section *s;
	uint64_t next;			/* offset of what follows the window */
	uint64_t end;			/* nothing behind this is read */
	struct hd_bytes b;
	uint8_t window[256];
};

/* From off up to end (or the section's, whichever is first). */
void hd_debug_cursor_start(struct hd_debug_cursor *c, const struct hd_debug_section *s, uint64_t off, uint64_t end);
/* Read no further than end from now on. */
void hd_debug_cursor_limit(struct hd_debug_cursor *c, uint64_t end);
uint64_t hd_debug_cursor_at(const struct hd_debug_cursor *c);
uint64_t hd_debug_cursor_uint(struct hd_debug_cursor *c, unsigned size);	/* of 1, 2, 3, 4 or 8 bytes */
uint64_t hd_debug_cursor_long_uleb(struct hd_debug_cursor *c);
static inline uint64_t hd_debug_cursor_uleb(struct hd_debug_cursor *c)
{
	return c->b.p < c->b.end && *c->b.p < 0x80 ? *c->b.p++ : hd_debug_cursor_long_uleb(c);
}
int64_t hd_debug_cursor_sleb(struct hd_debug_cursor *c);
void hd_debug_cursor_skip(struct hd_debug_cursor *c, uint64_t n);

#endif
