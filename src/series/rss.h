/*
 * rss.h - the resident memory of a process and of those that it started, asked for while they run
 *
 *     struct hd_rss_watch *w = hd_rss_watch_new(pid);
 *     while (hd_rss_watch_read(w, &bytes)) ...            as often as wanted
 *
 * From /proc/PID/statm, and children from /proc/PID/task/TID/children.  Nothing is attached to them; they do
 * not notice.  Since Linux 6.2 the kernel adds such counts up in batches for each CPU, so that they lag by some
 * hundred KiB.
 *
 * A forked child that has not executed anything counts for what it has beyond what it was first seen with that is of
 * no file, at most what its parent had: that much is its parent's, too, and is not counted twice while the parent is there.
 * A child that ends between two looks is not seen.
 */
#ifndef HD_SERIES_RSS_H
#define HD_SERIES_RSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HD_RSS_PROCESSES = 4096 };	/* watched at a time */

struct hd_rss_watch;
struct hd_rss_watch *hd_rss_watch_new(int32_t pid);
/* Their sum by now.  False: none of them is there any more. */
bool hd_rss_watch_read(struct hd_rss_watch *w, uint64_t *bytes);
/* Processes that were seen, and those that could not be watched. */
size_t hd_rss_watch_seen(const struct hd_rss_watch *w);
size_t hd_rss_watch_missed(const struct hd_rss_watch *w);
void hd_rss_watch_free(struct hd_rss_watch *w);	/* NULL is fine */

#endif
