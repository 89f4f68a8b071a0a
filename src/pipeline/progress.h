/*
 * progress.h - print a progress line with the time that is left, if stderr is a terminal and the work takes long
 */
#ifndef HD_PIPELINE_PROGRESS_H
#define HD_PIPELINE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct hd_progress {
	const char *what;
	uint64_t total;		/* bytes that all passes together read */
	uint64_t base;		/* bytes that the passes before the current one have read */
	uint64_t asked;		/* position in the file, in bytes, at which the clock was last read */
	uint64_t started_ns, pass_started_ns, shown_ns;
	bool on, shown;
};

/*
 * `what` is borrowed, and total_bytes is the sum over all passes.  Nothing is printed if stderr is not a terminal, or
 * if total_bytes is 0.
 */
void hd_progress_start(struct hd_progress *g, const char *what, uint64_t total_bytes);

/*
 * Start the next pass.  The passes before it have read base_bytes.  If the last one took less than a second, its bytes
 * no longer count, so that the line does not begin at 50 % after a pass that was read in no time.
 */
void hd_progress_pass(struct hd_progress *g, uint64_t base_bytes);
void hd_progress_show(struct hd_progress *g, uint64_t at);
void hd_progress_end(struct hd_progress *g);				/* erase the line */

/* Call this for each record.  The call is cheap: the clock is read every 4 MiB only. */
static inline void hd_progress_at(struct hd_progress *g, uint64_t at)
{
	if (g->on && at - g->asked > 4u << 20)
		hd_progress_show(g, at);
}

#endif
