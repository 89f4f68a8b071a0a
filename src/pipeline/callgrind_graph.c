/*
 * callgrind_graph.c - see callgrind_graph.h
 */
#include "pipeline/callgrind_graph.h"

#include "base/hash.h"
#include "base/hex.h"
#include "base/line_reader.h"
#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/*
 * Maximum of positions in a line; callgrind itself writes at most three (instr, bb, line).  The
 * last position is used as the source line if it is named so.
 */
enum { POSITIONS = 4 };

struct span {
	const char *s;
	size_t n;
};

/*
 * The state of the parser: the names that the file has defined, and the object, file, function and positions to which
 * the next line refers.
 */
struct parser {
	struct hd_callgrind_graph *g;
	struct hd_strtab *names;
	bool with_lines;
	struct hd_map objects, files, functions;	/* numbers of compressed names -> string ids */
	uint32_t object, file, line_file;		/* file: of the function; line_file: of the cost lines */
	uint32_t function;				/* index + 1; 0: no fn= line yet */
	/* callee of the next call: string id of its object, index + 1 of its function */
	uint32_t callee_object, callee;
	bool has_callee_object, after_calls;
	size_t npositions;
	bool has_line;					/* the last position is a source line */
	uint64_t position[POSITIONS];
	size_t nevents;
	/* for each cost column of the current `part:` of the file, the event of the graph */
	uint8_t event[HD_CALLGRIND_EVENTS];
	/*
	 * The costs that the file names: of the parts before, and of the current part by its `summary:` line or, if it
	 * has one, its `totals:` line.  Callgrind's summary can exceed the costs of a complete part, its totals cannot.
	 */
	uint64_t named[HD_CALLGRIND_EVENTS], named_part[HD_CALLGRIND_EVENTS];
	/* A program that rounds each cost, but not the sum, may name up to 1 more for each line of costs. */
	bool rounded;
	uint64_t cost_lines;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void skip_blanks(struct span *t)
{
	while (t->n && is_blank(*t->s)) {
		t->s++;
		t->n--;
	}
}

static struct span take_word(struct span *t)
{
	struct span w;

	skip_blanks(t);
	w = (struct span){ t->s, 0 };
	while (w.n < t->n && !is_blank(w.s[w.n]))
		w.n++;
	t->s += w.n;
	t->n -= w.n;
	return w;
}

/* Parse a decimal number, or one in hexadecimal with 0x.  Returns false if it is no number of 64 bits. */
static bool number(struct span w, uint64_t *v)
{
	bool hex = w.n > 2 && w.s[0] == '0' && w.s[1] == 'x';

	*v = 0;
	for (size_t i = hex ? 2 : 0; i < w.n; i++) {
		int digit = hd_hex_digit(w.s[i]);

		if (digit < 0 || (!hex && digit > 9) || __builtin_mul_overflow(*v, hex ? 16u : 10u, v) ||
			__builtin_add_overflow(*v, (uint64_t)digit, v))
			return false;
	}
	return w.n > 0;
}

/* ---- the graph ---- */

static uint32_t function_of(struct parser *ps, uint32_t object, uint32_t name)
{
	struct hd_callgrind_graph *g = ps->g;
	uint64_t hash = hd_mix(object, name);
	size_t at;

	for (uint32_t i = hd_index_first(&g->function_ix, hash, &at); i != HD_INDEX_NONE;
		i = hd_index_next(&g->function_ix, hash, &at))
		if (g->functions[i].object == object && g->functions[i].name == name)
			return i;
	HD_GROW(g->functions, g->nfunctions + 1, g->functions_cap);
	g->functions[g->nfunctions] = (struct hd_callgrind_function){ .object = object, .name = name };
	hd_index_add(&g->function_ix, hash, (uint32_t)g->nfunctions);
	return (uint32_t)g->nfunctions++;
}

static struct hd_callgrind_call *call_of(struct parser *ps, uint32_t caller, uint32_t callee)
{
	struct hd_callgrind_graph *g = ps->g;
	struct hd_callgrind_function *f = &g->functions[caller];
	uint64_t hash = hd_mix(caller, callee);
	size_t at;

	for (uint32_t i = hd_index_first(&g->call_ix, hash, &at); i != HD_INDEX_NONE;
		i = hd_index_next(&g->call_ix, hash, &at))
		if (g->calls[i].caller == caller && g->calls[i].callee == callee)
			return &g->calls[i];
	HD_GROW(g->calls, g->ncalls + 1, g->calls_cap);
	g->calls[g->ncalls] = (struct hd_callgrind_call){ .caller = caller, .callee = callee };
	hd_index_add(&g->call_ix, hash, (uint32_t)g->ncalls);
	if (f->last_call)
		g->calls[f->last_call - 1].next = (uint32_t)g->ncalls + 1;
	else
		f->first_call = (uint32_t)g->ncalls + 1;
	f->last_call = (uint32_t)g->ncalls + 1;
	return &g->calls[g->ncalls++];
}

static struct hd_callgrind_line *line_of(struct parser *ps, uint32_t function, uint32_t file, uint32_t line)
{
	struct hd_callgrind_graph *g = ps->g;
	struct hd_callgrind_function *f = &g->functions[function];
	uint64_t hash = hd_mix((uint64_t)function << 32 | file, line);
	size_t at;

	for (uint32_t i = hd_index_first(&g->line_ix, hash, &at); i != HD_INDEX_NONE;
		i = hd_index_next(&g->line_ix, hash, &at))
		if (g->lines[i].function == function && g->lines[i].file == file && g->lines[i].line == line)
			return &g->lines[i];
	HD_GROW(g->lines, g->nlines + 1, g->lines_cap);
	g->lines[g->nlines] = (struct hd_callgrind_line){ .function = function, .file = file, .line = line };
	hd_index_add(&g->line_ix, hash, (uint32_t)g->nlines);
	if (f->last_line)
		g->lines[f->last_line - 1].next = (uint32_t)g->nlines + 1;
	else
		f->first_line = (uint32_t)g->nlines + 1;
	f->last_line = (uint32_t)g->nlines + 1;
	return &g->lines[g->nlines++];
}

static void add_costs(struct parser *ps, uint64_t *to, const uint64_t *costs)
{
	for (size_t i = 0; i < ps->g->nevents; i++) {
		uint64_t sum;

		if (__builtin_add_overflow(to[i], costs[i], &sum))
			ps->g->overflows++;
		else
			to[i] = sum;
	}
}

/* ---- lines of costs ---- */

/* Read a position: a number, +n or -n (relative to `last`, the previous position) or * (equal to `last`). */
static bool position(struct span w, uint64_t last, uint64_t *v)
{
	uint64_t n;

	if (w.n == 1 && *w.s == '*') {
		*v = last;
		return true;
	}
	if (w.n > 1 && (*w.s == '+' || *w.s == '-')) {
		if (!number((struct span){ w.s + 1, w.n - 1 }, &n))
			return false;
		*v = *w.s == '+' ? last + n : last - n;
		return true;
	}
	return number(w, v);
}

static bool read_costs(struct parser *ps, struct span t)
{
	uint64_t costs[HD_CALLGRIND_EVENTS] = { 0 }, line;
	struct hd_callgrind_graph *g = ps->g;

	for (size_t i = 0; i < ps->npositions; i++)
		if (!position(take_word(&t), ps->position[i], &ps->position[i]))
			return false;
	for (size_t i = 0; i < ps->nevents; i++) {
		struct span w = take_word(&t);

		if (w.n && !number(w, &costs[ps->event[i]]))
			return false;
	}
	if (!ps->function)
		return false;
	if (ps->after_calls) {
		ps->after_calls = false;
		if (ps->callee)
			add_costs(ps, call_of(ps, ps->function - 1, ps->callee - 1)->cost, costs);
		ps->callee = 0;
		return true;
	}
	ps->cost_lines++;
	add_costs(ps, g->functions[ps->function - 1].self, costs);
	line = ps->has_line ? ps->position[ps->npositions - 1] : 0;
	if (ps->with_lines)
		add_costs(ps, line_of(ps, ps->function - 1, ps->line_file,
			line <= UINT32_MAX ? (uint32_t)line : 0)->cost, costs);
	return true;
}

/* ---- names ---- */

/* Read `(3) name`, `(3)` or `name`.  Returns the string id of the name; 0 if the number is not defined. */
static uint32_t read_name(struct parser *ps, struct hd_map *numbers, struct span t)
{
	const char *end = t.n && *t.s == '(' ? memchr(t.s, ')', t.n) : NULL;
	uint64_t n;
	uint32_t id;

	if (!end || !number((struct span){ t.s + 1, (size_t)(end - t.s) - 1 }, &n))
		return hd_strtab_addn(ps->names, t.s, t.n);
	t.n -= (size_t)(end + 1 - t.s);
	t.s = end + 1;
	skip_blanks(&t);
	if (t.n) {
		id = hd_strtab_addn(ps->names, t.s, t.n);
		hd_map_put(numbers, n, id);
		return id;
	}
	id = hd_map_get(numbers, n);
	return id == HD_MAP_NONE ? 0 : id;
}

static bool starts_with(struct span t, const char *s)
{
	return t.n >= strlen(s) && !memcmp(t.s, s, strlen(s));
}

/* If the line is `KEY=value`, set *value and return true. */
static bool assignment(struct span t, const char *key, struct span *value)
{
	size_t n = strlen(key);

	if (!starts_with(t, key) || t.n == n || t.s[n] != '=')
		return false;
	*value = (struct span){ t.s + n + 1, t.n - n - 1 };
	skip_blanks(value);
	return true;
}

/*
 * Read a line KEY=value: a name, such as fn=, or calls=.  jump=, jcnd= and rcalls= are ignored.  Return false if the
 * line is of another kind.
 */
static bool read_assignment(struct parser *ps, struct span t)
{
	struct span v;

	if (assignment(t, "fn", &v)) {
		ps->line_file = ps->file;
		ps->function = function_of(ps, ps->object, read_name(ps, &ps->functions, v)) + 1;
		ps->after_calls = ps->has_callee_object = false;
	} else if (assignment(t, "fl", &v)) {
		ps->file = ps->line_file = read_name(ps, &ps->files, v);
	} else if (assignment(t, "fi", &v) || assignment(t, "fe", &v)) {
		ps->line_file = read_name(ps, &ps->files, v);
	} else if (assignment(t, "ob", &v)) {
		ps->object = read_name(ps, &ps->objects, v);
	} else if (assignment(t, "cob", &v)) {
		ps->callee_object = read_name(ps, &ps->objects, v);
		ps->has_callee_object = true;
	} else if (assignment(t, "cfi", &v) || assignment(t, "cfl", &v)) {
		/* ignore the file: the line is read only because it can define a number, as in `(3) name` */
		read_name(ps, &ps->files, v);
	} else if (assignment(t, "cfn", &v)) {
		ps->callee = function_of(ps, ps->has_callee_object ? ps->callee_object : ps->object,
				     read_name(ps, &ps->functions, v)) + 1;
		ps->has_callee_object = false;
	} else if (assignment(t, "calls", &v)) {
		ps->after_calls = true;
	} else {
		return assignment(t, "jump", &v) || assignment(t, "jcnd", &v) || assignment(t, "rcalls", &v);
	}
	return true;
}

/* ---- headers ---- */

static bool read_events(struct parser *ps, struct span t)
{
	struct hd_callgrind_graph *g = ps->g;
	struct span w;

	for (ps->nevents = 0; (w = take_word(&t)).n;) {
		uint32_t name = hd_strtab_addn(ps->names, w.s, w.n);
		size_t i = 0;

		while (i < g->nevents && g->events[i] != name)
			i++;
		if (i == HD_CALLGRIND_EVENTS || ps->nevents == HD_CALLGRIND_EVENTS)
			return false;
		if (i == g->nevents)
			g->events[g->nevents++] = name;
		ps->event[ps->nevents++] = (uint8_t)i;
	}
	return ps->nevents > 0;
}

static bool read_positions(struct parser *ps, struct span t)
{
	struct span last = { 0 };
	size_t n = 0;

	for (struct span w; (w = take_word(&t)).n; n++)
		last = w;
	if (!n || n > POSITIONS)
		return false;
	ps->npositions = n;
	ps->has_line = last.n == 4 && !memcmp(last.s, "line", 4);
	return true;
}

/* Read the values of a `summary:` or `totals:` line.  A value that is not a whole number is ignored. */
static void read_named_costs(struct parser *ps, struct span t)
{
	memset(ps->named_part, 0, sizeof(ps->named_part));
	for (size_t i = 0; i < ps->nevents; i++)
		if (!number(take_word(&t), &ps->named_part[ps->event[i]]))
			ps->named_part[ps->event[i]] = 0;
}

static void end_part(struct parser *ps)
{
	add_costs(ps, ps->named, ps->named_part);
	memset(ps->named_part, 0, sizeof(ps->named_part));
}

/* Warn if the file names more costs than its lines have. */
static void check_named_costs(struct parser *ps, const char *path, struct hd_log *log)
{
	const struct hd_callgrind_graph *g = ps->g;

	end_part(ps);
	for (size_t e = 0; e < g->nevents && !g->overflows; e++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < g->nfunctions; i++)
			sum += g->functions[i].self[e];
		if (sum >= ps->named[e] || ps->named[e] - sum <= (ps->rounded ? ps->cost_lines : 0))
			continue;
		hd_warn(log, "lost.callgrind-end", "copy or record the file again",
			"%s: its costs are %llu of the %llu %s that its summary names: it is cut off", path,
			(unsigned long long)sum, (unsigned long long)ps->named[e],
			hd_strtab_get(ps->names, g->events[e]));
		return;
	}
}

/*
 * Read a header line, `key: value`.  Each part of a file has headers, so they can also follow the lines of functions.
 * Returns false if the line is no header, or an invalid one.
 */
static bool read_header(struct parser *ps, struct span t)
{
	const char *colon = memchr(t.s, ':', t.n);
	size_t n = colon ? (size_t)(colon - t.s) : 0;
	struct span value;

	for (size_t i = 0; i < n; i++)
		if (t.s[i] < 'a' || t.s[i] > 'z')
			return false;
	if (!n)
		return false;
	value = (struct span){ colon + 1, t.n - n - 1 };
	skip_blanks(&value);
	if (starts_with(t, "events:"))
		return read_events(ps, value);
	if (starts_with(t, "positions:"))
		return read_positions(ps, value);
	if (starts_with(t, "summary:"))
		end_part(ps);
	if (starts_with(t, "summary:") || starts_with(t, "totals:"))
		read_named_costs(ps, value);
	if (starts_with(t, "creator:"))
		ps->rounded = !starts_with(value, "callgrind") && !starts_with(value, "hotdrift");
	if (starts_with(t, "cmd:") && !ps->g->command)
		ps->g->command = hd_strtab_addn(ps->names, value.s, value.n);
	return true;
}

static bool read_line(struct parser *ps, struct span t)
{
	while (t.n && is_blank(t.s[t.n - 1]))
		t.n--;
	skip_blanks(&t);
	if (!t.n || *t.s == '#')
		return true;
	if ((*t.s >= '0' && *t.s <= '9') || *t.s == '+' || *t.s == '-' || *t.s == '*')
		return read_costs(ps, t);
	return read_assignment(ps, t) || read_header(ps, t);
}

/* Return an estimate of the memory of the graph, in bytes. */
static uint64_t memory(const struct hd_callgrind_graph *g)
{
	return (g->nfunctions * sizeof(*g->functions) + g->ncalls * sizeof(*g->calls) + g->nlines * sizeof(*g->lines)) /
		2 * 3;
}

int hd_callgrind_graph_read(struct hd_callgrind_graph *g, int fd, const char *path, struct hd_strtab *names,
	bool with_lines, uint64_t most_bytes, struct hd_log *log, struct hd_err *err)
{
	struct parser ps = { .g = g, .names = names, .with_lines = with_lines, .npositions = 1,
		.has_line = true, .rounded = true };
	struct hd_line_reader lines;
	const char *damage;
	uint64_t offset;
	int rc;

	hd_line_reader_init(&lines, fd, path);
	while ((rc = hd_line_reader_next(&lines, err)) > 0) {
		if (!read_line(&ps, (struct span){ lines.line, lines.n })) {
			g->invalid_lines++;
			hd_warn(log, "lost.callgrind-line", "", "%s: line %llu is invalid and was skipped", path,
				(unsigned long long)lines.number);
		}
		if (lines.number % 1024 == 0 && memory(g) > most_bytes) {
			rc = hd_fail(err, HD_EFORMAT,
				"%s: line %llu: its call graph takes more memory than the limit of %llu bytes for a "
				"file of its size", path, (unsigned long long)lines.number,
				(unsigned long long)most_bytes);
			break;
		}
	}
	damage = rc < 0 ? NULL : hd_line_reader_damage(&lines, &offset);
	if (damage)
		hd_warn(log, "lost.callgrind-end", "copy the file again", "%s: offset %llu: %s", path,
			(unsigned long long)offset, damage);
	if (rc >= 0 && !damage)
		check_named_costs(&ps, path, log);
	if (g->overflows)
		hd_warn_n(log, "lost.weight", g->overflows, "", "%s: sums of costs exceed 64 bits", path);
	hd_line_reader_release(&lines);
	hd_map_release(&ps.objects);
	hd_map_release(&ps.files);
	hd_map_release(&ps.functions);
	return rc;
}

void hd_callgrind_graph_release(struct hd_callgrind_graph *g)
{
	free(g->functions);
	free(g->calls);
	free(g->lines);
	hd_index_release(&g->function_ix);
	hd_index_release(&g->call_ix);
	hd_index_release(&g->line_ix);
}
