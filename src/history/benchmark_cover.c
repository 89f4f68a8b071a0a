/*
 * benchmark_cover.c - see benchmark_cover.h
 */
#include "history/benchmark_cover.h"

#include "base/encode.h"
#include "db/row_reader.h"

#include <stdlib.h>
#include <string.h>

static const struct hd_row_field cover_fields[] = {
	HD_ROW(struct hd_benchmark_cover, symbol, "k.symbol", NAME_OR_EMPTY),
	HD_ROW(struct hd_benchmark_cover, benchmark, "t.name", NAME_OR_EMPTY),
	HD_ROW(struct hd_benchmark_cover, tool, "t.method", TEXT),
	HD_ROW(struct hd_benchmark_cover, run_id, "r.run_id", TEXT),
	HD_ROW(struct hd_benchmark_cover, commit, "c.sha", TEXT),
	HD_ROW(struct hd_benchmark_cover, recorded, "r.recorded_utc", TEXT),
	HD_ROW(struct hd_benchmark_cover, mean_ns, "a.value", REAL),
	HD_ROW(struct hd_benchmark_cover, mean_ci.lo, "a.lo", REAL),
	HD_ROW(struct hd_benchmark_cover, mean_ci.hi, "a.hi", REAL),
};

/*
 * End of a SQL query for rows of benchmark_cover (which benchmark covers which symbol).  It selects only the newest
 * successful run with the same target, benchmark name and tool.
 */
#define NEWEST													\
	"FROM benchmark_cover k JOIN series t ON t.run_id = k.run_id AND t.series = k.series "			\
	"JOIN run r ON r.id = k.run_id LEFT JOIN commit_info c ON c.id = r.commit_id "				\
	"LEFT JOIN series_summary a ON a.run_id = t.run_id AND a.series = t.series AND a.stat = 'mean' "	\
	"WHERE r.status = 'ok' AND NOT EXISTS (SELECT 1 FROM series t2 JOIN run r2 ON r2.id = t2.run_id "	\
	"WHERE t2.kind = 'benchmark' AND t2.name = t.name AND t2.method = t.method "				\
	"AND r2.status = 'ok' AND r2.target = r.target AND (r2.recorded_utc > r.recorded_utc "			\
	"OR (r2.recorded_utc = r.recorded_utc AND r2.id > r.id))) "
#define IN_ORDER "ORDER BY t.name, r.target, k.ordinal"

static const struct hd_row_query of_all = HD_ROW_QUERY(struct hd_benchmark_cover, cover_fields, NEWEST IN_ORDER);
static const struct hd_row_query of_target = HD_ROW_QUERY(struct hd_benchmark_cover, cover_fields,
	NEWEST "AND r.target = $1 " IN_ORDER);

int hd_benchmark_covers_load(struct hd_benchmark_covers *out, struct hd_db *db, const char *target, struct hd_err *err)
{
	char *shown = hd_enc_visible_new(target);
	struct hd_row_list list = { 0 };
	int rc;

	*out = (struct hd_benchmark_covers){ .n = 0 };
	if (shown)
		rc = hd_row_load(&list, &of_target, db, &out->arena, err, "t", shown);
	else
		rc = hd_row_load(&list, &of_all, db, &out->arena, err, "");
	free(shown);
	out->items = list.items;
	out->n = list.n;
	if (rc < 0)
		hd_benchmark_covers_release(out);
	return rc < 0 ? rc : 0;
}

void hd_benchmark_covers_release(struct hd_benchmark_covers *c)
{
	free(c->items);
	hd_arena_release(&c->arena);
	*c = (struct hd_benchmark_covers){ .n = 0 };
}

bool hd_benchmark_cover_applies(const struct hd_benchmark_cover *c, const char *normal)
{
	size_t n = strlen(c->symbol), all = strlen(normal);

	if (!n || all < n || strcmp(normal + all - n, c->symbol))
		return false;
	return all == n || (all > n + 2 && !memcmp(normal + all - n - 2, "::", 2));
}

const struct hd_benchmark_cover *hd_benchmark_covers_next(const struct hd_benchmark_covers *c, const char *normal,
	const struct hd_benchmark_cover *last)
{
	for (size_t i = last ? (size_t)(last - c->items) + 1 : 0; i < c->n; i++)
		if (hd_benchmark_cover_applies(&c->items[i], normal))
			return &c->items[i];
	return NULL;
}
