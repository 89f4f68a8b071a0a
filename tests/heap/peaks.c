/*
 * peaks.c - a working set of constant size whose blocks are replaced all the time, so that the peaks
 * of estimates are noise
 *
 * 30,000 blocks of 20 to 1,000 bytes are live.  400,000 times, a random block is freed and replaced
 * by another. `mixed` also has 40 blocks of 100 kB, so that its blocks are of very different
 * sizes.
 */
#include "site.h"

#include <stdint.h>

enum { LIVE = 30000, TURNS = 400000, LARGE = 40 };

static uint64_t state = 42;
static unsigned next(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 40);
}

static NI void *small(size_t n) { void *p = malloc(n); sink = p; return p; }
static NI void *mixed(size_t n) { void *p = malloc(n); sink = p; return p; }

static struct { void *p; unsigned long n; int of_mixed; } block[LIVE];
static unsigned long bytes[2], blocks[2], peak, peak_of[2], peak_blocks[2];

static void take(int i)
{
	int m = next() % 2;

	block[i].n = 20 + next() % 981;
	block[i].of_mixed = m;
	block[i].p = m ? mixed(block[i].n) : small(block[i].n);
	bytes[m] += block[i].n;
	blocks[m]++;
	if (bytes[0] + bytes[1] > peak) {
		peak = bytes[0] + bytes[1];
		for (int k = 0; k < 2; k++) {
			peak_of[k] = bytes[k];
			peak_blocks[k] = blocks[k];
		}
	}
}

int main(void)
{
	for (int i = 0; i < LARGE; i++) {
		mixed(100000);
		bytes[1] += 100000;
		blocks[1]++;
	}
	for (int i = 0; i < LIVE; i++)
		take(i);
	for (int turn = 0; turn < TURNS; turn++) {
		int i = (int)(next() % LIVE);

		free(block[i].p);
		bytes[block[i].of_mixed] -= block[i].n;
		blocks[block[i].of_mixed]--;
		take(i);
	}
	truth("peak", "small", peak_blocks[0], peak_of[0]);
	truth("peak", "mixed", peak_blocks[1], peak_of[1]);
	truth("leaked", "small", blocks[0], bytes[0]);
	truth("leaked", "mixed", blocks[1], bytes[1]);
	return 0;
}
