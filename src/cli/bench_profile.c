/*
 * bench_profile.c - perf record around a run; see bench.h
 *
 * The same choices as scripts/profile.sh makes: the perf that HOTDRIFT_PERF or PERF
 * name, cycles or, where there is no cycle counter, cpu-clock; frame pointers.  A run is
 * timed with perf around it, both sides alike.
 */
#include "cli/bench.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool records(struct bench *b, const char *event, struct hd_buf *said)
{
	const char *words[] = { b->perf, "record", "-q", "-e", event, "-o", "/dev/null", "--", "true", NULL };
	struct hd_process what = { .argv = (char *const *)words, .limit_ms = 10000 };
	struct hd_process_end end;
	struct hd_err err = { 0 };
	bool fine;

	if (hd_process_run(&end, &what, &b->watch, &err) < 0)
		return false;
	fine = end.how == HD_PROCESS_EXITED && end.status == 0;
	hd_buf_reset(said);
	if (end.how == HD_PROCESS_NOT_STARTED)
		hd_process_say(said, &end);
	else
		hd_buf_add(said, hd_buf_str(&end.errors), strcspn(hd_buf_str(&end.errors), "\n"));
	hd_process_end_release(&end);
	return fine;
}

int bench_profile_begin(struct bench *b, struct hd_err *err)
{
	const struct bench_opts *o = b->o;
	const char *wanted = o->event ? o->event : "cycles";
	struct hd_buf said = { 0 };
	char *dir;
	int rc = 0;

	if (!o->profile)
		return 0;
	if (mkdir(o->profile, 0777) < 0 && errno != EEXIST)
		return hd_fail_errno(err, HD_EIO, errno, "bench: %s: cannot make the folder of the recordings", o->profile);
	dir = realpath(o->profile, NULL);
	if (!dir)
		return hd_fail_errno(err, HD_EIO, errno, "bench: %s", o->profile);
	b->recordings = dir;
	b->perf = getenv("HOTDRIFT_PERF");
	if (!b->perf || !*b->perf)
		b->perf = getenv("PERF");
	if (!b->perf || !*b->perf)
		b->perf = "perf";
	b->event = wanted;
	if (!records(b, b->event, &said)) {
		b->event = "cpu-clock";
		if (o->event || !records(b, b->event, &said))
			rc = hd_fail(err, HD_EIO, "bench: %s cannot record %s here: %s; scripts/profile.sh cpu --check says what to do", b->perf, wanted,
				     hd_buf_str(&said));
	}
	hd_buf_release(&said);
	return rc;
}

void bench_profile_wrap(struct hd_command *to, const struct bench *b, const struct hd_command *what, const char *recording)
{
	const char *words[] = { b->perf, "record", "-q", "-F", b->o->frequency, "--call-graph", "fp", "-e", b->event, "-o", recording, "--" };

	*to = (struct hd_command){ 0 };
	for (size_t i = 0; i < HD_COUNT(words); i++)
		hd_command_add(to, words[i], strlen(words[i]));
	for (size_t i = 0; i < what->argc; i++)
		hd_command_add(to, what->argv[i], strlen(what->argv[i]));
}
