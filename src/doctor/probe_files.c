/*
 * probe_files.c - probe the programs and files that recording and reading need
 */
#include "doctor/checkup.h"
#include "doctor/probe_row.h"

#include "base/mem.h"
#include "base/subprocess.h"
#include "profile/mode.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- programs ---- */

/* Copy the first line of stderr that begins with "Error:", otherwise its first line that is not empty. */
static void copy_error(struct hd_probe *p, const struct hd_subprocess_result *end)
{
	const char *all = hd_buf_str(&end->errors), *best = NULL;

	for (const char *s = all; *s; s += strcspn(s, "\n"), s += *s == '\n') {
		size_t n = strcspn(s, "\n");

		if (n < 7 && !strncasecmp(s, "error:", n))	/* the message is on the next line */
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
 * Count the samples of a perf.data in pipe form: a header of 16 bytes, then records of type (4 bytes), misc (2)
 * and size (2).  A record of tracing data is followed by its data, padded to a multiple of eight bytes.
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

/*
 * Run `words` (terminated by NULL).  The probe works if the program exits with 0 and its output begins with
 * `begins`.  Then p->text is the first line of the output, and p->value the number of samples in it.
 */
static void run_program(struct hd_probe *p, char *const *words, const char *begins, struct hd_signal_watch *w)
{
	struct hd_subprocess what = { .argv = words,
		.sum_output = true,
		.keep_bytes = 4 << 20,
		.limit_ms = HD_PROBE_PROGRAM_MS };
	struct hd_subprocess_result end;
	struct hd_err err = { 0 };

	if (hd_subprocess_run(&end, &what, w, &err) < 0) {
		hd_probe_fails(p, HD_AT_CHILD, err.errnum, "");
		return;
	}
	if (end.how == HD_SUBPROCESS_NOT_STARTED) {
		hd_probe_fails(p, HD_AT_OPEN, end.status, "");
	} else if (end.how == HD_SUBPROCESS_EXITED && !end.status &&
		!strncmp(hd_buf_str(&end.output), begins, strlen(begins))) {
		hd_probe_works(p, hd_buf_str(&end.output));
		p->text[strcspn(p->text, "\n")] = '\0';
		p->value = count_samples(&end.output);
	} else {
		hd_probe_fails(p, end.how == HD_SUBPROCESS_EXITED ? HD_AT_RECORDS : HD_AT_CHILD, 0, "");
		p->signal = end.how == HD_SUBPROCESS_SIGNALED ? end.status : 0;
		copy_error(p, &end);
	}
	hd_subprocess_result_release(&end);
}

void hd_probe_run_perf(struct hd_probe *p, const struct hd_probe_env *env, const struct hd_probe_row *row)
{
	static const char begin[] = "perf version ";
	char *version[] = { (char *)env->perf, "--version", NULL };

	run_program(p, version, begin, env->watch);
	if (p->works)
		memmove(p->text, p->text + strlen(begin), sizeof(p->text) - strlen(begin));
}

/*
 * Make a short recording into a pipe, with the options of the profile mode `row->arg`.  If the mode names no events
 * (cpu), no sample is required, because the recording is too short for its frequency.  If the mode names events, at
 * least one must arrive: without the right to record the kernel, perf opens tracepoints for user mode only, and these
 * never occur.
 */
void hd_probe_run_record(struct hd_probe *p, const struct hd_probe_env *env, const struct hd_probe_row *row)
{
	const struct hd_profile_mode *m = hd_profile_mode_find(row->arg);
	const struct hd_probe *probes = env->probes;
	bool cycles = probes[HD_PROBE_CYCLES].works || probes[HD_PROBE_CYCLES_KERNEL].works;
	char options[128], period[16], *save = NULL;
	char *words[32] = { "env", "LC_ALL=C", (char *)env->perf, "record", "-N", m->period ? "-c" : "-F",
		m->period ? period : "997", "--call-graph", (char *)(m->call_graph ? m->call_graph : "fp") };
	size_t n = 9;

	if (!probes[HD_PROBE_PERF].works)
		return;
	snprintf(period, sizeof(period), "%u", m->period);
	snprintf(options, sizeof(options), "%s", m->record_options ? m->record_options : "");
	for (char *w = strtok_r(options, " ", &save); w; w = strtok_r(NULL, " ", &save))
		words[n++] = w;
	/* Without this option of perf 5.1, perf ends a second later, when its thread for BPF programs wakes up. */
	if (strtod(probes[HD_PROBE_PERF].text, NULL) >= 5.1)
		words[n++] = "--no-bpf-event";
	words[n++] = "-e";
	words[n++] = (char *)(m->events ? m->events : cycles ? "cycles" : "cpu-clock");
	words[n++] = "-o";
	words[n++] = "-";
	words[n++] = "--";
	words[n++] = "sleep";		/* leaves its CPU at least once */
	words[n++] = "0.01";
	run_program(p, words, "PERFILE2", env->watch);
	if (!p->works)
		return;
	*p->text = '\0';
	if (m->events && !p->value)
		hd_probe_fails(p, HD_AT_RECORDS, 0, "");
}

void hd_probe_run_git(struct hd_probe *p, const struct hd_probe_env *env, const struct hd_probe_row *row)
{
	char *words[] = { "git", "--version", NULL };

	run_program(p, words, "git version ", env->watch);
}

void hd_probe_run_nsys(struct hd_probe *p, const struct hd_probe_env *env, const struct hd_probe_row *row)
{
	char *words[] = { "nsys", "--version", NULL };

	run_program(p, words, "NVIDIA Nsight Systems", env->watch);
}

/* ---- libhotdrift-heap.so ---- */

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

/* Remove a folder and the recordings in it.  Returns the number of recordings. */
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

void hd_probe_run_preload(struct hd_probe *p, const struct hd_probe_env *env, const struct hd_probe_row *row)
{
	struct hd_buf library = { 0 }, dir = { 0 }, heap = { 0 }, preload = { 0 }, link = { 0 };
	const char *base = getenv("TMPDIR"), *others = getenv("LD_PRELOAD");

	if (!hd_probe_find_library(&library, "HOTDRIFT_HEAP_LIBRARY", "libhotdrift-heap.so")) {
		hd_probe_fails(p, HD_AT_FILE, access("/proc/self/exe", F_OK) < 0 ? errno : ENOENT, "");
		if (access("/proc/self/exe", F_OK) < 0)
			snprintf(p->text, sizeof(p->text), "/proc/self/exe");
		hd_buf_release(&library);
		return;
	}
	hd_buf_addf(&dir, "%s/hotdrift-doctor.XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(dir.data)) {
		hd_probe_fails(p, HD_AT_CHILD, errno, "");
		snprintf(p->text, sizeof(p->text), "%.199s", dir.data);
	} else {
		const char *name = library.data;
		char *whole, *words[] = { "env", NULL, NULL, "HOTDRIFT_HEAP_INTERVAL=1", "sh", "-c", "exit 0", NULL };

		hd_buf_addf(&heap, "HOTDRIFT_HEAP=%s/r", dir.data);
		/*
		 * glibc divides LD_PRELOAD at blanks and colons, musl at any white space and colons, and neither has an
		 * escape.  If the path of the library has such a character, use a link with another path, as
		 * scripts/lib/memory.sh does.
		 */
		if (strpbrk(library.data, " \t\n:")) {
			whole = realpath(library.data, NULL);
			hd_buf_addf(&link, "%s/libhotdrift-heap.so", dir.data);
			if (whole && symlink(whole, link.data) == 0)
				name = link.data;
			free(whole);
		}
		hd_buf_addf(&preload, "LD_PRELOAD=%s%s%s", name, others && *others ? ":" : "", others ? others : "");
		words[1] = heap.data;
		words[2] = preload.data;
		run_program(p, words, "", env->watch);
		if (link.len)
			unlink(link.data);
		if (!remove_recordings(dir.data) && p->works) {
			hd_probe_fails(p, HD_AT_RECORDS, 0, "");
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

/*
 * Test whether /proc/kallsyms shows addresses.  The kernel hides them by printing zeroes.  The first symbols may have
 * the address 0: those of per-CPU data on x86-64, before Linux 6.15.
 */
void hd_probe_run_kallsyms(struct hd_probe *p, const struct hd_probe_env *env, const struct hd_probe_row *row)
{
	char text[4096];
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n <= 0) {
		hd_probe_fails(p, HD_AT_FILE, n < 0 ? errno : ENODATA, "");
	} else {
		const char *line = text;

		text[n] = '\0';
		while (!strtoull(line, NULL, 16) && strchr(line, '\n'))
			line = strchr(line, '\n') + 1;
		if (strtoull(line, NULL, 16))
			hd_probe_works(p, "");
		else
			hd_probe_fails(p, HD_AT_RECORDS, 0, "");
	}
	if (fd >= 0)
		close(fd);
}

void hd_probe_run_vmlinux(struct hd_probe *p, const struct hd_probe_env *env, const struct hd_probe_row *row)
{
	static const char *const places[] = { "/usr/lib/debug/boot/vmlinux-%s", "/usr/lib/debug/lib/modules/%s/vmlinux",
		"/lib/modules/%s/build/vmlinux", "/boot/vmlinux-%s" };
	char path[192];

	hd_probe_fails(p, HD_AT_FILE, ENOENT, "");
	for (size_t i = 0; i < HD_COUNT(places) && !p->works && !strchr(env->rights->kernel, '/'); i++) {
		snprintf(path, sizeof(path), places[i], env->rights->kernel);
		if (access(path, R_OK) == 0)
			hd_probe_works(p, path);
		else if (errno != ENOENT && errno != ENOTDIR)
			p->errnum = errno;
	}
}

void hd_probe_folder(struct hd_probe *p, const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	/* Not every file system supports O_TMPFILE. */
	if (fd >= 0 || ((errno == EOPNOTSUPP || errno == EISDIR) && access(dir, W_OK | X_OK) == 0)) {
		hd_probe_works(p, dir);
		return;
	}
	hd_probe_fails(p, HD_AT_FILE, errno, "");
	snprintf(p->text, sizeof(p->text), "%.199s", dir);
}

void hd_probe_run_folder(struct hd_probe *p, const struct hd_probe_env *env, const struct hd_probe_row *row)
{
	hd_probe_folder(p, row->arg);
}
