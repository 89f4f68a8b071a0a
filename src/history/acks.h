/*
 * acks.h - store and look up acknowledgements: rises of a symbol's share that the user has accepted
 *
 * An acknowledgement has a symbol, a level, a reason, an author and an expiry time; it can be limited to a target, an
 * event and an object.  `gate` compares the symbols of a base and a head.  A symbol whose result would be FAIL or
 * INCONCLUSIVE passes as long as its share in the head, in per cent, is at most the acknowledged level.  A statistic of
 * a series ("p99 wall_time_us") can be acknowledged in the same way; its level is in the unit of the series.
 * Acknowledgements that have expired or were withdrawn are ignored.  If several are valid, the highest level counts.
 *
 * The texts of struct hd_ack are in their visible form (base/encode.h) after hd_acks_load().  Parameters of functions
 * are raw bytes.
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
	const char *commit;		/* sha of the newest commit with runs when this was stored; NULL: unknown */
	/* author, expires and withdrawn may be NULL */
	const char *reason, *author, *created, *expires, *withdrawn;
};

struct hd_acks {
	struct hd_arena arena;
	struct hd_ack *items;		/* oldest first */
	size_t n, cap;
};

/*
 * Load the acknowledgements of `target` for `event`, including those for all targets or events; NULL: of all.  now:
 * load only those that are valid at this UTC time, and check each against the journal, because an acknowledgement can
 * turn a FAIL into a PASS; NULL: load all.  HD_EIO: an acknowledgement was inserted or altered by hand.
 *
 * The caller releases `a`, except on failure.
 */
int hd_acks_load(struct hd_acks *a, struct hd_db *db, const char *target, const char *event, const char *now,
	struct hd_err *err);
void hd_acks_release(struct hd_acks *a);

/*
 * Return the acknowledgement with the highest level for this symbol; NULL if there is none.  object: also consider
 * acknowledgements for this object only; NULL: only those for any object.
 */
const struct hd_ack *hd_acks_find(const struct hd_acks *a, const char *symbol, const char *object);

/*
 * Return true if the acknowledged level covers `value`.  Values are compared with a relative tolerance of 1e-9, because
 * a mean of equal values can differ from them in the last digits.
 */
bool hd_acks_covers(const struct hd_ack *a, double value);

/*
 * Set *found to the target of the newest gate that FAILed because of this symbol or series, in visible form, or to
 * NULL.  The caller frees it.  target: only gates of this target; NULL: any.
 */
int hd_acks_failed_in(struct hd_db *db, const char *target, const char *symbol, char **found, struct hd_err *err);

/*
 * Store an acknowledgement in one transaction, and set ack->id.  The strings are raw bytes.  The current time is stored
 * as its creation time; ack->created and ack->withdrawn are ignored.
 */
int hd_ack_add(struct hd_db *db, struct hd_ack *ack, struct hd_err *err);
/*
 * Withdraw the valid acknowledgements of a symbol in one transaction.  event, object: only those for this event or
 * object, not those for all; NULL: any.  target: only those
 * for this target, not those for all targets; NULL: any.  Without `target` and `all_targets`, the acknowledgements must
 * be for the same target, or all of them for all targets; otherwise it is HD_EUSAGE, and the message names the targets.
 * *n is set to how many there were.
 */
int hd_ack_withdraw(struct hd_db *db, const char *target, bool all_targets, const char *symbol, const char *event,
	const char *object, int64_t *n, struct hd_err *err);

#endif
