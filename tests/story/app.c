/*
 * app.c - the program whose commits tests/run-story.sh makes, records and compares
 *
 * Every function is a loop of dependent multiplications, so that other load on the machine
 * slows all functions alike, and the shares depend only on the numbers of iterations.
 */
#include <stdint.h>
#include <stdio.h>

#define APART __attribute__((noinline))

static inline uint64_t chain(uint64_t x, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
	return x;
}

APART uint64_t parse_row(uint64_t x)
{
	return chain(x, 3000);
}

APART uint64_t hash_probe(uint64_t x)
{
	return chain(x, 2500);
}

APART static uint64_t mix_block(uint64_t x)
{
	return chain(x, 1000);
}

APART uint64_t decode(uint64_t x)
{
	return mix_block(chain(x, 1000)) + 1;
}

APART uint64_t checksum(uint64_t x)
{
	return chain(x, 2000) + 1;
}

int main(void)
{
	uint64_t x = 88172645463325252u;

	for (int row = 0; row < 11000; row++)
		x = checksum(decode(hash_probe(parse_row(x))));
	printf("%016llx\n", (unsigned long long)x);
	return 0;
}
