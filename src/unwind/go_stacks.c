/*
 * go_stacks.c - see go_stacks.h
 */
#include "unwind/go_stacks.h"

#include "base/mem.h"
#include "elf/symtab.h"

#include <string.h>

static enum hd_go_function kind_of(const char *name, size_t len)
{
	static const struct { const char *name; enum hd_go_function kind; } names[] = {
		{ "runtime.mcall", HD_GO_CHANGES_STACK },
		{ "runtime.morestack", HD_GO_CHANGES_STACK },
		{ "runtime.systemstack", HD_GO_CHANGES_STACK },
		{ "runtime.asmcgocall", HD_GO_CHANGES_STACK },
		{ "runtime.cgocallback", HD_GO_CHANGES_STACK },
		{ "runtime.nanotime1", HD_GO_CHANGES_STACK },
		{ "runtime.walltime", HD_GO_CHANGES_STACK },
		{ "runtime.walltime1", HD_GO_CHANGES_STACK },
		{ "runtime.vgetrandom1", HD_GO_CHANGES_STACK },
		{ "time.now", HD_GO_CHANGES_STACK },
		{ "runtime.goexit", HD_GO_OUTERMOST },
	};

	if (len > 5 && !memcmp(name + len - 5, ".abi0", 5))
		len -= 5;
	for (size_t i = 0; i < HD_COUNT(names); i++)
		if (strlen(names[i].name) == len && !memcmp(names[i].name, name, len))
			return names[i].kind;
	return HD_GO_OTHER;
}

void hd_go_stacks_read(struct hd_go_stacks *g, const struct hd_elf *e)
{
	struct hd_elf_symbols all;
	struct hd_elf_sym s;
	const char *name;

	g->n = 0;
	if (!hd_elf_section(e, ".go.buildinfo"))
		return;
	hd_elf_symbols_open(&all, e, ".symtab");
	while (g->n < HD_GO_STACKS && hd_elf_symbols_next(&all, &s, &name)) {
		enum hd_go_function kind;

		if (GELF_ST_TYPE(s.info) != STT_FUNC || !s.size || s.size > UINT64_MAX - s.value ||
		    (*name != 'r' && *name != 't'))
			continue;
		kind = kind_of(name, strlen(name));
		if (kind == HD_GO_OTHER)
			continue;
		g->at[g->n].start = s.value;
		g->at[g->n].end = s.value + s.size;
		g->at[g->n++].kind = kind;
	}
	hd_elf_symbols_close(&all);
}

enum hd_go_function hd_go_stacks_find(const struct hd_go_stacks *g, uint64_t vaddr)
{
	for (unsigned i = 0; i < g->n; i++)
		if (vaddr >= g->at[i].start && vaddr < g->at[i].end)
			return g->at[i].kind;
	return HD_GO_OTHER;
}
