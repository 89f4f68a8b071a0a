/*
 * run_events.h - write the events and hotspots of a run into the database
 *
 * hotspot_rest.h decides which symbols get a row.  The objects and symbols of all events are looked up together
 * (intern.h), so that a server is queried once per run and not per symbol:
 *
 *     hd_run_events_list(&events, run);		the caller passes the rows to intern.h
 *     rc = hd_run_events_add(&events, db, id, in, err);
 *     hd_run_events_release(&events);
 */
#ifndef HD_HISTORY_RUN_EVENTS_H
#define HD_HISTORY_RUN_EVENTS_H

#include "history/hotspot_rest.h"
#include "history/intern.h"

struct hd_run_events {
	const struct hd_run *run;
	struct hd_hotspot_rest *rests;		/* for each event: the sums of its small symbols */
	struct hd_intern_hotspot *rows;
	size_t n;
};

/* List the hotspots of the run that get a row.  The run is borrowed. */
void hd_run_events_list(struct hd_run_events *e, const struct hd_run *run);
void hd_run_events_release(struct hd_run_events *e);
/*
 * Write the rows of the events inside the transaction of run_add.c.  id: run.id of the run.  in: the interned rows of
 * the run.
 */
int hd_run_events_add(const struct hd_run_events *e, struct hd_db *db, int64_t id, const struct hd_intern *in,
	struct hd_err *err);

#endif
