/*
 * got_slots.c - see got_slots.h
 */
#include "elf/got_slots.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "elf/symtab.h"

#include <stdlib.h>
#include <string.h>

enum {
	RELOCS_MAX = 1 << 26,		/* in bytes; a larger relocation section is not read */
	DYNAMIC_MAX = 1 << 16,
};

enum use { UNUSED, NAMED, RESOLVED };

/*
 * Return what a relocation stores in its GOT slot, through which a PLT stub may jump.  NAMED: the address of a symbol.
 * RESOLVED: the address that a resolver function returns (IRELATIVE).  UNUSED: nothing that a stub uses.
 */
static enum use use_of(unsigned machine, uint32_t type)
{
	switch (machine) {
	case EM_X86_64:
		return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ? NAMED
			: type == R_X86_64_IRELATIVE                           ? RESOLVED
									       : UNUSED;
	case EM_386:
		return type == R_386_JMP_SLOT || type == R_386_GLOB_DAT ? NAMED
			: type == R_386_IRELATIVE                       ? RESOLVED
									: UNUSED;
	case EM_AARCH64:
		return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT ? NAMED :
		       type == R_AARCH64_IRELATIVE ? RESOLVED : UNUSED;
	case EM_ARM:
		return type == R_ARM_JUMP_SLOT ? NAMED : type == R_ARM_IRELATIVE ? RESOLVED : UNUSED;
	case EM_RISCV:
		return type == R_RISCV_JUMP_SLOT ? NAMED : UNUSED;
	}
	return UNUSED;
}

/* Read the dynamic symbols, which the relocations refer to. */
static void read_dynsyms(struct hd_got_slots *g, const struct hd_elf *e)
{
	for (size_t i = 0; i < e->nsections; i++) {
		const struct hd_elf_section *s = &e->sections[i];

		if (s->type != SHT_DYNSYM || s->entsize != hd_elf_sym_size(e->is64) || s->link >= e->nsections)
			continue;
		g->syms = hd_elf_bytes(e, s, HD_SYMTAB_MAX, &g->nsyms, NULL);
		g->names = hd_elf_bytes(e, &e->sections[s->link], HD_SYMTAB_MAX, &g->nnames, NULL);
		return;
	}
}

static const char *dynsym_name(const struct hd_got_slots *g, const struct hd_elf *e, uint64_t index)
{
	size_t size = hd_elf_sym_size(e->is64);
	struct hd_elf_sym s;
	struct hd_bytes b;

	if (!g->names || index >= g->nsyms / size)
		return NULL;
	b = hd_elf_cursor(e, g->syms + index * size, size);
	hd_elf_sym_next(&b, e->is64, &s);
	/* hd_elf_bytes() has appended a NUL to the names. */
	return s.name < g->nnames && g->names[s.name] ? g->names + s.name : NULL;
}

/* Return the addend of a relocation without an addend field (REL): the number stored in its GOT slot. */
static uint64_t addend_in_place(const struct hd_elf *e, uint64_t slot)
{
	for (size_t i = 0; i < e->nsections; i++) {
		const struct hd_elf_section *s = &e->sections[i];
		uint8_t word[4];

		if (s->has_bytes && (s->flags & SHF_ALLOC) && slot - s->addr < s->size &&
			s->size - (slot - s->addr) >= 4 &&
			hd_elf_read(e, s->off + (slot - s->addr), word, 4, NULL) >= 0) {
			struct hd_bytes b = hd_elf_cursor(e, word, 4);

			return hd_bytes_u32(&b);
		}
	}
	return 0;
}

static bool next_slot(struct hd_bytes *b, const struct hd_elf *e, bool rela, struct hd_got_slot *slot, uint64_t *sym,
	enum use *use)
{
	uint64_t info, addend = 0;
	uint32_t type;

	if (e->is64) {
		slot->addr = hd_bytes_u64(b);
		info = hd_bytes_u64(b);
		addend = rela ? hd_bytes_u64(b) : 0;
		*sym = GELF_R_SYM(info);
		type = (uint32_t)GELF_R_TYPE(info);
	} else {
		slot->addr = hd_bytes_u32(b);
		info = hd_bytes_u32(b);
		addend = rela ? hd_bytes_u32(b) : 0;
		*sym = ELF32_R_SYM(info);
		type = ELF32_R_TYPE(info);
	}
	*use = use_of(e->ehdr.e_machine, type);
	if (*use == RESOLVED)
		slot->target = rela ? addend : addend_in_place(e, slot->addr);
	return !b->bad;
}

/* Return true for relocations that only add the load address. */
static bool is_relative(unsigned machine, uint32_t type)
{
	switch (machine) {
	case EM_X86_64:		return type == R_X86_64_RELATIVE;
	case EM_386:		return type == R_386_RELATIVE;
	case EM_AARCH64:	return type == R_AARCH64_RELATIVE;
	case EM_ARM:		return type == R_ARM_RELATIVE;
	case EM_RISCV:		return type == R_RISCV_RELATIVE;
	}
	return false;
}

/*
 * Return the number of relative relocations at the start of .rela.dyn or .rel.dyn, as .dynamic gives it.  In large
 * programs nearly all relocations are relative.
 */
static uint64_t relative_count(const struct hd_elf *e, bool rela)
{
	const struct hd_elf_section *sec = hd_elf_section(e, ".dynamic");
	uint64_t tag, value, count = 0;
	struct hd_bytes b;
	uint8_t *bytes;
	size_t n;

	bytes = sec && sec->type == SHT_DYNAMIC ? hd_elf_bytes(e, sec, DYNAMIC_MAX, &n, NULL) : NULL;
	if (!bytes)
		return 0;
	b = hd_elf_cursor(e, bytes, n);
	do {
		tag = e->is64 ? hd_bytes_u64(&b) : hd_bytes_u32(&b);
		value = e->is64 ? hd_bytes_u64(&b) : hd_bytes_u32(&b);
		if (tag == (rela ? DT_RELACOUNT : DT_RELCOUNT) && !b.bad)
			count = value;
	} while (tag != DT_NULL && !b.bad);
	free(bytes);
	return count;
}

/*
 * Return the section without the relative relocations at its start.  If the relocation before the new start is not a
 * relative one, the count in .dynamic is wrong, and the section is returned unchanged.
 */
static struct hd_elf_section without_relative(const struct hd_elf *e, struct hd_elf_section sec, size_t size)
{
	uint64_t count = relative_count(e, sec.type == SHT_RELA), info;
	uint8_t bytes[3 * 8];
	struct hd_bytes b;

	if (!count || count > sec.size / size || hd_elf_read(e, sec.off + (count - 1) * size, bytes, size, NULL) < 0)
		return sec;
	b = hd_elf_cursor(e, bytes, size);
	hd_bytes_skip(&b, e->is64 ? 8 : 4);
	info = e->is64 ? hd_bytes_u64(&b) : hd_bytes_u32(&b);
	if (is_relative(e->ehdr.e_machine, e->is64 ? (uint32_t)GELF_R_TYPE(info) : ELF32_R_TYPE(info))) {
		sec.off += count * size;
		sec.size -= count * size;
	}
	return sec;
}

static void read_relocs(struct hd_got_slots *g, struct hd_elf *e, const struct hd_elf_section *sec, bool is_plt)
{
	bool rela = sec->type == SHT_RELA;
	size_t size = (e->is64 ? 8 : 4) * (rela ? 3 : 2), n;
	struct hd_elf_section rest = is_plt ? *sec : without_relative(e, *sec, size);
	uint8_t *bytes = hd_elf_bytes(e, &rest, RELOCS_MAX, &n, NULL);
	struct hd_bytes b = hd_elf_cursor(e, bytes, bytes ? n - n % size : 0);

	if (rest.size > RELOCS_MAX)
		hd_elf_damaged(e, "`%s` has more than %d MiB: PLT stubs get no names", sec->name,
			RELOCS_MAX >> 20);
	if (sec->entsize != size)
		hd_elf_damaged(e, "`%s` has entries of %llu bytes", sec->name, (unsigned long long)sec->entsize);
	while (bytes && hd_bytes_left(&b)) {
		struct hd_got_slot slot = { .seq = (uint32_t)g->n };
		uint64_t sym;
		enum use use;

		if (!next_slot(&b, e, rela, &slot, &sym, &use) || use == UNUSED)
			continue;
		if (use == NAMED)
			slot.name = dynsym_name(g, e, sym);
		HD_GROW(g->v, g->n + 1, g->cap);
		g->v[g->n++] = slot;
		if (is_plt) {
			HD_GROW(g->plt, g->nplt + 1, g->plt_cap);
			g->plt[g->nplt++] = slot.name;
		}
	}
	free(bytes);
}

static int by_addr(const void *va, const void *vb)
{
	const struct hd_got_slot *a = va, *b = vb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

void hd_got_slots_read(struct hd_got_slots *g, struct hd_elf *e)
{
	static const char *const names[] = { ".rela.plt", ".rel.plt", ".rela.dyn", ".rel.dyn", ".rela.iplt",
		".rel.iplt" };

	read_dynsyms(g, e);
	for (size_t i = 0; i < HD_COUNT(names); i++) {
		const struct hd_elf_section *sec = hd_elf_section(e, names[i]);

		if (sec && (sec->type == SHT_RELA || sec->type == SHT_REL))
			read_relocs(g, e, sec, i < 2);
	}
	if (g->n)
		qsort(g->v, g->n, sizeof(*g->v), by_addr);
}

void hd_got_slots_release(struct hd_got_slots *g)
{
	free(g->v);
	free(g->plt);
	free(g->syms);
	free(g->names);
	*g = (struct hd_got_slots){ 0 };
}

const struct hd_got_slot *hd_got_slot_find(const struct hd_got_slots *g, uint64_t addr)
{
	size_t i = HD_FIRST_FROM(g->v, g->n, addr, addr);

	return i < g->n && g->v[i].addr == addr ? &g->v[i] : NULL;
}
