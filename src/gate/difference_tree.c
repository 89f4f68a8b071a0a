/*
 * difference_tree.c - see difference.h: merge the call trees of base and head
 */
#include "gate/difference.h"

#include "profile/call_tree.h"
#include "base/encode.h"
#include "base/mem.h"
#include "gate/difference_rows.h"
#include "profile/gpu.h"
#include "base/symbol_name.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * If the counts of folded text sum to at most MOST_SAMPLES, they are numbers of samples.  Larger sums are sums of
 * periods (nanoseconds or events).  If these have a common divisor of at least LEAST_PERIOD, it is the period of one
 * sample.
 */
enum { MOST_SAMPLES = 10000000, LEAST_PERIOD = 1000 };

static uint64_t add_sat(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* ---- names ---- */

static uint32_t add_name(struct hd_difference *d, const char *text, uint32_t flags, unsigned side, bool exact)
{
	char *normal = exact || flags & HD_CALL_NODE_UNKNOWN ? NULL : hd_symbol_name_normalize(text);
	struct hd_buf key = { 0 };
	struct hd_difference_name *name;
	uint32_t id;

	hd_buf_addf(&key, "%x ", flags);
	hd_buf_adds(&key, normal ? normal : text);
	id = hd_strtab_addn(d->keys, key.data, key.len) - 1;	/* 0 is "" */
	while (d->nnames <= id) {
		HD_GROW(d->names, d->nnames + 1, d->names_cap);
		d->names[d->nnames++] = (struct hd_difference_name){ .flags = 0 };
	}
	name = &d->names[id];
	name->flags = flags;
	if (!name->name[side])
		name->name[side] = text;
	hd_buf_release(&key);
	free(normal);
	return id;
}

static uint32_t name_of(struct hd_difference *d, const struct hd_call_tree_node *n, unsigned side,
	const struct hd_difference_opts *o)
{
	uint32_t flags = n->flags &
		(HD_CALL_NODE_COMM | HD_CALL_NODE_UNKNOWN | HD_CALL_NODE_KERNEL |
			(o->exact ? HD_CALL_NODE_INLINED : 0));

	return add_name(d, n->name, flags, side, o->exact);
}

/* Set `key` of all names.  No string is added after this call, so these pointers into the string table stay valid. */
static void set_keys(struct hd_difference *d)
{
	for (size_t i = 0; i < d->nnames; i++)
		d->names[i].key = strchr(hd_strtab_get(d->keys, (uint32_t)i + 1), ' ') + 1;
}

/* ---- the tree ---- */

static void lay(struct hd_difference *d, const struct hd_difference_side *s, unsigned side,
	const struct hd_difference_opts *o)
{
	struct hd_call_tree_opts to = { .event = s->event, .by_comm = o->by_comm };
	struct hd_call_tree *t = hd_call_tree_new(s->p, &to);
	uint32_t *place = hd_new_array(uint32_t, t->n);

	for (size_t i = 0; i < t->n; i++) {
		const struct hd_call_tree_node *n = &t->nodes[i];
		struct hd_difference_node *into;

		if (i > 0) {
			uint32_t name = name_of(d, n, side, o);

			place[i] = hd_trie_add(&d->trie, place[n->parent], name + 1);
			if (place[i] >= d->nnodes) {
				HD_GROW(d->nodes, d->nnodes + 1, d->nodes_cap);
				d->nodes[d->nnodes++] = (struct hd_difference_node){ .parent = place[n->parent],
					.name = name,
					.depth = d->nodes[place[n->parent]].depth + 1 };
			}
		}
		into = &d->nodes[place[i]];
		into->self[side] = add_sat(into->self[side], n->self);
		into->total[side] = add_sat(into->total[side], n->total);
	}
	d->weight[side] = t->nodes[0].total;
	d->samples[side] = s->samples > 0 ? s->samples : hd_difference_samples(s->p, s->event);
	d->place[side] = place;
	hd_call_tree_free(t);
}

/* ---- self costs ---- */

static void add_functions(struct hd_difference *d, const struct hd_difference_side *s, unsigned side)
{
	for (size_t i = 0; i < s->functions->n; i++) {
		const struct hd_top_row *row = &s->functions->rows[i];
		const struct hd_profile_symbol *f = &s->p->symbols[row->symbol];
		bool kernel = f->kernel || s->p->objects[f->object].kernel;
		uint32_t flags = (f->unresolved ? HD_CALL_NODE_UNKNOWN : 0) | (kernel ? HD_CALL_NODE_KERNEL : 0);
		const char *text = f->unresolved ? HD_UNKNOWN : hd_profile_str(s->p, f->name);
		uint32_t name = add_name(d, text, flags, side, false);

		d->names[name].self[side] = add_sat(d->names[name].self[side], row->self);
	}
}

/* Set the self costs of all names, from the lists of functions if both sides have one. */
static void set_self(struct hd_difference *d, const struct hd_difference_side *base,
	const struct hd_difference_side *head, bool exact)
{
	if (base->functions && head->functions && !exact) {
		add_functions(d, base, HD_BASE);
		add_functions(d, head, HD_HEAD);
		return;
	}
	for (size_t i = 1; i < d->nnodes; i++)
		for (unsigned side = 0; side < 2; side++) {
			uint64_t *self = d->names[d->nodes[i].name].self;

			self[side] = add_sat(self[side], d->nodes[i].self[side]);
		}
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

double hd_difference_samples(const struct hd_profile *p, uint32_t event)
{
	const struct hd_event *e = &p->events[event];
	bool folded = p->recording.format && !strcmp(p->recording.format, "folded");
	uint64_t divisor = 0;
	double squares = 0, n;

	if (hd_gpu_is_event(hd_profile_str(p, e->name)))
		return (double)e->weight;
	for (uint32_t i = e->first_row; i; i = p->rows.items[i - 1].next) {
		const struct hd_sample_row *row = &p->rows.items[i - 1];

		divisor = common_divisor(divisor, row->weight);
		if (row->count)
			squares += (double)row->weight / (double)row->count * (double)row->weight;
	}
	if (folded) {
		if (e->weight <= MOST_SAMPLES)
			return (double)e->weight;
		return divisor >= LEAST_PERIOD ? (double)e->weight / (double)divisor : 0;
	}
	n = squares > 0 ? (double)e->weight / squares * (double)e->weight : 0;
	return fmin(n, (double)e->samples);
}

void hd_difference_build(struct hd_difference *d, const struct hd_difference_side *base,
	const struct hd_difference_side *head, const struct hd_difference_opts *o)
{
	*d = (struct hd_difference){ .keys = hd_strtab_new() };
	HD_GROW(d->nodes, 1, d->nodes_cap);
	d->nodes[d->nnodes++] = (struct hd_difference_node){ .name = UINT32_MAX };
	lay(d, base, HD_BASE, o);
	lay(d, head, HD_HEAD, o);
	set_self(d, base, head, o->exact);
	set_keys(d);
	hd_difference_costs(d, base, head, o);
	hd_difference_rows(d);
}

void hd_difference_release(struct hd_difference *d)
{
	hd_strtab_free(d->keys);
	hd_trie_release(&d->trie);
	free(d->place[HD_BASE]);
	free(d->place[HD_HEAD]);
	free(d->names);
	free(d->nodes);
	free(d->symbols);
	free(d->stacks);
	*d = (struct hd_difference){ 0 };
}

/* ---- lookups ---- */

void hd_difference_try(const struct hd_difference *d, struct hd_nearest *n)
{
	for (uint32_t i = 0; i < d->nnames; i++)
		if (!(d->names[i].flags & HD_CALL_NODE_COMM))
			hd_nearest_try(n, d->names[i].key);
}

uint32_t hd_difference_find(const struct hd_difference *d, const char *name)
{
	char *normal = hd_symbol_name_normalize(name);
	uint32_t found = UINT32_MAX;

	for (uint32_t i = 0; i < d->nnames && found == UINT32_MAX; i++)
		if (!(d->names[i].flags & HD_CALL_NODE_COMM) && !strcmp(d->names[i].key, normal))
			found = i;
	for (uint32_t i = 0; i < d->nnames && found == UINT32_MAX; i++)
		for (unsigned side = 0; side < 2; side++)
			if (!(d->names[i].flags & HD_CALL_NODE_COMM) && d->names[i].name[side] &&
				!strcmp(d->names[i].name[side], name))
				found = i;
	free(normal);
	return found;
}

void hd_difference_through(const struct hd_difference *d, uint32_t name, unsigned char *through)
{
	through[0] = 0;
	for (size_t i = 1; i < d->nnodes; i++)
		through[i] = through[d->nodes[i].parent] || d->nodes[i].name == name;
}

/* ---- folded ---- */

static void frame(struct hd_buf *out, const struct hd_difference_name *n)
{
	if (n->flags & HD_CALL_NODE_UNKNOWN)
		hd_buf_adds(out, n->key);
	else
		hd_enc_folded(out, n->key, strlen(n->key));
	if (n->flags & HD_CALL_NODE_KERNEL)
		hd_buf_adds(out, "_[k]");
	else if (n->flags & HD_CALL_NODE_INLINED)
		hd_buf_adds(out, "_[i]");
}

void hd_difference_folded(struct hd_buf *out, const struct hd_difference *d, bool normalized)
{
	uint32_t *path = hd_new_array(uint32_t, d->nnodes);

	for (uint32_t i = 1; i < d->nnodes; i++) {
		const struct hd_difference_node *n = &d->nodes[i];
		uint64_t base = n->self[HD_BASE];
		size_t depth = 0;

		if (!n->self[HD_BASE] && !n->self[HD_HEAD])
			continue;
		if (normalized && d->weight[HD_BASE])
			base = (uint64_t)((__uint128_t)base * d->weight[HD_HEAD] / d->weight[HD_BASE]);
		for (uint32_t at = i; at; at = d->nodes[at].parent)
			path[depth++] = at;
		while (depth--) {
			frame(out, &d->names[d->nodes[path[depth]].name]);
			hd_buf_addc(out, depth ? ';' : ' ');
		}
		hd_buf_addu(out, base);
		hd_buf_addc(out, ' ');
		hd_buf_addu(out, n->self[HD_HEAD]);
		hd_buf_addc(out, '\n');
	}
	free(path);
}
