/*
 * libdw_child.c - see libdw_child.h
 */
#include "unwind/libdw_child.h"

#include "base/mem.h"
#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK_MAX = 1 << 16, REGS_MAX = 64 };

/* The memory that parent and child share. */
struct exchange {
	/* request */
	struct hd_process_context at;
	enum hd_unwind_machine machine;
	uint64_t abi, regs_mask, stack_bytes;
	bool swap, wants_marks;
	uint8_t regs[8 * REGS_MAX], stack[STACK_MAX];
	/* answer */
	enum hd_libdw_problem problem;
	struct hd_unwind_result result;
	uint8_t marks[STACK_MAX];
};

struct hd_libdw_child {
	struct hd_object_cfis *objects;
	struct exchange *shared;	/* NULL: no child can be started */
	pid_t pid;			/* 0: none */
	int request, answer;		/* the parent's ends of the pipes */
	struct hd_unwind_child_losses losses;
};

struct hd_libdw_child *hd_libdw_child_new(struct hd_object_cfis *objects)
{
	struct hd_libdw_child *c = hd_new(struct hd_libdw_child);

	c->objects = objects;
	c->shared = mmap(NULL, sizeof(*c->shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c->shared == MAP_FAILED)
		c->shared = NULL;
	return c;
}

const struct hd_unwind_child_losses *hd_libdw_child_losses(const struct hd_libdw_child *c)
{
	return &c->losses;
}

/* ---- the child ---- */

static void set_limit(int what, rlim_t max)
{
	setrlimit(what, &(struct rlimit){ max, max });
}

/* Return the size of the data and the stack of this process in bytes; a large value if it is unknown. */
static rlim_t data_bytes(void)
{
	unsigned long long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (!f || fscanf(f, "%*u %*u %*u %*u %*u %llu", &pages) != 1)
		pages = 1 << 20;
	if (f)
		fclose(f);
	return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/*
 * Limit the CPU time of the child by a timer, whose signal ends the process.  Elapsed time is not limited here: on a
 * busy machine that would end children that work correctly.
 */
static void limit_cpu(unsigned ms)
{
	struct itimerval t = { .it_value = { ms / 1000, ms % 1000 * 1000 } };

	setitimer(ITIMER_PROF, &t, NULL);
}

static void confine(pid_t parent)
{
	static const int signals[] = { SIGPROF, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPIPE, SIGINT, SIGTERM,
		SIGHUP };
	sigset_t none;

	for (size_t i = 0; i < HD_COUNT(signals); i++)
		signal(signals[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	set_limit(RLIMIT_CORE, 0);
	set_limit(RLIMIT_FSIZE, 0);
	set_limit(RLIMIT_DATA, data_bytes() + HD_LIBDW_DATA_MAX);
	hd_sandbox_enter(NULL);
}

static _Noreturn void serve(struct exchange *x, struct hd_object_cfis *objects, int request, int answer)
{
	struct hd_libdw_frames *frames = hd_libdw_frames_new(objects);
	char byte;

	while (read(request, &byte, 1) == 1) {
		struct hd_unwind_input in = {
			.at = &x->at, .machine = x->machine, .abi = x->abi, .regs_mask = x->regs_mask, .regs = x->regs,
			.stack = x->stack, .stack_bytes = x->stack_bytes, .swap = x->swap,
			.marks = x->wants_marks ? x->marks : NULL,
		};

		limit_cpu(HD_LIBDW_STACK_CPU_MS);
		x->problem = hd_libdw_frames_run(frames, &in, &x->result);
		limit_cpu(0);
		if (write(answer, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

/* Count the end of a child with this status, or a child that could not be started (status 0). */
static void count_end(struct hd_libdw_child *c, int status)
{
	c->losses.ended++;
	c->losses.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static bool start(struct hd_libdw_child *c)
{
	int down[2] = { -1, -1 }, up[2] = { -1, -1 };
	pid_t parent = getpid();

	if (c->pid)
		return true;
	if (!c->shared || c->losses.ended >= HD_LIBDW_CHILDREN || c->losses.absent || c->losses.machine)
		return false;
	if (pipe2(down, O_CLOEXEC) == 0 && pipe2(up, O_CLOEXEC) == 0)
		c->pid = fork();
	if (c->pid == 0 && up[1] >= 0) {
		close(down[1]);
		close(up[0]);
		confine(parent);
		serve(c->shared, c->objects, down[0], up[1]);
	}
	if (c->pid < 0 || up[1] < 0)
		c->pid = 0;
	close(down[0]);
	close(up[1]);
	if (!c->pid) {
		close(down[1]);
		close(up[0]);
		count_end(c, 0);
		return false;
	}
	c->request = down[1];
	c->answer = up[0];
	return true;
}

/* ---- the parent ---- */

/* Kill the child and return its status as waitpid() does. */
static int reap(struct hd_libdw_child *c)
{
	int status = 0;

	close(c->request);
	close(c->answer);
	kill(c->pid, SIGKILL);
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
	return status;
}

void hd_libdw_child_stop(struct hd_libdw_child *c)
{
	if (c->pid)
		reap(c);
}

void hd_libdw_child_free(struct hd_libdw_child *c)
{
	if (!c)
		return;
	hd_libdw_child_stop(c);
	if (c->shared)
		munmap(c->shared, sizeof(*c->shared));
	free(c);
}

static void put_request(struct exchange *x, const struct hd_unwind_input *in)
{
	unsigned nregs = (unsigned)__builtin_popcountll(in->regs_mask);

	x->at = *in->at;
	x->machine = in->machine;
	x->abi = in->abi;
	x->regs_mask = in->regs_mask;
	x->swap = in->swap;
	x->wants_marks = in->marks != NULL;
	x->stack_bytes = !in->stack ? 0 : in->stack_bytes < STACK_MAX ? in->stack_bytes : STACK_MAX;
	memcpy(x->regs, in->regs, 8 * (size_t)nregs);
	if (x->stack_bytes)
		memcpy(x->stack, in->stack, x->stack_bytes);
	if (x->wants_marks)
		memset(x->marks, 0, x->stack_bytes);
	x->result.n = 0;
}

/* Send the request and wait for the answer.  Return false if the child has ended or does not answer in time. */
static bool exchange(struct hd_libdw_child *c)
{
	struct pollfd answer = { .fd = c->answer, .events = POLLIN };
	char byte = 0;
	ssize_t n;
	int rc;

	/* If the child has ended, write() fails with EPIPE, because this program ignores SIGPIPE. */
	do
		n = write(c->request, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		return false;
	do
		rc = poll(&answer, 1, HD_LIBDW_WAIT_MS);
	while (rc < 0 && errno == EINTR);
	return rc > 0 && read(c->answer, &byte, 1) == 1;
}

/* Copy and check the answer. */
static void take_answer(struct hd_libdw_child *c, const struct hd_unwind_input *in, struct hd_unwind_result *out)
{
	const struct exchange *x = c->shared;
	uint32_t n = *(const volatile uint32_t *)&x->result.n, end = *(const volatile uint32_t *)&x->result.end;
	struct hd_process_location where;

	if (n > HD_UNWIND_MAX)
		n = 0;
	memcpy(out->ip, x->result.ip, n * sizeof(*out->ip));
	memcpy(out->cfa, x->result.cfa, n * sizeof(*out->cfa));
	out->end = end <= HD_UNWIND_END_LIMIT ? (enum hd_unwind_end)end : HD_UNWIND_END_BAD;
	for (out->n = 0; out->n < n; out->n++) {
		uint8_t exact = x->result.flags[out->n] & HD_UNWIND_EXACT;

		hd_process_find(c->objects->proc, in->at, out->ip[out->n] - !exact, 2, &where);
		if (out->n && !where.object) {
			out->end = HD_UNWIND_END_BAD;
			break;
		}
		out->flags[out->n] = exact;
		/* open the object in this process, too, so that a bundle contains its code */
		if (where.object)
			hd_object_cfis_get(c->objects, where.object);
		out->object = where.object;
	}
	if (out->end != HD_UNWIND_END_NO_CFI && out->end != HD_UNWIND_END_BAD)
		out->object = 0;
	if (in->marks)
		for (uint64_t i = 0; i < x->stack_bytes; i++)
			in->marks[i] |= x->marks[i] & 1;
	c->losses.absent = x->problem == HD_LIBDW_ABSENT;
	c->losses.machine = x->problem == HD_LIBDW_MACHINE;
}

void hd_libdw_child_run(struct hd_libdw_child *c, const struct hd_unwind_input *in, struct hd_unwind_result *out)
{
	out->n = 0;
	out->object = 0;
	out->guessed = false;
	out->end = HD_UNWIND_END_NO_STACK;
	if (!start(c)) {
		c->losses.stacks++;
		return;
	}
	put_request(c->shared, in);
	if (exchange(c)) {
		take_answer(c, in, out);
		c->losses.stacks += c->losses.absent || c->losses.machine;
		return;
	}
	count_end(c, reap(c));
	c->losses.stacks++;
}
