/*
 * shim.c - a library for LD_PRELOAD that counts calls that can fail, and makes the n-th call of a kind fail
 *
 *     HD_FAULT=count           No call fails.  When the program ends, one line `KIND N TIMES`
 *                              per calling place is written to the file $HD_FAULT_OUT: the
 *                              N-th call of KIND was the first one of this place, which made
 *                              TIMES calls in total.
 *     HD_FAULT=KIND:N:HOW:WHAT The N-th call of KIND fails.  HOW is `once`, or `on`: the calls
 *                              after it fail, too.  WHAT is an errno; or `kill`: the program is
 *                              killed.  For reads and writes it can be `half` or `byte` (the call
 *                              transfers half of the bytes or one) or `gone` (it transfers none).
 *     HD_FAULT_DEPTH           number of callers that identify a place (default 6)
 *     HD_FAULT_NO_TMPFILE=1    the file system does not support O_TMPFILE
 *     HD_FAULT_NO_SYNC=1       fsync() does nothing, which saves time; it can still be made to fail
 *
 *     HD_FAULT_SERVER=FD       drive.c runs the command many times and starts it once: see serve()
 *
 * Kinds: alloc mmap filemap (mmap of a file, not over a mapping) open read write sync rename
 * close trunc stat thread memfd process.
 *
 * Calls inside the C library (stdio, the loader) are not intercepted.  If HD_FAULT_OUT is set,
 * the place of the fault is written there.  Programs that the command starts are not affected,
 * because their environment does not contain these variables.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { ALLOC, MMAP, FILEMAP, OPEN, READ, WRITE, SYNC, RENAME, CLOSE, TRUNC, STAT, THREAD, MEMFD, PROCESS, KINDS };

static const char *const kind_names[KINDS] = { "alloc", "mmap", "filemap", "open", "read", "write", "sync", "rename",
	"close", "trunc", "stat", "thread", "memfd", "process" };

enum { PLACES = 1 << 16, DEEP = 32, HALF = -1, BYTE = -2, GONE = -3, KILL = -4 };

struct place {
	uint64_t hash;
	enum kind kind;
	unsigned long first, times;
};

static atomic_ulong calls[KINDS];
static atomic_int lock;
static struct place *places;
static bool counting, on, no_tmpfile, no_sync;
static enum kind fail_kind = KINDS;
static unsigned long fail_n;
static int what, out_fd = -1, depth = 6;
static __thread bool inside;

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
	*__libc_memalign(size_t, size_t);

static uint64_t hash_of(enum kind k, void *const *at, int n)
{
	uint64_t h = 0xcbf29ce484222325 + k;

	for (int i = 0; i < n; i++)
		h = (h ^ (uint64_t)at[i]) * 0x100000001b3;
	return h ? h : 1;
}

static void note(enum kind k, unsigned long n)
{
	void *at[DEEP];
	int got = backtrace(at, 2 + depth);
	uint64_t h = hash_of(k, at + 2, got > 2 ? got - 2 : 0);
	size_t i = h % PLACES;

	while (atomic_exchange(&lock, 1))
		;
	for (size_t tries = 0; tries < PLACES && places[i].hash && places[i].hash != h; tries++)
		i = (i + 1) % PLACES;
	if (!places[i].hash)
		places[i] = (struct place){ h, k, n, 0 };
	if (places[i].hash == h)
		places[i].times++;
	atomic_store(&lock, 0);
}

static void tell(void)
{
	void *at[DEEP];
	int n = backtrace(at, DEEP);

	if (out_fd >= 0 && n > 2)
		backtrace_symbols_fd(at + 2, n - 2, out_fd);
}

/* Return true if the fault applies to this call.  Sets errno, unless the fault is `half`, `byte` or `gone`. */
static bool fails(enum kind k)
{
	unsigned long n;
	bool yes;

	if (inside || (!counting && fail_kind != k))
		return false;
	n = atomic_fetch_add(&calls[k], 1) + 1;
	inside = true;
	if (counting)
		note(k, n);
	yes = !counting && (n == fail_n || (on && n > fail_n));
	if (yes && n == fail_n)
		tell();
	inside = false;
	if (yes && what == KILL)
		kill(getpid(), SIGKILL);
	if (yes && what > 0)
		errno = what;
	return yes;
}

/*
 * Serve drive.c on a socket, before main().  A request is the text `SECONDS FAULT`, with four descriptors: standard
 * input, output, errors, and the file for HD_FAULT_OUT.  The answer is the wait status of a child that runs the
 * command.  So the loader does its work once and not for each fault.
 *
 * Returns in the child, with the value of HD_FAULT in `fault`.
 */
static void serve(int server, char fault[96])
{
	for (;;) {
		char text[128] = "", control[CMSG_SPACE(4 * sizeof(int))];
		struct iovec v = { text, sizeof(text) - 1 };
		struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = control,
			.msg_controllen = sizeof(control) };
		int fd[4], status;
		unsigned seconds;
		pid_t pid;

		if (recvmsg(server, &m, 0) <= 0)
			_exit(0);
		memcpy(fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
		pid = fork();
		if (pid == 0) {
			sscanf(text, "%u %95s", &seconds, fault);
			setrlimit(RLIMIT_CPU, &(struct rlimit){ seconds, seconds + 1 });
			/* The alarm ends a command that hangs without using the CPU.  A busy machine is slow. */
			alarm(30 * seconds);
			for (int i = 0; i < 3; i++)
				dup2(fd[i], i);
			/* use a high number, so that programs which expect certain descriptors are not disturbed */
			out_fd = (int)syscall(SYS_fcntl, fd[3], F_DUPFD_CLOEXEC, 900);
		}
		for (int i = 0; i < 4; i++)
			syscall(SYS_close, fd[i]);
		if (pid == 0) {
			syscall(SYS_close, server);
			return;
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || send(server, &status, sizeof(status), 0) < 0)
			_exit(1);
	}
}

__attribute__((constructor)) static void begin(void)
{
	const char *e = getenv("HD_FAULT"), *out = getenv("HD_FAULT_OUT"), *d = getenv("HD_FAULT_DEPTH");
	const char *server = getenv("HD_FAULT_SERVER");
	char kind[16], how[8], errnum[8], fault[96];
	void *at[4];

	no_tmpfile = getenv("HD_FAULT_NO_TMPFILE");
	no_sync = getenv("HD_FAULT_NO_SYNC");
	if (d)
		depth = atoi(d) < DEEP - 2 ? atoi(d) : DEEP - 2;
	if (out && e) {
		out_fd = (int)syscall(SYS_openat, AT_FDCWD, out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		/* use a high number, so that programs which expect certain descriptors are not disturbed */
		if (out_fd >= 0)
			out_fd = (int)syscall(SYS_fcntl, out_fd, F_DUPFD_CLOEXEC, 900);
	}
	backtrace(at, 4);	/* the first call loads libgcc, which must not happen in a counted call */
	if (server) {
		serve(atoi(server), fault);
		e = fault;
	}
	if (e && !strcmp(e, "count")) {
		places = (void *)syscall(SYS_mmap, NULL, PLACES * sizeof(*places), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		counting = true;
	} else if (e && sscanf(e, "%15[a-z]:%lu:%7[a-z]:%7[a-z0-9]", kind, &fail_n, how, errnum) == 4) {
		on = !strcmp(how, "on");
		what = !strcmp(errnum, "half")    ? HALF
			: !strcmp(errnum, "byte") ? BYTE
			: !strcmp(errnum, "gone") ? GONE
			: !strcmp(errnum, "kill") ? KILL
						  : atoi(errnum);
		for (int k = 0; k < KINDS; k++)
			if (!strcmp(kind, kind_names[k]))
				fail_kind = (enum kind)k;
	}
	unsetenv("LD_PRELOAD");
	unsetenv("HD_FAULT");
	unsetenv("HD_FAULT_OUT");
	unsetenv("HD_FAULT_SERVER");
}

__attribute__((destructor)) static void end(void)
{
	char line[96];

	if (!counting || out_fd < 0)
		return;
	counting = false;
	for (size_t i = 0; i < PLACES; i++) {
		int n = places[i].hash ? snprintf(line, sizeof(line), "%s %lu %lu\n", kind_names[places[i].kind],
						 places[i].first, places[i].times)
				       : 0;

		if (n && syscall(SYS_write, out_fd, line, n) < 0)
			return;
	}
}

/* Set `next` to the definition of the function that follows the one in this library. */
#define NEXT(ret, name, ...) \
	static ret (*volatile next)(__VA_ARGS__); \
	if (!next) { \
		bool was = inside; \
		inside = true; \
		next = (ret (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name); \
		inside = was; \
	}

/* ---- memory: in a program with a sanitizer, the sanitizer's functions are called instead of these ---- */


void *malloc(size_t n)
{
	if (fails(ALLOC))
		return NULL;
	return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	if (fails(ALLOC))
		return NULL;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	if (fails(ALLOC))
		return NULL;
	return __libc_realloc(p, n);
}

static void *aligned(size_t align, size_t n)
{
	return __libc_memalign(align, n);
}

int posix_memalign(void **p, size_t align, size_t n)
{
	if (fails(ALLOC))
		return ENOMEM;
	*p = aligned(align, n);
	return *p ? 0 : ENOMEM;
}

void *aligned_alloc(size_t align, size_t n)
{
	return fails(ALLOC) ? NULL : aligned(align, n);
}

void *memalign(size_t align, size_t n)
{
	return fails(ALLOC) ? NULL : aligned(align, n);
}

static void *map(void *p, size_t n, int prot, int flags, int fd, off_t off)
{
	/*
	 * base/mapped_file.c maps files over reserved memory (MAP_FIXED).  These are MMAP, other file mappings FILEMAP.
	 */
	if (fails(fd < 0 || flags & MAP_FIXED ? MMAP : FILEMAP))
		return MAP_FAILED;
	return (void *)syscall(SYS_mmap, p, n, prot, flags, fd, off);
}

void *mmap(void *p, size_t n, int prot, int flags, int fd, off_t off) { return map(p, n, prot, flags, fd, off); }
void *mmap64(void *p, size_t n, int prot, int flags, int fd, off_t off) { return map(p, n, prot, flags, fd, off); }

/* ---- opening ---- */

static int open_at(int dir, const char *path, int flags, mode_t mode)
{
	if (no_tmpfile && (flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return fails(OPEN) ? -1 : (int)syscall(SYS_openat, dir, path, flags, mode);
}

#define OPENER(name) \
	int name(const char *path, int flags, ...) \
	{ \
		va_list ap; \
		mode_t mode; \
		va_start(ap, flags); \
		mode = va_arg(ap, mode_t); \
		va_end(ap); \
		return open_at(AT_FDCWD, path, flags, mode); \
	}
#define OPENER_AT(name) \
	int name(int dir, const char *path, int flags, ...) \
	{ \
		va_list ap; \
		mode_t mode; \
		va_start(ap, flags); \
		mode = va_arg(ap, mode_t); \
		va_end(ap); \
		return open_at(dir, path, flags, mode); \
	}
OPENER(open)
OPENER(open64)
OPENER_AT(openat)
OPENER_AT(openat64)

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);
int __open_2(const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
int __openat_2(int dir, const char *path, int flags) { return open_at(dir, path, flags, 0); }
int __openat64_2(int dir, const char *path, int flags) { return open_at(dir, path, flags, 0); }

DIR *opendir(const char *path)
{
	NEXT(DIR *, "opendir", const char *)
	return fails(OPEN) ? NULL : next(path);
}

int mkostemp(char *path, int flags)
{
	NEXT(int, "mkostemp", char *, int)
	return fails(OPEN) ? -1 : next(path, flags);
}
int mkostemp64(char *path, int flags) { return mkostemp(path, flags); }

/* The C library has no openat2(), so the program calls syscall(). */
long syscall(long nr, ...)
{
	NEXT(long, "syscall", long, ...)
	va_list ap;
	long a[6];

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (nr == SYS_openat2 && fails(OPEN))
		return -1;
	return next(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* ---- reading and writing ---- */

/* Reduce *n to the number of bytes that the call may transfer.  Returns false if the call fails. */
static bool part(enum kind k, size_t *n)
{
	if (!fails(k))
		return true;
	if (what > 0)
		return false;
	*n = what == HALF ? (*n + 1) / 2 : *n && what == BYTE ? 1 : 0;
	return true;
}

/* `gone` is a file that another process truncated.  Nothing truncates a pipe that the command itself has made. */
static bool cannot_be_gone(int fd)
{
	struct stat st;

	return what == GONE && fd != STDIN_FILENO && syscall(SYS_fstat, fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

ssize_t read(int fd, void *p, size_t n)
{
	size_t may = n;

	if (!part(READ, &may))
		return -1;
	return syscall(SYS_read, fd, p, cannot_be_gone(fd) ? n : may);
}
ssize_t pread(int fd, void *p, size_t n, off_t off)
{
	return part(READ, &n) ? syscall(SYS_pread64, fd, p, n, off) : -1;
}
ssize_t pread64(int fd, void *p, size_t n, off_t off)
{
	return part(READ, &n) ? syscall(SYS_pread64, fd, p, n, off) : -1;
}
ssize_t write(int fd, const void *p, size_t n)
{
	if (fd == STDERR_FILENO)	/* never fails, because the error of the command could not be reported */
		return syscall(SYS_write, fd, p, n);
	return part(WRITE, &n) ? syscall(SYS_write, fd, p, n) : -1;
}
ssize_t pwrite(int fd, const void *p, size_t n, off_t off)
{
	return part(WRITE, &n) ? syscall(SYS_pwrite64, fd, p, n, off) : -1;
}
ssize_t pwrite64(int fd, const void *p, size_t n, off_t off)
{
	return part(WRITE, &n) ? syscall(SYS_pwrite64, fd, p, n, off) : -1;
}

ssize_t __read_chk(int fd, void *p, size_t n, size_t room);
ssize_t __pread_chk(int fd, void *p, size_t n, off_t off, size_t room);
ssize_t __pread64_chk(int fd, void *p, size_t n, off_t off, size_t room);
ssize_t __read_chk(int fd, void *p, size_t n, size_t room) { return read(fd, p, n); }
ssize_t __pread_chk(int fd, void *p, size_t n, off_t off, size_t room) { return pread(fd, p, n, off); }
ssize_t __pread64_chk(int fd, void *p, size_t n, off_t off, size_t room) { return pread(fd, p, n, off); }

ssize_t readv(int fd, const struct iovec *v, int n)
{
	return fails(READ) && what > 0 ? -1 : syscall(SYS_readv, fd, v, n);
}
ssize_t writev(int fd, const struct iovec *v, int n)
{
	return fails(WRITE) && what > 0 ? -1 : syscall(SYS_writev, fd, v, n);
}

/* ---- the rest ---- */

int fsync(int fd) { return fails(SYNC) ? -1 : no_sync ? 0 : (int)syscall(SYS_fsync, fd); }
int fdatasync(int fd) { return fails(SYNC) ? -1 : no_sync ? 0 : (int)syscall(SYS_fdatasync, fd); }
int rename(const char *a, const char *b)
{
	return fails(RENAME) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, 0);
}
int renameat(int d, const char *a, int e, const char *b)
{
	return fails(RENAME) ? -1 : (int)syscall(SYS_renameat2, d, a, e, b, 0);
}
int link(const char *a, const char *b)
{
	return fails(RENAME) ? -1 : (int)syscall(SYS_linkat, AT_FDCWD, a, AT_FDCWD, b, 0);
}
int linkat(int d, const char *a, int e, const char *b, int f)
{
	return fails(RENAME) ? -1 : (int)syscall(SYS_linkat, d, a, e, b, f);
}
int ftruncate(int fd, off_t n) { return fails(TRUNC) ? -1 : (int)syscall(SYS_ftruncate, fd, n); }
int ftruncate64(int fd, off_t n) { return ftruncate(fd, n); }

/* The descriptor is closed even if close() fails. */
int close(int fd)
{
	bool bad = fails(CLOSE);
	int rc = (int)syscall(SYS_close, fd);

	if (bad)
		errno = what;
	return bad ? -1 : rc;
}

#define STATS(name, type, arg)                                                                                         \
	int name(type at, struct stat *st)                                                                             \
	{                                                                                                              \
		NEXT(int, #name, type, struct stat *) return fails(STAT) ? -1 : next(at, st);                          \
	}
#define STATS64(name, type, arg)                                                                                       \
	int name(type at, struct stat64 *st)                                                                           \
	{                                                                                                              \
		NEXT(int, #name, type, struct stat64 *) return fails(STAT) ? -1 : next(at, st);                        \
	}
STATS(stat, const char *, path)
STATS(lstat, const char *, path)
STATS(fstat, int, fd)
STATS64(stat64, const char *, path)
STATS64(lstat64, const char *, path)
STATS64(fstat64, int, fd)

int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *arg)
{
	NEXT(int, "pthread_create", pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)
	return fails(THREAD) ? EAGAIN : next(t, a, f, arg);
}

int memfd_create(const char *name, unsigned flags)
{
	return fails(MEMFD) ? -1 : (int)syscall(SYS_memfd_create, name, flags);
}

pid_t fork(void)
{
	NEXT(pid_t, "fork", void)
	return fails(PROCESS) ? -1 : next();
}

int pipe2(int fd[2], int flags) { return fails(PROCESS) ? -1 : (int)syscall(SYS_pipe2, fd, flags); }
