/*
 * annotation_build.c - see annotation_build.h
 */
#include "annotate/annotation_build.h"

#include "annotate/source_text.h"
#include "base/bisect.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/hash_index.h"
#include "base/map.h"
#include "base/mem.h"
#include "elf/demangle.h"

#include <stdlib.h>
#include <string.h>

/*
 * The state while an annotation is built.  The arrays `files`, `scopes` and `instructions` of the annotation grow on
 * the heap; their capacities are here.  At the end, the arrays move to the arena of the annotation.
 */
struct growth {
	struct hd_annotation *a;
	struct hd_object_code *code;
	size_t files_cap, scopes_cap, instructions_cap;
	struct place { uint32_t file, number; } *places;	/* indexed by instruction: its source line */
	/* indexed by instruction: the vaddr that it jumps to; 0: it is no jump, or it leaves the function */
	uint64_t *targets;
	size_t places_cap, targets_cap;
	struct hd_index scope_index;
	struct hd_map scope_of;		/* number of an inline instance (hd_object_inline_instance()) -> scope */
};

void hd_annotation_note(struct hd_annotation *a, const char *fmt, ...)
{
	struct hd_buf text = { 0 };
	const char **notes = hd_arena_alloc(&a->arena, (a->nnotes + 1) * sizeof(*notes));
	va_list ap;

	va_start(ap, fmt);
	hd_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	if (a->nnotes)
		memcpy(notes, a->notes, a->nnotes * sizeof(*notes));
	notes[a->nnotes++] = hd_arena_strndup(&a->arena, hd_buf_str(&text), text.len);
	a->notes = notes;
	hd_buf_release(&text);
}

static const char *keep(struct hd_annotation *a, const char *s)
{
	return s ? hd_arena_strndup(&a->arena, s, strlen(s)) : NULL;
}

/* ---- lines ---- */

/*
 * Return the index of a source file; add the file if it is new.  A linear search from the end is fast enough: a
 * function has few source files, and consecutive instructions usually have the same one.
 */
static uint32_t file_of(struct growth *g, const char *path)
{
	struct hd_annotation *a = g->a;

	for (size_t i = a->nfiles; i-- > 0;)
		if (!strcmp(a->files[i].path, path))
			return (uint32_t)i;
	HD_GROW(a->files, a->nfiles + 1, g->files_cap);
	a->files[a->nfiles] = (struct hd_annotation_file){ .path = keep(a, path) };
	return (uint32_t)a->nfiles++;
}

static int compare_lines(const void *x, const void *y)
{
	const struct hd_annotation_line *a = x, *b = y;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Make `lines` from the source positions of the instructions, which are in g->places. */
static void make_lines(struct growth *g)
{
	struct hd_annotation *a = g->a;
	struct hd_annotation_line *v = hd_arena_alloc(&a->arena, (a->ninstructions + 1) * sizeof(*v));
	size_t n = 1;

	v[0] = (struct hd_annotation_line){ .file = HD_ANNOTATION_NONE };
	for (size_t i = 0; i < a->ninstructions; i++)
		if (g->places[i].file != HD_ANNOTATION_NONE)
			v[n++] = (struct hd_annotation_line){ g->places[i].file, g->places[i].number, 0 };
	qsort(v + 1, n - 1, sizeof(*v), compare_lines);
	a->nlines = 1;
	for (size_t i = 1; i < n; i++)
		if (a->nlines == 1 || compare_lines(&v[a->nlines - 1], &v[i]))
			v[a->nlines++] = v[i];
	a->lines = v;
	for (size_t i = 0; i < a->ninstructions; i++) {
		struct hd_annotation_line key = { g->places[i].file, g->places[i].number, 0 }, *at = v;

		if (key.file != HD_ANNOTATION_NONE)
			at = bsearch(&key, v + 1, a->nlines - 1, sizeof(*v), compare_lines);
		a->instructions[i].line = (uint32_t)(at - v);
		at->instructions++;
	}
}

/* ---- inlined functions ---- */

static uint32_t scope_add(struct growth *g, uint32_t parent, const struct hd_inline_hit *hit)
{
	struct hd_annotation *a = g->a;
	uint64_t hash = hd_mix(hit->low, (uint64_t)parent << 32 | hit->call_line);
	char *plain = NULL;
	size_t at;

	for (uint32_t id = hd_index_first(&g->scope_index, hash, &at); id != HD_INDEX_NONE;
		id = hd_index_next(&g->scope_index, hash, &at))
		if (a->scopes[id].parent == parent && a->scopes[id].call_line == hit->call_line &&
		    a->scopes[id].low == hit->low)
			return id;
	if (hit->mangled)
		plain = hd_demangle(hit->linkage, false);
	HD_GROW(a->scopes, a->nscopes + 1, g->scopes_cap);
	a->scopes[a->nscopes] = (struct hd_annotation_scope){
		.name = keep(a, plain ? plain : hit->linkage), .parent = parent,
		.call_file = keep(a, hit->call_file), .call_line = hit->call_line, .low = hit->low,
	};
	free(plain);
	hd_index_add(&g->scope_index, hash, (uint32_t)a->nscopes);
	return (uint32_t)a->nscopes++;
}

static uint32_t scope_at(struct growth *g, uint64_t vaddr)
{
	struct hd_inline_hit hits[HD_INLINE_MAX];
	uint32_t instance = hd_object_inline_instance(g->code->symbols, vaddr), scope;
	size_t n;

	if (!instance)
		return 0;
	scope = hd_map_get(&g->scope_of, instance);
	if (scope != HD_MAP_NONE)
		return scope;
	n = hd_object_inlines(g->code->symbols, vaddr, hits, HD_COUNT(hits));
	scope = 0;
	while (n-- > 0)
		scope = scope_add(g, scope, &hits[n]);
	hd_map_put(&g->scope_of, instance, scope);
	return scope;
}

/* ---- instructions ---- */

/*
 * Add an instruction.  code: NULL for a sampled address whose code is unknown.  callee: the address to which a call, or
 * a jump out of the function, leads (for JIT code, the address in the process); 0 for other instructions.
 */
static void add_instruction(struct growth *g, uint64_t vaddr, const struct hd_decoded *code, uint64_t callee)
{
	struct hd_annotation *a = g->a;
	struct hd_annotation_instruction in = { .vaddr = vaddr, .target = HD_ANNOTATION_NONE };
	struct hd_line_hit line = { 0 };
	size_t i = a->ninstructions;

	if (code) {
		in.size = code->size;
		in.text = keep(a, code->text);
	}
	if (g->code->symbols) {
		hd_object_line(g->code->symbols, vaddr, &line);
		in.scope = scope_at(g, vaddr);
	}
	HD_GROW(a->instructions, i + 1, g->instructions_cap);
	HD_GROW(g->places, i + 1, g->places_cap);
	HD_GROW(g->targets, i + 1, g->targets_cap);
	g->places[i] = line.file ? (struct place){ file_of(g, line.file), line.line }
				 : (struct place){ HD_ANNOTATION_NONE, 0 };
	g->targets[i] = code && code->jump && !callee ? code->target : 0;
	if (callee)
		in.callee = hd_object_code_symbol(g->code, callee, &a->arena);
	a->instructions[i] = in;
	a->ninstructions++;
}

/* Disassemble the function. */
static void add_code(struct growth *g)
{
	struct hd_annotation *a = g->a;
	size_t n = a->size < HD_ANNOTATE_CODE_MAX ? (size_t)a->size : HD_ANNOTATE_CODE_MAX;
	uint8_t *bytes = hd_alloc(n + 1);
	uint64_t shift = hd_object_code_shift(g->code, a->start);

	n = hd_object_code_read(g->code, a->start, bytes, n);
	if (n < a->size)
		hd_annotation_note(a, "Only the first %zu of %llu bytes of the code are shown: %s.", n,
			(unsigned long long)a->size,
			n == HD_ANNOTATE_CODE_MAX ? "the function is longer than the limit"
						  : "the file has no more there");
	for (size_t at = 0; at < n;) {
		uint64_t vaddr = a->start + at, end, callee = 0;
		enum hd_code_mode mode = hd_mapping_symbols_find(&g->code->modes, vaddr, &end);
		size_t left = n - at < end - vaddr ? n - at : (size_t)(end - vaddr);
		struct hd_decoded code;
		bool out;

		hd_disassembler_next(g->code->disassembler, bytes + at, left, vaddr, mode, &code);
		out = (code.jump || code.call) && code.target - a->start >= a->size;
		if (out || code.call)
			callee = code.target + shift;
		/*
		 * In JIT code, decode an instruction that leaves the function again, at its address in the process: the
		 * target in its text is then such an address, and not an offset in the jitdump.
		 */
		if (out && shift)
			hd_disassembler_next(g->code->disassembler, bytes + at, left, vaddr + shift, mode, &code);
		add_instruction(g, vaddr, &code, callee);
		at += code.size;
	}
	free(bytes);
}

/* Return the index of the instruction that contains an address, or HD_ANNOTATION_NONE. */
static uint32_t instruction_at(const struct hd_annotation *a, uint64_t vaddr)
{
	size_t n = HD_FIRST_ABOVE(a->instructions, a->ninstructions, vaddr, vaddr);

	if (!n || vaddr - a->instructions[n - 1].vaddr >=
	    (a->instructions[n - 1].size ? a->instructions[n - 1].size : 1))
		return HD_ANNOTATION_NONE;
	return (uint32_t)(n - 1);
}

/*
 * Add an instruction without text for each sampled address that no instruction contains.  These addresses are higher
 * than those of all decoded instructions, or no instruction was decoded, so the order by address is kept.
 */
static void add_sampled_addresses(struct growth *g, const struct hd_address_cost *costs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (instruction_at(g->a, costs[i].vaddr) == HD_ANNOTATION_NONE)
			add_instruction(g, costs[i].vaddr, NULL, 0);
}

static void find_targets(struct growth *g)
{
	struct hd_annotation *a = g->a;

	for (size_t i = 0; i < a->ninstructions; i++) {
		uint32_t to = g->targets[i] ? instruction_at(a, g->targets[i]) : HD_ANNOTATION_NONE;

		if (to != HD_ANNOTATION_NONE && a->instructions[to].vaddr == g->targets[i])
			a->instructions[i].target = to;
	}
}

static void add_costs(struct hd_annotation *a, const struct hd_address_cost *costs, size_t n)
{
	size_t each = a->nevents * sizeof(struct hd_annotation_cost);

	a->instruction_cost = hd_arena_alloc(&a->arena, a->ninstructions * each + 1);
	a->line_cost = hd_arena_alloc(&a->arena, a->nlines * each);
	memset(a->instruction_cost, 0, a->ninstructions * each);
	memset(a->line_cost, 0, a->nlines * each);
	for (size_t i = 0; i < n; i++) {
		uint32_t at = instruction_at(a, costs[i].vaddr);
		size_t line = a->instructions[at].line;

		hd_annotation_add_cost(&a->instruction_cost[at * a->nevents + costs[i].event], &costs[i].cost);
		hd_annotation_add_cost(&a->line_cost[line * a->nevents + costs[i].event], &costs[i].cost);
	}
}

/* ---- source ---- */

static void read_sources(struct hd_annotation *a, const struct hd_object_code *c, const struct hd_symbol_access *access,
	const struct hd_annotate_opts *opts)
{
	struct hd_source_query q = { opts, access->symfs, c->mtime_ns };

	for (size_t i = 0; i < a->nfiles; i++)
		hd_source_text_read(&a->files[i], &q, &a->arena);
	for (size_t i = 1; i < a->nlines; i++) {
		struct hd_annotation_file *f = &a->files[a->lines[i].file];

		if (f->text && a->lines[i].number > f->nlines)
			f->problem = "it has fewer lines than the debug information, so it is another version";
	}
}

/* Move an array that has its final size from the heap to the arena, which owns all memory of an annotation. */
static void *settle(struct hd_arena *arena, void *v, size_t bytes)
{
	void *p = hd_arena_alloc(arena, bytes + 1);

	if (bytes)
		memcpy(p, v, bytes);
	free(v);
	return p;
}

void hd_annotation_build(struct hd_annotation *a, struct hd_object_code *c, const struct hd_address_cost *costs,
	size_t n, const struct hd_symbol_access *access, const struct hd_annotate_opts *opts)
{
	struct growth g = { .a = a, .code = c };

	HD_GROW(a->scopes, 1, g.scopes_cap);
	a->scopes[a->nscopes++] = (struct hd_annotation_scope){ .name = a->name };
	if (c->disassembler && a->size)
		add_code(&g);
	add_sampled_addresses(&g, costs, n);
	find_targets(&g);
	make_lines(&g);
	add_costs(a, costs, n);
	if (c->problem.len)
		hd_annotation_note(a, "%s", c->problem.data);
	if (c->elf && c->symbols && !a->nfiles)
		hd_annotation_note(a, "There is no line information: build the object with -g, or install its debug "
			"symbols.");
	if (!opts->no_source)
		read_sources(a, c, access, opts);
	a->files = settle(&a->arena, a->files, a->nfiles * sizeof(*a->files));
	a->scopes = settle(&a->arena, a->scopes, a->nscopes * sizeof(*a->scopes));
	a->instructions = settle(&a->arena, a->instructions, a->ninstructions * sizeof(*a->instructions));
	free(g.places);
	free(g.targets);
	hd_index_release(&g.scope_index);
	hd_map_release(&g.scope_of);
}
