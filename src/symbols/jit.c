/*
 * jit.c - objects of code made at run time: perf maps and jitdumps
 *
 * A perf map is asked by address, a jitdump by the offset of the code in it.
 */
#include "symbols/object.h"

#include "base/buf.h"
#include "base/file.h"
#include "symbols/carried.h"
#include "symbols/jitdumps.h"
#include "symbols/jitfile.h"
#include "symbols/perfmap.h"

#include <string.h>
#include <unistd.h>

void hd_perfmap_load(struct hd_symobj *o)
{
	const struct hd_symbols_opts *opts = &o->sy->opts;
	struct hd_perfmap_found found;
	struct hd_buf text = { 0 };
	const char *root = opts->symfs;
	struct hd_err err = { 0 };
	int fd = -1;

	if (hd_carried_load(o))
		return;
	if (root)
		fd = hd_jitfile_open(root, o->path, o->key.pid, false, HD_PERFMAP_MAX, &err);
	if (fd < 0 && opts->same_machine && !o->key.other_root) {
		root = NULL;
		fd = hd_jitfile_open(NULL, o->path, o->key.pid, true, HD_PERFMAP_MAX, &err);
	}
	if (fd < 0) {
		if (err.code == HD_EFORMAT)
			hd_warn(o->sy->log, "symbols.perfmap-refused", "let it belong to the user of the process, and be writable by nobody else",
				"%s", err.msg);
		hd_object_set_problem(o, "%s", err.code ? err.msg : "it was written on another machine or in a container");
		return;
	}
	if (hd_file_slurp(fd, o->path, UINT32_MAX / 2, &text, &err) < 0) {
		hd_object_set_problem(o, "%s", err.msg);
	} else {
		struct hd_place place = { .root = (char *)root, .path = o->path };

		hd_perfmap_parse(&o->table, hd_buf_str(&text), text.len, &found);
		if (found.damaged)
			hd_warn_n(o->sy->log, "symbols.perfmap-damaged", found.damaged, "",
				  "%s: lines that are no `START SIZE NAME` were skipped", o->path);
		if (o->table.npieces) {
			o->quality = HD_SYMQ_SYMTAB;
			hd_object_set_source(o, &place, "");
		} else {
			hd_object_set_problem(o, "its perf map names nothing");
		}
	}
	hd_buf_release(&text);
	close(fd);
}

void hd_jit_load(struct hd_symobj *o)
{
	const struct hd_jitdump *d = hd_jitdumps_get(o->sy->opts.jitdumps, o->path, o->key.pid);
	struct hd_place place = { .path = o->path };
	uint32_t base = 0;
	char *names;

	if (!d) {
		hd_object_set_problem(o, "its jitdump was not read");
		return;
	}
	names = hd_symtable_names(&o->table, d->names.len, &base);
	if (names && d->names.len)
		memcpy(names, d->names.data, d->names.len);
	for (size_t i = 0; names && i < d->nloads; i++) {
		const struct hd_jit_load *l = &d->loads[i];

		if (l->size && *hd_jitdump_name(d, l))
			hd_symtable_add(&o->table, &(struct hd_symraw){
				.start = l->off, .size = l->size, .limit = l->off + l->size, .name = base + l->name, .flags = HD_SYM_GLOBAL,
			});
	}
	hd_symtable_build(&o->table, HD_SYM_LATEST);
	o->jitdump = d;
	if (o->table.npieces) {
		place.root = d->root;
		o->quality = d->has_lines ? HD_SYMQ_DEBUGINFO : HD_SYMQ_SYMTAB;
		hd_object_set_source(o, &place, "");
	} else {
		hd_object_set_problem(o, "its jitdump names nothing");
	}
}
