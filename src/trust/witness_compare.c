/*
 * witness_compare.c - a witness beside a database: see witness.h
 */
#include "trust/witness.h"

#include "base/mem.h"
#include "trust/chain.h"

#include <stdlib.h>
#include <string.h>

static int differs(const struct hd_witness_place *p, struct hd_db *db, const char *path, bool there, struct hd_err *err)
{
	return hd_fail(err, HD_ENO, "%s: line %zu: %s %s run %lld of chain %s", path, p->line, hd_db_name(db),
		       there ? "has another hash for" : "has no", (long long)p->seq, p->origin);
}

/* Places n.. of one chain, in order, as check has found them; a database may have more behind. */
static int compare_chain(const struct hd_witness_place *p, size_t n, struct hd_db *db, const char *path,
	struct hd_err *err)
{
	struct hd_chain_place there;
	struct hd_db_rows r;
	size_t i = 0;
	int rc;

	rc = hd_chain_places(&r, db, p->origin, err);
	while (rc >= 0 && i < n && (rc = hd_chain_next(&r, &there, err)) > 0) {
		if (there.seq == p[i].seq) {
			if (!there.hash || strcmp(there.hash, p[i].hash))
				rc = differs(&p[i], db, path, true, err);
			i++;
		}
		hd_chain_place_release(&there);
	}
	hd_db_end(&r);
	return rc >= 0 && i < n ? differs(&p[i], db, path, false, err) : rc < 0 ? rc : 0;
}

static int compare_run(const struct hd_witness_run *run, struct hd_db *db, const char *path, struct hd_err *err)
{
	int64_t there;
	int rc;

	rc = hd_db_query_int(db, &there, 0, err,
		"SELECT COUNT(*) FROM run WHERE run_id = $1 AND run_hash = $2 AND origin = $3 AND seq = $4", "ttti",
		run->run_id, run->hash, run->origin, run->seq);
	if (rc >= 0 && !there)
		rc = hd_fail(err, HD_ENO, "%s: line %zu: %s has no run %s with this hash at this place", path,
			run->line, hd_db_name(db), run->run_id);
	return rc;
}

int hd_witness_compare(const struct hd_witness *w, struct hd_db *db, const char *path, struct hd_err *err)
{
	int rc = 0;

	for (size_t i = 0, n; i < w->nplaces && rc >= 0; i += n) {
		for (n = 1; i + n < w->nplaces && !strcmp(w->places[i + n].origin, w->places[i].origin);)
			n++;
		rc = compare_chain(&w->places[i], n, db, path, err);
	}
	for (size_t i = 0; i < w->nruns && rc >= 0; i++)
		rc = compare_run(&w->runs[i], db, path, err);
	return rc;
}
