/*
 * debuginfod.h - fetch files by build-id from the servers in DEBUGINFOD_URLS
 *
 * The servers are queried only for objects whose symbols no local file has.  All queries of one client share a time
 * budget.  The first query loads libdebuginfod with dlopen(), because it brings a network stack that hotdrift needs
 * for nothing else.
 *
 * Warnings: symbols.debuginfod-absent, symbols.debuginfod-budget.  Not thread-safe: a query sets the environment
 * variable DEBUGINFOD_MAXTIME of this process.
 */
#ifndef HD_ELF_DEBUGINFOD_H
#define HD_ELF_DEBUGINFOD_H

#include "elf/debugfile.h"

struct hd_debuginfod;

struct hd_debuginfod *hd_debuginfod_new(unsigned budget_ms);	/* budget_ms 0: 10 s */
void hd_debuginfod_free(struct hd_debuginfod *d);		/* accepts NULL */

/*
 * Fetch a file with symbols: the debug file of `e`, or, if `e` is NULL, of the query's build-id; in the second case the
 * binary itself if the servers have no debug file.  On success `place` describes the fetched file.  Returns NULL if
 * `d`, DEBUGINFOD_URLS, the build-id or libdebuginfod is missing, the servers do not have the file, or the budget is
 * used up.
 */
struct hd_elf *hd_debuginfod_find(struct hd_debuginfod *d, const struct hd_debugfile_query *q, struct hd_elf *e,
	struct hd_file_ref *place);

#endif
