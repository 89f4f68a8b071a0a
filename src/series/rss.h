/*
 * rss.h - read the resident memory of a process and its descendants while they run
 *
 *     struct hd_rss_watch *w = hd_rss_watch_new(pid);
 *     while (hd_rss_watch_read(w, &bytes)) ...            as often as wanted
 *
 * The sources are /proc/PID/statm, and /proc/PID/task/TID/children for children; the processes are not disturbed.
 * Since Linux 6.2 the kernel batches these counts per CPU, so they may lag by some hundred KiB.
 *
 * A forked child shares memory with its parent until it calls exec().  Until then, and while the parent lives, it
 * counts only for its growth in anonymous memory since it was first seen.  A child that ends between two readings is
 * missed.
 */
#ifndef HD_SERIES_RSS_H
#define HD_SERIES_RSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HD_RSS_PROCESSES = 4096 };	/* watched at the same time at most */

struct hd_rss_watch;
struct hd_rss_watch *hd_rss_watch_new(int32_t pid);
/* Set *bytes to the current sum.  Returns false if all processes have ended. */
bool hd_rss_watch_read(struct hd_rss_watch *w, uint64_t *bytes);
/* Return the number of processes that were found, and of those that could not be watched. */
size_t hd_rss_watch_seen(const struct hd_rss_watch *w);
size_t hd_rss_watch_missed(const struct hd_rss_watch *w);
void hd_rss_watch_free(struct hd_rss_watch *w);	/* accepts NULL */

#endif
