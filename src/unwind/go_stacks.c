/*
 * go_stacks.c - see go_stacks.h
 */
#include "unwind/go_stacks.h"

#include "base/mem.h"
#include "elf/symtab.h"

#include <string.h>

static size_t without_abi(const char *name)
{
	size_t len = strlen(name);

	return len > 5 && !memcmp(name + len - 5, ".abi0", 5) ? len - 5 : len;
}

static bool changes_stack(const char *name, size_t len)
{
	static const char *const names[] = {
		"runtime.mcall", "runtime.morestack", "runtime.systemstack", "runtime.asmcgocall",
		"runtime.cgocallback", "runtime.nanotime1", "runtime.walltime", "runtime.walltime1",
		"runtime.vgetrandom1", "time.now",
	};

	for (size_t i = 0; i < HD_COUNT(names); i++)
		if (strlen(names[i]) == len && !memcmp(names[i], name, len))
			return true;
	return false;
}

static const char goexit[] = "runtime.goexit";

void hd_go_stacks_read(struct hd_go_stacks *g, const struct hd_elf *e)
{
	struct hd_elf_symbols all;
	struct hd_elf_sym s;
	const char *name;
	unsigned outermost = 0;

	*g = (struct hd_go_stacks){ 0 };
	if (!hd_elf_section(e, ".go.buildinfo"))
		return;
	hd_elf_symbols_open(&all, e, ".symtab");
	while (g->n < HD_GO_STACKS && hd_elf_symbols_next(&all, &s, &name)) {
		size_t len;

		if (GELF_ST_TYPE(s.info) != STT_FUNC || !s.size || s.size > UINT64_MAX - s.value ||
		    (*name != 'r' && *name != 't'))
			continue;
		len = without_abi(name);
		if (outermost < HD_COUNT(g->outermost) && len == strlen(goexit) && !memcmp(name, goexit, len)) {
			g->outermost[outermost].start = s.value;
			g->outermost[outermost++].end = s.value + s.size;
		} else if (changes_stack(name, len)) {
			g->at[g->n].start = s.value;
			g->at[g->n++].end = s.value + s.size;
		}
	}
	hd_elf_symbols_close(&all);
}

bool hd_go_stacks_has(const struct hd_go_stacks *g, uint64_t vaddr)
{
	for (unsigned i = 0; i < g->n; i++)
		if (vaddr >= g->at[i].start && vaddr < g->at[i].end)
			return true;
	return false;
}

bool hd_go_stacks_is_outermost(const struct hd_go_stacks *g, uint64_t vaddr)
{
	for (size_t i = 0; i < HD_COUNT(g->outermost); i++)
		if (vaddr >= g->outermost[i].start && vaddr < g->outermost[i].end)
			return true;
	return false;
}
