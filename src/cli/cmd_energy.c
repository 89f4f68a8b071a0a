/*
 * cmd_energy.c - hotdrift energy FILE.csv: integrate power over time
 */
#include "base/file.h"
#include "base/utc.h"
#include "cli/cmd.h"
#include "render/energy.h"
#include "render/top.h"

#include <math.h>
#include <string.h>

struct energy_opts {
	bool json, strict;
	int format;		/* enum hd_format */
	const char *time, *out;
};

static const struct energy_opts energy_defaults = { 0 };

static const struct hd_opt energy_opts[] = {
	HD_ROW_JSON(struct energy_opts, "hotdrift.energy"),
	HD_ROW_FORMAT(struct energy_opts),
	{ HD_OPT_STR, 0, "time", "A,B", "only from A to B, in seconds of the file's clock",
		offsetof(struct energy_opts, time) },
	{ HD_OPT_FLAG, 0, "strict", NULL, "exit 5 if a row or a cell was lost", offsetof(struct energy_opts, strict) },
	HD_ROW_OUTPUT(struct energy_opts),
	{ 0 },
};

/* Parse "A,B", a range of seconds.  A part that is empty becomes NAN. */
static int read_span(struct hd_energy_span *span, const char *text, struct hd_err *err)
{
	size_t a = text ? strcspn(text, ",") : 0;
	uint64_t from = 0, to = UINT64_MAX;

	*span = (struct hd_energy_span){ NAN, NAN };
	if (!text)
		return 0;
	if (!hd_parse_seconds_range(text, &from, &to))
		return hd_fail(err, HD_EUSAGE, "energy: --time takes A,B in seconds of the file's clock, not '%s'",
			text);
	*span = (struct hd_energy_span){ a ? (double)from / 1e9 : NAN, text[a + 1] ? (double)to / 1e9 : NAN };
	return 0;
}

static int add_up(struct hd_buf *text, const struct hd_series *s, const struct energy_opts *o, struct hd_log *log,
		  struct hd_err *err)
{
	enum hd_format format = o->json ? HD_FORMAT_JSON : (enum hd_format)o->format;
	struct hd_energy_report r = { 0 };
	struct hd_energy_span span;
	int rc = read_span(&span, o->time, err);

	if (rc >= 0)
		rc = hd_energy_report_make_span(&r, s, span, log, err);
	if (rc >= 0 && o->strict)
		rc = hd_series_need_whole(s, log, err);
	if (rc >= 0 && format == HD_FORMAT_JSON)
		hd_energy_json(text, &r);
	else if (rc >= 0)
		hd_energy_text(text, &r, format == HD_FORMAT_MARKDOWN);
	hd_energy_report_release(&r);
	return rc;
}

static int energy_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct energy_opts *o = opts;
	struct hd_buf text = { 0 };
	struct hd_series *s;
	int rc;

	(void)argc;
	rc = hd_series_read(&s, argv[0], log, err);
	if (rc < 0)
		return rc;
	rc = add_up(&text, s, o, log, err);
	if (rc >= 0)
		rc = hd_file_write(o->out, &text, err);
	hd_buf_release(&text);
	hd_series_free(s);
	return rc;
}

const struct hd_cmd hd_cmd_energy = {
	.name = "energy",
	.reads = true,
	.args = "FILE.csv",
	.summary = "compute joules from a series of watts",
	.details =
		"Reads {power} or {sources}.  Energy is the trapezoidal integral over the samples in the order of "
		"their times.  Mean power is the mean of the samples; energy by duration is shown next to it.  "
		"Unsorted samples, samples of equal time (which contribute nothing) and gaps (more than 10 times the "
		"median distance) are reported.  Fewer than two samples give 0 J over 0 s with status insufficient.  "
		"--time integrates a part, with the power at both edges interpolated.\n"
		"\n"
		"Power by source: the energy of a domain with only a joule counter is the counter's increase.  If a "
		"domain has power and a counter, the integral is used and the counter is shown next to it.  Packages "
		"and devices are added up.  Domains that are part of a package, contain it or repeat it (core, "
		"uncore, psys, intel-rapl-mmio, a battery, possibly a sensor of hwmon) and dram are listed with the "
		"reason and not added.  A row marked stale repeats an old value and is no new sample; the update "
		"period is the median time between new values.  If it is known, power is linear between new values "
		"(src/track/energy.h has the rules).\n"
		"\n"
		"Rows and cells that cannot be read are skipped, counted and reported; with --strict the exit is 5.  "
		"'-' reads standard input.",
	.examples =
		"hotdrift energy power.csv\ttotal, mean, peak\n"
		"hotdrift energy --json power.csv | jq .total_joules\tone number\n"
		"hotdrift energy --time 1700000000.5,1700000002 power.csv\tone and a half seconds of it\n"
		"",
	HD_CMD_OPTS(energy_opts, energy_defaults),
	.min_args = 1,
	.max_args = 1,
	.run = energy_run,
};
