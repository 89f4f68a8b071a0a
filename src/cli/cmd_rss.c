/*
 * cmd_rss.c - hotdrift rss PID
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
	{ HD_OPT_UINT, 0, "every", "MS", "milliseconds between two looks (default 10)",
		offsetof(struct rss_opts, every_ms) },
	HD_ROW_OUTPUT(struct rss_opts),
	{ 0 },
};

/* Of so many rows, the next ones come half as often: a program may run for weeks. */
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
	hd_outfile_flush(out);		/* who waits for a row, gets it */
	hd_buf_release(&row);
}

/* Rows of what changed, and one a second when nothing does. */
static void watch(struct hd_outfile *out, struct hd_rss_watch *w, struct hd_signal_watch *signals, unsigned every_ms)
{
	/* Rows have UNIX time, but one that is not set anew meanwhile. */
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
		return hd_fail(err, HD_EUSAGE, "rss: '%s' is no process id", argv[0]);
	if (!o->every_ms || o->every_ms > 60000)
		return hd_fail(err, HD_EUSAGE, "rss: --every takes milliseconds from 1 to 60000");
	w = hd_rss_watch_new((int32_t)pid);
	if (!hd_rss_watch_seen(w)) {
		hd_rss_watch_free(w);
		return hd_fail(err, HD_EIO, "rss: there is no process %llu, or /proc does not show it", pid);
	}
	/* Held back until the file is in its place. */
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
			"rss: processes whose memory could not be asked for; their memory is not in the sum");
	hd_rss_watch_free(w);
	return rc;
}

const struct hd_cmd hd_cmd_rss = {
	.name = "rss",
	.args = "PID",
	.summary = "the resident memory of a process and its children, while they run",
	.details =
		"Writes a CSV file of the memory form, "
		"timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes, until\n"
		"the process and all that it started have ended, or until SIGTERM or SIGINT.  A row says what the sum "
		"of the processes has\n"
		"been since then; there is one for each change, and one a second.  Times are microseconds since 1970.  "
		"The last three columns\n"
		"are 0; 'hotdrift timeline' fills them from a heap recording.\n"
		"\n"
		"The figures are those of /proc/PID/statm.  The kernel adds them up in batches for each CPU: they lag "
		"behind by up to some\n"
		"hundred KiB.  A process that ends within the milliseconds of --every may not be seen.  A forked child "
		"counts for what it has\n"
		"beyond what it was first seen with, because that is its parent's memory, too.",
	.examples = "hotdrift rss 4711 -o rss.csv\tuntil process 4711 ends\n"
		    "hotdrift stats rss.csv\tits peak and mean\n",
	HD_CMD_OPTS(rss_opts, rss_defaults),
	.min_args = 1,
	.max_args = 1,
	.run = rss_run,
};
