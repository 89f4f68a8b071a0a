/*
 * call_graph_report.c - see call_graph_report.h
 */
#include "render/call_graph_report.h"

#include "base/encode.h"
#include "base/mem.h"
#include "profile/function_graph.h"
#include "profile/top.h"
#include "render/fields.h"
#include "render/unit_text.h"

#include <stdlib.h>
#include <string.h>

/* Properties of a report.  A field is printed if the report has all properties in hd_field.when. */
enum {
	TREES = 1,			/* the rows are trees: all forms except HD_CALL_GRAPH_PEEK */
	PEEK = 2,			/* the form is HD_CALL_GRAPH_PEEK */
	OF_FUNCTION = 4,		/* tables have the share of the function's cost */
	OF_PARENT = 8,			/* tables have the share of the parent row's cost */
	SELF = 16,			/* rows have a self cost */
	CSV = 32			/* the output is CSV */
};

struct row {
	const char *event, *function;	/* printed in CSV only */
	int64_t id, parent, depth;
	const char *relation;
	double total_pct, function_pct, parent_pct, self_pct;
	uint64_t weight, self;
	int64_t samples;
	struct hd_field_name symbol;
	bool unknown, kernel, inlined;
};

#define FIELD(key, title, kind, member, ...)	HD_FIELD(key, title, kind, struct row, member, ##__VA_ARGS__)
static const struct hd_field fields[] = {
	FIELD("event", NULL, NAME, event, .when = CSV),
	FIELD("function", NULL, NAME, function, .when = CSV),
	FIELD("id", NULL, COUNT, id, .when = TREES),
	FIELD("parent", NULL, COUNT, parent, .when = TREES),
	FIELD("depth", NULL, COUNT, depth, .when = TREES),
	FIELD("total_pct", "total", PERCENT, total_pct),
	FIELD("function_pct", NULL, PERCENT, function_pct, .when = OF_PARENT),
	FIELD("function_pct", "function", PERCENT, function_pct, .when = OF_FUNCTION),
	FIELD("parent_pct", NULL, PERCENT, parent_pct, .when = TREES | OF_FUNCTION),
	FIELD("parent_pct", "parent", PERCENT, parent_pct, .when = TREES | OF_PARENT),
	FIELD("self_pct", "self", PERCENT, self_pct, .when = SELF),
	FIELD("weight", "weight", WEIGHT, weight),
	FIELD("self", NULL, WEIGHT, self, .when = SELF),
	FIELD("samples", "samples", COUNT, samples),
	FIELD("relation", NULL, TEXT, relation, .when = TREES),
	FIELD("relation", "", TEXT, relation, .when = PEEK),
	/* The symbol is the last column of a table, so that a long C++ name does not shift other columns. */
	FIELD("symbol", "symbol", SYMBOL, symbol, .place = 1),
	FIELD("unknown", NULL, FLAG, unknown),
	FIELD("kernel", NULL, FLAG, kernel),
	FIELD("inlined", NULL, FLAG, inlined),
};

/* The report of one function, or of the whole tree. */
struct block {
	const struct hd_profile *p;
	const struct hd_call_graph_report_opts *o;
	const struct hd_function_graph *g;
	const struct hd_call_tree *t;	/* the tree whose nodes are the rows; not used in the form peek */
	const char *event, *function;
	uint64_t of_event, of_function;	/* weights that are 100 % in the columns of shares */
	bool callers;			/* rows below the root are callers */
	struct hd_fields fields;
	struct hd_table table;
	struct hd_jsonw *w;		/* JSON, or NULL */
	struct hd_buf *csv;		/* CSV, or NULL */
	size_t hidden;
};

static void emit(struct block *b, struct row *r, const char *name, uint32_t flags)
{
	r->event = b->event;
	r->function = b->function;
	r->unknown = flags & HD_CALL_NODE_UNKNOWN;
	r->kernel = flags & HD_CALL_NODE_KERNEL;
	r->inlined = flags & HD_CALL_NODE_INLINED;
	r->symbol.full = r->symbol.shown = name;
	r->symbol.pseudo = flags & (HD_CALL_NODE_UNKNOWN | HD_CALL_NODE_ROOT);
	r->total_pct = hd_share_pct(r->weight, b->of_event);
	r->function_pct = hd_share_pct(r->weight, b->of_function);
	r->self_pct = hd_share_pct(r->self, b->of_event);
	if (b->p->recording.stored)
		r->samples = -1;
	if (b->w) {
		hd_fields_object(b->w, &b->fields, r);
	} else if (b->csv) {
		hd_fields_csv(b->csv, &b->fields, r);
		hd_buf_addc(b->csv, '\n');
	} else {
		hd_fields_cells(&b->table, &b->fields, r);
	}
}

/* ---- trees ---- */

/* A row of a tree that is still to be printed. */
struct pending {
	uint32_t node;
	int64_t parent;			/* id of the parent row */
	uint32_t level;			/* indentation of the row */
	bool branch;			/* the row has siblings */
	bool last;			/* the row is the last of its siblings */
};

struct walk {
	struct block *b;
	struct pending *items;		/* the next row is the last item */
	size_t n, cap;
	uint32_t *children;
	size_t children_cap;
	bool *more;			/* indexed by level: true if a sibling of the open row of this level follows */
	size_t more_cap;
	struct hd_buf guide;
};

static int by_total_then_place(const void *va, const void *vb, void *vt)
{
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	const struct hd_call_tree *t = vt;

	if (t->nodes[a].total != t->nodes[b].total)
		return t->nodes[a].total < t->nodes[b].total ? 1 : -1;
	/* ties are ordered by name: siblings are numbered in the order of their names */
	return a < b ? -1 : 1;
}

static bool keeps(const struct block *b, const struct hd_call_tree_node *n)
{
	uint64_t whole = b->o->of_parent ? b->t->nodes[n->parent].total : b->of_event;

	return (!b->o->max_depth || n->depth <= b->o->max_depth) && hd_share_pct(n->total, whole) >= b->o->row_limit;
}

/* Push the children of a row on the stack.  The costliest child is pushed last, so it is printed next. */
static void push_children(struct walk *w, const struct pending *of, int64_t id)
{
	const struct hd_call_tree *t = w->b->t;
	size_t n = 0;

	for (uint32_t k = of->node + 1; k < t->nodes[of->node].end; k = t->nodes[k].end) {
		if (!keeps(w->b, &t->nodes[k])) {
			w->b->hidden += t->nodes[k].end - k;
			continue;
		}
		HD_GROW(w->children, n + 1, w->children_cap);
		w->children[n++] = k;
	}
	if (n > 1)
		qsort_r(w->children, n, sizeof(*w->children), by_total_then_place, (void *)t);
	HD_GROW(w->items, w->n + n, w->cap);
	for (size_t i = n; i-- > 0;)
		w->items[w->n++] = (struct pending){ .node = w->children[i],
			.parent = id,
			.level = of->level + (n > 1),
			.branch = n > 1,
			.last = i + 1 == n };
}

/* Set w->guide to the tree lines before the name of a row: │ continues to later rows, ├ and └ lead to this row. */
static void draw_guide(struct walk *w, const struct pending *row)
{
	HD_GROW(w->more, row->level + 1, w->more_cap);
	if (row->branch)
		w->more[row->level] = !row->last;
	hd_buf_reset(&w->guide);
	for (uint32_t l = 1; l <= row->level; l++)
		if (row->branch && l == row->level)
			hd_buf_adds(&w->guide, row->last ? "└ " : "├ ");
		else
			hd_buf_adds(&w->guide, w->more[l] ? "│ " : "  ");
}

static void print_tree(struct block *b)
{
	struct walk w = { .b = b };
	int64_t id = 0;

	HD_GROW(w.items, 1, w.cap);
	w.items[w.n++] = (struct pending){ .parent = -1 };
	while (w.n > 0) {
		struct pending at = w.items[--w.n];
		const struct hd_call_tree_node *n = &b->t->nodes[at.node];
		struct row r = { .id = id,
			.parent = at.parent,
			.depth = n->depth,
			.relation = !at.node ? "function" : b->callers ? "caller" : "callee",
			.weight = n->total,
			.self = n->self,
			.samples = (int64_t)n->total_samples,
			.parent_pct = hd_share_pct(n->total, b->t->nodes[n->parent].total) };

		if (!b->w && !b->csv) {
			draw_guide(&w, &at);
			r.symbol.guide = hd_buf_str(&w.guide);
		}
		emit(b, &r, n->name, n->flags);
		push_children(&w, &at, id++);
	}
	free(w.items);
	free(w.children);
	free(w.more);
	hd_buf_release(&w.guide);
}

/* ---- peek ---- */

static void print_edges(struct block *b, const struct hd_function_graph_edge *edges, size_t n, const char *relation)
{
	for (size_t i = 0; i < n; i++) {
		const struct hd_function_graph_function *f = &b->g->functions[edges[i].function];
		struct row r = { .weight = edges[i].weight,
			.samples = (int64_t)edges[i].samples,
			.relation = relation,
			.symbol.guide = b->w || b->csv ? NULL : "  " };

		if (hd_share_pct(r.weight, b->of_event) >= b->o->row_limit)
			emit(b, &r, f->name, f->flags);
		else
			b->hidden++;
	}
}

static void print_peek(struct block *b, uint32_t function)
{
	const struct hd_function_graph_function *f = &b->g->functions[function];
	struct row r = { .weight = f->total,
		.self = f->self,
		.samples = (int64_t)f->total_samples,
		.relation = "function" };
	struct hd_function_graph_neighbours nb;

	hd_function_graph_neighbours(&nb, b->g, function);
	print_edges(b, nb.callers, nb.ncallers, "caller");
	emit(b, &r, f->name, f->flags);
	print_edges(b, nb.callees, nb.ncallees, "callee");
	hd_function_graph_neighbours_release(&nb);
}

/* ---- blocks ---- */

/*
 * Set b->callers, and return a new tree of callers or callees of a function; NULL in the forms `tree` and `peek`,
 * which need none.
 */
static struct hd_call_tree *tree_of(struct block *b, uint32_t function)
{
	const struct hd_call_graph_report_opts *o = b->o;

	b->callers = o->form == HD_CALL_GRAPH_CALLERS || (o->form == HD_CALL_GRAPH_FUNCTIONS && o->upwards);
	if (o->form == HD_CALL_GRAPH_TREE || o->form == HD_CALL_GRAPH_PEEK)
		return NULL;
	if (b->callers)
		return hd_function_graph_callers(b->g, function, o->self_only);
	return o->self_only ? hd_function_graph_paths(b->g, function) : hd_function_graph_callees(b->g, function);
}

static void begin_block(struct block *b, struct hd_buf *out)
{
	const struct hd_call_graph_report_opts *o = b->o;

	b->fields = (struct hd_fields){ fields, HD_COUNT(fields),
		(o->form == HD_CALL_GRAPH_PEEK ? PEEK : TREES) | (b->csv ? CSV : 0) |
			(o->of_parent && o->form != HD_CALL_GRAPH_PEEK ? OF_PARENT : OF_FUNCTION) |
			(b->callers || o->form == HD_CALL_GRAPH_PEEK ? 0 : SELF) };
	if (b->w) {
		hd_jsonw_open(b->w, NULL, '{');
		hd_jsonw_str(b->w, "symbol", b->function);
		hd_jsonw_open(b->w, "rows", '[');
	} else if (b->csv) {
		if (!out->len)
			hd_fields_csv_header(out, &b->fields);
	} else {
		hd_fields_table(&b->table, &b->fields);
	}
}

static void end_block(struct block *b, struct hd_buf *out)
{
	bool markdown = b->o->format == HD_FORMAT_MARKDOWN;

	if (b->w) {
		hd_jsonw_close(b->w, ']');
		hd_jsonw_u64(b->w, "hidden", b->hidden);
		hd_jsonw_close(b->w, '}');
	} else if (!b->csv) {
		hd_buf_addc(out, '\n');
		hd_table_write(out, &b->table, markdown);
		if (b->hidden && markdown)
			hd_buf_addc(out, '\n');
		if (b->hidden) {
			hd_unit_text_count(out, b->hidden);
			hd_buf_addf(out, " %s below the limits (--percent-limit, --max-depth)\n",
				b->hidden == 1 ? "row is" : "rows are");
		}
	}
}

static void print_block(struct block *b, struct hd_buf *out, uint32_t function)
{
	struct hd_call_tree *own = tree_of(b, function);
	bool whole = function == HD_FUNCTION_GRAPH_NONE;

	b->hidden = 0;
	b->t = own ? own : b->g->tree;
	b->function = whole ? b->t->nodes[0].name : b->g->functions[function].name;
	b->of_function = whole ? b->t->nodes[0].total
		: b->o->self_only ? b->g->functions[function].self : b->g->functions[function].total;
	begin_block(b, out);
	if (b->o->form == HD_CALL_GRAPH_PEEK)
		print_peek(b, function);
	else
		print_tree(b);
	end_block(b, out);
	hd_call_tree_free(own);
}

/*
 * Return the displayed names of the symbols whose linkage name matches the pattern.  They are needed because the
 * functions of the tree have only displayed names.
 */
static struct hd_strtab *names_by_linkage(const struct hd_name_pattern *functions, const struct hd_profile *p)
{
	struct hd_strtab *names = hd_strtab_new();

	for (size_t i = 0; functions && i < p->nsymbols; i++) {
		const struct hd_profile_symbol *s = &p->symbols[i];

		if (s->linkage != s->name && hd_name_pattern_matches(functions, hd_profile_str(p, s->linkage)))
			hd_strtab_add(names, hd_profile_str(p, s->name));
	}
	return names;
}

static size_t print_functions(struct block *b, struct hd_buf *out, const struct hd_name_pattern *functions)
{
	const struct hd_call_graph_report_opts *o = b->o;
	uint32_t *order = hd_function_graph_order(b->g, o->self_only);
	struct hd_strtab *linkage = names_by_linkage(functions, b->p);
	uint32_t known = hd_strtab_count(linkage);
	size_t n = 0;

	for (size_t i = 0; i < b->g->n && (!o->limit || n < o->limit); i++) {
		const struct hd_function_graph_function *f = &b->g->functions[order[i]];
		uint64_t cost = o->self_only ? f->self : f->total;

		bool chosen = !functions || hd_name_pattern_matches(functions, f->name) ||
			(*f->name && hd_strtab_add(linkage, f->name) < known);

		if (!chosen || (!functions && !cost) || hd_share_pct(cost, b->of_event) < o->percent_limit)
			continue;
		print_block(b, out, order[i]);
		n++;
	}
	hd_strtab_free(linkage);
	free(order);
	return n;
}

/* ---- all events ---- */

static void begin_event(struct block *b, struct hd_buf *out, uint32_t event)
{
	const struct hd_event *e = &b->p->events[event];
	bool markdown = b->o->format == HD_FORMAT_MARKDOWN;

	b->event = hd_profile_str(b->p, e->name);
	b->of_event = e->weight;
	if (b->w) {
		hd_jsonw_open(b->w, NULL, '{');
		hd_jsonw_str(b->w, "event", b->event);
		hd_jsonw_str(b->w, "unit", hd_profile_str(b->p, e->unit));
		hd_jsonw_u64(b->w, "samples", e->samples);
		hd_jsonw_u64(b->w, "weight", e->weight);
		hd_jsonw_open(b->w, "functions", '[');
	} else if (!b->csv) {
		hd_buf_adds(out, out->len ? "\n" : "");
		hd_buf_adds(out, markdown ? "### " : "");
		hd_event_line(out, b->p, event, markdown);
		hd_selection_note(out, b->p);
		hd_buf_addc(out, '\n');
	}
}

static size_t print_event(struct block *b, struct hd_buf *out, uint32_t event, const struct hd_name_pattern *functions)
{
	struct hd_call_tree_opts opts = { .event = event };
	struct hd_call_tree *t = hd_call_tree_new(b->p, &opts);
	struct hd_function_graph *g = hd_function_graph_new(t);
	size_t n = 1;

	b->g = g;
	begin_event(b, out, event);
	if (b->o->form == HD_CALL_GRAPH_TREE)
		print_block(b, out, HD_FUNCTION_GRAPH_NONE);
	else
		n = print_functions(b, out, functions);
	if (b->w) {
		hd_jsonw_close(b->w, ']');
		hd_jsonw_close(b->w, '}');
	}
	hd_function_graph_free(g);
	hd_call_tree_free(t);
	return n;
}

size_t hd_call_graph_report(struct hd_buf *out, const struct hd_profile *p, const struct hd_name_pattern *functions,
	const struct hd_call_graph_report_opts *o)
{
	static const char *const forms[] = { "callers", "callees", "peek", "tree", "functions" };
	struct block b = { .p = p, .o = o, .csv = o->csv ? out : NULL };
	struct hd_jsonw w;
	size_t n = 0;

	if (!o->csv && o->format == HD_FORMAT_JSON) {
		w = hd_jsonw_document(out, "hotdrift.call-graph", 1);
		b.w = &w;
		hd_jsonw_str(&w, "form", forms[o->form]);
		hd_jsonw_bool(&w, "inline", o->inlined);
		hd_jsonw_open(&w, "events", '[');
	}
	for (uint32_t e = 0; e < p->nevents; e++)
		if (p->events[e].samples)
			n += print_event(&b, out, e, functions);
	if (b.w) {
		hd_jsonw_close(&w, ']');
		hd_jsonw_close(&w, '}');
	}
	return n;
}
