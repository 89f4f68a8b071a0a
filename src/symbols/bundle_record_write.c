/*
 * bundle_record_write.c - what was answered, in the form of bundle_replay.h
 */
#include "symbols/bundle_record_rows.h"

#include "base/hex.h"
#include "base/mem.h"
#include "elf/code_excerpt.h"

#include <stdlib.h>
#include <string.h>

/* A string table on its way: where each id of the strings is, once it was needed. */
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

/* A string that is there, and may be empty. */
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

/* What no row is needed for: see hd_object_lookup. */
static bool goes_without_saying(const struct hd_bundle_record_object *o, const struct hd_bundle_address_row *a)
{
	bool counted = (o->key.kind == HD_SYM_MODULE || o->key.kind == HD_SYM_KSYM) && a->asked < o->key.kernel_start;

	return !a->named && a->vaddr == (counted ? o->key.kernel_start + a->asked : a->asked);
}

static int by_symbol(const void *va, const void *vb)
{
	const struct hd_bundle_address_row *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

/* The symbols of the addresses, sorted and each once; how many. */
static size_t collect_symbols(const struct hd_bundle_record_object *o, struct hd_bundle_address_row **out)
{
	struct hd_bundle_address_row *v = hd_new_array(struct hd_bundle_address_row, o->naddresses);
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
	const struct hd_bundle_address_row *symbols, size_t n)
{
	uint32_t written = 0;

	for (size_t i = 0; i < o->naddresses; i++) {
		const struct hd_bundle_address_row *a = &o->addresses[i], *s = NULL;

		if (goes_without_saying(o, a))
			continue;
		if (a->named)
			s = bsearch(a, symbols, n, sizeof(*symbols), by_symbol);
		hd_buf_le64(b, a->asked);
		hd_buf_le64(b, a->vaddr);
		hd_buf_le32(b, s ? (uint32_t)(s - symbols) + 1 : 0);
		written++;
	}
	return written;
}

/* Lines and inlined functions, both ascending, as one table. */
static uint32_t write_places(struct writer *w, struct hd_buf *b, const struct hd_bundle_record_object *o)
{
	static const struct hd_bundle_line_row no_line = { 0 };
	size_t i = 0, k = 0;
	uint32_t n;

	for (n = 0; i < o->nlines || k < o->ninlined; n++) {
		uint64_t line_at = i < o->nlines ? o->lines[i].vaddr : UINT64_MAX,
			 inlined_at = k < o->ninlined ? o->inlined[k].vaddr : UINT64_MAX;
		uint64_t at = line_at < inlined_at ? line_at : inlined_at;
		const struct hd_bundle_line_row *line = i < o->nlines && line_at == at ? &o->lines[i++] : &no_line;

		hd_buf_le64(b, at);
		hd_buf_le32(b, maybe(w, line->file));
		hd_buf_le32(b, line->line);
		hd_buf_le32(b, k < o->ninlined && inlined_at == at ? o->inlined[k++].list + 1 : 0);
	}
	return n;
}

/* What came to `tables` since `from` is rows: as bundle_replay.h has them. */
static void split_planes(struct hd_buf *tables, size_t *from, size_t width)
{
	size_t n = (tables->len - *from) / width;
	char *rows = hd_alloc(n * width), *p = tables->data + *from;

	memcpy(rows, n ? p : "", n * width);
	for (size_t k = 0; k < width; k++)
		for (size_t i = 0; i < n; i++)
			p[k * n + i] = rows[i * width + k];
	free(rows);
	*from = tables->len;
}

static void write_object(struct writer *w, struct hd_buf *out, struct hd_bundle_record_object *o)
{
	struct hd_bundle_address_row *symbols;
	struct hd_buf tables = { 0 };
	char id[2 * HD_ELF_BUILD_ID + 1];
	uint32_t naddresses, nplaces;
	size_t nsymbols, from = 0;

	hd_buf_add(&tables, "", 0);
	o->naddresses = hd_bundle_record_sort(o->addresses, o->naddresses, sizeof(*o->addresses));
	o->nlines = hd_bundle_record_sort(o->lines, o->nlines, sizeof(*o->lines));
	o->ninlined = hd_bundle_record_sort(o->inlined, o->ninlined, sizeof(*o->inlined));
	for (size_t i = 0; i < o->nwarnings; i++) {
		hd_buf_le64(&tables, o->warnings[i].count);
		hd_buf_le32(&tables, o->warnings[i].when);
		hd_buf_le32(&tables, maybe(w, o->warnings[i].code));
		hd_buf_le32(&tables, maybe(w, o->warnings[i].text));
		hd_buf_le32(&tables, maybe(w, o->warnings[i].fix));
	}
	split_planes(&tables, &from, HD_REPLAY_WARNING_BYTES);
	nsymbols = collect_symbols(o, &symbols);
	for (size_t i = 0; i < nsymbols; i++) {
		hd_buf_le64(&tables, symbols[i].start);
		hd_buf_le64(&tables, symbols[i].size);
		hd_buf_le32(&tables, string(w, symbols[i].name));
	}
	split_planes(&tables, &from, HD_REPLAY_SYMBOL_BYTES);
	naddresses = write_addresses(&tables, o, symbols, nsymbols);
	split_planes(&tables, &from, HD_REPLAY_ADDRESS_BYTES);
	nplaces = write_places(w, &tables, o);
	split_planes(&tables, &from, HD_REPLAY_PLACE_BYTES);
	for (size_t i = 0; i < o->nlists; i++) {
		hd_buf_le32(&tables, o->lists[i].first);
		hd_buf_le32(&tables, o->lists[i].n);
	}
	split_planes(&tables, &from, HD_REPLAY_LIST_BYTES);
	for (size_t i = 0; i < o->nhits; i++) {
		hd_buf_le64(&tables, o->hits[i].low);
		hd_buf_le32(&tables, string(w, o->hits[i].name));
		hd_buf_le32(&tables, maybe(w, o->hits[i].file));
		hd_buf_le32(&tables, o->hits[i].line);
		hd_buf_le32(&tables, o->hits[i].mangled);
	}
	split_planes(&tables, &from, HD_REPLAY_HIT_BYTES);
	free(symbols);

	hd_buf_le32(out, (uint32_t)(HD_REPLAY_HEAD_BYTES + tables.len));
	hd_buf_addc(out, (char)o->key.kind);
	hd_buf_addc(out, (char)o->quality);
	hd_buf_addc(out,
		(char)((o->key.guest ? HD_REPLAY_GUEST : 0) | (o->asked ? HD_REPLAY_LOOKED_UP : 0) |
			(o->key.foreign_pid ? HD_REPLAY_FOREIGN_PID : 0)));
	hd_buf_addc(out, 0);
	hd_buf_le64(out, o->key.kind == HD_SYM_FILE ? o->key.ino : o->key.kernel_start);
	hd_buf_le64(out, o->key.kind == HD_SYM_FILE ? o->key.generation : o->key.kernel_pgoff);
	hd_buf_le32(out, (uint32_t)o->key.pid);
	hd_buf_le32(out, add_text(w, o->path));
	hd_hex(o->id, o->key.build_id_len, id);
	hd_buf_le32(out, add_text(w, id));
	hd_buf_le32(out, maybe(w, o->source));
	hd_buf_le32(out, maybe(w, o->problem));
	hd_buf_le32(out, maybe(w, o->build_id));
	hd_buf_le32(out, o->code);
	hd_buf_le32(out, (uint32_t)o->nwarnings);
	hd_buf_le32(out, (uint32_t)nsymbols);
	hd_buf_le32(out, naddresses);
	hd_buf_le32(out, nplaces);
	hd_buf_le32(out, (uint32_t)o->nlists);
	hd_buf_le32(out, (uint32_t)o->nhits);
	hd_buf_le32(out, o->machine);
	hd_buf_le64(out, o->key.mnt_ns);
	hd_buf_add(out, hd_buf_str(&tables), tables.len);
	hd_buf_release(&tables);
}

static int by_key(const void *va, const void *vb)
{
	const struct hd_symbols_key *a = &(*(struct hd_bundle_record_object *const *)va)->key,
				    *b = &(*(struct hd_bundle_record_object *const *)vb)->key;
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
	/* Which thread met an object first is not to be seen. */
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
