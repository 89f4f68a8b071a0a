/*
 * jitdump_set.c - see jitdump_set.h
 */
#include "symbols/jitdump_set.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "symbols/jit_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct entry {
	char *path;
	int32_t pid;
	struct hd_jitdump *dump;	/* NULL: it cannot be used */
};

struct hd_jitdump_set {
	char *symfs;
	bool same_machine;
	struct hd_jitdump_source source;
	struct hd_log *log;
	struct hd_map index;		/* hash of path and pid -> entry; on a collision the hash is incremented */
	struct entry *items;
	size_t n, cap;
};

struct hd_jitdump_set *hd_jitdump_set_new(const struct hd_jitdump_set_opts *opts, struct hd_log *log)
{
	struct hd_jitdump_set *js = hd_new(struct hd_jitdump_set);

	js->symfs = opts->symfs && *opts->symfs ? hd_strdup(opts->symfs) : NULL;
	js->same_machine = opts->same_machine;
	js->source = opts->source;
	js->log = log;
	return js;
}

void hd_jitdump_set_free(struct hd_jitdump_set *js)
{
	if (!js)
		return;
	for (size_t i = 0; i < js->n; i++) {
		free(js->items[i].path);
		hd_jitdump_free(js->items[i].dump);
	}
	free(js->items);
	free(js->symfs);
	hd_map_release(&js->index);
	free(js);
}

/*
 * Find the entry of a path and pid.  If there is none, return NULL; *slot is then the key under which it can be added.
 */
static struct entry *find(const struct hd_jitdump_set *js, const char *path, int32_t pid, uint64_t *slot)
{
	uint64_t h = hd_mix(hd_hash_bytes(path, strlen(path)), (uint32_t)pid);
	uint32_t i;

	for (; (i = hd_map_get(&js->index, h)) != HD_MAP_NONE; h++)
		if (js->items[i].pid == pid && !strcmp(js->items[i].path, path))
			return &js->items[i];
	*slot = h;
	return NULL;
}

const struct hd_jitdump *hd_jitdump_set_get(const struct hd_jitdump_set *js, const char *path, int32_t pid)
{
	uint64_t slot;
	const struct entry *e = js ? find(js, path, pid, &slot) : NULL;

	return e ? e->dump : NULL;
}

/*
 * Read and check an opened dump, and pass it to source.found().  Returns NULL if it is invalid or of another process.
 */
static struct hd_jitdump *read_checked(const struct hd_jitdump_set *js, const struct hd_jitdump_query *q, int fd,
	struct hd_err *err)
{
	struct hd_jit_ranges parts = { 0 };
	struct hd_jitdump *d = NULL;

	if (hd_jitdump_read(&d, fd, q->path, js->source.found ? &parts : NULL, err) >= 0 &&
		d->pid != (uint32_t)q->own_pid) {
		hd_fail(err, HD_EFORMAT, "%s: belongs to process %u, not %d", q->path, d->pid,
			(int)q->own_pid);
		hd_jitdump_free(d);
		d = NULL;
	}
	if (d && js->source.found)
		js->source.found(js->source.ctx, q, fd, &parts);
	free(parts.v);
	return d;
}

static struct hd_jitdump *read_dump(const struct hd_jitdump_set *js, const struct hd_jitdump_query *q,
	struct hd_err *err)
{
	const char *root = js->symfs;
	struct hd_jitdump *d;
	int fd = -1;

	if (root)
		fd = hd_jit_file_open(root, q->path, q->pid, false, HD_JITDUMP_MAX, err);
	if (fd < 0 && js->same_machine && !q->other_root) {
		root = NULL;
		fd = hd_jit_file_open(NULL, q->path, q->pid, true, HD_JITDUMP_MAX, err);
	}
	if (fd < 0) {
		if (!err->code)
			hd_fail(err, HD_EIO, "%s: it was written on another machine or in a container", q->path);
		return NULL;
	}
	d = read_checked(js, q, fd, err);
	if (d && hd_jitdump_locate(d, fd, root, q->path, err) < 0) {
		hd_jitdump_free(d);
		d = NULL;
	}
	close(fd);
	return d;
}

static struct hd_jitdump *read_from_source(const struct hd_jitdump_set *js, const struct hd_jitdump_query *q,
	struct hd_err *err)
{
	const struct hd_jit_files *files;
	struct hd_jitdump *d;
	int fd = js->source.open(js->source.ctx, q, &files, err);

	if (fd < 0)
		return NULL;
	d = read_checked(js, q, fd, err);
	if (d)
		hd_jitdump_locate_in_bundle(d, files, q->path);
	close(fd);
	return d;
}

static void report(struct hd_jitdump_set *js, const struct hd_jitdump_query *q, const struct hd_jitdump *d,
	const struct hd_err *err)
{
	bool refused = !d && err->code == HD_EFORMAT, absent = !d && err->code && !refused && !q->guessed;

	if (refused)
		hd_warn(js->log, "symbols.jitdump-refused",
			"make it owned by the user of the process, writable by no other user, and complete", "%s",
			err->msg);
	else if (absent)
		hd_warn(js->log, "symbols.jitdump-absent",
			"keep the jit-PID.dump that the JIT writes, or give its folder with --symfs DIR",
			"code made at run time has no names: %s", err->msg);
	else if (d && d->damaged)
		hd_warn_n(js->log, "symbols.jitdump-damaged", d->damaged,
			"let the process end before its recording is read",
			"%s: the record at 0x%llx %s; the readable part is used", q->path,
			(unsigned long long)d->damaged_at, d->damage);
	if (js->source.missing && (refused || absent))
		js->source.missing(js->source.ctx, q, refused ? HD_JIT_REFUSED : HD_JIT_ABSENT, err->msg);
}

const struct hd_jitdump *hd_jitdump_set_open(struct hd_jitdump_set *js, const struct hd_jitdump_query *q)
{
	struct hd_err err = { 0 };
	uint64_t slot;
	struct entry *e = find(js, q->path, q->pid, &slot);

	if (e)
		return e->dump;
	HD_GROW(js->items, js->n + 1, js->cap);
	e = &js->items[js->n];
	*e = (struct entry){ .path = hd_strdup(q->path), .pid = q->pid };
	e->dump = js->source.open ? read_from_source(js, q, &err) : read_dump(js, q, &err);
	hd_map_put(&js->index, slot, (uint32_t)js->n++);
	report(js, q, e->dump, &err);
	return e->dump;
}
