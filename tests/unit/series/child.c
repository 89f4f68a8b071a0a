/* child.c - a command runs as it would without hotdrift */
#include "series/child.h"

#include "base/clock.h"
#include "test.h"

#include "../tmpdir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FOREVER = 60 };	/* seconds; longer than any test takes */

static struct hd_child c;
static sigset_t none;

static void start(const char *script)
{
	char *const argv[] = { (char *)"sh", (char *)"-c", (char *)script, NULL };
	struct hd_err err = { 0 };

	sigemptyset(&none);
	EXPECT_INT(hd_child_hold(&c, &err), 0);
	EXPECT_INT(hd_child_start(&c, argv, &none, &err), 0);
}

static void finish(void)
{
	struct hd_err err = { 0 };

	EXPECT(hd_child_wait(&c, hd_monotonic_ns() + FOREVER * UINT64_C(1000000000)));
	EXPECT_INT(hd_child_reap(&c, &err), 0);
	hd_child_release(&c);
}

TEST(the_status_and_the_times_of_a_command_are_reported)
{
	uint64_t before = hd_monotonic_ns();

	start("exit 7");
	finish();
	EXPECT_INT(c.exit_status, 7);
	EXPECT_INT(c.signal, -1);
	EXPECT_INT(c.stopped_by, 0);
	EXPECT(before <= c.start_ns && c.start_ns < c.end_ns && c.end_ns <= hd_monotonic_ns());
	EXPECT(c.peak_rss_bytes > 0 && c.cpu_s >= 0);
}

TEST(a_command_that_a_signal_killed_has_no_exit_status)
{
	start("kill -KILL $$");
	finish();
	EXPECT_INT(c.exit_status, -1);
	EXPECT_INT(c.signal, SIGKILL);
}

TEST(a_command_that_does_not_exist_is_an_error_with_its_name)
{
	char *const argv[] = { (char *)"/nowhere/at all", NULL };
	struct hd_err err = { 0 };

	sigemptyset(&none);
	EXPECT_INT(hd_child_hold(&c, &err), 0);
	EXPECT_INT(hd_child_start(&c, argv, &none, &err), HD_EIO);
	EXPECT_STR(err.msg, "cannot start '/nowhere/at all': No such file or directory");
	EXPECT(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
	EXPECT_INT(c.exit_status, 127);
	hd_child_release(&c);
}

TEST(a_wait_ends_at_its_deadline_while_the_command_runs)
{
	int ends[2];
	char script[64];

	EXPECT(pipe(ends) == 0);
	snprintf(script, sizeof(script), "read x <&%d", ends[0]);
	start(script);
	EXPECT(!hd_child_wait(&c, 0));
	EXPECT(!hd_child_wait(&c, hd_monotonic_ns() + 1000000));
	EXPECT(write(ends[1], "\n", 1) == 1);
	finish();
	EXPECT_INT(c.exit_status, 0);
	close(ends[0]);
	close(ends[1]);
}

/* A shell command that prints the signals and the process group (the fifth field of stat) that it inherits. */
#define STATUS	"{ grep -E '^(SigBlk|SigIgn):' /proc/self/status; cut -d' ' -f5 /proc/self/stat; }"

TEST(its_signals_and_process_group_are_those_that_it_would_have_without_us)
{
	char *dir = tmpdir(), path[256], script[512], want[512] = "", got[512] = "";
	int status;
	pid_t pid;
	FILE *f;

	/* main() of hotdrift changes these signals; the command must not inherit the change. */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	snprintf(path, sizeof(path), "%s/want", dir);
	snprintf(script, sizeof(script), STATUS " >%s", path);
	pid = fork();		/* not system(), which ignores two more signals */
	if (!pid)
		execlp("sh", "sh", "-c", script, NULL);
	EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
	f = fopen(path, "r");
	EXPECT(f && fread(want, 1, sizeof(want) - 1, f) > 0);
	fclose(f);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	start(script);
	finish();
	f = fopen(path, "r");
	EXPECT(f && fread(got, 1, sizeof(got) - 1, f) > 0);
	fclose(f);
	EXPECT_STR(got, want);
	tmpdir_remove(dir);
}

TEST(signals_that_were_ignored_before_us_are_ignored_by_the_command)
{
	char *const argv[] = { (char *)"sh", (char *)"-c", (char *)"kill -PIPE $$; exit 3", NULL };
	struct hd_err err = { 0 };
	sigset_t ignored;

	sigemptyset(&ignored);
	sigaddset(&ignored, SIGPIPE);
	EXPECT_INT(hd_child_hold(&c, &err), 0);
	EXPECT_INT(hd_child_start(&c, argv, &ignored, &err), 0);
	finish();
	EXPECT_INT(c.exit_status, 3);
	start("kill -PIPE $$; exit 3");
	finish();
	EXPECT_INT(c.signal, SIGPIPE);
}

TEST(a_signal_that_a_process_sends_us_is_passed_on_and_does_not_end_us)
{
	/*
	 * The command sends SIGTERM to hotdrift, which passes it on to the command.  Its `read` would otherwise wait
	 * until the descriptor is closed.
	 */
	int ends[2];
	char script[128];

	EXPECT(pipe(ends) == 0);
	snprintf(script, sizeof(script), "trap 'exit 5' TERM; kill -TERM $PPID; while :; do read x <&%d; done",
		ends[0]);
	start(script);
	finish();
	EXPECT_INT(c.exit_status, 5);
	EXPECT_INT(c.stopped_by, SIGTERM);
	close(ends[0]);
	close(ends[1]);
}

TEST(a_running_process_is_watched_until_its_end_and_is_sent_nothing)
{
	struct hd_err err = { 0 };
	pid_t pid = fork();
	int status;

	if (!pid) {
		pause();
		_exit(0);
	}
	EXPECT_INT(hd_child_hold(&c, &err), 0);
	if (hd_child_attach(&c, pid, &err) < 0 && strstr(err.msg, "pidfd_open")) {
		hd_child_release(&c);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		SKIP("the kernel has no pidfd_open");
	}
	EXPECT(!hd_child_wait(&c, 0));
	kill(getpid(), SIGINT);
	EXPECT(hd_child_wait(&c, 0));
	EXPECT_INT(c.stopped_by, SIGINT);
	EXPECT_INT(hd_child_reap(&c, &err), 0);
	hd_child_release(&c);
	EXPECT_INT(kill(pid, 0), 0);

	EXPECT_INT(hd_child_hold(&c, &err), 0);
	EXPECT_INT(hd_child_attach(&c, pid, &err), 0);
	kill(pid, SIGKILL);
	EXPECT(hd_child_wait(&c, hd_monotonic_ns() + FOREVER * UINT64_C(1000000000)));
	EXPECT_INT(c.stopped_by, 0);
	hd_child_release(&c);
	EXPECT(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	EXPECT_INT(hd_child_hold(&c, &err), 0);
	EXPECT_INT(hd_child_attach(&c, pid, &err), HD_EIO);
	hd_child_release(&c);
}

TEST(a_late_wake_up_does_not_move_later_deadlines)
{
	EXPECT_INT(hd_deadline_after(100, 10, 99), 100);
	EXPECT_INT(hd_deadline_after(100, 10, 100), 110);
	EXPECT_INT(hd_deadline_after(100, 10, 109), 110);
	EXPECT_INT(hd_deadline_after(100, 10, 110), 120);
	EXPECT_INT(hd_deadline_after(100, 10, 1234), 1240);
}

TEST_MAIN(RUN(the_status_and_the_times_of_a_command_are_reported),
	RUN(a_command_that_a_signal_killed_has_no_exit_status),
	RUN(a_command_that_does_not_exist_is_an_error_with_its_name),
	RUN(a_wait_ends_at_its_deadline_while_the_command_runs),
	RUN(its_signals_and_process_group_are_those_that_it_would_have_without_us),
	RUN(signals_that_were_ignored_before_us_are_ignored_by_the_command),
	RUN(a_signal_that_a_process_sends_us_is_passed_on_and_does_not_end_us),
	RUN(a_running_process_is_watched_until_its_end_and_is_sent_nothing),
	RUN(a_late_wake_up_does_not_move_later_deadlines))
