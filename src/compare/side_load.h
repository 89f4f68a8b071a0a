/*
 * side_load.h - runs as sides have them, out of the store; what side.c, side_base.c share
 */
#ifndef HD_COMPARE_SIDE_LOAD_H
#define HD_COMPARE_SIDE_LOAD_H

#include "compare/side.h"

/* Append run.id = row. */
int hd_side_load_run(struct hd_side *s, struct hd_db *db, int64_t row, const char *event, struct hd_err *err);
/* Append all runs of a commit, oldest first; none of one that the database does not know. */
int hd_side_load_commit(struct hd_side *s, struct hd_db *db, const char *sha, const char *event, struct hd_err *err);
int hd_side_load_session(struct hd_side *s, struct hd_db *db, const char *session, const char *event, struct hd_err *err);

/* Keep the runs for which keep() holds; the others are counted as set aside. */
void hd_side_keep(struct hd_side *s, bool (*keep)(const struct hd_side_run *r, const void *arg), const void *arg);
/* Of runs that were made to be compared with each other (run.side) those of the newest one's side: another is another build. */
void hd_side_one_build(struct hd_side *s);
/* Name it after its runs. */
void hd_side_title(struct hd_side *s);

#endif
