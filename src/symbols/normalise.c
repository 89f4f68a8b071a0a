/*
 * normalise.c - turn a symbol name into one that stays the same from build to build
 *
 * Compilers number their clones: `parse.constprop.0` of one build may be `parse.constprop.1` of the next, and both are
 * `parse` in a comparison.  These suffixes are removed.  Then the name is demangled without parameters, which also
 * removes the hashes of Rust.
 */
#include "symbols/symbols.h"

#include "base/buf.h"
#include "base/mem.h"
#include "elf/demangle.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Suffixes that compilers append to names.  A number must follow (NUMBER; HEX: hexadecimal) or can follow (MAYBE). */
static const struct { const char *text; enum { NUMBER, MAYBE, HEX } then; } suffixes[] = {
	{ ".constprop", NUMBER }, { ".isra", NUMBER }, { ".part", NUMBER }, { ".cold", MAYBE },
	{ ".lto_priv", NUMBER }, { ".llvm", HEX }, { ".localalias", MAYBE }, { ".__uniq", NUMBER },
	{ ".clone", NUMBER }, { ".specialized", NUMBER },
};

static bool is_number(const char *s, bool hex)
{
	if (!*s)
		return false;
	for (; *s; s++)
		if (hex ? !isxdigit((unsigned char)*s) : !isdigit((unsigned char)*s))
			return false;
	return true;
}

/* Return true if s[0..n) is a suffix that `number` may follow (NULL: no number). */
static bool is_suffix(const char *s, size_t n, const char *number)
{
	for (size_t i = 0; i < HD_COUNT(suffixes); i++)
		if (strlen(suffixes[i].text) == n && !memcmp(s, suffixes[i].text, n))
			return number ? is_number(number, suffixes[i].then == HEX) : suffixes[i].then == MAYBE;
	return false;
}

/* Remove one suffix from the end of the n bytes at s.  Returns the remaining length. */
static size_t strip_one(char *s, size_t n)
{
	char *dot = memrchr(s, '.', n), *before;

	if (!dot || dot == s)
		return n;
	if (is_suffix(dot, n - (size_t)(dot - s), NULL)) {
		*dot = '\0';
		return (size_t)(dot - s);
	}
	before = memrchr(s, '.', (size_t)(dot - s));
	if (!before || before == s || !is_suffix(before, (size_t)(dot - before), dot + 1))
		return n;
	*before = '\0';
	return (size_t)(before - s);
}

char *hd_symbol_normalise(const char *linkage)
{
	/* Suffixes are removed from the part before the first @.  What follows, a version or @plt, is kept. */
	size_t n = strcspn(linkage, "@");
	struct hd_buf name = { 0 };
	char *whole, *shown;
	size_t left = n, was;

	hd_buf_add(&name, linkage, n);
	do {
		was = left;
		left = strip_one(name.data, left);
	} while (left != was);
	name.len = left;
	hd_buf_adds(&name, linkage + n);
	whole = hd_buf_take(&name);
	shown = hd_demangle(whole, false);
	if (!shown)
		return whole;
	free(whole);
	return shown;
}
