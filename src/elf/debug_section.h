/*
 * debug_section.h - read a debug section piece by piece
 *
 * Debug sections are the largest parts of a binary, and line lookups need little of them.  So they stay in the file,
 * and a cursor reads ahead in small pieces.  A compressed section is decompressed completely by the first read.
 *
 * A cursor is an hd_bytes over a moving window, or over the whole section if that is in memory.  As with hd_bytes,
 * `bad` stays set after the first read beyond the end.
 */
#ifndef HD_ELF_DEBUG_SECTION_H
#define HD_ELF_DEBUG_SECTION_H

#include "elf/elf_file.h"

/* A section of a file.  The file is borrowed.  If all members are zero, the file has no such section. */
struct hd_debug_section {
	/* the file of the section, which is at `off` of this file unless `packed` is set; NULL: it is at `mem` */
	const struct hd_elf *e;
	uint64_t off;
	const uint8_t *mem;
	/*
	 * the compressed section of the file; the bytes of this section are at `off` of its decompressed data.
	 * NULL: not compressed
	 */
	struct hd_elf_section *packed;
	uint64_t size;
	bool swap;
};

/*
 * Check that the debug sections of `e` have bytes in the file and can be unpacked: their sizes, the unpacked sizes they
 * declare, and the sum.  Returns HD_EFORMAT with the reason if not, or HD_EIO if a header cannot be read.  Call this
 * before any other function below.
 */
int hd_debug_sections_check(const struct hd_elf *e, struct hd_err *err);

/* Find a section by name: `.debug_x`, also as `.zdebug_x`.  The result has size 0 if there is none. */
struct hd_debug_section hd_debug_section_find(const struct hd_elf *e, const char *name);
/* Find the next section called `name` from section number *i on, and advance *i past it.  Size 0: there are no more. */
struct hd_debug_section hd_debug_section_next(const struct hd_elf *e, const char *name, size_t *i);

/*
 * Return the bytes of a section in memory.  A compressed section is decompressed by this call.  Returns NULL if the
 * section is not in memory but in the file, or if it is invalid.
 */
const uint8_t *hd_debug_section_memory(const struct hd_debug_section *s);
/* Read up to n bytes at `off`; returns how many were read. */
size_t hd_debug_section_read(const struct hd_debug_section *s, uint64_t off, void *buf, size_t n);
/*
 * Copy the string at `off` into `buf`, at most n - 1 bytes of it; "" if it does not end within the section.  Returns
 * `buf`.
 */
const char *hd_debug_section_string(const struct hd_debug_section *s, uint64_t off, char *buf, size_t n);

struct hd_debug_cursor {
	const struct hd_debug_section *s;
	uint64_t next;			/* offset in the section of the first byte after the window */
	uint64_t end;			/* reads stop here */
	struct hd_bytes b;
	uint8_t window[256];
};

/* Set the cursor to `off`.  It stops at `end` or at the end of the section, whichever comes first. */
void hd_debug_cursor_start(struct hd_debug_cursor *c, const struct hd_debug_section *s, uint64_t off, uint64_t end);
/* Lower the end of the cursor to the offset `end`; a higher `end` has no effect. */
void hd_debug_cursor_limit(struct hd_debug_cursor *c, uint64_t end);
uint64_t hd_debug_cursor_at(const struct hd_debug_cursor *c);
uint64_t hd_debug_cursor_uint(struct hd_debug_cursor *c, unsigned size);	/* size: 1, 2, 3, 4 or 8 bytes */
uint64_t hd_debug_cursor_long_uleb(struct hd_debug_cursor *c);
static inline uint64_t hd_debug_cursor_uleb(struct hd_debug_cursor *c)
{
	return c->b.p < c->b.end && *c->b.p < 0x80 ? *c->b.p++ : hd_debug_cursor_long_uleb(c);
}
int64_t hd_debug_cursor_sleb(struct hd_debug_cursor *c);
void hd_debug_cursor_skip(struct hd_debug_cursor *c, uint64_t n);

#endif
