/*
 * probe_events.c - open an event, trigger it, and read its records
 */
#include "doctor/checkup.h"
#include "doctor/probe_row.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { RING_PAGES = 16, RING_MOST_KB = 4096, RING_LEAST_KB = 64, STACK_BYTES = 4096 };

/*
 * Mask of the registers to record, in perf's numbering: the stack pointer and the instruction pointer, which every
 * kernel can record; on other machines than x86-64 and AArch64 the first register.
 */
#if defined(__x86_64__)
static const uint64_t registers = 1u << 7 | 1u << 8;
#elif defined(__aarch64__)
static const uint64_t registers = 1ull << 31 | 1ull << 32;
#else
static const uint64_t registers = 1;
#endif

/* The arguments of a probe that runs in a child process. */
struct job {
	const struct hd_probe_event *event;
	const struct hd_rights *rights;
};

static bool fail(struct hd_probe *p, enum hd_probe_stage stage, int errnum)
{
	p->stage = stage;
	p->errnum = errnum;
	return false;
}

static int perf_event_open(struct perf_event_attr *a, pid_t pid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, a, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* ---- triggers ---- */

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* This function is not inlined, so that a call chain has a second frame. */
static __attribute__((noinline)) void spin(void)
{
	uint64_t until = cpu_ns() + 5000000;
	volatile unsigned n = 0;

	do
		for (unsigned i = 0; i < 20000; i++)
			n = n + i;
	while (cpu_ns() < until);
}

/*
 * Sleep until the kernel has counted three voluntary switches.  On a busy machine a short sleep can be over before this
 * process is switched out, so the sleeps become longer.
 */
static void sleep_little(void)
{
	struct rusage begin, now;

	getrusage(RUSAGE_SELF, &begin);
	for (long ns = 200000; ns < 200000000; ns *= 2) {
		for (int i = 0; i < 3; i++)
			nanosleep(&(struct timespec){ 0, ns }, NULL);
		getrusage(RUSAGE_SELF, &now);
		if (now.ru_nvcsw - begin.ru_nvcsw >= 3)
			return;
	}
}

static void touch(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n = 8 * page;
	char *at = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return;
	for (size_t i = 0; i < n; i += page)
		*(volatile char *)(at + i) = 1;
	munmap(at, n);
}

/* Wake a child that waits in read(), again and again, so that it sleeps at least once even on a busy machine. */
static void wake(void)
{
	int to[2], from[2];
	pid_t parent = getpid(), pid;
	char c = 0;

	if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (getppid() == parent && read(to[0], &c, 1) == 1 && write(from[1], &c, 1) == 1)
			;
		_exit(0);
	}
	for (int i = 0; pid > 0 && i < 20; i++) {
		nanosleep(&(struct timespec){ 0, 100000 }, NULL);
		if (write(to[1], &c, 1) != 1 || read(from[0], &c, 1) != 1)
			break;
	}
	/* The child keeps running.  hd_probe_in_child() kills it together with the process group of this process. */
}

static void feed(enum hd_probe_feed what)
{
	switch (what) {
	case HD_FEED_SPIN: spin(); return;
	case HD_FEED_SLEEP: sleep_little(); return;
	case HD_FEED_TOUCH: touch(); return;
	case HD_FEED_WAKE: wake(); return;
	}
}

/* ---- records ---- */

/* Return true if a sample has the data that `want` names.  v: the n words of the sample; ip, pid and tid come first. */
static bool sample_has(enum hd_probe_want want, const uint64_t *v, size_t n)
{
	uint64_t have = 0, size;
	bool kernel = false;

	v += 2;
	n = n > 2 ? n - 2 : 0;
	switch (want) {
	case HD_WANT_SAMPLES:
		return true;
	case HD_WANT_SWITCH_RECORDS:
		return false;
	case HD_WANT_USER_CHAIN:
	case HD_WANT_KERNEL_CHAIN:
		for (uint64_t i = 1; n && i <= v[0] && i < n; i++) {
			if (v[i] >= (uint64_t)-4095)		/* a PERF_CONTEXT_* marker */
				kernel = v[i] == (uint64_t)PERF_CONTEXT_KERNEL;
			else
				have += kernel == (want == HD_WANT_KERNEL_CHAIN);
		}
		return have >= 2;
	/*
	 * the sample has: ABI of the registers, registers, size of the stack copy, the copy, number of valid bytes
	 */
	case HD_WANT_STACK:
		if (n < 4 || !v[0])
			return false;
		size = v[1 + (size_t)__builtin_popcountll(registers)];
		have = 2 + (uint64_t)__builtin_popcountll(registers) + size / 8;
		return size && have < n && v[have] > 0;
	}
	return false;
}

/* Count the wanted records.  The ring was never read, so it starts at offset 0 and has not wrapped around. */
static long count_wanted(const struct perf_event_mmap_page *page, size_t page_bytes, size_t bytes,
	enum hd_probe_want want)
{
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	const char *data = (const char *)page + page_bytes;
	struct perf_event_header h;
	long n = 0;

	for (uint64_t at = 0; at + sizeof(h) <= head && at + sizeof(h) <= bytes; at += h.size) {
		memcpy(&h, data + at, sizeof(h));
		if (h.size < sizeof(h) || at + h.size > bytes)
			break;
		if (h.type == PERF_RECORD_SAMPLE)
			n += sample_has(want, (const uint64_t *)(data + at + sizeof(h)), (h.size - sizeof(h)) / 8);
		else if (h.type == PERF_RECORD_SWITCH)
			n += want == HD_WANT_SWITCH_RECORDS;
	}
	return n;
}

/* ---- probes ---- */

/* Read the ID of a tracepoint from tracefs.  Its `format` must be readable too, because perf needs both. */
static bool find_tracepoint(uint64_t *id, const char *name, struct hd_probe *p, const struct hd_rights *r)
{
	static const char *const files[] = { "format", "id" };
	char path[128], text[32];
	ssize_t n = 0;
	int tracefs = hd_rights_open_tracefs(r);

	if (tracefs < 0) {
		snprintf(p->text, sizeof(p->text), "%.199s", r->tracefs);
		return fail(p, HD_AT_FILE, errno);
	}
	for (size_t i = 0; i < HD_COUNT(files); i++) {
		int fd, errnum;

		snprintf(path, sizeof(path), "events/%s/%s", name, files[i]);
		fd = openat(tracefs, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
		errnum = errno;
		if (fd >= 0)
			close(fd);
		if (n <= 0) {
			close(tracefs);
			snprintf(p->text, sizeof(p->text), "%.100s/%.90s", r->tracefs, path);
			return fail(p, HD_AT_FILE, n < 0 ? errnum : ENODATA);
		}
	}
	close(tracefs);
	text[n] = '\0';
	*id = strtoull(text, NULL, 10);
	return true;
}

static struct perf_event_attr attr_of(const struct hd_probe_event *t)
{
	struct perf_event_attr a = { .type = t->type,
		.size = sizeof(a),
		.config = t->config,
		.sample_period = t->period ? t->period : 1,
		.disabled = 1,
		.exclude_kernel = !t->kernel,
		.exclude_hv = !t->kernel,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID };

	switch (t->want) {
	case HD_WANT_SAMPLES:
		break;
	case HD_WANT_SWITCH_RECORDS:
		a.context_switch = 1;
		break;
	case HD_WANT_USER_CHAIN:
	case HD_WANT_KERNEL_CHAIN:
		a.sample_type |= PERF_SAMPLE_CALLCHAIN;
		a.exclude_callchain_kernel = t->want == HD_WANT_USER_CHAIN;
		break;
	case HD_WANT_STACK:
		a.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		a.sample_regs_user = registers;
		a.sample_stack_user = STACK_BYTES;
		break;
	}
	if (t->tracepoint)
		a.sample_type |= PERF_SAMPLE_RAW;	/* perf always requests raw data, which requires privileges */
	if (t->branches) {
		a.sample_type |= PERF_SAMPLE_BRANCH_STACK;
		a.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	}
	return a;
}

/* Pin this process to its current CPU and return the CPU's number. */
static int settle_on_cpu(void)
{
	int cpu = sched_getcpu();
	cpu_set_t *set = CPU_ALLOC(8192);
	size_t n = CPU_ALLOC_SIZE(8192);

	if (set) {
		CPU_ZERO_S(n, set);
		CPU_SET_S((size_t)cpu, n, set);
		sched_setaffinity(0, n, set);
		CPU_FREE(set);
	}
	return cpu;
}

static void try_event(struct hd_probe *p, const void *arg)
{
	const struct job *j = arg;
	const struct hd_probe_event *t = j->event;
	struct perf_event_attr a = attr_of(t);
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = RING_PAGES * page;
	int level = t->precise ? 3 : 0, fd;
	uint64_t id = t->config;
	void *ring;

	if (t->tracepoint && !find_tracepoint(&id, t->tracepoint, p, j->rights))
		return;
	a.config = id;
	do {
		a.precise_ip = (unsigned)level & 3;
		fd = t->all_cpus ? perf_event_open(&a, -1, settle_on_cpu()) : perf_event_open(&a, 0, -1);
	} while (fd < 0 && --level > 0);
	if (fd < 0) {
		fail(p, HD_AT_OPEN, errno);
		return;
	}
	ring = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0) {
		fail(p, ring == MAP_FAILED ? HD_AT_RING : HD_AT_OPEN, errno);
		return;
	}
	feed(t->feed);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	p->value = count_wanted(ring, page, bytes, t->want);
	p->works = p->value > 0;
	if (!p->works)
		fail(p, HD_AT_RECORDS, 0);
	if (t->precise)
		p->value = level;
}

/* Test only whether the system call perf_event_open() is available. */
static void try_open(struct hd_probe *p, const void *arg)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER0,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1 };

	p->works = perf_event_open(&a, 0, -1) >= 0;
	if (!p->works)
		fail(p, HD_AT_OPEN, errno);
}

/* Find the largest ring buffer that can be mapped.  Only powers of two are tried. */
static void try_ring(struct hd_probe *p, const void *arg)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE,
		.size = sizeof(a),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = perf_event_open(&a, 0, -1);

	if (fd < 0) {
		fail(p, HD_AT_OPEN, errno);
		return;
	}
	for (long kb = RING_MOST_KB; kb >= RING_LEAST_KB && !p->value; kb /= 2)
		if (mmap(NULL, page + (size_t)kb * 1024, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED)
			p->value = kb;
	p->works = p->value >= 512;		/* 512 KiB is the size that perf uses by default */
	if (!p->works)
		fail(p, HD_AT_RING, errno);
}

void hd_probe_run_open(struct hd_probe *p, const struct hd_probe_env *env, const struct hd_probe_row *row)
{
	hd_probe_in_child(p, try_open, NULL);
}

void hd_probe_run_event(struct hd_probe *p, const struct hd_probe_env *env, const struct hd_probe_row *row)
{
	hd_probe_in_child(p, try_event, &(struct job){ &row->event, env->rights });
}

void hd_probe_run_ring(struct hd_probe *p, const struct hd_probe_env *env, const struct hd_probe_row *row)
{
	hd_probe_in_child(p, try_ring, NULL);
}
