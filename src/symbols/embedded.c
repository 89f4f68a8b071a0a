/*
 * embedded.c - see embedded.h
 */
#include "symbols/embedded.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, START_FILE_BYTES = 32 };

struct hd_embedded_index {
	const struct hd_embedded_files *tables;
	struct hd_map by_path;		/* hash of a path -> index of its first table that is not empty */
	/*
	 * hash of a file's base name -> index of its first symbol table; only for tables whose addresses are those in
	 * the process, which are used for perf maps
	 */
	struct hd_map by_name;
	size_t kernel;			/* index + 1 of the kernel's first table; 0: none */
};

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

struct hd_embedded_index *hd_embedded_index_new(const struct hd_embedded_files *tables)
{
	struct hd_embedded_index *ci;

	if (!tables || !tables->n)
		return NULL;
	ci = hd_new(struct hd_embedded_index);
	ci->tables = tables;
	for (size_t i = 0; i < tables->n; i++) {
		const struct hd_embedded_table *t = &tables->v[i];
		uint64_t h = hd_hash_bytes(t->path, strlen(t->path));

		if (!t->n)
			continue;
		if (hd_map_get(&ci->by_path, h) == HD_MAP_NONE)
			hd_map_put(&ci->by_path, h, (uint32_t)i);
		h = hd_hash_bytes(last_part(t->path), strlen(last_part(t->path)));
		if (t->place == HD_EMBEDDED_BASE_ADDRESS && hd_map_get(&ci->by_name, h) == HD_MAP_NONE)
			hd_map_put(&ci->by_name, h, (uint32_t)i);
		if (t->place == HD_EMBEDDED_BASE_KERNEL && !ci->kernel)
			ci->kernel = i + 1;
	}
	return ci;
}

void hd_embedded_index_free(struct hd_embedded_index *ci)
{
	if (!ci)
		return;
	hd_map_release(&ci->by_path);
	hd_map_release(&ci->by_name);
	free(ci);
}

static const struct hd_embedded_table *kernel_table(const struct hd_embedded_index *ci)
{
	return ci->kernel ? &ci->tables->v[ci->kernel - 1] : NULL;
}

/* Find the table of a perf map by its file name: on Android its folder is /data/local/tmp instead of /tmp. */
static const struct hd_embedded_table *perf_map_table(const struct hd_embedded_index *ci, const char *path)
{
	const char *name = last_part(path);
	uint32_t i = hd_map_get(&ci->by_name, hd_hash_bytes(name, strlen(name)));

	return i == HD_MAP_NONE || strcmp(last_part(ci->tables->v[i].path), name) != 0 ? NULL : &ci->tables->v[i];
}

/* Find the table of the object; NULL if there is none. */
static const struct hd_embedded_table *find(const struct hd_local_object *o)
{
	const struct hd_embedded_index *ci = o->ls->embedded;
	const struct hd_embedded_table *t;
	uint32_t i;

	if (!ci)
		return NULL;
	if (o->key.kind == HD_OBJ_KERNEL)
		return strncmp(o->path, "[guest", 6) ? kernel_table(ci) : NULL;
	i = hd_map_get(&ci->by_path, hd_hash_bytes(o->path, strlen(o->path)));
	t = i == HD_MAP_NONE ? NULL : &ci->tables->v[i];
	if (t && strcmp(t->path, o->path))
		t = NULL;
	if (!t && o->key.kind == HD_OBJ_PERFMAP)
		t = perf_map_table(ci, o->path);
	if (t && t->build_id_len && hd_local_has_build_id(o) &&
	    !hd_build_id_equal(t->build_id, t->build_id_len, o->key.build_id, o->key.build_id_len))
		t = NULL;
	return t || o->key.kind != HD_OBJ_MODULE ? t : kernel_table(ci);
}

/* Return the length of the name without the module: that of `nvme_probe` for `nvme_probe [nvme]`. */
static size_t without_module(const char *name)
{
	size_t n = strlen(name);
	const char *bracket = n && name[n - 1] == ']' ? strrchr(name, '[') : NULL;

	return bracket && bracket > name + 1 && bracket[-1] == ' ' ? (size_t)(bracket - 1 - name) : n;
}

/*
 * Return true for _init and _fini of the compiler's start files, which have a few instructions and no size.  They must
 * not extend to the next symbol, because PLT stubs can be in between.
 */
static bool is_start_file_code(const char *name)
{
	return !strcmp(name, "_init") || !strcmp(name, "_fini");
}

/*
 * Return the largest possible end of a symbol without a size; the start of the next symbol limits it further.  The
 * result is 4096 bytes after the start, rounded up to a multiple of 4096.  _init and _fini in a file end after
 * START_FILE_BYTES.  In the kernel, a symbol other than the last one is limited by the next symbol only (UINT64_MAX),
 * because every recorded address has a symbol.
 */
static uint64_t limit_of(const struct hd_embedded_table *t, const char *name, uint64_t start, uint64_t last)
{
	uint64_t page = start > UINT64_MAX - 2 * PAGE ? UINT64_MAX : (start + 2 * PAGE - 1) & ~(uint64_t)(PAGE - 1);

	if (t->place == HD_EMBEDDED_BASE_LINKED && is_start_file_code(name))
		return start > UINT64_MAX - START_FILE_BYTES ? UINT64_MAX : start + START_FILE_BYTES;
	return t->place == HD_EMBEDDED_BASE_KERNEL && start < last ? UINT64_MAX : page;
}

/* Add the symbols of table `t` to the object.  moved: what to add to the addresses in the table. */
static void add_rows(struct hd_local_object *o, const struct hd_embedded_table *t, uint64_t moved)
{
	const struct hd_embedded_files *all = o->ls->embedded->tables;
	bool kernel = o->key.kind == HD_OBJ_KERNEL || o->key.kind == HD_OBJ_MODULE;
	struct hd_embedded_row row;
	uint64_t last = 0;

	for (size_t i = 0; i < t->n; i++) {
		all->row(all->ctx, t->first + i, &row);
		if (row.start > last)
			last = row.start;
	}
	for (size_t i = 0; i < t->n; i++) {
		struct hd_symraw raw = { .flags = HD_SYM_GLOBAL };

		all->row(all->ctx, t->first + i, &row);
		raw.start = row.start + moved;
		raw.size = row.size;
		raw.limit = limit_of(t, row.name, row.start, last);
		if (raw.limit != UINT64_MAX)
			raw.limit += moved;
		raw.name = hd_symtable_name(&o->table, row.name, kernel ? without_module(row.name) : strlen(row.name));
		if (raw.name && raw.start + raw.size >= raw.start && raw.limit >= raw.start)
			hd_symtable_add(&o->table, &raw);
	}
}

static void set_source(struct hd_local_object *o)
{
	if (o->quality < HD_SYMQ_SYMTAB)
		o->quality = HD_SYMQ_SYMTAB;
	free(o->origin);
	o->origin = hd_strdup(HD_EMBEDDED_SOURCE);
}

bool hd_embedded_add(struct hd_local_object *o)
{
	const struct hd_embedded_table *t = find(o);

	if (!t || t->place != HD_EMBEDDED_BASE_LINKED)
		return false;
	add_rows(o, t, 0);
	set_source(o);
	return true;
}

/* Map all file offsets of the object to addresses as linked: vaddr = foff + bias. */
static void map_offsets(struct hd_local_object *o, uint64_t bias)
{
	free(o->loads.v);
	o->loads = (struct hd_elf_loads){ .v = hd_new_array(struct hd_elf_load, 1), .n = 1 };
	o->loads.v[0] = (struct hd_elf_load){ .filesz = UINT64_MAX, .memsz = UINT64_MAX, .vaddr = bias, .exec = true };
	o->by_offset = true;
}

bool hd_embedded_load(struct hd_local_object *o)
{
	const struct hd_embedded_table *t = find(o);
	uint64_t moved = 0;

	if (!t)
		return false;
	o->by_offset = false;
	switch (t->place) {
	case HD_EMBEDDED_BASE_LINKED:
		map_offsets(o, t->vaddr - (t->has_foff ? t->foff : o->key.code_pgoff));
		break;
	case HD_EMBEDDED_BASE_OFFSET:
		map_offsets(o, 0);
		break;
	case HD_EMBEDDED_BASE_MODULE:
		if (!o->key.kernel_start)
			return false;
		moved = o->key.kernel_start + (t->has_foff ? t->foff : 0) - t->vaddr;
		break;
	case HD_EMBEDDED_BASE_KERNEL:
	case HD_EMBEDDED_BASE_ADDRESS:
		break;
	}
	if (o->key.kind == HD_OBJ_FILE && !o->by_offset)
		return false;		/* the addresses of the table in the process are unknown */
	add_rows(o, t, moved);
	hd_symtable_build(&o->table, o->key.kind == HD_OBJ_PERFMAP ? HD_SYM_LATEST : HD_SYM_FUNCTIONS);
	set_source(o);
	return true;
}
