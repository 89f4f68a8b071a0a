/*
 * plt.c - see plt.h
 */
#include "elf/plt.h"

#include "base/mem.h"
#include "elf/got_slots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLT_MAX = 1 << 26 };		/* in bytes; a larger section of stubs is not read */

/* One section of stubs. */
struct plt {
	struct hd_symtable *t;
	struct hd_elf *e;
	const struct hd_got_slots *got;
	const struct hd_elf_section *sec;
	const uint8_t *bytes;
	size_t n;
	uint64_t got_base;		/* i386: the value of %ebx */
	/* limit for the sum of added names in bytes, because many stubs can have the same long symbol */
	uint64_t *budget;
};

static void add_stub(struct plt *p, uint64_t start, uint64_t size, const char *name, size_t n)
{
	struct hd_symraw raw = { .start = start, .size = size, .flags = HD_SYM_GLOBAL };
	struct hd_buf full = { 0 };

	if (n > *p->budget)
		return;
	*p->budget -= n;
	hd_buf_add(&full, name, n);
	hd_buf_adds(&full, n ? "@plt" : ".plt");
	raw.name = hd_symtable_name(p->t, full.data, full.len);
	hd_buf_release(&full);
	if (raw.name && start + size > start)
		hd_symtable_add(p->t, &raw);
}

/* Return the length of a name without its version: 6 for `memcpy@@GLIBC_2.14`. */
static size_t unversioned(const char *name)
{
	const char *at = strchr(name + 1, '@');

	return at ? (size_t)(at - name) : strlen(name);
}

/*
 * Return true if `b` is a better name for an ifunc than `a`.  The best name is the public name by which programs call
 * it.
 */
static bool is_better_ifunc(const struct hd_symtable *t, const struct hd_symraw *a, const struct hd_symraw *b)
{
	static const unsigned is_public = HD_SYM_GLOBAL | HD_SYM_WEAK;
	const char *na = hd_symtable_str(t, a->name), *nb = hd_symtable_str(t, b->name);

	if ((a->flags ^ b->flags) & HD_SYM_IFUNC)
		return b->flags & HD_SYM_IFUNC;
	if (!(a->flags & is_public) != !(b->flags & is_public))
		return b->flags & is_public;
	if (strspn(na, "_") != strspn(nb, "_"))
		return strspn(nb, "_") < strspn(na, "_");
	return unversioned(nb) < unversioned(na);
}

static const struct hd_symraw *ifunc_at(const struct hd_symtable *t, uint64_t target)
{
	enum { ALIASES = 64 };		/* at most this many names of one ifunc are compared; real files have few */
	const struct hd_symraw *best = NULL;
	size_t first = hd_symtable_raw_from(t, target);

	for (size_t i = first; i < t->nsorted && i - first < ALIASES && t->raw[i].start == target; i++)
		if (*hd_symtable_str(t, t->raw[i].name) && (!best || is_better_ifunc(t, best, &t->raw[i])))
			best = &t->raw[i];
	return best;
}

static void name_stub(struct plt *p, uint64_t start, uint64_t size, const struct hd_got_slot *slot)
{
	const struct hd_symraw *raw;
	char bare[40];
	int n;

	if (slot->name) {
		add_stub(p, start, size, slot->name, unversioned(slot->name));
		return;
	}
	raw = slot->target ? ifunc_at(p->t, slot->target) : NULL;
	if (raw) {
		/* Copy the name: adding a stub may reallocate the buffer that contains it. */
		char *name = hd_strdup(hd_symtable_str(p->t, raw->name));

		add_stub(p, start, size, name, unversioned(name));
		free(name);
		return;
	}
	n = snprintf(bare, sizeof(bare), "*ABS*+0x%llx", (unsigned long long)slot->target);
	add_stub(p, start, size, bare, (size_t)n);
}

static uint32_t u32_at(const struct plt *p, size_t at)
{
	struct hd_bytes b = hd_elf_cursor(p->e, p->bytes + at, 4);

	return hd_bytes_u32(&b);
}

/* ---- x86: stubs have one size and contain a jump through memory ---- */

/*
 * Find a jump in [at, at + size), and return the GOT slot that contains its target.  The jump is `ff 25 disp32`
 * (absolute or %rip-relative) or `ff a3 disp32` (relative to %ebx).
 */
static const struct hd_got_slot *x86_slot(const struct plt *p, size_t at, size_t size)
{
	bool rip = p->e->ehdr.e_machine == EM_X86_64;

	for (size_t i = at; i + 6 <= at + size; i++) {
		uint8_t modrm = p->bytes[i + 1];
		const struct hd_got_slot *slot;
		uint64_t addr;
		uint32_t disp;

		if (p->bytes[i] != 0xff || (modrm != 0x25 && (rip || modrm != 0xa3)))
			continue;
		disp = u32_at(p, i + 2);
		if (rip)
			addr = p->sec->addr + i + 6 + (uint64_t)(int64_t)(int32_t)disp;
		else
			addr = modrm == 0x25 ? disp : (uint32_t)(p->got_base + disp);
		slot = hd_got_slot_find(p->got, addr);
		if (slot)
			return slot;
	}
	return NULL;
}

/*
 * Return the size of a stub.  i386 linkers declare an entry size of 4 although stubs have 16 bytes, or 8 in .plt.got.
 * GNU ld declares 0 in static programs.  Their stubs for ifuncs, as those of .plt.got, are a jump and a nop of 2 bytes.
 */
static size_t x86_stub_size(const struct plt *p)
{
	size_t declared = p->sec->entsize;

	if (declared == 8 || declared == 16 || declared == 24 || declared == 32)
		return declared;
	return p->n >= 8 && hd_plt_has_small_stubs(p->bytes) ? 8 : 16;
}

static void x86_stubs(struct plt *p)
{
	bool first = !strcmp(p->sec->name, ".plt");
	size_t size = x86_stub_size(p);

	for (size_t at = 0; at + size <= p->n; at += size) {
		const struct hd_got_slot *slot = x86_slot(p, at, size);

		if (slot)
			name_stub(p, p->sec->addr + at, size, slot);
		else if (!at && first)
			add_stub(p, p->sec->addr, size, "", 0);
	}
}

/* ---- aarch64: adrp x16, PAGE; ldr x17, [x16, #OFF]; ...; br x17, possibly after a `bti c` ---- */

static const struct hd_got_slot *aarch64_slot(const struct plt *p, size_t at)
{
	uint32_t adrp = u32_at(p, at), ldr = u32_at(p, at + 4);
	uint64_t page;
	int64_t imm;

	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return NULL;
	imm = (int64_t)((adrp >> 29 & 3) | (adrp >> 5 & 0x7ffff) << 2);
	if (imm & 0x100000)
		imm -= 0x200000;
	page = ((p->sec->addr + at) & ~4095ull) + ((uint64_t)imm << 12);
	return hd_got_slot_find(p->got, page + (uint64_t)(ldr >> 10 & 0xfff) * 8);
}

static void aarch64_stubs(struct plt *p)
{
	static const uint32_t bti_c = 0xd503245f;
	size_t first = p->n;
	size_t at = 0;

	while (at + 8 <= p->n) {
		const struct hd_got_slot *slot = aarch64_slot(p, at);
		size_t start = at, end = at + 16;

		if (!slot) {
			at += 4;
			continue;
		}
		if (at >= 4 && u32_at(p, at - 4) == bti_c)
			start = at - 4;
		if (start != at && end + 4 <= p->n)
			end += 4;	/* stubs that begin with `bti c` are padded to 24 bytes */
		if (end > p->n)
			end = p->n;
		if (first > start)
			first = start;
		name_stub(p, p->sec->addr + start, end - start, slot);
		at = end;
	}
	if (!strcmp(p->sec->name, ".plt") && first)
		add_stub(p, p->sec->addr, first < 32 ? first : 32, "", 0);
}

/* ---- other architectures: the n-th stub belongs to the n-th relocation ---- */

static void counted_stubs(struct plt *p, size_t header, size_t size)
{
	size_t at = header;

	if (strcmp(p->sec->name, ".plt") || header > p->n || (p->n - header) / size < p->got->nplt)
		return;
	for (size_t i = 0; i < p->got->nplt; i++, at += size)
		if (p->got->plt[i])
			add_stub(p, p->sec->addr + at, size, p->got->plt[i], unversioned(p->got->plt[i]));
	add_stub(p, p->sec->addr, header, "", 0);
}

static void collect(struct plt *p)
{
	uint8_t *bytes = hd_elf_bytes(p->e, p->sec, PLT_MAX, &p->n, NULL);

	if (p->sec->size > PLT_MAX)
		hd_elf_damaged(p->e, "`%s` has more than %d MiB: PLT stubs get no names", p->sec->name,
			PLT_MAX >> 20);
	if (!bytes)
		return;
	p->bytes = bytes;
	switch (p->e->ehdr.e_machine) {
	case EM_X86_64:
	case EM_386:
		x86_stubs(p);
		break;
	case EM_AARCH64:
		aarch64_stubs(p);
		break;
	case EM_ARM:
		counted_stubs(p, 20, 12);
		break;
	case EM_RISCV:
		counted_stubs(p, 32, 16);
		break;
	}
	free(bytes);
}

void hd_plt_collect(struct hd_symtable *t, struct hd_elf *e)
{
	static const char *const names[] = { ".plt", ".plt.sec", ".plt.got", ".plt.bnd", ".iplt" };
	struct hd_got_slots got = { 0 };
	const struct hd_elf_section *base = hd_elf_section(e, ".got.plt");
	uint64_t budget = 2 * e->size;

	if (!base)
		base = hd_elf_section(e, ".got");
	hd_got_slots_read(&got, e);
	hd_symtable_sort(t);
	for (size_t i = 0; got.n && i < HD_COUNT(names); i++) {
		struct plt p = { .t = t, .e = e, .got = &got, .budget = &budget, .sec = hd_elf_section(e, names[i]) };

		p.got_base = base ? base->addr : 0;
		if (p.sec && (p.sec->flags & SHF_EXECINSTR) && p.sec->addr + p.sec->size >= p.sec->addr)
			collect(&p);
	}
	hd_got_slots_release(&got);
}
