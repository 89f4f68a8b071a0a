/*
 * log.c - see log.h
 */
#include "base/log.h"

#include "base/buf.h"
#include "base/encode.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct hd_warning *hd_log_find(const struct hd_log *log, const char *code)
{
	for (size_t i = 0; i < log->n; i++)
		if (!strcmp(log->items[i].code, code))
			return &log->items[i];
	return NULL;
}

/* Return the text as rewritten by log->amend(), or unchanged if that is not set.  Takes ownership of `text`. */
static char *amended(const struct hd_log *log, char *text)
{
	struct hd_buf b = { 0 };

	if (!log->amend)
		return text;
	log->amend(&b, text, log->amend_arg);
	free(text);
	return hd_buf_take(&b);
}

void hd_warn_n(struct hd_log *log, const char *code, uint64_t count, const char *fix, const char *fmt, ...)
{
	struct hd_warning *w = (struct hd_warning *)hd_log_find(log, code);
	struct hd_buf text = { 0 };
	va_list ap;

	if (w) {
		w->count += count;
		return;
	}
	va_start(ap, fmt);
	hd_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	HD_GROW(log->items, log->n + 1, log->cap);
	log->items[log->n++] = (struct hd_warning){
		.code = hd_strdup(code), .count = count,
		.text = amended(log, hd_buf_take(&text)), .fix = amended(log, hd_strdup(fix ? fix : "")),
	};
}

void hd_log_add(struct hd_log *to, const struct hd_log *from)
{
	for (size_t i = 0; i < from->n; i++)
		hd_warn_n(to, from->items[i].code, from->items[i].count, from->items[i].fix, "%s", from->items[i].text);
}

static bool colours(FILE *to)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(to)) && !(no_color && *no_color) && !(term && !strcmp(term, "dumb"));
}

enum {
	/* number of input bytes per call of the encoder, which can write four bytes for each of them */
	PIECE = 256,
	LINE = 16 * PIECE,
};

/* A line of any length, written through a buffer of fixed size. */
struct line {
	FILE *to;
	/*
	 * text.data is `room`, which must not be freed.  flush_line() is called before `room` is full, so hd_buf_add()
	 * never reallocates it.
	 */
	struct hd_buf text;
	char room[LINE];
};

static void flush_line(struct line *l)
{
	fwrite(l->text.data, 1, l->text.len, l->to);
	hd_buf_reset(&l->text);
}

/* Append the n bytes at `s`, encoded or unchanged. */
static void add_piece(struct line *l, const char *s, size_t n, bool encoded)
{
	if (l->text.len + 4 * n + 4 > LINE)
		flush_line(l);
	if (encoded)
		hd_enc_visible(&l->text, s, n);
	else
		hd_buf_add(&l->text, s, n);
}

/* Append a text of any length in pieces that end between two characters. */
static void add_text(struct line *l, const char *s, bool encoded)
{
	for (size_t left = strlen(s), n; left > 0; s += n, left -= n) {
		n = left < PIECE ? left : PIECE;
		for (int back = 0; n < left && back < 3 && ((uint8_t)s[n] & 0xc0) == 0x80; back++)
			n--;
		add_piece(l, s, n, encoded);
	}
}

static void print_line(FILE *to, const char *level, const char *text, uint64_t count, const char *fix)
{
	struct line l = { .to = to, .text = { .cap = LINE, .colour = colours(to) } };
	char number[32];

	l.text.data = l.room;
	hd_buf_adds(&l.text, "hotdrift: ");
	hd_buf_colour(&l.text, !strcmp(level, "error") ? HD_COLOUR_RED :
			       !strcmp(level, "warning") ? HD_COLOUR_YELLOW : HD_COLOUR_BOLD);
	add_text(&l, level, false);
	hd_buf_addc(&l.text, ':');
	hd_buf_colour(&l.text, HD_COLOUR_NONE);
	hd_buf_addc(&l.text, ' ');
	add_text(&l, text, true);
	snprintf(number, sizeof(number), " (%llu in all)", (unsigned long long)count);
	add_text(&l, count > 1 ? number : "", false);
	add_text(&l, *fix ? "; " : "", false);
	add_text(&l, fix, false);
	add_text(&l, "\n", false);
	flush_line(&l);
}

void hd_log_print(struct hd_log *log, FILE *to)
{
	for (; log->printed < log->n; log->printed++) {
		const struct hd_warning *w = &log->items[log->printed];

		print_line(to, "warning", w->text, w->count, w->fix);
	}
	fflush(to);
}

void hd_log_release(struct hd_log *log)
{
	for (size_t i = 0; i < log->n; i++) {
		free(log->items[i].code);
		free(log->items[i].text);
		free(log->items[i].fix);
	}
	free(log->items);
	*log = (struct hd_log){ 0 };
}

void hd_print_message(const char *level, const char *text)
{
	print_line(stderr, level, text, 1, "");
}
