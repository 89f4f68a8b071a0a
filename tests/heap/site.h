/*
 * site.h - allocation sites that know how often they were called
 *
 * SITE(name, expression) is a function `name` that evaluates the expression, which
 * allocates, and keeps its result alive.  TRUTH lines go to descriptor 9 when it
 * is open, so that the program's own output stays what it is:
 *
 *     TRUTH EVENT SITE blocks=N bytes=N
 *
 * EVENT is leaked, allocated, peak or temporary.  The judge (truth.awk) gives each
 * stack to its innermost frame that is a site.
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
