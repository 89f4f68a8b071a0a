/*
 * rss.c - see rss.h
 *
 * The statm file of each process stays open, so a process that reuses the pid of an ended one is not mistaken for it.
 * The search for children takes longer than reading statm, so it is limited to 1 / SHARE of the time.
 */
#include "series/rss.h"

#include "base/clock.h"
#include "base/map.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SHARE = 50, FORKED_NO_EXEC = 0x40 /* PF_FORKNOEXEC */ };

struct watched {
	int32_t pid, parent;		/* parent is 0 for the first process */
	int statm;
	uint64_t bytes;			/* resident memory at the last reading */
	/* the part of `bytes` that no file backs; a forked child shares it with its parent */
	uint64_t anon;
	uint64_t inherited;		/* the part of `bytes` that is subtracted, because the parent has it, too */
};

struct hd_rss_watch {
	struct watched *v;
	size_t n, cap;
	size_t seen;
	struct hd_map missed;		/* ids of the processes that could not be watched */
	uint64_t page;
	uint64_t next_children_ns;
};

/*
 * Read the resident bytes (second number of statm) and the anonymous bytes (second minus third number).  Returns false
 * if statm cannot be read, because the process has ended and was reaped.
 */
static bool read_statm(const struct hd_rss_watch *w, struct watched *p)
{
	char text[256], *end;
	uint64_t of_files;
	ssize_t n = pread(p->statm, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return false;
	text[n] = 0;
	strtoull(text, &end, 10);
	p->bytes = strtoull(end, &end, 10) * w->page;
	of_files = strtoull(end, NULL, 10) * w->page;
	p->anon = p->bytes > of_files ? p->bytes - of_files : 0;
	return true;
}

/*
 * Return true if a task has called exec(), by its flags, field 9 of stat; true also if stat cannot be read.  Field 2 is
 * a name in parentheses that may contain any byte, so the fields are counted from the last parenthesis.
 */
static bool has_executed(int32_t pid)
{
	char path[64], text[1024], *at;
	unsigned long flags = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	at = strrchr(text, ')');
	if (!at || sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %lu", &flags) != 1)
		return true;
	return !(flags & FORKED_NO_EXEC);
}

static struct watched *find(const struct hd_rss_watch *w, int32_t pid)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i].pid == pid)
			return &w->v[i];
	return NULL;
}

static void add(struct hd_rss_watch *w, int32_t pid, int32_t parent)
{
	struct watched new = { .pid = pid, .parent = parent };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	new.statm = w->n < HD_RSS_PROCESSES ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (new.statm < 0) {
		if (w->n >= HD_RSS_PROCESSES || errno != ENOENT)
			hd_map_put(&w->missed, (uint32_t)pid, 0);
		return;
	}
	if (!read_statm(w, &new)) {
		close(new.statm);
		return;
	}
	if (parent && !has_executed(pid)) {
		const struct watched *p = find(w, parent);

		new.inherited = p && p->anon < new.anon ? p->anon : new.anon;
	}
	HD_GROW(w->v, w->n + 1, w->cap);
	w->v[w->n++] = new;
	w->seen++;
}

/* Add the children of one thread. */
static void add_children(struct hd_rss_watch *w, int32_t pid, int32_t tid)
{
	char path[80], text[4096];
	size_t kept = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	while ((n = read(fd, text + kept, sizeof(text) - 1 - kept)) > 0) {
		char *at = text, *end;

		text[kept + (size_t)n] = 0;
		for (; (end = strchr(at, ' ')); at = end + 1) {
			int32_t child = (int32_t)strtol(at, NULL, 10);

			if (child > 0 && !find(w, child))
				add(w, child, pid);
		}
		kept = strlen(at);	/* an incomplete number at the end of the buffer */
		memmove(text, at, kept + 1);
		if (kept > 16)
			break;
	}
	close(fd);
}

static void look_for_children(struct hd_rss_watch *w)
{
	/* Newly found processes are searched as well. */
	for (size_t i = 0; i < w->n; i++) {
		int32_t pid = w->v[i].pid;
		const struct dirent *d;
		char path[64];
		DIR *tasks;

		snprintf(path, sizeof(path), "/proc/%d/task", pid);
		tasks = opendir(path);
		while (tasks && (d = readdir(tasks)))
			if (d->d_name[0] >= '0' && d->d_name[0] <= '9')
				add_children(w, pid, (int32_t)strtol(d->d_name, NULL, 10));
		if (tasks)
			closedir(tasks);
		if (w->v[i].inherited && (has_executed(pid) || !find(w, w->v[i].parent)))
			w->v[i].inherited = 0;
	}
}

struct hd_rss_watch *hd_rss_watch_new(int32_t pid)
{
	struct hd_rss_watch *w = hd_new(struct hd_rss_watch);
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) == 0 && lim.rlim_cur < lim.rlim_max) {
		lim.rlim_cur = lim.rlim_max;
		setrlimit(RLIMIT_NOFILE, &lim);
	}
	w->page = (uint64_t)sysconf(_SC_PAGESIZE);
	add(w, pid, 0);
	return w;
}

bool hd_rss_watch_read(struct hd_rss_watch *w, uint64_t *bytes)
{
	uint64_t begin = hd_monotonic_ns();
	bool any = false;
	size_t n = 0;

	if (begin >= w->next_children_ns) {
		look_for_children(w);
		w->next_children_ns = begin + (hd_monotonic_ns() - begin) * SHARE;
	}
	*bytes = 0;
	for (size_t i = 0; i < w->n; i++) {
		struct watched *p = &w->v[i];

		if (!read_statm(w, p)) {
			close(p->statm);
			continue;
		}
		any |= p->bytes != 0;	/* a zombie has no memory */
		*bytes += p->bytes > p->inherited ? p->bytes - p->inherited : 0;
		w->v[n++] = *p;
	}
	w->n = n;
	return any;
}

size_t hd_rss_watch_seen(const struct hd_rss_watch *w)
{
	return w->seen;
}

size_t hd_rss_watch_missed(const struct hd_rss_watch *w)
{
	return w->missed.n;
}

void hd_rss_watch_free(struct hd_rss_watch *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n; i++)
		close(w->v[i].statm);
	free(w->v);
	hd_map_release(&w->missed);
	free(w);
}
