/*
 * subprocess.c - see subprocess.h
 */
#include "base/subprocess.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the child sends through the pipe: the time before exec(), or why exec() failed. */
struct word {
	int errnum;
	uint64_t now_ns;
};

/* The pipes of one run: [0] the parent's end, [1] the child's; -1: not open. */
struct pipes {
	int word[2], out[2], err[2];
};

struct running {
	pid_t pid;
	struct pipes p;
	struct hd_sha256 *sum;
	uint64_t deadline_ns;		/* UINT64_MAX: none */
	int asked;			/* signals sent: 0 none, 1 SIGTERM, 2 SIGKILL */
	int read_errnum;		/* error while reading its output */
	uint64_t ended_ns;
};

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void shut_all(struct pipes *p)
{
	for (int i = 0; i < 2; i++) {
		shut(&p->word[i]);
		shut(&p->out[i]);
		shut(&p->err[i]);
	}
}

static int open_pipes(struct pipes *p, bool output, struct hd_err *err)
{
	*p = (struct pipes){ { -1, -1 }, { -1, -1 }, { -1, -1 } };
	if (pipe2(p->word, O_CLOEXEC) < 0 || pipe2(p->err, O_CLOEXEC) < 0 || (output && pipe2(p->out, O_CLOEXEC) < 0)) {
		int errnum = errno;

		shut_all(p);
		return hd_fail_errno(err, HD_EIO, errnum, "cannot make a pipe for the process that is measured");
	}
	fcntl(p->word[0], F_SETFL, O_NONBLOCK);
	fcntl(p->err[0], F_SETFL, O_NONBLOCK);
	if (output)
		fcntl(p->out[0], F_SETFL, O_NONBLOCK);
	return 0;
}

/* ---- the child: only async-signal-safe calls between fork and exec */

static void say(int fd, int errnum)
{
	struct word w = { errnum, hd_monotonic_ns() };

	if (hd_file_write_all(fd, &w, sizeof(w)) < 0)
		_exit(errno);
}

static void plain_signals(const struct hd_signal_watch *w)
{
	/* Real-time signals are not reset, because hotdrift does not change them. */
	for (int s = 1; s < 32; s++)
		signal(s, SIG_DFL);
	sigprocmask(SIG_SETMASK, &w->before, NULL);
}

static _Noreturn void become(const struct hd_subprocess *what, const struct pipes *p, const struct hd_signal_watch *w,
	pid_t parent)
{
	int in, null;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	/* Open the input before chdir(), because its path is relative to the previous directory. */
	in = open(what->input ? what->input : "/dev/null", O_RDONLY | O_NOCTTY | O_CLOEXEC);
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (in < 0 || null < 0 || dup2(in, 0) < 0 || dup2(p->out[1] >= 0 ? p->out[1] : null, 1) < 0 ||
		dup2(p->err[1], 2) < 0 || (what->dir && chdir(what->dir) < 0)) {
		say(p->word[1], errno);
		_exit(127);
	}
	plain_signals(w);
	say(p->word[1], 0);
	execvp(what->argv[0], what->argv);
	say(p->word[1], errno);
	_exit(127);
}

/* ---- while it runs */

/* Keep the last HD_SUBPROCESS_STDERR bytes. */
static void keep_end(struct hd_buf *b, const char *bytes, size_t n)
{
	hd_buf_add(b, bytes, n);
	if (b->len > HD_SUBPROCESS_STDERR) {
		memmove(b->data, b->data + b->len - HD_SUBPROCESS_STDERR, HD_SUBPROCESS_STDERR);
		b->len = HD_SUBPROCESS_STDERR;
		b->data[b->len] = '\0';
	}
}

static void take_output(struct hd_subprocess_result *end, struct running *r, const struct hd_subprocess *what,
	const char *bytes, size_t n)
{
	size_t room = what->keep_bytes - end->output.len;

	hd_sha256_add(r->sum, bytes, n);
	end->output_bytes += n;
	hd_buf_add(&end->output, bytes, n < room ? n : room);
}

/* Read what is available; close the descriptor at the end of the pipe. */
static void drain(int *fd, struct hd_subprocess_result *end, struct running *r, const struct hd_subprocess *what)
{
	char chunk[65536];
	ssize_t n;

	if (*fd < 0)
		return;
	/* Read at most 16 chunks, so that the caller checks the timeout even if the child writes all the time. */
	for (int i = 0; i < 16; i++) {
		n = read(*fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			r->read_errnum = n < 0 ? errno : r->read_errnum;
			shut(fd);
			return;
		}
		if (fd == &r->p.out[0])
			take_output(end, r, what, chunk, (size_t)n);
		else
			keep_end(&end->errors, chunk, (size_t)n);
	}
}

/*
 * Send SIGTERM to the process group on the first call, SIGKILL on later calls.  The process is not reaped yet, so its
 * id cannot have been reused.
 */
static void ask_to_end(struct running *r, enum hd_subprocess_outcome how, struct hd_subprocess_result *end)
{
	if (!r->asked)
		end->how = how;
	kill(-r->pid, r->asked ? SIGKILL : SIGTERM);
	r->asked = r->asked ? 2 : 1;
	r->deadline_ns = r->asked == 2 ? UINT64_MAX : hd_monotonic_ns() + HD_SUBPROCESS_GRACE_MS * UINT64_C(1000000);
}

static int left_ms(uint64_t deadline_ns)
{
	uint64_t now, ms;

	if (deadline_ns == UINT64_MAX)
		return -1;
	now = hd_monotonic_ns();
	ms = deadline_ns > now ? (deadline_ns - now) / 1000000 + 1 : 0;
	return ms < 1000000000 ? (int)ms : 1000000000;
}

static bool has_ended(pid_t pid)
{
	siginfo_t si = { 0 };

	return waitid(P_PID, (id_t)pid, &si, WEXITED | WNOHANG | WNOWAIT) == 0 && si.si_pid == pid;
}

static void wait_for_end(struct running *r, struct hd_subprocess_result *end, const struct hd_subprocess *what,
	struct hd_signal_watch *w)
{
	while (!has_ended(r->pid)) {
		struct pollfd p[] = { { w->fd, POLLIN, 0 }, { r->p.out[0], POLLIN, 0 }, { r->p.err[0], POLLIN, 0 } };
		int n = poll(p, HD_COUNT(p), left_ms(r->deadline_ns));
		bool was = w->stopped_by != 0;

		if (n < 0 && errno != EINTR) /* poll() cannot fail here; if it does, end the process */
			ask_to_end(r, HD_SUBPROCESS_STOPPED, end);
		if (n > 0 && p[1].revents)
			drain(&r->p.out[0], end, r, what);
		if (n > 0 && p[2].revents)
			drain(&r->p.err[0], end, r, what);
		if (hd_signal_watch_stopped(w) && !was)
			ask_to_end(r, HD_SUBPROCESS_STOPPED, end);
		else if (left_ms(r->deadline_ns) == 0)
			ask_to_end(r, HD_SUBPROCESS_TIMED_OUT, end);
	}
	r->ended_ns = hd_monotonic_ns();
	if (r->asked)		/* kill the processes that remain in the group */
		kill(-r->pid, SIGKILL);
}

/* ---- after its end */

static uint64_t ns_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

/*
 * Read what the child sent through the pipe: the time before exec(), and the error if exec() failed.  The child's end
 * of the pipe is closed by now.
 */
static int hear(struct running *r, struct word *began, struct word *failed, struct hd_err *err)
{
	struct word said[2] = { { 0 }, { 0 } };
	size_t have = 0;
	ssize_t n;

	while (have < sizeof(said) &&
		((n = read(r->p.word[0], (char *)said + have, sizeof(said) - have)) > 0 || (n < 0 && errno == EINTR)))
		have += n > 0 ? (size_t)n : 0;
	if (have < sizeof(said) && n < 0)
		return hd_fail_errno(err, HD_EIO, errno, "cannot determine how the process that is measured began");
	*began = have >= sizeof(*said) ? said[0] : (struct word){ 0 };
	*failed = began->errnum ? *began : said[1];
	return 0;
}

static int reap(struct running *r, struct hd_subprocess_result *end, struct hd_err *err)
{
	struct word began = { 0 }, failed = { 0 };
	struct rusage u;
	int status, rc;
	pid_t got;

	do
		got = wait4(r->pid, &status, 0, &u);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return hd_fail_errno(err, HD_EIO, errno, "cannot determine how the process that is measured ended");
	end->left_others = kill(-r->pid, 0) == 0;
	rc = hear(r, &began, &failed, err);
	if (rc < 0)
		return rc;
	if (!began.now_ns && !r->asked)
		return hd_fail_errno(err, HD_EIO, WIFEXITED(status) ? WEXITSTATUS(status) : EINTR,
			"the process to be measured did not start");
	end->wall_ns = began.now_ns && !failed.errnum ? r->ended_ns - began.now_ns : 0;
	end->user_ns = ns_of(u.ru_utime);
	end->system_ns = ns_of(u.ru_stime);
	end->peak_rss_bytes = (uint64_t)u.ru_maxrss * 1024;
	end->minor_faults = (uint64_t)u.ru_minflt;
	end->major_faults = (uint64_t)u.ru_majflt;
	end->waited = (uint64_t)u.ru_nvcsw;
	end->set_aside = (uint64_t)u.ru_nivcsw;
	if (failed.errnum) {
		end->how = HD_SUBPROCESS_NOT_STARTED;
		end->status = failed.errnum;
	} else if (!r->asked) {
		end->how = WIFEXITED(status) ? HD_SUBPROCESS_EXITED : HD_SUBPROCESS_SIGNALED;
		end->status = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
	}
	return 0;
}

int hd_subprocess_run(struct hd_subprocess_result *end, const struct hd_subprocess *what, struct hd_signal_watch *w,
	struct hd_err *err)
{
	struct running r = { .deadline_ns = what->limit_ms ? hd_monotonic_ns() + what->limit_ms * UINT64_C(1000000)
							   : UINT64_MAX };
	pid_t parent = getpid();
	int rc;

	*end = (struct hd_subprocess_result){ 0 };
	if (hd_signal_watch_stopped(w)) {
		end->how = HD_SUBPROCESS_STOPPED;
		return 0;
	}
	rc = open_pipes(&r.p, what->sum_output, err);
	if (rc < 0)
		return rc;
	r.pid = fork();
	if (r.pid < 0) {
		rc = hd_fail_errno(err, HD_EIO, errno, "cannot start a process");
		shut_all(&r.p);
		return rc;
	}
	if (r.pid == 0)
		become(what, &r.p, w, parent);
	setpgid(r.pid, r.pid);		/* parent and child both call setpgid(), because either may run first */
	shut(&r.p.word[1]);
	shut(&r.p.out[1]);
	shut(&r.p.err[1]);
	r.sum = what->sum_output ? hd_sha256_new() : NULL;
	wait_for_end(&r, end, what, w);
	rc = reap(&r, end, err);
	/*
	 * The output of the process itself is in the pipes by now.  Do not wait for the end of the pipes, because
	 * descendants that still run may write for ever.
	 */
	drain(&r.p.out[0], end, &r, what);
	drain(&r.p.err[0], end, &r, what);
	if (r.sum)
		hd_sha256_end(r.sum, end->output_sum);
	shut_all(&r.p);
	if (rc >= 0 && r.read_errnum)
		rc = hd_fail_errno(err, HD_EIO, r.read_errnum, "cannot read what the process that is measured prints");
	if (rc < 0)
		hd_subprocess_result_release(end);
	return rc;
}

void hd_subprocess_result_release(struct hd_subprocess_result *end)
{
	hd_buf_release(&end->output);
	hd_buf_release(&end->errors);
}

void hd_subprocess_describe(struct hd_buf *out, const struct hd_subprocess_result *end)
{
	switch (end->how) {
	case HD_SUBPROCESS_EXITED:
		if (end->status)
			hd_buf_addf(out, "exited with status %d", end->status);
		return;
	case HD_SUBPROCESS_SIGNALED:
		hd_buf_addf(out, "was killed by signal %d (%s)", end->status, strsignal(end->status));
		return;
	case HD_SUBPROCESS_TIMED_OUT:
		hd_buf_adds(out, "did not end in time and was ended");
		return;
	case HD_SUBPROCESS_STOPPED:
		hd_buf_adds(out, "was ended because a signal asked for it");
		return;
	case HD_SUBPROCESS_NOT_STARTED:
		hd_buf_addf(out, "could not be started: %s", strerror(end->status));
		return;
	}
}

uint64_t hd_subprocess_rss_floor(void)
{
	struct rusage u = { 0 };
	pid_t pid = fork(), got;
	int status;

	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return 0;
	do
		got = wait4(pid, &status, 0, &u);
	while (got < 0 && errno == EINTR);
	return got == pid ? (uint64_t)u.ru_maxrss * 1024 : 0;
}
