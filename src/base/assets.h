/*
 * assets.h - files of the source tree that are embedded in the program
 *
 * scripts/embed writes the table at build time.  It has the SQL files of schema/, the scripts and styles of
 * src/render/, the files of src/web/html/, and the charting library dygraphs if that is installed (see the Makefile).
 */
#ifndef HD_BASE_ASSETS_H
#define HD_BASE_ASSETS_H

#include "base/buf.h"

#include <stddef.h>

struct hd_asset {
	/*
	 * For a file of schema/, its path below schema/, for example "001_init.sql" or "pg/019_partitions.sql".  For
	 * any other file, its name without the folder.  NULL ends the table.
	 */
	const char *name;
	const char *data;	/* len bytes and a NUL */
	size_t len;
};

extern const struct hd_asset hd_assets[];

const struct hd_asset *hd_asset_find(const char *name);		/* NULL if there is none */
/* Append the data of an asset to `out`; append nothing if no asset has that name. */
void hd_asset_add(struct hd_buf *out, const char *name);

#endif
