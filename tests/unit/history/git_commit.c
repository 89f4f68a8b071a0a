/* git_commit.c - find the commit of the checkout; without a checkout there is no error */
#include "unit/history/history_test.h"

#include "history/git_commit.h"

#include <sys/wait.h>

/* Run a script in the folder with a git that reads no user configuration. */
static int script(const struct place *p, const char *text)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
		setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
		setenv("GIT_AUTHOR_NAME", "t", 1);
		setenv("GIT_AUTHOR_EMAIL", "t@example.invalid", 1);
		setenv("GIT_COMMITTER_NAME", "t", 1);
		setenv("GIT_COMMITTER_EMAIL", "t@example.invalid", 1);
		setenv("GIT_AUTHOR_DATE", "1792764062 +0200", 1);
		setenv("GIT_COMMITTER_DATE", "1792764062 +0200", 1);
		if (chdir(p->dir) < 0)
			_exit(99);
		execl("/bin/sh", "sh", "-ec", text, (char *)NULL);
		_exit(99);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool no_git(const struct place *p)
{
	return script(p, "command -v git >/dev/null") != 0;
}

static struct hd_git_commit read_at(const struct place *p, const char *rev, struct hd_log *log)
{
	struct hd_git_commit g;

	EXPECT_INT(hd_git_commit_read(&g, p->dir, rev, log, NULL), 0);
	return g;
}

static const char start[] =
	"git init -q -b trunk . && echo 1 > a && git add a && git commit -q -m 'Read rows faster' -m 'Body.'";

TEST(a_checkout_has_commit_branch_subject_and_time)
{
	struct place p = place_new();
	struct hd_log log = { 0 };
	struct hd_git_commit g;

	if (no_git(&p)) {
		place_remove(&p);
		SKIP("no git");
	}
	EXPECT_INT(script(&p, start), 0);
	g = read_at(&p, NULL, &log);
	EXPECT_INT(strlen(g.sha), 40);
	EXPECT_STR(g.parents, "");
	EXPECT_STR(g.branch, "trunk");
	EXPECT_STR(g.subject, "Read rows faster");
	EXPECT_STR(g.committed_utc, "2026-10-23T14:01:02Z");
	EXPECT_INT(g.dirty, 0);
	EXPECT_INT(log.n, 0);
	hd_git_commit_release(&g);
	place_remove(&p);
}

TEST(only_changes_of_tracked_files_make_it_dirty)
{
	struct place p = place_new();
	struct hd_log log = { 0 };
	struct hd_git_commit g;

	if (no_git(&p)) {
		place_remove(&p);
		SKIP("no git");
	}
	EXPECT_INT(script(&p, start), 0);
	EXPECT_INT(script(&p, "echo x > untracked"), 0);
	g = read_at(&p, NULL, &log);
	EXPECT_INT(g.dirty, 0);
	hd_git_commit_release(&g);
	EXPECT_INT(script(&p, "echo 2 > a"), 0);
	g = read_at(&p, NULL, &log);
	EXPECT_INT(g.dirty, 1);
	hd_git_commit_release(&g);
	place_remove(&p);
}

TEST(a_commit_that_is_named_is_looked_up_or_taken_as_it_is)
{
	struct place p = place_new();
	struct hd_log log = { 0 };
	struct hd_git_commit head, g;
	struct hd_err err = { 0 };
	char rev[9];

	if (no_git(&p)) {
		place_remove(&p);
		SKIP("no git");
	}
	EXPECT_INT(script(&p, start), 0);
	EXPECT_INT(script(&p, "echo 2 > a && git commit -qam 'Second'"), 0);
	head = read_at(&p, NULL, &log);
	EXPECT_INT(strlen(head.parents), 40);
	snprintf(rev, sizeof(rev), "%.8s", head.parents);
	g = read_at(&p, rev, &log);
	EXPECT_STR(g.sha, head.parents);
	EXPECT_STR(g.subject, "Read rows faster");
	assert_null(g.branch);
	EXPECT_INT(g.dirty, -1);
	hd_git_commit_release(&g);
	g = read_at(&p, "0123456789abcdef", &log);
	EXPECT_STR(g.sha, "0123456789abcdef");
	assert_null(g.subject);
	hd_git_commit_release(&g);
	EXPECT_INT(hd_git_commit_read(&g, p.dir, "--output=x", &log, &err), HD_EUSAGE);
	EXPECT_STR(err.msg, "'--output=x' is not a commit: expected 4 to 64 hexadecimal digits");
	EXPECT_INT(log.n, 0);
	hd_git_commit_release(&head);
	place_remove(&p);
}

TEST(no_checkout_no_commit_and_a_detached_head_are_no_errors)
{
	struct place p = place_new();
	struct hd_log log = { 0 };
	struct hd_git_commit g = read_at(&p, NULL, &log);

	assert_null(g.sha);
	EXPECT_INT(g.dirty, -1);
	hd_git_commit_release(&g);
	if (no_git(&p)) {
		place_remove(&p);
		SKIP("no git");
	}
	EXPECT_INT(script(&p, "git init -q ."), 0);
	g = read_at(&p, NULL, &log);
	assert_null(g.sha);
	hd_git_commit_release(&g);
	EXPECT_INT(script(&p, "echo 1 > a; git add a; git commit -q -m x; git checkout -q --detach"), 0);
	g = read_at(&p, NULL, &log);
	EXPECT_INT(strlen(g.sha), 40);
	assert_null(g.branch);
	EXPECT_INT(log.n, 0);
	hd_git_commit_release(&g);
	place_remove(&p);
}

TEST(nothing_of_the_checkout_is_executed_and_nothing_is_written)
{
	struct place p = place_new();
	struct hd_log log = { 0 };
	struct hd_git_commit g;
	char mark[700];

	if (no_git(&p)) {
		place_remove(&p);
		SKIP("no git");
	}
	EXPECT_INT(script(&p, start), 0);
	EXPECT_INT(
		script(&p,
			"printf '#!/bin/sh\\n"
			"touch ran\\n"
			"' > .git/evil; chmod +x .git/evil; git config core.fsmonitor .git/evil; git config core.pager "
			".git/evil; git config pager.log .git/evil; cp .git/evil .git/hooks/post-index-change; cp "
			".git/index .git/index.before; touch -d '2020-01-01' a"),
		0);
	g = read_at(&p, NULL, &log);
	EXPECT_INT(g.dirty, 0);
	hd_git_commit_release(&g);
	snprintf(mark, sizeof(mark), "%s/ran", p.dir);
	EXPECT(access(mark, F_OK) < 0);
	EXPECT_INT(script(&p, "cmp -s .git/index .git/index.before"), 0);
	place_remove(&p);
}

TEST(an_environment_that_points_elsewhere_is_not_followed)
{
	struct place p = place_new();
	struct hd_log log = { 0 };
	struct hd_git_commit g;

	if (no_git(&p)) {
		place_remove(&p);
		SKIP("no git");
	}
	EXPECT_INT(script(&p, start), 0);
	setenv("GIT_DIR", "/nonexistent", 1);
	setenv("GIT_INDEX_FILE", "/nonexistent/index", 1);
	g = read_at(&p, NULL, &log);
	unsetenv("GIT_DIR");
	unsetenv("GIT_INDEX_FILE");
	EXPECT(g.sha != NULL);
	EXPECT_INT(g.dirty, 0);
	hd_git_commit_release(&g);
	place_remove(&p);
}

TEST(a_checkout_that_git_does_not_trust_is_a_warning)
{
	struct place p = place_new();
	struct hd_log log = { 0 };
	struct hd_git_commit g;

	if (no_git(&p) || geteuid() != 0) {
		place_remove(&p);
		SKIP("needs git, and root to give a checkout away");
	}
	EXPECT_INT(script(&p, start), 0);
	EXPECT_INT(script(&p, "chown -R 65534 ."), 0);
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
	g = read_at(&p, NULL, &log);
	unsetenv("GIT_CONFIG_GLOBAL");
	unsetenv("GIT_CONFIG_SYSTEM");
	assert_null(g.sha);
	EXPECT(hd_log_find(&log, "git.refused") != NULL);
	hd_log_release(&log);
	hd_git_commit_release(&g);
	place_remove(&p);
}

TEST(without_git_there_is_no_commit)
{
	struct place p = place_new();
	struct hd_log log = { 0 };
	char *path = hd_strdup(getenv("PATH") ? getenv("PATH") : "");
	struct hd_git_commit g;

	setenv("PATH", p.dir, 1);
	g = read_at(&p, NULL, &log);
	setenv("PATH", path, 1);
	assert_null(g.sha);
	EXPECT_INT(log.n, 0);
	hd_git_commit_release(&g);
	free(path);
	place_remove(&p);
}

TEST_MAIN(RUN(a_checkout_has_commit_branch_subject_and_time),
	  RUN(only_changes_of_tracked_files_make_it_dirty),
	  RUN(a_commit_that_is_named_is_looked_up_or_taken_as_it_is),
	  RUN(no_checkout_no_commit_and_a_detached_head_are_no_errors),
	  RUN(nothing_of_the_checkout_is_executed_and_nothing_is_written),
	  RUN(an_environment_that_points_elsewhere_is_not_followed),
	  RUN(a_checkout_that_git_does_not_trust_is_a_warning),
	  RUN(without_git_there_is_no_commit))
