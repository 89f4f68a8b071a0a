/*
 * mutate.c - damage a recording
 *
 * Each row of the table `kinds` is a kind of damage.  Many kinds write an invalid value into a field
 * that layout.c found.  Some remove, repeat or move whole records and correct the header, so that
 * each record is valid and only the sequence is wrong.
 */
#include "mutants.h"

#include <stdlib.h>
#include <string.h>

struct damage {
	struct bytes *b;
	struct rng *r;
	const struct bytes *other;	/* another recording */
	struct layout l;
	uint64_t first;			/* nothing before this offset was changed */
};

static void changed(struct damage *d, uint64_t off)
{
	if (off < d->first)
		d->first = off;
}

static void write_field(struct damage *d, const struct field *f, uint64_t v)
{
	if (f->off + f->width > d->b->n)
		return;
	changed(d, f->off);
	store(d->b->p + f->off, f->width, d->l.swap, v);
}

static uint64_t read_field(const struct damage *d, const struct field *f)
{
	return f->off + f->width <= d->b->n ? load(d->b->p + f->off, f->width, d->l.swap) : 0;
}

/* Return a random field of this kind; NULL if there is none. */
static const struct field *pick(struct damage *d, enum what what)
{
	size_t n = 0, nth;

	for (size_t i = 0; i < d->l.nfields; i++)
		n += d->l.fields[i].what == what;
	nth = below(d->r, n);
	for (size_t i = 0; n && i < d->l.nfields; i++)
		if (d->l.fields[i].what == what && !nth--)
			return &d->l.fields[i];
	return NULL;
}

static uint64_t extreme(struct damage *d)
{
	static const uint64_t values[] = {
		0, 1, 2, 7, 8, 9, 15, 16, 17, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff,
		0x80000000,
		0xffffffff, 0x100000000, 0x1fffffffffffffff, 0x2000000000000000, 0x7fffffffffffffff, 0x8000000000000000,
		0xfffffffffffffff0, 0xfffffffffffffff8, 0xfffffffffffffffe, 0xffffffffffffffff,
	};
	size_t n = sizeof(values) / sizeof(values[0]), k = below(d->r, n + 3);

	if (k < n)
		return values[k];
	return k == n ? d->b->n : k == n + 1 ? d->b->n + 1 : random64(d->r);
}

/* ---- bytes ---- */

static void flip_bits(struct damage *d)
{
	for (size_t n = 1 + below(d->r, 8); n; n--) {
		size_t at = below(d->r, d->b->n);

		changed(d, at);
		d->b->p[at] ^= (uint8_t)(1 << below(d->r, 8));
	}
}

static void cut(struct damage *d)
{
	d->b->n = below(d->r, d->b->n);
	changed(d, d->b->n);
}

static void cut_at_record(struct damage *d)
{
	const struct place *p = d->l.nrecords ? &d->l.records[below(d->r, d->l.nrecords)] : NULL;
	size_t at = p ? (size_t)p->off + below(d->r, 12) : d->b->n / 2;

	if (at < d->b->n)
		d->b->n = at;
	changed(d, at);
}

static void insert_bytes(struct damage *d)
{
	size_t at = below(d->r, d->b->n + 1), n = 1 + below(d->r, 64);
	uint8_t noise[64];

	for (size_t i = 0; i < n; i++)
		noise[i] = (uint8_t)random64(d->r);
	splice(d->b, at, 0, noise, n);
	changed(d, at);
}

static void remove_bytes(struct damage *d)
{
	size_t at = below(d->r, d->b->n), n = 1 + below(d->r, 64);

	splice(d->b, at, n < d->b->n - at ? n : d->b->n - at, NULL, 0);
	changed(d, at);
}

static void zero_page(struct damage *d)
{
	size_t at = below(d->r, d->b->n), n = 8 + below(d->r, 512);

	n = n < d->b->n - at ? n : d->b->n - at;
	memset(d->b->p + at, below(d->r, 2) ? 0 : 0xff, n);
	changed(d, at);
}

/* Join the start of this recording and the end of another one. */
static void cross(struct damage *d)
{
	size_t at = below(d->r, d->b->n), from = below(d->r, d->other->n);

	splice(d->b, at, d->b->n - at, d->other->p + from, d->other->n - from);
	changed(d, at);
}

/* ---- whole records ---- */

/* Replace `gone` bytes at `at`, which are within the records, by p[0..n-1], and correct the offsets in the header. */
static void replace(struct damage *d, size_t at, size_t gone, const uint8_t *p, size_t n)
{
	uint64_t shift = (uint64_t)n - gone, table = d->l.table_off;
	bool swap = d->l.swap;

	splice(d->b, at, gone, p, n);
	changed(d, at);
	if (d->l.pipe || d->b->n < 104)
		return;
	store(d->b->p + 48, 8, swap, load(d->b->p + 48, 8, swap) + shift);
	for (unsigned int i = 0; table && i < d->l.nfeatures; i++) {
		size_t row = (size_t)(table + shift) + 16 * i;

		if (row + 16 <= d->b->n)
			store(d->b->p + row, 8, swap, load(d->b->p + row, 8, swap) + shift);
	}
}

static const struct place *pick_record(struct damage *d)
{
	return d->l.nrecords ? &d->l.records[below(d->r, d->l.nrecords)] : NULL;
}

static void remove_record(struct damage *d)
{
	const struct place *p = pick_record(d);

	if (p)
		replace(d, p->off, p->size, NULL, 0);
}

static void repeat_record(struct damage *d)
{
	const struct place *p = pick_record(d);
	size_t times = below(d->r, 4) ? 1 : 1 + below(d->r, 200);
	uint8_t *copy = p ? malloc(times * p->size) : NULL;

	if (!copy)
		return;
	for (size_t i = 0; i < times; i++)
		memcpy(copy + i * p->size, d->b->p + p->off, p->size);
	replace(d, p->off, 0, copy, times * p->size);
	free(copy);
}

static void move_record(struct damage *d)
{
	const struct place *p = pick_record(d), *to = pick_record(d);
	uint8_t *copy;
	size_t at;

	if (!p || p == to || !(copy = malloc(p->size)))
		return;
	memcpy(copy, d->b->p + p->off, p->size);
	at = to->off > p->off ? to->off - p->size : to->off;
	splice(d->b, p->off, p->size, NULL, 0);
	splice(d->b, at, 0, copy, p->size);
	changed(d, p->off < to->off ? p->off : to->off);
	free(copy);
}

/* Make a record longer or shorter, and correct its size field, so that the next record is still found. */
static void stretch_record(struct damage *d)
{
	const struct place *p = pick_record(d);
	uint8_t noise[64];
	size_t n = below(d->r, sizeof(noise));
	uint64_t at;

	if (!p || p->size + n > UINT16_MAX)
		return;
	for (size_t i = 0; i < n; i++)
		noise[i] = (uint8_t)random64(d->r);
	at = p->off;
	if (below(d->r, 2) && p->size > 8) {	/* or make it shorter */
		n = below(d->r, p->size - 8);
		store(d->b->p + at + 6, 2, d->l.swap, p->size - n);
		replace(d, at + p->size - n, n, NULL, 0);
	} else {
		store(d->b->p + at + 6, 2, d->l.swap, p->size + n);
		replace(d, at + p->size, 0, noise, n);
	}
	changed(d, at);
}

/* ---- fields ---- */

static void lie(struct damage *d, enum what what)
{
	const struct field *f = pick(d, what);

	if (f)
		write_field(d, f,
			below(d->r, 3) ? extreme(d) : read_field(d, f) + (uint64_t)(int64_t)below(d->r, 33) - 16);
}

static void lie_header(struct damage *d) { lie(d, F_HEADER); }
static void lie_size(struct damage *d) { lie(d, F_SIZE); }
static void lie_count(struct damage *d) { lie(d, F_COUNT); }
static void lie_attr(struct damage *d) { lie(d, F_ATTR); }
static void lie_type(struct damage *d) { lie(d, F_TYPE); }

static void extreme_number(struct damage *d)
{
	for (size_t n = 1 + below(d->r, 20); n; n--) {
		const struct field *f = pick(d, F_NUMBER);

		if (f)
			write_field(d, f, extreme(d));
	}
}

static void move_section(struct damage *d)
{
	const struct field *f = pick(d, F_SECTION), *from = pick(d, F_SECTION);

	if (f)
		write_field(d, f, below(d->r, 2) ? extreme(d) : read_field(d, from));
}

static void shuffle(struct damage *d, enum what what)
{
	for (size_t n = 1 + below(d->r, 30); n; n--) {
		const struct field *a = pick(d, what), *b = pick(d, what);
		uint64_t v;

		if (!a || a->width != b->width)
			return;
		v = read_field(d, a);
		write_field(d, a, read_field(d, b));
		write_field(d, b, v);
	}
}

static void shuffle_ids(struct damage *d)
{
	const struct field *f = pick(d, F_ID);

	shuffle(d, F_ID);
	if (f && below(d->r, 2))
		write_field(d, f, extreme(d));
}

static void scramble_times(struct damage *d)
{
	const struct field *f = pick(d, F_TIME);

	shuffle(d, F_TIME);
	if (f && below(d->r, 2))
		write_field(d, f, extreme(d));
}

/* Damage a byte inside of a compressed record. */
static void damage_zstd(struct damage *d)
{
	const struct place *p = NULL;
	size_t at;

	for (size_t i = 0; i < 64 && (!p || (p->type != 81 && p->type != 83)); i++)
		p = pick_record(d);
	if (!p || (p->type != 81 && p->type != 83) || p->size < 24)
		return;
	at = p->off + 8 + (p->type == 83 ? 8 : 0);
	if (below(d->r, 2))
		at += below(d->r, p->size - (at - p->off));
	else
		at += below(d->r, 8);		/* the frame's header */
	d->b->p[at] = (uint8_t)random64(d->r);
	changed(d, at);
}

static const struct kind {
	const char *name;
	void (*act)(struct damage *);
} kinds[] = {
	{ "bit-flips", flip_bits },
	{ "cut", cut },
	{ "cut-at-record", cut_at_record },
	{ "bytes-inserted", insert_bytes },
	{ "bytes-removed", remove_bytes },
	{ "bytes-erased", zero_page },
	{ "crossed", cross },
	{ "record-removed", remove_record },
	{ "record-repeated", repeat_record },
	{ "record-moved", move_record },
	{ "record-stretched", stretch_record },
	{ "header-size", lie_header },
	{ "record-size", lie_size },
	{ "count", lie_count },
	{ "attr", lie_attr },
	{ "record-type", lie_type },
	{ "extreme-number", extreme_number },
	{ "section-moved", move_section },
	{ "ids-shuffled", shuffle_ids },
	{ "times-scrambled", scramble_times },
	{ "zstd", damage_zstd },
};

const char *mutate(struct bytes *b, struct rng *r, const struct bytes *other, uint64_t *first)
{
	const size_t n = sizeof(kinds) / sizeof(kinds[0]);
	struct damage d = { .b = b, .r = r, .other = other, .first = UINT64_MAX };
	size_t more = below(r, 4) ? 0 : 1 + below(r, 3);
	const char *name = NULL;

	/* If a kind finds nothing to damage in this recording, try another one. */
	for (size_t tries = 0; tries < 64 && (!name || more); tries++) {
		const struct kind *k = &kinds[below(r, n)];
		uint64_t was = d.first;

		if (!b->n)
			break;
		layout_of(&d.l, b);
		d.first = UINT64_MAX;
		k->act(&d);
		layout_release(&d.l);
		if (d.first != UINT64_MAX && name)
			more--;
		if (d.first != UINT64_MAX && !name)
			name = k->name;
		d.first = was < d.first ? was : d.first;
	}
	*first = d.first;
	return name ? name : "none";
}
