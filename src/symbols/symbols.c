/*
 * symbols.c - see symbols.h; the cache of objects, and the answers
 */
#include "symbols/symbols.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "symbols/carried.h"
#include "symbols/debuginfod.h"
#include "symbols/inlines.h"
#include "symbols/jitlines.h"
#include "symbols/lines.h"
#include "symbols/machine.h"
#include "symbols/object.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct hd_symbols *hd_symbols_new(const struct hd_symbols_opts *opts, struct hd_log *log)
{
	struct hd_symbols *sy = hd_new(struct hd_symbols);
	const char *home = getenv("HOME");
	struct hd_buf cache = { 0 };

	sy->opts = *opts;
	sy->opts.symfs = opts->symfs && *opts->symfs ? hd_strdup(opts->symfs) : NULL;
	sy->opts.kallsyms = opts->kallsyms && *opts->kallsyms ? hd_strdup(opts->kallsyms) : NULL;
	sy->opts.guest_kallsyms = opts->guest_kallsyms && *opts->guest_kallsyms ? hd_strdup(opts->guest_kallsyms) : NULL;
	sy->opts.machine = opts->machine && *opts->machine ? hd_strdup(opts->machine) : NULL;
	sy->log = log;
	sy->carried = hd_carried_index_new(opts->carried);
	if (home && *home == '/') {
		hd_buf_addf(&cache, "%s/.debug/.build-id/", home);
		sy->cache = hd_buf_take(&cache);
	}
	return sy;
}

static void free_object(struct hd_symobj *o)
{
	hd_inlines_free(o->inlines);
	hd_lines_free(o->lines);
	hd_jitlines_free(o->jit_lines);
	hd_symtable_release(&o->table);
	hd_place_release(&o->runtime);
	hd_place_release(&o->dwarf);
	free(o->loads.v);
	free(o->image);
	free(o->module_name);
	free(o->source);
	free(o->problem);
	free(o->path);
	free(o);
}

void hd_symbols_free(struct hd_symbols *sy)
{
	if (!sy)
		return;
	for (size_t i = 0; i < sy->nobjects; i++)
		free_object(sy->objects[i]);
	free(sy->objects);
	hd_map_release(&sy->by_hash);
	hd_kernels_free(sy->kernels);
	hd_debuginfod_free(sy->debuginfod);
	hd_carried_index_free(sy->carried);
	free((char *)sy->opts.symfs);
	free((char *)sy->opts.kallsyms);
	free((char *)sy->opts.guest_kallsyms);
	free((char *)sy->opts.machine);
	free(sy->cache);
	free(sy);
}

/* ---- what the loaders say ---- */

void hd_object_set_problem(struct hd_symobj *o, const char *fmt, ...)
{
	struct hd_buf text = { 0 };
	va_list ap;

	if (o->problem)
		return;
	va_start(ap, fmt);
	hd_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	o->problem = hd_buf_take(&text);
}

void hd_object_set_source(struct hd_symobj *o, const struct hd_place *p, const char *note)
{
	char *text = p->path ? hd_place_text(p) : hd_strdup(o->path);
	struct hd_buf whole = { 0 };

	hd_buf_addf(&whole, "%s%s", text, note);
	free(text);
	free(o->source);
	o->source = hd_buf_take(&whole);
}

/* ---- the cache ---- */

static uint64_t hash_key(const struct hd_symbols_key *k)
{
	uint64_t h = hd_mix(hd_hash_bytes(k->path, strlen(k->path)), (uint64_t)k->kind << 32 | (uint32_t)k->pid);

	h = hd_mix(h, k->build_id_len ? hd_hash_bytes(k->build_id, k->build_id_len) : 0);
	return hd_mix(h, hd_mix(k->kernel_start, k->kernel_pgoff));
}

static bool same_key(const struct hd_symbols_key *a, const struct hd_symbols_key *b)
{
	return a->kind == b->kind && a->pid == b->pid && a->kernel_start == b->kernel_start && a->kernel_pgoff == b->kernel_pgoff &&
	       a->guest == b->guest && a->mnt_ns == b->mnt_ns && a->foreign_pid == b->foreign_pid && a->build_id_len == b->build_id_len && (!a->build_id_len || !memcmp(a->build_id, b->build_id, a->build_id_len)) &&
	       !strcmp(a->path, b->path);
}

static const char *fix_for(enum hd_symbols_kind kind, bool guest)
{
	switch (kind) {
	case HD_SYM_FILE:
		return "build it with -g and do not strip it, install its debug symbols (NAME-dbgsym, libc6-dbg), or give --symfs DIR";
	case HD_SYM_KERNEL:
	case HD_SYM_MODULE:
		return guest ? "give the guest's /proc/kallsyms with --guest-kallsyms" :
		       "give the recorded machine's /proc/kallsyms with --kallsyms, or install the kernel's debug symbols";
	case HD_SYM_PERFMAP:
		return "let the JIT write /tmp/perf-PID.map (node --perf-basic-prof, python -X perf, java with a perf map agent) or a jitdump (node --perf-prof), and keep it";
	case HD_SYM_JIT:
		return "record again, and let the process end before its recording is read";
	case HD_SYM_VDSO:
	case HD_SYM_UNKNOWN:
	case HD_SYM_KSYM:
	case HD_SYM_ANON:
		break;
	}
	return "";
}

static void load(struct hd_symobj *o)
{
	switch (o->key.kind) {
	case HD_SYM_FILE:
		hd_file_load(o);
		break;
	case HD_SYM_VDSO:
		hd_vdso_load(o);
		break;
	case HD_SYM_KERNEL:
		hd_kernel_load(o);
		break;
	case HD_SYM_MODULE:
		hd_module_load(o);
		break;
	case HD_SYM_KSYM:
		o->one_symbol = true;
		o->quality = HD_SYMQ_SYMTAB;
		break;
	case HD_SYM_PERFMAP:
		hd_perfmap_load(o);
		break;
	case HD_SYM_JIT:
		hd_jit_load(o);
		break;
	case HD_SYM_UNKNOWN:
	case HD_SYM_ANON:
		return;
	}
	if (o->quality != HD_SYMQ_NONE) {
		free(o->problem);
		o->problem = NULL;
	} else {
		hd_object_set_problem(o, "nothing was found");
		if (!o->damage_told)
			hd_warn(o->sy->log, "symbols.none", fix_for(o->key.kind, o->key.guest), "%s: no symbols: %s", o->path, o->problem);
	}
}

struct hd_symobj *hd_symbols_object(struct hd_symbols *sy, const struct hd_symbols_key *key)
{
	uint64_t h = hash_key(key);
	uint32_t newest = hd_map_get(&sy->by_hash, h);
	struct hd_symobj *o = newest == HD_MAP_NONE ? NULL : sy->objects[newest];

	for (; o; o = o->next)
		if (same_key(&o->key, key))
			return o;
	o = hd_new(struct hd_symobj);
	o->sy = sy;
	o->next = newest == HD_MAP_NONE ? NULL : sy->objects[newest];
	o->key = *key;
	o->path = hd_strdup(key->path);
	o->key.path = o->path;
	/* No build-id is longer; one that says so is none. */
	if (o->key.build_id_len > sizeof(o->id))
		o->key.build_id_len = 0;
	if (o->key.build_id_len)
		memcpy(o->id, key->build_id, o->key.build_id_len);
	o->key.build_id = o->id;
	HD_GROW(sy->objects, sy->nobjects + 1, sy->objects_cap);
	sy->objects[sy->nobjects] = o;
	hd_map_put(&sy->by_hash, h, (uint32_t)sy->nobjects++);
	load(o);
	return o;
}

/* ---- answers ---- */

/* To the address space of the symbols; false when the file has nothing there, *vaddr is then what was asked. */
static bool to_vaddr(const struct hd_symobj *o, uint64_t addr, uint64_t *vaddr)
{
	*vaddr = addr;
	if (o->by_offset)
		return hd_elf_vaddr(&o->loads, addr, vaddr);
	if ((o->key.kind == HD_SYM_MODULE || o->key.kind == HD_SYM_KSYM) && addr < o->key.kernel_start)
		*vaddr = o->key.kernel_start + addr;
	return true;
}

void hd_object_lookup(struct hd_symobj *o, uint64_t foff, struct hd_symbol_hit *hit)
{
	const struct hd_symtable *t = o->kallsyms ? &o->kallsyms->table : &o->table;
	struct hd_symspan span;
	uint64_t vaddr;
	bool found;

	*hit = (struct hd_symbol_hit){ 0 };
	found = to_vaddr(o, foff, &vaddr);
	hit->vaddr = vaddr;
	if (!found)
		return;
	if (o->jitdump) {
		const struct hd_jit_load *l = hd_jitdump_find(o->jitdump, vaddr);

		if (l && *hd_jitdump_name(o->jitdump, l))
			*hit = (struct hd_symbol_hit){ vaddr, l->off, l->size, hd_jitdump_name(o->jitdump, l) };
		return;
	}
	if (o->one_symbol) {
		hit->start = o->key.kernel_start;
		hit->linkage = o->path;
		return;
	}
	if (o->kallsyms)
		found = hd_kallsyms_find(o->kallsyms, vaddr - o->shift, o->module, &o->cursor, &span);
	else
		found = hd_symtable_find(t, vaddr - o->shift, &o->cursor, &span);
	if (found) {
		hit->start = span.start + o->shift;
		hit->size = span.end - span.start;
		hit->linkage = hd_symtable_str(t, span.name);
	}
}

void hd_object_line(struct hd_symobj *o, uint64_t vaddr, struct hd_line_hit *hit)
{
	*hit = (struct hd_line_hit){ 0 };
	if (o->jitdump) {
		if (!o->jit_lines)
			o->jit_lines = hd_jitlines_new(o->jitdump, o->sy->log);
		hd_jitlines_find(o->jit_lines, vaddr, hit);
	}
	if (o->key.kind != HD_SYM_FILE && o->key.kind != HD_SYM_KERNEL)
		return;
	if (!o->lines)
		o->lines = hd_lines_open(o);
	hd_lines_find(o->lines, vaddr - o->shift, hit);
}

enum hd_symbols_quality hd_object_quality(const struct hd_symobj *o)
{
	return o->quality;
}

const char *hd_object_source(const struct hd_symobj *o)
{
	return o->source ? o->source : "";
}

const char *hd_object_problem(const struct hd_symobj *o)
{
	return o->problem;
}

const char *hd_object_build_id(const struct hd_symobj *o)
{
	return o->build_id;
}

const char *hd_object_machine(const struct hd_symobj *o)
{
	return hd_machine_name(o->machine);
}

int hd_object_open(const struct hd_symobj *o, struct hd_err *err)
{
	int fd;

	if (o->jitdump)
		return hd_jitdump_reopen(o->jitdump, err);
	if (!o->image)
		return hd_place_reopen(&o->runtime, o->sy->log, err);
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return hd_fail_errno(err, HD_EIO, errno, "%s: no memory file for it", o->path);
	if (hd_file_write_all(fd, o->image, o->image_size) < 0) {
		int rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot copy it to a memory file", o->path);

		close(fd);
		return rc;
	}
	return fd;
}
