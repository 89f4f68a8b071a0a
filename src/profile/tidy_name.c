/*
 * tidy_name.c - see tidy_name.h
 */
#include "profile/tidy_name.h"

#include "base/encode.h"
#include "base/hex.h"

#include <string.h>

static bool begins(const char *s, size_t n, const char *with)
{
	return n >= strlen(with) && !memcmp(s, with, strlen(with));
}

/*
 * If `operator` begins at s[i], return its length with that of the characters <>=- that follow, as in `operator<<`;
 * else 0.  call: `()` is counted, too, if it follows.
 */
static size_t operator_at(const char *s, size_t n, size_t i, bool call)
{
	static const char word[] = "operator";
	size_t len = strlen(word);

	if (!begins(s + i, n - i, word))
		return 0;
	if (call && begins(s + i + len, n - i - len, "()"))
		return len + 2;
	while (i + len < n && strchr("<>=-", s[i + len]))
		len++;
	return len;
}

/* Return the offset of the `(` that begins the parameters, or n.  call: skip the `()` of a name `operator()`. */
static size_t parameters(const char *s, size_t n, bool call)
{
	size_t depth = 0;

	for (size_t i = 0; i < n; i++) {
		size_t op = s[i] == 'o' ? operator_at(s, n, i, call) : 0;

		if (op) {
			i += op - 1;
		} else if (s[i] == '<' || s[i] == '{') {
			depth++;
		} else if (s[i] == '>' || s[i] == '}') {
			depth -= depth > 0;
		} else if (s[i] == '(' && !depth && i && s[i - 1] != '.' &&
			!begins(s + i, n - i, "(anonymous namespace)")) {
			return i;
		}
	}
	return n;
}

/*
 * s[open] is a `(`.  If it begins the parameters of a function and a local name follows, as in `f(int) const::g`,
 * return the offset of the `::`.  Otherwise return n.
 */
static size_t local_name(const char *s, size_t n, size_t open)
{
	static const char *const qualifiers[] = { " const", " volatile", " &&", " &" };
	size_t i = open, depth = 0;

	do {
		depth += s[i] == '(';
		depth -= s[i] == ')';
		i++;
	} while (i < n && depth);
	for (size_t q = 0; q < sizeof(qualifiers) / sizeof(qualifiers[0]); q++)
		if (begins(s + i, n - i, qualifiers[q]))
			i += strlen(qualifiers[q]);
	return begins(s + i, n - i, "::") ? i : n;
}

size_t hd_name_without_parameters(const char *s, size_t n)
{
	size_t i = parameters(s, n, true);

	while (i < n) {
		size_t local = local_name(s, n, i);

		if (local == n)
			break;
		i = local + parameters(s + local, n - local, true);
	}
	return i;
}

/* Decode a Rust escape such as $LT$ at `s`, and append its text.  Returns the length of the escape; 0: none. */
static size_t rust_escape(struct hd_buf *out, const char *s, size_t n)
{
	static const char *const table[][2] = {
		{ "$SP$", "@" }, { "$BP$", "*" }, { "$RF$", "&" }, { "$LT$", "<" }, { "$GT$", ">" }, { "$LP$", "(" },
		{ "$RP$", ")" }, { "$C$", "," },
	};
	uint32_t cp = 0;
	size_t i = 2;

	for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); k++) {
		if (begins(s, n, table[k][0])) {
			hd_buf_adds(out, table[k][1]);
			return strlen(table[k][0]);
		}
	}
	if (!begins(s, n, "$u"))
		return 0;
	for (; i < n && i < 8 && hd_hex_digit(s[i]) >= 0; i++)
		cp = cp << 4 | (uint32_t)hd_hex_digit(s[i]);
	if (i == 2 || i == n || s[i] != '$' || cp < 0x20 || cp > 0x10ffff)
		return 0;
	hd_utf8_add(out, cp);
	return i + 1;
}

bool hd_rust_unescape(struct hd_buf *out, const char *s, size_t n)
{
	enum { HASH = 19 };	/* `::h` and 16 digits */

	if (n <= HASH || !begins(s + n - HASH, n, "::h"))
		return false;
	for (size_t i = n - 16; i < n; i++)
		if (hd_hex_digit(s[i]) < 0)
			return false;
	n -= HASH;
	if (begins(s, n, "_$")) {
		s++;
		n--;
	}
	for (size_t i = 0; i < n;) {
		size_t len = s[i] == '$' ? rust_escape(out, s + i, n - i) : 0;

		if (!len && begins(s + i, n - i, "..")) {
			hd_buf_adds(out, "::");
			len = 2;
		} else if (!len) {
			hd_buf_addc(out, s[i]);
			len = 1;
		}
		i += len;
	}
	return true;
}

bool hd_object_is_jit(const char *object)
{
	size_t n = strlen(object);
	const char *jitted = strstr(object, "jitted-");

	return !strcmp(object, "[jit]") ||
		(begins(object, n, "/tmp/perf-") && n > 4 && !strcmp(object + n - 4, ".map")) ||
		(jitted && n > 3 && !strcmp(object + n - 3, ".so"));
}

bool hd_object_is_bracketed(const char *object)
{
	return object[0] == '[' && strcmp(object, HD_UNKNOWN) && strcmp(object, "[jit]") && strcmp(object, "[folded]");
}

void hd_tidy_name(struct hd_buf *out, const struct hd_tidy_frame *f)
{
	const char *file = strrchr(f->object, '/'), *s = f->name;
	size_t n = f->name ? parameters(f->name, f->n, false) : 0;
	bool jit = hd_object_is_jit(f->object);

	if (!f->name) {
		if (strcmp(f->object, HD_UNKNOWN))
			hd_buf_addf(out, "[%s]", file ? file + 1 : f->object);
		else
			hd_buf_adds(out, HD_UNKNOWN);
		return;
	}
	if (f->java && n > 1 && s[0] == 'L' && memchr(s, '/', n)) {
		s++;
		n--;
	}
	for (size_t i = 0; i < n; i++)
		if (!jit || (s[i] != '"' && s[i] != '\''))
			hd_buf_addc(out, s[i] == ';' ? ':' : s[i]);
}
