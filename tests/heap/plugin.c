/* plugin.c - built twice, as the plugins of plugins.c: the same code at the same place, under two names */
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
