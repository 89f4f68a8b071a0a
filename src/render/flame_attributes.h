/*
 * flame_attributes.h - attributes for the frames of single functions, from the file of --nameattr
 *
 * One line per function: its name and attributes, separated by tabs (the format of flamegraph.pl):
 *
 *     parse_row<TAB>href=https://example.org/parse_row<TAB>title=reads one row
 *
 * Attributes: title, class, href, target.  Any other attribute (onclick, style), and a link that could run a script
 * (href=javascript:...), is HD_EFORMAT, because the file of a flamegraph must be safe to open.
 */
#ifndef HD_RENDER_FLAME_ATTRIBUTES_H
#define HD_RENDER_FLAME_ATTRIBUTES_H

#include "base/err.h"

struct hd_flame_attributes;

/* The attributes of a function.  Strings are borrowed from hd_flame_attributes; NULL: not given in the file. */
struct hd_flame_attribute_set {
	const char *title, *class_, *href, *target;
};

/* Read the file.  The caller frees *out. */
int hd_flame_attributes_read(struct hd_flame_attributes **out, const char *path, struct hd_err *err);
void hd_flame_attributes_free(struct hd_flame_attributes *a);	/* accepts NULL */
/* Return the attributes of a function, or NULL.  `a` may be NULL. */
const struct hd_flame_attribute_set *hd_flame_attributes_get(const struct hd_flame_attributes *a, const char *name);

#endif
