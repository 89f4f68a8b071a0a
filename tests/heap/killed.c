/* killed.c - after a SIGKILL, the recording has all allocations except those since the last write */
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
