/*
 * terminal.h - the options --wide and --color, and what the output's terminal can show
 *
 * Text for a terminal has its width and colours; a pipe and a file get the whole names and no colours.
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

/* Set the columns and colours of `out`, which will be written to `path` (NULL, "-": standard output). */
void hd_terminal_begin(struct hd_buf *out, const struct hd_terminal *t, const char *path);

#endif
