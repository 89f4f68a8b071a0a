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
