/*
 * symbol_alias.c - see symbol_alias.h
 */
#include "elf/symbol_alias.h"

#include "elf/demangle.h"

#include <stdlib.h>
#include <string.h>

static size_t underscores(const char *s)
{
	return strspn(s, "_");
}

/*
 * Return true for an old kernel alias of a system call, such as SyS_read.  If no other rule decides, the other name of
 * the address is preferred.
 */
static bool is_syscall_alias(const char *s)
{
	return !strncmp(s, "SyS", 3) || !strncmp(s, "compat_SyS", 10);
}

/* Constructors and destructors have variants (C1, C2, D0, ...) that demangle to the same name. */
static bool same_but_for_variant(const char *a, const char *b)
{
	size_t i = 0;

	while (a[i] && a[i] == b[i])
		i++;
	return i && a[i] && b[i] && (a[i - 1] == 'C' || a[i - 1] == 'D') && !strcmp(a + i + 1, b + i + 1);
}

static bool may_be_mangled(const char *s)
{
	return s[0] == '_' && strchr("_ZRD", s[1]) && s[1];
}

enum {
	WORK_MAX = 64 << 20, /* limit of demangled bytes (names and results) for the aliases of one table */
	/*
	 * added to the demangled bytes for a name that cannot be demangled, because the failed attempt may have taken
	 * long
	 */
	GIVEN_UP = 64 << 10,
};

/* Return the demangled name; NULL if it is not mangled or cannot be demangled, or if WORK_MAX is exceeded. */
static char *shown(size_t *work, const char *name)
{
	char *text;

	if (!may_be_mangled(name) || *work > WORK_MAX)
		return NULL;
	text = hd_demangle(name, false);
	*work += strlen(name) + (text ? strlen(text) : GIVEN_UP);
	return text;
}

static bool second_name_wins(size_t *work, const char *a, const char *b)
{
	char *shown_a, *shown_b;
	size_t under_a, under_b, len_a, len_b;
	bool second;

	if (!strcmp(a, b) || same_but_for_variant(a, b))
		return false;
	shown_a = shown(work, a);
	shown_b = shown(work, b);
	a = shown_a ? shown_a : a;
	b = shown_b ? shown_b : b;
	under_a = underscores(a);
	under_b = underscores(b);
	len_a = strlen(a);
	len_b = strlen(b);
	if (under_a != under_b)
		second = under_b < under_a;
	else if (len_a != len_b)
		second = len_b > len_a;
	else
		second = is_syscall_alias(a);
	free(shown_a);
	free(shown_b);
	return second;
}

bool hd_symbol_alias_prefers_second(const char *names, size_t *work, const struct hd_symraw *a,
	const struct hd_symraw *b)
{
	unsigned differ = a->flags ^ b->flags;

	if (!a->size != !b->size)
		return !a->size;
	if (differ & HD_SYM_LABEL)
		return a->flags & HD_SYM_LABEL;
	if (differ & HD_SYM_WEAK)
		return a->flags & HD_SYM_WEAK;
	if (differ & HD_SYM_GLOBAL)
		return b->flags & HD_SYM_GLOBAL;
	return second_name_wins(work, names + a->name, names + b->name);
}
