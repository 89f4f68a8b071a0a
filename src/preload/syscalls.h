/*
 * syscalls.h - system calls that bypass the C library
 *
 * open(), read() and close() of the C library are cancellation points.  A thread must not be cancelled within
 * malloc(), while it holds locks.
 */
#ifndef HD_PRELOAD_SYSCALLS_H
#define HD_PRELOAD_SYSCALLS_H

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int hd_sys_open(const char *path, int flags, mode_t mode)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);
}

static inline ssize_t hd_sys_read(int fd, void *p, size_t n)
{
	return syscall(SYS_read, fd, p, n);
}

static inline void hd_sys_close(int fd)
{
	syscall(SYS_close, fd);
}

#endif
