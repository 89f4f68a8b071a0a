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
	HD_OPT_CLEAR,		/* bool: --name clears it, for example --kernel the member no_kernel */
	/*
	 * int: two rows, --x and --no-x, set the same member to 1 or -1 (default 0); the last option on the command
	 * line wins
	 */
	HD_OPT_YES, HD_OPT_NO,
	HD_OPT_UINT,		/* unsigned */
	HD_OPT_STR,		/* const char *: the last one wins */
	HD_OPT_OUT,		/* the same, for a file that the command writes and does not read */
	/* const char *: "" if the option is --name, VALUE if it is --name=VALUE; the last one wins */
	HD_OPT_MAYBE,
	/*
	 * const char *: VALUE if the option is --name=VALUE or, with the letter c, -cVALUE; else the word after the
	 * option; "" if there is none or if that word begins with a dash
	 */
	HD_OPT_WORD,
	HD_OPT_LIST,		/* struct hd_string_list: may be repeated */
	HD_OPT_ENUM,		/* int: index of the value among the choices, which `arg` lists: "a|b|c" */
	/* sets no member: the value becomes an operand, in the place that the option has on the command line */
	HD_OPT_OPERAND,
};

struct hd_opt {
	enum hd_opt_kind kind;
	char letter;			/* letter of the short form, such as 'n' for -n; 0: none */
	const char *name;
	/* name of the value in the help text: "N", "FILE"; for an ENUM its choices: "text|json"; unused for flags */
	const char *arg;
	const char *help;
	size_t offset;			/* position of the value in the option struct of the command or group */
};

/*
 * Option rows that most commands have.  They set the members `out`, `json`, `markdown`, `csv` and `format` of the
 * option struct.
 */
#define HD_ROW_OUTPUT(type)                                                                                           \
	{ HD_OPT_OUT, 'o', "output", "FILE", "write to FILE instead of standard output", offsetof(type, out) }
#define HD_ROW_JSON(type, schema)                                                                                     \
	{ HD_OPT_FLAG, 0, "json", NULL, "print JSON, format " schema, offsetof(type, json) }
#define HD_ROW_MARKDOWN(type)	{ HD_OPT_FLAG, 0, "markdown", NULL, "print Markdown", offsetof(type, markdown) }
#define HD_ROW_CSV(type)	{ HD_OPT_FLAG, 0, "csv", NULL, "print CSV", offsetof(type, csv) }
#define HD_ROW_FORMAT(type)                                                                                           \
	{ HD_OPT_ENUM, 0, "format", "text|markdown|json", "output format (default text)", offsetof(type, format) }

/*
 * Option rows that several commands share.  They set the members of a struct that is at `offset` in the option struct
 * of the command.
 */
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
	const char *args;		/* the operands in the usage line, such as "FILE" or "[RUN]" */
	const char *summary;		/* one line, lower case, no full stop */
	/*
	 * Paragraphs for --help and the man page, one line each.  A line that begins with a blank is the entry of
	 * a list; its continuation is indented like its text.  {modes}, {mode words} and {FORM}, such as {latency}
	 * (track/form.h), are placeholders that the program replaces by lists, here and in the help texts of options.
	 */
	const char *details;
	const char *examples;		/* lines "command<TAB>explanation", or NULL */
	const struct hd_opt *opts;	/* ends with HD_OPT_END, or NULL */
	const struct hd_opt_group *groups;	/* or NULL */
	const void *defaults;		/* opts_size bytes, or NULL for zeroes */
	size_t opts_size;
	int min_args, max_args;		/* numbers of operands; max -1: no limit */
	const char *default_arg;	/* operand used if the user gives none, or NULL */
	/*
	 * The command only reads files and writes -o.  It runs in the sandbox (base/sandbox.h), unless an operand or
	 * --base may be a run in the database.
	 */
	bool reads;
	/*
	 * Return true if all operands are files, not runs in the database.  The command then runs in the sandbox even
	 * if there is no file with the name of an operand.  NULL: an operand that is not a file may be a run.
	 */
	bool (*files_only)(int argc, const void *opts);
	/* only this many operands, from the first one, can be inputs (files or runs in the database); 0: all */
	int inputs;
	bool raw_args;			/* run() gets argv unchanged; only --help or -h in front is handled before */
	/* Run the command.  Warnings are added to `log`, which main.c prints to stderr after the run. */
	int (*run)(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err);
	/*
	 * If the command line contains this word, such as --bisect, status() computes the exit status instead of
	 * hd_exit_status(), also for usage errors.  NULL: there is no such word.
	 */
	const char *other_status;
	int (*status)(int rc);
};

/* Options of an HD_CMD row.  Use it as `HD_CMD_OPTS(top_opts, top_defaults)`. */
#define HD_CMD_OPTS(rows, dflt)	.opts = (rows), .defaults = &(dflt), .opts_size = sizeof(dflt)

extern const struct hd_cmd *const hd_cmds[];	/* ends with NULL; cmds.c */
const struct hd_cmd *hd_cmd_find(const char *name);	/* or NULL */
/* Fail for an unknown command: return HD_EUSAGE, with a message that suggests the most similar command. */
int hd_cmd_unknown(const char *name, struct hd_err *err);

/*
 * Parse argv (without the command's name) into opts.  The operands move to the front of argv, in order; *nargs is their
 * number.  argv[argc] must be writable, because the default operand may be stored there.  `--` ends the options.
 * Returns 0, 1 for --help or -h, or HD_EUSAGE.
 */
int hd_opts_parse(const struct hd_cmd *cmd, int argc, char **argv, int *nargs, void *opts, struct hd_err *err);
void hd_opts_release(const struct hd_cmd *cmd, void *opts);	/* frees the lists */

/* Append the --help text of a command, in lines of at most `columns`; words that cannot be broken may exceed them. */
void hd_help_text(struct hd_buf *out, const struct hd_cmd *cmd, unsigned columns);
/* Print the --help text of a command in lines that fit the terminal. */
void hd_help_command(const struct hd_cmd *cmd);
void hd_help_all(void);				/* print the list of all commands */

/* Return the index of `word` among the `choices` of an HD_OPT_ENUM row, "a|b|c", or -1. */
int hd_opt_choice(const char *choices, const char *word);

/* Parse a decimal number of at most `max`.  Returns 0, or HD_EUSAGE for signs, blanks, trailing text and overflow. */
int hd_parse_uint(const char *text, unsigned long long max, unsigned long long *out);

#endif
