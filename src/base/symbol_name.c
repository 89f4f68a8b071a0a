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
}; /* hexadecimal digits; a crate's hash may have fewer if it starts with zeros */

/* Suffixes that compilers append; each may be followed by a number. */
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

/* Return the length without one such suffix and its number, or n. */
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

/* Return the length without ` [clone .part.0]`, the demangler's form of such a suffix, or n. */
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

/* Return the length without `::h` and 16 digits (Rust's legacy mangling), or n. */
static size_t without_hash(const char *s, size_t n)
{
	size_t tail = RUST_HASH + 3;

	if (n <= tail || memcmp(s + n - tail, "::h", 3) || hex_digits(s + n - RUST_HASH, RUST_HASH) != RUST_HASH)
		return n;
	return n - tail;
}

/*
 * Return the length without `.HASH.N` of `anon.HASH.N`, LLVM's name for an unnamed function, or n.  HASH identifies its
 * module and N its index among the unnamed functions; both change when other parts of the module do.
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
