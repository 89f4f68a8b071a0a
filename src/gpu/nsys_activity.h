/*
 * nsys_activity.h - the tables of an nsys export whose rows are activities, and their columns
 *
 * nsys.c scans the tables; nsys_capture.c reads the tables that describe the capture.  Both share struct
 * hd_nsys_reader.
 */
#ifndef HD_GPU_NSYS_ACTIVITY_H
#define HD_GPU_NSYS_ACTIVITY_H

#include "base/map.h"
#include "db/sqlite_untrusted.h"
#include "gpu/activity.h"

/*
 * The use of a text of table StringIds, which determines its stored form: names of API functions are stored without
 * their version, names of ranges without their numbers.
 */
enum hd_nsys_name_use { HD_NSYS_NAME, HD_NSYS_API_NAME, HD_NSYS_RANGE_NAME, HD_NSYS_NAME_USES };

struct hd_nsys_reader {
	struct hd_sqlite_untrusted *db;
	const char *path;
	const struct hd_gpu_sink *sink;
	sqlite3_stmt *strings;		/* query of table StringIds: id -> text; NULL if there is no such table */
	/* maps an id in StringIds, or for a GPU metric hd_nsys_metric_key(), to an id in dict->names */
	struct hd_map names[HD_NSYS_NAME_USES];
	struct hd_map stacks;		/* id of a call chain in CUDA_CALLCHAINS -> dict node */
	size_t ranges;			/* number of distinct names of ranges */
	/* dict id of the name of ranges without a text, and of all ranges after the limit for distinct names */
	uint32_t other_range;
};

enum { HD_NSYS_START = 1, HD_NSYS_END = 2 };	/* columns of all tables; column 0 is the rowid */

struct hd_nsys_table {
	const char *name;
	/* Complete an activity whose kind, start and end are set.  Returns false if the row is not an activity. */
	bool (*fill)(struct hd_nsys_reader *r, sqlite3_stmt *st, struct hd_gpu_activity *a);
	const char *const *columns;
	size_t ncolumns;
	enum hd_gpu_kind kind;
	/* true: a row without an end is an instantaneous event; false: a row without an end is invalid */
	bool open_end;
};

extern const struct hd_nsys_table hd_nsys_tables[];
extern const size_t hd_nsys_ntables;

static inline bool hd_nsys_is_null(sqlite3_stmt *st, int column)
{
	return sqlite3_column_type(st, column) == SQLITE_NULL;
}

static inline uint32_t hd_nsys_id(sqlite3_stmt *st, int column)
{
	return (uint32_t)sqlite3_column_int64(st, column);
}

/* Return the process of a globalPid or globalTid. */
static inline uint32_t hd_nsys_pid(int64_t global)
{
	return (uint32_t)((uint64_t)global >> 24 & 0xffffff);
}

/*
 * Return the bytes of a text column, at most 16 KiB, without a NUL at the end.  They are valid until the next
 * sqlite3_step().
 */
const char *hd_nsys_text(sqlite3_stmt *st, int column, size_t *n);
/* Return the dict id of the text that a column refers to by its id in StringIds; 0: none. */
uint32_t hd_nsys_name(struct hd_nsys_reader *r, enum hd_nsys_name_use use, sqlite3_stmt *st, int column);
/*
 * Return the key of a GPU metric in hd_nsys_reader.names[HD_NSYS_NAME].  That map has the dict id of the metric's name.
 */
uint64_t hd_nsys_metric_key(int64_t type, int64_t metric);

#endif
