/*
 * symbols.c - see symbols.h; the cache of objects.  lookup.c answers
 */
#include "symbols/symbols.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "symbols/embedded.h"
#include "elf/debuginfod.h"
#include "dwarf/inlines.h"
#include "symbols/jit_lines.h"
#include "symbols/key.h"
#include "dwarf/lines.h"
#include "elf/machine.h"
#include "symbols/object.h"
#include "symbols/bundle_record.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct hd_symbols *hd_symbols_new(const struct hd_symbols_opts *opts, struct hd_log *log)
{
	struct hd_symbols *sy = hd_new(struct hd_symbols);
	const char *home = getenv("HOME");
	struct hd_buf cache = { 0 };

	sy->opts = *opts;
	sy->opts.symfs = opts->symfs && *opts->symfs ? hd_strdup(opts->symfs) : NULL;
	sy->opts.kallsyms = opts->kallsyms && *opts->kallsyms ? hd_strdup(opts->kallsyms) : NULL;
	sy->opts.guest_kallsyms = opts->guest_kallsyms && *opts->guest_kallsyms ? hd_strdup(opts->guest_kallsyms)
										: NULL;
	sy->opts.machine = opts->machine && *opts->machine ? hd_strdup(opts->machine) : NULL;
	sy->log = log;
	sy->carried = hd_embedded_index_new(opts->carried);
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
	hd_jit_lines_free(o->jit_lines);
	hd_symtable_release(&o->table);
	hd_file_ref_release(&o->runtime);
	hd_file_ref_release(&o->dwarf);
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
	hd_kernel_symbols_free(sy->kernels);
	hd_debuginfod_free(sy->debuginfod);
	hd_embedded_index_free(sy->carried);
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

void hd_object_set_source(struct hd_symobj *o, const struct hd_file_ref *p, const char *note)
{
	char *text = p->path ? hd_file_ref_text(p) : hd_strdup(o->path);
	struct hd_buf whole = { 0 };

	hd_buf_addf(&whole, "%s%s", text, note);
	free(text);
	free(o->source);
	o->source = hd_buf_take(&whole);
}

/* ---- the cache ---- */

static const char *fix_for(enum hd_symbols_kind kind, bool guest)
{
	switch (kind) {
	case HD_SYM_FILE:
		return "build it with -g and do not strip it, install its debug symbols (NAME-dbgsym, libc6-dbg), or give --symfs DIR";
	case HD_SYM_KERNEL:
	case HD_SYM_MODULE:
		return guest
			? "give the guest's /proc/kallsyms with --guest-kallsyms"
			: "give the recorded machine's /proc/kallsyms with --kallsyms, or install the kernel's debug symbols";
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

static char *copy(const char *s)
{
	return s ? hd_strdup(s) : NULL;
}

/* What a bundle says of it. */
static void load_given(struct hd_symobj *o)
{
	const char *id;

	o->given = hd_bundle_replay_find(o->sy->opts.given, &o->key);
	if (!o->given) {
		hd_object_set_problem(o, "the bundle has no answers for it");
		hd_warn(o->sy->log, "lost.bundle-object", "make the bundle anew", "%s: no symbols: %s", o->path,
			o->problem);
		return;
	}
	o->quality = hd_bundle_replay_quality(o->given);
	o->source = copy(hd_bundle_replay_source(o->given));
	o->problem = copy(hd_bundle_replay_problem(o->given));
	o->machine = (uint16_t)hd_bundle_replay_machine(o->given);
	id = hd_bundle_replay_build_id(o->given);
	if (id && strlen(id) < sizeof(o->build_id))
		strcpy(o->build_id, id);
	hd_object_replay_warnings(o, HD_LOOKUP_LOAD);
}

static void load(struct hd_symobj *o)
{
	if (o->sy->opts.given) {
		load_given(o);
		return;
	}
	switch (o->key.kind) {
	case HD_SYM_FILE:
		hd_binary_load(o);
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
			hd_warn(o->sy->log, "symbols.none", fix_for(o->key.kind, o->key.guest), "%s: no symbols: %s",
				o->path, o->problem);
	}
}

static void load_and_remember(struct hd_symobj *o)
{
	struct hd_warning_capture h;

	o->remembered = hd_bundle_record_add_object(o->sy->opts.remember, &o->key);
	hd_object_capture_begin(o, &h);
	load(o);
	hd_bundle_record_set_quality(o->remembered, o);
	hd_object_capture_end(o, &h, HD_LOOKUP_LOAD);
}

struct hd_symobj *hd_symbols_object(struct hd_symbols *sy, const struct hd_symbols_key *key)
{
	uint64_t h = hd_symbols_key_hash(key);
	uint32_t newest = hd_map_get(&sy->by_hash, h);
	struct hd_symobj *o = newest == HD_MAP_NONE ? NULL : sy->objects[newest];

	for (; o; o = o->next)
		if (hd_symbols_key_equal(&o->key, key))
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
	if (sy->opts.remember)
		load_and_remember(o);
	else
		load(o);
	return o;
}
