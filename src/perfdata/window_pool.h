/*
 * window_pool.h - manage the memory that contains the records
 *
 * A window is a buffer of fixed size, or a view into a mapped file.  A reader fills one window after another.  A window
 * that is not held is refilled; a window that is held stays unchanged, and the reader takes another one.  Views into
 * records can thus outlive the walk's next step without a copy.
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
	struct hd_mapped_file *file; /* the window is a view into this mapped file; NULL: it owns its bytes */
	uint8_t bytes[];
};

/*
 * A pool of windows of one size.  Set `size`, and `mapped` if the windows are views into mapped files; zero the rest.
 */
struct hd_window_pool {
	size_t size;
	bool mapped;
	struct hd_window *idle;
	size_t taken;			/* number of windows that are held or being filled */
	/* a mapped file was truncated while a window was a view into it: see base/mapped_file.h */
	bool torn;
};

/* Return an idle or new window, which the caller must drop.  A mapped pool returns NULL if a file cannot be mapped. */
struct hd_window *hd_window_pool_take(struct hd_window_pool *pool);
void hd_window_pool_release(struct hd_window_pool *pool);		/* all windows must have been dropped */
void hd_window_hold(struct hd_window *w);
void hd_window_drop(struct hd_window *w);			/* accepts NULL */

/*
 * Move the bytes [from, from + n) of *w to the start of a window that only the caller holds, so that the caller can
 * append data.  If *w is held elsewhere, *w is replaced by another window.
 */
void hd_window_move(struct hd_window **w, size_t from, size_t n);

#endif
