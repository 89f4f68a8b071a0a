/*
 * rss.h - read the resident memory of a process and its descendants while they run
 *
 *     struct hd_rss_watch *w = hd_rss_watch_new(pid);
 *     while (hd_rss_watch_read(w, &bytes)) ...            as often as wanted
 *
 * The sources are /proc/PID/statm, and /proc/PID/task/TID/children for children; the processes are not disturbed.
 * Since Linux 6.2 the kernel batches these counts per CPU, so they may lag by some hundred KiB.
 *
 * A forked child shares anonymous memory with its parent until it calls exec().  Until then, and while the parent
 * lives, the anonymous memory that the child had when it was first seen (at most as much as its parent) is subtracted
 * from the child's resident memory.
 *
 * Not each reading searches for new children, because a search takes long (rss.c).  A child that starts and ends
 * between two searches is not found.
 */
#ifndef HD_SERIES_RSS_H
#define HD_SERIES_RSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HD_RSS_PROCESSES = 4096 };	/* limit for the processes that are watched at the same time */

struct hd_rss_watch;
/* Watch a process.  Raises this process's limit for open files: each watched process needs a descriptor. */
struct hd_rss_watch *hd_rss_watch_new(int32_t pid);
/* Set *bytes to the resident memory of all processes.  Returns false if all have ended; zombies count as ended. */
bool hd_rss_watch_read(struct hd_rss_watch *w, uint64_t *bytes);
/*
 * hd_rss_watch_seen() returns the number of processes that were watched.  hd_rss_watch_missed() returns the number of
 * process ids that were found and could not be watched: there were too many processes, or statm could not be opened.
 */
size_t hd_rss_watch_seen(const struct hd_rss_watch *w);
size_t hd_rss_watch_missed(const struct hd_rss_watch *w);
void hd_rss_watch_free(struct hd_rss_watch *w);	/* accepts NULL */

#endif
