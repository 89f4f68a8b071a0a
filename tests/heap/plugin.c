/* plugin.c - a plugin of plugins.c; it is built twice, with the same code under two names (the macro WHO) */
#include <stdlib.h>

__attribute__((noinline, noipa)) void *WHO(void)
{
	void *p = malloc(SIZE);

	__asm__ volatile("" : "+r"(p));
	return p;
}

void *run(int n)
{
	void *p = NULL;

	while (n--)
		p = WHO();
	return p;
}
