/*
 * form_file.h - write rows of libhotdrift as a CSV file of a form (form.h), atomically
 */
#ifndef HD_TRACK_FORM_FILE_H
#define HD_TRACK_FORM_FILE_H

#include "track/csvout.h"
#include "track/form.h"
#include "track/status.h"

enum { HD_FORM_ROW_MAX = 4096 };	/* bytes; more than two names of HD_NAME_BYTES need if each byte is \xHH */

/* A function of this type writes the cells of one row.  `context` is the argument of hd_form_write(). */
typedef void hd_form_put_fn(struct hd_csvout *o, const void *row, const void *context);

/*
 * Write the header and n rows; a row is a struct of `row_bytes` bytes.  Returns HD_TRACK_OK, IO, NOMEM, or FULL if the
 * text of a row has more than HD_FORM_ROW_MAX bytes.  Unless it returns HD_TRACK_OK, an existing file is unchanged.
 */
int hd_form_write(const char *path, enum hd_form form, const void *rows, size_t row_bytes, size_t n,
		  hd_form_put_fn *put, const void *context);

#endif
