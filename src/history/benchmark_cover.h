/*
 * benchmark_cover.h - load which micro-benchmarks cover which symbols
 *
 *     struct hd_benchmark_covers covers;
 *     rc = hd_benchmark_covers_load(&covers, db, "parser", err);
 *     while ((c = hd_benchmark_covers_next(&covers, "Parser::parse_row", c)))
 *             ...     c->benchmark, c->mean_ns
 *     hd_benchmark_covers_release(&covers);
 *
 * Only the newest successful result of each benchmark (target, name and tool) is used; its commit does not matter.
 * run_benchmarks.h has the rules by which a benchmark covers a symbol.
 */
#ifndef HD_HISTORY_BENCHMARK_COVER_H
#define HD_HISTORY_BENCHMARK_COVER_H

#include "base/arena.h"
#include "db/db.h"
#include "stats/bootstrap.h"

/* A benchmark and a symbol that it covers.  Strings are raw bytes; NULL: unknown. */
struct hd_benchmark_cover {
	const char *symbol;		/* a normalised name, or the end of one after :: */
	const char *benchmark, *tool;
	const char *run_id, *commit, *recorded;
	double mean_ns;			/* per iteration; NaN: unknown */
	struct hd_interval mean_ci;	/* NaN: unknown */
};

struct hd_benchmark_covers {
	struct hd_arena arena;
	/* by benchmark, then by target; symbols in the order in which they were stored */
	struct hd_benchmark_cover *items;
	size_t n;
};

/* Load which symbols the benchmarks in runs of `target` cover (NULL: of any target).  The caller releases *out. */
int hd_benchmark_covers_load(struct hd_benchmark_covers *out, struct hd_db *db, const char *target, struct hd_err *err);
void hd_benchmark_covers_release(struct hd_benchmark_covers *c);

/* Return true if the benchmark of `c` covers the symbol with this normalised name. */
bool hd_benchmark_cover_applies(const struct hd_benchmark_cover *c, const char *normal);
/* Return the next benchmark that covers a symbol, after `last` (NULL: from the start); NULL if there is no more. */
const struct hd_benchmark_cover *hd_benchmark_covers_next(const struct hd_benchmark_covers *c, const char *normal,
	const struct hd_benchmark_cover *last);

#endif
