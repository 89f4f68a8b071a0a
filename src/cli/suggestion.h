/*
 * suggestion.h - add --db to suggested commands, so that they open the same database
 *
 *     h.db: no run 'x'; 'hotdrift log' lists them
 *     h.db: no run 'x'; 'hotdrift log --db h.db' lists them
 *
 * Messages are formatted outside cli/, by code that does not know how the user named the database.
 */
#ifndef HD_CLI_SUGGESTION_H
#define HD_CLI_SUGGESTION_H

#include "cli/db_option.h"

/*
 * Append `text`.  To each quoted 'hotdrift COMMAND ...' in `text`, before its closing quote, add the --db of the
 * command line, if COMMAND accepts --db and the quoted command has neither --db nor --help.
 */
void hd_suggestion_text(struct hd_buf *out, const char *text, const struct hd_db_option *arg);
/* Apply hd_suggestion_text() to each warning that is added to `log` from now on.  `opts` must outlive `log`. */
void hd_suggestion_warnings(struct hd_log *log, const struct hd_cmd *cmd, const void *opts);
/* Apply hd_suggestion_text() to the error message of a failed command. */
void hd_suggestion_error(struct hd_err *err, const struct hd_cmd *cmd, const void *opts);

#endif
