/*
 * run_events.h - write the events and hotspots of a run into the database
 *
 * hotspot_rest.h decides which symbols get a row.  The objects and symbols of all events are looked up together
 * (intern.h), so that a server is queried a few times per run and not per symbol.
 */
#ifndef HD_HISTORY_RUN_EVENTS_H
#define HD_HISTORY_RUN_EVENTS_H

#include "history/run.h"

/* Write them inside the transaction of run_add.c; id is run.id. */
int hd_run_events_add(struct hd_db *db, int64_t id, const struct hd_run *run, struct hd_err *err);

#endif
