/*
 * stored_stacks.c - see stored_stacks.h
 */
#include "history/stored_stacks.h"

#include "base/encode.h"
#include "base/mem.h"
#include "db/blob.h"
#include "base/symbol_name.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static uint32_t name_of(struct hd_stored_stacks *s, const char *text, size_t n)
{
	uint32_t before = hd_strtab_count(s->texts), id = hd_strtab_addn(s->texts, text, n);

	if (id >= s->name_cap) {
		size_t cap = s->name_cap ? 2 * s->name_cap : 1024;

		s->name_of = hd_realloc(s->name_of, cap, sizeof(*s->name_of));
		s->name_cap = cap;
	}
	if (id >= before || !id) {	/* a new string; "" always exists, with id 0 */
		struct hd_buf raw = { 0 };
		char *normal;

		hd_buf_adds(&raw, "");
		hd_decode_folded(&raw, text, n);
		normal = hd_symbol_name_normalize(raw.data);
		s->name_of[id] = hd_strtab_add(s->names, normal);
		free(normal);
		hd_buf_release(&raw);
	}
	return s->name_of[id];
}

/* Add one line: `main;f;g 123`. */
static void take_line(struct hd_stored_stacks *s, const char *line, size_t len, uint32_t run)
{
	const char *blank = memrchr(line, ' ', len), *at = line;
	struct hd_stored_stacks_line *l;
	uint64_t weight = 0;

	if (!blank)
		return;
	for (const char *c = blank + 1; c < line + len && *c >= '0' && *c <= '9' && weight < UINT64_MAX / 16; c++)
		weight = 10 * weight + (uint64_t)(*c - '0');
	HD_GROW(s->lines, s->nlines + 1, s->lines_cap);
	l = &s->lines[s->nlines++];
	*l = (struct hd_stored_stacks_line){ s->nframes, 0, run, (double)weight };
	while (at <= blank && s->nframes < HD_STORED_STACKS_FRAMES_MAX) {
		const char *end = memchr(at, ';', (size_t)(blank - at));

		if (!end)
			end = blank;
		HD_GROW(s->frames, s->nframes + 1, s->frames_cap);
		s->frames[s->nframes++] = name_of(s, at, (size_t)(end - at));
		l->n++;
		at = end + 1;
	}
}

void hd_stored_stacks_init(struct hd_stored_stacks *s, size_t nruns)
{
	*s = (struct hd_stored_stacks){ .texts = hd_strtab_new(), .names = hd_strtab_new(), .nruns = nruns };
}

void hd_stored_stacks_add(struct hd_stored_stacks *s, const char *text, size_t size, uint32_t run)
{
	const char *at = text, *end = at + size;

	while (at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((nl ? nl : end) - at);

		take_line(s, at, len, run);
		at += len + 1;
	}
}

int hd_stored_stacks_load(struct hd_stored_stacks *s, struct hd_db *db, const struct hd_run_set_member *const *runs,
	size_t nruns, struct hd_log *log, struct hd_err *err)
{
	const char **keys = hd_new_array(const char *, nruns);
	struct hd_blobs blobs;
	int rc;

	for (size_t i = 0; i < nruns; i++)
		keys[i] = runs[i]->stacks;
	rc = hd_blobs_load(&blobs, db, keys, nruns, err);
	hd_stored_stacks_init(s, nruns);
	for (size_t i = 0; i < nruns && rc >= 0; i++) {
		struct hd_buf text = { 0 };
		int found = runs[i]->stacks ? hd_blobs_get(&blobs, runs[i]->stacks, &text, err) : 0;

		if (found < 0)
			rc = found;
		else if (!found || s->nframes >= HD_STORED_STACKS_FRAMES_MAX)
			s->without++;
		else
			hd_stored_stacks_add(s, hd_buf_str(&text), text.len, (uint32_t)i);
		hd_buf_release(&text);
	}
	hd_blobs_release(&blobs);
	free(keys);
	if (rc >= 0 && s->without)
		hd_warn_n(log, "gate.no-stacks", s->without, "add runs without --no-stacks",
			  "some runs have no stored stacks, so moved cost may look like a rise");
	if (rc < 0)
		hd_stored_stacks_release(s);
	return rc;
}

void hd_stored_stacks_release(struct hd_stored_stacks *s)
{
	hd_strtab_free(s->texts);
	hd_strtab_free(s->names);
	free(s->name_of);
	free(s->frames);
	free(s->lines);
	*s = (struct hd_stored_stacks){ 0 };
}

/* ---- totals and callers ---- */

void hd_stored_stacks_total(const struct hd_stored_stacks *s, uint32_t name, double k, double *y)
{
	memset(y, 0, s->nruns * sizeof(*y));
	for (size_t i = 0; i < s->nlines; i++) {
		const struct hd_stored_stacks_line *l = &s->lines[i];
		uint32_t f = 0;

		while (f < l->n && s->frames[l->first + f] != name)
			f++;
		if (f < l->n)
			y[l->run] += k * l->weight;
	}
}

static struct hd_callers_edge *edge(struct hd_callers *c, uint32_t of, uint32_t name)
{
	uint64_t key = (uint64_t)of << 32 | name;
	uint32_t at = hd_map_get(&c->edges, key);

	if (at == HD_MAP_NONE) {
		at = (uint32_t)c->nitems;
		HD_GROW(c->items, c->nitems + 1, c->cap);
		c->items[c->nitems++] = (struct hd_callers_edge){ .name = name, .next = c->first[of] };
		c->first[of] = at;
		hd_map_put(&c->edges, key, at);
	}
	return &c->items[at];
}

void hd_callers_find(struct hd_callers *c, const struct hd_stored_stacks *s, const uint32_t *tracked, size_t n)
{
	*c = (struct hd_callers){ .tracked = tracked,
		.n = n,
		.total = hd_new_array(double, n + 1),
		.first = hd_new_array(uint32_t, n + 1) };
	for (size_t i = 0; i < n; i++) {
		hd_map_put(&c->at, tracked[i], (uint32_t)i);
		c->first[i] = UINT32_MAX;
	}
	for (size_t i = 0; i < s->nlines; i++) {
		const struct hd_stored_stacks_line *l = &s->lines[i];
		const uint32_t *f = s->frames + l->first;

		for (uint32_t k = 0; k < l->n; k++) {
			uint32_t at = hd_map_get(&c->at, f[k]);

			/* Count direct recursion once. */
			if (at == HD_MAP_NONE || (k && f[k - 1] == f[k]))
				continue;
			c->total[at] += l->weight;
			if (k)
				edge(c, at, f[k - 1])->called_by += l->weight;
		}
	}
}

void hd_callers_release(struct hd_callers *c)
{
	hd_map_release(&c->at);
	hd_map_release(&c->edges);
	free(c->items);
	free(c->total);
	free(c->first);
	*c = (struct hd_callers){ 0 };
}

double hd_callers_called_by(const struct hd_callers *c, size_t i, uint32_t name)
{
	uint32_t at = hd_map_get(&c->edges, (uint64_t)i << 32 | name);

	return at != HD_MAP_NONE && c->total[i] > 0 ? c->items[at].called_by / c->total[i] : 0;
}

uint32_t hd_callers_main(const struct hd_callers *c, size_t i)
{
	uint32_t best = UINT32_MAX;
	double most = 0;

	for (uint32_t k = c->first[i]; k != UINT32_MAX; k = c->items[k].next)
		if (c->items[k].called_by > most) {
			most = c->items[k].called_by;
			best = c->items[k].name;
		}
	return best;
}
