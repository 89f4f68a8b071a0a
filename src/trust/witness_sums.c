/*
 * witness_sums.c - compute sums and counts over the rows and texts of a run: see witness.h
 */
#include "trust/witness.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

const struct hd_content_cell *hd_witness_key_cell(const struct hd_content_row *row)
{
	const struct hd_content_cell *key = NULL;

	if (hd_content_row_is_of(row, "event"))
		key = hd_content_row_cell(row, "stacks");
	else if (hd_content_row_is_of(row, "series"))
		key = hd_content_row_cell(row, "csv");
	return key && key->kind == HD_COL_TEXT ? key : NULL;
}

/* Return the id of a text's key; 0 without a key. */
static uint32_t key_of(struct hd_witness_sums *s, const char *key)
{
	uint32_t id;

	if (!key || !*key)
		return 0;
	s->keys = s->keys ? s->keys : hd_strtab_new();
	id = hd_strtab_add(s->keys, key);
	while (s->nof_key <= id) {
		HD_GROW(s->of_key, s->nof_key + 1, s->of_key_cap);
		s->of_key[s->nof_key++] = (struct hd_witness_weights){ 0 };
	}
	return id;
}

static void add_event(struct hd_witness_sums *s, const struct hd_content_row *row)
{
	struct hd_witness_event *e;
	char *key = hd_content_row_text(row, "stacks");

	HD_GROW(s->events, s->nevents + 1, s->cap);
	e = &s->events[s->nevents];
	*e = (struct hd_witness_event){
		.event = hd_content_row_int(row, "event"), .weight = hd_content_row_int(row, "weight"),
		.samples = hd_content_row_int(row, "samples"), .name = hd_content_row_text(row, "name"),
		.unit = hd_content_row_text(row, "unit"), .key = key_of(s, key),
	};
	hd_map_put(&s->by_number, (uint64_t)e->event, (uint32_t)s->nevents++);
	free(key);
}

static void add_hotspot(struct hd_witness_sums *s, const struct hd_content_row *row)
{
	uint32_t at = hd_map_get(&s->by_number, (uint64_t)hd_content_row_int(row, "event"));

	if (at == HD_MAP_NONE)
		return;			/* an unknown event: the hash of the run will not match */
	s->events[at].hotspots++;
	s->events[at].self += (uint64_t)hd_content_row_int(row, "self");
}

void hd_witness_sum_row(struct hd_witness_sums *s, const struct hd_content_row *row)
{
	s->rows++;
	if (hd_content_row_is_of(row, "run")) {
		s->read = hd_content_row_int(row, "samples_read");
		s->kept = hd_content_row_int(row, "samples_kept");
	} else if (hd_content_row_is_of(row, "dropped")) {
		s->dropped += (uint64_t)hd_content_row_int(row, "samples");
	} else if (hd_content_row_is_of(row, "event")) {
		add_event(s, row);
	} else if (hd_content_row_is_of(row, "hotspot")) {
		add_hotspot(s, row);
	} else if (hd_content_row_is_of(row, "series")) {
		s->series++;
	} else if (hd_content_row_is_of(row, "series_summary")) {
		s->summaries++;
	}
}

void hd_witness_sum_text(struct hd_witness_sums *s, const char *key, uint64_t bytes, const struct hd_witness_weights *w)
{
	uint32_t id = key_of(s, key);

	s->texts++;
	s->text_bytes += bytes;
	if (id)
		s->of_key[id] = *w;
}

void hd_witness_sums_finish(struct hd_witness_sums *s)
{
	for (size_t i = 0; i < s->nevents; i++) {
		struct hd_witness_event *e = &s->events[i];

		if (!e->key)
			continue;
		e->lines = s->of_key[e->key].lines;
		e->line_weight = s->of_key[e->key].weight;
	}
}

void hd_witness_weights_add(struct hd_witness_weights *w, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] >= '0' && p[i] <= '9') {
			w->number = w->number * 10 + (uint64_t)(p[i] - '0');
			continue;
		}
		if (p[i] == '\n') {
			w->lines++;
			w->weight += w->number;
		}
		w->number = 0;
	}
}

static void put(struct hd_buf *out, const char *key, uint64_t v)
{
	hd_buf_addf(out, ",\"%s\":%llu", key, (unsigned long long)v);
}

static void put_event(struct hd_buf *out, const struct hd_witness_event *e)
{
	hd_buf_addf(out, "{\"event\":%lld", (long long)e->event);
	put(out, "hotspots", e->hotspots);
	put(out, "self", e->self);
	put(out, "stack_weight", e->line_weight);
	put(out, "stacks", e->lines);
	hd_buf_addf(out, ",\"weight\":%lld}", (long long)e->weight);
}

void hd_witness_sums_json(struct hd_buf *out, const struct hd_witness_sums *s)
{
	hd_buf_addf(out, "\"dropped\":%llu,\"events\":[", (unsigned long long)s->dropped);
	for (size_t i = 0; i < s->nevents; i++) {
		if (i)
			hd_buf_addc(out, ',');
		put_event(out, &s->events[i]);
	}
	hd_buf_addf(out, "],\"kept\":%lld,\"kind\":\"end\"", (long long)s->kept);
}

void hd_witness_sums_release(struct hd_witness_sums *s)
{
	for (size_t i = 0; i < s->nevents; i++) {
		free(s->events[i].name);
		free(s->events[i].unit);
	}
	free(s->events);
	free(s->of_key);
	hd_strtab_free(s->keys);
	hd_map_release(&s->by_number);
	*s = (struct hd_witness_sums){ 0 };
}
