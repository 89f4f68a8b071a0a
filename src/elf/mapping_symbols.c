/*
 * mapping_symbols.c - see mapping_symbols.h
 */
#include "elf/mapping_symbols.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "elf/symtab.h"

#include <stdlib.h>
#include <string.h>

static void add(struct hd_mapping_symbols *m, uint64_t vaddr, enum hd_code_mode mode)
{
	HD_GROW(m->v, m->n + 1, m->cap);
	m->v[m->n] = (struct hd_mapping_symbol){ vaddr, mode, (uint32_t)m->n };
	m->n++;
}

static void add_mapping_symbol(struct hd_mapping_symbols *m, const struct hd_elf_sym *s, const char *name)
{
	if (hd_elf_sym_is_mapping(name))
		add(m, s->value, name[1] == 'd' ? HD_CODE_DATA : name[1] == 't' ? HD_CODE_THUMB : HD_CODE_DEFAULT);
}

static void add_function(struct hd_mapping_symbols *m, const struct hd_elf_sym *s)
{
	if (GELF_ST_TYPE(s->info) == STT_FUNC)
		add(m, s->value & ~1ull, s->value & 1 ? HD_CODE_THUMB : HD_CODE_DEFAULT);
}

/* Add the mapping symbols of a symbol table, or (`functions`) its function symbols. */
static void read_table(struct hd_mapping_symbols *m, const struct hd_elf *e, const char *section, bool functions)
{
	struct hd_elf_symbols all;
	struct hd_elf_sym s;
	const char *name;

	hd_elf_symbols_open(&all, e, section);
	while (hd_elf_symbols_next(&all, &s, &name)) {
		if (s.shndx == SHN_UNDEF)
			continue;
		if (functions)
			add_function(m, &s);
		else
			add_mapping_symbol(m, &s, name);
	}
	hd_elf_symbols_close(&all);
}

static int compare(const void *x, const void *y)
{
	const struct hd_mapping_symbol *a = x, *b = y;

	if (a->vaddr != b->vaddr)
		return a->vaddr < b->vaddr ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

void hd_mapping_symbols_read(struct hd_mapping_symbols *m, const struct hd_elf *e)
{
	bool arm = e->ehdr.e_machine == EM_ARM;

	*m = (struct hd_mapping_symbols){ 0 };
	if (!arm && e->ehdr.e_machine != EM_AARCH64)
		return;
	read_table(m, e, ".symtab", false);
	if (!m->n && arm)
		read_table(m, e, ".symtab", true);
	if (!m->n && arm)
		read_table(m, e, ".dynsym", true);
	if (m->n)
		qsort(m->v, m->n, sizeof(*m->v), compare);
	m->first = !arm ? HD_CODE_DEFAULT : m->n ? m->v[0].mode : e->ehdr.e_entry & 1 ? HD_CODE_THUMB : HD_CODE_DEFAULT;
}

void hd_mapping_symbols_release(struct hd_mapping_symbols *m)
{
	free(m->v);
	*m = (struct hd_mapping_symbols){ 0 };
}

enum hd_code_mode hd_mapping_symbols_find(const struct hd_mapping_symbols *m, uint64_t vaddr, uint64_t *end)
{
	size_t n = HD_FIRST_ABOVE(m->v, m->n, vaddr, vaddr);

	*end = n < m->n ? m->v[n].vaddr : UINT64_MAX;
	return n ? m->v[n - 1].mode : m->first;
}
