/*
 * symbol_address.c - see symbol_address.h
 */
#include "history/symbol_address.h"
#include "db/row_reader.h"

int hd_symbol_address_load(struct hd_symbol_address *out, struct hd_db *db, struct hd_arena *arena,
	const struct hd_run_set *set, int64_t symbol, struct hd_err *err)
{
	static const struct hd_row_field fields[] = {
		HD_ROW(struct hd_symbol_address, path, "o.path", TEXT),
		HD_ROW(struct hd_symbol_address, build_id, "o.build_id", TEXT),
		HD_ROW(struct hd_symbol_address, vaddr, "h.vaddr", TEXT),
	};
	static const struct hd_row_query query = HD_ROW_QUERY(struct hd_symbol_address, fields,
		"FROM hotspot h JOIN object o ON o.id = h.object_id WHERE h.symbol_id = $1 AND h.run_id = $2 "
		"AND h.event = $3 ORDER BY h.rank LIMIT 1");
	int rc = 0;

	for (size_t i = set->n; i-- > 0 && rc == 0;)
		rc = hd_row_get(out, &query, db, arena, err, "iii", symbol, set->runs[i].row, set->runs[i].event);
	return rc;
}
