/*
 * binary.c - load the symbols of binaries and libraries
 *
 * The sources of symbols are tried in the order of local_source.h: the file itself, its debug file, .gnu_debugdata,
 * debuginfod.  Paths come from the recording and are untrusted.  If the recording has a build-id, only a file with that
 * build-id is used.
 */
#include "symbols/local_object.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "symbols/embedded.h"
#include "elf/debugfile.h"
#include "elf/debuginfod.h"
#include "elf/machine.h"
#include "elf/minidebug.h"
#include "symbols/nsroot.h"
#include "elf/plt.h"
#include "elf/symtab.h"

#include <stdlib.h>
#include <string.h>

/* ---- symbols of opened files ---- */

static void raise_quality(struct hd_local_object *o, enum hd_symbols_quality q)
{
	if (o->quality < q)
		o->quality = q;
}

/*
 * Add the symbols of the section .symtab of `e`, and record `place`, the file of `e`, as their origin.  Returns false
 * if there are none.
 */
static bool add_static(struct hd_local_object *o, struct hd_elf *e, const struct hd_file_ref *place, const char *note)
{
	if (!hd_symtab_collect(&o->table, e, SHT_SYMTAB, false))
		return false;
	raise_quality(o, hd_elf_has_lines(e) ? HD_SYMQ_DEBUGINFO : HD_SYMQ_SYMTAB);
	hd_local_set_origin(o, place, note);
	return true;
}

/*
 * Add the .symtab of a separate debug file.  If the file has lines, it becomes files.debug.  Close `d`, which can be
 * NULL, and release `place`.  Returns false if no symbols were added.
 */
static bool add_debug_file(struct hd_local_object *o, const struct hd_elf *code, struct hd_elf *d,
	struct hd_file_ref *place)
{
	bool full = false;

	if (d) {
		d->code = code;
		full = add_static(o, d, place, "");
		hd_local_warn_damage(o, d);
		if (hd_elf_has_lines(d)) {
			raise_quality(o, HD_SYMQ_DEBUGINFO);
			hd_file_ref_move(&o->files.debug, place);
			o->debug_searched = true;
		}
	}
	hd_elf_close(d);
	hd_file_ref_release(place);
	return full;
}

static bool add_minidebug(struct hd_local_object *o, struct hd_elf *e)
{
	struct hd_elf *m = hd_minidebug_open(e);
	bool full = false;

	if (m) {
		m->code = e;
		full = add_static(o, m, &o->files.code, " (.gnu_debugdata)");
		hd_local_warn_damage(o, m);
	}
	hd_elf_close(m);
	return full;
}

void hd_binary_load_elf(struct hd_local_object *o, struct hd_elf *e)
{
	struct hd_debugfile_query q = hd_local_debugfile_query(o);
	struct hd_file_ref place = { 0 };
	bool full;

	hd_build_id_hex(e->build_id, e->build_id_len, o->build_id);
	o->machine = e->ehdr.e_machine;
	o->loads = e->loads;		/* transfers ownership */
	e->loads = (struct hd_elf_loads){ 0 };
	full = add_static(o, e, &o->files.code, "");
	if (!full)
		full = add_debug_file(o, e, hd_debugfile_find(&q, e, &place), &place);
	if (!full)
		full = add_minidebug(o, e);
	if (!full)
		full = add_debug_file(o, e, hd_debuginfod_find(o->ls->debuginfod, &q, e, &place), &place);
	if (!full)
		full = hd_embedded_add(o);
	if (hd_symtab_collect(&o->table, e, SHT_DYNSYM, full) && !full) {
		raise_quality(o, HD_SYMQ_DYNSYM);
		hd_local_set_origin(o, &o->files.code, "");
	}
	hd_plt_collect(&o->table, e);
	hd_symtable_build(&o->table, HD_SYM_FUNCTIONS);
	hd_local_warn_damage(o, e);
	/* PLT stubs have not raised o->quality, because they are not symbols of the file itself. */
	if (o->quality == HD_SYMQ_NONE && e->ndamage)
		hd_local_set_problem(o, "it is damaged: %s", e->damage);
	else if (o->quality == HD_SYMQ_NONE)
		hd_local_set_problem(o, "it is stripped, and there is no debug file for it");
}

/* ---- finding the file ---- */

/* Open and check a path.  Returns NULL if it cannot be used; `problem` gives the reason. */
static struct hd_elf *open_path(struct hd_local_object *o, const char *root, const char *path)
{
	struct hd_elf *e = NULL;
	struct hd_err err;
	char *text;
	int fd = hd_file_ref_open(&o->files.code, root, path, o->ls->log, &err);

	if (fd < 0) {
		o->warned |= hd_file_is_trouble(&err);
		hd_local_set_problem(o, "%s", err.msg);
		return NULL;
	}
	text = hd_file_ref_text(&o->files.code);
	if (hd_elf_open(&e, fd, text, o->ls->log, &err) < 0) {
		o->warned = true;
		if (err.code != HD_EIO)
			hd_warn(o->ls->log, "symbols.damaged", "rebuild or reinstall it", "%s", err.msg);
		hd_local_set_problem(o, "%s", err.msg);
	} else if (!hd_local_is_build(o, e)) {
		char want[2 * HD_ELF_BUILD_ID + 1], have[2 * HD_ELF_BUILD_ID + 1];

		hd_build_id_hex(o->key.build_id, o->key.build_id_len, want);
		hd_build_id_hex(e->build_id, e->build_id_len, have);
		hd_warn(o->ls->log, "symbols.build-id-mismatch",
			"put the file of the recorded build there, or give the folder that has it with --symfs",
			"%s: is not the recorded build: its build-id is %s instead of %s", text,
			*have ? have : "absent", want);
		hd_local_set_problem(o, "%s is another build", text);
		hd_elf_close(e);
		e = NULL;
	} else if (!hd_machine_runs(o->ls->opts.machine, e->ehdr.e_machine)) {
		hd_warn(o->ls->log, "symbols.other-machine",
			"give the folder that has the recorded machine's files with --symfs",
			"%s: contains code for %s, but the recording is from %s", text,
			hd_machine_name(e->ehdr.e_machine), o->ls->opts.machine);
		hd_local_set_problem(o, "%s is a file of another machine", text);
		hd_elf_close(e);
		e = NULL;
	}
	free(text);
	if (!e)
		hd_file_ref_release(&o->files.code);
	return e;
}

/*
 * Open a file of a container by the root folder of one of the container's processes.  Returns NULL if none of them runs
 * on this machine, or if the file cannot be used.
 */
static struct hd_elf *open_in_namespace(struct hd_local_object *o, const char *path)
{
	struct hd_elf *e = NULL;
	struct hd_nsroot r;

	if (!o->ls->opts.same_machine || !hd_nsroot_find(&r, o->key.mnt_ns, o->key.ns_pid, o->ls->opts.written_s))
		return NULL;
	e = open_path(o, r.root, path);
	if (e && !hd_nsroot_holds(&r)) {
		hd_elf_close(e);
		hd_file_ref_release(&o->files.code);
		e = NULL;
	}
	return e;
}

static const char deleted[] = " (deleted)";

/*
 * Return the path without " (deleted)", which the kernel appends to the path of a deleted file; NULL if there is no
 * such suffix.  The file that now has this path may be the same build.  The caller frees the result.
 */
static char *undeleted(const char *path)
{
	size_t n = strlen(path), m = sizeof(deleted) - 1;

	return n > m && !strcmp(path + n - m, deleted) ? hd_strndup(path, n - m) : NULL;
}

struct hd_elf *hd_binary_open_code(struct hd_local_object *o)
{
	const struct hd_symbols_opts *opts = &o->ls->opts;
	char *other = undeleted(o->path);
	const char *root = opts->symfs;
	struct hd_debugfile_query q = hd_local_debugfile_query(o);
	struct hd_elf *e = NULL;

	if (o->key.ino) {
		free(other);
		hd_local_set_problem(o, "the file was replaced during the recording");
		return NULL;
	}
	if (o->path[0] == '/' && o->key.mnt_ns && !root && (!other || hd_local_has_build_id(o)))
		e = open_in_namespace(o, other ? other : o->path);
	if (e)
		;
	else if (o->path[0] != '/')
		hd_local_set_problem(o, "its name is not a path");
	else if (!hd_local_has_build_id(o) && !root && !opts->same_machine)
		hd_local_set_problem(o,
			opts->machine_unknown
				? "the recording contains neither its machine nor a build-id (if it was made here, "
				  "give --symfs /)"
				: "the recording is from another machine and has no build-id for it");
	else if (!hd_local_has_build_id(o) && !root && o->key.mnt_ns)
		hd_local_set_problem(o,
			"its path is in a container whose processes have ended or are not accessible, and the "
			"recording has no build-id for it");
	else if (!other)
		e = open_path(o, root, o->path);
	else if (hd_local_has_build_id(o))
		e = open_path(o, root, other);
	else
		hd_local_set_problem(o, "the file was deleted before the recording ended");
	if (!e && hd_local_has_build_id(o))
		e = hd_buildid_find(&q, &o->files.code);
	free(other);
	return e;
}

void hd_binary_load(struct hd_local_object *o)
{
	struct hd_debugfile_query q = hd_local_debugfile_query(o);
	struct hd_file_ref place = { 0 };
	struct hd_elf *e;

	o->by_offset = true;
	if (o->key.ino) {
		o->warned = true;
		hd_warn(o->ls->log, "symbols.replaced",
			"record again without replacing the file, or record with perf record --buildid-mmap "
			"and keep the old file",
			"%s: was replaced during the recording: the process ran inode %llu, but the path now has "
			"another file, so no symbols are used",
			o->path, (unsigned long long)o->key.ino);
	}
	e = hd_binary_open_code(o);
	if (!e) {
		/* The binary was not found.  Its debug file has no code, but it has the names and linked addresses. */
		e = hd_debugfile_find(&q, NULL, &place);
		if (!e)
			e = hd_debuginfod_find(o->ls->debuginfod, &q, NULL, &place);
		if (e)
			hd_file_ref_move(&o->files.code, &place);
	}
	if (e)
		hd_binary_load_elf(o, e);
	else
		hd_embedded_load(o);
	hd_elf_close(e);
	hd_file_ref_release(&place);
}

void hd_binary_find_debug(struct hd_local_object *o)
{
	struct hd_debugfile_query q = hd_local_debugfile_query(o);
	struct hd_file_ref place = { 0 };
	struct hd_elf *e = NULL, *d;
	struct hd_err err;
	int fd;

	if (o->debug_searched)
		return;
	o->debug_searched = true;
	fd = hd_file_ref_reopen(&o->files.code, o->ls->log, NULL);
	if (fd < 0)
		return;
	if (hd_elf_open(&e, fd, o->files.code.path, o->ls->log, &err) < 0) {
		if (err.code == HD_EFORMAT)	/* it was a valid ELF file when it was first opened */
			hd_file_ref_unreadable(o->ls->log, err.msg);
		return;
	}
	if (hd_elf_has_lines(e)) {
		o->files.debug = o->files.code;
		o->files.debug.root = o->files.code.root ? hd_strdup(o->files.code.root) : NULL;
		o->files.debug.path = hd_strdup(o->files.code.path);
	} else {
		unsigned before = e->ndamage;

		d = hd_debugfile_find(&q, e, &place);
		if (d && hd_elf_has_lines(d))
			hd_file_ref_move(&o->files.debug, &place);
		hd_elf_close(d);
		hd_file_ref_release(&place);
		if (e->ndamage > before)
			hd_local_warn_damage(o, e);
	}
	hd_elf_close(e);
}
