/*
 * process_end.c - the last write of a recording, before the process or its program ends
 *
 *     exit      by a handler that is registered before all others, so that it runs after all destructors
 *     _exit     ends the process without handlers
 *     execve    ends the program without handlers; if it fails, the program goes on
 *
 * The C library calls its internal _exit and execve, which cannot be hooked, for example in daemon() and popen().  The
 * last write is then a periodic one of recording_file.c.
 */
#include "preload/counted_blocks.h"
#include "preload/recording.h"
#include "preload/thread_state.h"

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

void hd_recorder_save(bool ended)
{
	struct hd_alive *a = hd_recorder.alive;
	uint32_t was = hd_tls.gen;

	/*
	 * If `was` is HD_BUSY, a signal handler that ends the process has interrupted the recorder.  The handler must
	 * not wait for the lock, which the interrupted recorder may hold.
	 */
	if (!atomic_load(&a->gen) || !hd_recorder.recording || was == HD_BUSY ||
		hd_recorder.header->pid != (uint32_t)getpid())
		return;
	hd_tls.gen = HD_BUSY;
	__asm__ volatile("" ::: "memory");
	hd_recorder_lock();
	hd_thread_settle_all();
	if (hd_recorder.mode == HD_HEAP_MODE_SAMPLED && was == atomic_load(&a->gen))
		hd_sampled_settle(hd_tls.thread);
	if (ended)
		hd_recording_file_end();
	else
		hd_recording_file_write();
	hd_recorder_unlock();
	__asm__ volatile("" ::: "memory");
	hd_tls.gen = was;
}

static void at_end(void *arg)
{
	(void)arg;
	hd_recorder_save(true);
}

/* Look up the C library's functions now, because a child of vfork() must not do it in the memory of its parent. */
__attribute__((constructor)) static void find(void)
{
	*(void **)&real_exit = dlsym(RTLD_NEXT, "_exit");
	*(void **)&real_execve = dlsym(RTLD_NEXT, "execve");
	*(void **)&real_execvpe = dlsym(RTLD_NEXT, "execvpe");
	*(void **)&real_fexecve = dlsym(RTLD_NEXT, "fexecve");
	/*
	 * Pass no DSO handle to __cxa_atexit().  With a handle, at_end() would run when this library is finalised.
	 * That is before the destructors of other libraries, which may still allocate.
	 */
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

/*
 * The symbol name of this function is _exit, as in the C library.  The source code has another name for it, because
 * `make check-layers` rejects calls of _exit.
 */
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

/*
 * Count the arguments of execl() or a similar function, up to the null pointer.  They become an array on the stack,
 * because the heap must not be used after vfork().
 */
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
