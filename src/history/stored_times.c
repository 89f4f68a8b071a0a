/*
 * stored_times.c - see stored_times.h
 */
#include "history/stored_times.h"

#include "base/encode.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Return true if two texts are equal; NULL equals NULL only. */
static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

int hd_stored_times_load(struct hd_stored_times *out, struct hd_db *db, const char *target, const char *command,
	const char *side, const char *machine, struct hd_err *err)
{
	char *shown_target = hd_enc_visible_new(target), *shown = hd_enc_visible_new(command), *session = NULL;
	struct hd_db_rows r;
	size_t cap = 0;
	int rc;

	*out = (struct hd_stored_times){ 0 };
	/*
	 * `bench` stores the times that it measures as the series "process".  Other latencies may be measurements by
	 * the command itself.
	 */
	rc = hd_db_query(&r, db, err,
		"SELECT r.recorded_utc, c.sha, r.session, x.value FROM run r JOIN series t ON t.run_id = r.id JOIN "
		"series_summary x ON x.run_id = t.run_id AND x.series = t.series LEFT JOIN commit_info c ON c.id = "
		"r.commit_id LEFT JOIN machine m ON m.id = r.machine_id WHERE r.target = $1 AND r.command = $2 AND "
		"COALESCE(r.side, '') = $3 AND COALESCE(m.fingerprint, '') = $4 AND r.status = 'ok' AND t.kind = "
		"'other' AND t.name = 'process.wall_time_us' AND x.stat = 'mean' ORDER BY r.recorded_utc DESC, r.id "
		"DESC LIMIT 1000",
		"tttt", shown_target, shown, side, machine);
	while (rc >= 0 && out->n < HD_STORED_TIMES_MAX && (rc = hd_db_next(&r, err)) > 0) {
		char *commit = hd_col_text(&r, 1), *its_session = hd_col_text(&r, 2);
		double value = hd_col_double(&r, 3);
		bool is_first = !out->recorded;
		bool ends = !is_first && (!same(commit, out->commit) || !same(its_session, session));

		if (is_first) {
			out->recorded = hd_col_text(&r, 0);
			out->recorded = out->recorded ? out->recorded : hd_strdup("");
			out->commit = commit;
			session = its_session;
		} else {
			free(commit);
			free(its_session);
		}
		if (ends)
			break;
		if (!(value > 0) || !isfinite(value))
			continue;
		HD_GROW(out->wall_us, out->n + 1, cap);
		out->wall_us[out->n++] = value;
	}
	hd_db_end(&r);
	for (size_t i = 0, k = out->n; i + 1 < k; i++) {	/* the query returns the newest first */
		double value = out->wall_us[i];

		out->wall_us[i] = out->wall_us[--k];
		out->wall_us[k] = value;
	}
	free(session);
	free(shown);
	free(shown_target);
	if (rc < 0)
		hd_stored_times_release(out);
	return rc < 0 ? rc : 0;
}

void hd_stored_times_release(struct hd_stored_times *t)
{
	free(t->wall_us);
	free(t->recorded);
	free(t->commit);
	*t = (struct hd_stored_times){ 0 };
}
