/*
 * callgrind_input.c - see callgrind_input.h
 *
 * For each event, walk() visits the paths depth first and notes the cost that ends at each function of a path, as a
 * floating-point number.  add_paths() then scales and rounds the numbers of each function so that their sum is its
 * exact self cost.
 */
#include "pipeline/callgrind_input.h"

#include "base/encode.h"
#include "base/mem.h"
#include "pipeline/callgrind_graph.h"
#include "pipeline/event_units.h"
#include "pipeline/named_samples.h"
#include "profile/tidy_name.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Limits.  The graph may use GRAPH_LEAST bytes of memory plus GRAPH_PER_BYTE for each byte of the input.  walk() may
 * visit at most MOST_CALLS calls.  An event may have at most MOST_PATHS call paths.
 */
#define GRAPH_LEAST	(UINT64_C(64) << 20)
#define MOST_CALLS	(INT64_C(1) << 28)
enum { GRAPH_PER_BYTE = 32, MOST_PATHS = 1 << 20 };
static const double smallest_share = 1e-6;

/* A path from a root to `function`.  `callers` has the stack of the callers of `function`. */
struct path {
	struct hd_named_sample callers;
	uint32_t function;
	double cost;			/* the part of the event's cost that ends at `function` */
};

/* A function on the current path, and the next of its outgoing calls that walk() will visit. */
struct visit {
	struct hd_named_sample callers;
	uint32_t function, call;
	double per_cost;		/* cost of a call on this path = its cost in the file * per_cost */
};

struct callgrind {
	struct hd_named_samples ns;
	struct hd_callgrind_graph g;
	hd_frame_id *frame_of;		/* indexed by function */
	struct path *paths;
	size_t npaths, paths_cap;
	struct visit *visits;
	size_t nvisits, visits_cap;
	bool *on_path;			/* indexed by function */
	int64_t calls_left;
	double least;			/* paths that cost less are omitted */
	bool omitted;
};

/* ---- frames ---- */

static hd_frame_id make_frame(struct callgrind *cg, uint32_t function, uint32_t file, uint32_t line)
{
	const struct hd_callgrind_function *f = &cg->g.functions[function];
	struct hd_profile *p = cg->ns.p;
	const char *object = hd_profile_str(p, f->object), *name = hd_profile_str(p, f->name);
	struct hd_profile_symbol symbol = { 0 };

	if (*object && strcmp(object, "???"))
		symbol.object = hd_profile_add_object(p, object, "", hd_named_is_kernel(object));
	symbol.kernel = p->objects[symbol.object].kernel;
	if (!*name || !strcmp(name, "???") || !strncmp(name, "0x", 2)) {	/* callgrind's names of unknown code */
		symbol.unresolved = true;
		symbol.start = strncmp(name, "0x", 2) ? 0 : strtoull(name, NULL, 16);
		symbol.no_address = !symbol.start;
	}
	if (!symbol.unresolved) {
		symbol.linkage = symbol.full = f->name;
		symbol.name = hd_named_name(&cg->ns, name,
			hd_name_without_parameters(name, hd_strtab_len(p->names, f->name)));
	}
	return hd_named_frame(&cg->ns, &symbol, (struct hd_frame){ .file = line ? file : 0, .line = line });
}

static void make_frames(struct callgrind *cg)
{
	cg->frame_of = hd_new_array(hd_frame_id, cg->g.nfunctions);
	for (uint32_t i = 0; i < cg->g.nfunctions; i++)
		cg->frame_of[i] = make_frame(cg, i, 0, 0);
}

/* ---- paths ---- */

/*
 * Return the cost of the calls from `function` to functions that are not on the current path.  The cost of calls from
 * `function` to itself is added to *recursive instead: callgrind counts it a second time in the calls to `function`.
 */
static double open_calls(struct callgrind *cg, uint32_t function, size_t event, double *recursive)
{
	double sum = 0;

	for (uint32_t i = cg->g.functions[function].first_call; i; i = cg->g.calls[i - 1].next, cg->calls_left--) {
		const struct hd_callgrind_call *c = &cg->g.calls[i - 1];

		if (c->callee == function)
			*recursive += (double)c->cost[event];
		else if (!cg->on_path[c->callee])
			sum += (double)c->cost[event];
	}
	return sum;
}

/*
 * Append `function`, which gets `cost` from its caller, to the current path.  Store the part of the cost that ends in
 * the function itself, and prepare the visit of its calls with the rest of the cost.
 */
static void enter(struct callgrind *cg, uint32_t function, size_t event, const struct hd_named_sample *callers,
	double cost)
{
	double self = (double)cg->g.functions[function].self[event], calls, all, recursive = 0;
	struct visit *v;

	cg->on_path[function] = true;
	calls = open_calls(cg, function, event, &recursive);
	all = self + calls + recursive;
	/*
	 * if the function has neither a cost of its own nor a call to follow, `all` is 0, and all of `cost` ends here
	 */
	if (!all || self) {
		HD_GROW(cg->paths, cg->npaths + 1, cg->paths_cap);
		cg->paths[cg->npaths++] = (struct path){ *callers, function, all ? cost * self / all : cost };
	}
	HD_GROW(cg->visits, cg->nvisits + 1, cg->visits_cap);
	v = &cg->visits[cg->nvisits++];
	*v = (struct visit){ *callers, function, calls ? cg->g.functions[function].first_call : 0,
		all ? cost / all : 0 };
	hd_named_push(&cg->ns, &v->callers, cg->frame_of[function]);
}

/*
 * Visit the paths that begin at `root`, except those that cost too little or exceed a limit.  `cost` is the cost of
 * these paths together.
 */
static void walk(struct callgrind *cg, uint32_t root, size_t event, double cost)
{
	const struct hd_named_sample none = { .count = 1 };

	enter(cg, root, event, &none, cost);
	while (cg->nvisits) {
		struct visit *v = &cg->visits[cg->nvisits - 1];
		const struct hd_callgrind_call *c = v->call ? &cg->g.calls[v->call - 1] : NULL;
		double arrives;

		if (!c) {
			cg->on_path[v->function] = false;
			cg->nvisits--;
			continue;
		}
		v->call = c->next;
		arrives = v->per_cost * (double)c->cost[event];
		if (cg->on_path[c->callee] || !c->cost[event])
			continue;
		if (arrives < cg->least || cg->npaths >= MOST_PATHS || cg->calls_left < 0 || cg->ns.spent) {
			cg->omitted = true;
			continue;
		}
		struct hd_named_sample callers = v->callers;	/* enter() may move the visits */

		enter(cg, c->callee, event, &callers, arrives);
	}
}

/* ---- paths -> rows ---- */

static int by_function(const void *va, const void *vb)
{
	const struct path *a = va, *b = vb;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return a->callers.stack.v < b->callers.stack.v ? -1 : a->callers.stack.v > b->callers.stack.v;
}

static void add_row(struct callgrind *cg, const struct path *path, uint32_t event, hd_frame_id leaf, uint64_t weight)
{
	struct hd_named_sample s = path->callers;

	if (!weight)
		return;
	hd_named_push(&cg->ns, &s, leaf);
	s.event = event;
	s.weight = weight;
	s.comm = hd_profile_name(cg->ns.p, "callgrind");
	if (cg->ns.opts->keys & HD_KEY_COMM && cg->g.command) {
		const char *command = hd_profile_str(cg->ns.p, cg->g.command), *end = strchr(command, ' ');
		size_t n = end ? (size_t)(end - command) : strlen(command), from = n;

		while (from > 0 && command[from - 1] != '/')
			from--;
		if (from < n)
			s.comm = hd_strtab_addn(cg->ns.p->names, command + from, n - from);
	}
	hd_named_add(&cg->ns, &s);
}

/*
 * Divide the weight of a path among the source lines of its function.  The cost of each line is reduced by the part
 * that was taken from it, so that the next path of the function continues with the remaining lines.
 */
static void add_row_lines(struct callgrind *cg, const struct path *path, size_t column, uint32_t event, uint64_t weight)
{
	struct hd_callgrind_function *f = &cg->g.functions[path->function];

	while (weight && f->first_line) {
		struct hd_callgrind_line *l = &cg->g.lines[f->first_line - 1];
		uint64_t part = l->cost[column] < weight ? l->cost[column] : weight;

		if (part)
			add_row(cg, path, event, make_frame(cg, path->function, l->file, l->line), part);
		weight -= part;
		l->cost[column] -= part;
		if (l->cost[column])
			return;
		f->first_line = l->next;
	}
	add_row(cg, path, event, cg->frame_of[path->function], weight);
}

/*
 * Add the rows of paths[from .. to), which all end at the same function.  The sum of their weights is exactly its self
 * cost.
 */
static void add_function(struct callgrind *cg, size_t from, size_t to, size_t column, uint32_t event)
{
	uint32_t function = cg->paths[from].function, first_line = cg->g.functions[function].first_line;
	uint64_t self = cg->g.functions[function].self[column], done = 0;
	double sum = 0, at = 0;

	for (size_t i = from; i < to; i++)
		sum += cg->paths[i].cost;
	for (size_t i = from; i < to; i++) {
		uint64_t upto = self;

		at += cg->paths[i].cost;
		if (i + 1 < to && sum > 0)
			upto = (uint64_t)fmin(round((double)self * (at / sum)), (double)self);
		if (upto > self || upto < done)
			upto = done;
		add_row_lines(cg, &cg->paths[i], column, event, upto - done);
		done = upto;
	}
	/* restore the list, because the next event reads the lines of the function again */
	cg->g.functions[function].first_line = first_line;
}

static void add_paths(struct callgrind *cg, size_t column, uint32_t event)
{
	const struct hd_named_sample none = { .count = 1 };

	if (cg->npaths)
		qsort(cg->paths, cg->npaths, sizeof(*cg->paths), by_function);
	for (size_t i = 0, end; i < cg->npaths; i = end) {
		for (end = i + 1; end < cg->npaths && cg->paths[end].function == cg->paths[i].function;)
			end++;
		cg->on_path[cg->paths[i].function] = true;
		add_function(cg, i, end, column, event);
	}
	/* A function that no path reached gets a stack without callers. */
	for (uint32_t f = 0; f < cg->g.nfunctions; f++) {
		const struct path alone = { none, f, 1 };

		if (!cg->on_path[f] && cg->g.functions[f].self[column])
			add_row_lines(cg, &alone, column, event, cg->g.functions[f].self[column]);
		cg->on_path[f] = false;
	}
	cg->npaths = 0;
}

/* Return, for each function, the sum of the costs of all calls to it from other functions. */
static double *inflow(const struct hd_callgrind_graph *g, size_t column)
{
	double *in = hd_new_array(double, g->nfunctions);

	for (size_t i = 0; i < g->ncalls; i++)
		if (g->calls[i].caller != g->calls[i].callee)
			in[g->calls[i].callee] += (double)g->calls[i].cost[column];
	return in;
}

static void add_event(struct callgrind *cg, size_t column)
{
	struct hd_callgrind_graph *g = &cg->g;
	const char *name = hd_profile_str(cg->ns.p, g->events[column]);
	const char *unit = hd_event_units_find(name, strlen(name));
	uint32_t event = hd_named_event(&cg->ns, name, unit ? unit : "events");
	double *in, total = 0;

	if (!cg->ns.wanted[event])
		return;
	in = inflow(g, column);
	for (size_t i = 0; i < g->nfunctions; i++)
		total += (double)g->functions[i].self[column];
	cg->least = total * smallest_share;
	for (uint32_t f = 0; f < g->nfunctions; f++) {
		double all = (double)g->functions[f].self[column], recursive = 0;

		all += open_calls(cg, f, column, &recursive);
		/*
		 * if the function costs more than all calls to it together, the difference goes to paths that begin at
		 * it
		 */
		if (all - in[f] > cg->least)
			walk(cg, f, column, (all - in[f]) * (all + recursive) / all);
	}
	add_paths(cg, column, event);
	free(in);
}

static void describe(struct callgrind *cg)
{
	struct hd_recording *r = &cg->ns.p->recording;

	r->format = "callgrind";
	if (!cg->g.command)
		return;
	r->cmdline = hd_new_array(char *, 1);
	r->cmdline[r->ncmdline++] = hd_strdup(hd_profile_str(cg->ns.p, cg->g.command));
}

static void read_graph(struct callgrind *cg)
{
	cg->calls_left = MOST_CALLS;
	cg->on_path = hd_new_array(bool, cg->g.nfunctions);
	make_frames(cg);
	for (size_t i = 0; i < cg->g.nevents; i++)
		add_event(cg, i);
	if (cg->g.ncalls)
		hd_warn(&cg->ns.p->log, "callgrind.paths", "",
			"%s: has a call graph but no stacks: self costs and direct callers are those of the file, "
			"longer paths are estimated from them%s", cg->ns.path,
			cg->omitted ? "; paths of less than a millionth are omitted" : "");
}

int hd_callgrind_input_read(struct hd_profile *p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err)
{
	static const struct hd_named_format format = { "costs of callgrind", HD_NAMED_EVENT | HD_NAMED_DSO };
	struct callgrind cg = { 0 };
	int rc = hd_named_samples_begin(&cg.ns, p, opts, fd, path, &format, err);

	if (rc >= 0)
		rc = hd_callgrind_graph_read(&cg.g, fd, path, p->names, opts->lines,
			GRAPH_LEAST + GRAPH_PER_BYTE * cg.ns.input_bytes, &p->log, err);
	if (rc >= 0 && (!cg.g.nevents || !cg.g.nfunctions))
		rc = hd_fail(err, HD_EFORMAT, "%s: is a callgrind profile without %s", path,
			cg.g.nevents ? "functions; the program ended before it was measured"
				     : "an 'events:' line: it is damaged or ends too early");
	if (rc >= 0)
		read_graph(&cg);
	describe(&cg);
	rc = hd_named_samples_end(&cg.ns, rc, err);
	hd_callgrind_graph_release(&cg.g);
	free(cg.frame_of);
	free(cg.paths);
	free(cg.visits);
	free(cg.on_path);
	return rc;
}

bool hd_callgrind_input_is(const char *head, size_t n)
{
	static const char *const first[] = { "# callgrind format", "version:", "creator:", "pid:", "cmd:", "part:",
		"desc:",
		"positions:", "event:", "events:" };
	const char *events = memmem(head, n, "\nevents:", 8);

	for (size_t i = 0; i < HD_COUNT(first); i++)
		if (n >= strlen(first[i]) && !memcmp(head, first[i], strlen(first[i])))
			return events || !strcmp(first[i], "events:") || i == 0;
	return false;
}
