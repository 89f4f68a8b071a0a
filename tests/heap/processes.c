/*
 * processes.c - call fork, exec and vfork: each process must get a recording of its own
 *
 * Blocks that exist before a fork count for the parent only: if the child frees
 * its copies, this is ignored, and if it does not, it leaks nothing.
 */
#include "site.h"

#include <string.h>
#include <sys/wait.h>

SITE(in_parent, malloc(1000))
SITE(in_child, malloc(2000))
SITE(in_grandchild, malloc(300))
SITE(in_executed, malloc(4000))
SITE(given, malloc(700))

static void *from_parent[50];

static int wait_for(pid_t pid)
{
	int status = 0;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 99;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void repeat(void *(*site)(void), int n)
{
	for (int i = 0; i < n; i++)
		site();
}

int main(int argc, char **argv)
{
	pid_t pid;

	if (argc > 1) {
		repeat(in_executed, 9);
		return 5;
	}
	repeat(in_parent, 20);
	for (int i = 0; i < 50; i++)
		from_parent[i] = given();
	pid = fork();
	if (!pid) {
		for (int i = 0; i < 50; i++)
			free(from_parent[i]);
		repeat(in_child, 30);
		pid = fork();
		if (!pid) {
			repeat(in_grandchild, 11);
			_exit(3);
		}
		exit(wait_for(pid) == 3 ? 4 : 98);
	}
	if (wait_for(pid) != 4)
		return 90;
	pid = fork();
	if (!pid) {
		execl(argv[0], argv[0], "executed", NULL);
		_exit(97);
	}
	if (wait_for(pid) != 5)
		return 91;
	pid = vfork();
	if (!pid) {
		execl(argv[0], argv[0], "executed", NULL);
		_exit(97);
	}
	if (wait_for(pid) != 5)
		return 92;
	for (int i = 0; i < 10; i++)
		free(from_parent[i]);
	truth("leaked", "in_parent", 20, 20000);
	truth("leaked", "in_child", 30, 60000);
	truth("leaked", "in_grandchild", 11, 3300);
	truth("leaked", "in_executed", 18, 72000);
	truth("leaked", "given", 40, 28000);
	return 0;
}
