/*
 * confined.c - a library for LD_PRELOAD that tries what a confined program must not do, when the program ends
 *
 * It prints one line for each attempt to standard error: `try NAME ok`, or `try NAME` and the name of the error.
 * $TRY_FILES are paths, separated by blanks, that it opens for writing (O_CREAT).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static void told(const char *name, long rc)
{
	dprintf(2, "try %s %s\n", name, rc >= 0 ? "ok" : strerrorname_np(errno));
}

__attribute__((destructor)) static void try_all(void)
{
	char *files = getenv("TRY_FILES"), *one, *save = NULL, byte = 0;
	struct iovec iov = { &byte, 1 };
	char *argv[] = { "absent", NULL };

	if (!files)
		return;
	told("execve", execve("/nonexistent/absent", argv, argv + 1));
	told("execveat", syscall(SYS_execveat, AT_FDCWD, "/nonexistent/absent", argv, argv + 1, 0));
	told("ptrace", ptrace(PTRACE_PEEKDATA, 1, NULL, NULL));
	told("process_vm_readv", process_vm_readv(getpid(), &iov, 1, &iov, 1, 0));
	told("socket-unix", socket(AF_UNIX, SOCK_STREAM, 0));
	told("socket-inet", socket(AF_INET, SOCK_STREAM, 0));
	told("socket-packet", socket(AF_PACKET, SOCK_RAW, 0));
	told("socket-vsock", socket(AF_VSOCK, SOCK_STREAM, 0));
	told("read", open("/etc/passwd", O_RDONLY));
	files = strdup(files);
	for (one = strtok_r(files, " ", &save); one; one = strtok_r(NULL, " ", &save))
		told(strrchr(one, '/') + 1, open(one, O_WRONLY | O_CREAT, 0600));
}
