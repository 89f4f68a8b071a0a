/*
 * resized.c - test that a block that realloc() replaces does not count as temporary
 *
 * grow() resizes one block many times and frees the last one, which is temporary.  discard() allocates blocks and frees
 * them at once: all of them are temporary.
 */
#include "site.h"

enum { RESIZES = 2000, DISCARDED = 500, FIRST = 1000, STEP = 16, SMALL = 777 };

NI void grow(void)
{
	char *p = malloc(FIRST);

	sink = p;
	for (int i = 1; i <= RESIZES; i++) {
		p = realloc(p, FIRST + i * STEP);
		sink = p;
	}
	free(p);
}

NI void discard(void)
{
	for (int i = 0; i < DISCARDED; i++) {
		sink = malloc(SMALL);
		free(sink);
	}
}

int main(void)
{
	grow();
	discard();
	truth("allocated", "grow", 1 + RESIZES, (1 + RESIZES) * FIRST + STEP * (RESIZES * (RESIZES + 1) / 2));
	truth("allocated", "discard", DISCARDED, DISCARDED * SMALL);
	truth("temporary", "grow", 1, FIRST + RESIZES * STEP);
	truth("temporary", "discard", DISCARDED, DISCARDED * SMALL);
	return 0;
}
