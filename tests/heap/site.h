/*
 * site.h - define allocation sites, and print how much each has allocated or leaked
 *
 * SITE(name, expression) is a function `name` that evaluates the expression, which allocates, and keeps the result
 * alive.  TRUTH lines are written to descriptor 9 if it is open, so that they do not mix with the program's output:
 *
 *     TRUTH EVENT SITE blocks=N bytes=N
 *
 * EVENT is leaked, allocated, peak or temporary.  truth.awk assigns each recorded stack to its innermost frame that
 * is a site, and compares.
 */
#ifndef SITE_H
#define SITE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NI __attribute__((noinline, noipa))

static void *volatile sink;

#define SITE(name, expression)	NI void *name(void) { void *p = (expression); sink = p; return p; }

static inline void truth(const char *event, const char *site, unsigned long blocks, unsigned long bytes)
{
	char line[200];
	int n = snprintf(line, sizeof(line), "TRUTH %s %s blocks=%lu bytes=%lu\n", event, site, blocks, bytes);

	if (write(9, line, (size_t)n) != n)
		return;
}

#endif
