/*
 * deferred_chains.c - see deferred_chains.h
 *
 * Two shelves hold the waiting samples and the records that arrived.  A shelf is a ring in the order of arrival.  Its
 * entries are also linked into the lists of a hash table by (thread, cookie).  An entry taken from the middle leaves
 * an empty place in the ring.
 */
#include "pipeline/deferred_chains.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct key {
	uint64_t cookie;
	int32_t tid;
};

/* An entry of a shelf: a waiting sample or a record that arrived. */
struct place {
	struct key key;
	/* links of the list of entries with one hash value; `prev` of the first entry is the index of the last one */
	uint32_t next, prev;
	uint32_t bytes;
	void *what;			/* NULL: empty place */
};

struct shelf {
	struct place *ring;
	uint32_t *lists;
	uint32_t size, nlists;		/* nlists is a power of two */
	/* the shelf consists of `used` places from ring[first] on; places whose entry was taken are empty */
	uint32_t first, used;
	uint64_t bytes;
};

/* A waiting sample, and a copy of the body of its record; the pointers of the sample point into this copy. */
struct waiting {
	struct hd_queued_sample q;
	uint8_t body[];
};

/* The user frames of a CALLCHAIN_DEFERRED record that arrived. */
struct came {
	uint32_t n;
	uint8_t ips[];
};

struct hd_deferred_chains {
	struct shelf waiting, came;
	/*
	 * index in `came` (the records that arrived) of the record whose user frames are being applied to samples;
	 * NONE: there is no such record
	 */
	uint32_t answer;
	bool ended;
	struct waiting *given;
	uint8_t *chain;			/* the completed chain of `given` */
	size_t chain_cap;
	uint64_t lost;
};

/* ---- shelves ---- */

static void shelf_init(struct shelf *s, uint32_t size)
{
	s->size = size;
	s->nlists = 1;
	while (s->nlists < size)
		s->nlists *= 2;
	s->ring = hd_new_array(struct place, size);
	s->lists = hd_new_array(uint32_t, s->nlists);
	memset(s->lists, 0xff, s->nlists * sizeof(*s->lists));
}

static uint32_t *list_of(const struct shelf *s, struct key key)
{
	return &s->lists[hd_mix(key.cookie, (uint32_t)key.tid) & (s->nlists - 1)];
}

static bool is(struct key a, struct key b)
{
	return a.cookie == b.cookie && a.tid == b.tid;
}

/* Return the index of the entry with this key (thread, cookie) that arrived first, or NONE. */
static uint32_t find(const struct shelf *s, struct key key)
{
	uint32_t at = *list_of(s, key);

	while (at != NONE && !is(s->ring[at].key, key))
		at = s->ring[at].next;
	return at;
}

/* Return the index of the oldest entry, or NONE.  Empty places before it are removed. */
static uint32_t oldest(struct shelf *s)
{
	while (s->used && !s->ring[s->first].what) {
		s->first = (s->first + 1) % s->size;
		s->used--;
	}
	return s->used ? s->first : NONE;
}

static void *take_out(struct shelf *s, uint32_t at)
{
	struct place *p = &s->ring[at];
	uint32_t *list = list_of(s, p->key);
	void *what = p->what;

	if (p->next != NONE)
		s->ring[p->next].prev = p->prev;
	else
		s->ring[*list].prev = p->prev;
	if (*list == at)
		*list = p->next;
	else
		s->ring[p->prev].next = p->next;
	s->bytes -= p->bytes;
	p->what = NULL;
	return what;
}

static bool is_full(const struct shelf *s)
{
	return s->used == s->size || s->bytes > HD_DEFERRED_CHAINS_BYTES;
}

/* Append an entry to the ring and return its index.  The caller makes sure that the ring is not full. */
static uint32_t put(struct shelf *s, struct key key, void *what, size_t bytes)
{
	uint32_t at = (s->first + s->used++) % s->size, *list = list_of(s, key);
	struct place *p = &s->ring[at];

	*p = (struct place){ .key = key, .next = NONE, .prev = at, .bytes = (uint32_t)bytes, .what = what };
	if (*list == NONE) {
		*list = at;
	} else {
		p->prev = s->ring[*list].prev;
		s->ring[p->prev].next = at;
		s->ring[*list].prev = at;
	}
	s->bytes += bytes;
	return at;
}

static void shelf_release(struct shelf *s)
{
	for (uint32_t i = 0; i < s->size; i++)
		free(s->ring[i].what);
	free(s->ring);
	free(s->lists);
}

/* ---- samples and records ---- */

struct hd_deferred_chains *hd_deferred_chains_new(uint32_t most)
{
	struct hd_deferred_chains *d = hd_new(struct hd_deferred_chains);

	/* room for one sample more than the limit: a new sample is added before the oldest one is taken */
	shelf_init(&d->waiting, (most ? most : HD_DEFERRED_CHAINS_MAX) + 1);
	shelf_init(&d->came, most ? most : HD_DEFERRED_CHAINS_MAX);
	d->answer = NONE;
	return d;
}

void hd_deferred_chains_free(struct hd_deferred_chains *d)
{
	if (!d)
		return;
	shelf_release(&d->waiting);
	shelf_release(&d->came);
	free(d->given);
	free(d->chain);
	free(d);
}

void hd_deferred_chains_hold(struct hd_deferred_chains *d, const struct hd_queued_sample *q)
{
	size_t n = hd_queued_sample_bytes(q);
	struct waiting *w = hd_alloc(sizeof(*w) + n);
	struct key key = { hd_sample_chain_ip(&q->s, q->s.nchain - 1), q->s.tid };

	w->q = *q;
	hd_queued_sample_detach(&w->q, w->body);
	put(&d->waiting, key, w, sizeof(*w) + n);
	d->answer = find(&d->came, key);
}

void hd_deferred_chains_arrive(struct hd_deferred_chains *d, const struct hd_sample *s)
{
	struct key key = { s->id, s->tid };
	size_t n = 8 * (size_t)s->nchain;
	struct came *c;

	d->answer = find(&d->came, key);
	if (d->answer != NONE)
		return;		/* the same record, already read from another buffer */
	while (oldest(&d->came) != NONE && is_full(&d->came))
		free(take_out(&d->came, oldest(&d->came)));
	c = hd_alloc(sizeof(*c) + n);
	c->n = s->nchain;
	if (n)
		memcpy(c->ips, s->chain, n);
	d->answer = put(&d->came, key, c, sizeof(*c) + n);
}

void hd_deferred_chains_end(struct hd_deferred_chains *d)
{
	d->ended = true;
}

uint64_t hd_deferred_chains_lost(const struct hd_deferred_chains *d)
{
	return d->lost;
}

/* Complete the chain of a sample: replace its last two words (marker and cookie) by the user frames of record c. */
static void complete(struct hd_deferred_chains *d, struct hd_sample *s, const struct came *c)
{
	size_t n = 8 * ((size_t)s->nchain - 2);
	uint64_t user = s->chain_swap ? __builtin_bswap64(HD_CONTEXT_USER) : HD_CONTEXT_USER;

	HD_GROW(d->chain, n + 8 + 8 * (size_t)c->n, d->chain_cap);
	if (n)
		memcpy(d->chain, s->chain, n);
	s->nchain -= 2;
	if (c->n) {
		memcpy(d->chain + n, &user, 8);
		memcpy(d->chain + n + 8, c->ips, 8 * (size_t)c->n);
		s->nchain += 1 + c->n;
	}
	s->chain = d->chain;
}

const struct hd_queued_sample *hd_deferred_chains_take(struct hd_deferred_chains *d)
{
	struct shelf *w = &d->waiting;
	uint32_t at;

	free(d->given);
	d->given = NULL;
	if (d->answer != NONE) {
		const struct place *answer = &d->came.ring[d->answer];

		at = find(w, answer->key);
		if (at != NONE) {
			d->given = take_out(w, at);
			complete(d, &d->given->q.s, answer->what);
			return &d->given->q;
		}
		d->answer = NONE;
	}
	at = oldest(w);
	if (at == NONE || !(d->ended || is_full(w)))
		return NULL;
	d->given = take_out(w, at);
	d->lost++;
	return &d->given->q;
}
