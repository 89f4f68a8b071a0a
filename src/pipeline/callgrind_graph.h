/*
 * callgrind_graph.h - read the call graph of a callgrind profile
 *
 * Source of the format: the chapter "Callgrind Format Specification" of the Valgrind manual, version 1.  Other programs
 * write this format, too: cachegrind (without calls), Xdebug, pypy, hotdrift.
 *
 *     events: Ir Dw                      the events of the cost columns
 *     ob=(1) /usr/bin/app                "(1) name" defines a number, "(1)" refers to it
 *     fl=(1) app.c
 *     fn=(1) main
 *     12 400                             at line 12: 400 instructions, no Dw
 *     +2 100 7                           positions can be relative: +n, -n, *
 *     cfi=(2) list.c / cob=(2) lib.so    file and object of the callee, if they differ
 *     cfn=(2) sort
 *     calls=3 50                         called 3 times; the callee is at line 50
 *     14 90000                           at line 14: the inclusive cost of these calls
 *
 * A function is a pair (object, name).  If the file has several parts (`part:`), their costs are added.  If the sums
 * are below those that the file names (`summary:`, `totals:`), the file is cut off.  Costs have 64 bits; an addition
 * that would overflow is skipped and counted.
 */
#ifndef HD_PIPELINE_CALLGRIND_GRAPH_H
#define HD_PIPELINE_CALLGRIND_GRAPH_H

#include "base/err.h"
#include "base/hash_index.h"
#include "base/log.h"
#include "base/strtab.h"

#include <stdbool.h>

enum { HD_CALLGRIND_EVENTS = 32 };

struct hd_callgrind_function {
	uint32_t object, name;		/* string ids */
	/* lists of its calls and cost lines in file order: index + 1; 0: empty */
	uint32_t first_call, first_line;
	uint32_t last_call, last_line;
	uint64_t self[HD_CALLGRIND_EVENTS];
};

struct hd_callgrind_call {
	/* indexes of two functions; index + 1 of the caller's next call, 0: none */
	uint32_t caller, callee, next;
	uint64_t cost[HD_CALLGRIND_EVENTS];	/* inclusive */
};

/* The self cost of a source line in a function. */
struct hd_callgrind_line {
	/*
	 * index of the function, string id of the file, number of the line (0 if it exceeds 32 bits), index + 1 of the
	 * function's next line (0: none)
	 */
	uint32_t function, file, line, next;
	uint64_t cost[HD_CALLGRIND_EVENTS];
};

struct hd_callgrind_graph {
	uint32_t events[HD_CALLGRIND_EVENTS];	/* string ids of the names */
	size_t nevents;
	struct hd_callgrind_function *functions;
	struct hd_callgrind_call *calls;
	struct hd_callgrind_line *lines;
	size_t nfunctions, functions_cap, ncalls, calls_cap, nlines, lines_cap;
	struct hd_index function_ix, call_ix, line_ix;
	uint32_t command;		/* `cmd:`, a string id; 0: none */
	uint64_t invalid_lines, overflows;
};

/*
 * Read fd to its end into *g, which is zero-initialised; the caller releases it, also after an error.  names: receives
 * all names.  most_bytes: limit for the memory of the graph; if it is exceeded, the result is HD_EFORMAT.  with_lines:
 * keep the costs of source lines.  Warnings: lost.callgrind-line (a line is invalid), lost.callgrind-end (damaged
 * gzip, or a file that is cut off), lost.weight (additions that were skipped).
 */
int hd_callgrind_graph_read(struct hd_callgrind_graph *g, int fd, const char *path, struct hd_strtab *names,
	bool with_lines, uint64_t most_bytes, struct hd_log *log, struct hd_err *err);
void hd_callgrind_graph_release(struct hd_callgrind_graph *g);

#endif
