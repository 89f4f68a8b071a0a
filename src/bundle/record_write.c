/*
 * record_write.c - write the collected results in the form of replay_format.h
 */
#include "bundle/record.h"

#include "base/hex.h"
#include "base/mem.h"
#include "bundle/record_rows.h"
#include "elf/code_excerpt.h"

#include <stdlib.h>
#include <string.h>

/* A string table that is being written; `at` has the offset of each string id, or 0 if it was not written yet. */
struct writer {
	const struct hd_strtab *strings;
	uint32_t *at;
	size_t nat;
	struct hd_buf text;
};

static uint32_t add_text(struct writer *w, const char *s)
{
	uint32_t at = (uint32_t)w->text.len;

	hd_buf_add(&w->text, s, strlen(s) + 1);
	return at;
}

/* Return the offset of a string and add it if it is new.  Id 0 is the empty string; maybe() treats it as no string. */
static uint32_t string(struct writer *w, uint32_t id)
{
	if (!w->at[id])
		w->at[id] = add_text(w, hd_strtab_get(w->strings, id));
	return w->at[id];
}

static uint32_t maybe(struct writer *w, uint32_t id)
{
	return id ? string(w, id) : 0;
}

/* ---- tables ---- */

/* Return true if this row is what hd_object_lookup() returns without stored rows.  Such rows are not written. */
static bool is_default(const struct hd_bundle_record_object *o, const struct hd_record_address *a)
{
	return !a->named && a->vaddr == hd_symbols_key_vaddr(&o->id.key, a->foff);
}

static int by_symbol(const void *va, const void *vb)
{
	const struct hd_record_address *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

/* Collect the symbols of all addresses, sorted and without duplicates.  Returns how many there are. */
static size_t collect_symbols(const struct hd_bundle_record_object *o, struct hd_record_address **out)
{
	struct hd_record_address *v = hd_new_array(struct hd_record_address, o->naddresses);
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < o->naddresses; i++)
		if (o->addresses[i].named)
			v[n++] = o->addresses[i];
	if (n)
		qsort(v, n, sizeof(*v), by_symbol);
	for (size_t i = 0; i < n; i++)
		if (!kept || by_symbol(&v[kept - 1], &v[i]))
			v[kept++] = v[i];
	*out = v;
	return kept;
}

static uint32_t write_addresses(struct hd_buf *b, const struct hd_bundle_record_object *o,
	const struct hd_record_address *symbols, size_t n)
{
	uint32_t written = 0;

	for (size_t i = 0; i < o->naddresses; i++) {
		const struct hd_record_address *a = &o->addresses[i], *s = NULL;
		struct hd_replay_address row = { a->foff, a->vaddr, 0 };

		if (is_default(o, a))
			continue;
		if (a->named)
			s = bsearch(a, symbols, n, sizeof(*symbols), by_symbol);
		row.symbol = s ? (uint32_t)(s - symbols) + 1 : 0;
		hd_replay_row_write(b, HD_REPLAY_ADDRESSES, &row);
		written++;
	}
	return written;
}

/* Write lines and inlined functions, which are both sorted by address, as one table.  Returns its number of rows. */
static uint32_t write_places(struct writer *w, struct hd_buf *b, const struct hd_bundle_record_object *o)
{
	size_t i = 0, k = 0;
	uint32_t n;

	for (n = 0; i < o->nlines || k < o->ninlined; n++) {
		uint64_t line_at = i < o->nlines ? o->lines[i].vaddr : UINT64_MAX,
			 inlined_at = k < o->ninlined ? o->inlined[k].vaddr : UINT64_MAX;
		struct hd_replay_place row = { .vaddr = line_at < inlined_at ? line_at : inlined_at };

		if (i < o->nlines && line_at == row.vaddr) {
			row.file = maybe(w, o->lines[i].file);
			row.line = o->lines[i++].line;
		}
		if (k < o->ninlined && inlined_at == row.vaddr)
			row.list = o->inlined[k++].list + 1;
		hd_replay_row_write(b, HD_REPLAY_PLACES, &row);
	}
	return n;
}

/* Write one table and return its number of rows.  `symbols` is the result of collect_symbols(). */
static uint32_t write_table(struct writer *w, struct hd_buf *b, const struct hd_bundle_record_object *o,
	enum hd_replay_table t, const struct hd_record_address *symbols, size_t nsymbols)
{
	switch (t) {
	case HD_REPLAY_WARNINGS:
		for (size_t i = 0; i < o->nwarnings; i++) {
			struct hd_replay_warning row = o->warnings[i];

			row.code = maybe(w, row.code);
			row.text = maybe(w, row.text);
			row.fix = maybe(w, row.fix);
			hd_replay_row_write(b, t, &row);
		}
		return (uint32_t)o->nwarnings;
	case HD_REPLAY_SYMBOLS:
		for (size_t i = 0; i < nsymbols; i++) {
			struct hd_replay_symbol row = { symbols[i].start, symbols[i].size, string(w, symbols[i].name) };

			hd_replay_row_write(b, t, &row);
		}
		return (uint32_t)nsymbols;
	case HD_REPLAY_ADDRESSES:
		return write_addresses(b, o, symbols, nsymbols);
	case HD_REPLAY_PLACES:
		return write_places(w, b, o);
	case HD_REPLAY_LISTS:
		for (size_t i = 0; i < o->nlists; i++)
			hd_replay_row_write(b, t, &o->lists[i]);
		return (uint32_t)o->nlists;
	case HD_REPLAY_HITS:
		for (size_t i = 0; i < o->nhits; i++) {
			struct hd_replay_hit row = o->hits[i];

			row.name = string(w, row.name);
			row.call_file = maybe(w, row.call_file);
			hd_replay_row_write(b, t, &row);
		}
		return (uint32_t)o->nhits;
	case HD_REPLAY_TABLES:
		break;
	}
	return 0;
}

static void write_object(struct writer *w, struct hd_buf *out, struct hd_bundle_record_object *o)
{
	const struct hd_symbols_key *k = &o->id.key;
	bool file = k->kind == HD_OBJ_FILE;
	struct hd_replay_head h = {
		.kind = k->kind, .quality = o->quality, .start = file ? k->ino : k->kernel_start,
		.pgoff = file ? k->generation : k->kernel_pgoff, .pid = (uint32_t)k->pid, .code = o->code,
		.machine = o->machine, .mnt_ns = k->mnt_ns,
		.flags = (k->guest ? HD_REPLAY_GUEST : 0) | (o->looked_up ? HD_REPLAY_LOOKED_UP : 0) |
			(k->foreign_pid ? HD_REPLAY_FOREIGN_PID : 0),
	};
	struct hd_record_address *symbols;
	char id[2 * HD_ELF_BUILD_ID + 1];
	struct hd_buf tables = { 0 };
	size_t nsymbols;

	hd_buf_add(&tables, "", 0);
	o->naddresses = hd_bundle_record_sort(o->addresses, o->naddresses, sizeof(*o->addresses));
	o->nlines = hd_bundle_record_sort(o->lines, o->nlines, sizeof(*o->lines));
	o->ninlined = hd_bundle_record_sort(o->inlined, o->ninlined, sizeof(*o->inlined));
	nsymbols = collect_symbols(o, &symbols);
	for (enum hd_replay_table t = 0; t < HD_REPLAY_TABLES; t++) {
		size_t from = tables.len;

		h.rows[t] = write_table(w, &tables, o, t, symbols, nsymbols);
		hd_replay_planes((uint8_t *)tables.data + from, t, h.rows[t], true);
	}
	free(symbols);
	h.path = add_text(w, o->id.path);
	hd_hex(o->id.build_id, k->build_id_len, id);
	h.id = add_text(w, id);
	h.origin = maybe(w, o->origin);
	h.problem = maybe(w, o->problem);
	h.build_id = maybe(w, o->build_id);
	hd_replay_head_write(out, &h, tables.len);
	hd_buf_add(out, hd_buf_str(&tables), tables.len);
	hd_buf_release(&tables);
}

static int by_key(const void *va, const void *vb)
{
	const struct hd_symbols_key *a = &(*(struct hd_bundle_record_object *const *)va)->id.key,
				    *b = &(*(struct hd_bundle_record_object *const *)vb)->id.key;
	int c = strcmp(a->path, b->path);

	if (c || a->pid != b->pid)
		return c ? c : (a->pid > b->pid) - (a->pid < b->pid);
	if (a->ino != b->ino)
		return a->ino < b->ino ? -1 : 1;
	return (a->kernel_start > b->kernel_start) - (a->kernel_start < b->kernel_start);
}

void hd_bundle_record_write(struct hd_bundle_record *r, struct hd_buf *out)
{
	struct writer w = { .strings = r->strings };
	struct hd_buf objects = { 0 };

	w.nat = hd_strtab_count(r->strings);
	w.at = hd_new_array(uint32_t, w.nat);
	hd_buf_addc(&w.text, '\0');
	/* Sort the objects: threads add them in any order, and the output must always be the same. */
	if (r->n)
		qsort(r->objects, r->n, sizeof(*r->objects), by_key);
	for (size_t i = 0; i < r->n; i++) {
		struct hd_bundle_record_object *o = r->objects[i];

		if (o->code && o->nfunctions && !o->all_functions)
			hd_code_excerpt_trim(&r->codes[o->code - 1], o->functions, o->nfunctions);
		write_object(&w, &objects, o);
	}
	hd_buf_le32(out, (uint32_t)r->n);
	hd_buf_le32(out, (uint32_t)w.text.len);
	hd_buf_add(out, w.text.data, w.text.len);
	hd_buf_add(out, hd_buf_str(&objects), objects.len);
	hd_buf_release(&objects);
	hd_buf_release(&w.text);
	free(w.at);
}
