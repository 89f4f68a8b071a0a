/*
 * elf_file.c - see elf_file.h
 */
#include "elf/elf_file.h"

#include "base/file.h"
#include "base/mem.h"
#include "elf/notes.h"
#include "elf/file_ref.h"

#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOTES_MAX = 4 << 20 };		/* limit for the bytes read from all note sections of a file */

void hd_elf_damaged(struct hd_elf *e, const char *fmt, ...)
{
	va_list ap;

	if (e->ndamage++)
		return;
	va_start(ap, fmt);
	vsnprintf(e->damage, sizeof(e->damage), fmt, ap);
	va_end(ap);
}

int hd_elf_read(const struct hd_elf *e, uint64_t off, void *buf, size_t n, struct hd_err *err)
{
	struct hd_err why = { 0 };
	ssize_t got;

	if (off > e->size || n > e->size - off)
		return hd_fail(err, HD_EFORMAT, "%s: %zu bytes at 0x%llx are outside the file", e->path, n,
			(unsigned long long)off);
	if (e->fd < 0 && !e->image)
		return hd_fail(err, HD_EIO, "%s: is not open", e->path);
	if (e->fd < 0) {
		memcpy(buf, (const char *)e->image + off, n);
		return 0;
	}
	got = hd_file_pread(e->fd, buf, n, off, e->path, &why);
	if (got == (ssize_t)n)
		return 0;
	if (got >= 0)
		got = hd_fail(&why, HD_EIO, "%s: the file has shrunk: nothing at 0x%llx", e->path,
			(unsigned long long)(off + (size_t)got));
	hd_file_ref_unreadable(e->log, why.msg);
	if (err)
		*err = why;
	return (int)got;
}

struct hd_bytes hd_elf_cursor(const struct hd_elf *e, const void *p, size_t n)
{
	return hd_bytes_over(p, n, e->swap);
}

/* ---- headers ---- */

/*
 * Callers use this if libelf returned NULL for an item of the file, such as a section.  Returns true if reading the
 * file failed, false if the file does not contain the item.  The caller must have set errno to 0 before it called
 * libelf.  If libelf ran out of memory, the program ends.
 */
static bool was_trouble(void)
{
	if (errno == ENOMEM)
		hd_out_of_memory("libelf");
	return errno == EIO || errno == EMFILE || errno == EACCES;
}

static int unreadable(const struct hd_elf *e, struct hd_err *err)
{
	struct hd_err why;

	hd_fail_errno(&why, HD_EIO, errno, "%s: cannot be read", e->path);
	hd_file_ref_unreadable(e->log, why.msg);
	if (err)
		*err = why;
	return HD_EIO;
}

/*
 * Record as damage of the file that libelf did not return item number i of the kind `what`.  If reading the file
 * failed, also log the read error.
 */
static void not_given(struct hd_elf *e, const char *what, size_t i)
{
	if (was_trouble())
		unreadable(e, NULL);
	hd_elf_damaged(e, "%s %zu cannot be read", what, i);
}

static bool inside(const struct hd_elf *e, uint64_t off, uint64_t n)
{
	return off <= e->size && n <= e->size - off;
}

static void read_section_names(struct hd_elf *e)
{
	const struct hd_elf_section *str;
	size_t index, n;

	if (!e->nsections)
		return;
	errno = 0;
	if (elf_getshdrstrndx(e->elf, &index) < 0 || index >= e->nsections) {
		if (was_trouble())
			unreadable(e, NULL);
		hd_elf_damaged(e, "the section names are in a section that does not exist");
		return;
	}
	str = &e->sections[index];
	e->names = hd_elf_bytes(e, str, 64 << 20, &n, NULL);
	if (!e->names) {
		hd_elf_damaged(e, "the section names cannot be read");
		return;
	}
	for (size_t i = 0; i < e->nsections; i++) {
		if (e->sections[i].name_off < n)
			e->sections[i].name = e->names + e->sections[i].name_off;
		else
			hd_elf_damaged(e, "section %zu: its name is outside the section names", i);
	}
}

static void read_sections(struct hd_elf *e)
{
	size_t n = 0, size = e->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	Elf_Scn *scn;

	if (!e->ehdr.e_shoff)
		return;
	if (e->ehdr.e_shentsize != size) {
		hd_elf_damaged(e, "section headers of %u bytes (e_shentsize)", (unsigned)e->ehdr.e_shentsize);
		return;
	}
	errno = 0;
	/* libelf treats a truncated table as empty. */
	if (elf_getshdrnum(e->elf, &n) < 0 || (!n && e->ehdr.e_shnum) || n > e->size / size ||
	    !inside(e, e->ehdr.e_shoff, (uint64_t)n * size)) {
		if (was_trouble())
			unreadable(e, NULL);
		hd_elf_damaged(e, "the section headers at 0x%llx are outside the file",
			(unsigned long long)e->ehdr.e_shoff);
		return;
	}
	e->sections = hd_new_array(struct hd_elf_section, n);
	for (size_t i = 0; i < n; i++) {
		struct hd_elf_section *s = &e->sections[i];
		GElf_Shdr h;

		scn = elf_getscn(e->elf, i);
		if (!scn || !gelf_getshdr(scn, &h)) {
			not_given(e, "the header of section", i);
			break;
		}
		*s = (struct hd_elf_section){
			.name = "",
			.name_off = h.sh_name,
			.type = h.sh_type,
			.flags = h.sh_flags,
			.link = h.sh_link,
			.info = h.sh_info,
			.addr = h.sh_addr,
			.off = h.sh_offset,
			.size = h.sh_size,
			.entsize = h.sh_entsize,
			.align = h.sh_addralign,
			.has_bytes = h.sh_type != SHT_NOBITS && h.sh_type != SHT_NULL &&
				inside(e, h.sh_offset, h.sh_size),
		};
		if (!s->has_bytes && h.sh_type != SHT_NOBITS && h.sh_type != SHT_NULL)
			hd_elf_damaged(e, "section %zu: 0x%llx bytes at 0x%llx are outside the file", i,
				       (unsigned long long)h.sh_size, (unsigned long long)h.sh_offset);
		e->nsections = i + 1;
	}
	read_section_names(e);
}

/*
 * Return true for a separate debug file.  It keeps the headers of code sections, for their addresses, but not the code.
 */
static bool is_debug_file(const struct hd_elf *e)
{
	bool code_elsewhere = false;

	for (size_t i = 0; i < e->nsections; i++) {
		const struct hd_elf_section *s = &e->sections[i];

		if (!(s->flags & SHF_EXECINSTR) || !s->size)
			continue;
		if (s->type != SHT_NOBITS)
			return false;
		code_elsewhere = true;
	}
	return code_elsewhere;
}

static void add_load(struct hd_elf *e, size_t i, const GElf_Phdr *p)
{
	uint64_t unused;

	if (__builtin_add_overflow(p->p_vaddr, p->p_memsz, &unused) ||
		__builtin_add_overflow(p->p_offset, p->p_filesz, &unused)) {
		hd_elf_damaged(e, "segment %zu wraps around the address space", i);
		return;
	}
	if (e->loads.n == HD_ELF_LOADS) {
		hd_elf_damaged(e, "more than %d segments", HD_ELF_LOADS);
		return;
	}
	if (!e->is_debug_file && !inside(e, p->p_offset, p->p_filesz))
		hd_elf_damaged(e, "segment %zu: 0x%llx bytes at 0x%llx are outside the file", i,
			       (unsigned long long)p->p_filesz, (unsigned long long)p->p_offset);
	if (e->is_debug_file && (p->p_flags & PF_X) && p->p_memsz && !p->p_filesz)
		e->loads.debug_only = true;
	e->loads.v[e->loads.n++] = (struct hd_elf_load){ p->p_offset, p->p_filesz, p->p_vaddr, p->p_memsz,
		p->p_flags & PF_X };
}

/* Look for the build-id in n bytes of notes at `off`.  The first one found is used. */
static void read_notes(struct hd_elf *e, uint64_t off, uint64_t n, uint64_t align)
{
	bool bad = false;
	uint8_t *bytes;

	if (e->build_id_len)
		return;
	if (n > NOTES_MAX - e->notes_read)
		n = NOTES_MAX - e->notes_read;
	if (!n)
		return;
	e->notes_read += n;
	bytes = hd_alloc(n);
	if (hd_elf_read(e, off, bytes, n, NULL) < 0)
		bad = true;
	else
		e->build_id_len = hd_notes_build_id(hd_elf_cursor(e, bytes, n), align, e->build_id, &bad);
	if (bad)
		hd_elf_damaged(e, "the notes at 0x%llx are damaged", (unsigned long long)off);
	free(bytes);
}

static void read_segments(struct hd_elf *e)
{
	size_t n = 0, size = e->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);

	errno = 0;
	if (!e->ehdr.e_phoff || elf_getphdrnum(e->elf, &n) < 0 || !n) {
		if (was_trouble())
			unreadable(e, NULL);
		return;
	}
	if (e->ehdr.e_phentsize != size || !inside(e, e->ehdr.e_phoff, (uint64_t)n * size)) {
		hd_elf_damaged(e, "the program headers at 0x%llx are outside the file",
			(unsigned long long)e->ehdr.e_phoff);
		return;
	}
	e->is_debug_file = is_debug_file(e);
	e->loads.v = hd_new_array(struct hd_elf_load, n < HD_ELF_LOADS ? n : HD_ELF_LOADS);
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr p;

		if (i > INT32_MAX || !gelf_getphdr(e->elf, (int)i, &p)) {
			not_given(e, "program header", i);
			break;
		}
		/* The program headers of a debug file have the offsets of the original file, so skip its PT_NOTE. */
		if (p.p_type == PT_NOTE && p.p_filesz && !e->is_debug_file)
			read_notes(e, p.p_offset, p.p_filesz, p.p_align);
		if (p.p_type == PT_LOAD)
			add_load(e, i, &p);
	}
}

static void read_section_notes(struct hd_elf *e)
{
	for (size_t i = 0; i < e->nsections; i++) {
		const struct hd_elf_section *s = &e->sections[i];

		if (s->type == SHT_NOTE && s->has_bytes && s->size)
			read_notes(e, s->off, s->size, s->align);
	}
}

static int read_headers(struct hd_elf *e, struct hd_err *err)
{
	if (!e->elf || elf_kind(e->elf) != ELF_K_ELF || !gelf_getehdr(e->elf, &e->ehdr))
		return was_trouble()
			? unreadable(e, err)
			: hd_fail(err, HD_EFORMAT, "%s: not an ELF file, or one cut off in its header", e->path);
	e->is64 = gelf_getclass(e->elf) == ELFCLASS64;
	e->swap = (e->ehdr.e_ident[EI_DATA] == ELFDATA2LSB) != (BYTE_ORDER == LITTLE_ENDIAN);
	if (e->ehdr.e_type != ET_EXEC && e->ehdr.e_type != ET_DYN && e->ehdr.e_type != ET_REL)
		return hd_fail(err, HD_EFORMAT, "%s: an ELF file of type %u, which contains no program", e->path,
			(unsigned)e->ehdr.e_type);
	read_sections(e);
	read_section_notes(e);
	read_segments(e);
	return 0;
}

/* ---- opening ---- */

int hd_elf_open(struct hd_elf **out, int fd, const char *path, struct hd_log *log, struct hd_err *err)
{
	struct hd_elf *e = hd_new(struct hd_elf);
	struct stat st;
	int rc;

	e->fd = fd;
	e->path = hd_strdup(path);
	e->log = log;
	elf_version(EV_CURRENT);
	errno = 0;
	if (fstat(fd, &st) < 0) {
		rc = unreadable(e, err);
		goto out;
	}
	e->size = (uint64_t)st.st_size;
	e->elf = elf_begin(fd, ELF_C_READ, NULL);
	rc = read_headers(e, err);
	if (rc < 0)
		goto out;
	*out = e;
	e = NULL;
out:
	hd_elf_close(e);
	return rc;
}

int hd_elf_open_memory(struct hd_elf **out, void *image, size_t size, const char *path, struct hd_err *err)
{
	struct hd_elf *e = hd_new(struct hd_elf);
	int rc;

	e->fd = -1;
	e->image = image;
	e->size = size;
	e->path = hd_strdup(path);
	elf_version(EV_CURRENT);
	errno = 0;
	e->elf = elf_memory(image, size);
	rc = read_headers(e, err);
	if (rc < 0)
		goto out;
	*out = e;
	e = NULL;
out:
	hd_elf_close(e);
	return rc;
}

void hd_elf_close(struct hd_elf *e)
{
	if (!e)
		return;
	elf_end(e->elf);
	if (e->fd >= 0)
		close(e->fd);
	free(e->image);
	free(e->path);
	for (size_t i = 0; i < e->nsections; i++)
		free(e->sections[i].unpacked);
	free(e->sections);
	free(e->names);
	free(e->loads.v);
	free(e);
}

/* ---- lookups ---- */

const struct hd_elf_section *hd_elf_section(const struct hd_elf *e, const char *name)
{
	for (size_t i = 0; i < e->nsections; i++)
		if (e->sections[i].has_bytes && e->sections[i].size && !strcmp(e->sections[i].name, name))
			return &e->sections[i];
	return NULL;
}

bool hd_elf_has_lines(const struct hd_elf *e)
{
	return hd_elf_section(e, ".debug_line") || hd_elf_section(e, ".zdebug_line");
}

void *hd_elf_bytes(const struct hd_elf *e, const struct hd_elf_section *sec, uint64_t max, size_t *n,
	struct hd_err *err)
{
	char *p;

	*n = 0;
	if (!sec || !sec->has_bytes) {
		hd_fail(err, HD_EFORMAT, "%s: section `%s` has no bytes in the file", e->path, sec ? sec->name : "");
		return NULL;
	}
	if (sec->size > max) {
		hd_fail(err, HD_EFORMAT, "%s: section `%s` has %llu bytes, more than the limit of %llu", e->path,
			sec->name, (unsigned long long)sec->size, (unsigned long long)max);
		return NULL;
	}
	p = hd_alloc(sec->size + 1);
	if (hd_elf_read(e, sec->off, p, sec->size, err) < 0) {
		free(p);
		return NULL;
	}
	p[sec->size] = '\0';
	*n = sec->size;
	return p;
}

/*
 * A separate debug file has the addresses of the code but not its offsets in the original file.  These follow from the
 * layout of GNU ld: segments start at page boundaries, and offsets advance with addresses.
 */
static bool debug_only_vaddr(const struct hd_elf_loads *loads, uint64_t foff, uint64_t *vaddr)
{
	uint64_t base = UINT64_MAX;

	for (size_t i = 0; i < loads->n; i++)
		if (loads->v[i].vaddr < base)
			base = loads->v[i].vaddr;
	if (base & 4095)
		return false;
	for (size_t i = 0; i < loads->n; i++) {
		const struct hd_elf_load *l = &loads->v[i];

		if (l->exec && !(l->vaddr & 4095) && base + foff - l->vaddr < l->memsz) {
			*vaddr = base + foff;
			return true;
		}
	}
	return false;
}

bool hd_elf_vaddr(const struct hd_elf_loads *loads, uint64_t foff, uint64_t *vaddr)
{
	/*
	 * Segments are mapped in whole pages.  So search the exact ranges first, then those rounded to pages.  Do both
	 * for the executable segments first, then for the others.
	 */
	static const uint64_t slack[] = { 0, 4095 };

	if (loads->debug_only)
		return debug_only_vaddr(loads, foff, vaddr);
	for (int pass = 0; pass < 4; pass++) {
		for (size_t i = 0; i < loads->n; i++) {
			const struct hd_elf_load *l = &loads->v[i];
			uint64_t off = l->off & ~slack[pass & 1];

			if (l->exec != (pass < 2) || !l->filesz || foff < off)
				continue;
			if (foff - off < ((l->off - off + l->filesz + slack[pass & 1]) & ~slack[pass & 1])) {
				*vaddr = l->vaddr - l->off + foff;
				return true;
			}
		}
	}
	return false;
}

bool hd_build_id_equal(const uint8_t *a, size_t na, const uint8_t *b, size_t nb)
{
	size_t n = na < nb ? na : nb;

	if (!n || memcmp(a, b, n))
		return false;
	for (size_t i = n; i < na; i++)
		if (a[i])
			return false;
	for (size_t i = n; i < nb; i++)
		if (b[i])
			return false;
	return true;
}

void hd_build_id_hex(const uint8_t *id, size_t n, char *hex)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*hex++ = digits[id[i] >> 4];
		*hex++ = digits[id[i] & 15];
	}
	*hex = '\0';
}
