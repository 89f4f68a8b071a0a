/*
 * acks.h - rises that somebody knows of
 *
 * An acknowledgement is (symbol, level, reason, author, expiry).  A row that would fail, or
 * of which too little is known, passes while its share in head is not above the level.  For a
 * series ("p99 wall_time_us") the level is a value in the series' unit.  One that expired, or was
 * withdrawn, does not count; of several the highest level does.
 *
 * Texts are in their visible form, as the store has them.
 */
#ifndef HD_HISTORY_ACKS_H
#define HD_HISTORY_ACKS_H

#include "base/arena.h"
#include "db/db.h"

struct hd_ack {
	int64_t id;
	const char *target, *event, *object;	/* NULL: any */
	const char *symbol;
	double level;
	const char *commit;		/* or NULL */
	const char *reason, *author, *created, *expires, *withdrawn;	/* author, expires, withdrawn may be NULL */
};

struct hd_acks {
	struct hd_arena arena;
	struct hd_ack *items;		/* oldest first */
	size_t n, cap;
};

/* now: UTC text, only those that count then; NULL: all there are. */
int hd_acks_load(struct hd_acks *a, struct hd_db *db, const char *target, const char *event, const char *now,
	struct hd_err *err);
void hd_acks_release(struct hd_acks *a);

/* The highest for this name (raw bytes); NULL when there is none. */
const struct hd_ack *hd_acks_find(const struct hd_acks *a, const char *symbol, const char *object);

/*
 * Set *found to the target of the newest gate that said FAIL of this symbol or series, owned by the caller, or to NULL if
 * there is none.  target: only gates of this target, or NULL.
 */
int hd_acks_failed_in(struct hd_db *db, const char *target, const char *symbol, char **found, struct hd_err *err);

/* In a transaction of its own.  Strings are raw; id is set. */
int hd_ack_add(struct hd_db *db, struct hd_ack *ack, struct hd_err *err);
/* How many of this symbol (object NULL: of any) counted until now. */
int hd_ack_withdraw(struct hd_db *db, const char *target, const char *symbol, const char *object, int64_t *n,
	struct hd_err *err);

#endif
