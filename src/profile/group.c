/*
 * group.c - see group.h
 */
#include "profile/group.h"

#include "profile/functions.h"
#include "profile/symbol_text.h"
#include "base/hash.h"
#include "base/hash_index.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const struct { const char *word; enum hd_by by; unsigned keys; } by_words[] = {
	{ "event", HD_BY_EVENT, 0 },
	{ "comm", HD_BY_COMM, HD_KEY_COMM },
	{ "pid", HD_BY_PID, HD_KEY_PID },
	{ "tid", HD_BY_TID, HD_KEY_TID },
	{ "cpu", HD_BY_CPU, HD_KEY_CPU },
	{ "dso", HD_BY_DSO, 0 },
	{ "symbol", HD_BY_SYMBOL, 0 },
	{ "line", HD_BY_LINE, 0 },
	/* `perf report --sort` has other names for the keys symbol and line. */
	{ "sym", HD_BY_SYMBOL, 0 },
	{ "srcline", HD_BY_LINE, 0 },
};

static void add_field(struct hd_string_list *fields, const char *word, size_t n)
{
	for (size_t i = 0; i < fields->n; i++)
		if (strlen(fields->items[i]) == n && !memcmp(fields->items[i], word, n))
			return;
	HD_GROW(fields->items, fields->n + 1, fields->cap);
	fields->items[fields->n++] = hd_strndup(word, n);
}

int hd_by_parse(const char *text, unsigned *by, struct hd_string_list *fields, const char **bad)
{
	*by = 0;
	for (const char *c = text; ; c++) {
		size_t n = strcspn(c, ","), i;

		for (i = 0; i < HD_COUNT(by_words); i++)
			if (strlen(by_words[i].word) == n && !memcmp(by_words[i].word, c, n))
				break;
		if (i == HD_COUNT(by_words) && (!n || !fields)) {
			*bad = c;
			return HD_EUSAGE;
		}
		if (i == HD_COUNT(by_words))
			add_field(fields, c, n);
		*by |= i == HD_COUNT(by_words) ? HD_BY_FIELDS : by_words[i].by;
		c += n;
		if (!*c)
			return 0;
	}
}

unsigned hd_by_keys(unsigned by)
{
	unsigned keys = 0;

	for (size_t i = 0; i < HD_COUNT(by_words); i++)
		if (by & by_words[i].by)
			keys |= by_words[i].keys;
	return keys;
}

static bool same(const struct hd_group_row *a, const struct hd_group_row *b)
{
	return a->event == b->event && a->comm == b->comm && a->dso == b->dso && a->pid == b->pid && a->tid == b->tid &&
	       a->cpu == b->cpu && a->symbol == b->symbol && a->file == b->file && a->line == b->line &&
	       a->tuple == b->tuple && a->dso_unknown == b->dso_unknown;
}

static uint64_t hash(const struct hd_group_row *r)
{
	uint64_t h = hd_mix((uint64_t)r->event << 32 | r->comm, (uint64_t)r->dso << 32 | r->symbol);

	h = hd_mix(h ^ r->tuple, r->cpu);
	h = hd_mix(h, (uint64_t)(uint32_t)r->pid << 32 | (uint32_t)r->tid);
	return hd_mix(h, (uint64_t)r->file << 32 | r->line);
}

/*
 * Return a report row with the keys of a sample row and without cost.  If fn->of is NULL, inlined functions get no rows
 * of their own.
 */
static struct hd_group_row key_of(const struct hd_profile *p, const struct hd_sample_row *row, unsigned by,
	const struct hd_functions *fn)
{
	const struct hd_frame *f = &p->frames[hd_functions_self(p, row, fn->of != NULL).v];
	const struct hd_object *o = &p->objects[p->symbols[f->symbol].object];

	return (struct hd_group_row){
		.event = row->event,
		.comm = by & HD_BY_COMM ? row->comm : 0,
		.pid = by & HD_BY_PID ? row->pid : 0,
		.tid = by & HD_BY_TID ? row->tid : 0,
		.cpu = by & HD_BY_CPU ? row->cpu : 0,
		.dso = by & HD_BY_DSO ? o->name : 0,
		.dso_unknown = by & HD_BY_DSO && o->unknown,
		.symbol = !(by & HD_BY_SYMBOL) ? 0 : fn->of ? fn->of[f->symbol] : f->symbol,
		.file = by & HD_BY_LINE ? f->file : 0,
		.line = by & HD_BY_LINE ? f->line : 0,
		.tuple = by & HD_BY_FIELDS ? row->tuple : 0,
	};
}

static int by_text(const struct hd_profile *p, uint32_t a, uint32_t b)
{
	return a == b ? 0 : strcmp(hd_profile_str(p, a), hd_profile_str(p, b));
}

static int by_number(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_value(const struct hd_profile *p, const struct hd_value *a, const struct hd_value *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->v == b->v)
		return 0;
	switch (a->kind) {
	case HD_VALUE_TEXT:
		return by_text(p, (uint32_t)a->v, (uint32_t)b->v);
	case HD_VALUE_SIGNED:
		return by_number((int64_t)a->v, (int64_t)b->v);
	case HD_VALUE_NONE:
	case HD_VALUE_UNSIGNED:
	case HD_VALUE_ADDRESS:
	case HD_VALUE_NAMELESS:
		break;
	}
	return a->v < b->v ? -1 : 1;
}

static int by_tuple(const struct hd_profile *p, uint32_t a, uint32_t b)
{
	int c = 0;

	if (a == b || !a || !b)
		return by_number(a, b);
	for (size_t i = 0; i < p->nfields && !c; i++)
		c = by_value(p, &hd_tuples_get(&p->tuples, a)[i], &hd_tuples_get(&p->tuples, b)[i]);
	return c;
}

static int by_cost(const struct hd_profile *p, const struct hd_group_row *a, const struct hd_group_row *b)
{
	const struct hd_profile_symbol *sa = &p->symbols[a->symbol], *sb = &p->symbols[b->symbol];
	int c = by_number(a->event, b->event);

	if (!c)
		c = a->self == b->self ? 0 : a->self > b->self ? -1 : 1;
	if (!c)
		c = by_text(p, a->comm, b->comm);
	if (!c)
		c = by_text(p, a->dso, b->dso);
	if (!c && a->symbol != b->symbol)
		c = hd_symbol_order(p, a->symbol, b->symbol);
	if (!c)
		c = by_number((int64_t)sa->start, (int64_t)sb->start);
	if (!c)
		c = by_text(p, a->file, b->file);
	if (!c)
		c = by_number(a->line, b->line);
	if (!c)
		c = by_number(a->pid, b->pid);
	if (!c)
		c = by_number(a->tid, b->tid);
	if (!c)
		c = by_number(a->cpu, b->cpu);
	if (!c)
		c = by_tuple(p, a->tuple, b->tuple);
	/*
	 * The texts of different rows can be equal, for example if a symbol exists in two objects, or for `[unknown]`
	 * and an object with this name.  Compare further members, so that the order is the same in each run.
	 */
	if (!c)
		c = by_text(p, p->objects[sa->object].name, p->objects[sb->object].name);
	if (!c)
		c = by_number(a->dso_unknown, b->dso_unknown);
	if (!c)
		c = by_number(sa->kernel, sb->kernel);
	return c ? c : a->samples < b->samples ? 1 : a->samples > b->samples ? -1 : 0;
}

/*
 * Sort key of a row.  Most rows of a large table have one sample, so their names decide the order.  The key contains
 * the fields that nearly always decide, so that a comparison rarely reads the row and its names.
 */
struct key {
	uint64_t self, text, rest;	/* text, rest: see hd_symbol_key() */
	uint32_t event, comm, dso;	/* comm, dso: ranks by text */
	uint32_t row;
};

struct order {
	const struct hd_profile *p;
	const struct hd_group_row *rows;
};

static int by_key(const void *va, const void *vb, void *vorder)
{
	const struct key *a = va, *b = vb;
	const struct order *o = vorder;
	int c;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->comm != b->comm)
		return a->comm < b->comm ? -1 : 1;
	if (a->dso != b->dso)
		return a->dso < b->dso ? -1 : 1;
	if (a->text != b->text)
		return a->text < b->text ? -1 : 1;
	if (a->rest != b->rest && a->rest && b->rest)
		return a->rest < b->rest ? -1 : 1;
	c = by_cost(o->p, &o->rows[a->row], &o->rows[b->row]);
	return c ? c : by_number(a->row, b->row);	/* order of first occurrence */
}

static int by_name(const void *va, const void *vb, void *vp)
{
	return by_text(vp, *(const uint32_t *)va, *(const uint32_t *)vb);
}

/*
 * Return an array that has the rank of each string which occurs as dso (or comm) of a row.  The index is the string id.
 * Ranks are in the order of the texts; equal texts have equal ranks.  The caller frees the array.
 */
static uint32_t *rank_names(const struct hd_profile *p, const struct hd_groups *g, bool dso)
{
	uint32_t *rank = hd_new_array(uint32_t, hd_strtab_count(p->names)), *ids = NULL;
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < g->n; i++) {
		uint32_t id = dso ? g->rows[i].dso : g->rows[i].comm;

		if (rank[id])
			continue;
		rank[id] = 1;
		HD_GROW(ids, n + 1, cap);
		ids[n++] = id;
	}
	if (n)
		qsort_r(ids, n, sizeof(*ids), by_name, (void *)p);
	/* Two different strings can have equal texts, because a text ends at the first NUL byte. */
	for (size_t i = 1; i < n; i++)
		rank[ids[i]] = rank[ids[i - 1]] + (by_text(p, ids[i - 1], ids[i]) != 0);
	free(ids);
	return rank;
}

static void sort_rows(struct hd_groups *g, const struct hd_profile *p)
{
	uint32_t *comm = rank_names(p, g, false), *dso = rank_names(p, g, true);
	struct key *keys = hd_new_array(struct key, g->n);
	struct order order = { p, g->rows };

	for (size_t i = 0; i < g->n; i++) {
		const struct hd_group_row *r = &g->rows[i];
		struct key *k = &keys[i];

		if (i + 8 < g->n)
			__builtin_prefetch(&p->symbols[r[8].symbol]);
		*k = (struct key){ .self = r->self, .event = r->event, .comm = comm[r->comm], .dso = dso[r->dso],
			.row = (uint32_t)i };
		if (g->by & HD_BY_SYMBOL)
			k->text = hd_symbol_key(p, r->symbol, &k->rest);
	}
	free(comm);
	free(dso);
	qsort_r(keys, g->n, sizeof(*keys), by_key, &order);
	/* Apply the permutation in place.  The loop follows each of its cycles, so each row is copied once. */
	for (size_t i = 0; i < g->n; i++) {
		struct hd_group_row first = g->rows[i];
		size_t to = i;

		for (uint32_t from; (from = keys[to].row) != i; to = from) {
			g->rows[to] = g->rows[from];
			keys[to].row = (uint32_t)to;
		}
		g->rows[to] = first;
		keys[to].row = (uint32_t)to;
	}
	free(keys);
}

/* Return the index of the row with this key; add the row if it is new. */
static size_t row_of(struct hd_groups *g, struct hd_index *index, const struct hd_group_row *key)
{
	uint64_t h = hash(key);
	size_t at;

	for (uint32_t id = hd_index_first(index, h, &at); id != HD_INDEX_NONE; id = hd_index_next(index, h, &at))
		if (same(&g->rows[id], key))
			return id;
	HD_GROW(g->rows, g->n + 1, g->cap);
	hd_index_add(index, h, (uint32_t)g->n);
	g->rows[g->n] = *key;
	return g->n++;
}

void hd_groups_build(struct hd_groups *g, const struct hd_profile *p, unsigned by, bool inlined)
{
	struct hd_functions fn = { 0 };
	struct hd_index index = { 0 };
	size_t row = 0;

	*g = (struct hd_groups){ .by = by };
	if (inlined)
		hd_functions_init(&fn, p);
	for (size_t i = 0; i < p->rows.n; i++) {
		struct hd_group_row key = key_of(p, &p->rows.items[i], by, &fn);

		if (!g->n || !same(&g->rows[row], &key))	/* the previous row often has the same key */
			row = row_of(g, &index, &key);
		g->rows[row].self += p->rows.items[i].weight;
		g->rows[row].samples += p->rows.items[i].count;
		g->rows[row].var += p->rows.items[i].var;
	}
	hd_index_release(&index);
	hd_functions_release(&fn);
	if (g->n)
		sort_rows(g, p);
	for (size_t i = 0; i < g->n; i++)
		g->rows[i].rank = i && g->rows[i].event == g->rows[i - 1].event ? g->rows[i - 1].rank + 1 : 1;
}

void hd_groups_release(struct hd_groups *g)
{
	free(g->rows);
	*g = (struct hd_groups){ 0 };
}
