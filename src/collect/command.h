/*
 * command.h - a command line as words, without a shell
 *
 * Text is divided at blanks.  'as it is' and "with \" and \\" keep blanks together, a
 * backslash keeps the next byte as it is.  Nothing else is special: a word that a shell
 * would expand ($, `, *, ?, ~, |, <, >, &, ;) stays what it is.
 */
#ifndef HD_COLLECT_COMMAND_H
#define HD_COLLECT_COMMAND_H

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>

struct hd_command {
	char **argv;		/* owned words, and a NULL */
	size_t argc, cap;
};

/* HD_EUSAGE when a quote does not close or there is no word. */
int hd_command_split(struct hd_command *out, const char *text, struct hd_err *err);
/* `sh -c TEXT`. */
void hd_command_shell(struct hd_command *out, const char *text);
/* Append one word. */
void hd_command_add(struct hd_command *c, const char *word, size_t n);
void hd_command_release(struct hd_command *c);
/* Append the words with blanks between, quoted where that is needed to divide them again; raw bytes. */
void hd_command_text(struct hd_buf *out, const struct hd_command *c);

#endif
