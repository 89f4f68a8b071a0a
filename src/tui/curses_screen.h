/*
 * curses_screen.h - the terminal: shows a grid and reads keys, through ncursesw
 *
 * Only curses_screen.c uses ncursesw.  The library is loaded when the screen is opened, because linking it would make
 * every start of hotdrift slower.
 *
 * Keys are read from standard input, or from /dev/tty if standard input is the recording.  Before SIGINT, SIGTERM,
 * SIGHUP, SIGQUIT or a crash ends the program, the terminal is restored.  ^Z suspends the program; when it continues,
 * the screen is drawn again.
 */
#ifndef HD_TUI_CURSES_SCREEN_H
#define HD_TUI_CURSES_SCREEN_H

#include "base/err.h"
#include "tui/grid.h"

enum hd_tui_key {		/* keys that are no characters: numbers above all code points */
	HD_TUI_UP = 0x110000, HD_TUI_DOWN, HD_TUI_LEFT, HD_TUI_RIGHT, HD_TUI_PAGE_UP, HD_TUI_PAGE_DOWN, HD_TUI_HOME,
	HD_TUI_END, HD_TUI_BACKSPACE, HD_TUI_BACKTAB, HD_TUI_RESIZE, HD_TUI_NONE,
};
enum { HD_TUI_ESCAPE = 27, HD_TUI_ENTER = '\n', HD_TUI_TAB = '\t' };

struct hd_curses_screen;

/* Fail with HD_EUSAGE if standard output is not a terminal, or is a terminal that cannot move the cursor. */
int hd_curses_screen_check(struct hd_err *err);
/*
 * Open the screen.  keys_from_tty: read keys from /dev/tty.  colour: use colours if the terminal has them.  Fails with
 * HD_EIO if the library or /dev/tty cannot be opened or if hotdrift was built without ncursesw, and with HD_EUSAGE if
 * standard input is not a terminal or if terminfo does not describe the terminal.
 *
 * Opening sets the locale's LC_CTYPE and the handlers of the signals above; closing sets these to SIG_DFL.  At most one
 * screen can be open at a time.
 */
int hd_curses_screen_open(struct hd_curses_screen **out, bool keys_from_tty, bool colour, struct hd_err *err);
void hd_curses_screen_close(struct hd_curses_screen *s);	/* accepts NULL */
/* Set g->utf8 and the size of the grid to those of the terminal, and clear the grid. */
void hd_curses_screen_begin(struct hd_curses_screen *s, struct hd_tui_grid *g);
void hd_curses_screen_show(struct hd_curses_screen *s, const struct hd_tui_grid *g);
/*
 * Wait for a key: a character, or one of enum hd_tui_key.  Returns HD_TUI_NONE for an unknown key, HD_TUI_RESIZE also
 * if a signal interrupts the wait, and -1 if the terminal is gone.
 */
int hd_curses_screen_key(struct hd_curses_screen *s);

#endif
