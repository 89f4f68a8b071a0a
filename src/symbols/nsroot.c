/*
 * nsroot.c - see nsroot.h
 */
#include "symbols/nsroot.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SLACK_S = 2 };		/* tolerance of start times in seconds: clocks are adjusted, and ticks are coarse */

/* Read a small file of /proc as text; false on failure. */
static bool read_proc(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static uint64_t namespace_of(const char *pid, const char *kind)
{
	char path[300];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%s/ns/%s", pid, kind);
	return stat(path, &st) < 0 ? 0 : st.st_ino;
}

/* Return the start time of a process, in seconds since 1970; INT64_MAX if unknown. */
static int64_t began_s(int32_t pid)
{
	char path[40], text[1024], *p;
	struct timespec now, up;
	unsigned long long ticks;
	long hz = sysconf(_SC_CLK_TCK);

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (!read_proc(path, text, sizeof(text)) || hz <= 0)
		return INT64_MAX;
	/* Field 2 of stat is the name in parentheses, which can contain anything.  Field 22 is the start time. */
	p = strrchr(text, ')');
	for (int i = 0; p && i < 20; i++)
		p = strchr(p + 1, ' ');
	if (!p || sscanf(p, " %llu", &ticks) != 1 || clock_gettime(CLOCK_REALTIME, &now) ||
		clock_gettime(CLOCK_BOOTTIME, &up))
		return INT64_MAX;
	return now.tv_sec - up.tv_sec + (int64_t)(ticks / (unsigned long)hz);
}

bool hd_nsroot_holds(const struct hd_nsroot *r)
{
	char pid[16];
	int64_t began = began_s(r->pid);

	snprintf(pid, sizeof(pid), "%d", (int)r->pid);
	return began != INT64_MAX && began <= r->before_s + SLACK_S &&
		(!r->mnt_ns || namespace_of(pid, "mnt") == r->mnt_ns);
}

static bool try_pid(struct hd_nsroot *r, int32_t pid)
{
	r->pid = pid;
	snprintf(r->root, sizeof(r->root), "/proc/%d/root", (int)pid);
	return pid > 0 && hd_nsroot_holds(r);
}

bool hd_nsroot_find(struct hd_nsroot *r, uint64_t mnt_ns, int32_t pid, int64_t before_s)
{
	struct dirent *e;
	bool found;
	DIR *dir;

	*r = (struct hd_nsroot){ .mnt_ns = mnt_ns, .before_s = before_s };
	found = try_pid(r, pid);
	if (found || !mnt_ns)
		return found;
	dir = opendir("/proc");
	while (dir && !found && (e = readdir(dir)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && namespace_of(e->d_name, "mnt") == mnt_ns)
			found = try_pid(r, (int32_t)strtol(e->d_name, NULL, 10));
	if (dir)
		closedir(dir);
	return found;
}

int32_t hd_nsroot_own_pid(const struct hd_nsroot *r)
{
	char path[40], text[4096], *p, *last = NULL;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)r->pid);
	if (!read_proc(path, text, sizeof(text)))
		return 0;
	p = strstr(text, "\nNSpid:");
	if (!p)
		return 0;
	p += 7;
	for (; *p && *p != '\n'; p++)
		if (*p == '\t' || *p == ' ')
			last = p + 1;
	return last ? (int32_t)strtol(last, NULL, 10) : 0;
}

void hd_nsroot_ours(uint64_t *mnt_ns, uint64_t *pid_ns)
{
	*mnt_ns = namespace_of("self", "mnt");
	*pid_ns = namespace_of("self", "pid");
}
