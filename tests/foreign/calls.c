/*
 * calls.c - a program with known costs for callgrind: main() calls a() twice, b() once and the recursive depth()
 */
#include <stdlib.h>

volatile unsigned sink;

__attribute__((noinline)) static void work(unsigned n)
{
	while (n--)
		sink += n;
}

__attribute__((noinline)) static void a(unsigned n)
{
	work(3 * n);
}

__attribute__((noinline)) static void b(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		work(1);
}

__attribute__((noinline)) static unsigned depth(unsigned n)
{
	return n ? depth(n - 1) + 1 : 0;
}

int main(void)
{
	a(1000);
	a(2000);
	b(500);
	sink += depth(30);
	return 0;
}
