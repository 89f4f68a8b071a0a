/*
 * terminal.h - the options --wide and --color, and the capabilities of the terminal
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
};

extern const struct hd_opt hd_terminal_opts[];
#define HD_TERMINAL_GROUP(type, member)	{ "terminal", hd_terminal_opts, offsetof(type, member) }

/*
 * Set the width in columns and the use of colours of `out`, a text that will be written to `path` (NULL, "-": standard
 * output).
 */
void hd_terminal_begin(struct hd_buf *out, const struct hd_terminal *t, const char *path);

#endif
