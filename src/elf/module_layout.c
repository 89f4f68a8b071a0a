/*
 * module_layout.c - see module_layout.h
 */
#include "elf/module_layout.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { SECTION_MAX = 1 << 30 };		/* no module has more code */

void hd_module_layout_init(struct hd_module_layout *l, const struct hd_elf *e)
{
	uint64_t at = 0;

	l->e = e;
	l->base = hd_alloc(e->nsections * sizeof(*l->base));
	for (size_t i = 0; i < e->nsections; i++) {
		const struct hd_elf_section *s = &e->sections[i];
		uint64_t align = s->align && !(s->align & (s->align - 1)) && s->align <= 4096 ? s->align : 1;

		l->base[i] = UINT64_MAX;
		if ((s->flags & (SHF_ALLOC | SHF_EXECINSTR)) != (SHF_ALLOC | SHF_EXECINSTR) || s->size > SECTION_MAX ||
		    !strncmp(s->name, ".init", 5))
			continue;
		at = (at + align - 1) & ~(align - 1);
		l->base[i] = at;
		at += s->size;
	}
}

void hd_module_layout_release(struct hd_module_layout *l)
{
	free(l->base);
	*l = (struct hd_module_layout){ 0 };
}

bool hd_module_layout_place(const struct hd_module_layout *l, const struct hd_elf_section *sec, uint64_t *start,
	uint64_t *limit)
{
	size_t i = (size_t)(sec - l->e->sections);

	if (l->base[i] == UINT64_MAX || *start > sec->size)
		return false;
	*start += l->base[i];
	*limit = l->base[i] + sec->size;
	return true;
}
