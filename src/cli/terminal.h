/*
 * terminal.h - the options --wide, --color and --no-pager, and the capabilities of the terminal
 *
 * Output to a terminal is fitted to its width and coloured.  Pipes and files get whole names without colours.
 */
#ifndef HD_CLI_TERMINAL_H
#define HD_CLI_TERMINAL_H

#include "base/buf.h"
#include "cli/cmd.h"

struct hd_terminal {
	bool wide;
	int color;		/* index of auto|always|never */
	bool no_pager;
	/* hd_pager_begin() sets these members: */
	bool paged;		/* standard output is a pipe to a pager */
	unsigned columns;	/* width of the terminal on which the pager runs */
};

extern const struct hd_opt hd_terminal_opts[];
#define HD_TERMINAL_GROUP(type, member)	{ "terminal", hd_terminal_opts, offsetof(type, member) }

/* Return the width of the terminal that is standard output: $COLUMNS, or its size; 0: unknown. */
unsigned hd_terminal_columns(void);
/*
 * Set the width in columns and the use of colours of `out`, a text that will be written to `path` (NULL, "-": standard
 * output).
 */
void hd_terminal_begin(struct hd_buf *out, const struct hd_terminal *t, const char *path);

#endif
