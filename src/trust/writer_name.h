/*
 * writer_name.h - find the name of this machine as a writer of a server
 *
 * The name is $HOTDRIFT_ORIGIN, else the host name, else "localhost".  Each writer has a chain of its own
 * (chain_writer.h).
 */
#ifndef HD_TRUST_WRITER_NAME_H
#define HD_TRUST_WRITER_NAME_H

#include "db/db.h"

/* Return the name in visible form (base/encode.h) for chain.writer; NULL on a file.  The caller frees it. */
char *hd_writer_name(const struct hd_db *db);

#endif
