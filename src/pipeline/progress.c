/*
 * progress.c - see progress.h
 */
#include "pipeline/progress.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/encode.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SECOND 1000000000u	/* in ns */

void hd_progress_start(struct hd_progress *g, const char *what, uint64_t total_bytes)
{
	*g = (struct hd_progress){ .what = what, .total = total_bytes, .on = total_bytes && isatty(STDERR_FILENO) };
	if (g->on)
		g->started_ns = g->pass_started_ns = hd_monotonic_ns();
}

void hd_progress_pass(struct hd_progress *g, uint64_t base_bytes)
{
	uint64_t now;

	if (!g->on)
		return;
	now = hd_monotonic_ns();
	if (now - g->pass_started_ns < SECOND)
		g->total -= base_bytes - g->base;
	else
		g->base = base_bytes;
	g->asked = 0;
	g->pass_started_ns = now;
}

/*
 * Append the time that is left.  Passes differ in speed, so only the speed of the current one counts.  During the first
 * second of a pass, nothing is appended.
 */
static void add_time_left(struct hd_buf *line, const struct hd_progress *g, uint64_t at, uint64_t now)
{
	double elapsed = (double)(now - g->pass_started_ns) / SECOND, left;

	if (elapsed < 1 || !at || g->base + at >= g->total)
		return;
	left = elapsed / (double)at * (double)(g->total - g->base - at);
	if (left < 60)
		hd_buf_addf(line, ", about %.0f s left", left);
	else
		hd_buf_addf(line, ", about %.0f min left", left / 60);
}

void hd_progress_show(struct hd_progress *g, uint64_t at)
{
	uint64_t now = hd_monotonic_ns();
	struct hd_buf line = { 0 };
	uint64_t done = g->base + at;

	g->asked = at;
	if (now - g->started_ns < SECOND || now - g->shown_ns < 200000000u)
		return;
	g->shown_ns = now;
	g->shown = true;
	hd_buf_adds(&line, "\r");
	hd_enc_term(&line, g->what, strlen(g->what));
	hd_buf_addf(&line, ": %llu %%", (unsigned long long)(done >= g->total ? 100 : done * 100 / g->total));
	add_time_left(&line, g, at, now);
	hd_buf_adds(&line, "\033[K");
	fwrite(line.data, 1, line.len, stderr);
	fflush(stderr);
	hd_buf_release(&line);
}

void hd_progress_end(struct hd_progress *g)
{
	if (g->shown) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
	}
	g->on = g->shown = false;
}
