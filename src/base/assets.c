/*
 * assets.c - see assets.h
 */
#include "base/assets.h"

#include <string.h>

const struct hd_asset *hd_asset_find(const char *name)
{
	for (const struct hd_asset *a = hd_assets; a->name; a++)
		if (!strcmp(a->name, name))
			return a;
	return NULL;
}

void hd_asset_add(struct hd_buf *out, const char *name)
{
	const struct hd_asset *a = hd_asset_find(name);

	if (a)
		hd_buf_add(out, a->data, a->len);
}
