/*
 * cmd.h - a subcommand: one table row, one file
 *
 * An option is one row, from which parsing, --help, the man page and shell completion are generated.  A command's run
 * function gets the operands and its option struct, filled from the defaults and the command line.  It returns
 * >= 0, or a negative hd_code with the message in err, which only main.c prints.
 */
#ifndef HD_CLI_CMD_H
#define HD_CLI_CMD_H

#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "base/string_list.h"

#include <stdbool.h>
#include <stddef.h>

enum hd_opt_kind {
	HD_OPT_END,
	HD_OPT_FLAG,		/* bool: --name sets it */
	HD_OPT_CLEAR,		/* bool: --no-name clears it */
	HD_OPT_YES, HD_OPT_NO,	/* int: a pair of rows sets it to 1 or -1, default 0; the last option wins */
	HD_OPT_UINT,		/* unsigned */
	HD_OPT_STR,		/* const char *: the last one wins */
	HD_OPT_MAYBE,		/* const char *: "" for --name, the value for --name=value; the last one wins */
	HD_OPT_LIST,		/* struct hd_string_list: may be repeated */
	HD_OPT_ENUM,		/* int: index into .choices, "a|b|c" */
	HD_OPT_OPERAND,		/* the value becomes an operand at this position of the command line; no offset */
};

struct hd_opt {
	enum hd_opt_kind kind;
	char letter;			/* 0: none */
	const char *name;
	/* name of the value in the help text: "N", "FILE"; for an ENUM its choices: "text|json" */
	const char *arg;
	const char *help;
	size_t offset;			/* into the command's option struct, or the group's */
};

/*
 * Option rows that most commands have.  They set the members `out`, `json`, `markdown`, `csv` and `format` of the
 * option struct.
 */
#define HD_ROW_OUTPUT(type)                                                                                           \
	{ HD_OPT_STR, 'o', "output", "FILE", "write to FILE instead of standard output", offsetof(type, out) }
#define HD_ROW_JSON(type, schema)                                                                                     \
	{ HD_OPT_FLAG, 0, "json", NULL, "print JSON, format " schema, offsetof(type, json) }
#define HD_ROW_MARKDOWN(type)	{ HD_OPT_FLAG, 0, "markdown", NULL, "print Markdown", offsetof(type, markdown) }
#define HD_ROW_CSV(type)	{ HD_OPT_FLAG, 0, "csv", NULL, "print CSV", offsetof(type, csv) }
#define HD_ROW_FORMAT(type)                                                                                           \
	{ HD_OPT_ENUM, 0, "format", "text|markdown|json", "output format (default text)", offsetof(type, format) }

/* Rows that several commands share, with the struct they fill at `offset`. */
struct hd_opt_group {
	const char *title;		/* NULL ends the list */
	const struct hd_opt *opts;
	size_t offset;
};

/* Return true if the option takes no value. */
static inline bool hd_opt_is_flag(const struct hd_opt *o)
{
	return o->kind == HD_OPT_FLAG || o->kind == HD_OPT_CLEAR || o->kind == HD_OPT_YES || o->kind == HD_OPT_NO;
}

struct hd_cmd {
	const char *name;
	const char *args;		/* "FILE", "[RUN]" */
	const char *summary;		/* one line, lower case, no full stop */
	/*
	 * Paragraphs for --help and the man page, one line each.  A line that begins with a blank is the entry of
	 * a list; its continuation is indented like its text.  {modes}, {mode words} and {FORM} (track/form.h:
	 * {latency}, ...) are replaced, in option help texts too.
	 */
	const char *details;
	const char *examples;		/* lines "command<TAB>explanation", or NULL */
	const struct hd_opt *opts;	/* ends with HD_OPT_END, or NULL */
	const struct hd_opt_group *groups;	/* or NULL */
	const void *defaults;		/* opts_size bytes, or NULL for zeroes */
	size_t opts_size;
	int min_args, max_args;		/* of operands; max -1: any */
	const char *default_arg;	/* the operand if there is none, or NULL */
	/* the command only reads files and writes -o, so it is confined (base/sandbox.h) */
	bool reads;
	bool raw_args;			/* run() gets argv unchanged; only --help as the first word is handled before */
	/* Run the command.  Warnings are added to `log`, which main.c prints to stderr after the run. */
	int (*run)(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err);
	/* A word of the command line that gives exit statuses another meaning, also for usage errors; NULL: none. */
	const char *other_status;
	int (*status)(int rc);
};

/* Options of an HD_CMD row.  Use it as `HD_CMD_OPTS(top_opts, top_defaults)`. */
#define HD_CMD_OPTS(rows, dflt)	.opts = (rows), .defaults = &(dflt), .opts_size = sizeof(dflt)

extern const struct hd_cmd *const hd_cmds[];	/* ends with NULL; cmds.c */
const struct hd_cmd *hd_cmd_find(const char *name);
/* Return HD_EUSAGE, with a message that suggests the nearest command. */
int hd_cmd_unknown(const char *name, struct hd_err *err);

/*
 * Parse argv (without the command's name) into opts.  The operands move to the front of argv in order, *nargs of them;
 * argv[argc] must be writable, for a default operand.  `--` ends the options.  Returns 1 for --help.
 */
int hd_opts_parse(const struct hd_cmd *cmd, int argc, char **argv, int *nargs, void *opts, struct hd_err *err);
void hd_opts_release(const struct hd_cmd *cmd, void *opts);	/* frees the lists */

/* Append the --help text of a command, in lines of at most `columns` except example commands. */
void hd_help_text(struct hd_buf *out, const struct hd_cmd *cmd, unsigned columns);
/* Print the --help text of a command in lines that fit the terminal. */
void hd_help_command(const struct hd_cmd *cmd);
void hd_help_all(void);				/* print the list of all commands */
/* Write the man pages (roff) of all commands into `dir`. */
int hd_help_man(const char *dir, struct hd_err *err);

/* Return the index of `word` among the `choices` of an HD_OPT_ENUM row, "a|b|c", or -1. */
int hd_opt_choice(const char *choices, const char *word);

/* Parse a decimal number of at most `max`.  Signs, blanks, trailing text and overflow are HD_EUSAGE. */
int hd_parse_uint(const char *text, unsigned long long max, unsigned long long *out);

#endif
