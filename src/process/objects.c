/*
 * objects.c - see objects.h
 */
#include "process/objects.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAP_HUGETLB_FLAG = 0x40000
}; /* value of MAP_HUGETLB on nearly all architectures; alpha, mips, parisc and xtensa have another one */

enum table_class { OF_USER, OF_KERNEL, OF_GUEST_KERNEL };

static bool starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

void hd_objects_init(struct hd_objects *ob, struct hd_strtab *names)
{
	*ob = (struct hd_objects){ .names = names, .ids = hd_strtab_new() };
	HD_GROW(ob->items, 1, ob->cap);
	ob->items[ob->n++] = (struct hd_process_object){ .kind = HD_OBJ_UNKNOWN };
}

void hd_objects_release(struct hd_objects *ob)
{
	hd_strtab_free(ob->ids);
	free(ob->items);
	hd_index_release(&ob->index);
	hd_map_release(&ob->table);
	hd_map_release(&ob->addressed);
	hd_map_release(&ob->module_paths);
	*ob = (struct hd_objects){ 0 };
}

/* ---- names */

bool hd_is_kernel_name(const char *name)
{
	return starts(name, "[kernel.kallsyms") || starts(name, "[guest.kernel.kallsyms");
}

static bool is_vdso(const char *name)
{
	return !strcmp(name, "[vdso]") || !strcmp(name, "[vdso32]") || !strcmp(name, "[vdsox32]");
}

/* Return true for memory without a file. */
static bool is_anon(const char *name, uint32_t flags)
{
	return flags & MAP_HUGETLB_FLAG || !strcmp(name, "//anon") || starts(name, "/dev/zero") ||
	       starts(name, "/anon_hugepage") || starts(name, "[stack") || starts(name, "/SYSV") ||
	       !strcmp(name, "[heap]");
}

/* Return true if the name of a mapping is not that of a file, for example [vvar] or [vsyscall]. */
static bool is_pseudo(const char *name)
{
	return !name[0] || name[0] == '[' || starts(name, "//");
}

/* Return true for the file into which simpleperf copies code compiled by ART.  Its symbols have process addresses. */
static bool is_jit_cache(const char *name)
{
	return strstr(name, "jit_app_cache:") || strstr(name, "jit_zygote_cache:");
}

void hd_objects_add_perfmap_name(struct hd_objects *ob, const char *name)
{
	hd_map_put(&ob->addressed, hd_strtab_add(ob->names, name), 1);
}

bool hd_objects_is_data(const char *name, bool executable, uint32_t flags)
{
	return !executable && !is_vdso(name) && (is_anon(name, flags) || is_pseudo(name));
}

/* Return the ".ko" suffix of a module's file name (with an optional suffix of a compressor), or NULL. */
static const char *ko_suffix(const char *name)
{
	static const char *const packed[] = { "", ".gz", ".xz", ".zst", ".bz2", ".lzma" };
	const char *dot = name;

	while ((dot = strstr(dot, ".ko"))) {
		for (size_t i = 0; i < HD_COUNT(packed); i++)
			if (!strcmp(dot + 3, packed[i]))
				return dot;
		dot++;
	}
	return NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Return one key for all spellings of a module: path/to/snd-pcm.ko.xz and [snd-pcm] have the key [snd_pcm]. */
static uint32_t module_key(struct hd_objects *ob, const char *name)
{
	const char *s = base_name(name), *ko = ko_suffix(s);
	size_t n = ko ? (size_t)(ko - s) : strlen(s);
	struct hd_buf key = { 0 };
	uint32_t id;

	if (n > 2 && s[0] == '[' && s[n - 1] == ']') {
		s++;
		n -= 2;
	}
	hd_buf_addc(&key, '[');
	for (size_t i = 0; i < n; i++)
		hd_buf_addc(&key, s[i] == '-' ? '_' : s[i]);
	hd_buf_addc(&key, ']');
	id = hd_strtab_addn(ob->names, key.data, key.len);
	hd_buf_release(&key);
	return id;
}

/* Return true if `name`, the name of a kernel entry in the build-id table, is the name of a module: x.ko or [x]. */
static bool is_module_name(const char *name)
{
	const char *base = base_name(name);

	if (base[0] == '[')
		return !hd_is_kernel_name(base) && !is_vdso(base) && strcmp(base, "[vsyscall]") != 0;
	return ko_suffix(base) != NULL;
}

/* ---- the build-id table */

static uint64_t table_key(uint32_t name, enum table_class class)
{
	return (uint64_t)name << 2 | class;
}

void hd_objects_add_build_id(struct hd_objects *ob, const char *name, const uint8_t *id, uint8_t len, uint8_t cpumode)
{
	enum table_class class = cpumode == 1 ? OF_KERNEL : cpumode == 4 ? OF_GUEST_KERNEL : OF_USER;
	struct hd_process_object o;
	uint32_t key;

	if (len > sizeof(o.build_id))
		len = sizeof(o.build_id);
	key = hd_strtab_add(ob->names, name);
	if (class != OF_USER && is_module_name(name)) {
		uint32_t module = module_key(ob, name);

		if (base_name(name)[0] != '[')
			hd_map_put(&ob->module_paths, table_key(module, class), key);
		key = module;
	} else if (class != OF_USER) {
		uint32_t *kernel = &ob->kernel_name[class == OF_GUEST_KERNEL];

		if (!*kernel)
			*kernel = key;
	}
	if (len)
		hd_map_put(&ob->table, table_key(key, class), hd_strtab_addn(ob->ids, (const char *)id, len));
}

uint32_t hd_objects_file_id(struct hd_objects *ob, uint64_t ino, uint64_t generation)
{
	uint64_t both[2] = { ino, generation };

	return ino ? hd_strtab_addn(ob->ids, (const char *)both, sizeof(both)) : 0;
}

/* Set the inode, unless the mapping recorded a build-id, which identifies the file better. */
static void set_file(const struct hd_objects *ob, struct hd_process_object *o, const struct hd_user_mapping *u)
{
	uint64_t both[2];

	if (u->build_id || !u->file)
		return;
	memcpy(both, hd_strtab_get(ob->ids, u->file), sizeof(both));
	o->ino = both[0];
	o->generation = both[1];
}

/* Set the build-id of an object: that of the mapping's record, or else that of the build-id table. */
static void set_build_id(const struct hd_objects *ob, struct hd_process_object *o, uint32_t recorded, uint32_t key,
			 enum table_class class)
{
	uint32_t id = recorded ? recorded : hd_map_get(&ob->table, table_key(key, class));

	if (id == HD_MAP_NONE)
		return;
	o->build_id_listed = !recorded;
	o->build_id_len = (uint8_t)hd_strtab_len(ob->ids, id);
	memcpy(o->build_id, hd_strtab_get(ob->ids, id), o->build_id_len);
}

/* ---- interning */

static bool same(const struct hd_process_object *a, const struct hd_process_object *b)
{
	return a->kind == b->kind && a->name == b->name && a->pid == b->pid && a->guest == b->guest &&
	       a->kernel_start == b->kernel_start && a->kernel_pgoff == b->kernel_pgoff &&
	       a->mnt_ns == b->mnt_ns && a->foreign_pid_ns == b->foreign_pid_ns && a->ino == b->ino &&
	       a->generation == b->generation &&
	       a->build_id_len == b->build_id_len && !memcmp(a->build_id, b->build_id, a->build_id_len);
}

static uint64_t hash(const struct hd_process_object *o)
{
	uint64_t h = hd_mix((uint64_t)o->kind << 32 | o->name, (uint32_t)o->pid);

	h = hd_mix(h, o->kernel_start);
	h = hd_mix(h, o->kernel_pgoff ^ o->mnt_ns);
	h = hd_mix(h, o->ino ^ o->generation << 40);
	return hd_mix(h, hd_hash_bytes(o->build_id, o->build_id_len));
}

static uint32_t intern(struct hd_objects *ob, const struct hd_process_object *o)
{
	uint64_t h = hash(o);
	size_t at;

	for (uint32_t id = hd_index_first(&ob->index, h, &at); id != HD_INDEX_NONE;
	     id = hd_index_next(&ob->index, h, &at))
		if (same(&ob->items[id], o))
			return id;
	HD_GROW(ob->items, ob->n + 1, ob->cap);
	ob->items[ob->n] = *o;
	hd_index_add(&ob->index, h, (uint32_t)ob->n);
	return (uint32_t)ob->n++;
}

bool hd_objects_is_prefix(const struct hd_objects *from, const struct hd_objects *to)
{
	if (from->n > to->n)
		return false;
	for (size_t i = 0; i < from->n; i++)
		if (!same(&from->items[i], &to->items[i]))
			return false;
	return true;
}

uint32_t hd_objects_add_user(struct hd_objects *ob, const struct hd_user_mapping *u)
{
	const char *name = hd_strtab_get(ob->names, u->name);
	struct hd_process_object o = {
		.kind = HD_OBJ_FILE, .name = u->name, .mnt_ns = u->mnt_ns, .foreign_pid_ns = u->foreign_pid_ns,
	};
	char perfmap[32];

	if (is_vdso(name)) {
		o.kind = HD_OBJ_VDSO;
	} else if (is_anon(name, u->flags)) {
		o.kind = HD_OBJ_ANON;
		if (u->executable && u->pid > 0) {
			o.kind = HD_OBJ_PERFMAP;
			snprintf(perfmap, sizeof(perfmap), "/tmp/perf-%d.map", (int)u->pid);
			o.name = hd_strtab_add(ob->names, perfmap);
		}
	} else if (starts(name, "/memfd:doublemapper") && u->executable && u->pid > 0) {
		/* .NET maps its JIT code from this memfd; other memfds contain ELF files */
		o.kind = HD_OBJ_PERFMAP;
	} else if (is_jit_cache(name) || hd_map_has(&ob->addressed, u->name)) {
		o.kind = HD_OBJ_PERFMAP;
	} else if (is_pseudo(name)) {
		o.kind = HD_OBJ_ANON;
	}
	if (o.kind == HD_OBJ_PERFMAP)
		o.pid = u->pid;
	else
		set_build_id(ob, &o, u->build_id, u->name, OF_USER);
	if (o.kind == HD_OBJ_ANON || o.kind == HD_OBJ_VDSO) {
		o.mnt_ns = 0;		/* there is no file, so the mount namespace does not matter */
		o.foreign_pid_ns = false;
	} else if (o.kind == HD_OBJ_FILE) {
		o.foreign_pid_ns = false;
		o.ns_pid = o.mnt_ns ? u->pid : 0;
		set_file(ob, &o, u);
	}
	return intern(ob, &o);
}

uint32_t hd_objects_add_kernel(struct hd_objects *ob, uint32_t name, uint64_t start, uint64_t pgoff, uint32_t build_id,
			   bool guest)
{
	struct hd_process_object o = {
		.kind = HD_OBJ_KERNEL, .name = ob->kernel_name[guest], .guest = guest,
		.kernel_start = start, .kernel_pgoff = pgoff,
	};
	const char *s = hd_strtab_get(ob->names, name), *bracket = strchr(s, ']');

	if (!o.name)
		o.name = bracket ? hd_strtab_addn(ob->names, s, (size_t)(bracket - s) + 1) : name;
	set_build_id(ob, &o, build_id, o.name, guest ? OF_GUEST_KERNEL : OF_KERNEL);
	return intern(ob, &o);
}

uint32_t hd_objects_add_module(struct hd_objects *ob, uint32_t name, uint64_t start, uint32_t build_id, bool guest)
{
	struct hd_process_object o = { .kind = HD_OBJ_MODULE, .name = name, .guest = guest, .kernel_start = start };
	enum table_class class = guest ? OF_GUEST_KERNEL : OF_KERNEL;
	uint32_t key = module_key(ob, hd_strtab_get(ob->names, name)), path;

	if (hd_strtab_get(ob->names, name)[0] == '[') {
		path = hd_map_get(&ob->module_paths, table_key(key, class));
		if (path != HD_MAP_NONE)
			o.name = path;
	}
	set_build_id(ob, &o, build_id, key, class);
	return intern(ob, &o);
}

uint32_t hd_objects_add_ksymbol(struct hd_objects *ob, uint32_t name, uint64_t start)
{
	struct hd_process_object o = { .kind = HD_OBJ_KSYM, .name = name, .kernel_start = start };

	return intern(ob, &o);
}

uint32_t hd_objects_add_jit(struct hd_objects *ob, uint32_t name, int32_t pid)
{
	struct hd_process_object o = { .kind = HD_OBJ_JIT, .name = name, .pid = pid };

	return intern(ob, &o);
}

bool hd_objects_has_absolute_addresses(const struct hd_objects *ob, uint32_t id)
{
	const struct hd_process_object *o = &ob->items[id];

	return o->kind == HD_OBJ_KERNEL || o->kind == HD_OBJ_PERFMAP ||
	       (o->kind == HD_OBJ_ANON && is_anon(hd_strtab_get(ob->names, o->name), 0));
}
