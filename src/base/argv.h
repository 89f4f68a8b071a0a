/*
 * argv.h - split a command line into words, without a shell
 *
 * Text is split at blanks.  'single quotes' and "double quotes" keep blanks together; in double quotes,
 * \" and \\ are escapes.  Outside quotes a backslash quotes the next byte.  Characters that a shell would
 * expand ($, `, *, ?, ~, |, <, >, &, ;) have no special meaning.
 */
#ifndef HD_BASE_ARGV_H
#define HD_BASE_ARGV_H

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>

struct hd_argv {
	char **argv;		/* owned words and a final NULL */
	size_t argc, cap;
};

/* Split `text`.  Returns HD_EUSAGE if a quote is not closed or there is no word.  Release *out after success. */
int hd_argv_split(struct hd_argv *out, const char *text, struct hd_err *err);
/* Set *out to `sh -c TEXT`. */
void hd_argv_shell(struct hd_argv *out, const char *text);
/* Append a copy of the n bytes at `word` as one word. */
void hd_argv_add(struct hd_argv *c, const char *word, size_t n);
void hd_argv_release(struct hd_argv *c);
/* Append the words as text that hd_argv_split() splits into the same words.  Control characters are kept raw. */
void hd_argv_quote(struct hd_buf *out, const struct hd_argv *c);

#endif
