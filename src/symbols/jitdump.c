/*
 * jitdump.c - see jitdump.h
 */
#include "symbols/jitdump.h"

#include "base/bisect.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MAGIC = 0x4a695444, VERSION = 1, FLAG_COUNTER = 1,
	HEADER = 40, PREFIX = 16, LOAD_FIXED = 40, MOVE_FIXED = 48, LINES_FIXED = 16, UNWIND_FIXED = 24,
	ENTRY = 17,			/* size in bytes of the shortest entry of LINES */
	WINDOW = 256 << 10,		/* bytes per read; more than the longest name (HD_JIT_NAME) */
	ELF_HEADER = 64,		/* node (V8) adds this to the addresses of LINES */
	SHIFTED_LEAST = 4,		/* if fewer loads have a LINES record, no shift is assumed */
};

struct reader {
	struct hd_jitdump *d;
	int fd;
	struct hd_jit_ranges *looked;	/* receives the parts that lookups need; NULL: the caller does not need them */
	uint64_t bytes;			/* size of the file */
	uint8_t *window;
	uint64_t at;			/* offset of the window */
	size_t have;
	/* LINES and UNWIND records, which belong to the next LOAD: */
	struct hd_map lines_of;		/* address -> index + 1 in pending; 0: already assigned to a load */
	struct { uint64_t off, first; uint32_t bytes; } *pending;
	size_t npending, pending_cap;
	uint64_t unwind;
	uint32_t unwind_bytes;
	struct hd_map by_index;		/* code index -> load */
	size_t nlines;			/* number of loads with a LINES record */
	size_t nshifted;		/* number of loads whose first line is ELF_HEADER bytes after their start */
	bool unshifted;			/* the first line of some load is less than ELF_HEADER bytes after its start */
};

/* Add the n bytes at `off` to the list of parts that lookups need.  The parts are added in ascending order. */
static void note(struct reader *r, uint64_t off, uint64_t n)
{
	struct hd_jit_ranges *l = r->looked;
	struct hd_jit_range *last = l && l->n ? &l->v[l->n - 1] : NULL;

	if (!l)
		return;
	if (last && off <= last->off + last->n) {
		if (off + n > last->off + last->n)
			last->n = off + n - last->off;
		return;
	}
	HD_GROW(l->v, l->n + 1, l->cap);
	l->v[l->n++] = (struct hd_jit_range){ off, n };
}

/* End the last of the parts that lookups need at `off`, where code starts. */
static void note_end(struct reader *r, uint64_t off)
{
	struct hd_jit_range *last = r->looked && r->looked->n ? &r->looked->v[r->looked->n - 1] : NULL;

	if (last && off > last->off && off < last->off + last->n)
		last->n = off - last->off;
}

/*
 * Return n bytes of the file at `off`, which are valid until the next call; NULL if the file has fewer, if they cannot
 * be read, or if n is above WINDOW.
 */
static const uint8_t *view(struct reader *r, uint64_t off, size_t n)
{
	if (off > r->bytes || n > r->bytes - off || n > WINDOW)
		return NULL;
	if (off < r->at || off - r->at > r->have || n > r->have - (size_t)(off - r->at)) {
		ssize_t got = hd_file_pread(r->fd, r->window, WINDOW, off, "", NULL);

		r->at = off;
		r->have = got < 0 ? 0 : (size_t)got;
		if (r->have < n)
			return NULL;
	}
	note(r, off, n);
	return r->window + (off - r->at);
}

static struct hd_bytes over(const struct reader *r, const uint8_t *p, size_t n)
{
	return hd_bytes_over(p, n, r->d->swap);
}

static void damaged(struct reader *r, uint64_t off, const char *what)
{
	if (!r->d->damaged++) {
		r->d->damaged_at = off;
		r->d->damage = what;
	}
}

static int read_header(struct reader *r, uint64_t *end, const char *path, struct hd_err *err)
{
	const uint8_t *p = view(r, 0, HEADER);
	uint32_t magic, version, size;
	struct hd_bytes b;

	if (!p)
		return hd_fail(err, HD_EFORMAT, "%s: not a jitdump (%llu bytes)", path, (unsigned long long)r->bytes);
	memcpy(&magic, p, 4);
	r->d->swap = magic == __builtin_bswap32(MAGIC);
	if (magic != MAGIC && !r->d->swap)
		return hd_fail(err, HD_EFORMAT, "%s: not a jitdump: it starts with 0x%08x", path, magic);
	b = over(r, p + 4, HEADER - 4);
	version = hd_bytes_u32(&b);
	size = hd_bytes_u32(&b);
	r->d->machine = hd_bytes_u32(&b);
	hd_bytes_u32(&b);
	r->d->pid = hd_bytes_u32(&b);
	hd_bytes_u64(&b);
	r->d->counter = hd_bytes_u64(&b) & FLAG_COUNTER;
	if (version != VERSION)
		return hd_fail(err, HD_EFORMAT, "%s: is a jitdump of version %u; only version %d is supported", path,
			version, VERSION);
	if (size < HEADER || size > r->bytes)
		return hd_fail(err, HD_EFORMAT, "%s: invalid header size of %u bytes", path, size);
	*end = size;
	return 0;
}

/*
 * ---- records ----
 *
 * A handler gets the n bytes at `off` that follow the first 16 bytes of a record.  It returns NULL, or the fault of an
 * invalid record as the end of a sentence.
 */

static void add_event(struct reader *r, uint64_t time, uint64_t addr, uint64_t size, uint32_t load)
{
	struct hd_jitdump *d = r->d;

	if (!size || addr + size < addr)
		return;
	HD_GROW(d->events, d->nevents + 1, d->events_cap);
	d->events[d->nevents++] = (struct hd_jit_event){ time, addr, size, load };
}

/* Assign to the load the LINES record that is pending for its address, if there is one. */
static void take_lines(struct reader *r, struct hd_jit_load *l)
{
	uint32_t i = hd_map_get(&r->lines_of, l->addr);
	uint64_t first;

	if (i == HD_MAP_NONE || !i)
		return;
	hd_map_put(&r->lines_of, l->addr, 0);
	l->lines = r->pending[i - 1].off;
	l->lines_bytes = r->pending[i - 1].bytes;
	first = r->pending[i - 1].first - l->addr;
	r->nlines++;
	r->nshifted += first == ELF_HEADER;
	r->unshifted |= first < ELF_HEADER;
	r->d->has_lines = true;
}

static const char *on_load(struct reader *r, uint64_t time, uint64_t off, uint32_t n)
{
	struct hd_jitdump *d = r->d;
	const uint8_t *p = n > LOAD_FIXED ? view(r, off, LOAD_FIXED) : NULL, *name, *nul;
	struct hd_jit_load l = { .unwind = r->unwind, .unwind_bytes = r->unwind_bytes };
	struct hd_bytes b;
	uint64_t index;
	size_t room, len;

	r->unwind = r->unwind_bytes = 0;
	if (!p)
		return "is too short for a load of code";
	b = over(r, p + 16, LOAD_FIXED - 16);
	l.addr = hd_bytes_u64(&b);
	l.size = hd_bytes_u64(&b);
	index = hd_bytes_u64(&b);
	if (l.size > n - LOAD_FIXED - 1)
		return "declares more code than it contains";
	room = n - LOAD_FIXED - (size_t)l.size;
	len = room < HD_JIT_NAME + 1 ? room : HD_JIT_NAME + 1;
	name = view(r, off + LOAD_FIXED, len);
	if (!name)
		return "cannot be read";
	nul = memchr(name, 0, len);
	if (!nul && room <= HD_JIT_NAME)
		return "has a name without an end";
	if (d->nloads >= HD_JIT_LOADS || d->names.len > UINT32_MAX / 2)
		return "exceeds the limit of loads";
	l.off = nul ? off + LOAD_FIXED + (uint64_t)(nul - name) + 1 : off + n - l.size;
	note_end(r, l.off);
	l.name = (uint32_t)d->names.len;
	hd_buf_add(&d->names, name, nul ? (size_t)(nul - name) : HD_JIT_NAME);
	hd_buf_addc(&d->names, '\0');
	take_lines(r, &l);
	hd_map_put(&r->by_index, index, (uint32_t)d->nloads);
	add_event(r, time, l.addr, l.size, (uint32_t)d->nloads);
	HD_GROW(d->loads, d->nloads + 1, d->loads_cap);
	d->loads[d->nloads++] = l;
	return NULL;
}

static const char *on_move(struct reader *r, uint64_t time, uint64_t off, uint32_t n)
{
	const uint8_t *p = n >= MOVE_FIXED ? view(r, off, MOVE_FIXED) : NULL;
	struct hd_bytes b;
	uint64_t to, size, index;
	uint32_t load;

	if (!p)
		return "is too short for a move of code";
	b = over(r, p + 24, MOVE_FIXED - 24);
	to = hd_bytes_u64(&b);
	size = hd_bytes_u64(&b);
	index = hd_bytes_u64(&b);
	load = hd_map_get(&r->by_index, index);
	if (load == HD_MAP_NONE)
		return "moves code that was not loaded";
	if (size > r->d->loads[load].size)
		size = r->d->loads[load].size;
	add_event(r, time, to, size, load);
	return NULL;
}

static const char *on_lines(struct reader *r, uint64_t off, uint32_t n)
{
	size_t want = n < LINES_FIXED + 8 ? LINES_FIXED : LINES_FIXED + 8;
	const uint8_t *p = n >= LINES_FIXED ? view(r, off, want) : NULL;
	uint64_t addr, entries;
	struct hd_bytes b;

	if (!p)
		return "is too short for lines";
	b = over(r, p, want);
	addr = hd_bytes_u64(&b);
	entries = hd_bytes_u64(&b);
	if (entries > (n - LINES_FIXED) / ENTRY)
		return "declares more lines than it contains";
	if (!entries)
		return NULL;
	HD_GROW(r->pending, r->npending + 1, r->pending_cap);
	r->pending[r->npending].off = off;
	r->pending[r->npending].bytes = n;
	r->pending[r->npending].first = hd_bytes_u64(&b);
	hd_map_put(&r->lines_of, addr, (uint32_t)++r->npending);
	note(r, off, n);
	return NULL;
}

static const char *on_unwind(struct reader *r, uint64_t off, uint32_t n)
{
	const uint8_t *p = n >= UNWIND_FIXED ? view(r, off, UNWIND_FIXED) : NULL;
	uint64_t size, hdr;
	struct hd_bytes b;

	r->unwind = r->unwind_bytes = 0;
	if (!p)
		return "is too short for unwinding information";
	b = over(r, p, UNWIND_FIXED);
	size = hd_bytes_u64(&b);
	hdr = hd_bytes_u64(&b);
	if (size > n - UNWIND_FIXED || hdr > size)
		return "declares more unwinding information than it contains";
	if (size == hdr)
		return NULL;		/* node writes an empty UNWIND record for each function */
	r->unwind = off + UNWIND_FIXED;
	r->unwind_bytes = (uint32_t)(size - hdr);
	note(r, r->unwind, r->unwind_bytes);
	return NULL;
}

static void read_records(struct reader *r, uint64_t off)
{
	while (off < r->bytes) {
		const uint8_t *p = view(r, off, PREFIX);
		const char *wrong = NULL;
		struct hd_bytes b;
		uint32_t kind, size;
		uint64_t time;

		if (!p) {
			damaged(r, off, "is cut off");
			return;
		}
		b = over(r, p, PREFIX);
		kind = hd_bytes_u32(&b);
		size = hd_bytes_u32(&b);
		time = hd_bytes_u64(&b);
		if (size < PREFIX || size > r->bytes - off) {
			damaged(r, off, size < PREFIX ? "has an invalid size" : "is cut off");
			return;
		}
		if (kind == HD_JIT_LOAD)
			wrong = on_load(r, time, off + PREFIX, size - PREFIX);
		else if (kind == HD_JIT_MOVE)
			wrong = on_move(r, time, off + PREFIX, size - PREFIX);
		else if (kind == HD_JIT_LINES)
			wrong = on_lines(r, off + PREFIX, size - PREFIX);
		else if (kind == HD_JIT_UNWIND)
			wrong = on_unwind(r, off + PREFIX, size - PREFIX);
		if (wrong)
			damaged(r, off, wrong);
		off += size;
	}
}

int hd_jitdump_read(struct hd_jitdump **out, int fd, const char *path, struct hd_jit_ranges *read, struct hd_err *err)
{
	struct reader r = { .d = hd_new(struct hd_jitdump), .fd = fd, .looked = read };
	struct stat st;
	uint64_t off = 0;
	int rc;

	if (fstat(fd, &st) < 0) {
		rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot determine its size", path);
		goto out;
	}
	r.bytes = (uint64_t)st.st_size;
	if (read)
		*read = (struct hd_jit_ranges){ .bytes = r.bytes };
	r.window = hd_alloc(WINDOW);
	rc = read_header(&r, &off, path, err);
	if (rc < 0)
		goto out;
	read_records(&r, off);
	/*
	 * perf inject puts the code after an ELF header of 64 bytes, and in old versions did not adjust the lines.  V8
	 * adds 64 to every address to compensate, and still does although perf no longer needs it.
	 */
	if (!r.unshifted && r.nlines >= SHIFTED_LEAST && 2 * r.nshifted >= r.nlines)
		r.d->line_shift = ELF_HEADER;
	*out = r.d;
	r.d = NULL;
out:
	hd_jitdump_free(r.d);
	free(r.window);
	free(r.pending);
	hd_map_release(&r.lines_of);
	hd_map_release(&r.by_index);
	return rc;
}

void hd_jitdump_free(struct hd_jitdump *d)
{
	if (!d)
		return;
	free(d->root);
	free(d->path);
	free(d->loads);
	free(d->events);
	hd_buf_release(&d->names);
	free(d);
}

const struct hd_jit_load *hd_jitdump_find(const struct hd_jitdump *d, uint64_t off)
{
	size_t n = HD_FIRST_ABOVE(d->loads, d->nloads, off, off);

	return n && off - d->loads[n - 1].off < d->loads[n - 1].size ? &d->loads[n - 1] : NULL;
}

/* ---- reopening ---- */

int hd_jitdump_locate(struct hd_jitdump *d, int fd, const char *root, const char *path, struct hd_err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return hd_fail_errno(err, HD_EIO, errno, "%s: cannot read its attributes", path);
	d->root = root && *root ? hd_strdup(root) : NULL;
	d->path = hd_strdup(path);
	d->dev = st.st_dev;
	d->ino = st.st_ino;
	return 0;
}

void hd_jitdump_locate_in_bundle(struct hd_jitdump *d, const struct hd_jit_files *files, const char *path)
{
	d->files = files;
	d->path = hd_strdup(path);
}

/*
 * The reopened file must have the same device and inode.  Its size is not compared, because a running process may
 * append to its dump.
 */
int hd_jitdump_reopen(const struct hd_jitdump *d, struct hd_err *err)
{
	struct stat st;
	int fd;

	if (!d->path)
		return hd_fail(err, HD_EFORMAT, "no file");
	if (d->files)
		return d->files->open(d->files->ctx, d->path, err);
	fd = hd_file_open_untrusted(d->root, d->path, HD_JITDUMP_MAX, err);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0 || st.st_dev != d->dev || st.st_ino != d->ino) {
		close(fd);
		return hd_fail(err, HD_EIO, "%s: it has changed while it was in use", d->path);
	}
	return fd;
}
