/*
 * chain_writer.h - find the chain to which this machine appends runs
 *
 * A file has one such chain.  On a server, each machine has one (chain.writer), so that machines do not wait for each
 * other.  Machines of one name (writer_name.h) share a chain.
 */
#ifndef HD_TRUST_CHAIN_WRITER_H
#define HD_TRUST_CHAIN_WRITER_H

#include "db/db.h"

/*
 * Look up the chain of runs of this machine, and create it on a server if the machine has none.  Call this outside of
 * a transaction.  Returns 1 and sets *origin, which the caller frees, also after an error; or HD_EIO if the file has no
 * chain.
 */
int hd_chain_own(char **origin, struct hd_db *db, struct hd_err *err);
/*
 * Look up this chain in two steps, so that a server does that in one statement with other queries.
 * hd_chain_own_finish() returns 1 and sets *origin, which the caller frees; 0 if the machine has no chain; < 0 on
 * error.
 */
int hd_chain_own_start(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err);
int hd_chain_own_finish(char **origin, struct hd_db_rows *r, struct hd_err *err);

#endif
