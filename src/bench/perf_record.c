/*
 * perf_record.c - record a second execution of each run with perf
 *
 * perf changes the time and memory use of the recorded program.  Therefore a run is timed without perf, and its
 * command is executed once more immediately afterwards under perf record.
 *
 * The choices are those of scripts/profile.sh: the perf named by HOTDRIFT_PERF or PERF, the event cycles or, without a
 * cycle counter, cpu-clock, and frame pointers.
 */
#include "bench/bench.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Return true if the kernel can count the event cycles.  perf itself is no test of this, because it silently records
 * cpu-clock instead.
 */
static bool has_cycles(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void make_words(struct hd_argv *to, const struct hd_bench *b, const char *recording)
{
	const char *words[] = { b->perf, "record", "-q", "-F", b->o->frequency, "--call-graph", "fp", "-e", b->event,
		"-o", recording, "--" };

	*to = (struct hd_argv){ 0 };
	for (size_t i = 0; i < HD_COUNT(words); i++)
		hd_argv_add(to, words[i], strlen(words[i]));
}

/*
 * Run a perf command.  recording: the file that it writes; NULL for a trial.  perf exits with the status of the
 * measured program, so with --ignore-failure only a recording shows that perf itself did not fail.  Returns NULL, or a
 * caller-owned message if it failed.
 */
static char *run_perf(struct hd_bench *b, const struct hd_argv *c, const char *recording, const char *dir,
	const char *input, uint64_t limit_ms)
{
	struct hd_subprocess what = { .argv = c->argv, .dir = dir, .input = input, .limit_ms = limit_ms };
	struct hd_buf why = { 0 };
	struct hd_subprocess_result end;
	struct hd_err err = { 0 };

	if (hd_subprocess_run(&end, &what, &b->watch, &err) < 0)
		return hd_strdup(err.msg);
	b->our_cpu_ns += end.user_ns + end.system_ns;
	if (end.how != HD_SUBPROCESS_EXITED || (end.status &&
		!(b->o->ignore_failure && recording && access(recording, F_OK) == 0))) {
		hd_subprocess_describe(&why, &end);
		hd_bench_append_stderr_line(&why, &end);
	}
	hd_subprocess_result_release(&end);
	return why.len ? hd_buf_take(&why) : NULL;
}

int hd_bench_perf_init(struct hd_bench *b, struct hd_err *err)
{
	const struct hd_bench_opts *o = b->o;
	struct hd_argv probe;
	bool made;
	char *why;
	int rc;

	if (!o->profile)
		return 0;
	rc = hd_outfolder_make(o->profile, &made, err);
	if (rc < 0)
		return rc;
	b->recordings = realpath(o->profile, NULL);
	if (!b->recordings)
		return hd_fail_errno(err, HD_EIO, errno, "bench: %s", o->profile);
	b->perf = getenv("HOTDRIFT_PERF");
	if (!b->perf || !*b->perf)
		b->perf = getenv("PERF");
	if (!b->perf || !*b->perf)
		b->perf = "perf";
	b->event = o->event ? o->event : has_cycles() ? "cycles" : "cpu-clock";
	make_words(&probe, b, "/dev/null");
	hd_argv_add(&probe, "true", 4);
	why = run_perf(b, &probe, NULL, NULL, NULL, 20000);
	if (why && !b->watch.stopped_by)
		rc = hd_fail(err, HD_EIO, "bench: '%s record -e %s' %s; 'hotdrift doctor' explains the reason", b->perf,
			b->event, why);
	hd_argv_release(&probe);
	free(why);
	return rc;
}

char *hd_bench_perf_record(struct hd_bench *b, struct hd_bench_run *run, const struct hd_bench_variant *side)
{
	struct hd_buf recording = { 0 }, why = { 0 };
	struct hd_argv c;
	char *failure;

	hd_buf_addf(&recording, "%s/%s-%03u.data", b->recordings, side->name, run->number + 1);
	make_words(&c, b, recording.data);
	for (size_t i = 0; i < side->command.argc; i++)
		hd_argv_add(&c, side->command.argv[i], strlen(side->command.argv[i]));
	failure = run_perf(b, &c, recording.data, side->dir, b->o->input, b->o->timeout_ms);
	hd_argv_release(&c);
	run->recording = hd_buf_take(&recording);
	if (!failure)
		return NULL;
	hd_buf_addf(&why, "under perf record %s", failure);
	free(failure);
	return hd_buf_take(&why);
}
