/*
 * cmd_rss.c - hotdrift rss PID: record the resident memory of a process and its children
 */
#include "base/file.h"
#include "cli/cmd.h"
#include "base/subprocess.h"
#include "series/rss.h"
#include "track/form.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

struct rss_opts {
	unsigned every_ms;
	const char *out;
};

static const struct rss_opts rss_defaults = { .every_ms = 10 };

static const struct hd_opt rss_opts[] = {
	{ HD_OPT_UINT, 0, "every", "MS", "milliseconds between two readings (default 10)",
		offsetof(struct rss_opts, every_ms) },
	HD_ROW_OUTPUT(struct rss_opts),
	{ 0 },
};

/*
 * After each ROWS rows the interval between readings is doubled while it is below STILL_MS, because a program may run
 * for weeks.  STILL_MS: interval between rows if nothing changes.
 */
enum { ROWS = 100000, STILL_MS = 1000 };

static uint64_t now_us(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000;
}

static void add_row(struct hd_outfile *out, uint64_t us, uint64_t bytes)
{
	struct hd_buf row = { 0 };

	hd_buf_addf(&row, "%llu,%llu,0,0,0\n", (unsigned long long)us, (unsigned long long)bytes);
	hd_outfile_add(out, row.data, row.len);
	hd_outfile_flush(out);		/* write the row immediately, for readers of a pipe */
	hd_buf_release(&row);
}

/* Write a row for each change, and one per second if nothing changes. */
static void watch(struct hd_outfile *out, struct hd_rss_watch *w, struct hd_signal_watch *signals, unsigned every_ms)
{
	/*
	 * Rows have UNIX time.  Its offset to the monotonic clock is computed once, so that later adjustments of the
	 * clock do not matter.
	 */
	uint64_t bytes, last = UINT64_MAX, last_us = 0, us, epoch_us = now_us(CLOCK_REALTIME) - now_us(CLOCK_MONOTONIC);
	size_t rows = 0;

	for (;;) {
		struct pollfd p = { .fd = signals->fd, .events = POLLIN };
		bool any = hd_rss_watch_read(w, &bytes);

		us = now_us(CLOCK_MONOTONIC);
		if (bytes != last || us - last_us >= STILL_MS * 1000u) {
			add_row(out, epoch_us + us, bytes);
			last = bytes;
			last_us = us;
			if (++rows % ROWS == 0 && every_ms < STILL_MS)
				every_ms *= 2;
		}
		if (!any || out->failed || hd_signal_watch_stopped(signals))
			break;
		poll(&p, 1, (int)every_ms);
	}
}

static int rss_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct rss_opts *o = opts;
	const char *header = hd_form_layout(HD_FORM_MEMORY)->header;
	struct hd_rss_watch *w;
	struct hd_signal_watch signals;
	struct hd_outfile out;
	unsigned long long pid;
	int rc;

	(void)argc;
	if (hd_parse_uint(argv[0], INT32_MAX, &pid) < 0 || !pid)
		return hd_fail(err, HD_EUSAGE, "rss: '%s' is not a process id", argv[0]);
	if (!o->every_ms || o->every_ms > 60000)
		return hd_fail(err, HD_EUSAGE, "rss: --every takes milliseconds from 1 to 60000");
	w = hd_rss_watch_new((int32_t)pid);
	if (!hd_rss_watch_seen(w)) {
		hd_rss_watch_free(w);
		return hd_fail(err, HD_EIO, "rss: process %llu does not exist, or /proc hides it", pid);
	}
	/* Block signals until the file is committed. */
	rc = hd_signal_watch_begin(&signals, err);
	if (rc >= 0 && (rc = hd_outfile_open(&out, o->out, err)) < 0)
		hd_signal_watch_end(&signals);
	if (rc >= 0) {
		hd_outfile_add(&out, header, strlen(header));
		hd_outfile_add(&out, "\n", 1);
		watch(&out, w, &signals, o->every_ms);
		rc = hd_outfile_commit(&out, err);
		hd_signal_watch_end(&signals);
	}
	if (hd_rss_watch_missed(w))
		hd_warn_n(log, "lost.rss-process", hd_rss_watch_missed(w), "",
			"rss: the memory of processes could not be read and is not in the sum");
	hd_rss_watch_free(w);
	return rc;
}

const struct hd_cmd hd_cmd_rss = {
	.name = "rss",
	.args = "PID",
	.summary = "record the resident memory of a process and its children while they run",
	.details =
		"Writes a CSV file of the memory form until the process and all processes that it started have "
		"ended, or until SIGTERM or SIGINT:\n"
		"  {memory}\n"
		"A row has the sum of the processes from its time on.  There is a row for each change, and one per "
		"second without changes.  Times are microseconds since 1970.  The last three columns are 0; "
		"'hotdrift timeline' fills them from a heap recording.\n"
		"\n"
		"The values are those of /proc/PID/statm.  The kernel updates them in batches per CPU, so they lag "
		"behind by up to some hundred KiB.  A process that ends within the milliseconds of --every may be "
		"missed.  A forked child counts for its growth since it was first seen, because the rest is shared "
		"with its parent.",
	.examples =
		"hotdrift rss 4711 -o rss.csv\tuntil process 4711 ends\n"
		"hotdrift stats rss.csv\tits peak and mean\n"
		"",
	HD_CMD_OPTS(rss_opts, rss_defaults),
	.min_args = 1,
	.max_args = 1,
	.run = rss_run,
};
