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
	const struct hd_symbols_opts opts = { .no_call_files = true };
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

const char *hd_source_files_find(struct hd_source_files *s, const char *path, const char *build_id, const char *vaddr)
{
	struct hd_symbols_key key = { .kind = HD_OBJ_FILE, .path = path };
	uint8_t id[HD_ELF_BUILD_ID];
	struct hd_line_hit hit = { 0 };
	size_t digits = build_id ? strlen(build_id) : 0;
	char *end;
	uint64_t address;

	if (!path || *path != '/' || !vaddr || !digits || digits % 2 || digits > 2 * sizeof(id))
		return NULL;
	if (hd_unhex(build_id, id, digits / 2) != digits / 2)
		return NULL;
	address = strtoull(vaddr, &end, 16);
	if (*end)
		return NULL;
	key.build_id = id;
	key.build_id_len = (uint8_t)(digits / 2);
	hd_object_line(hd_symbols_object(s->symbols, &key), address, &hit);
	return hit.file;
}
