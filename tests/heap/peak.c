/*
 * peak.c - a program whose peak comes after the function that allocates most has freed its memory
 *
 * `early` allocates most in total, and has at most 30 MB at a time.  Then `base`, `upper` and the
 * short-lived `burst` make the peak of 46 MB.  `late` has 20 MB at the end.
 */
#include "site.h"

#include <string.h>

SITE(early, malloc(30000))
SITE(base, malloc(10000))
SITE(upper, malloc(20000))
SITE(burst, malloc(16000))
SITE(late, malloc(40000))

static NI void hold(void *(*site)(void), int n, void **kept)
{
	for (int i = 0; i < n; i++)
		kept[i] = site();
}

static NI void release(void **kept, int n)
{
	for (int i = 0; i < n; i++)
		free(kept[i]);
}

static void *a[1000], *b[1000], *c[1000], *d[1000], *e[1000];

int main(void)
{
	for (int again = 0; again < 3; again++) {
		hold(early, 1000, a);
		release(a, 1000);
	}
	hold(base, 1000, b);
	hold(upper, 1000, c);
	hold(burst, 1000, d);
	release(d, 1000);
	release(c, 500);
	hold(late, 200, e);
	truth("peak", "early", 0, 0);
	truth("peak", "base", 1000, 10000000);
	truth("peak", "upper", 1000, 20000000);
	truth("peak", "burst", 1000, 16000000);
	truth("peak", "late", 0, 0);
	truth("allocated", "early", 3000, 90000000);
	truth("leaked", "base", 1000, 10000000);
	truth("leaked", "upper", 500, 10000000);
	truth("leaked", "late", 200, 8000000);
	truth("leaked", "burst", 0, 0);
	return 0;
}
