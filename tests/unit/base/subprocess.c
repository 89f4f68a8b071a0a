/* subprocess.c - run a program: its output, status, resources, signals and time limit */
#include "base/subprocess.h"
#include "test.h"

#include "../tmpdir.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>

static struct hd_subprocess_result end;

/* Run argv with the options in `what`, store the result in `end`, and expect that its resources could be measured. */
static void run_as(struct hd_subprocess what, const char *const *argv)
{
	struct hd_signal_watch w;
	struct hd_err err = { 0 };

	what.argv = (char *const *)argv;
	EXPECT_INT(hd_signal_watch_begin(&w, &err), 0);
	EXPECT_INT(hd_subprocess_run(&end, &what, &w, &err), 0);
	hd_signal_watch_end(&w);
}

static void run_sh(struct hd_subprocess what, const char *script)
{
	const char *const argv[] = { "sh", "-c", script, NULL };

	run_as(what, argv);
}

static const char *said(void)
{
	static struct hd_buf b;

	hd_buf_reset(&b);
	hd_subprocess_describe(&b, &end);
	return hd_buf_str(&b);
}

TEST(a_process_is_run_to_its_end_and_measured)
{
	run_sh((struct hd_subprocess){ 0 }, "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done");
	EXPECT(end.how == HD_SUBPROCESS_EXITED && end.status == 0);
	EXPECT_STR(said(), "");
	EXPECT(end.wall_ns > 0 && end.user_ns + end.system_ns > 0);
	EXPECT(end.peak_rss_bytes >= hd_subprocess_rss_floor() && hd_subprocess_rss_floor() > 0);
	EXPECT(!end.left_others && !end.output.len && !end.output_bytes);
	hd_subprocess_result_release(&end);
}

TEST(its_output_is_summed_and_its_start_kept_and_of_its_errors_the_end)
{
	char hex[HD_SHA256_HEX], got[HD_SHA256_HEX];

	run_sh((struct hd_subprocess){ .sum_output = true, .keep_bytes = 4 },
		"printf 'hello\\0x'; seq 5000 >&2; echo last >&2");
	hd_sha256_hex("hello\0x", 7, hex);
	for (int i = 0; i < HD_SHA256_BYTES; i++)
		snprintf(got + 2 * i, 3, "%02x", end.output_sum[i]);
	EXPECT_STR(got, hex);
	EXPECT(end.output_bytes == 7 && end.output.len == 4);
	EXPECT_MEM(end.output.data, "hell", 4);
	EXPECT_INT(end.errors.len, HD_SUBPROCESS_STDERR);
	EXPECT_STR(end.errors.data + end.errors.len - 10, "5000\nlast\n");
	hd_subprocess_result_release(&end);
}

TEST(an_output_larger_than_a_pipe_is_read_whole)
{
	run_sh((struct hd_subprocess){ .sum_output = true, .keep_bytes = 10 }, "yes hotdrift | head -c 3000000");
	EXPECT(end.how == HD_SUBPROCESS_EXITED && end.output_bytes == 3000000 && end.output.len == 10);
	hd_subprocess_result_release(&end);
}

TEST(status_and_signal_are_told)
{
	run_sh((struct hd_subprocess){ 0 }, "exit 3");
	EXPECT(end.how == HD_SUBPROCESS_EXITED && end.status == 3);
	EXPECT_STR(said(), "exited with status 3");
	hd_subprocess_result_release(&end);
	run_sh((struct hd_subprocess){ 0 }, "kill -SEGV $$");
	EXPECT(end.how == HD_SUBPROCESS_SIGNALED && end.status == SIGSEGV);
	EXPECT_STR(said(), "was killed by signal 11 (Segmentation fault)");
	hd_subprocess_result_release(&end);
}

TEST(what_cannot_be_started_says_why)
{
	const char *const argv[] = { "/no/such/program", NULL }, *const folder[] = { "/", NULL };

	run_as((struct hd_subprocess){ 0 }, argv);
	EXPECT(end.how == HD_SUBPROCESS_NOT_STARTED && end.status == ENOENT);
	EXPECT_STR(said(), "could not be started: No such file or directory");
	hd_subprocess_result_release(&end);
	run_as((struct hd_subprocess){ 0 }, folder);
	EXPECT(end.how == HD_SUBPROCESS_NOT_STARTED && end.status == EACCES);
	hd_subprocess_result_release(&end);
	run_sh((struct hd_subprocess){ .dir = "/no/such/folder" }, ":");
	EXPECT(end.how == HD_SUBPROCESS_NOT_STARTED && end.status == ENOENT);
	hd_subprocess_result_release(&end);
	run_sh((struct hd_subprocess){ .input = "/no/such/input" }, ":");
	EXPECT(end.how == HD_SUBPROCESS_NOT_STARTED && end.status == ENOENT);
	hd_subprocess_result_release(&end);
}

TEST(it_runs_in_its_folder_with_its_input_and_none_of_our_descriptors)
{
	char *dir = tmpdir(), *in = put_file(dir, "in", "one two\n", 8);
	int ours = open("/dev/null", O_RDONLY | O_CLOEXEC);

	EXPECT(ours > 2);
	run_sh((struct hd_subprocess){ .dir = dir, .input = in, .sum_output = true, .keep_bytes = 1000 },
		"read a b; echo $a $b; test \"$(pwd -P)\" = \"$(cd . && pwd -P)\" && ls in; for n in 3 4 5 6 7 8 9; do "
		"if [ -e /proc/self/fd/$n ] && [ /proc/self/fd/$n -ef /dev/null ]; then echo $n; fi; done");
	EXPECT_STR(end.output.data, "one two\nin\n");
	hd_subprocess_result_release(&end);
	close(ours);
	free(in);
	tmpdir_remove(dir);
}

TEST(signals_are_as_they_are_by_default_whatever_ours_are)
{
	unsigned long long blocked, ignored;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);		/* the exit status is available nevertheless */
	/* grep replaces the shell: a shell that waits for a child blocks signals itself. */
	run_sh((struct hd_subprocess){ .sum_output = true, .keep_bytes = 100 },
		"exec grep -E '^Sig(Blk|Ign)' /proc/self/status");
	EXPECT(sscanf(end.output.data, "SigBlk: %llx SigIgn: %llx", &blocked, &ignored) == 2);
	/*
	 * Check the signals 1 to 31 only: the C library reserves 32 and 33, so they stay as the parent of this test
	 * had set them.
	 */
	EXPECT(blocked == 0 && (ignored & 0x7fffffff) == 0);
	EXPECT(end.how == HD_SUBPROCESS_EXITED && end.status == 0);
	hd_subprocess_result_release(&end);
	EXPECT(signal(SIGCHLD, SIG_DFL) == SIG_IGN);	/* the caller's action was restored */
	signal(SIGPIPE, SIG_DFL);
}

TEST(one_that_takes_too_long_is_ended_with_its_group)
{
	char *dir = tmpdir(), *pid = in_dir(dir, "pid"), *text;
	pid_t grandchild;

	/*
	 * The process, its child and its grandchild wait forever; the grandchild writes its pid first.  On a busy
	 * machine it may not have done so at the time limit, so the limit grows until it has.
	 */
	for (unsigned limit_ms = 300; access(pid, F_OK) < 0; limit_ms *= 4) {
		hd_subprocess_result_release(&end);
		run_sh((struct hd_subprocess){ .dir = dir, .limit_ms = limit_ms },
			"mkfifo f; (sh -c 'echo $$ >new; mv new pid; read x <f') & read x <f");
		EXPECT(end.how == HD_SUBPROCESS_TIMED_OUT && end.wall_ns >= limit_ms * UINT64_C(1000000) / 6 * 5);
		EXPECT_STR(said(), "did not end in time and was ended");
		EXPECT(limit_ms < 100000);
	}
	text = text_of_file(pid);
	grandchild = (pid_t)atoi(text);
	EXPECT(grandchild > 1);
	/* No process of this test reaps the grandchild, so it is a zombie or gone. */
	for (int i = 0; i < 1000 && kill(grandchild, 0) == 0; i++) {
		struct hd_buf path = { 0 };
		char line[512] = "";
		int fd;

		hd_buf_addf(&path, "/proc/%d/stat", (int)grandchild);
		fd = open(path.data, O_RDONLY | O_CLOEXEC);
		hd_buf_release(&path);
		if (fd < 0)
			break;
		EXPECT(read(fd, line, sizeof(line) - 1) >= 0);
		close(fd);
		if (strstr(line, ") Z"))
			break;
		EXPECT(i < 999);
		sched_yield();
	}
	hd_subprocess_result_release(&end);
	free(text);
	free(pid);
	tmpdir_remove(dir);
}

TEST(one_that_ignores_the_request_is_killed)
{
	char *dir = tmpdir(), *ready = in_dir(dir, "ready");

	/* On a busy machine the process may not yet ignore the signal at the time limit, so the limit grows. */
	for (unsigned limit_ms = 100; access(ready, F_OK) < 0; limit_ms *= 4) {
		hd_subprocess_result_release(&end);
		run_sh((struct hd_subprocess){ .dir = dir, .limit_ms = limit_ms },
			"trap '' TERM; : >ready; while :; do :; done");
		EXPECT(limit_ms < 100000);
	}
	EXPECT(end.how == HD_SUBPROCESS_TIMED_OUT && end.wall_ns >= 2000000000u);
	hd_subprocess_result_release(&end);
	free(ready);
	tmpdir_remove(dir);
}

TEST(a_signal_to_us_ends_it_and_is_remembered)
{
	const char *const argv[] = { "sh", "-c", "kill -INT $PPID; while :; do :; done", NULL };
	struct hd_subprocess what = { .argv = (char *const *)argv };
	struct hd_signal_watch w;
	struct hd_err err;

	EXPECT_INT(hd_signal_watch_begin(&w, &err), 0);
	EXPECT(!hd_signal_watch_stopped(&w));
	EXPECT_INT(hd_subprocess_run(&end, &what, &w, &err), 0);
	EXPECT(end.how == HD_SUBPROCESS_STOPPED && w.stopped_by == SIGINT && hd_signal_watch_stopped(&w));
	hd_signal_watch_end(&w);
	hd_subprocess_result_release(&end);
}

TEST(what_it_leaves_running_is_told_and_not_waited_for)
{
	char *dir = tmpdir(), *fifo = in_dir(dir, "f");
	int fd;

	EXPECT(mkfifo(fifo, 0600) == 0);
	run_sh((struct hd_subprocess){ .dir = dir, .sum_output = true, .keep_bytes = 10 }, "(read x <f) & echo done");
	EXPECT(end.how == HD_SUBPROCESS_EXITED && end.left_others && end.output_bytes == 5);
	fd = open(fifo, O_WRONLY | O_CLOEXEC);		/* opening the pipe ends the `read` of the remaining child */
	EXPECT(fd >= 0);
	close(fd);
	hd_subprocess_result_release(&end);
	free(fifo);
	tmpdir_remove(dir);
}

TEST(more_work_takes_more_cpu_time_and_more_memory_a_higher_peak)
{
	struct hd_subprocess_result small;

	run_sh((struct hd_subprocess){ 0 }, "i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done");
	small = end;
	run_sh((struct hd_subprocess){ 0 },
		"i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; x=$(head -c 30000000 /dev/zero | tr '\\0' a); : "
		"${#x}");
	EXPECT(end.user_ns + end.system_ns > small.user_ns + small.system_ns);
	EXPECT(end.peak_rss_bytes > small.peak_rss_bytes + 20000000);
	hd_subprocess_result_release(&end);
	hd_subprocess_result_release(&small);
}

TEST_MAIN(RUN(a_process_is_run_to_its_end_and_measured),
	RUN(its_output_is_summed_and_its_start_kept_and_of_its_errors_the_end),
	RUN(an_output_larger_than_a_pipe_is_read_whole), RUN(status_and_signal_are_told),
	RUN(what_cannot_be_started_says_why), RUN(it_runs_in_its_folder_with_its_input_and_none_of_our_descriptors),
	RUN(signals_are_as_they_are_by_default_whatever_ours_are), RUN(one_that_takes_too_long_is_ended_with_its_group),
	RUN(one_that_ignores_the_request_is_killed), RUN(a_signal_to_us_ends_it_and_is_remembered),
	RUN(what_it_leaves_running_is_told_and_not_waited_for),
	RUN(more_work_takes_more_cpu_time_and_more_memory_a_higher_peak))
