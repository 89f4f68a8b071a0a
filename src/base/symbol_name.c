/*
 * symbol_name.c - see symbol_name.h
 */
#include "base/symbol_name.h"

#include "base/mem.h"

#include <stdbool.h>
#include <string.h>

enum {
	RUST_HASH = 16,
	MIN_CRATE = 8,
	MIN_MODULE = 16
}; /* hexadecimal digits; a crate's may be shorter by leading zeros */

/* Compilers' suffixes; a number may follow each. */
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

/* Bytes left of the n at s when a suffix with or without a number is taken off, else n. */
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

/* `NAME [clone .part.0]`: the demangler's way to say the same. */
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

/* `PATH::h` and 16 digits: Rust's legacy mangling. */
static size_t without_hash(const char *s, size_t n)
{
	size_t tail = RUST_HASH + 3;

	if (n <= tail || memcmp(s + n - tail, "::h", 3) || hex_digits(s + n - RUST_HASH, RUST_HASH) != RUST_HASH)
		return n;
	return n - tail;
}

/*
 * `anon.HASH.N`: LLVM's name for a function without one.  HASH is that of its module, N its place among those without a name.
 * Both change when something else in the module does.
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

/* `crate[16af0aa4f1d40934]::`: Rust's v0 mangling. */
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
