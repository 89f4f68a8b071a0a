/*
 * batch.c - see batch.h
 */
#include "cli/batch.h"

#include "base/file.h"
#include "base/fresh_folder.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/subprocess.h"
#include "cli/job_list.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATE_FILE "batch.json"

/* A recording in the batch. */
struct job {
	const char *path;
	char *name;		/* name of its folder in DIR */
	char *output;		/* DIR/NAME */
	/* start of its JSON line in the log: the members that identify the recording (path, size, mtime) */
	struct hd_buf head;
	struct hd_fresh_folder folder;
	pid_t pid;
	/* memory files that the child writes.  answer: JSON members or error message; complaints: stdout and stderr */
	int answer, complaints;
};

/* How a recording ended. */
struct job_end {
	const char *status;	/* "ok", "skipped", "failed" */
	int exit;		/* exit status of the recording, 0..6 */
	const char *error;	/* message; NULL: the recording did not fail */
	const struct rusage *usage;	/* resources that the child used; NULL: no child was started */
	const char *members;	/* JSON members about the recording, for its line in the log; NULL: none */
};

struct batch_run {
	const struct hd_batch *b;
	struct hd_signal_watch watch;
	struct job *running;	/* b->processes elements; pid 0: unused */
	size_t nrunning;
	size_t done, failed;	/* numbers of recordings; done includes failed ones */
	int worst;		/* highest exit status */
	bool closed;		/* the reader of the log has closed the pipe */
};

/* ---- one recording ---- */

static void job_init(struct job *j, const struct hd_batch *b, const char *path)
{
	struct hd_buf name = { 0 }, output = { 0 };
	struct hd_jsonw w = hd_jsonw_to(&j->head);
	struct stat st;
	bool exists = stat(path, &st) == 0;

	*j = (struct job){ .path = path, .answer = -1, .complaints = -1 };
	hd_job_output_name(&name, path);
	hd_buf_addf(&output, "%s/%s", b->dir, name.data);
	j->name = hd_buf_take(&name);
	j->output = hd_buf_take(&output);
	hd_jsonw_row(&w, NULL, '{');
	hd_jsonw_str(&w, "format", "hotdrift.batch");
	hd_jsonw_u64(&w, "version", 1);
	hd_jsonw_str(&w, "file", path);
	hd_jsonw_u64(&w, "bytes", exists ? (uint64_t)st.st_size : 0);
	hd_jsonw_i64(&w, "mtime_ns", exists ? hd_file_mtime_ns(&st) : 0);
}

static void job_release(struct job *j)
{
	hd_fresh_folder_discard(&j->folder);
	if (j->answer >= 0)
		close(j->answer);
	if (j->complaints >= 0)
		close(j->complaints);
	hd_buf_release(&j->head);
	free(j->name);
	free(j->output);
	*j = (struct job){ .answer = -1, .complaints = -1 };
}

static char *in_output(const struct job *j, const char *file)
{
	struct hd_buf path = { 0 };

	hd_buf_addf(&path, "%s/%s", j->output, file);
	return hd_buf_take(&path);
}

/*
 * Return true if the results of the recording are complete: batch.json starts with the path, size and modification time
 * that the recording has now.
 */
static bool is_complete(const struct job *j)
{
	char *path = in_output(j, STATE_FILE), *text = hd_alloc(j->head.len);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool same = fd >= 0 && hd_file_pread(fd, text, j->head.len, 0, path, NULL) == (ssize_t)j->head.len &&
		!memcmp(text, j->head.data, j->head.len);

	if (fd >= 0)
		close(fd);
	free(text);
	free(path);
	return same;
}

/* Fail if the output folder exists and was not written by a batch, because it would be removed. */
static int check_output(const struct job *j, struct hd_err *err)
{
	char *state = in_output(j, STATE_FILE);
	bool foreign = access(j->output, F_OK) == 0 && access(state, F_OK) < 0;

	free(state);
	if (!foreign)
		return 0;
	return hd_fail(err, HD_EIO, "%s: exists and has no " STATE_FILE ", so it is not replaced; move it away",
		j->output);
}

/* ---- the log ---- */

static void add_line(struct hd_buf *line, const struct job *j, const struct job_end *end)
{
	struct hd_jsonw w = { .out = line, .depth = 1, .flat = true, .flat_depth = 1 };

	hd_buf_add(line, j->head.data, j->head.len);
	hd_jsonw_str(&w, "output", j->output);
	hd_jsonw_str(&w, "status", end->status);
	hd_jsonw_i64(&w, "exit", end->exit);
	hd_jsonw_str(&w, "error", end->error);
	if (end->usage) {
		const struct timeval *user = &end->usage->ru_utime, *system = &end->usage->ru_stime;

		hd_jsonw_num(&w, "cpu_s", (double)(user->tv_sec + system->tv_sec) +
			(double)(user->tv_usec + system->tv_usec) / 1e6, 3);
		hd_jsonw_u64(&w, "peak_bytes", (uint64_t)end->usage->ru_maxrss * 1024);
	}
	if (end->members)
		hd_buf_addf(line, ", %s", end->members);
	hd_buf_adds(line, "}\n");
}

/* Write the line of a recording to the log, and count the recording. */
static int report_job(struct batch_run *r, const struct job *j, const struct job_end *end, struct hd_err *err)
{
	struct hd_buf line = { 0 };
	int rc = 0;

	add_line(&line, j, end);
	if (!r->closed && hd_file_write_all(STDOUT_FILENO, line.data, line.len) < 0) {
		r->closed = errno == EPIPE;
		if (!r->closed)
			rc = hd_fail_errno(err, HD_EIO, errno, "standard output");
	}
	hd_buf_release(&line);
	r->done++;
	r->failed += end->exit != 0;
	r->worst = end->exit > r->worst ? end->exit : r->worst;
	return rc;
}

static int report_failure(struct batch_run *r, const struct job *j, const struct rusage *usage,
	const struct hd_err *why, struct hd_err *err)
{
	const struct job_end end = { "failed", hd_exit_status((int)why->code), why->msg, usage, NULL };

	return report_job(r, j, &end, err);
}

/* ---- the child process ---- */

static void child_descriptors(const struct job *j)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);	/* the sandbox forbids to open it for writing */

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(j->complaints, STDOUT_FILENO) < 0 ||
	    dup2(j->complaints, STDERR_FILENO) < 0)
		_exit(6);
}

/* Analyze the recording in the child.  The parent reads the result from j->answer after the child has ended. */
static _Noreturn void child_main(const struct hd_batch *b, const struct job *j, pid_t parent)
{
	struct hd_buf members = { 0 };
	struct hd_err err = { 0 };
	const char *answer;
	int rc;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(6);	/* the parent has ended already */
	child_descriptors(j);
	rc = b->analyze(j->path, j->folder.path, b->arg, &members, &err);
	answer = rc < 0 ? err.msg : hd_buf_str(&members);
	if (hd_file_write_all(j->answer, answer, strlen(answer)) < 0)
		rc = HD_EIO;
	_exit(hd_exit_status(rc));
}

static int start_child(const struct hd_batch *b, struct job *j, struct hd_err *err)
{
	pid_t parent = getpid();

	j->answer = memfd_create("answer", MFD_CLOEXEC);
	j->complaints = memfd_create("stderr", MFD_CLOEXEC);
	if (j->answer < 0 || j->complaints < 0)
		return hd_fail_errno(err, HD_EIO, errno, "%s: cannot start a process", j->path);
	j->pid = fork();
	if (j->pid < 0)
		return hd_fail_errno(err, HD_EIO, errno, "%s: cannot start a process", j->path);
	if (j->pid == 0)
		child_main(b, j, parent);
	return 0;
}

/* ---- the end of a recording ---- */

/* Append the content of the memory file `fd` to `text`. */
static int read_memory(struct hd_buf *text, int fd, struct hd_err *err)
{
	enum { ANSWER_MOST = 16 << 20 };

	if (lseek(fd, 0, SEEK_SET) < 0)
		return hd_fail_errno(err, HD_EIO, errno, "cannot read the answer of a process");
	return hd_file_slurp(fd, "answer of a process", ANSWER_MOST, text, err);
}

/* Fail with the reason why the child failed: its message, what it printed, or how it ended. */
static int child_failure(const struct job *j, int status, const struct hd_buf *answer, struct hd_err *err)
{
	/* one of our own exit codes; a higher one is from a sanitizer, and a child that a signal ended has none */
	bool ours = WIFEXITED(status) && WEXITSTATUS(status) <= 6;
	int code = ours ? -WEXITSTATUS(status) : HD_EIO;
	struct hd_buf printed = { 0 };
	struct hd_err unread;

	if (WIFSIGNALED(status))
		code = hd_fail(err, HD_EIO, "%s: its process was killed by signal %d (%s)", j->path, WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	else if (ours && answer->len)
		code = hd_fail(err, code, "%s", answer->data);
	else if (read_memory(&printed, j->complaints, &unread) >= 0 && printed.len)
		code = hd_fail(err, code, "%s: %.*s", j->path, (int)strcspn(printed.data, "\n"), printed.data);
	else
		code = hd_fail(err, code, "%s: its process exited with status %d", j->path, WEXITSTATUS(status));
	hd_buf_release(&printed);
	return code;
}

/* Write the log line of a recording to batch.json in its temporary folder, and rename the folder to its final name. */
static int publish(struct job *j, const struct job_end *end, struct hd_err *err)
{
	struct hd_buf line = { 0 }, path = { 0 };
	int rc;

	add_line(&line, j, end);
	hd_buf_addf(&path, "%s/" STATE_FILE, j->folder.path);
	rc = hd_file_write(path.data, &line, err);
	if (rc >= 0)
		rc = hd_fresh_folder_publish(&j->folder, err);
	hd_buf_release(&path);
	hd_buf_release(&line);
	return rc;
}

/* Report a recording whose child has ended, and release it. */
static int finish_job(struct batch_run *r, struct job *j, int status, const struct rusage *usage, struct hd_err *err)
{
	struct hd_buf answer = { 0 };
	struct hd_err why = { 0 };
	int rc = read_memory(&answer, j->answer, &why);

	if (rc >= 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
		rc = child_failure(j, status, &answer, &why);
	if (rc >= 0) {
		const struct job_end end = { "ok", 0, NULL, usage, answer.data };

		rc = publish(j, &end, &why);
		if (rc >= 0)
			rc = report_job(r, j, &end, err);
		else
			rc = report_failure(r, j, usage, &why, err);
	} else {
		rc = report_failure(r, j, usage, &why, err);
	}
	hd_buf_release(&answer);
	r->nrunning--;
	job_release(j);
	return rc;
}

/* ---- the batch ---- */

/* Report all recordings whose children have ended. */
static int reap(struct batch_run *r, struct hd_err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < r->b->processes && rc >= 0; i++) {
		struct job *j = &r->running[i];
		struct rusage usage;
		int status;

		if (j->pid > 0 && wait4(j->pid, &status, WNOHANG, &usage) == j->pid)
			rc = finish_job(r, j, status, &usage, err);
	}
	return rc;
}

/* Fail if a signal has requested the end of the batch. */
static int check_signals(struct batch_run *r, struct hd_err *err)
{
	if (!hd_signal_watch_stopped(&r->watch))
		return 0;
	return hd_fail(err, HD_EIO, "analyze: ended by SIG%s; the same command continues where it ended",
		sigabbrev_np(r->watch.stopped_by));
}

/*
 * Report the children that have ended; if there is none, wait for a signal.  The pending signals are read before the
 * children are looked at, so that a child which ends later interrupts poll().
 */
static int wait_for_child(struct batch_run *r, struct hd_err *err)
{
	struct pollfd p = { .fd = r->watch.fd, .events = POLLIN };
	size_t before = r->nrunning;
	int rc = check_signals(r, err);

	if (rc >= 0)
		rc = reap(r, err);
	if (rc >= 0 && r->nrunning == before && poll(&p, 1, -1) < 0 && errno != EINTR)
		rc = hd_fail_errno(err, HD_EIO, errno, "analyze: cannot wait for a process");
	return rc;
}

static struct job *job_of(const struct batch_run *r, const char *path)
{
	for (unsigned i = 0; i < r->b->processes; i++)
		if (r->running[i].pid > 0 && !strcmp(r->running[i].path, path))
			return &r->running[i];
	return NULL;
}

static struct job *unused_job(const struct batch_run *r)
{
	struct job *j = r->running;

	while (j->pid > 0)
		j++;
	return j;
}

/*
 * Start the child process of a recording, or report why it is not started.  The caller ensures that fewer than
 * b->processes children are running.
 */
static int start_job(struct batch_run *r, const char *path, struct hd_err *err)
{
	struct job *j = unused_job(r);
	struct hd_err why = { 0 };
	int rc;

	job_init(j, r->b, path);
	if (!r->b->force && is_complete(j)) {
		rc = report_job(r, j, &(struct job_end){ .status = "skipped" }, err);
		job_release(j);
		return rc;
	}
	rc = check_output(j, &why);
	if (rc >= 0)
		rc = hd_fresh_folder_begin(&j->folder, r->b->dir, j->name, &why);
	if (rc > 0)
		rc = hd_fail(&why, HD_EIO, "%s: another process is writing it", j->output);
	if (rc >= 0)
		rc = start_child(r->b, j, &why);
	if (rc >= 0) {
		r->nrunning++;
		return 0;
	}
	rc = report_failure(r, j, NULL, &why, err);
	job_release(j);
	return rc;
}

/* Kill the running children and remove their folders. */
static void abandon(struct batch_run *r)
{
	for (unsigned i = 0; i < r->b->processes; i++)
		if (r->running[i].pid > 0)
			kill(r->running[i].pid, SIGKILL);
	for (unsigned i = 0; i < r->b->processes; i++) {
		while (r->running[i].pid > 0 && waitpid(r->running[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
		job_release(&r->running[i]);
	}
}

static int run_all(struct batch_run *r, const struct hd_string_list *paths, struct hd_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < paths->n && rc >= 0; i++) {
		/*
		 * If a path is listed twice, wait until its first analysis has ended, so that both do not write the
		 * same folder.  Without --force, the second one then finds complete results and is skipped.
		 */
		while (rc >= 0 && (r->nrunning == r->b->processes || job_of(r, paths->items[i])))
			rc = wait_for_child(r, err);
		if (rc >= 0)
			rc = check_signals(r, err);
		if (rc >= 0)
			rc = start_job(r, paths->items[i], err);
	}
	while (rc >= 0 && r->nrunning)
		rc = wait_for_child(r, err);
	return rc;
}

int hd_batch_run(const struct hd_batch *b, const struct hd_string_list *paths, struct hd_err *err)
{
	struct batch_run r = { .b = b };
	int rc;

	rc = hd_signal_watch_begin(&r.watch, err);
	if (rc < 0)
		return rc;
	r.running = hd_new_array(struct job, b->processes);
	for (unsigned i = 0; i < b->processes; i++)
		r.running[i] = (struct job){ .answer = -1, .complaints = -1 };
	rc = run_all(&r, paths, err);
	abandon(&r);
	free(r.running);
	hd_signal_watch_end(&r.watch);
	if (rc >= 0 && r.failed)
		rc = hd_fail(err, (enum hd_code)-r.worst, "%zu of %zu recordings failed; their lines have \"status\": "
			"\"failed\" and the error", r.failed, r.done);
	return rc;
}
