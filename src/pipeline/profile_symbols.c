/*
 * profile_symbols.c - see profile_symbols.h
 */
#include "pipeline/profile_symbols.h"

#include "base/mem.h"
#include "pipeline/selector.h"
#include "elf/demangle.h"

#include <stdlib.h>
#include <string.h>

void hd_profile_symbols_release(struct hd_profile_symbols *n)
{
	free(n->roots);
	*n = (struct hd_profile_symbols){ 0 };
}

/* Return true for the names of functions in which complete stacks end: main, _start, clone and others. */
static bool is_root_name(const char *name)
{
	static const char *const roots[] = {
		"main", "_start", "_dl_start_user", "__libc_start_main", "__libc_start_main_impl",
		"__libc_start_call_main",
		"start_thread", "clone", "clone3", "__clone", "__clone3",
		"__libc_init", "_start_main", "__start_thread", "__dl__start",		/* bionic */
	};
	size_t n = strcspn(name, "@");		/* __libc_start_main@@GLIBC_2.34 */

	for (size_t i = 0; i < HD_COUNT(roots); i++)
		if (strlen(roots[i]) == n && !memcmp(name, roots[i], n))
			return true;
	return false;
}

static void note_root(struct hd_profile_symbols *n, uint32_t symbol, const char *linkage)
{
	size_t old = n->nroots;

	if (symbol < old)
		return;
	HD_GROW(n->roots, (size_t)symbol + 1, n->roots_cap);
	memset(n->roots + old, 0, (size_t)symbol + 1 - old);
	n->nroots = (size_t)symbol + 1;
	n->roots[symbol] = linkage && is_root_name(linkage);
}

bool hd_profile_symbols_is_root(const struct hd_profile_symbols *n, uint32_t symbol)
{
	return symbol < n->nroots && n->roots[symbol];
}

/*
 * Set the displayed names of a symbol.  `linkage` is demangled only if `mangled` is set.  Callers must clear it for
 * kernel names, which kallsyms and perf do not demangle either.
 */
static void display(struct hd_profile_symbols *n, struct hd_profile_symbol *s, const char *linkage, bool mangled)
{
	char *name = n->strip_version ? hd_selector_strip_version(linkage)
		: mangled             ? hd_demangle(linkage, false)
				      : NULL;
	char *full = mangled && n->full_names ? hd_demangle(linkage, true) : NULL;

	s->linkage = hd_profile_name(n->p, linkage);
	s->name = name ? hd_profile_name(n->p, name) : s->linkage;
	s->full = full ? hd_profile_name(n->p, full) : n->full_names ? s->linkage : s->name;
	free(name);
	free(full);
}

uint32_t hd_profile_symbols_add(struct hd_profile_symbols *n, uint32_t object, bool kernel,
	const struct hd_symbol_hit *hit)
{
	struct hd_profile *p = n->p;
	struct hd_profile_symbol s = { .object = object, .start = hit->start, .size = hit->size, .kernel = kernel };
	size_t before = p->nsymbols;
	uint32_t id = hd_profile_add_symbol(p, &s);

	if (p->nsymbols == before)
		return id;
	display(n, &p->symbols[id], hit->linkage, !kernel);
	note_root(n, id, hit->linkage);
	return id;
}

uint32_t hd_profile_symbols_add_inlined(struct hd_profile_symbols *n, uint32_t object, bool kernel,
	const struct hd_inline_hit *hit)
{
	struct hd_profile *p = n->p;
	struct hd_profile_symbol s = { .object = object,
		.linkage = hd_profile_name(p, hit->linkage),
		.kernel = kernel };
	size_t before = p->nsymbols;
	uint32_t id = hd_profile_add_symbol(p, &s);

	if (p->nsymbols == before)
		return id;
	display(n, &p->symbols[id], hit->linkage, hit->mangled && !kernel);
	note_root(n, id, NULL);
	return id;
}

uint32_t hd_profile_symbols_add_named(struct hd_profile_symbols *n, uint32_t object, const char *linkage)
{
	bool mangled = linkage[0] == '_' && (linkage[1] == 'Z' || linkage[1] == 'R');
	uint32_t id = hd_profile_symbols_add_inlined(n, object, false,
		&(struct hd_inline_hit){ .linkage = linkage, .mangled = mangled });

	n->roots[id] = is_root_name(linkage);
	return id;
}

uint32_t hd_profile_symbols_add_unmapped(struct hd_profile_symbols *n)
{
	struct hd_profile_symbol s = { .unresolved = true, .no_address = true };
	uint32_t id = hd_profile_add_symbol(n->p, &s);

	note_root(n, id, NULL);
	return id;
}

uint32_t hd_profile_symbols_add_address(struct hd_profile_symbols *n, uint32_t object, bool kernel, uint64_t address)
{
	struct hd_profile_symbol s = { .object = object, .start = address, .unresolved = true, .kernel = kernel };
	uint32_t id = hd_profile_add_symbol(n->p, &s);

	note_root(n, id, NULL);
	return id;
}
