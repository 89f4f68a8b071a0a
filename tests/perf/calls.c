/*
 * calls.c - a program with known callers: recursion, static functions of one name in two
 * files, a function pointer, and a call that does not return
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

unsigned long other_file_work(unsigned long n);

static volatile unsigned long sink;

__attribute__((noinline)) static unsigned long work(unsigned long n)
{
	unsigned long x = n;

	for (unsigned long i = 0; i < 20000; i++)
		x = x * 6364136223846793005ul + i;
	sink += x;
	return x;
}

__attribute__((noinline)) static unsigned long recurse(unsigned depth, unsigned long n)
{
	unsigned long x = work(n);

	if (depth)
		x += recurse(depth - 1, x);
	return x + sink;
}

__attribute__((noinline)) static unsigned long through_pointer(unsigned long (*f)(unsigned long), unsigned long n)
{
	return f(n) + sink;
}

__attribute__((noinline)) static unsigned long libc_work(void)
{
	static char a[1 << 16], b[1 << 16];

	for (int i = 0; i < 40; i++) {
		memset(a, i, sizeof(a));
		memcpy(b, a, sizeof(b));
	}
	return (unsigned long)b[77] + sink;
}

/* The call is the last instruction, so the return address belongs to the next function in the file. */
__attribute__((noinline, noreturn)) static void finish(int status)
{
	for (int i = 0; i < 400; i++)
		work((unsigned long)i);
	exit(status);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0.5;
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);

	while (clock() < end) {
		sink += recurse(6, 1);
		sink += through_pointer(work, 2);
		sink += through_pointer(other_file_work, 3);
		sink += libc_work();
	}
	finish(0);
}
