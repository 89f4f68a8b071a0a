/*
 * assets.h - files of the source tree that the program carries inside
 *
 * The SQL of schema/ and the scripts and styles of src/render/, embedded at build by
 * scripts/embed, in the order of their paths.
 */
#ifndef HD_BASE_ASSETS_H
#define HD_BASE_ASSETS_H

#include "base/buf.h"

#include <stddef.h>

struct hd_asset {
	const char *name;	/* without the folder, e.g. "001_init.sql"; NULL ends the table */
	const char *data;	/* len bytes and a NUL */
	size_t len;
};

extern const struct hd_asset hd_assets[];

const struct hd_asset *hd_asset_find(const char *name);		/* or NULL */
/* Append the data of an asset to `out`; nothing if no asset has that name. */
void hd_asset_add(struct hd_buf *out, const char *name);

#endif
