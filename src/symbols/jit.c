/* jit.c - load JIT code: perf maps, which are looked up by address, and jitdumps, by offset in the dump */
#include "symbols/local_object.h"

#include "base/buf.h"
#include "base/file.h"
#include "symbols/embedded.h"
#include "symbols/jitdump_set.h"
#include "symbols/jit_file.h"
#include "symbols/nsroot.h"
#include "symbols/perfmap.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * Open the perf map of a process in another container, below the root folder of that process.  The name of the map
 * contains the pid that the process has in its own namespace.  Returns a descriptor, and sets *r and `path` to the
 * place of the map.  Returns < 0 if the process has ended, which does not change *err, or if the map cannot be opened.
 */
static int open_foreign_perfmap(const struct hd_local_object *o, struct hd_nsroot *r, char path[32], struct hd_err *err)
{
	int fd;

	if (!hd_nsroot_find(r, o->key.mnt_ns, o->key.pid, o->ls->opts.written_s) || r->pid != o->key.pid)
		return -1;
	snprintf(path, 32, "/tmp/perf-%d.map", (int)hd_nsroot_own_pid(r));
	fd = hd_jit_file_open(r->root, path, o->key.pid, true, HD_PERFMAP_MAX, err);
	if (fd >= 0 && !hd_nsroot_holds(r)) {
		close(fd);
		return -1;
	}
	return fd;
}

void hd_perfmap_load(struct hd_local_object *o)
{
	const struct hd_symbols_opts *opts = &o->ls->opts;
	struct hd_perfmap_found found;
	struct hd_buf text = { 0 };
	const char *root = opts->symfs, *path = o->path;
	char foreign[32];
	struct hd_nsroot ns;
	struct hd_err err = { 0 };
	int fd = -1;

	if (hd_embedded_load(o))
		return;
	if (root)
		fd = hd_jit_file_open(root, o->path, o->key.pid, false, HD_PERFMAP_MAX, &err);
	if (fd < 0 && opts->same_machine && (o->key.mnt_ns || o->key.foreign_pid)) {
		root = ns.root;
		path = foreign;
		fd = open_foreign_perfmap(o, &ns, foreign, &err);
	}
	if (fd < 0 && opts->same_machine && !o->key.mnt_ns) {
		path = o->path;
		root = NULL;
		fd = hd_jit_file_open(NULL, o->path, o->key.pid, true, HD_PERFMAP_MAX, &err);
	}
	if (fd < 0) {
		if (err.code == HD_EFORMAT)
			hd_warn(o->ls->log, "symbols.perfmap-refused",
				"make it owned by the user of the process and writable by no other user", "%s",
				err.msg);
		hd_local_set_problem(o, "%s",
			err.code ? err.msg
				 : "it was written on another machine, or in a container whose process has ended");
		return;
	}
	if (hd_file_slurp(fd, o->path, UINT32_MAX / 2, &text, &err) < 0) {
		hd_local_set_problem(o, "%s", err.msg);
	} else {
		struct hd_file_ref place = { .root = (char *)root, .path = (char *)path };

		hd_perfmap_parse(&o->table, hd_buf_str(&text), text.len, &found);
		if (found.damaged)
			hd_warn_n(o->ls->log, "symbols.perfmap-damaged", found.damaged, "",
				  "%s: skipped lines that do not have the form `START SIZE NAME`", o->path);
		if (o->table.npieces) {
			o->quality = HD_SYMQ_SYMTAB;
			hd_local_set_origin(o, &place, "");
		} else {
			hd_local_set_problem(o, "its perf map contains no names");
		}
	}
	hd_buf_release(&text);
	close(fd);
}

static bool names_something(const struct hd_jitdump *d)
{
	for (size_t i = 0; i < d->nloads; i++)
		if (d->loads[i].size && *hd_jitdump_name(d, &d->loads[i]))
			return true;
	return false;
}

void hd_jit_load(struct hd_local_object *o)
{
	const struct hd_jitdump *d = hd_jitdump_set_get(o->ls->opts.jitdumps, o->path, o->key.pid);
	struct hd_file_ref place = { .path = (char *)o->path };

	if (!d) {
		hd_local_set_problem(o, "its jitdump was not read");
		return;
	}
	o->jitdump = d;
	o->machine = d->machine <= UINT16_MAX ? (uint16_t)d->machine : 0;
	if (!names_something(d)) {
		hd_local_set_problem(o, "its jitdump contains no names");
		return;
	}
	place.root = d->root;
	o->quality = d->has_lines ? HD_SYMQ_DEBUGINFO : HD_SYMQ_SYMTAB;
	hd_local_set_origin(o, &place, "");
}
