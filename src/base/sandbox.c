/*
 * sandbox.c - see sandbox.h
 */
#include "base/sandbox.h"

#include "base/buf.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- the needs of the command */

static bool uses_debuginfod(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls;
}

/*
 * Return the folder that `path` will be written to, links resolved; if it does not exist, its nearest ancestor.  The
 * caller frees the result.
 */
static char *folder_of(const char *path)
{
	struct hd_buf at = { 0 };
	char *slash, *real = NULL, target[PATH_MAX];
	ssize_t n;

	hd_buf_addf(&at, "%s%s", *path == '/' ? "" : "./", path);
	/* A link to a file that does not exist yet: realpath() cannot resolve it. */
	for (int hops = 0; hops < 40 && access(at.data, F_OK) < 0; hops++) {
		n = readlink(at.data, target, sizeof(target) - 1);
		if (n <= 0)
			break;
		target[n] = '\0';
		at.len = *target == '/' ? 0 : (size_t)(strrchr(at.data, '/') + 1 - at.data);
		hd_buf_adds(&at, target);
	}
	real = realpath(at.data, NULL);
	if (!real)
		while ((slash = strrchr(at.data, '/'))) {
			slash[slash == at.data] = '\0';
			if ((real = realpath(at.data, NULL)) || slash == at.data)
				break;
		}
	else if ((slash = strrchr(real, '/')))
		slash[slash == real] = '\0';
	hd_buf_release(&at);
	return real;
}

/*
 * Create the cache folder of libdebuginfod and return its path, which the caller frees.  libdebuginfod creates it on
 * first use, but landlock can only allow folders that exist.
 */
static char *debuginfod_cache(void)
{
	const char *named = getenv("DEBUGINFOD_CACHE_PATH"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct hd_buf path = { 0 };

	/* libdebuginfod prefers the folder of its old versions if it exists. */
	hd_buf_addf(&path, "%s/.debuginfod_client_cache", home ? home : "/");
	if (named && *named) {
		hd_buf_reset(&path);
		hd_buf_adds(&path, named);
	} else if (access(path.data, F_OK) < 0) {
		hd_buf_reset(&path);
		if (xdg && *xdg)
			hd_buf_addf(&path, "%s", xdg);
		else
			hd_buf_addf(&path, "%s/.cache", home ? home : "/");
		mkdir(path.data, 0700);
		hd_buf_adds(&path, "/debuginfod_client");
	}
	mkdir(path.data, 0700);
	return hd_buf_take(&path);
}

/* ---- landlock; the C library has no wrappers */

#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

/*
 * Return the rights to restrict: all rights of files and folders that landlock versions 1 to 3 define and this version
 * supports, except reading.
 */
static uint64_t rights_of(long version)
{
	uint64_t rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

	rights &= ~(uint64_t)(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR);
	return rights | (version >= 2 ? LANDLOCK_ACCESS_FS_REFER : 0) |
		(version >= 3 ? LANDLOCK_ACCESS_FS_TRUNCATE : 0);
}

/*
 * Allow writing below `folder`.  Returns false if it exists and cannot be allowed; the command must then run without
 * landlock.
 */
static bool allow_writing(int ruleset, uint64_t rights, const char *folder)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = rights & ~(uint64_t)LANDLOCK_ACCESS_FS_EXECUTE,
		.parent_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC),
	};

	long rc;

	if (rule.parent_fd < 0)
		return errno == ENOENT || errno == ENOTDIR;
	rc = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(rule.parent_fd);
	return rc == 0;
}

/* Return true if a visible user process has a mount namespace of its own, as in a container. */
static bool other_namespaces(void)
{
	DIR *proc = opendir("/proc");
	struct stat ours, theirs, program;
	bool found = false;

	if (!proc || stat("/proc/self/ns/mnt", &ours) < 0) {
		if (proc)
			closedir(proc);
		return false;
	}
	for (struct dirent *e = readdir(proc); e && !found; e = readdir(proc)) {
		char path[64];

		if (*e->d_name < '1' || *e->d_name > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%.20s/ns/mnt", e->d_name);
		if (stat(path, &theirs) < 0 || theirs.st_ino == ours.st_ino)
			continue;
		snprintf(path, sizeof(path), "/proc/%.20s/exe", e->d_name);	/* kernel threads have no exe */
		found = stat(path, &program) == 0;
	}
	closedir(proc);
	return found;
}

/*
 * Landlock also denies /proc/PID/root of other processes, through which the files of a container are read.  So landlock
 * is not used if a process of a container is visible.
 */
static void restrict_files(const char *output)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	struct landlock_ruleset_attr attr = { .handled_access_fs = rights_of(version) };
	const char *tmp = getenv("TMPDIR");
	bool all;
	int ruleset;

	if (version < 1 || other_namespaces())
		return;
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr.handled_access_fs), 0);
	if (ruleset < 0)
		return;
	all = allow_writing(ruleset, attr.handled_access_fs, tmp && *tmp ? tmp : "/tmp");
	if (output && strcmp(output, "-")) {
		char *folder = folder_of(output);

		all = all && folder && allow_writing(ruleset, attr.handled_access_fs, folder);
		free(folder);
	}
	if (uses_debuginfod()) {
		char *cache = debuginfod_cache();

		all = all && allow_writing(ruleset, attr.handled_access_fs, cache);
		free(cache);
	}
	if (all)
		syscall(SYS_landlock_restrict_self, ruleset, 0);
	close(ruleset);
}

/* ---- seccomp, without libseccomp, which crashes if memory is short */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define OTHER_ABI 0x40000000u		/* system calls of x32 start here */
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define OTHER_ABI 0xffffffffu
#endif

#ifdef ARCHITECTURE
struct program {
	struct sock_filter code[64];
	unsigned short n;
};

static void add(struct program *p, unsigned short code, uint32_t k, unsigned char yes, unsigned char no)
{
	p->code[p->n++] = (struct sock_filter){ .code = code, .jt = yes, .jf = no, .k = k };
}

/*
 * Add code to the filter: if the condition `jump` holds for the loaded word and `word`, the filter returns `verdict`.
 */
static void add_verdict(struct program *p, unsigned short jump, uint32_t word, uint32_t verdict)
{
	add(p, BPF_JMP | BPF_K | jump, word, 0, 1);
	add(p, BPF_RET | BPF_K, verdict, 0, 0);
}

static void load(struct program *p, size_t offset)
{
	add(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void restrict_calls(void)
{
	static const int denied[] = {
		SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_bpf,
		SYS_io_uring_setup,
		SYS_listen, SYS_accept, SYS_accept4,
	};
	static const int domains[] = { AF_UNIX, AF_INET, AF_INET6, AF_NETLINK }; /* downloads need them */
	const uint32_t refuse = SECCOMP_RET_ERRNO | EPERM;
	struct program p = { .n = 0 };
	struct sock_fprog filter;

	load(&p, offsetof(struct seccomp_data, arch));
	add(&p, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
	add(&p, BPF_RET | BPF_K, refuse, 0, 0);
	load(&p, offsetof(struct seccomp_data, nr));
	add_verdict(&p, BPF_JGE, OTHER_ABI, refuse);
	for (size_t i = 0; i < HD_COUNT(denied); i++)
		add_verdict(&p, BPF_JEQ, (uint32_t)denied[i], refuse);
	if (uses_debuginfod()) {
		add(&p, BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 1, 0);
		add(&p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
		/*
		 * only the low half of the argument is loaded: it comes first on both architectures, which are
		 * little-endian
		 */
		load(&p, offsetof(struct seccomp_data, args[0]));
		for (size_t i = 0; i < HD_COUNT(domains); i++)
			add_verdict(&p, BPF_JEQ, (uint32_t)domains[i], SECCOMP_RET_ALLOW);
		add(&p, BPF_RET | BPF_K, refuse, 0, 0);
	} else {
		add_verdict(&p, BPF_JEQ, SYS_socket, refuse);
		add(&p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	}
	filter = (struct sock_fprog){ .len = p.n, .filter = p.code };
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
}
#else
static void restrict_calls(void)
{
}
#endif

#if defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

void hd_sandbox_enter(const char *output)
{
	/* Do not restrict builds with sanitizers: LeakSanitizer uses ptrace, and sanitizers execute a symbolizer. */
	if (SANITIZED || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return;
	restrict_files(output);
	restrict_calls();
}
