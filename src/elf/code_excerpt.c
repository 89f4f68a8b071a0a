/*
 * code_excerpt.c - see code_excerpt.h
 */
#include "elf/code_excerpt.h"

#include "base/file.h"
#include "base/mem.h"
#include "elf/elf_file.h"
#include "elf/unpack.h"
#include "elf/file_ref.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	PLT_HEAD = 32,			/* size of the first two entries of .plt on x86-64 */
	PACKED_HEADER = 24,		/* size of the largest header of a compressed section (Elf64_Chdr) */
	NOTE_MAX = 64 << 10,
	PARTS_MAX = 1 << 16,
};
#define PART_MAX (256ull << 20)		/* unwinding does not read larger sections */

struct part { uint64_t off, n; };

struct cut {
	const struct hd_elf *e;
	struct part *v;
	size_t n, cap;
};

static void add(struct cut *c, uint64_t off, uint64_t n)
{
	if (off >= c->e->size || !n || c->n == PARTS_MAX)
		return;
	if (n > c->e->size - off)
		n = c->e->size - off;
	HD_GROW(c->v, c->n + 1, c->cap);
	c->v[c->n++] = (struct part){ off, n };
}

static void add_sections(struct cut *c)
{
	static const char *const wanted[] = { ".eh_frame", ".eh_frame_hdr", ".debug_frame", ".zdebug_frame",
		".dynamic" };
	const struct hd_elf *e = c->e;
	size_t names;

	for (size_t i = 0; i < e->nsections; i++) {
		const struct hd_elf_section *s = &e->sections[i];

		if (!s->has_bytes)
			continue;
		if (hd_elf_section_packed(s))
			add(c, s->off, s->size < PACKED_HEADER ? s->size : PACKED_HEADER);
		if (s->type == SHT_NOTE && s->size <= NOTE_MAX)
			add(c, s->off, s->size);
		/* unwinding recognises the kind of PLT stubs by the first bytes of .plt */
		if (!strcmp(s->name, ".plt"))
			add(c, s->off, s->size < PLT_HEAD ? s->size : PLT_HEAD);
		for (size_t k = 0; k < HD_COUNT(wanted); k++)
			if (!strcmp(s->name, wanted[k]) && s->size <= PART_MAX)
				add(c, s->off, s->size);
	}
	if (e->nsections && elf_getshdrstrndx(e->elf, &names) == 0 && names < e->nsections)
		add(c, e->sections[names].off, e->sections[names].size);
	add(c, e->ehdr.e_shoff, (uint64_t)e->nsections * (e->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)));
}

/*
 * Add the program headers and notes.  Without section headers, .eh_frame is found through PT_GNU_EH_FRAME and may be
 * anywhere in the segment that contains .eh_frame_hdr, so this whole segment is added.
 */
static void add_segments(struct cut *c)
{
	const struct hd_elf *e = c->e;
	size_t n = 0;

	if (elf_getphdrnum(e->elf, &n) < 0)
		return;
	add(c, e->ehdr.e_phoff, (uint64_t)n * (e->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)));
	for (size_t i = 0; i < n && i < HD_ELF_LOADS; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(e->elf, (int)i, &p))
			break;
		if (p.p_type == PT_NOTE && p.p_filesz <= NOTE_MAX)
			add(c, p.p_offset, p.p_filesz);
		if (p.p_type != PT_GNU_EH_FRAME || e->nsections)
			continue;
		for (size_t k = 0; k < e->loads.n; k++) {
			const struct hd_elf_load *l = &e->loads.v[k];

			if (p.p_vaddr >= l->vaddr && p.p_vaddr - l->vaddr < l->filesz && l->filesz <= PART_MAX)
				add(c, l->off, l->filesz);
		}
	}
}

static int by_offset(const void *va, const void *vb)
{
	const struct part *a = va, *b = vb;

	return (a->off > b->off) - (a->off < b->off);
}

/* Sort the parts and merge those that overlap or touch. */
static void join(struct cut *c)
{
	size_t n = 0;

	qsort(c->v, c->n, sizeof(*c->v), by_offset);
	for (size_t i = 0; i < c->n; i++) {
		struct part *last = n ? &c->v[n - 1] : NULL;

		if (last && c->v[i].off <= last->off + last->n) {
			uint64_t end = c->v[i].off + c->v[i].n;

			if (end > last->off + last->n)
				last->n = end - last->off;
		} else {
			c->v[n++] = c->v[i];
		}
	}
	c->n = n;
}

int hd_code_excerpt_read(int fd, struct hd_buf *out, struct hd_err *err)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 3), rc;
	struct cut c = { 0 };
	struct hd_elf *e;

	if (own < 0)
		return hd_fail_errno(err, HD_EIO, errno, "cannot reopen a file with code");
	rc = hd_elf_open(&e, own, "a file with code", NULL, err);
	if (rc < 0)
		return rc;
	c.e = e;
	add(&c, 0, e->is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
	add_sections(&c);
	add_segments(&c);
	join(&c);
	hd_buf_le64(out, e->size);
	hd_buf_le64(out, c.n);
	for (size_t i = 0; i < c.n; i++) {
		hd_buf_le64(out, c.v[i].off);
		hd_buf_le64(out, c.v[i].n);
	}
	for (size_t i = 0; i < c.n && rc >= 0; i++) {
		rc = hd_elf_read(e, c.v[i].off, hd_buf_reserve(out, c.v[i].n), c.v[i].n, err);
		out->len += rc < 0 ? 0 : c.v[i].n;
	}
	free(c.v);
	hd_elf_close(e);
	return rc;
}

int hd_code_excerpt_open(const void *bytes, size_t n, struct hd_err *err)
{
	struct hd_bytes head = hd_bytes_over(bytes, n, BYTE_ORDER != LITTLE_ENDIAN), body;
	uint64_t size = hd_bytes_u64(&head), parts = hd_bytes_u64(&head);
	int fd, rc = 0;

	if (head.bad || size > HD_OBJECT_MAX || parts > hd_bytes_left(&head) / 16)
		return hd_fail(err, HD_EFORMAT, "the code of an object: its header is invalid");
	fd = memfd_create("code", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, (off_t)size) < 0)
		rc = hd_fail_errno(err, HD_EIO, errno, "cannot create a memory file for the code of an object");
	body = head;
	hd_bytes_skip(&body, 16 * parts);
	for (uint64_t i = 0; i < parts && rc >= 0; i++) {
		uint64_t off = hd_bytes_u64(&head), len = hd_bytes_u64(&head);
		const void *p = off <= size && len <= size - off ? hd_bytes_skip(&body, len) : NULL;

		if (!p)
			rc = hd_fail(err, HD_EFORMAT, "the code of an object: part %llu is invalid",
				(unsigned long long)i);
		else
			rc = hd_file_pwrite(fd, p, len, off, "the code of an object", err);
	}
	if (rc >= 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return rc;
}
