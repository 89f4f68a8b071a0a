/*
 * window_pool.c - see window_pool.h
 */
#include "perfdata/window_pool.h"

#include "base/mapped_file.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct hd_window *hd_window_pool_take(struct hd_window_pool *pool)
{
	struct hd_window *w = pool->idle;

	if (w) {
		pool->idle = w->next;
	} else if (pool->mapped) {
		struct hd_mapped_file *file = hd_mapped_file_new(pool->size);

		if (!file)
			return NULL;
		w = hd_new(struct hd_window);
		*w = (struct hd_window){ .pool = pool, .file = file };
	} else {
		w = hd_alloc(sizeof(*w) + pool->size);
		w->pool = pool;
		w->file = NULL;
	}
	w->holds = 1;
	pool->taken++;
	return w;
}

void hd_window_pool_release(struct hd_window_pool *pool)
{
	assert(!pool->taken);
	while (pool->idle) {
		struct hd_window *w = pool->idle;

		pool->idle = w->next;
		hd_mapped_file_free(w->file);
		free(w);
	}
}

void hd_window_hold(struct hd_window *w)
{
	w->holds++;
}

void hd_window_drop(struct hd_window *w)
{
	if (!w || --w->holds)
		return;
	w->pool->torn |= w->file && hd_mapped_file_torn(w->file);
	w->next = w->pool->idle;
	w->pool->idle = w;
	w->pool->taken--;
}

void hd_window_move(struct hd_window **w, size_t from, size_t n)
{
	struct hd_window *old = *w;

	if (old->holds == 1) {
		memmove(old->bytes, old->bytes + from, n);
		return;
	}
	*w = hd_window_pool_take(old->pool);
	memcpy((*w)->bytes, old->bytes + from, n);
	hd_window_drop(old);
}
