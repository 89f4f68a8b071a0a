/*
 * alias.c - see alias.h
 */
#include "symbols/alias.h"

#include "symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

static size_t underscores(const char *s)
{
	return strspn(s, "_");
}

/* The kernel's old system call aliases lose a tie. */
static bool is_syscall_alias(const char *s)
{
	return !strncmp(s, "SyS", 3) || !strncmp(s, "compat_SyS", 10);
}

/* Constructors and destructors come in variants (C1, C2, D0, ...) that are shown alike. */
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

static bool second_name_wins(const char *a, const char *b)
{
	char *shown_a = NULL, *shown_b = NULL;
	size_t under_a, under_b, len_a, len_b;
	bool second;

	if (!strcmp(a, b) || same_but_for_variant(a, b))
		return false;
	if (may_be_mangled(a))
		shown_a = hd_demangle(a, false);
	if (may_be_mangled(b))
		shown_b = hd_demangle(b, false);
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

bool hd_alias_second_wins(const struct hd_symtable *t, const struct hd_symraw *a, const struct hd_symraw *b)
{
	unsigned differ = a->flags ^ b->flags;

	if (!a->size != !b->size)
		return !a->size;
	if (differ & HD_SYM_WEAK)
		return a->flags & HD_SYM_WEAK;
	if (differ & HD_SYM_GLOBAL)
		return b->flags & HD_SYM_GLOBAL;
	return second_name_wins(hd_symtable_str(t, a->name), hd_symtable_str(t, b->name));
}
