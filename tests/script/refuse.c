/*
 * refuse.c - run a program under a seccomp filter that rejects perf_event_open, or the system calls in $REFUSE
 *
 *     [REFUSE='CALL CALL'] refuse EPERM|ENOSYS|KILL CMD [ARGS...]
 *
 * Docker's default filter returns EPERM, other sandboxes return ENOSYS, and strict filters kill the program.
 */
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
	char *calls = getenv("REFUSE"), *one, *save = NULL, usual[] = "perf_event_open";
	uint32_t how;

	if (argc < 3 || !f)
		return 99;
	how = !strcmp(argv[1], "EPERM")      ? SCMP_ACT_ERRNO(EPERM)
		: !strcmp(argv[1], "ENOSYS") ? SCMP_ACT_ERRNO(ENOSYS)
					     : SCMP_ACT_KILL_PROCESS;
	for (one = strtok_r(calls ? calls : usual, " ", &save); one; one = strtok_r(NULL, " ", &save))
		if (seccomp_rule_add(f, how, seccomp_syscall_resolve_name(one), 0) < 0)
			return 99;
	if (seccomp_load(f) < 0)
		return 99;
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 99;
}
