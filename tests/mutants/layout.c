/*
 * layout.c - a strict reader of perf.data, which lists the structural fields and finds the first
 * bound that is broken
 *
 * It was written from the description of the format, not from hotdrift's reader, so a test fails
 * where the two disagree.  The walk ends at the first invalid record.  hotdrift must not lose any
 * sample before the first broken bound.
 */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

uint64_t load(const uint8_t *p, unsigned int width, bool swap)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < width; i++)
		v |= (uint64_t)p[i] << 8 * (swap ? width - 1 - i : i);
	return v;
}

void store(uint8_t *p, unsigned int width, bool swap, uint64_t v)
{
	for (unsigned int i = 0; i < width; i++)
		p[i] = (uint8_t)(v >> 8 * (swap ? width - 1 - i : i));
}

void found(struct reader *r, uint64_t off, unsigned int width, enum what what)
{
	struct layout *l = r->l;

	if (l->nfields == l->cap_fields) {
		l->cap_fields = 2 * l->cap_fields + 256;
		l->fields = realloc(l->fields, l->cap_fields * sizeof(*l->fields));
		if (!l->fields)
			die("no memory", "fields");
	}
	l->fields[l->nfields++] = (struct field){ off, (uint8_t)width, (uint8_t)what };
}

void broken(struct reader *r, const char *what, uint64_t off)
{
	if (!r->l->broken || off < r->l->broken_off) {
		r->l->broken = what;
		r->l->broken_off = off;
	}
}

static bool inside(const struct reader *r, uint64_t off, uint64_t n)
{
	return off <= r->n && n <= r->n - off;
}

static void add_record(struct layout *l, uint64_t off, uint32_t size, uint32_t type)
{
	if (l->nrecords == l->cap_records) {
		l->cap_records = 2 * l->cap_records + 256;
		l->records = realloc(l->records, l->cap_records * sizeof(*l->records));
		if (!l->records)
			die("no memory", "records");
	}
	l->records[l->nrecords++] = (struct place){ off, size, type };
}

static void walk(struct reader *r)
{
	struct layout *l = r->l;
	uint64_t pos = l->data_off;

	while (l->data_end - pos >= 8) {
		uint32_t type = (uint32_t)at(r, pos, 4), size = (uint32_t)at(r, pos + 6, 2);
		struct body b = { r->p + pos + 8, size - 8, 0, pos + 8, true };
		uint64_t behind = 0;

		found(r, pos, 4, F_TYPE);
		found(r, pos + 6, 2, F_SIZE);
		if (size < 8 || size > l->data_end - pos) {
			broken(r, size < 8 ? "a record's size" : "a record is cut off", pos);
			return;
		}
		add_record(l, pos, size, type);
		on_record(r, &b, type, pos);
		pos += size;
		if (type == AUXTRACE && b.n >= 8)
			behind = at(r, b.file_off, 8);
		if (type == TRACING_DATA && b.n >= 4 && (behind = at(r, b.file_off, 4)) <= b.n - 4)
			behind = 0;
		else if (type == TRACING_DATA)
			behind = (behind + 7) & ~UINT64_C(7);
		if (behind > l->data_end - pos) {
			broken(r, "the data behind a record is cut off", pos);
			return;
		}
		pos += behind;
	}
	if (pos < l->data_end)
		broken(r, "stray bytes", pos);
	if (r->inner.n && !r->lost_stream)
		broken(r, "compressed data ends inside a record", r->inner_off);
}

/* ---- the header ---- */

static void section(struct reader *r, uint64_t where, const char *what)
{
	uint64_t off = at(r, where, 8), n = at(r, where + 8, 8);

	found(r, where, 8, F_SECTION);
	found(r, where + 8, 8, F_SECTION);
	if (n && !inside(r, off, n))
		broken(r, what, where);
}

static void read_features(struct reader *r)
{
	struct layout *l = r->l;
	uint64_t row = l->data_end;

	for (unsigned int bit = 0; bit < 256; bit++) {
		if (!(at(r, 72 + bit / 64 * 8, 8) >> bit % 64 & 1))
			continue;
		l->table_off = l->data_end;
		if (!inside(r, row, 16)) {
			broken(r, "the feature table", l->table_off);
			return;
		}
		l->nfeatures++;
		section(r, row, "a feature outside the file");
		if (inside(r, at(r, row, 8), at(r, row + 8, 8)))
			on_feature_body(r, bit, at(r, row, 8), at(r, row + 8, 8));
		row += 16;
	}
}

static bool read_header(struct reader *r)
{
	struct layout *l = r->l;
	uint64_t entry, attrs, bytes;

	if (r->n < 16 || (memcmp(r->p, "PERFILE2", 8) && memcmp(r->p, "2ELIFREP", 8))) {
		broken(r, "the magic", 0);
		l->unsure |= r->n >= 8 && (!memcmp(r->p, "PERFFILE", 8) || !memcmp(r->p, "ELIFFREP", 8));
		return false;
	}
	l->swap = !memcmp(r->p, "2ELIFREP", 8);
	found(r, 8, 8, F_HEADER);
	l->pipe = at(r, 8, 8) == 16;
	if (l->pipe) {
		l->data_off = 16;
		l->data_end = r->n;
		return true;
	}
	if (at(r, 8, 8) != 104) {
		l->unsure = true;
		return false;
	}
	if (r->n < 104) {
		broken(r, "the header is cut off", 0);
		return false;
	}
	found(r, 16, 8, F_HEADER);
	for (int i = 0; i < 4; i++)
		found(r, 72 + 8 * (uint64_t)i, 8, F_HEADER);
	entry = at(r, 16, 8);
	attrs = at(r, 24, 8);
	bytes = at(r, 32, 8);
	section(r, 24, "the attrs");
	found(r, 40, 8, F_SECTION);
	found(r, 48, 8, F_SECTION);
	section(r, 56, "the event types");
	l->data_off = at(r, 40, 8);
	l->data_end = l->data_off + at(r, 48, 8);
	if (entry < 80 || !bytes || bytes % (entry ? entry : 1))
		broken(r, "the attrs' size", 16);
	if (entry < 80 || !inside(r, attrs, bytes) || entry > UINT16_MAX)
		return false;
	for (uint64_t i = 0; i < bytes / entry; i++) {
		uint64_t ids = attrs + (i + 1) * entry - 16;

		add_event(r, attrs + i * entry, entry - 16);
		section(r, ids, "an event's ids");
		if (r->nevents && inside(r, at(r, ids, 8), at(r, ids + 8, 8)))
			add_ids(r, at(r, ids, 8), at(r, ids + 8, 8));
	}
	if (!at(r, 48, 8) || l->data_off > r->n || !inside(r, l->data_off, at(r, 48, 8))) {
		/* A truncated section is broken at its end. */
		broken(r, "the data is cut off", l->data_off > r->n ? 40 : r->n);
		l->data_off = l->data_off > r->n ? r->n : l->data_off;
		l->data_end = r->n;
		return true;
	}
	read_features(r);
	return true;
}

void layout_of(struct layout *l, const struct bytes *b)
{
	struct reader *r = calloc(1, sizeof(*r));

	memset(l, 0, sizeof(*l));
	if (!r)
		die("no memory", "reader");
	r->l = l;
	r->p = b->p;
	r->n = b->n;
	r->zstd = ZSTD_createDCtx();
	if (read_header(r))
		walk(r);
	ZSTD_freeDCtx(r->zstd);
	free(r->inner.p);
	free(r);
}

void layout_release(struct layout *l)
{
	free(l->fields);
	free(l->records);
	memset(l, 0, sizeof(*l));
}
