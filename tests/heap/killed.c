/* killed.c - what was allocated before a SIGKILL is in the recording */
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
	truth("leaked", "before", 5000, 5000 * 123);
	truth("leaked", "let_go", 0, 0);
	truth("allocated", "let_go", 5000, 250000);
	raise(SIGKILL);
	return 0;
}
