/*
 * stored_times.h - load the wall times of the last session of a command that `hotdrift bench --add` stored
 *
 * The session consists of the newest runs with status ok that have the same target, command, side and machine.  It ends
 * at a run with another commit or another --session word than the newest run.
 */
#ifndef HD_HISTORY_STORED_TIMES_H
#define HD_HISTORY_STORED_TIMES_H

#include "db/db.h"

struct hd_stored_times {
	double *wall_us;		/* one per run, oldest first; runs without a positive time are skipped */
	size_t n;			/* 0: there is no such run; at most HD_STORED_TIMES_MAX */
	char *recorded;			/* UTC text of the newest run; NULL if there is none */
	char *commit;			/* commit of the newest run, or NULL */
};

enum { HD_STORED_TIMES_MAX = 1000 };

/*
 * Load the newest stored times of a command.  command: its words in the form of hd_argv_quote(); side: "base" or
 * "head", or "" for a command that was measured alone; machine: the fingerprint of the machine.  The caller releases
 * *out.
 */
int hd_stored_times_load(struct hd_stored_times *out, struct hd_db *db, const char *target, const char *command,
	const char *side, const char *machine, struct hd_err *err);
void hd_stored_times_release(struct hd_stored_times *t);

#endif
