/*
 * argv.c - see argv.h
 */
#include "base/argv.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void hd_argv_add(struct hd_argv *c, const char *word, size_t n)
{
	HD_GROW(c->argv, c->argc + 2, c->cap);
	c->argv[c->argc++] = hd_strndup(word, n);
	c->argv[c->argc] = NULL;
}

void hd_argv_release(struct hd_argv *c)
{
	for (size_t i = 0; i < c->argc; i++)
		free(c->argv[i]);
	free(c->argv);
	*c = (struct hd_argv){ 0 };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/*
 * Append the content of a quoted string to `word`.  s points to the byte after the opening quote.  Return the position
 * after the closing quote, or NULL if there is no closing quote.
 */
static const char *quoted(struct hd_buf *word, const char *s, char quote)
{
	for (; *s && *s != quote; s++) {
		if (quote == '"' && *s == '\\' && (s[1] == '"' || s[1] == '\\'))
			s++;
		hd_buf_addc(word, *s);
	}
	return *s ? s + 1 : NULL;
}

int hd_argv_split(struct hd_argv *out, const char *text, struct hd_err *err)
{
	struct hd_buf word = { 0 };
	const char *s = text;

	*out = (struct hd_argv){ 0 };
	for (;;) {
		while (is_blank(*s))
			s++;
		if (!*s)
			break;
		hd_buf_reset(&word);
		while (s && *s && !is_blank(*s)) {
			if (*s == '\'' || *s == '"') {
				s = quoted(&word, s + 1, *s);
				continue;
			}
			if (*s == '\\' && s[1])
				s++;
			hd_buf_addc(&word, *s++);
		}
		if (!s) {
			hd_buf_release(&word);
			hd_argv_release(out);
			return hd_fail(err, HD_EUSAGE, "a quote in '%.200s' is not closed", text);
		}
		hd_argv_add(out, hd_buf_str(&word), word.len);
	}
	hd_buf_release(&word);
	if (!out->argc)
		return hd_fail(err, HD_EUSAGE, "a command is empty");
	return 0;
}

void hd_argv_shell(struct hd_argv *out, const char *text)
{
	*out = (struct hd_argv){ 0 };
	hd_argv_add(out, "sh", 2);
	hd_argv_add(out, "-c", 2);
	hd_argv_add(out, text, strlen(text));
}

void hd_argv_quote(struct hd_buf *out, const struct hd_argv *c)
{
	for (size_t i = 0; i < c->argc; i++) {
		const char *w = c->argv[i];

		hd_buf_adds(out, i ? " " : "");
		if (*w && !w[strcspn(w, " \t\r\n'\"\\")]) {
			hd_buf_adds(out, w);
			continue;
		}
		hd_buf_addc(out, '\'');
		for (; *w; w++) {
			if (*w == '\'')
				hd_buf_adds(out, "'\\''");
			else
				hd_buf_addc(out, *w);
		}
		hd_buf_addc(out, '\'');
	}
}
