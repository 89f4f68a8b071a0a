/*
 * window_pool.h - the memory that records lie in
 *
 * A reader fills one window after the other.  As long as nobody holds the one
 * it is done with, it is filled again; a window that is held stays as it is,
 * and the reader takes another.  So views into records may live on while the
 * walk goes on, and nothing is copied.
 *
 * Threads: hold and drop are the walking thread's; others may read.
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
	struct hd_window *next;		/* in the pool */
	unsigned holds;
	struct hd_mapped_file *file;		/* a part of which it shows; NULL: it has bytes of its own */
	uint8_t bytes[];
};

/* Windows of one size that nobody holds.  Set size, and mapped for those that show parts of files; the rest zero. */
struct hd_window_pool {
	size_t size;
	bool mapped;
	struct hd_window *idle;
	size_t taken;			/* held, or being filled */
	bool torn;			/* of some that was dropped, see base/mapped_file.h */
};

struct hd_window *hd_window_pool_take(
	struct hd_window_pool *pool); /* held once.  NULL, of mapped ones alone: no more can be had */
void hd_window_pool_release(struct hd_window_pool *pool);		/* all have been dropped */
void hd_window_hold(struct hd_window *w);
void hd_window_drop(struct hd_window *w);			/* NULL is fine */

/*
 * Go on filling with what is left of *w, bytes [from, from + n), at the start of
 * a window that is nobody else's.  *w may become another one.
 */
void hd_window_move(struct hd_window **w, size_t from, size_t n);

#endif
