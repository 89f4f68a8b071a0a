/*
 * probe_files.c - the programs and files that recording and reading need; see probe.h
 */
#include "doctor/probe.h"

#include "base/mem.h"
#include "base/subprocess.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void fail(struct hd_probe *p, enum hd_probe_stage stage, int errnum)
{
	*p = (struct hd_probe){ .tried = true, .stage = stage, .errnum = errnum };
}

static void works(struct hd_probe *p, const char *text)
{
	*p = (struct hd_probe){ .tried = true, .works = true };
	snprintf(p->text, sizeof(p->text), "%.299s", text);
}

/* ---- programs ---- */

/* The first line that says "error", else the first that says anything. */
static void words_of(struct hd_probe *p, const struct hd_subprocess_result *end)
{
	const char *all = hd_buf_str(&end->errors), *best = NULL;

	for (const char *s = all; *s; s += strcspn(s, "\n"), s += *s == '\n') {
		size_t n = strcspn(s, "\n");

		if (n < 7 && !strncasecmp(s, "error:", n))	/* the sentence is in the next line */
			continue;
		if (n && (!best || !strncmp(s, "Error:", 6))) {
			best = s;
			if (!strncmp(s, "Error:", 6))
				break;
		}
	}
	if (best)
		snprintf(p->text, sizeof(p->text), "%.*s", (int)strcspn(best, "\n"), best);
}

/*
 * Samples in a recording that came through a pipe: a header of 16 bytes, then records of type (4 bytes), misc (2) and size (2).
 * Behind a record of tracing data come as many bytes as it says, whole eights.
 */
static long count_samples(const struct hd_buf *b)
{
	enum { HEADER = 16, SAMPLE = 9, TRACING_DATA = 66 };
	long n = 0;

	for (size_t at = HEADER; at + 12 <= b->len;) {
		uint32_t type, more;
		uint16_t size;

		memcpy(&type, b->data + at, sizeof(type));
		memcpy(&size, b->data + at + 6, sizeof(size));
		memcpy(&more, b->data + at + 8, sizeof(more));
		if (size < 8)
			break;
		n += type == SAMPLE;
		at += size + (type == TRACING_DATA ? ((size_t)more + 7) / 8 * 8 : 0);
	}
	return n;
}

void hd_probe_program(struct hd_probe *p, char *const *words, const char *begins, struct hd_signal_watch *w)
{
	struct hd_subprocess what = { .argv = words,
		.sum_output = true,
		.keep_bytes = 4 << 20,
		.limit_ms = HD_PROBE_PROGRAM_MS };
	struct hd_subprocess_result end;
	struct hd_err err = { 0 };

	if (hd_subprocess_run(&end, &what, w, &err) < 0) {
		fail(p, HD_AT_CHILD, err.errnum);
		return;
	}
	if (end.how == HD_SUBPROCESS_NOT_STARTED) {
		fail(p, HD_AT_OPEN, end.status);
	} else if (end.how == HD_SUBPROCESS_EXITED && !end.status &&
		!strncmp(hd_buf_str(&end.output), begins, strlen(begins))) {
		works(p, hd_buf_str(&end.output));
		p->text[strcspn(p->text, "\n")] = '\0';
		p->value = count_samples(&end.output);
	} else {
		fail(p, end.how == HD_SUBPROCESS_EXITED ? HD_AT_RECORDS : HD_AT_CHILD, 0);
		p->signal = end.how == HD_SUBPROCESS_SIGNALED ? end.status : 0;
		words_of(p, &end);
	}
	hd_subprocess_result_release(&end);
}

/*
 * A short recording, with the options of profile.sh, into a pipe.  It is too short for a clock, but not for
 * tracepoints: where perf may not record the kernel it opens them without it, and they never happen.
 */
static void try_record(struct hd_probe *p, const char *perf, const char *const *options, bool sampled,
	struct hd_signal_watch *w)
{
	char *words[24] = { "env", "LC_ALL=C", (char *)perf, "record", "-N" };
	size_t n = 5;

	for (; *options; options++)
		words[n++] = (char *)*options;
	words[n++] = "-o";
	words[n++] = "-";
	words[n++] = "--";
	words[n++] = "sleep";		/* leaves its CPU at least once */
	words[n++] = "0.01";
	hd_probe_program(p, words, "PERFILE2", w);
	if (!p->works)
		return;
	*p->text = '\0';
	if (sampled && !p->value)
		fail(p, HD_AT_RECORDS, 0);
}

static void try_perf(struct hd_probe *probes, const char *perf, struct hd_signal_watch *w)
{
	bool cycles = probes[HD_PROBE_CYCLES].works || probes[HD_PROBE_CYCLES_KERNEL].works;
	const char *cpu[] = { "-F", "997", "--call-graph", "fp", "-e", cycles ? "cycles" : "cpu-clock", NULL };
	static const char *const async[] = { "-F", "499", "--call-graph", "dwarf,4096", "-e", "dummy:u",
		"--switch-events", "-e", "sched:sched_switch,sched:sched_wakeup", NULL };
	static const char *const calls[] = { "-c", "1", "--call-graph", "dwarf,1024", "-e",
		"raw_syscalls:sys_enter,raw_syscalls:sys_exit", NULL };
	char *version[] = { (char *)perf, "--version", NULL };

	hd_probe_program(&probes[HD_PROBE_PERF], version, "perf version ", w);
	if (!probes[HD_PROBE_PERF].works)
		return;
	memmove(probes[HD_PROBE_PERF].text, probes[HD_PROBE_PERF].text + 13, sizeof(probes[HD_PROBE_PERF].text) - 13);
	try_record(&probes[HD_PROBE_RECORD_CPU], perf, cpu, false, w);
	try_record(&probes[HD_PROBE_RECORD_ASYNC], perf, async, true, w);
	try_record(&probes[HD_PROBE_RECORD_SYSCALL], perf, calls, true, w);
}

/* ---- the recorder of allocations ---- */

bool hd_probe_find_library(struct hd_buf *path, const char *variable, const char *name)
{
	static const char *const places[] = { "/", "/../lib/hotdrift/" };
	const char *named = getenv(variable);
	char self[4096];
	ssize_t n;

	if (named && *named) {
		hd_buf_adds(path, named);
		if (access(named, R_OK) == 0)
			return true;
	}
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	for (size_t i = 0; n > 0 && i < HD_COUNT(places); i++) {
		self[n] = '\0';
		hd_buf_reset(path);
		hd_buf_addf(path, "%.*s%s%s", (int)(strrchr(self, '/') - self), self, places[i], name);
		if (access(path->data, R_OK) == 0)
			return true;
	}
	return false;
}

/* Remove a folder and the recordings in it; how many there were. */
static unsigned remove_recordings(const char *dir)
{
	DIR *d = opendir(dir);
	unsigned n = 0;

	if (d) {
		for (struct dirent *e; (e = readdir(d));)
			n += !strncmp(e->d_name, "r.", 2) && unlinkat(dirfd(d), e->d_name, 0) == 0;
		closedir(d);
	}
	rmdir(dir);
	return n;
}

static void try_preload(struct hd_probe *p, struct hd_signal_watch *w)
{
	struct hd_buf library = { 0 }, dir = { 0 }, heap = { 0 }, preload = { 0 }, link = { 0 };
	const char *base = getenv("TMPDIR"), *others = getenv("LD_PRELOAD");

	if (!hd_probe_find_library(&library, "HOTDRIFT_HEAP_LIBRARY", "libhotdrift-heap.so")) {
		fail(p, HD_AT_FILE, access("/proc/self/exe", F_OK) < 0 ? errno : ENOENT);
		if (access("/proc/self/exe", F_OK) < 0)
			snprintf(p->text, sizeof(p->text), "/proc/self/exe");
		hd_buf_release(&library);
		return;
	}
	hd_buf_addf(&dir, "%s/hotdrift-doctor.XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(dir.data)) {
		fail(p, HD_AT_CHILD, errno);
		snprintf(p->text, sizeof(p->text), "%.199s", dir.data);
	} else {
		const char *name = library.data;
		char *whole, *words[] = { "env", NULL, NULL, "HOTDRIFT_HEAP_INTERVAL=1", "sh", "-c", "exit 0", NULL };

		hd_buf_addf(&heap, "HOTDRIFT_HEAP=%s/r", dir.data);
		if (strpbrk(library.data, " \t\n:")) {		/* LD_PRELOAD is divided there: as profile.sh does */
			whole = realpath(library.data, NULL);
			hd_buf_addf(&link, "%s/libhotdrift-heap.so", dir.data);
			if (whole && symlink(whole, link.data) == 0)
				name = link.data;
			free(whole);
		}
		hd_buf_addf(&preload, "LD_PRELOAD=%s%s%s", name, others && *others ? ":" : "", others ? others : "");
		words[1] = heap.data;
		words[2] = preload.data;
		hd_probe_program(p, words, "", w);
		if (link.len)
			unlink(link.data);
		if (!remove_recordings(dir.data) && p->works) {
			fail(p, HD_AT_RECORDS, 0);
			snprintf(p->text, sizeof(p->text), "%.199s", library.data);
		}
	}
	hd_buf_release(&library);
	hd_buf_release(&dir);
	hd_buf_release(&heap);
	hd_buf_release(&preload);
	hd_buf_release(&link);
}

/* ---- files ---- */

/* Addresses that are all zero are hidden ones. */
static void try_kallsyms(struct hd_probe *p)
{
	char text[4096];
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n <= 0) {
		fail(p, HD_AT_FILE, n < 0 ? errno : ENODATA);
	} else {
		text[n] = '\0';
		if (strtoull(text, NULL, 16))
			works(p, "");
		else
			fail(p, HD_AT_RECORDS, 0);
	}
	if (fd >= 0)
		close(fd);
}

static void try_vmlinux(struct hd_probe *p, const struct hd_rights *r)
{
	static const char *const places[] = { "/usr/lib/debug/boot/vmlinux-%s", "/usr/lib/debug/lib/modules/%s/vmlinux",
		"/lib/modules/%s/build/vmlinux", "/boot/vmlinux-%s" };
	char path[192];

	fail(p, HD_AT_FILE, ENOENT);
	for (size_t i = 0; i < HD_COUNT(places) && !p->works && !strchr(r->kernel, '/'); i++) {
		snprintf(path, sizeof(path), places[i], r->kernel);
		if (access(path, R_OK) == 0)
			works(p, path);
		else if (errno != ENOENT && errno != ENOTDIR)
			p->errnum = errno;
	}
}

void hd_probe_folder(struct hd_probe *p, const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	/* Not every file system has files without a name. */
	if (fd >= 0 || ((errno == EOPNOTSUPP || errno == EISDIR) && access(dir, W_OK | X_OK) == 0)) {
		works(p, dir);
		return;
	}
	fail(p, HD_AT_FILE, errno);
	snprintf(p->text, sizeof(p->text), "%.199s", dir);
}

void hd_probe_files(struct hd_probe *probes, const struct hd_rights *r, const char *perf, struct hd_signal_watch *w)
{
	char *git[] = { "git", "--version", NULL };

	try_perf(probes, perf, w);
	try_preload(&probes[HD_PROBE_PRELOAD], w);
	hd_probe_program(&probes[HD_PROBE_GIT], git, "git version ", w);
	try_kallsyms(&probes[HD_PROBE_KALLSYMS]);
	try_vmlinux(&probes[HD_PROBE_VMLINUX], r);
	hd_probe_folder(&probes[HD_PROBE_PERF_MAP], "/tmp");
}
