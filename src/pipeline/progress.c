/*
 * progress.c - see progress.h
 */
#include "pipeline/progress.h"

#include "base/buf.h"
#include "base/encode.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void hd_progress_start(struct hd_progress *g, const char *what, uint64_t total_bytes)
{
	*g = (struct hd_progress){ .what = what, .total = total_bytes, .on = total_bytes && isatty(STDERR_FILENO) };
	if (g->on)
		g->started_ns = now_ns();
}

void hd_progress_pass(struct hd_progress *g, uint64_t base_bytes)
{
	g->base = base_bytes;
	g->asked = 0;
}

void hd_progress_show(struct hd_progress *g, uint64_t at)
{
	uint64_t now = now_ns();
	struct hd_buf line = { 0 };
	uint64_t done = g->base + at;

	g->asked = at;
	if (now - g->started_ns < 1000000000u || now - g->shown_ns < 200000000u)
		return;
	g->shown_ns = now;
	g->shown = true;
	hd_buf_adds(&line, "\r");
	hd_enc_term(&line, g->what, strlen(g->what));
	hd_buf_addf(&line, ": %llu %%\033[K", (unsigned long long)(done >= g->total ? 100 : done * 100 / g->total));
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
