/*
 * nsys_file.h - open a hostile SQLite file by its descriptor, and read its tables row by row
 *
 * nsys.h lists what is rejected.  Error messages name the file.
 */
#ifndef HD_GPU_NSYS_FILE_H
#define HD_GPU_NSYS_FILE_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_nsys_file;

/* fd and path are borrowed. */
int hd_nsys_file_open(struct hd_nsys_file **out, int fd, const char *path, struct hd_err *err);
void hd_nsys_file_close(struct hd_nsys_file *f);	/* accepts NULL */
bool hd_nsys_file_has_table(struct hd_nsys_file *f, const char *table);

/*
 * Prepare a scan of a table: column 0 of each row is its rowid, column i + 1 is columns[i], NULL where the table lacks
 * it.  `rest` is "" or a clause such as "WHERE id = ?1".  Return the number of the columns that the table has; 0: it
 * has none of them, or does not exist, and *out is NULL.
 */
int hd_nsys_file_scan(struct hd_nsys_file *f, sqlite3_stmt **out, const char *table, const char *const *columns,
	size_t n, const char *rest);
/* Return 1 if there is a row, 0 at the end, HD_EFORMAT if the table is damaged: err has the reason. */
int hd_nsys_file_step(struct hd_nsys_file *f, sqlite3_stmt *st, const char *table, struct hd_err *err);

#endif
