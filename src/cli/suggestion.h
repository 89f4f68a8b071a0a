/*
 * suggestion.h - suggested commands open the database that the user named
 *
 *     h.db: no run 'x'; 'hotdrift log' lists them
 *     h.db: no run 'x'; 'hotdrift log --db h.db' lists them
 *
 * Messages are written below cli/, where only the open database is known and not how the user chose it.
 */
#ifndef HD_CLI_SUGGESTION_H
#define HD_CLI_SUGGESTION_H

#include "cli/db_option.h"

/* Append `text`; each 'hotdrift COMMAND ...' in it whose command takes --db, and has none, gets that of the command line. */
void hd_suggestion_text(struct hd_buf *out, const char *text, const struct hd_db_option *arg);
/* The same for each warning that `log` gets from now on; `opts` outlives it. */
void hd_suggestion_warnings(struct hd_log *log, const struct hd_cmd *cmd, const void *opts);
/* The same for the error of a command that failed. */
void hd_suggestion_error(struct hd_err *err, const struct hd_cmd *cmd, const void *opts);

#endif
