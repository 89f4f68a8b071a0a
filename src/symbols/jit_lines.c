/*
 * jit_lines.c - see jit_lines.h
 */
#include "symbols/jit_lines.h"

#include "base/bisect.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/strtab.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PADDING = 8 };		/* fewer bytes than this may follow the last entry */

struct row {
	uint64_t addr;
	uint32_t line, file;		/* file: id in `names` */
	uint32_t seq;
};

struct table {
	struct row *rows;
	size_t n;
};

struct hd_jit_lines {
	const struct hd_jitdump *d;
	struct hd_log *log;
	struct hd_strtab *names;
	struct hd_map by_load;		/* index of a load -> table */
	struct table *tables;
	size_t n, cap;
};

struct hd_jit_lines *hd_jit_lines_new(const struct hd_jitdump *d, struct hd_log *log)
{
	struct hd_jit_lines *jl = hd_new(struct hd_jit_lines);

	jl->d = d;
	jl->log = log;
	jl->names = hd_strtab_new();
	return jl;
}

void hd_jit_lines_free(struct hd_jit_lines *jl)
{
	if (!jl)
		return;
	for (size_t i = 0; i < jl->n; i++)
		free(jl->tables[i].rows);
	free(jl->tables);
	hd_map_release(&jl->by_load);
	hd_strtab_free(jl->names);
	free(jl);
}

static int by_addr(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/*
 * Parse the LINES record of a load, that is, of one piece of JIT code.  Returns false if the record does not contain as
 * many entries as it declares, if PADDING or more bytes follow them, or if an address is outside of the load.  node 20
 * writes such records: it takes the file names of baseline code from freed memory.  If a name contains a NUL, the bytes
 * after the NUL look like the next entry.  The name "\xff" stands for the name of the entry before.
 */
static bool parse(struct hd_jit_lines *jl, struct table *t, const struct hd_jit_load *l, const uint8_t *bytes, size_t n)
{
	struct hd_bytes b = hd_bytes_over(bytes, n, jl->d->swap);
	uint64_t entries;
	uint32_t file = 0;
	size_t cap = 0;

	hd_bytes_u64(&b);
	entries = hd_bytes_u64(&b);
	for (uint64_t i = 0; i < entries; i++) {
		struct row row = { .addr = hd_bytes_u64(&b) - jl->d->line_shift,
			.line = hd_bytes_u32(&b),
			.seq = (uint32_t)t->n };
		const uint8_t *name, *nul;

		hd_bytes_u32(&b);
		name = b.p;
		nul = b.bad ? NULL : memchr(name, 0, hd_bytes_left(&b));
		if (!nul || row.addr - l->addr > l->size)
			return false;
		hd_bytes_skip(&b, (size_t)(nul - name) + 1);
		if (nul - name != 1 || *name != 0xff)
			file = hd_strtab_addn(jl->names, (const char *)name, (size_t)(nul - name));
		row.file = file;
		HD_GROW(t->rows, t->n + 1, cap);
		t->rows[t->n++] = row;
	}
	if (hd_bytes_left(&b) >= PADDING)
		return false;
	if (t->n)
		qsort(t->rows, t->n, sizeof(*t->rows), by_addr);
	return true;
}

static void read_lines(struct hd_jit_lines *jl, struct table *t, const struct hd_jit_load *l)
{
	int fd = hd_jitdump_reopen(jl->d, NULL);
	uint8_t *bytes;
	ssize_t got;

	if (fd < 0)
		return;
	bytes = hd_alloc(l->lines_bytes);
	got = hd_file_pread(fd, bytes, l->lines_bytes, l->lines, jl->d->path, NULL);
	close(fd);
	if (got > 0 && !parse(jl, t, l, bytes, (size_t)got)) {
		t->n = 0;
		hd_warn(jl->log, "symbols.lines-damaged", "",
			"%s: the lines of %s at 0x%llx are invalid and are not used", jl->d->path,
			hd_jitdump_name(jl->d, l), (unsigned long long)l->lines - 16);
	}
	free(bytes);
}

static struct table *table_of(struct hd_jit_lines *jl, const struct hd_jit_load *l)
{
	uint32_t key = (uint32_t)(l - jl->d->loads), i = hd_map_get(&jl->by_load, key);
	struct table *t;

	if (i != HD_MAP_NONE)
		return &jl->tables[i];
	HD_GROW(jl->tables, jl->n + 1, jl->cap);
	t = &jl->tables[jl->n];
	*t = (struct table){ 0 };
	hd_map_put(&jl->by_load, key, (uint32_t)jl->n++);
	read_lines(jl, t, l);
	return t;
}

void hd_jit_lines_find(struct hd_jit_lines *jl, uint64_t off, struct hd_line_hit *hit)
{
	const struct hd_jit_load *l = hd_jitdump_find(jl->d, off);
	const struct table *t;
	size_t n;

	if (!l || !l->lines)
		return;
	t = table_of(jl, l);
	n = HD_FIRST_ABOVE(t->rows, t->n, addr, l->addr + (off - l->off));
	if (!n || !t->rows[n - 1].file)
		return;
	hit->file = hd_strtab_get(jl->names, t->rows[n - 1].file);
	hit->line = t->rows[n - 1].line;
}
