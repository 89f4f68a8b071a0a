/*
 * source_files.c - see source_files.h
 */
#include "cli/source_files.h"

#include "base/hex.h"
#include "base/mem.h"
#include "symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

struct hd_source_files {
	struct hd_symbols *symbols;
};

struct hd_source_files *hd_source_files_new(struct hd_log *log)
{
	const struct hd_symbols_opts opts = { 0 };
	struct hd_source_files *s = hd_new(struct hd_source_files);

	s->symbols = hd_symbols_new(&opts, log);
	return s;
}

void hd_source_files_free(struct hd_source_files *s)
{
	if (s)
		hd_symbols_free(s->symbols);
	free(s);
}

const char *hd_source_files_find(struct hd_source_files *s, const char *path, const char *build_id, const char *vaddr,
	unsigned *line)
{
	struct hd_symbols_key key = { .kind = HD_OBJ_FILE, .path = path };
	struct hd_inline_hit inlined[HD_INLINE_MAX];
	struct hd_symobj *object;
	uint8_t id[HD_ELF_BUILD_ID];
	struct hd_line_hit hit = { 0 };
	size_t digits = build_id ? strlen(build_id) : 0;
	char *end;
	uint64_t address;
	size_t n;

	if (line)
		*line = 0;
	if (!path || *path != '/' || !vaddr || !digits || digits % 2 || digits > 2 * sizeof(id))
		return NULL;
	if (hd_unhex(build_id, id, digits / 2) != digits / 2)
		return NULL;
	address = strtoull(vaddr, &end, 16);
	if (*end)
		return NULL;
	key.build_id = id;
	key.build_id_len = (uint8_t)(digits / 2);
	object = hd_symbols_object(s->symbols, &key);
	hd_object_line(object, address, &hit);
	/*
	 * If the function begins with inlined code, `hit` is a line of that code.  The line in the function itself is
	 * the call line of the outermost inlined function.  If the array is full, that function may be missing in it.
	 */
	n = hd_object_inlines(object, address, inlined, HD_INLINE_MAX);
	if (n && n < HD_INLINE_MAX && inlined[n - 1].call_file)
		hit = (struct hd_line_hit){ inlined[n - 1].call_file, inlined[n - 1].call_line };
	if (line && hit.file)
		*line = hit.line;
	return hit.file;
}
