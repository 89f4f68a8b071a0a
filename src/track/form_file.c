/*
 * form_file.c - see form_file.h
 */
#include "track/form_file.h"

#include "track/atomic_file.h"

int hd_form_write(const char *path, enum hd_form form, const void *rows, size_t row_bytes, size_t n,
		  hd_form_put_fn *put, const void *context)
{
	char room[HD_FORM_ROW_MAX];
	struct hd_csvout o;
	struct hd_atomic_file f;
	int rc = hd_atomic_open(&f, path);

	if (rc < 0)
		return rc;
	o = hd_csvout_to(room, sizeof(room));
	hd_csvout_line(&o, hd_form_layout(form)->header);
	hd_atomic_add(&f, room, o.len);
	for (size_t i = 0; i < n && rc >= 0; i++) {
		o = hd_csvout_to(room, sizeof(room));
		put(&o, (const char *)rows + i * row_bytes, context);
		rc = hd_csvout_end(&o);
		hd_atomic_add(&f, room, o.len);
	}
	if (rc >= 0)
		return hd_atomic_commit(&f);
	hd_atomic_discard(&f);
	return rc;
}
