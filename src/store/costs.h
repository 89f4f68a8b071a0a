/*
 * costs.h - the events and hotspots of a run, on their way into the database
 *
 * For run.c, inside its transaction.  Which symbols get a row of their own is rest.h's; what they refer to
 * is looked up for all events at once (intern.h), so that a server is asked a few times a run and not a few
 * times a symbol.
 */
#ifndef HD_STORE_COSTS_H
#define HD_STORE_COSTS_H

#include "store/run.h"

/* id: run.id. */
int hd_costs_add(struct hd_db *db, int64_t id, const struct hd_run *run, struct hd_err *err);

#endif
