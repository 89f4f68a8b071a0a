/*
 * folded_lines.c - write folded text with many distinct stacks, to measure programs that draw it
 *
 *   folded_lines LINES NAMES [sorted]
 *
 * Each line is another stack of 10 to 40 frames with a count from 1 to 100.  The stacks share frames as those of a real
 * program do: a new stack is an older one, or a caller of it, with one to five more frames.  So the call tree has about
 * three nodes per line.  A function calls at most 12 others, the first of them most often.  The names of the NAMES
 * functions have 10 to 50 bytes.  NAMES 0: each new node has a name of its own.
 *
 * The order is random; `sorted`: children follow their callers, as in the output of `hotdrift fold`.  The text is
 * always the same.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 10, MOST = 40, GROW = 5, CALLEES = 12 };

struct node {
	uint32_t parent, function, depth, count;
	uint32_t child, next;		/* first child and next sibling; 0: none */
};

static struct node *nodes;
static uint32_t nnodes = 1;
static uint32_t nnames;
static uint64_t state = 88172645463325252u;

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
	return x ^ x >> 29;
}

static uint32_t draw(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 32) * below >> 32);
}

/* Return a callee of a function; each next one is called 0.7 times as often as the one before. */
static uint32_t callee(uint32_t function)
{
	uint32_t k = 0;

	if (!nnames)
		return nnodes;
	while (k + 1 < CALLEES && draw(10) < 7)
		k++;
	return (uint32_t)(mix((uint64_t)function * CALLEES + k + 1) % nnames);
}

/* Return the child of a node for one function; add it if it is new. */
static uint32_t extend(uint32_t at, uint32_t function)
{
	for (uint32_t c = nodes[at].child; c; c = nodes[c].next)
		if (nodes[c].function == function)
			return c;
	nodes[nnodes] = (struct node){ at, function, nodes[at].depth + 1, 0, 0, nodes[at].child };
	nodes[at].child = nnodes;
	return nnodes++;
}

static size_t add_name(char *to, uint32_t function)
{
	static const char *const words[] = { "parse", "index", "buffer", "node", "handle", "visit", "insert", "lookup",
		"flush", "update", "merge", "stream", "table", "record", "cache", "worker" };
	uint64_t h = mix(function + 1);
	size_t n = 0, parts = 1 + h % 5;

	for (size_t i = 0; i < parts; i++, h >>= 4)
		n += (size_t)sprintf(to + n, "%s%s", i ? i % 2 ? "::" : "_" : "", words[h >> 8 & 15]);
	return n + (size_t)sprintf(to + n, "_%x", function);
}

static void print(uint32_t at)
{
	char line[MOST * 128];
	uint32_t path[MOST], n = 0;
	size_t len = 0;

	for (uint32_t s = at; s; s = nodes[s].parent)
		path[n++] = nodes[s].function;
	while (n-- > 0) {
		len += add_name(line + len, path[n]);
		line[len++] = n ? ';' : ' ';
	}
	len += (size_t)sprintf(line + len, "%u\n", nodes[at].count);
	fwrite(line, 1, len, stdout);
}

int main(int argc, char **argv)
{
	uint32_t lines = argc > 2 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
	bool sorted = argc > 3 && !strcmp(argv[3], "sorted");

	if (!lines) {
		fprintf(stderr, "usage: folded_lines LINES NAMES [sorted]\n");
		return 2;
	}
	nnames = (uint32_t)strtoul(argv[2], NULL, 10);
	nodes = calloc((size_t)lines * GROW * 2 + 64, sizeof(*nodes));
	if (!nodes)
		return 1;
	for (uint32_t done = 0; done < lines;) {
		uint32_t a = draw(nnodes), b = draw(nnodes), at = a < b ? a : b, more = 1 + draw(GROW);

		while (more-- > 0 && nodes[at].depth < MOST)
			at = extend(at, callee(nodes[at].function));
		if (nodes[at].depth < LEAST || nodes[at].count)
			continue;
		nodes[at].count = 1 + draw(100);
		done++;
		if (!sorted)
			print(at);
	}
	for (uint32_t at = sorted ? nodes[0].child : 0; at;) {
		if (nodes[at].count)
			print(at);
		if (nodes[at].child) {
			at = nodes[at].child;
			continue;
		}
		while (at && !nodes[at].next)
			at = nodes[at].parent;
		at = nodes[at].next;
	}
	return fflush(stdout) || ferror(stdout);
}
