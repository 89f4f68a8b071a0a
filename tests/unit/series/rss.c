/*
 * rss.c - measure the resident memory of running processes
 */
#include "series/rss.h"

#include "test.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	MIB = 1024 * 1024,
	SLACK = 12 * MIB
/*
 * SLACK is the tolerance.  The kernel counts in batches for each CPU, and file pages of a child count in both
 * processes, which is much with a sanitizer.
 */
};

static bool is_near(uint64_t v, uint64_t truth)
{
	return (v < truth ? truth - v : v - truth) < SLACK;
}

/* Start a child that touches `mib` MiB, writes a byte to `say`, and waits to be killed.  Returns its pid. */
static pid_t start(int mib, int say)
{
	pid_t pid = fork();

	if (!pid) {
		char *p;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		p = mmap(NULL, (size_t)mib * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		memset(p, 1, (size_t)mib * MIB);
		if (write(say, "x", 1) == 1)
			pause();
		_exit(0);
	}
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST(a_process_and_its_children_are_added_up_and_what_a_child_has_from_a_fork_counts_once)
{
	struct hd_rss_watch *w;
	uint64_t before, after;
	pid_t child;
	int said[2];
	char c;

	EXPECT(pipe(said) == 0);
	w = hd_rss_watch_new(getpid());
	EXPECT(hd_rss_watch_read(w, &before));
	EXPECT(before > 0);
	child = start(64, said[1]);
	EXPECT(read(said[0], &c, 1) == 1);
	/*
	 * The child has touched its 64 MiB before the first reading of it.  A part of them, at most as large as the
	 * parent, is counted as shared with the parent.
	 */
	for (int i = 0; i < 100 && hd_rss_watch_seen(w) < 2; i++) {
		EXPECT(hd_rss_watch_read(w, &after));
		usleep(1000);
	}
	if (hd_rss_watch_seen(w) == 2)
		EXPECT(after > 50 * MIB && is_near(after, before + 64 * MIB));
	end(child);
	EXPECT(hd_rss_watch_read(w, &after));
	EXPECT(is_near(after, before));
	EXPECT_INT(hd_rss_watch_missed(w), 0);
	hd_rss_watch_free(w);
	close(said[0]);
	close(said[1]);
}

TEST(the_watch_ends_with_the_last_process)
{
	struct hd_rss_watch *w;
	uint64_t bytes;
	pid_t child;
	int said[2];
	char c;

	EXPECT(pipe(said) == 0);
	child = start(32, said[1]);
	EXPECT(read(said[0], &c, 1) == 1);
	w = hd_rss_watch_new(child);
	EXPECT(hd_rss_watch_read(w, &bytes));
	EXPECT(bytes > 28 * MIB);
	kill(child, SIGKILL);
	EXPECT(waitpid(child, NULL, 0) == child);
	EXPECT(!hd_rss_watch_read(w, &bytes));
	EXPECT_INT(bytes, 0);
	hd_rss_watch_free(w);
	w = hd_rss_watch_new(child);
	EXPECT_INT(hd_rss_watch_seen(w), 0);
	hd_rss_watch_free(w);
	close(said[0]);
	close(said[1]);
}

/* Set the limit of descriptors so that this process can open two more.  open_one: any open descriptor. */
static void leave_two_descriptors(int open_one)
{
	int first = dup(open_one), second = dup(open_one);
	struct rlimit limit;

	EXPECT(first >= 0 && second >= 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = (rlim_t)second + 1;
	EXPECT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	close(first);
	close(second);
}

/* Read until hd_rss_watch_missed() returns n or more, at most 20,000 times. */
static void read_until_missed(struct hd_rss_watch *w, size_t n)
{
	uint64_t bytes;

	for (int i = 0; i < 20000 && hd_rss_watch_missed(w) < n; i++) {
		EXPECT(hd_rss_watch_read(w, &bytes));
		usleep(1000);
	}
}

/* Finding a child takes two descriptors, and reading its memory a third one, which the limit denies. */
TEST(a_process_that_cannot_be_watched_is_missed_once_however_long_it_lives)
{
	struct rlimit before;
	struct hd_rss_watch *w;
	char path[64], c;
	pid_t children[2];
	int said[2];

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	if (access(path, R_OK) < 0)
		SKIP("the kernel does not list the children of a process");
	EXPECT(pipe(said) == 0);
	getrlimit(RLIMIT_NOFILE, &before);
	w = hd_rss_watch_new(getpid());
	leave_two_descriptors(said[0]);
	/* The search that finds the second child finds the first one again. */
	for (size_t i = 0; i < 2; i++) {
		children[i] = start(1, said[1]);
		EXPECT(read(said[0], &c, 1) == 1);
		read_until_missed(w, i + 1);
		EXPECT_INT(hd_rss_watch_missed(w), i + 1);
	}
	EXPECT_INT(hd_rss_watch_seen(w), 1);
	setrlimit(RLIMIT_NOFILE, &before);
	for (size_t i = 0; i < 2; i++)
		end(children[i]);
	hd_rss_watch_free(w);
	close(said[0]);
	close(said[1]);
}

TEST_MAIN(RUN(a_process_and_its_children_are_added_up_and_what_a_child_has_from_a_fork_counts_once),
	  RUN(a_process_that_cannot_be_watched_is_missed_once_however_long_it_lives),
	  RUN(the_watch_ends_with_the_last_process))
