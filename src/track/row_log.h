/*
 * row_log.h - an array of rows of one size to which several threads append
 *
 * Readers work on a copy of the rows.  So they block the threads that append only while the copy is made.
 *
 * Ownership: the caller provides the storage; hd_row_log_release() frees the rows.
 * Thread-safe, except init and release.
 */
#ifndef HD_TRACK_ROW_LOG_H
#define HD_TRACK_ROW_LOG_H

#include "track/status.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_row_log {
	pthread_mutex_t lock;
	void *rows;
	size_t row_bytes, n, cap;
};

void hd_row_log_init(struct hd_row_log *log, size_t row_bytes);
void hd_row_log_release(struct hd_row_log *log);
/* Drop all rows.  Their memory is kept for new rows. */
void hd_row_log_reset(struct hd_row_log *log);
/* Take the lock (on is true) or release it.  Used around fork() and to change rows. */
void hd_row_log_lock(struct hd_row_log *log, bool on);
/* Append a copy of a row.  Returns HD_TRACK_OK or NOMEM. */
int hd_row_log_add(struct hd_row_log *log, const void *row);
/* Like hd_row_log_add(), but the caller holds the lock.  `rows` may move. */
int hd_row_log_add_locked(struct hd_row_log *log, const void *row);
/* Set *out to a copy of all rows, which the caller frees.  Returns their number, or HD_TRACK_NOMEM. */
int64_t hd_row_log_copy(struct hd_row_log *log, void **out);

#endif
