/*
 * elf_cfi.c - see elf_cfi.h
 */
#include "unwind/elf_cfi.h"

#include "base/mem.h"
#include "elf/debug_section.h"
#include "unwind/plt_cfi.h"

#include <stdlib.h>
#include <string.h>

#define SECTION_MAX (256ull << 20)	/* limit in bytes; the largest section of a browser has 40 million bytes */

bool hd_elf_cfi_machine(const struct hd_elf *e, enum hd_cfi_machine *m)
{
	switch (e->ehdr.e_machine) {
	case EM_X86_64:
		*m = HD_CFI_X86_64;
		return e->is64;		/* x32 has 4-byte pointers in 8-byte slots */
	case EM_386:
		*m = HD_CFI_I386;
		return !e->is64;
	case EM_AARCH64:
		*m = HD_CFI_AARCH64;
		return e->is64;
	case EM_ARM:
		*m = HD_CFI_ARM;
		return !e->is64;
	}
	return false;
}

/* Return true if the file needs other libraries. */
static bool has_needed(const struct hd_elf *e)
{
	const struct hd_elf_section *dyn = hd_elf_section(e, ".dynamic");
	unsigned width = e->is64 ? 8 : 4;
	struct hd_bytes b;
	bool found = false;
	uint8_t *bytes;
	size_t n;

	bytes = dyn ? hd_elf_bytes(e, dyn, 1 << 20, &n, NULL) : NULL;
	if (!bytes)
		return false;
	for (b = hd_elf_cursor(e, bytes, n); !found && hd_bytes_left(&b) >= 2 * width; ) {
		uint64_t tag = e->is64 ? hd_bytes_u64(&b) : hd_bytes_u32(&b);

		hd_bytes_skip(&b, width);
		if (tag == DT_NULL)
			break;
		found = tag == DT_NEEDED;
	}
	free(bytes);
	return found;
}

bool hd_elf_entry(const struct hd_elf *e, uint64_t *vaddr)
{
	*vaddr = e->ehdr.e_entry;
	return *vaddr && (e->ehdr.e_type == ET_EXEC || hd_elf_section(e, ".interp") || !has_needed(e));
}

/* Read a section into *out and *bytes.  Returns false if the section exists but cannot be read. */
static bool read_section(const struct hd_elf *e, const char *name, struct hd_cfi_section *out, void **bytes)
{
	for (size_t i = 0; i < e->nsections; i++) {
		const struct hd_elf_section *s = &e->sections[i];

		if (strcmp(s->name, name) || s->type == SHT_NOBITS || !s->size)
			continue;
		*bytes = hd_elf_bytes(e, s, SECTION_MAX, &out->size, NULL);
		if (!*bytes)
			return false;
		out->bytes = *bytes;
		out->vaddr = s->addr;
		return true;
	}
	return true;
}

static bool read_debug_frame(const struct hd_elf *e, struct hd_cfi_section *out, void **bytes)
{
	struct hd_debug_section s;
	bool packed = false, have = false;

	for (size_t i = 0; i < e->nsections; i++) {
		bool old_way = !strcmp(e->sections[i].name, ".zdebug_frame");

		if (!old_way && strcmp(e->sections[i].name, ".debug_frame"))
			continue;
		have = e->sections[i].type != SHT_NOBITS && e->sections[i].size;
		packed = old_way || (e->sections[i].flags & SHF_COMPRESSED);
		break;
	}
	if (!have)
		return true;
	/* The size of a compressed section is untrusted until it is checked. */
	if (packed && hd_debug_sections_check(e, NULL) < 0)
		return false;
	s = hd_debug_section_find(e, ".debug_frame");
	if (!s.size || s.size > SECTION_MAX)
		return false;
	*bytes = hd_alloc(s.size);
	out->size = hd_debug_section_read(&s, 0, *bytes, s.size);
	out->bytes = *bytes;
	return out->size == s.size;
}

/* ---- without section headers */

/*
 * Read from vaddr to the end of its segment, at most `max` bytes.  Returns false if no segment has vaddr in the file,
 * or if it cannot be read.
 */
static bool read_vaddr(const struct hd_elf *e, uint64_t vaddr, uint64_t max, struct hd_cfi_section *out, void **bytes)
{
	for (size_t i = 0; i < e->loads.n; i++) {
		const struct hd_elf_load *l = &e->loads.v[i];
		uint64_t n;

		if (vaddr < l->vaddr || vaddr - l->vaddr >= l->filesz)
			continue;
		n = l->filesz - (vaddr - l->vaddr);
		if (n > max)
			n = max;
		*bytes = hd_alloc(n);
		if (hd_elf_read(e, l->off + (vaddr - l->vaddr), *bytes, n, NULL) < 0) {
			free(*bytes);
			*bytes = NULL;
			return false;
		}
		*out = (struct hd_cfi_section){ *bytes, n, vaddr };
		return true;
	}
	return false;
}

/*
 * Find .eh_frame_hdr by its program header, and .eh_frame by the address in it.  Returns false if one cannot be
 * read.
 *
 *     OFFSET  SIZE  MEANING in .eh_frame_hdr
 *     0       1     version, 1
 *     1       1     encoding of the address of .eh_frame; all linkers: 0x1b, signed 4 bytes, pc-relative
 *     2       2     encodings of the count and the table
 *     4       4     the address of .eh_frame
 */
static bool read_by_segment(const struct hd_elf *e, struct hd_cfi_sections *in, void *bytes[3])
{
	size_t n = 0;

	if (elf_getphdrnum(e->elf, &n) < 0)
		return true;
	for (size_t i = 0; i < n && i < HD_ELF_LOADS; i++) {
		const uint8_t *hdr;
		struct hd_bytes b;
		GElf_Phdr p;

		if (!gelf_getphdr(e->elf, (int)i, &p) || p.p_type != PT_GNU_EH_FRAME || p.p_filesz < 8)
			continue;
		if (!read_vaddr(e, p.p_vaddr, p.p_filesz < SECTION_MAX ? p.p_filesz : SECTION_MAX, &in->eh_frame_hdr,
			    &bytes[1]) ||
			in->eh_frame_hdr.size < 8)
			return false;
		hdr = in->eh_frame_hdr.bytes;
		if (hdr[0] != 1 || hdr[1] != 0x1b)
			return false;
		b = hd_elf_cursor(e, hdr + 4, 4);
		return read_vaddr(e, p.p_vaddr + 4 + (uint64_t)(int64_t)(int32_t)hd_bytes_u32(&b), SECTION_MAX,
			&in->eh_frame, &bytes[0]);
	}
	return true;
}

bool hd_elf_cfi_read(const struct hd_elf *e, struct hd_cfi_sections *in, void *bytes[3])
{
	const struct hd_elf_section *text = hd_elf_section(e, ".text"), *got = hd_elf_section(e, ".got");
	bool ok = read_section(e, ".eh_frame", &in->eh_frame, &bytes[0]);

	ok &= read_section(e, ".eh_frame_hdr", &in->eh_frame_hdr, &bytes[1]);
	if (!e->nsections)
		ok &= read_by_segment(e, in, bytes);
	ok &= read_debug_frame(e, &in->debug_frame, &bytes[2]);
	/*
	 * Linkers may write no CFI for the PLT.  Synthesize it as a .debug_frame, which is used only for addresses that
	 * .eh_frame does not cover.
	 */
	if (ok && in->eh_frame.size && !in->debug_frame.size && !in->swap) {
		struct hd_buf made = { 0 };

		hd_plt_cfi_build(e, &made);
		in->debug_frame = (struct hd_cfi_section){ (uint8_t *)made.data, made.len, 0 };
		bytes[2] = made.data;
	}
	in->text_vaddr = text ? text->addr : 0;
	in->got_vaddr = got ? got->addr : 0;
	return ok;
}
