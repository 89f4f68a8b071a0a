/*
 * symbol_name.c - see symbol_name.h
 */
#include "base/symbol_name.h"

#include "base/mem.h"

#include <stdbool.h>
#include <string.h>

/*
 * Lengths of the hashes in symbol names, in hexadecimal digits.  MIN_CRATE is a minimum, because leading zeros of the
 * hash of a crate are omitted.
 */
enum {
	RUST_HASH = 16,
	MIN_CRATE = 8,
	MIN_MODULE = 16
};

/* Suffixes that compilers append; each may be followed by a dot and a number. */
static const char *const suffixes[] = {
	".cold", ".constprop", ".isra", ".part", ".llvm", ".lto_priv", ".localalias", ".__uniq", ".argelim", ".clone",
	".specialized", ".retelim", ".argprom", ".cfi",
};

static size_t hex_digits(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && ((s[i] >= '0' && s[i] <= '9') || (s[i] >= 'a' && s[i] <= 'f')))
		i++;
	return i;
}

/*
 * Return the length of the name without one compiler suffix and its number.  Returns n if the name has no such suffix.
 */
static size_t without_suffix(const char *s, size_t n)
{
	size_t end = n;

	while (end > 0 && s[end - 1] >= '0' && s[end - 1] <= '9')
		end--;
	end = end > 0 && end < n && s[end - 1] == '.' ? end - 1 : n;
	for (size_t i = 0; i < HD_COUNT(suffixes); i++) {
		size_t len = strlen(suffixes[i]);

		if (end > len && !memcmp(s + end - len, suffixes[i], len))
			return end - len;
	}
	return n;
}

/*
 * Return the length of the name without a suffix as demanglers write it: ` [clone .part.0]`.  Returns n if there is
 * none.
 */
static size_t without_clone(const char *s, size_t n)
{
	static const char open[] = " [clone .";
	const char *at;

	if (n < sizeof(open) || s[n - 1] != ']')
		return n;
	at = memrchr(s, '[', n);
	if (!at || at == s || (size_t)(s + n - at) < sizeof(open) || memcmp(at - 1, open, sizeof(open) - 1))
		return n;
	return at - 1 > s ? (size_t)(at - 1 - s) : n;
}

/*
 * Return the length of the name without `::h` and 16 digits (Rust's legacy mangling).  Returns n if it does not end so.
 */
static size_t without_hash(const char *s, size_t n)
{
	size_t tail = RUST_HASH + 3;

	if (n <= tail || memcmp(s + n - tail, "::h", 3) || hex_digits(s + n - RUST_HASH, RUST_HASH) != RUST_HASH)
		return n;
	return n - tail;
}

/*
 * LLVM names an unnamed global (a function or a variable) anon.HASH.N.  Return the length of such a name without
 * .HASH.N, or n for other names.  HASH identifies the module, and N is the index among its unnamed globals.  Both
 * change when other parts of the module change.
 */
static size_t without_module(const char *s, size_t n)
{
	size_t end = n, hash;

	while (end > 0 && s[end - 1] >= '0' && s[end - 1] <= '9')
		end--;
	if (end == n || end < 1 || s[end - 1] != '.')
		return n;
	for (hash = --end; hash > 0 && hex_digits(s + hash - 1, 1); hash--)
		;
	if (end - hash < MIN_MODULE || hash < 5 || memcmp(s + hash - 5, "anon.", 5) || (hash > 5 && s[hash - 6] != '.'))
		return n;
	return hash - 1;
}

/* Remove the crate ids of Rust's v0 mangling: `crate[16af0aa4f1d40934]::`. */
static void drop_crate_ids(char *s)
{
	char *to = s;

	for (char *from = s; *from;) {
		size_t digits = *from == '[' ? hex_digits(from + 1, RUST_HASH) : 0;

		if (digits >= MIN_CRATE && from > s && !strncmp(from + 1 + digits, "]::", 3))
			from += digits + 2;
		else
			*to++ = *from++;
	}
	*to = '\0';
}

char *hd_symbol_name_normalize(const char *name)
{
	size_t n = strlen(name), was;
	char *normal;

	do {
		was = n;
		n = without_suffix(name, n);
		n = without_clone(name, n);
		n = without_hash(name, n);
		n = without_module(name, n);
	} while (n != was);
	normal = hd_strndup(name, n);
	drop_crate_ids(normal);
	return normal;
}
