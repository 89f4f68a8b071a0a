/*
 * terminal.c - see terminal.h
 */
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
enum { NARROWEST = 40 };	/* minimum width of tables, even if the terminal is narrower */

const struct hd_opt hd_terminal_opts[] = {
	{ HD_OPT_FLAG, 0, "wide", NULL, "do not shorten names to fit the terminal",
		offsetof(struct hd_terminal, wide) },
	{ HD_OPT_FLAG, 0, "no-pager", NULL,
		"do not start a pager ($HOTDRIFT_PAGER, $PAGER, or less) on a terminal",
		offsetof(struct hd_terminal, no_pager) },
	{ HD_OPT_ENUM, 0, "color", "auto|always|never",
		"colours (default auto: on a terminal, unless $NO_COLOR is set)", offsetof(struct hd_terminal, color) },
	{ 0 },
};

unsigned hd_terminal_columns(void)
{
	const char *value = getenv("COLUMNS");
	unsigned long long n = 0;
	struct winsize w;

	if (value && hd_parse_uint(value, 100000, &n) >= 0 && n)
		return (unsigned)n;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}

void hd_terminal_begin(struct hd_buf *out, const struct hd_terminal *t, const char *path)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bool terminal = (!path || !strcmp(path, "-")) && (t->paged || isatty(STDOUT_FILENO));
	unsigned columns = !terminal || t->wide ? 0 : t->paged ? t->columns : hd_terminal_columns();

	out->columns = columns && columns < NARROWEST ? NARROWEST : columns;
	out->colour = t->color == COLOR_ALWAYS ||
		(t->color == COLOR_AUTO && terminal && !(no_color && *no_color) && !(term && !strcmp(term, "dumb")));
}
