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
	log->items[log->n++] = (struct hd_warning){ hd_strdup(code), count, hd_buf_take(&text), hd_strdup(fix ? fix : "") };
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

static void print_line(FILE *to, const char *level, const char *text, uint64_t count, const char *fix)
{
	struct hd_buf line = { 0 };

	line.colour = colours(to);
	hd_buf_adds(&line, "hotdrift: ");
	hd_buf_colour(&line, !strcmp(level, "error") ? HD_COLOUR_RED : !strcmp(level, "warning") ? HD_COLOUR_YELLOW : HD_COLOUR_BOLD);
	hd_buf_addf(&line, "%s:", level);
	hd_buf_colour(&line, HD_COLOUR_NONE);
	hd_buf_addc(&line, ' ');
	hd_enc_term(&line, text, strlen(text));
	if (count > 1)
		hd_buf_addf(&line, " (%llu in all)", (unsigned long long)count);
	if (*fix)
		hd_buf_addf(&line, "; %s", fix);
	hd_buf_addc(&line, '\n');
	fwrite(line.data, 1, line.len, to);
	hd_buf_release(&line);
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

void hd_say(const char *level, const char *text)
{
	print_line(stderr, level, text, 1, "");
}
