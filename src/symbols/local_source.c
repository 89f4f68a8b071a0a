/*
 * local_source.c - the symbol source that reads the files of this machine: see local_source.h
 */
#include "symbols/local_source.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "dwarf/inlines.h"
#include "dwarf/lines.h"
#include "elf/debuginfod.h"
#include "symbols/embedded.h"
#include "symbols/jit_lines.h"
#include "symbols/jitdump.h"
#include "symbols/local_object.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- kinds of objects ---- */

static void load_ksymbol(struct hd_local_object *o)
{
	o->one_symbol = true;
	o->quality = HD_SYMQ_SYMTAB;
}

static const char kernel_fix[] =
	"give the recorded machine's /proc/kallsyms with --kallsyms, or install the kernel's debug symbols";
static const char guest_fix[] = "give the guest's /proc/kallsyms with --guest-kallsyms";

static const struct kind {
	void (*load)(struct hd_local_object *o);		/* NULL: such objects never have symbols */
	struct hd_elf *(*open_code)(struct hd_local_object *o);	/* NULL: the code is not read from a file here */
	bool has_dwarf;
	const char *fix;		/* advice how the user can provide symbols; NULL: there is none */
	const char *guest_fix;		/* advice for a guest's object; NULL: `fix` */
} kinds[] = {
	[HD_OBJ_UNKNOWN] = { 0 },
	[HD_OBJ_FILE] = { .load = hd_binary_load, .open_code = hd_binary_open_code, .has_dwarf = true,
		.fix = "build it with -g and do not strip it, install its debug symbols (NAME-dbgsym, libc6-dbg), "
		       "or give --symfs DIR" },
	[HD_OBJ_VDSO] = { .load = hd_vdso_load, .open_code = hd_vdso_open_code },
	[HD_OBJ_KERNEL] = { .load = hd_kernel_load, .has_dwarf = true, .fix = kernel_fix, .guest_fix = guest_fix },
	[HD_OBJ_MODULE] = { .load = hd_module_load, .fix = kernel_fix, .guest_fix = guest_fix },
	[HD_OBJ_KSYM] = { .load = load_ksymbol },
	[HD_OBJ_PERFMAP] = { .load = hd_perfmap_load,
		.fix = "let the JIT write /tmp/perf-PID.map (node --perf-basic-prof, python -X perf, java with a perf "
		       "map agent) or a jitdump (node --perf-prof), and keep it" },
	[HD_OBJ_ANON] = { 0 },
	[HD_OBJ_JIT] = { .load = hd_jit_load,
		.fix = "record again, and let the process end before its recording is read" },
};

/* ---- objects ---- */

static void load(struct hd_local_object *o)
{
	const struct kind *k = &kinds[o->key.kind];
	const char *fix = o->key.guest && k->guest_fix ? k->guest_fix : k->fix;

	if (!k->load)
		return;
	k->load(o);
	if (o->quality != HD_SYMQ_NONE) {
		free(o->problem);
		o->problem = NULL;
	} else {
		hd_local_set_problem(o, "nothing was found");
		if (!o->warned)
			hd_warn(o->ls->log, "symbols.none", fix ? fix : "", "%s: no symbols: %s", o->path, o->problem);
	}
}

static void *new_object(void *ctx, const struct hd_symbols_key *key, struct hd_symbol_info *info)
{
	struct hd_local_object *o = hd_new(struct hd_local_object);

	o->ls = ctx;
	o->key = *key;
	o->path = key->path;
	o->files.path = key->path;
	o->files.log = o->ls->log;
	o->files.no_call_files = o->ls->opts.no_call_files;
	load(o);
	*info = (struct hd_symbol_info){ o->quality, o->origin, o->problem, o->build_id, o->machine };
	return o;
}

static void free_object(void *obj)
{
	struct hd_local_object *o = obj;

	hd_inlines_free(o->inlines);
	hd_lines_free(o->lines);
	hd_jit_lines_free(o->jit_lines);
	hd_symtable_release(&o->table);
	hd_file_ref_release(&o->files.code);
	hd_file_ref_release(&o->files.debug);
	free(o->loads.v);
	free(o->image);
	free(o->module_name);
	free(o->origin);
	free(o->problem);
	free(o);
}

/* ---- symbols ---- */

static void lookup(void *obj, uint64_t foff, struct hd_symbol_hit *hit)
{
	struct hd_local_object *o = obj;
	const struct hd_symtable *t = o->kallsyms ? &o->kallsyms->table : &o->table;
	struct hd_symspan span;
	bool found;

	if (o->by_offset) {
		hit->vaddr = foff;
		if (!hd_elf_vaddr(&o->loads, foff, &hit->vaddr))
			return;
	}
	if (o->jitdump) {
		const struct hd_jit_load *l = hd_jitdump_find(o->jitdump, hit->vaddr);

		if (l && *hd_jitdump_name(o->jitdump, l))
			*hit = (struct hd_symbol_hit){ hit->vaddr, l->off, l->size, hd_jitdump_name(o->jitdump, l) };
		return;
	}
	if (o->one_symbol) {
		hit->start = o->key.kernel_start;
		hit->linkage = o->path;
		return;
	}
	if (o->kallsyms)
		found = hd_kallsyms_find(o->kallsyms, hit->vaddr - o->shift, o->module, &o->cursor, &span);
	else
		found = hd_symtable_find(t, hit->vaddr - o->shift, &o->cursor, &span);
	if (found) {
		hit->start = span.start + o->shift;
		hit->size = span.end - span.start;
		hit->linkage = hd_symtable_str(t, span.name);
	}
}

/* ---- lines and inlined functions ---- */

/* Open the line information.  Returns false if objects of this kind have none. */
static bool open_lines(struct hd_local_object *o)
{
	if (!kinds[o->key.kind].has_dwarf)
		return false;
	if (!o->lines) {
		hd_binary_find_debug(o);
		o->lines = hd_lines_open(&o->files);
	}
	return true;
}

static void open_debug(void *obj)
{
	open_lines(obj);
}

static void line(void *obj, uint64_t vaddr, struct hd_line_hit *hit)
{
	struct hd_local_object *o = obj;

	if (o->jitdump) {
		if (!o->jit_lines)
			o->jit_lines = hd_jit_lines_new(o->jitdump, o->ls->log);
		hd_jit_lines_find(o->jit_lines, vaddr, hit);
	} else if (open_lines(o)) {
		hd_lines_find(o->lines, vaddr - o->shift, hit);
	}
}

static bool open_inlines(struct hd_local_object *o)
{
	if (!open_lines(o))
		return false;
	if (!o->inlines)
		o->inlines = hd_inlines_open(o->lines, &o->files);
	return true;
}

static uint32_t inline_instance(void *obj, uint64_t vaddr)
{
	struct hd_local_object *o = obj;

	return open_inlines(o) ? hd_inlines_instance(o->inlines, vaddr - o->shift) : 0;
}

static size_t inlines(void *obj, uint64_t vaddr, struct hd_inline_hit *hits, size_t max)
{
	struct hd_local_object *o = obj;
	size_t n = open_inlines(o) ? hd_inlines_find(o->inlines, vaddr - o->shift, hits, max) : 0;

	for (size_t i = 0; i < n; i++)
		hits[i].low += o->shift;
	return n;
}

/* ---- code ---- */

/* Reopen the file or image that the search has found.  Returns a descriptor or < 0. */
static int reopen_code(const struct hd_local_object *o, struct hd_err *err)
{
	int fd;

	if (!o->image)
		return hd_file_ref_reopen(&o->files.code, o->ls->log, err);
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return hd_fail_errno(err, HD_EIO, errno, "%s: cannot create a memory file", o->path);
	if (hd_file_write_all(fd, o->image, o->image_size) < 0) {
		int rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot copy it to a memory file", o->path);

		close(fd);
		return rc;
	}
	return fd;
}

/*
 * Repeat the search of the loader with a temporary object.  The warnings of the search are dropped, because the loader
 * issues the same ones when symbols are looked up.  A read error becomes the result.  Another thread may be changing
 * `ctx`, so only the options and the cache path, which are constant, are used.
 */
static int open_code(void *ctx, const struct hd_symbols_key *key, struct hd_err *err)
{
	const struct hd_local_source *shared = ctx;
	struct hd_log dropped = { 0 };
	struct hd_local_source ls = { .opts = shared->opts, .log = &dropped, .cache = shared->cache };
	struct hd_local_object o = { .ls = &ls, .key = *key, .path = key->path };
	const struct hd_warning *trouble;
	struct hd_elf *e = NULL;
	int fd;

	if (o.key.build_id_len > HD_ELF_BUILD_ID)
		o.key.build_id_len = 0;
	if (kinds[key->kind].open_code)
		e = kinds[key->kind].open_code(&o);
	if (e)
		fd = reopen_code(&o, err);
	else
		fd = hd_fail(err, HD_EFORMAT, "%s: %s", key->path,
			o.problem ? o.problem : "there is no file with its code");
	trouble = hd_log_find(&dropped, "symbols.unreadable");
	if (fd < 0 && trouble)
		fd = hd_fail(err, HD_EIO, "%s", trouble->text);
	hd_elf_close(e);
	hd_file_ref_release(&o.files.code);
	free(o.image);
	free(o.problem);
	hd_log_release(&dropped);
	return fd;
}

static bool was_replaced(void *ctx, const struct hd_symbols_key *key)
{
	return hd_local_was_replaced(ctx, key);
}

/* ---- the source ---- */

static char *copy(const char *s)
{
	return s && *s ? hd_strdup(s) : NULL;
}

static void free_source(void *ctx)
{
	struct hd_local_source *ls = ctx;

	hd_kernel_symbols_free(ls->kernels);
	hd_debuginfod_free(ls->debuginfod);
	hd_embedded_index_free(ls->embedded);
	free((char *)ls->opts.symfs);
	free((char *)ls->opts.kallsyms);
	free((char *)ls->opts.guest_kallsyms);
	free((char *)ls->opts.machine);
	free(ls->cache);
	free(ls);
}

struct hd_symbol_source hd_local_source_new(const struct hd_symbols_opts *opts, struct hd_log *log)
{
	static const struct hd_symbol_source_ops ops = {
		.object = new_object, .free_object = free_object, .lookup = lookup, .open_debug = open_debug,
		.line = line, .inline_instance = inline_instance, .inlines = inlines,
		.open_code = open_code, .was_replaced = was_replaced, .free = free_source,
	};
	struct hd_local_source *ls = hd_new(struct hd_local_source);
	const char *home = getenv("HOME");
	struct hd_buf cache = { 0 };

	ls->opts = *opts;
	ls->opts.symfs = copy(opts->symfs);
	ls->opts.kallsyms = copy(opts->kallsyms);
	ls->opts.guest_kallsyms = copy(opts->guest_kallsyms);
	ls->opts.machine = copy(opts->machine);
	ls->log = log;
	ls->debuginfod = opts->debuginfod ? hd_debuginfod_new(opts->debuginfod_budget_ms) : NULL;
	ls->embedded = hd_embedded_index_new(opts->embedded);
	if (home && *home == '/') {
		hd_buf_addf(&cache, "%s/.debug/.build-id/", home);
		ls->cache = hd_buf_take(&cache);
	}
	return (struct hd_symbol_source){ &ops, ls };
}
