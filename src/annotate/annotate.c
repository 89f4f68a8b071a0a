/*
 * annotate.c - select functions and collect the costs of their addresses; see annotation.h
 */
#include "annotate/annotation.h"

#include "annotate/annotation_build.h"
#include "annotate/symbol_pattern.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "profile/symbol_text.h"

#include <stdlib.h>
#include <string.h>

/* A function that may be annotated. */
struct candidate {
	uint32_t symbol;
	uint64_t weight;		/* weight in the first event with samples */
	uint64_t samples;		/* number of samples in all events */
};

struct selection {
	const struct hd_profile *p;
	uint32_t *column;		/* indexed by event: index of its column of costs, or HD_ANNOTATION_NONE */
	size_t nevents;
	struct candidate *functions;	/* first indexed by symbol; later the selected ones by falling cost */
	size_t n;
	uint32_t *rank;			/* indexed by symbol: index in `functions`, or HD_ANNOTATION_NONE */
	/* indexed by rank: the costs of the function's addresses */
	struct address_costs { struct hd_address_cost *v; size_t n, cap; } *costs;
};

double hd_annotation_pct(const struct hd_annotation *a, size_t event, struct hd_annotation_cost c,
	enum hd_percent_type type)
{
	const struct hd_annotation_event *e = &a->events[event];
	bool hits = type == HD_PERCENT_LOCAL_HITS || type == HD_PERCENT_GLOBAL_HITS;
	bool global = type == HD_PERCENT_GLOBAL_PERIOD || type == HD_PERCENT_GLOBAL_HITS;
	const struct hd_annotation_cost *all = global ? &e->all : &e->symbol;
	uint64_t part = hits ? c.samples : c.weight, whole = hits ? all->samples : all->weight;

	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* ---- selection ---- */

static void begin(struct selection *s, const struct hd_profile *p)
{
	*s = (struct selection){ .p = p };
	s->column = hd_new_array(uint32_t, p->nevents + 1);
	for (size_t e = 0; e < p->nevents; e++)
		s->column[e] = p->events[e].samples ? (uint32_t)s->nevents++ : HD_ANNOTATION_NONE;
	s->functions = hd_new_array(struct candidate, p->nsymbols + 1);
	for (uint32_t i = 0; i < p->nsymbols; i++)
		s->functions[i].symbol = i;
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct hd_sample_row *row = &p->rows.items[i];
		struct candidate *f = &s->functions[p->frames[row->self.v].symbol];

		f->samples += row->count;
		if (s->column[row->event] == 0)
			f->weight += row->weight;
	}
}

/* The profile whose names the comparison function of qsort() looks up.  It is set during one call of qsort(). */
static _Thread_local const struct hd_profile *sorted;

static int compare_candidates(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;
	int order;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	order = hd_symbol_order(sorted, a->symbol, b->symbol);
	if (!order)
		order = strcmp(hd_profile_str(sorted, sorted->objects[sorted->symbols[a->symbol].object].name),
			hd_profile_str(sorted, sorted->objects[sorted->symbols[b->symbol].object].name));
	if (order)
		return order;
	return sorted->symbols[a->symbol].start < sorted->symbols[b->symbol].start ? -1 : 1;
}

/*
 * Keep the opts->limit hottest functions, the hottest first, that have samples and addresses, match opts->symbol and
 * have only[symbol] set (NULL: no restriction).  Returns < 0, with found->err, if the pattern is invalid.
 */
static int select_functions(struct selection *s, struct hd_annotations *found, const bool *only)
{
	const struct hd_annotate_opts *o = found->opts;
	struct hd_nearest nearest = hd_nearest_to(o->symbol ? o->symbol : "");
	bool *wanted = hd_new_array(bool, s->p->nsymbols + 1);
	struct hd_symbol_pattern pattern;
	int rc = hd_symbol_pattern_init(&pattern, o->symbol, &found->err);

	for (uint32_t i = 0; i < s->p->nsymbols; i++)
		wanted[i] = s->functions[i].samples && !s->p->symbols[i].no_address && (!only || only[i]);
	if (rc >= 0) {
		hd_symbol_pattern_look(&pattern, s->p, wanted);
		for (uint32_t i = 0; i < s->p->nsymbols; i++) {
			if (!wanted[i])
				continue;
			if (hd_symbol_pattern_matches(&pattern, s->p, i))
				s->functions[s->n++] = s->functions[i];
			else if (o->symbol)
				hd_nearest_try(&nearest, hd_profile_str(s->p, s->p->symbols[i].name));
		}
		hd_symbol_pattern_release(&pattern);
	}
	free(wanted);
	sorted = s->p;
	qsort(s->functions, s->n, sizeof(*s->functions), compare_candidates);
	sorted = NULL;
	found->matched = s->n;
	if (o->limit && s->n > o->limit)
		s->n = o->limit;
	if (rc >= 0 && !s->n && *nearest.best)
		found->nearest = hd_strdup(nearest.best);
	return rc;
}

/* ---- costs ---- */

static int compare_costs(const void *x, const void *y)
{
	const struct hd_address_cost *a = x, *b = y;

	if (a->vaddr != b->vaddr)
		return a->vaddr < b->vaddr ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

static void collect_costs(struct selection *s)
{
	const struct hd_profile *p = s->p;

	s->rank = hd_new_array(uint32_t, p->nsymbols + 1);
	s->costs = hd_new_array(struct address_costs, s->n + 1);
	memset(s->rank, 0xff, (p->nsymbols + 1) * sizeof(*s->rank));
	for (size_t i = 0; i < s->n; i++)
		s->rank[s->functions[i].symbol] = (uint32_t)i;
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct hd_sample_row *row = &p->rows.items[i];
		const struct hd_frame *f = &p->frames[row->self.v];
		struct address_costs *c;

		if (s->rank[f->symbol] == HD_ANNOTATION_NONE || s->column[row->event] == HD_ANNOTATION_NONE)
			continue;
		c = &s->costs[s->rank[f->symbol]];
		HD_GROW(c->v, c->n + 1, c->cap);
		c->v[c->n++] = (struct hd_address_cost){ f->vaddr, s->column[row->event],
			{ row->weight, row->count } };
	}
	for (size_t i = 0; i < s->n; i++)
		qsort(s->costs[i].v, s->costs[i].n, sizeof(*s->costs[i].v), compare_costs);
}

static void release(struct selection *s)
{
	for (size_t i = 0; s->costs && i < s->n; i++)
		free(s->costs[i].v);
	free(s->costs);
	free(s->rank);
	free(s->functions);
	free(s->column);
}

/* ---- one function ---- */

static const char *kept(struct hd_annotation *a, const struct hd_profile *p, uint32_t string)
{
	return hd_arena_strndup(&a->arena, hd_profile_str(p, string), hd_strtab_len(p->names, string));
}

/* Set the members of `a` that come from the profile: name, object, address and events. */
static void describe(struct hd_annotation *a, const struct selection *s, size_t rank)
{
	const struct hd_profile *p = s->p;
	const struct hd_profile_symbol *of = &p->symbols[s->functions[rank].symbol];
	const struct hd_object *object = &p->objects[of->object];
	const struct address_costs *c = &s->costs[rank];
	char buf[HD_SYMBOL_TEXT];
	const char *name = hd_symbol_text(p, s->functions[rank].symbol, false, buf, sizeof(buf));

	a->name = hd_arena_strndup(&a->arena, name, strlen(name));
	a->linkage = of->unresolved ? NULL : kept(a, p, of->linkage);
	a->object = kept(a, p, object->name);
	a->build_id = object->build_id ? kept(a, p, object->build_id) : "";
	a->start = of->start;
	a->size = of->size;
	a->unresolved = of->unresolved;
	a->nevents = s->nevents;
	a->events = hd_arena_alloc(&a->arena, (s->nevents + 1) * sizeof(*a->events));
	for (size_t e = 0; e < p->nevents; e++)
		if (s->column[e] != HD_ANNOTATION_NONE)
			a->events[s->column[e]] = (struct hd_annotation_event){
				.name = kept(a, p, p->events[e].name), .unit = kept(a, p, p->events[e].unit),
				.all = { p->events[e].weight, p->events[e].samples },
			};
	for (size_t i = 0; i < c->n; i++)
		hd_annotation_add_cost(&a->events[c->v[i].event].symbol, &c->v[i].cost);
}

/* Return the code of an object, and open it if it is new.  Functions of one object share it. */
static struct hd_object_code *code_of(struct hd_object_code *objects, size_t *n, uint32_t object,
	const struct hd_profile *p, const struct hd_symbol_access *access, const struct hd_annotate_opts *opts)
{
	for (size_t i = 0; i < *n; i++)
		if (objects[i].object == object)
			return &objects[i];
	hd_object_code_open(&objects[*n], object, p, access, opts);
	return &objects[(*n)++];
}

void hd_annotate_symbols(struct hd_annotations *found, const struct hd_profile *p,
	const struct hd_symbol_access *access, const bool *only)
{
	struct hd_object_code *objects;
	struct selection s;
	size_t nobjects = 0;

	begin(&s, p);
	if (select_functions(&s, found, only) >= 0) {
		collect_costs(&s);
		found->items = hd_new_array(struct hd_annotation, s.n + 1);
		objects = hd_new_array(struct hd_object_code, s.n + 1);
		for (size_t i = 0; i < s.n; i++) {
			struct hd_annotation *a = &found->items[found->n++];
			struct hd_object_code *c = code_of(objects, &nobjects,
				p->symbols[s.functions[i].symbol].object, p, access, found->opts);

			describe(a, &s, i);
			a->machine = c->symbols ? hd_object_machine(c->symbols) : NULL;
			hd_annotation_build(a, c, s.costs[i].v, s.costs[i].n, access, found->opts);
		}
		for (size_t i = 0; i < nobjects; i++)
			hd_object_code_release(&objects[i]);
		free(objects);
	}
	release(&s);
}

void hd_annotate(void *annotations, struct hd_profile *p, const struct hd_symbol_access *access)
{
	hd_annotate_symbols(annotations, p, access, NULL);
}

void hd_annotations_release(struct hd_annotations *found)
{
	for (size_t i = 0; i < found->n; i++)
		hd_arena_release(&found->items[i].arena);
	free(found->items);
	free(found->nearest);
	*found = (struct hd_annotations){ .opts = found->opts };
}
