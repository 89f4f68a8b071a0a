/*
 * storm.c - allocate many blocks of 24 bytes to 300 kB, to test the estimates; half of the blocks of each site leak
 *
 * The program itself is deterministic.  HOTDRIFT_HEAP_SEED selects the blocks that the recorder samples.
 */
#include "site.h"

#define STORM(name, size) SITE(name, malloc(size))
STORM(of_24, 24)
STORM(of_1000, 1000)
STORM(of_9000, 9000)
STORM(of_70000, 70000)
STORM(of_300000, 300000)

int main(void)
{
	static const struct { void *(*call)(void); const char *name; int n; unsigned long size; } t[] = {
		{ of_24, "of_24", 40000, 24 }, { of_1000, "of_1000", 4000, 1000 }, { of_9000, "of_9000", 800, 9000 },
		{ of_70000, "of_70000", 100, 70000 }, { of_300000, "of_300000", 20, 300000 },
	};

	for (int i = 0; i < 5; i++) {
		for (int k = 0; k < t[i].n; k++) {
			void *p = t[i].call();

			if (k % 2)
				free(p);
		}
		truth("allocated", t[i].name, (unsigned long)t[i].n, (unsigned long)t[i].n * t[i].size);
		truth("leaked", t[i].name, (unsigned long)t[i].n / 2, (unsigned long)t[i].n / 2 * t[i].size);
	}
	return 0;
}
