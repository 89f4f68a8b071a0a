/*
 * curses_screen.c - see curses_screen.h
 */
#include "tui/curses_screen.h"

#include "base/library.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int hd_curses_screen_check(struct hd_err *err)
{
	const char *term = getenv("TERM");

	if (!isatty(STDOUT_FILENO))
		return hd_fail(err, HD_EUSAGE, "tui: standard output is not a terminal; 'hotdrift report' prints text");
	if (!term || !*term || !strcmp(term, "dumb"))
		return hd_fail(err, HD_EUSAGE,
			"tui: the terminal cannot move the cursor (TERM is '%s'); 'hotdrift report' prints text",
			term ? term : "");
	return 0;
}

#ifdef HAVE_NCURSESW

#include <dlfcn.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <wchar.h>

#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <ncursesw/curses.h>

/* The functions of ncursesw that are loaded, each as F(name). */
#define FUNCTIONS(F)								\
	F(newterm) F(delscreen) F(endwin) F(cbreak) F(noecho) F(keypad) F(curs_set)	\
	F(has_colors) F(start_color) F(use_default_colors) F(init_pair) F(wattr_set) F(wmove) F(waddnwstr)	\
	F(wclear) F(wrefresh) F(wget_wch) F(resizeterm) F(set_escdelay)

struct functions {
#define DECLARE(name)	__typeof__(name) *name;
	FUNCTIONS(DECLARE)
#undef DECLARE
};

struct hd_curses_screen {
	struct functions f;
	SCREEN *terminal;
	WINDOW *window;
	FILE *keys;			/* /dev/tty; NULL if keys come from standard input */
	bool colour, utf8;
	unsigned lines, columns;
};

#define SONAME	"libncursesw.so.6"

static int load(struct functions *f, void **library, struct hd_err *err)
{
	const char *lacks;

#define NAME(name) #name "\0"
	*library = hd_library_load(SONAME, RTLD_NOW | RTLD_GLOBAL, FUNCTIONS(NAME), f, &lacks);
#undef NAME
	if (lacks)
		return hd_fail(err, HD_EIO, "tui: " SONAME " has no function %s", lacks);
	if (!*library)
		return hd_fail(err, HD_EIO, "tui: cannot load " SONAME " (Debian: libncursesw6): %s", dlerror());
	return 0;
}

/* ---- signals ---- */

/* The settings that the terminal had before the screen was opened; restore_terminal() sets them again. */
static struct termios settings;
static int settings_fd = -1;

static void restore_terminal(void)
{
	/* ECMA-48 and DEC: leave the alternate screen and the keypad mode, show the cursor, reset colours */
	static const char reset[] = "\033[?1049l\033[?1l\033>\033[?25h\033[m\r";

	if (settings_fd < 0)
		return;
	tcsetattr(settings_fd, TCSANOW, &settings);
	if (write(STDOUT_FILENO, reset, sizeof(reset) - 1) < 0)
		return;
}

static void end_by_signal(int sig)
{
	restore_terminal();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void set_handlers(void (*handler)(int))
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_NODEFER };

	for (size_t i = 0; i < HD_COUNT(signals); i++)
		sigaction(signals[i], &act, NULL);
}

/* ---- open and close ---- */

/* Colour pairs of the styles: foreground and background of the 256-colour palette, and of 8 colours. */
static const struct { short style, fg, bg, fg8, bg8; } pairs[] = {
	{ HD_TUI_BAR, 15, 24, COLOR_WHITE, COLOR_BLUE },
	{ HD_TUI_CURSOR, 16, 153, COLOR_BLACK, COLOR_CYAN },
	{ HD_TUI_MATCH, 16, 226, COLOR_BLACK, COLOR_YELLOW },
	{ HD_TUI_KERNEL, 172, -1, COLOR_YELLOW, -1 },
	{ HD_TUI_HOT, 160, -1, COLOR_RED, -1 },
	{ HD_TUI_WARM + 0, 16, 208, COLOR_BLACK, COLOR_RED }, { HD_TUI_WARM + 1, 16, 214, COLOR_BLACK, COLOR_YELLOW },
	{ HD_TUI_WARM + 2, 16, 215, COLOR_BLACK, COLOR_MAGENTA },
	{ HD_TUI_WARM + 3, 16, 220, COLOR_BLACK, COLOR_YELLOW },
	{ HD_TUI_WARM + 4, 16, 209, COLOR_BLACK, COLOR_RED }, { HD_TUI_WARM + 5, 16, 222, COLOR_BLACK, COLOR_MAGENTA },
	{ HD_TUI_COLD, 16, 110, COLOR_BLACK, COLOR_CYAN },
};

static void make_colours(struct hd_curses_screen *s, void *library)
{
	const int *colours = dlsym(library, "COLORS");
	bool many;

	if (!s->f.has_colors() || s->f.start_color() == ERR) {
		s->colour = false;
		return;
	}
	s->f.use_default_colors();
	many = colours && *colours >= 256;
	for (size_t i = 0; i < HD_COUNT(pairs); i++)
		s->f.init_pair(pairs[i].style, many ? pairs[i].fg : pairs[i].fg8, many ? pairs[i].bg : pairs[i].bg8);
}

int hd_curses_screen_open(struct hd_curses_screen **out, bool keys_from_tty, bool colour, struct hd_err *err)
{
	struct hd_curses_screen *s = hd_new(struct hd_curses_screen);
	void *library;
	int rc = load(&s->f, &library, err);

	*out = NULL;
	if (rc >= 0 && keys_from_tty) {
		s->keys = fopen("/dev/tty", "re");
		if (!s->keys)
			rc = hd_fail_errno(err, HD_EIO, errno, "tui: /dev/tty");
	}
	if (rc < 0)
		goto failed;
	setlocale(LC_CTYPE, "");
	s->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	s->colour = colour;
	settings_fd = s->keys ? fileno(s->keys) : STDIN_FILENO;
	if (tcgetattr(settings_fd, &settings) < 0) {
		settings_fd = -1;
		rc = hd_fail(err, HD_EUSAGE, "tui: standard input is not a terminal; keys are read from it");
		goto failed;
	}
	s->terminal = s->f.newterm(NULL, stdout, s->keys ? s->keys : stdin);
	if (!s->terminal) {
		rc = hd_fail(err, HD_EUSAGE, "tui: no description of the terminal '%s' (terminfo) is installed",
			getenv("TERM"));
		goto failed;
	}
	set_handlers(end_by_signal);
	s->window = *(WINDOW **)dlsym(library, "stdscr");
	s->f.cbreak();
	s->f.noecho();
	s->f.keypad(s->window, true);
	s->f.set_escdelay(50);
	s->f.curs_set(0);
	if (s->colour)
		make_colours(s, library);
	*out = s;
	return 0;
failed:
	hd_curses_screen_close(s);
	return rc;
}

void hd_curses_screen_close(struct hd_curses_screen *s)
{
	if (!s)
		return;
	if (s->terminal) {
		s->f.endwin();
		s->f.delscreen(s->terminal);
		set_handlers(SIG_DFL);
	}
	settings_fd = -1;
	if (s->keys)
		fclose(s->keys);
	free(s);
}

/* ---- drawing ---- */

void hd_curses_screen_begin(struct hd_curses_screen *s, struct hd_tui_grid *g)
{
	struct winsize w;

	/* ncurses reports resizes as keys, and several resizes can be one key, so the size is read again here */
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) < 0 || !w.ws_row || !w.ws_col)
		w = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	if (s->lines != w.ws_row || s->columns != w.ws_col) {
		s->lines = w.ws_row;
		s->columns = w.ws_col;
		s->f.resizeterm(w.ws_row, w.ws_col);
		s->f.wclear(s->window);
	}
	g->utf8 = s->utf8;
	hd_tui_grid_clear(g, s->lines, s->columns);
}

static void set_style(struct hd_curses_screen *s, enum hd_tui_style style)
{
	static const attr_t attributes[HD_TUI_STYLES] = { [HD_TUI_BOLD] = A_BOLD, [HD_TUI_DIM] = A_DIM,
		[HD_TUI_BAR] = A_BOLD };
	static const attr_t plain[HD_TUI_STYLES] = { [HD_TUI_BOLD] = A_BOLD, [HD_TUI_DIM] = A_DIM,
		[HD_TUI_BAR] = A_REVERSE, [HD_TUI_CURSOR] = A_REVERSE, [HD_TUI_MATCH] = A_BOLD | A_UNDERLINE,
		[HD_TUI_HOT] = A_BOLD };
	short pair = 0;

	for (size_t i = 0; s->colour && i < HD_COUNT(pairs); i++)
		if (pairs[i].style == (short)style)
			pair = pairs[i].style;
	s->f.wattr_set(s->window, (s->colour ? attributes : plain)[style], pair, NULL);
}

void hd_curses_screen_show(struct hd_curses_screen *s, const struct hd_tui_grid *g)
{
	wchar_t *text = hd_new_array(wchar_t, g->columns + 1);

	for (unsigned y = 0; y < g->lines; y++) {
		const struct hd_tui_cell *line = &g->cells[(size_t)y * g->columns];

		for (unsigned x = 0; x < g->columns;) {
			unsigned from = x;
			int n = 0;

			for (; x < g->columns && line[x].style == line[from].style; x++)
				if (line[x].cp)
					text[n++] = (wchar_t)line[x].cp;
			set_style(s, line[from].style);
			s->f.wmove(s->window, (int)y, (int)from);
			s->f.waddnwstr(s->window, text, n);
		}
	}
	s->f.wrefresh(s->window);
	free(text);
}

int hd_curses_screen_key(struct hd_curses_screen *s)
{
	static const struct { wint_t code; int key; } keys[] = {
		{ KEY_UP, HD_TUI_UP }, { KEY_DOWN, HD_TUI_DOWN }, { KEY_LEFT, HD_TUI_LEFT },
		{ KEY_RIGHT, HD_TUI_RIGHT },
		{ KEY_PPAGE, HD_TUI_PAGE_UP }, { KEY_NPAGE, HD_TUI_PAGE_DOWN }, { KEY_HOME, HD_TUI_HOME },
		{ KEY_END, HD_TUI_END }, { KEY_BACKSPACE, HD_TUI_BACKSPACE }, { KEY_BTAB, HD_TUI_BACKTAB },
		{ KEY_ENTER, HD_TUI_ENTER }, { KEY_RESIZE, HD_TUI_RESIZE },
	};
	wint_t c = 0;
	int rc;

	errno = 0;
	rc = s->f.wget_wch(s->window, &c);
	if (rc == ERR)
		return errno == EINTR ? HD_TUI_RESIZE : -1;
	if (rc == KEY_CODE_YES) {
		for (size_t i = 0; i < HD_COUNT(keys); i++)
			if (keys[i].code == c)
				return keys[i].key;
		return HD_TUI_NONE;
	}
	return c == '\r' ? HD_TUI_ENTER : c == 127 || c == 8 ? HD_TUI_BACKSPACE : (int)c;
}

#else

int hd_curses_screen_open(struct hd_curses_screen **out, bool keys_from_tty, bool colour, struct hd_err *err)
{
	(void)keys_from_tty;
	(void)colour;
	*out = NULL;
	return hd_fail(err, HD_EIO,
		"tui: this program was built without ncursesw; install libncurses-dev and build it again");
}

void hd_curses_screen_close(struct hd_curses_screen *s)
{
	(void)s;
}

void hd_curses_screen_begin(struct hd_curses_screen *s, struct hd_tui_grid *g)
{
	(void)s;
	hd_tui_grid_clear(g, 0, 0);
}

void hd_curses_screen_show(struct hd_curses_screen *s, const struct hd_tui_grid *g)
{
	(void)s;
	(void)g;
}

int hd_curses_screen_key(struct hd_curses_screen *s)
{
	(void)s;
	return -1;
}

#endif
