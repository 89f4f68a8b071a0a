/*
 * symbol_table.c - see symbol_table.h
 */
#include "elf/symbol_table.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "elf/symbol_alias.h"
#include "elf/symbol_sort.h"

#include <stdlib.h>
#include <string.h>

void hd_symtable_release(struct hd_symtable *t)
{
	hd_buf_release(&t->names);
	free(t->raw);
	free(t->pieces);
	free(t->wholes);
	free(t->stretches);
	*t = (struct hd_symtable){ 0 };
}

/* Offset 0 is the empty name, as in a string table. */
static void start_names(struct hd_symtable *t)
{
	if (!t->names.len)
		hd_buf_add(&t->names, "", 1);
}

char *hd_symtable_names(struct hd_symtable *t, size_t n, uint32_t *base)
{
	char *at;

	start_names(t);
	if (n >= UINT32_MAX - t->names.len)
		return NULL;
	*base = (uint32_t)t->names.len;
	/* Allocate no spare room: string tables are large, and usually no names are added after them. */
	if (t->names.cap < t->names.len + n + 2) {
		t->names.data = hd_realloc(t->names.data, t->names.len + n + 2, 1);
		t->names.cap = t->names.len + n + 2;
	}
	at = t->names.data + t->names.len;
	at[n] = '\0';
	t->names.len += n + 1;
	t->names.data[t->names.len] = '\0';
	return at;
}

uint32_t hd_symtable_name(struct hd_symtable *t, const char *name, size_t n)
{
	uint32_t at;

	start_names(t);
	if (n >= UINT32_MAX - t->names.len)
		return 0;
	at = (uint32_t)t->names.len;
	hd_buf_add(&t->names, name, n);
	hd_buf_add(&t->names, "", 1);
	return at;
}

void hd_symtable_add(struct hd_symtable *t, const struct hd_symraw *raw)
{
	if (t->nraw >= UINT32_MAX - 1)
		return;
	HD_GROW(t->raw, t->nraw + 1, t->raw_cap);
	t->raw[t->nraw] = *raw;
	t->raw[t->nraw].seq = (uint32_t)t->nraw;
	t->nraw++;
}

void hd_symtable_sort(struct hd_symtable *t)
{
	hd_symbol_sort(t->raw, t->nraw);
	t->nsorted = t->nraw;
}

size_t hd_symtable_raw_from(const struct hd_symtable *t, uint64_t start)
{
	return HD_FIRST_FROM(t->raw, t->nsorted, start, start);
}

/* Remove the symbols of a second table (HD_SYM_SECOND) at addresses where the first table has a symbol. */
static void drop_second_hand(struct hd_symtable *t)
{
	size_t n = 0;
	bool first_hand = false;

	for (size_t i = 0; i < t->nraw; i++) {
		const struct hd_symraw *r = &t->raw[i];

		if (!i || t->raw[i - 1].start != r->start)
			first_hand = false;
		first_hand |= !(r->flags & HD_SYM_SECOND);
		if (!first_hand || !(r->flags & HD_SYM_SECOND))
			t->raw[n++] = *r;
	}
	t->nraw = n;
}

/*
 * Extend each symbol of size 0 to the next symbol or the end of its section.  If several symbols have the same start,
 * only the last one can be extended; the others stay empty, so choose_aliases() drops them, as perf does.
 */
static void extend_unsized(struct hd_symtable *t)
{
	for (size_t i = 0; i < t->nraw; i++) {
		struct hd_symraw *r = &t->raw[i];
		uint64_t end = r->limit;

		if (r->size)
			continue;
		r->flags |= HD_SYM_GUESSED;
		if (i + 1 < t->nraw && t->raw[i + 1].start < end)
			end = t->raw[i + 1].start;
		r->size = end > r->start ? end - r->start : 0;
	}
}

/* Keep one symbol per start, and drop empty ones. */
static void choose_aliases(struct hd_symtable *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->nraw; ) {
		struct hd_symraw best = t->raw[i++];

		for (; i < t->nraw && t->raw[i].start == best.start; i++)
			if (hd_symbol_alias_prefers_second(t->names.data, &t->alias_work, &best, &t->raw[i]))
				best = t->raw[i];
		if (best.size)
			t->raw[n++] = best;
	}
	t->nraw = n;
}

/* ---- overlaps ---- */

/* Return the rank of the symbol with the index `at`.  Symbols of higher rank hide those of lower rank. */
static uint64_t rank_of(const struct hd_symraw *r, size_t at, enum hd_sym_policy policy)
{
	switch (policy) {
	case HD_SYM_LATEST:
		return r->seq;
	case HD_SYM_INNERMOST:
		return at;
	case HD_SYM_FUNCTIONS:
		return (r->flags & (HD_SYM_LABEL | HD_SYM_GUESSED) ? 0 : 1ull << 40) | at;
	}
	return 0;
}

struct open { uint64_t rank; uint32_t raw; };

/* A max-heap by rank of the symbols that cover the current position of the sweep. */
struct heap { struct open *v; size_t n, cap; };

static void push(struct heap *h, struct open o)
{
	size_t i = h->n;

	HD_GROW(h->v, h->n + 1, h->cap);
	h->n++;
	for (; i && h->v[(i - 1) / 2].rank < o.rank; i = (i - 1) / 2)
		h->v[i] = h->v[(i - 1) / 2];
	h->v[i] = o;
}

static void pop(struct heap *h)
{
	struct open o = h->v[--h->n];
	size_t i = 0, kid;

	for (; (kid = 2 * i + 1) < h->n; i = kid) {
		if (kid + 1 < h->n && h->v[kid + 1].rank > h->v[kid].rank)
			kid++;
		if (h->v[kid].rank <= o.rank)
			break;
		h->v[i] = h->v[kid];
	}
	h->v[i] = o;
}

static void emit(struct hd_symtable *t, uint64_t start, uint64_t end, uint32_t name, uint32_t raw)
{
	struct hd_sympiece *last = t->npieces ? &t->pieces[t->npieces - 1] : NULL;

	if (last && last->end == start && last->whole == raw && last->name == name) {
		last->end = end;
		return;
	}
	HD_GROW(t->pieces, t->npieces + 1, t->pieces_cap);
	t->pieces[t->npieces++] = (struct hd_sympiece){ start, end, name, raw };
}

/*
 * Divide the address range into pieces, each of which has one symbol.  Every piece ends where a symbol starts or ends,
 * so there are at most 2n pieces.
 */
static void cut(struct hd_symtable *t, enum hd_sym_policy policy)
{
	struct heap open = { 0 };
	uint64_t at = 0;
	size_t next = 0;

	while (next < t->nraw || open.n) {
		const struct hd_symraw *top;
		uint64_t end;

		while (open.n && t->raw[open.v[0].raw].start + t->raw[open.v[0].raw].size <= at)
			pop(&open);
		if (!open.n) {
			if (next == t->nraw)
				break;
			at = t->raw[next].start;
		}
		for (; next < t->nraw && t->raw[next].start <= at; next++)
			push(&open, (struct open){ rank_of(&t->raw[next], next, policy), (uint32_t)next });
		top = &t->raw[open.v[0].raw];
		end = top->start + top->size;
		if (end <= at)
			continue;
		if (next < t->nraw && t->raw[next].start < end)
			end = t->raw[next].start;
		emit(t, at, end, top->name, open.v[0].raw);
		at = end;
	}
	free(open.v);
}

/*
 * A piece that is a complete symbol needs no entry in `wholes`.  Each other piece gets an entry with the complete
 * symbol that it is a part of.
 */
static void keep_wholes(struct hd_symtable *t)
{
	for (size_t i = 0; i < t->npieces; i++) {
		struct hd_sympiece *p = &t->pieces[i];
		const struct hd_symraw *r = &t->raw[p->whole];

		if (p->start == r->start && p->end == r->start + r->size) {
			p->whole = HD_SYM_UNCUT;
			continue;
		}
		HD_GROW(t->wholes, t->nwholes + 1, t->wholes_cap);
		t->wholes[t->nwholes] = (struct hd_symspan){ r->start, r->start + r->size, r->name };
		p->whole = (uint32_t)t->nwholes++;
	}
}

static bool overlaps(const struct hd_symtable *t)
{
	for (size_t i = 1; i < t->nraw; i++)
		if (t->raw[i - 1].start + t->raw[i - 1].size > t->raw[i].start)
			return true;
	return false;
}

void hd_symtable_build(struct hd_symtable *t, enum hd_sym_policy policy)
{
	start_names(t);
	hd_symtable_sort(t);
	if (policy != HD_SYM_LATEST) {
		drop_second_hand(t);
		extend_unsized(t);
		choose_aliases(t);
	}
	if (policy == HD_SYM_LATEST || overlaps(t)) {
		cut(t, policy);
		keep_wholes(t);
		t->pieces = hd_realloc(t->pieces, t->npieces, sizeof(*t->pieces));
	} else {
		t->pieces = hd_realloc(t->pieces, t->nraw, sizeof(*t->pieces));
		for (size_t i = 0; i < t->nraw; i++)
			t->pieces[i] = (struct hd_sympiece){ t->raw[i].start, t->raw[i].start + t->raw[i].size,
							     t->raw[i].name, HD_SYM_UNCUT };
		t->npieces = t->nraw;
	}
	t->pieces_cap = t->npieces;
	free(t->raw);
	t->raw = NULL;
	t->nraw = t->raw_cap = t->nsorted = 0;
	hd_symtable_index(t);
}

void hd_symtable_index(struct hd_symtable *t)
{
	enum { FEW = 64 };
	uint64_t base, span;
	size_t i = 0;

	if (t->npieces < FEW)
		return;
	base = t->pieces[0].start;
	span = t->pieces[t->npieces - 1].start - base;
	for (t->shift = 0; span >> t->shift >= t->npieces; )
		t->shift++;
	t->nstretches = (size_t)(span >> t->shift) + 1;
	t->stretches = hd_alloc((t->nstretches + 1) * sizeof(*t->stretches));
	for (size_t s = 0; s < t->nstretches; s++) {
		while (i + 1 < t->npieces && t->pieces[i + 1].start - base <= (uint64_t)s << t->shift)
			i++;
		t->stretches[s] = (uint32_t)i;
	}
	t->stretches[t->nstretches] = (uint32_t)t->npieces - 1;
}

static bool inside(const struct hd_symtable *t, size_t i, uint64_t addr)
{
	return i < t->npieces && t->pieces[i].start <= addr && addr < t->pieces[i].end;
}

bool hd_symtable_find(const struct hd_symtable *t, uint64_t addr, size_t *cursor, struct hd_symspan *span)
{
	size_t lo = 0, hi = t->npieces, at = *cursor;
	const struct hd_sympiece *p;

	if (!inside(t, at, addr) && !inside(t, ++at, addr)) {
		if (t->stretches && addr >= t->pieces[0].start) {
			uint64_t s = (addr - t->pieces[0].start) >> t->shift;

			if (s >= t->nstretches)
				s = t->nstretches - 1;
			lo = t->stretches[s];
			hi = (size_t)t->stretches[s + 1] + 1;
		}
		while (lo < hi) {
			size_t mid = lo + (hi - lo) / 2;

			if (t->pieces[mid].start <= addr)
				lo = mid + 1;
			else
				hi = mid;
		}
		if (!lo || !inside(t, lo - 1, addr))
			return false;
		at = lo - 1;
	}
	*cursor = at;
	p = &t->pieces[at];
	*span = p->whole == HD_SYM_UNCUT ? (struct hd_symspan){ p->start, p->end, p->name } : t->wholes[p->whole];
	return true;
}
