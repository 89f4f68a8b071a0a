/*
 * help_text.h - the parts of a command's help, which --help and the man pages print
 *
 * Every function appends to a buffer.  The texts come from the command's entry in the table of commands (cmd.h).
 */
#ifndef HD_CLI_HELP_TEXT_H
#define HD_CLI_HELP_TEXT_H

#include "base/buf.h"
#include "cli/cmd.h"

/* Append the words of an option: `-o, --output FILE`. */
void hd_help_option(struct hd_buf *out, const struct hd_opt *o);
/* Append `text`, replacing {modes}, {mode words} and {FORM} as cmd.h describes.  Other braces are copied. */
void hd_help_expand(struct hd_buf *out, const char *text);
/* Append the details of a command, wrapped to `columns`: paragraphs, and list entries, which begin with a blank. */
void hd_help_details(struct hd_buf *out, const struct hd_cmd *cmd, unsigned columns);
/*
 * Append examples, lines COMMAND<TAB>EXPLANATION.  An explanation that does not fit beside its command is put on the
 * next line.
 */
void hd_help_examples(struct hd_buf *out, const char *text, unsigned columns);

#endif
