/* sampler.c - write readings during a command to files, without an effect on the command */
#include "series/sampler.h"
#include "test.h"

#include "../tmpdir.h"

#include <string.h>

enum { MS = 1000000 };

struct place {
	char *dir;
	struct hd_sampler *s;
	struct hd_child c;
	struct hd_log log;
	struct hd_err err;
};

static struct place begin(bool power, bool memory)
{
	const struct hd_sampler_config what = { .part = { power, false, memory }, .constant_watts = 8, .every_ns = MS };
	struct place p = { .dir = tmpdir() };

	EXPECT_INT(hd_sampler_open(&p.s, &what, &p.err), 0);
	for (size_t i = 0; power && i < hd_power_sources(p.s->meter); i++)
		p.s->source[i] = !strcmp(hd_power_source(p.s->meter, i)->name, "constant");
	EXPECT_INT(hd_child_hold(&p.c, &p.err), 0);
	return p;
}

static int run(struct place *p, const char *script)
{
	char *const argv[] = { (char *)"sh", (char *)"-c", (char *)script, NULL };
	sigset_t none;
	int rc;

	sigemptyset(&none);
	rc = hd_sampler_files(p->s, p->dir, &p->err);
	return rc < 0 ? rc : hd_sampler_run(p->s, &p->c, argv, 0, &none, &p->err);
}

static void end(struct place *p)
{
	hd_child_release(&p->c);
	hd_sampler_free(p->s);
	hd_log_release(&p->log);
	tmpdir_remove(p->dir);
}

static bool exists(const struct place *p, const char *name)
{
	char *path = in_dir(p->dir, name);
	bool is = access(path, F_OK) == 0;

	free(path);
	return is;
}

TEST(files_appear_when_they_are_committed_and_hold_what_was_counted)
{
	struct place p = begin(true, true);

	EXPECT_INT(run(&p, "exit 3"), 0);
	EXPECT_INT(p.c.exit_status, 3);
	EXPECT(!exists(&p, "power.csv") && !exists(&p, "memory.csv"));
	EXPECT_INT(hd_sampler_commit(p.s, &p.log, &p.err), 0);
	EXPECT(p.s->written[HD_SAMPLE_POWER] && p.s->written[HD_SAMPLE_MEMORY] && !p.s->written[HD_SAMPLE_GPU]);
	EXPECT(exists(&p, "power.csv") && exists(&p, "memory.csv") && !exists(&p, "gpu.csv"));
	EXPECT(p.s->rows[HD_SAMPLE_POWER] >= 2 && p.s->rows[HD_SAMPLE_MEMORY] >= 1);
	EXPECT(p.s->start_ns < p.s->end_ns && p.s->peak_rss_bytes > 0 && p.s->readings >= 2);
	end(&p);
}

TEST(without_a_commit_no_file_is_left)
{
	struct place p = begin(true, true);

	EXPECT_INT(run(&p, ":"), 0);
	hd_sampler_free(p.s);
	p.s = NULL;
	EXPECT(!exists(&p, "power.csv") && !exists(&p, "memory.csv"));
	end(&p);
}

TEST(a_folder_that_is_gone_when_the_command_has_ended_is_an_error_of_the_commit)
{
	struct place p = begin(true, false);
	struct hd_buf script = { 0 };

	hd_buf_addf(&script, "rmdir '%s'", p.dir);
	EXPECT_INT(run(&p, script.data), 0);
	EXPECT_INT(p.c.exit_status, 0);
	EXPECT_INT(hd_sampler_commit(p.s, &p.log, &p.err), HD_EIO);
	EXPECT(strstr(p.err.msg, "power.csv"));
	EXPECT(!p.s->written[HD_SAMPLE_POWER]);
	EXPECT_INT(mkdir(p.dir, 0700), 0);
	hd_buf_release(&script);
	end(&p);
}

TEST(a_source_that_was_not_chosen_is_not_read_and_a_part_without_rows_is_no_file)
{
	struct place p = begin(true, false);

	for (size_t i = 0; i < hd_power_sources(p.s->meter); i++)
		p.s->source[i] = false;
	EXPECT_INT(run(&p, ":"), 0);
	EXPECT_INT(p.s->rows[HD_SAMPLE_POWER], 0);
	EXPECT_INT(hd_sampler_commit(p.s, &p.log, &p.err), 0);
	EXPECT(!exists(&p, "power.csv") && !p.s->written[HD_SAMPLE_POWER]);
	end(&p);
}

TEST(a_command_that_cannot_be_started_is_an_error)
{
	struct place p = begin(true, true);
	char *const argv[] = { (char *)"/nowhere/app", NULL };
	sigset_t none;

	sigemptyset(&none);
	EXPECT_INT(hd_sampler_files(p.s, p.dir, &p.err), 0);
	EXPECT_INT(hd_sampler_run(p.s, &p.c, argv, 0, &none, &p.err), HD_EIO);
	EXPECT_STR(p.err.msg, "cannot start '/nowhere/app': No such file or directory");
	EXPECT_INT(hd_child_reap(&p.c, &p.err), 0);
	end(&p);
}

TEST_MAIN(RUN(files_appear_when_they_are_committed_and_hold_what_was_counted), RUN(without_a_commit_no_file_is_left),
	  RUN(a_folder_that_is_gone_when_the_command_has_ended_is_an_error_of_the_commit),
	  RUN(a_source_that_was_not_chosen_is_not_read_and_a_part_without_rows_is_no_file),
	  RUN(a_command_that_cannot_be_started_is_an_error))
