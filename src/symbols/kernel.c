/*
 * kernel.c - load the symbols of the kernel and its modules
 *
 * The sources of symbols are tried in the order of local_source.h.  A .ko file is used if the recording contains the
 * load address of the module.  Lookups use ips, the addresses in the recorded kernel.  `shift` is the ip of a symbol
 * minus its address in a file: every boot loads the kernel at another address.
 */
#include "symbols/local_object.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "symbols/embedded.h"
#include "elf/debugfile.h"
#include "elf/minidebug.h"
#include "elf/notes.h"
#include "elf/symtab.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { KALLSYMS_MAX = 256 << 20, MODULE_MAX = 256 << 20 };

/* The content of a kallsyms file, read once for the kernel and all its modules. */
struct hd_kernel_symbols {
	struct hd_kernel_symbols *next;
	char *source;
	struct hd_kallsyms list;
	uint64_t shift;			/* recorded address minus listed address of a symbol */
	bool guest;			/* it was loaded for a guest */
};

void hd_kernel_symbols_free(struct hd_kernel_symbols *k)
{
	while (k) {
		struct hd_kernel_symbols *next = k->next;

		hd_kallsyms_release(&k->list);
		free(k->source);
		free(k);
		k = next;
	}
}

/* ---- kallsyms ---- */

static const char unrestrict[] = "record and report as root, or allow it: sysctl kernel.kptr_restrict=0";

/*
 * Parse the content of a kallsyms file, empty `text`, and add the result to o->ls->kernels.  If no symbols can be used,
 * return NULL and set o->problem.
 */
static struct hd_kernel_symbols *parse_list(struct hd_local_object *o, struct hd_buf *text, const char *source)
{
	struct hd_kernel_symbols *k = hd_new(struct hd_kernel_symbols);

	k->source = hd_strdup(source);
	k->guest = o->key.guest;
	hd_kallsyms_parse(&k->list, text);
	hd_buf_release(text);
	if (k->list.damaged)
		hd_warn_n(o->ls->log, "symbols.kallsyms-damaged", k->list.damaged,
			"take a fresh copy of /proc/kallsyms", "%s: skipped lines that are not symbols", source);
	if (k->list.restricted) {
		hd_warn(o->ls->log, "symbols.kallsyms-restricted", unrestrict, "%s: all addresses are hidden", source);
		hd_local_set_problem(o, "%s hides its addresses (kptr_restrict)", source);
	} else if (!k->list.table.npieces) {
		hd_local_set_problem(o, "%s contains no symbols", source);
	} else {
		k->next = o->ls->kernels;
		o->ls->kernels = k;
		return k;
	}
	hd_kernel_symbols_free(k);
	return NULL;
}

/* Read a kallsyms file, and close fd.  On failure, return NULL and set o->problem. */
static struct hd_kernel_symbols *read_list(struct hd_local_object *o, int fd, const char *source)
{
	struct hd_buf text = { 0 };
	struct hd_err err;
	int rc = hd_file_slurp(fd, source, KALLSYMS_MAX, &text, &err);

	close(fd);
	if (rc >= 0)
		return parse_list(o, &text, source);
	hd_local_set_problem(o, "%s", err.msg);
	hd_buf_release(&text);
	return NULL;
}

/*
 * Return the content of a kallsyms file if it was read before.  The host and the guests have separate entries, because
 * their kernels are at different addresses: the difference to the addresses in the file (`shift`) is not the same.
 */
static struct hd_kernel_symbols *known_list(const struct hd_local_object *o, const char *source)
{
	for (struct hd_kernel_symbols *k = o->ls->kernels; k; k = k->next)
		if (k->guest == o->key.guest && !strcmp(k->source, source))
			return k;
	return NULL;
}

/* Read the kallsyms file `path`, unless it was read before.  fix: advice if it cannot be opened; NULL: no warning. */
static struct hd_kernel_symbols *open_list(struct hd_local_object *o, const char *path, const char *fix)
{
	struct hd_kernel_symbols *k = known_list(o, path);
	struct hd_err err;
	int fd;

	if (k)
		return k;
	fd = hd_file_open(path, &err);
	if (fd >= 0)
		return read_list(o, fd, path);
	if (fix)
		hd_warn(o->ls->log, "symbols.kallsyms", fix, "%s", err.msg);
	hd_local_set_problem(o, "%s", err.msg);
	return NULL;
}

/* Return the path that the user gave with --kallsyms, or for a guest with --guest-kallsyms; NULL: none. */
static const char *user_path(const struct hd_local_object *o)
{
	return o->key.guest ? o->ls->opts.guest_kallsyms : o->ls->opts.kallsyms;
}

static struct hd_kernel_symbols *user_list(struct hd_local_object *o)
{
	return open_list(o, user_path(o),
		o->key.guest ? "name a readable file with --guest-kallsyms" : "name a readable file with --kallsyms");
}

static struct hd_kernel_symbols *cached_list(struct hd_local_object *o)
{
	struct hd_debugfile_query q = hd_local_debugfile_query(o);
	struct hd_file_ref place = { 0 };
	int fd = hd_buildid_cache_open(&q, "kallsyms", &place);
	struct hd_kernel_symbols *k = fd < 0 ? NULL : known_list(o, place.path);

	if (k)
		close(fd);
	else if (fd >= 0)
		k = read_list(o, fd, place.path);
	hd_file_ref_release(&place);
	return k;
}

/* Return true if the running kernel is the recorded one. */
static bool is_running_kernel(const struct hd_local_object *o)
{
	uint8_t id[HD_ELF_BUILD_ID], n = 0;
	struct hd_buf notes = { 0 };
	bool bad = false;
	int fd;

	if (!hd_local_has_build_id(o))
		return o->ls->opts.same_machine && !o->key.guest && strncmp(o->path, "[guest", 6);
	fd = hd_file_open("/sys/kernel/notes", NULL);
	if (fd >= 0) {
		if (hd_file_slurp(fd, "/sys/kernel/notes", 1 << 20, &notes, NULL) >= 0 && notes.len)
			n = hd_notes_build_id(hd_bytes_over(notes.data, notes.len, false), 4, id, &bad);
		close(fd);
	}
	hd_buf_release(&notes);
	return hd_build_id_equal(id, n, o->key.build_id, o->key.build_id_len);
}

static struct hd_kernel_symbols *running_list(struct hd_local_object *o)
{
	return open_list(o, "/proc/kallsyms", NULL);
}

/* Return the copy of kallsyms that the recording contains of the host; NULL if it has none that can be used. */
static struct hd_kernel_symbols *embedded_list(struct hd_local_object *o)
{
	const struct hd_embedded_files *t = o->ls->opts.embedded;
	struct hd_kernel_symbols *k = known_list(o, HD_EMBEDDED_SOURCE);
	struct hd_buf text = { 0 };

	if (k || !t || !t->kallsyms_len || !strncmp(o->path, "[guest", 6))
		return k;
	hd_buf_add(&text, t->kallsyms, t->kallsyms_len);
	return parse_list(o, &text, HD_EMBEDDED_SOURCE);
}

static void use_list(struct hd_local_object *o, struct hd_kernel_symbols *k, const char *module, uint64_t shift)
{
	o->kallsyms = &k->list;
	o->module = module;
	o->shift = shift;
	o->quality = HD_SYMQ_SYMTAB;
	free(o->origin);
	o->origin = hd_strdup(k->source);
}

/* ---- vmlinux ---- */

static void vmlinux_references(const struct hd_symtable *t, uint64_t *text, uint64_t *stext)
{
	for (size_t i = 0; i < t->nraw; i++) {
		const char *name = hd_symtable_str(t, t->raw[i].name);

		if (!strcmp(name, "_text"))
			*text = t->raw[i].start;
		else if (!strcmp(name, "_stext"))
			*stext = t->raw[i].start;
	}
}

/* Use a vmlinux file; closes `e` and releases `place`.  Returns false if `e` is NULL or has no symbols. */
static bool use_vmlinux(struct hd_local_object *o, struct hd_elf *e, struct hd_file_ref *place)
{
	uint64_t text = 0, stext = 0;
	bool ok = e && hd_symtab_collect(&o->table, e, SHT_SYMTAB, false);

	if (ok) {
		vmlinux_references(&o->table, &text, &stext);
		o->shift = hd_kallsyms_shift(text, stext, o->path, o->key.kernel_pgoff);
		hd_symtable_build(&o->table, HD_SYM_INNERMOST);
		hd_build_id_hex(e->build_id, e->build_id_len, o->build_id);
		o->quality = HD_SYMQ_SYMTAB;
		hd_local_set_origin(o, place, "");
		hd_file_ref_move(&o->files.debug, place);
		o->debug_searched = true;
	}
	if (e)
		hd_local_warn_damage(o, e);
	hd_elf_close(e);
	hd_file_ref_release(place);
	return ok;
}

static struct hd_elf *open_vmlinux(struct hd_local_object *o, const char *root, const char *path,
	struct hd_file_ref *place)
{
	int fd = hd_file_ref_open(place, root, path, o->ls->log, NULL);
	struct hd_elf *e = NULL;

	if (fd < 0 || hd_elf_open(&e, fd, path, o->ls->log, NULL) < 0)
		return NULL;
	if (hd_local_is_build(o, e))
		return e;
	hd_elf_close(e);
	return NULL;
}

/*
 * Find the vmlinux file of the recorded kernel: below --symfs; then, if a build-id was recorded, by the build-id, or at
 * the usual paths of the release of the running kernel.
 */
static struct hd_elf *find_vmlinux(struct hd_local_object *o, struct hd_file_ref *place)
{
	static const char *const by_release[][2] = {
		{ "/usr/lib/debug/boot/vmlinux-", "" }, { "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/boot/vmlinux-", "" },
		{ "/lib/modules/", "/vmlinux" }, { "/lib/modules/", "/build/vmlinux" },
	};
	static const char *const in_root[] = { "/vmlinux", "/boot/vmlinux" };
	const char *symfs = o->key.guest && !hd_local_has_build_id(o) ? NULL : o->ls->opts.symfs;
	struct hd_debugfile_query q = hd_local_debugfile_query(o);
	struct hd_elf *e = NULL;
	struct utsname uts;

	for (size_t i = 0; symfs && !e && i < HD_COUNT(in_root); i++)
		e = open_vmlinux(o, symfs, in_root[i], place);
	if (!e && hd_local_has_build_id(o))
		e = hd_debugfile_find(&q, NULL, place);
	for (size_t i = 0; !e && hd_local_has_build_id(o) && !uname(&uts) && i < HD_COUNT(by_release); i++) {
		struct hd_buf path = { 0 };

		hd_buf_addf(&path, "%s%s%s", by_release[i][0], uts.release, by_release[i][1]);
		e = open_vmlinux(o, NULL, path.data, place);
		hd_buf_release(&path);
	}
	return e;
}

void hd_kernel_load(struct hd_local_object *o)
{
	struct hd_file_ref place = { 0 };
	struct hd_kernel_symbols *k = NULL;

	if (user_path(o)) {
		k = user_list(o);
	} else {
		k = cached_list(o);
		if (!k && use_vmlinux(o, find_vmlinux(o, &place), &place))
			return;
		if (!k && is_running_kernel(o))
			k = running_list(o);
		if (!k)
			k = embedded_list(o);
	}
	if (!k) {
		if (hd_embedded_load(o))
			return;
		hd_local_set_problem(o,
			o->key.guest ? "a guest's kernel (give its /proc/kallsyms with --guest-kallsyms)"
				: o->ls->opts.machine_unknown && !hd_local_has_build_id(o)
				? "the recording does not identify its kernel (if it was made here, give "
				  "--kallsyms /proc/kallsyms)"
				: "the running kernel is not the recorded one, and there is no vmlinux of its build");
		return;
	}
	k->shift = hd_kallsyms_shift(k->list.text, k->list.stext, o->path, o->key.kernel_pgoff);
	use_list(o, k, "", k->shift);
}

/* ---- modules ---- */

/*
 * Return the name of a module: nvme_core for `/lib/modules/6.1/kernel/drivers/nvme-core.ko.xz` and for `[nvme_core]`.
 */
static char *module_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name, *ko;

	path = slash ? slash + 1 : path;
	if (*path == '[') {
		path++;
		name = hd_strndup(path, strcspn(path, "]"));
	} else {
		name = hd_strdup(path);
		ko = strstr(name, ".ko");
		if (ko)
			*ko = '\0';
	}
	for (char *c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	return name;
}

static bool use_module_lines(struct hd_local_object *o, struct hd_kernel_symbols *k)
{
	uint64_t base = k ? hd_kallsyms_module_base(&k->list, o->module_name) : 0;

	if (!base)
		return false;
	/*
	 * If there is a shift, kallsyms has the addresses of another boot.  The recorded address of the module is
	 * needed to convert them.
	 */
	if (k->shift && !o->key.kernel_start)
		return false;
	use_list(o, k, o->module_name, k->shift ? o->key.kernel_start - base : 0);
	return true;
}

/* Open a `.ko` file, or a compressed `.ko.xz` file.  Returns NULL on failure. */
static struct hd_elf *open_ko(struct hd_local_object *o)
{
	const char *dot = strrchr(o->path, '.');
	int fd = -1;
	struct hd_buf packed = { 0 };
	struct hd_elf *e = NULL;
	void *image;
	size_t n;

	if (o->path[0] == '/')
		fd = hd_file_ref_open(&o->files.code, o->ls->opts.symfs, o->path, o->ls->log, NULL);
	if (fd < 0)
		return NULL;
	if (!dot || strcmp(dot, ".xz")) {
		hd_elf_open(&e, fd, o->path, o->ls->log, NULL);
		return e;
	}
	if (hd_file_slurp(fd, o->path, MODULE_MAX, &packed, NULL) >= 0) {
		image = hd_xz_unpack(hd_buf_str(&packed), packed.len, MODULE_MAX, &n, NULL);
		if (image)
			hd_elf_open_memory(&e, image, n, o->path, NULL);
	}
	hd_buf_release(&packed);
	close(fd);
	return e;
}

/*
 * Use the .ko file of a module, if the load address of the module was recorded.  At the path of a guest's module there
 * is probably the file of the host, so it is used only if it has the recorded build-id.  Returns false if the file is
 * not used.
 */
static bool use_ko(struct hd_local_object *o)
{
	bool may_be_it = !o->key.guest || hd_local_has_build_id(o);
	struct hd_elf *e = o->key.kernel_start && may_be_it ? open_ko(o) : NULL;
	bool ok = false;

	if (e && e->ehdr.e_type == ET_REL && hd_local_is_build(o, e) &&
		hd_symtab_collect(&o->table, e, SHT_SYMTAB, false)) {
		hd_symtable_build(&o->table, HD_SYM_INNERMOST);
		hd_build_id_hex(e->build_id, e->build_id_len, o->build_id);
		o->shift = o->key.kernel_start;
		o->quality = HD_SYMQ_SYMTAB;
		hd_local_set_origin(o, &o->files.code, "");
		ok = true;
	}
	if (e)
		hd_local_warn_damage(o, e);
	hd_elf_close(e);
	return ok;
}

void hd_module_load(struct hd_local_object *o)
{
	struct hd_kernel_symbols *k;

	o->module_name = module_name(o->path);
	o->debug_searched = true;		/* the DWARF of a .ko file is not relocated */
	if (user_path(o)) {
		if (use_module_lines(o, user_list(o)))
			return;
	} else {
		/*
		 * Use the kallsyms that was used for the recorded kernel.  If none was used yet and the recording was
		 * made on this machine, use that of the running kernel.
		 */
		for (k = o->ls->kernels; k && k->guest != o->key.guest; k = k->next)
			;
		if (!k && o->ls->opts.same_machine && !o->key.guest)
			k = running_list(o);
		if (use_module_lines(o, k))
			return;
	}
	if (!use_ko(o) && !hd_embedded_load(o))
		hd_local_set_problem(o, "kallsyms has no symbols of module %s, and its file was not found",
			o->module_name);
}
