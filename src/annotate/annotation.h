/*
 * annotation.h - a function with its costs by instruction and by source line
 *
 *     struct hd_annotate_opts opts = { .limit = 10 };          the ten hottest functions
 *     struct hd_annotations found = { .opts = &opts };
 *     struct hd_symbol_user user = { .use = hd_annotate, .arg = &found };     called at the end of hd_pipeline_read()
 *     ingest.symbol_user = &user;                              (struct hd_pipeline_opts)
 *     rc = hd_pipeline_read(&p, path, &ingest, &err);
 *     ... found.items[0 .. found.n - 1], by descending cost
 *     hd_annotations_release(&found);
 *
 * All costs are self costs: they do not include callees.  A sample counts for the instruction that contains its
 * address, as in perf annotate.  Instructions come from the code of the recorded build.  Without this code, each
 * sampled address is an instruction without bytes and text, so that lines still have their costs.
 *
 * Invariant: for each event, the costs of the lines add up to the cost of the function.  So do the costs of the
 *            instructions, except in an annotation of hd_annotate_lines(), which has none.
 *            lines[0] has the costs without line information.
 *
 * Ownership: struct hd_annotations owns all memory of its items.  They do not refer to the profile.  Strings are as in
 * the input: they may contain control characters and invalid UTF-8.  Not thread-safe.
 */
#ifndef HD_ANNOTATE_ANNOTATION_H
#define HD_ANNOTATE_ANNOTATION_H

#include "base/arena.h"
#include "base/err.h"
#include "base/log.h"
#include "base/string_list.h"
#include "profile/profile.h"
#include "symbols/symbol_access.h"

enum { HD_ANNOTATION_NONE = UINT32_MAX };

struct hd_annotation_cost { uint64_t weight, samples; };

/* An event with samples in the recording.  Each event is a column in the tables of costs. */
struct hd_annotation_event {
	const char *name, *unit;
	struct hd_annotation_cost symbol;	/* cost of the function; local shares refer to it */
	struct hd_annotation_cost all;		/* cost of the whole event; global shares refer to it */
};

/* A source file of the function or of functions inlined into it. */
struct hd_annotation_file {
	const char *path;		/* as in the debug information */
	const char *read_from;		/* the file that was opened; NULL: none was found, or opts->no_source */
	const char *problem;		/* why the text of the file is missing or may be outdated; NULL: no problem */
	const char *const *text;	/* lines 1 .. nlines are text[1 .. nlines]; NULL: no text */
	uint32_t nlines;
};

/* A source line that has instructions, or at least costs, of the function. */
struct hd_annotation_line {
	uint32_t file;			/* index in `files`; HD_ANNOTATION_NONE for lines[0] */
	uint32_t number;		/* 0: unknown line of the file */
	uint32_t instructions;		/* how many instructions of the function it has */
};

/* An inlined call of a function.  Scope 0 is the annotated function itself. */
struct hd_annotation_scope {
	const char *name;		/* demangled, without parameters */
	/* index of the scope into which this one was inlined: a lower index; 0 for scope 0 */
	uint32_t parent;
	const char *call_file;		/* source file of the call that was inlined; NULL: unknown */
	uint32_t call_line;
	uint64_t low;			/* lowest vaddr of the code of this inlined call; 0 for scope 0 */
};

struct hd_annotation_instruction {
	uint64_t vaddr;
	uint32_t size;			/* size in bytes; 0: unknown */
	uint32_t line;			/* index in `lines` */
	uint32_t scope;			/* index in `scopes` of the innermost scope */
	uint32_t target;		/* index of the instruction that a jump leads to; HD_ANNOTATION_NONE: none */
	const char *text;		/* mnemonic and operands; NULL: unknown */
	const char *callee;		/* symbol that a call, or a jump out of the function, leads to; NULL: unknown */
};

struct hd_annotation {
	const char *name;		/* name of the function, demangled, without parameters */
	const char *linkage;		/* its name in the symbol table; NULL: unknown */
	const char *object;		/* path of the object, as recorded */
	const char *build_id;		/* build-id of the object, hexadecimal; "": unknown */
	const char *machine;		/* architecture of the code, as hd_machine_name() returns it; NULL: unknown */
	uint64_t start, size;		/* vaddr and bytes; size 0: unknown */
	bool unresolved;		/* no symbol covers the code; `name` is its address */

	struct hd_annotation_event *events;
	struct hd_annotation_file *files;
	/* lines[0]: costs without a known line; the other lines are sorted by file, then by line number */
	struct hd_annotation_line *lines;
	struct hd_annotation_scope *scopes;
	struct hd_annotation_instruction *instructions;	/* sorted by vaddr */
	size_t nevents, nfiles, nlines, nscopes, ninstructions;
	/*
	 * The costs of lines and of instructions, `nevents` for each: line i has the cost line_cost[i * nevents + e] in
	 * event e.
	 */
	struct hd_annotation_cost *line_cost, *instruction_cost;
	/* sentences about what is missing, and how to get it */
	const char **notes;
	size_t nnotes;
	struct hd_arena arena;
};

struct hd_annotate_opts {
	/*
	 * Which functions to annotate: a name (as displayed or as in the symbol table), a pattern with * ? [], /REGEX/
	 * (POSIX extended), or an address 0x... inside the function.  NULL: all functions.
	 */
	const char *symbol;
	unsigned limit;			/* annotate this many functions, the hottest first; 0: all */
	bool intel;			/* x86: Intel syntax instead of AT&T */
	bool no_code;			/* do not disassemble */
	bool no_source;			/* do not read source files */
	struct hd_string_list source_prefix;	/* folders below which recorded source paths are tried */
	/* number of leading folders that are removed from a source path before a source_prefix is prepended */
	unsigned prefix_strip;
	struct hd_string_list substitute;	/* FROM=TO: replace FROM at the start of a source path by TO */
};

struct hd_annotations {
	const struct hd_annotate_opts *opts;	/* borrowed */
	/*
	 * The annotated functions, by falling weight in the first event with samples, then by falling number of samples
	 * of all events, then by name, object and address.
	 */
	struct hd_annotation *items;
	size_t n;
	size_t matched;			/* number of functions that were selected, before opts->limit cut them */
	char *nearest;			/* if `matched` is 0: the most similar name of a function, or NULL */
	struct hd_err err;		/* code != HD_OK: opts->symbol is not a valid pattern */
};

/*
 * Implements the callback `use` of struct hd_symbol_user: fill the struct hd_annotations that `annotations` points to.
 */
void hd_annotate(void *annotations, struct hd_profile *p, const struct hd_symbol_access *access);
/*
 * Like hd_annotate(), but annotate a function that opts->symbol selects only if the element of `only` for its symbol is
 * true.  If `only` is NULL, there is no restriction.  While a struct hd_symbol_lease keeps `access` valid, this can be
 * called for one function after another.
 */
void hd_annotate_symbols(struct hd_annotations *found, const struct hd_profile *p,
	const struct hd_symbol_access *access, const bool *only);
/*
 * Annotate functions that may have source lines but have no instructions of their own: those of a pprof profile, and
 * inlined functions.  found->items gets one annotation for all samples whose innermost function has only[symbol] set.
 * It is named after the function of the first such sample.  If there are no such samples, found->n is 0.  The symbol
 * and the limit of found->opts are not used.  `only` must not be NULL.
 *
 * The lines are those of the profile.  Where it has none, they are looked up with `access`, unless it is NULL.
 */
void hd_annotate_lines(struct hd_annotations *found, const struct hd_profile *p,
	const struct hd_symbol_access *access, const bool *only);
void hd_annotations_release(struct hd_annotations *found);

/* Return the cost of event `e` in one row of line_cost or instruction_cost. */
static inline struct hd_annotation_cost hd_annotation_line_cost(const struct hd_annotation *a, size_t line, size_t e)
{
	return a->line_cost[line * a->nevents + e];
}
static inline struct hd_annotation_cost hd_annotation_instruction_cost(const struct hd_annotation *a, size_t i,
	size_t e)
{
	return a->instruction_cost[i * a->nevents + e];
}

/* The kinds of shares, in perf annotate's spelling. */
#define HD_PERCENT_TYPES "local-period|global-period|local-hits|global-hits"
enum hd_percent_type { HD_PERCENT_LOCAL_PERIOD, HD_PERCENT_GLOBAL_PERIOD, HD_PERCENT_LOCAL_HITS,
	HD_PERCENT_GLOBAL_HITS };
/* Return the share of a cost in per cent; 0 if the whole is 0. */
double hd_annotation_pct(const struct hd_annotation *a, size_t event, struct hd_annotation_cost c,
	enum hd_percent_type type);

#endif
