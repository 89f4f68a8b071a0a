/*
 * relative_path.c - see relative_path.h
 */
#include "dwarf/relative_path.h"

#include "base/buf.h"
#include "base/mem.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/*
 * Append a component to `out`; the component `..` removes the last one of `out` instead.  `out` is empty, or starts
 * with a slash and does not end with one.
 */
static void add_part(struct hd_buf *out, const char *part, size_t n)
{
	if (!n || (n == 1 && part[0] == '.'))
		return;
	if (n != 2 || memcmp(part, "..", 2)) {
		hd_buf_addc(out, '/');
		hd_buf_add(out, part, n);
		return;
	}
	while (out->len && out->data[--out->len] != '/')
		;
	out->data[out->len] = '\0';
}

static void add_parts(struct hd_buf *out, const char *path)
{
	for (const char *p = path; *p; ) {
		size_t n = strcspn(p, "/");

		add_part(out, p, n);
		p += n + (p[n] == '/');
	}
}

char *hd_relative_path_join(const char *dir, const char *name)
{
	struct hd_buf out = { 0 };

	hd_buf_adds(&out, "");
	if (*name != '/' && *dir != '/')
		goto none;
	if (*name != '/')
		add_parts(&out, dir);
	add_parts(&out, name);
	if (out.len && out.len < PATH_MAX)
		return hd_buf_take(&out);
none:
	hd_buf_release(&out);
	return NULL;
}

char *hd_relative_path_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? hd_strndup(path, slash == path ? 1 : (size_t)(slash - path)) : hd_strdup("");
}
