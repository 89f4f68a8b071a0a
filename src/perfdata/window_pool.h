/*
 * window_pool.h - the memory that contains the records
 *
 * A reader fills one window after another.  A window that is not held is refilled; a window that is held
 * stays unchanged, and the reader takes another one.  Views into records can thus outlive the walk's next
 * step without a copy.
 *
 * Threads: only the walking thread may hold and drop windows; other threads may read them.
 */
#ifndef HD_PERFDATA_WINDOW_POOL_H
#define HD_PERFDATA_WINDOW_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_mapped_file;
struct hd_window_pool;

struct hd_window {
	struct hd_window_pool *pool;
	struct hd_window *next;		/* next in the list of idle windows */
	unsigned holds;
	struct hd_mapped_file *file; /* the mapped file that it shows a part of; NULL: the window owns its bytes */
	uint8_t bytes[];
};

/* Idle windows of one size.  Set `size`, and `mapped` for windows that show parts of files; zero the rest. */
struct hd_window_pool {
	size_t size;
	bool mapped;
	struct hd_window *idle;
	size_t taken;			/* number of windows that are held or being filled */
	bool torn;			/* a dropped window was truncated while mapped: see base/mapped_file.h */
};

struct hd_window *hd_window_pool_take(
	struct hd_window_pool *pool); /* take a window, held once; NULL (mapped windows only): none is available */
void hd_window_pool_release(struct hd_window_pool *pool);		/* all windows must have been dropped */
void hd_window_hold(struct hd_window *w);
void hd_window_drop(struct hd_window *w);			/* accepts NULL */

/*
 * Move the bytes [from, from + n) of *w to the start of a window that only the caller holds, to continue filling.  *w
 * may be replaced by another window.
 */
void hd_window_move(struct hd_window **w, size_t from, size_t n);

#endif
