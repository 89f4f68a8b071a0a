/*
 * symbol_address.h - look up where the machine code of a stored symbol is: its object, and its address in the object
 */
#ifndef HD_HISTORY_SYMBOL_ADDRESS_H
#define HD_HISTORY_SYMBOL_ADDRESS_H

#include "base/arena.h"
#include "history/run_set.h"

struct hd_symbol_address {
	/*
	 * columns of tables hotspot and object; NULL: unknown.  path is in its visible form; vaddr can lack leading
	 * zeros
	 */
	const char *path, *build_id, *vaddr;
};

/*
 * Load the address of a symbol (symbol.id) from the newest run of `set` that has it.  Strings go into the arena.
 * Returns 1; 0 if no run has it; < 0 on error.
 */
int hd_symbol_address_load(struct hd_symbol_address *out, struct hd_db *db, struct hd_arena *arena,
	const struct hd_run_set *set, int64_t symbol, struct hd_err *err);

#endif
