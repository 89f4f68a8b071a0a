/*
 * row_log.c - see row_log.h
 */
#include "track/row_log.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = 64 };

void hd_row_log_init(struct hd_row_log *log, size_t row_bytes)
{
	*log = (struct hd_row_log){ .row_bytes = row_bytes };
	pthread_mutex_init(&log->lock, NULL);
}

void hd_row_log_release(struct hd_row_log *log)
{
	pthread_mutex_destroy(&log->lock);
	free(log->rows);
}

void hd_row_log_reset(struct hd_row_log *log)
{
	pthread_mutex_lock(&log->lock);
	log->n = 0;
	pthread_mutex_unlock(&log->lock);
}

void hd_row_log_lock(struct hd_row_log *log, bool on)
{
	if (on)
		pthread_mutex_lock(&log->lock);
	else
		pthread_mutex_unlock(&log->lock);
}

/* Make room for one more row.  The caller holds the lock. */
static int grow(struct hd_row_log *log)
{
	size_t cap = log->cap ? 2 * log->cap : FIRST_ROWS;
	void *rows;

	if (log->n < log->cap)
		return HD_TRACK_OK;
	rows = cap <= PTRDIFF_MAX / log->row_bytes ? realloc(log->rows, cap * log->row_bytes) : NULL;
	if (!rows)
		return HD_TRACK_NOMEM;
	log->rows = rows;
	log->cap = cap;
	return HD_TRACK_OK;
}

int hd_row_log_add_locked(struct hd_row_log *log, const void *row)
{
	int rc = grow(log);

	if (rc >= 0)
		memcpy((char *)log->rows + log->n++ * log->row_bytes, row, log->row_bytes);
	return rc;
}

int hd_row_log_add(struct hd_row_log *log, const void *row)
{
	int rc;

	pthread_mutex_lock(&log->lock);
	rc = hd_row_log_add_locked(log, row);
	pthread_mutex_unlock(&log->lock);
	return rc;
}

int64_t hd_row_log_copy(struct hd_row_log *log, void **out)
{
	int64_t n;

	pthread_mutex_lock(&log->lock);
	n = (int64_t)log->n;
	*out = malloc(log->n * log->row_bytes + 1);
	if (!*out)
		n = HD_TRACK_NOMEM;
	else if (n)
		memcpy(*out, log->rows, log->n * log->row_bytes);
	pthread_mutex_unlock(&log->lock);
	return n;
}
