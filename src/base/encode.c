/*
 * encode.c - see encode.h
 *
 * Most encoders run the same loop, put(): copy the longest run of bytes that need no encoding in this format, then
 * encode the one character after it.  The table `care` lists which bytes need encoding in which format.
 */
#include "base/encode.h"

#include <string.h>

/* Bits of the table `care`: the formats in which a byte needs encoding. */
enum {
	CARE_V = 1 << 0,		/* all formats: controls, backslash, non-ASCII */
	CARE_FOLDED = 1 << 1,
	CARE_XML = 1 << 2,
	CARE_JSON = 1 << 3,
	CARE_SCRIPT = 1 << 4,
	CARE_CSV = 1 << 5,
	CARE_MD = 1 << 6,
};

static const uint8_t care[256] = {
	[0x00 ... 0x1f] = CARE_V,
	['"'] = CARE_XML | CARE_JSON | CARE_CSV,
	['&'] = CARE_XML | CARE_SCRIPT,
	['\''] = CARE_XML,
	[';'] = CARE_FOLDED,
	['<'] = CARE_XML | CARE_SCRIPT,
	['>'] = CARE_XML | CARE_SCRIPT,
	['\\'] = CARE_V,
	['|'] = CARE_MD,
	[0x7f ... 0xff] = CARE_V,
};

/* Valid characters that are always escaped, ascending. */
static const struct { uint32_t first, last; } hidden[] = {
	{ 0x0080, 0x009f },		/* C1 controls: terminals interpret them */
	{ 0x061c, 0x061c },		/* Arabic letter mark */
	{ 0x200b, 0x200f },		/* zero width, directional marks */
	{ 0x2028, 0x202e },		/* line and paragraph separator, bidi */
	{ 0x2060, 0x2064 },		/* invisible operators */
	{ 0x2066, 0x206f },		/* bidi isolates */
	{ 0xfdd0, 0xfdef },		/* non-characters */
	{ 0xfeff, 0xfeff },		/* byte order mark */
	{ 0xfff9, 0xfffb },		/* interlinear annotation */
	{ 0xe0000, 0xe007f },		/* tags */
};

/*
 * The rules of strict UTF-8, by lead byte.  The range of the second byte excludes overlong forms, surrogates and code
 * points above U+10FFFF.
 */
static const struct {
	uint8_t lead_lo, lead_hi, second_lo, second_hi, len;
} utf8[] = {
	{ 0xc2, 0xdf, 0x80, 0xbf, 2 },
	{ 0xe0, 0xe0, 0xa0, 0xbf, 3 },
	{ 0xe1, 0xec, 0x80, 0xbf, 3 },
	{ 0xed, 0xed, 0x80, 0x9f, 3 },
	{ 0xee, 0xef, 0x80, 0xbf, 3 },
	{ 0xf0, 0xf0, 0x90, 0xbf, 4 },
	{ 0xf1, 0xf3, 0x80, 0xbf, 4 },
	{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

size_t hd_utf8_decode(const char *s, size_t n, uint32_t *cp)
{
	const uint8_t *b = (const uint8_t *)s;

	if (b[0] < 0x80) {
		*cp = b[0];
		return 1;
	}
	for (size_t i = 0; i < sizeof(utf8) / sizeof(utf8[0]); i++) {
		uint32_t c;

		if (b[0] < utf8[i].lead_lo || b[0] > utf8[i].lead_hi)
			continue;
		if (n < utf8[i].len || b[1] < utf8[i].second_lo || b[1] > utf8[i].second_hi)
			return 0;
		c = b[0] & (0x7fu >> utf8[i].len);
		for (size_t k = 1; k < utf8[i].len; k++) {
			if ((b[k] & 0xc0) != 0x80)
				return 0;
			c = c << 6 | (b[k] & 0x3f);
		}
		*cp = c;
		return utf8[i].len;
	}
	return 0;
}

static bool is_hidden(uint32_t cp)
{
	if ((cp & 0xfffe) == 0xfffe)	/* the last two code points of each plane */
		return true;
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (cp <= hidden[i].last)
			return cp >= hidden[i].first;
	return false;
}

static void put_hex(struct hd_buf *out, uint8_t byte, unsigned sink)
{
	static const char hex[] = "0123456789abcdef";
	char esc[] = { '\\', '\\', 'x', hex[byte >> 4], hex[byte & 15] };

	if (sink & CARE_JSON)		/* the backslash of an escape is doubled in JSON */
		hd_buf_add(out, esc, 5);
	else
		hd_buf_add(out, esc + 1, 4);
}

/* Write the character at s in the visible form (encode.h).  Returns the length of the character in the input. */
static size_t put_visible(struct hd_buf *out, const char *s, size_t n, unsigned sink)
{
	const char *bs = sink & CARE_JSON ? "\\\\" : "\\";
	uint32_t cp;
	size_t len;

	if (*s == '\\') {
		hd_buf_adds(out, bs);
		hd_buf_adds(out, bs);
		return 1;
	}
	len = hd_utf8_decode(s, n, &cp);
	if (len == 0 || cp < 0x20 || cp == 0x7f) {
		put_hex(out, (uint8_t)*s, sink);
		return 1;
	}
	if (is_hidden(cp))
		hd_buf_addf(out, "%su{%x}", bs, (unsigned)cp);
	else
		hd_buf_add(out, s, len);
	return len;
}

/* Encode a byte that is special in this format. */
static void put_special(struct hd_buf *out, char c, unsigned sink)
{
	if (sink & CARE_XML) {
		hd_buf_adds(out,
			c == '&'           ? "&amp;"
				: c == '<' ? "&lt;"
				: c == '>' ? "&gt;"
				: c == '"' ? "&quot;"
					   : "&#39;");
	} else if (c == '"') {
		hd_buf_adds(out, sink & CARE_JSON ? "\\\"" : "\"\"");
	} else if (sink & CARE_SCRIPT) {
		hd_buf_addf(out, "\\u%04x", (unsigned)c);
	} else if (sink & CARE_FOLDED) {
		put_hex(out, (uint8_t)c, sink);
	} else {
		hd_buf_addc(out, '\\');
		hd_buf_addc(out, c);
	}
}

/* a word whose eight bytes all have this value */
#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Return non-zero if a byte of w is 0. */
static inline uint64_t zero_in(uint64_t w)
{
	return (w - EACH(1)) & ~w & EACH(0x80);
}

/* Return non-zero if a byte of w needs encoding in all formats: a control character, a backslash, or 0x7f or above. */
static inline uint64_t cared_for_in(uint64_t w)
{
	return ((w - EACH(0x20)) & ~w & EACH(0x80)) | (w & EACH(0x80)) | zero_in(w ^ EACH('\\')) |
		zero_in(w ^ EACH(0x7f));
}

/* Return non-zero if a byte of w needs encoding in the format `sink` but not in all formats (see the table `care`). */
static inline uint64_t special_in(uint64_t w, unsigned sink)
{
	uint64_t found = 0;

	if (sink & (CARE_XML | CARE_JSON | CARE_CSV))
		found |= zero_in(w ^ EACH('"'));
	if (sink & (CARE_XML | CARE_SCRIPT))
		found |= zero_in(w ^ EACH('&')) | zero_in(w ^ EACH('<')) | zero_in(w ^ EACH('>'));
	if (sink & CARE_XML)
		found |= zero_in(w ^ EACH('\''));
	if (sink & CARE_FOLDED)
		found |= zero_in(w ^ EACH(';'));
	if (sink & CARE_MD)
		found |= zero_in(w ^ EACH('|'));
	return found;
}

/* Return the number of bytes from s on that need no encoding in this format. */
static inline size_t plain_run(const char *s, size_t n, unsigned sink)
{
	size_t i = 0;
	uint64_t w;

	for (; i + sizeof(w) <= n; i += sizeof(w)) {
		memcpy(&w, s + i, sizeof(w));
		if (cared_for_in(w) | special_in(w, sink))
			break;
	}
	while (i < n && !(care[(uint8_t)s[i]] & (sink | CARE_V)))
		i++;
	return i;
}

static inline void put(struct hd_buf *out, const char *s, size_t n, unsigned sink)
{
	for (size_t i = 0; i < n;) {
		size_t run = plain_run(s + i, n - i, sink);

		if (run)
			hd_buf_add(out, s + i, run);
		i += run;
		if (i == n)
			break;
		if (care[(uint8_t)s[i]] & CARE_V) {
			i += put_visible(out, s + i, n - i, sink);
		} else {
			put_special(out, s[i], sink);
			i++;
		}
	}
}

static bool is_pseudo(const char *s, size_t n)
{
	return n == strlen(HD_UNKNOWN) && !memcmp(s, HD_UNKNOWN, n);
}

/* Like put(), but write `\e` for an empty name, and escape a real name that equals the pseudo-name. */
static void put_text(struct hd_buf *out, const char *s, size_t n, unsigned sink)
{
	if (n == 0) {
		hd_buf_adds(out, "\\e");
	} else if (is_pseudo(s, n)) {
		put_hex(out, (uint8_t)s[0], 0);
		put(out, s + 1, n - 1, sink);
	} else {
		put(out, s, n, sink);
	}
}

void hd_enc_visible(struct hd_buf *out, const char *s, size_t n)
{
	put(out, s, n, 0);
}

char *hd_enc_visible_new(const char *s)
{
	struct hd_buf v = { 0 };

	if (!s)
		return NULL;
	hd_enc_visible(&v, s, strlen(s));
	hd_buf_adds(&v, "");
	return hd_buf_take(&v);
}

void hd_enc_term(struct hd_buf *out, const char *s, size_t n)
{
	put_text(out, s, n, 0);
}

void hd_enc_xml(struct hd_buf *out, const char *s, size_t n)
{
	put_text(out, s, n, CARE_XML);
}

void hd_enc_entities(struct hd_buf *out, const char *text, size_t n)
{
	for (size_t i = 0, from = 0; i < n;) {
		uint64_t w;

		for (; i + sizeof(w) <= n; i += sizeof(w)) {
			memcpy(&w, text + i, sizeof(w));
			if (special_in(w, CARE_XML))
				break;
		}
		while (i < n && !(care[(uint8_t)text[i]] & CARE_XML))
			i++;
		hd_buf_add(out, text + from, i - from);
		if (i < n)
			put_special(out, text[i++], CARE_XML);
		from = i;
	}
}

bool hd_enc_json_is_plain(const char *s, size_t n)
{
	return plain_run(s, n, CARE_JSON) == n;
}

void hd_enc_json(struct hd_buf *out, const char *s, size_t n)
{
	if (plain_run(s, n, CARE_JSON) == n) {		/* nearly all names */
		char *to = hd_buf_reserve(out, n + 2);

		*to = '"';
		memcpy(to + 1, s, n);
		memcpy(to + 1 + n, "\"", 2);
		out->len += n + 2;
		return;
	}
	hd_buf_addc(out, '"');
	put(out, s, n, CARE_JSON);
	hd_buf_addc(out, '"');
}

void hd_enc_json_canonical(struct hd_buf *out, const char *s, size_t n)
{
	static const char short_form[32] = { ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r' };

	hd_buf_addc(out, '"');
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '"' || c == '\\')
			hd_buf_addf(out, "\\%c", c);
		else if (c >= 0x20)
			hd_buf_addc(out, (char)c);
		else if (short_form[c])
			hd_buf_addf(out, "\\%c", short_form[c]);
		else
			hd_buf_addf(out, "\\u%04x", c);
	}
	hd_buf_addc(out, '"');
}

void hd_enc_json_script(struct hd_buf *out, const char *s, size_t n)
{
	hd_buf_addc(out, '"');
	put(out, s, n, CARE_JSON | CARE_SCRIPT);
	hd_buf_addc(out, '"');
}

void hd_enc_csv(struct hd_buf *out, const char *s, size_t n)
{
	hd_buf_addc(out, '"');
	if (n && strchr("=+-@", s[0]) && s[0]) {	/* spreadsheets would interpret it as a formula */
		put_hex(out, (uint8_t)s[0], 0);
		s++;
		n--;
	}
	put(out, s, n, CARE_CSV);
	hd_buf_addc(out, '"');
}

void hd_enc_shell(struct hd_buf *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,@%+-";
	size_t n = strlen(word), doubled = n;
	struct hd_buf v = { 0 };

	if (n && strspn(word, plain) == n) {
		hd_buf_add(out, word, n);
		return;
	}
	for (const char *c = word; *c; c++)
		doubled += *c == '\\';
	hd_enc_visible(&v, word, n);
	if (v.len == doubled) {		/* no byte was escaped, so all are safe on a terminal */
		hd_buf_addc(out, '\'');
		for (const char *c = word; *c; c++)
			hd_buf_adds(out, *c == '\'' ? "'\\''" : (char[]){ *c, '\0' });
	} else {
		hd_buf_adds(out, "$'");
		for (const unsigned char *c = (const unsigned char *)word; *c; c++)
			hd_buf_addf(out, *c < ' ' || *c > '~' || *c == '\'' || *c == '\\' ? "\\x%02x" : "%c", *c);
	}
	hd_buf_addc(out, '\'');
	hd_buf_release(&v);
}

/*
 * Return true if a name in a Markdown code span needs a space at each end.  Without the space, a backtick at an end of
 * the name would become a part of the fence.  A name that already looks padded is padded again, so that different names
 * have different texts.
 */
static bool needs_padding(const char *s, size_t n)
{
	for (; n >= 2 && s[0] == ' ' && s[n - 1] == ' '; n -= 2)
		s++;
	return n && (s[0] == '`' || s[n - 1] == '`');
}

void hd_enc_md(struct hd_buf *out, const char *s, size_t n)
{
	size_t run = 0, longest = 0;
	bool pad = needs_padding(s, n);

	for (size_t i = 0; i < n; i++) {
		run = s[i] == '`' ? run + 1 : 0;
		if (run > longest)
			longest = run;
	}
	for (size_t i = 0; i <= longest; i++)
		hd_buf_addc(out, '`');
	if (pad)
		hd_buf_addc(out, ' ');
	put_text(out, s, n, CARE_MD);
	if (pad)
		hd_buf_addc(out, ' ');
	for (size_t i = 0; i <= longest; i++)
		hd_buf_addc(out, '`');
}

/* ---- folded text ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Return the position of a byte near the end that a parser of folded text would misinterpret, or n.  This is a final
 * space, the space before a last word that looks like a count (`main 99`, `main 1.5`), or the bracket of an annotation
 * such as `_[k]`.
 */
static size_t folded_tail(const char *s, size_t n)
{
	size_t i = n;

	if (s[n - 1] == ' ')
		return n - 1;
	if (s[n - 1] == ']')
		return n >= 4 && s[n - 4] == '_' && s[n - 3] == '[' && (s[n - 2] | 32) >= 'a' && (s[n - 2] | 32) <= 'z'
			? n - 3
			: n;
	if (!is_digit(s[n - 1]) && s[n - 1] != '.')
		return n;
	while (i > 0 && is_digit(s[i - 1]))
		i--;
	if (i > 0 && s[i - 1] == '.')
		for (i--; i > 0 && is_digit(s[i - 1]);)
			i--;
	return i > 0 && s[i - 1] == ' ' && is_digit(s[i]) ? i - 1 : n;
}

void hd_enc_folded(struct hd_buf *out, const char *s, size_t n)
{
	size_t tail;

	if (n == 0 || is_pseudo(s, n)) {
		put_text(out, s, n, CARE_FOLDED);
		return;
	}
	tail = folded_tail(s, n);
	if (s[0] == ' ' || s[0] == '#' || (s[0] == ':' && n > 1 && s[1] == ':')) {
		put_hex(out, (uint8_t)s[0], 0);
		if (tail == 0)
			tail = n;
		tail--;
		s++;
		n--;
	}
	put(out, s, tail, CARE_FOLDED);
	if (tail < n) {
		put_hex(out, (uint8_t)s[tail], 0);
		put(out, s + tail + 1, n - tail - 1, CARE_FOLDED);
	}
}

static int hex_value(char c)
{
	return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void hd_utf8_add(struct hd_buf *out, uint32_t cp)
{
	char b[4];
	size_t n = 0;

	if (cp < 0x80) {
		hd_buf_addc(out, (char)cp);
		return;
	}
	if (cp < 0x800) {
		b[n++] = (char)(0xc0 | cp >> 6);
	} else {
		if (cp < 0x10000) {
			b[n++] = (char)(0xe0 | cp >> 12);
		} else {
			b[n++] = (char)(0xf0 | cp >> 18);
			b[n++] = (char)(0x80 | (cp >> 12 & 0x3f));
		}
		b[n++] = (char)(0x80 | (cp >> 6 & 0x3f));
	}
	b[n++] = (char)(0x80 | (cp & 0x3f));
	hd_buf_add(out, b, n);
}

/* Return true for bytes that the encoder can write as \xHH; it writes ` #:;[` so only where they are special. */
static bool is_hexed(uint8_t c)
{
	return c < 0x20 || c >= 0x7f || memchr(" #:;[", c, 5);
}

/* Decode the escape at s (a backslash).  Return its length, or 0 if the encoder does not write such an escape. */
static size_t undo_escape(struct hd_buf *out, const char *s, size_t n)
{
	uint32_t cp = 0;
	size_t i;

	if (n >= 2 && s[1] == '\\') {
		hd_buf_addc(out, '\\');
		return 2;
	}
	if (n >= 4 && s[1] == 'x' && hex_value(s[2]) >= 0 && hex_value(s[3]) >= 0) {
		cp = (uint32_t)(hex_value(s[2]) << 4 | hex_value(s[3]));
		if (!is_hexed((uint8_t)cp))
			return 0;
		hd_buf_addc(out, (char)cp);
		return 4;
	}
	if (n >= 5 && s[1] == 'u' && s[2] == '{' && s[3] != '0') {
		for (i = 3; i < n && i < 9 && hex_value(s[i]) >= 0; i++)
			cp = cp << 4 | (uint32_t)hex_value(s[i]);
		if (i == n || s[i] != '}' || cp > 0x10ffff || !is_hidden(cp))
			return 0;
		hd_utf8_add(out, cp);
		return i + 1;
	}
	return 0;
}

void hd_decode_folded(struct hd_buf *out, const char *s, size_t n)
{
	if (n == 2 && s[0] == '\\' && s[1] == 'e')
		return;
	for (size_t i = 0; i < n;) {
		const char *bs = memchr(s + i, '\\', n - i);
		size_t run = bs ? (size_t)(bs - s) - i : n - i, esc;

		hd_buf_add(out, s + i, run);
		i += run;
		if (!bs)
			break;
		esc = undo_escape(out, bs, n - i);
		if (esc == 0)
			hd_buf_addc(out, '\\');
		i += esc ? esc : 1;
	}
}
