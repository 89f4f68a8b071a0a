/*
 * tracepoint_format.c - see tracepoint_format.h
 */
#include "perfdata/tracepoint_format.h"

#include <stdbool.h>
#include <string.h>

struct scan {
	const char *p, *end;
};

static bool word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool scan_text(struct scan *s, const char *text)
{
	size_t n = strlen(text);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, text, n))
		return false;
	s->p += n;
	return true;
}

static size_t scan_word(struct scan *s, const char **word)
{
	*word = s->p;
	while (s->p < s->end && word_char(*s->p))
		s->p++;
	return (size_t)(s->p - *word);
}

static bool scan_number(struct scan *s, const char *key, unsigned int *v)
{
	size_t digits = 0;

	*v = 0;
	if (!scan_text(s, key))
		return false;
	for (; s->p < s->end && *s->p >= '0' && *s->p <= '9' && digits < 6; digits++)
		*v = *v * 10 + (unsigned int)(*s->p++ - '0');
	return digits && scan_text(s, ";");
}

/* libtraceevent interprets words such as LOCAL_PR_FMT as formats, so fields with such names are dropped. */
static bool is_macro(const char *word, size_t n)
{
	return n > 7 && !memcmp(word + n - 7, "_PR_FMT", 7);
}

static bool scan_decl(struct scan *s, struct hd_buf *out)
{
	bool located = false, bracket_seen = false, named = false;
	unsigned int words = 0;
	const char *word;
	size_t n;

	while (s->p < s->end && *s->p != ';') {
		if (scan_text(s, " "))
			continue;
		if (scan_text(s, "*")) {
			hd_buf_adds(out, "* ");
			named = false;
			continue;
		}
		n = scan_word(s, &word);
		if (!n || n > 64 || words == 8 || is_macro(word, n) || (word[0] >= '0' && word[0] <= '9') ||
		    (bracket_seen && (!located || named)))
			return false;
		if (!words++ && n == 10 && !memcmp(word, "__data_loc", 10))
			located = true;
		else if (words == 1 && n == 9 && !memcmp(word, "__rel_loc", 9))
			located = true;
		hd_buf_add(out, word, n);
		named = words > 1 && (!located || bracket_seen);
		if (scan_text(s, "[")) {
			const char *count;
			size_t len = scan_word(s, &count);

			if (!scan_text(s, "]") || bracket_seen || words < 2 || len > 32 || (located && len))
				return false;
			hd_buf_addf(out, "[%.*s]", (int)len, count);
			bracket_seen = true;
		}
		hd_buf_addc(out, ' ');
	}
	while (out->len && out->data[out->len - 1] == ' ')
		out->data[--out->len] = 0;
	return words >= 2 && named && scan_text(s, ";");
}

void hd_tracepoint_format_clean(const char *format, struct hd_buf *out)
{
	for (const char *line = format, *eol; *line; line = *eol ? eol + 1 : eol) {
		struct hd_buf decl = { 0 };
		unsigned int off, size, is_signed = 0;
		struct scan s;

		eol = strchrnul(line, '\n');
		s = (struct scan){ line, eol };
		if (scan_text(&s, "\tfield:") && scan_decl(&s, &decl) && scan_number(&s, "\toffset:", &off) &&
		    scan_number(&s, "\tsize:", &size)) {
			scan_number(&s, "\tsigned:", &is_signed);
			hd_buf_addf(out, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%u;\n", decl.data, off, size,
				!!is_signed);
		}
		hd_buf_release(&decl);
	}
}
