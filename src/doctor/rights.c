/*
 * rights.c - see rights.h
 */
#include "doctor/rights.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 20 };

bool hd_sysfile_read(struct hd_buf *b, const char *root, const char *path)
{
	struct hd_buf full = { 0 };
	struct hd_err err = { 0 };
	int fd, rc = -1;

	hd_buf_reset(b);
	hd_buf_addf(&full, "%s%s", root, path);
	fd = open(full.data, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0) {
		rc = hd_file_slurp(fd, path, TEXT_MAX, b, &err);
		close(fd);
	}
	hd_buf_release(&full);
	while (rc >= 0 && b->len && b->data[b->len - 1] == '\n')
		b->data[--b->len] = '\0';
	return rc >= 0 && b->len;
}

/* Read a number from a file.  Returns false if the file is missing or has no number. */
static bool number_in(struct hd_buf *b, const char *root, const char *path, long *out)
{
	char *end;

	if (!hd_sysfile_read(b, root, path))
		return false;
	errno = 0;
	*out = strtol(b->data, &end, 10);
	return !errno && end != b->data && (*end == '\0' || *end == '\n');
}

static int small_number_in(struct hd_buf *b, const char *root, const char *path)
{
	long v;

	return number_in(b, root, path, &v) && v >= 0 && v < 1000 ? (int)v : -1;
}

/* Return the text after `Key:` and blanks at the start of a line, or NULL. */
static const char *line_of(const struct hd_buf *b, const char *key)
{
	size_t n = strlen(key);

	for (const char *s = hd_buf_str(b); *s; s += strcspn(s, "\n"), s += *s == '\n')
		if (!strncmp(s, key, n) && s[n] == ':')
			return s + n + 1 + strspn(s + n + 1, " \t");
	return NULL;
}

static void read_status(struct hd_rights *r, const char *root, struct hd_buf *b)
{
	const char *s;
	char *end;

	if (!hd_sysfile_read(b, root, "/proc/self/status"))
		return;
	s = line_of(b, "CapEff");
	if (s) {
		r->caps = strtoull(s, &end, 16);
		r->caps_known = end != s;
	}
	s = line_of(b, "Seccomp");
	if (s && *s >= '0' && *s <= '2')
		r->seccomp = *s - '0';
}

/* Set r->user_namespace.  The initial user namespace is the one that maps all ids to themselves. */
static void read_namespace(struct hd_rights *r, const char *root, struct hd_buf *b)
{
	unsigned long long inner, outer, n;

	if (hd_sysfile_read(b, root, "/proc/self/uid_map") &&
		sscanf(b->data, "%llu %llu %llu", &inner, &outer, &n) == 3)
		r->user_namespace = !(inner == 0 && outer == 0 && n == 4294967295u);
}

static bool there(const char *root, const char *path)
{
	struct hd_buf full = { 0 };
	bool yes;

	hd_buf_addf(&full, "%s%s", root, path);
	yes = access(full.data, F_OK) == 0;
	hd_buf_release(&full);
	return yes;
}

static bool looks_like_container(const char *root, struct hd_buf *b)
{
	static const char *const words[] = { "docker", "containerd", "kubepods", "lxc", "libpod" };

	if (there(root, "/.dockerenv") || there(root, "/run/.containerenv"))
		return true;
	if (!*root && getenv("container"))
		return true;
	if (!hd_sysfile_read(b, root, "/proc/1/cgroup"))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(b->data, words[i]))
			return true;
	return false;
}

/* Parse /proc/mounts: device, path, type, options.  Paths with escaped blanks (\040) are skipped. */
static void find_tracefs(struct hd_rights *r, const char *root, struct hd_buf *b)
{
	static const char *const usual[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

	if (!hd_sysfile_read(b, root, "/proc/mounts")) {
		for (int i = 1; i >= 0; i--)
			if (there(root, usual[i]))
				snprintf(r->tracefs, sizeof(r->tracefs), "%s", usual[i]);
		return;
	}
	for (const char *s = b->data; *s; s += strcspn(s, "\n"), s += *s == '\n') {
		const char *path = s + strcspn(s, " \n"), *type;
		size_t n;

		path += *path == ' ';
		n = strcspn(path, " \n");
		type = path + n;
		if (strncmp(type, " tracefs ", 9) != 0 || n >= sizeof(r->tracefs) || *path != '/' ||
			memchr(path, '\\', n))
			continue;
		if (!*r->tracefs || (n == strlen(usual[0]) && !memcmp(path, usual[0], n))) {
			memcpy(r->tracefs, path, n);
			r->tracefs[n] = '\0';
		}
	}
}

int hd_rights_open_tracefs(const struct hd_rights *r)
{
	int context, fd = -1;

	if (*r->tracefs)
		return open(r->tracefs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* The C library has these calls since glibc 2.36; the kernel has them since Linux 5.2. */
	context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	if (context >= 0 && syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		fd = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
	if (context >= 0)
		close(context);
	if (fd < 0)
		errno = ENOENT;
	return fd;
}

static bool has_counters(const char *root)
{
	static const char *const names[] = { "cpu", "cpu_core", "cpu_atom", "armv8_pmuv3", "armv8_pmuv3_0",
		"armv8_cortex_a53", "armv8_cortex_a72" };
	char path[96];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s", names[i]);
		if (there(root, path))
			return true;
	}
	return false;
}

static void read_memory(struct hd_rights *r, const char *root, struct hd_buf *b)
{
	const char *all, *left, *s;

	if (hd_sysfile_read(b, root, "/proc/meminfo")) {
		all = line_of(b, "SwapTotal");
		left = line_of(b, "SwapFree");
		r->swap = all && left && strtoull(all, NULL, 10) > strtoull(left, NULL, 10);
	}
	/* The text of the file lists all values and marks the current one, for example "always [madvise] never". */
	if (hd_sysfile_read(b, root, "/sys/kernel/mm/transparent_hugepage/enabled") && (s = strchr(b->data, '[')))
		snprintf(r->huge_pages, sizeof(r->huge_pages), "%.*s", (int)strspn(s + 1, "abcdefghijklmnopqrstuvwxyz"),
			s + 1);
}

void hd_rights_read(struct hd_rights *r, const char *root)
{
	struct hd_buf b = { 0 };
	struct utsname u;
	const char *s;
	long v;

	*r = (struct hd_rights){ .uid = (unsigned)geteuid(), .gid = (unsigned)getegid(), .seccomp = -1,
				 .user_namespace = -1, .mlock_kb = -1,
				 .max_rate = -1, .lockdown = -1 };
	if (number_in(&b, root, "/proc/sys/kernel/perf_event_paranoid", &v) && v > -100 && v < 100) {
		r->paranoid_known = true;
		r->paranoid = (int)v;
	}
	read_status(r, root, &b);
	read_namespace(r, root, &b);
	r->container = looks_like_container(root, &b);
	r->virtual_machine = hd_sysfile_read(&b, root, "/proc/cpuinfo") && strstr(b.data, " hypervisor") != NULL;
	r->counters = has_counters(root);
	find_tracefs(r, root, &b);
	r->kptr_restrict = small_number_in(&b, root, "/proc/sys/kernel/kptr_restrict");
	r->nmi_watchdog = small_number_in(&b, root, "/proc/sys/kernel/nmi_watchdog");
	if (number_in(&b, root, "/proc/sys/kernel/perf_event_mlock_kb", &v) && v >= 0)
		r->mlock_kb = v;
	if (number_in(&b, root, "/proc/sys/kernel/perf_event_max_sample_rate", &v) && v >= 0)
		r->max_rate = v;
	/* The file marks the current value: "none [integrity] confidentiality". */
	if (hd_sysfile_read(&b, root, "/sys/kernel/security/lockdown") && (s = strchr(b.data, '[')))
		r->lockdown = strncmp(s, "[none]", 6) != 0;
	read_memory(r, root, &b);
	if (uname(&u) == 0)
		snprintf(r->kernel, sizeof(r->kernel), "%.64s", u.release);
	hd_buf_release(&b);
}

bool hd_rights_has(const struct hd_rights *r, unsigned cap)
{
	if (r->user_namespace == 1)
		return false;
	return r->caps_known ? r->caps >> cap & 1 : r->uid == 0;
}

bool hd_rights_perfmon(const struct hd_rights *r)
{
	return hd_rights_has(r, HD_CAP_PERFMON) || hd_rights_has(r, HD_CAP_SYS_ADMIN);
}
