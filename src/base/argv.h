/*
 * argv.h - a command line as words, without a shell
 *
 * Text is divided at blanks.  'as it is' and "with \" and \\" keep blanks together, a
 * backslash keeps the next byte as it is.  Nothing else is special: a word that a shell
 * would expand ($, `, *, ?, ~, |, <, >, &, ;) stays what it is.
 */
#ifndef HD_BASE_ARGV_H
#define HD_BASE_ARGV_H

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>

struct hd_argv {
	char **argv;		/* owned words, and a NULL */
	size_t argc, cap;
};

/* HD_EUSAGE when a quote does not close or there is no word. */
int hd_argv_split(struct hd_argv *out, const char *text, struct hd_err *err);
/* `sh -c TEXT`. */
void hd_argv_shell(struct hd_argv *out, const char *text);
/* Append one word. */
void hd_argv_add(struct hd_argv *c, const char *word, size_t n);
void hd_argv_release(struct hd_argv *c);
/* Append the words with blanks between, quoted where that is needed to divide them again; raw bytes. */
void hd_argv_quote(struct hd_buf *out, const struct hd_argv *c);

#endif
