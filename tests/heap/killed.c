/* killed.c - allocate, and end by SIGKILL: the recording must have all allocations up to the last write */
#include "site.h"

#include <signal.h>

SITE(before, malloc(123))
SITE(let_go, malloc(50))

int main(void)
{
	for (int i = 0; i < 5000; i++) {
		before();
		free(let_go());
	}
	raise(SIGKILL);
	return 0;
}
