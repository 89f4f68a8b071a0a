/*
 * run_events.h - the events and hotspots of a run, on their way into the database
 *
 * For run_add.c, inside its transaction.  Which symbols get a row of their own is hotspot_rest.h's; what they refer to
 * is looked up for all events at once (intern.h), so that a server is asked a few times a run and not a few
 * times a symbol.
 */
#ifndef HD_HISTORY_RUN_EVENTS_H
#define HD_HISTORY_RUN_EVENTS_H

#include "history/run.h"

/* id: run.id. */
int hd_run_events_add(struct hd_db *db, int64_t id, const struct hd_run *run, struct hd_err *err);

#endif
