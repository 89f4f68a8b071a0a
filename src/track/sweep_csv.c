/*
 * sweep_csv.c - write rows of the form `sweep` (form.h): hd_sweep_write_csv() of hotdrift.h
 */
#include "track/form_file.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { VALUES = 6 };

static const size_t values[VALUES] = {
	offsetof(struct hd_sweep_row, coherence_delta),
	offsetof(struct hd_sweep_row, kv_cache_reduction),
	offsetof(struct hd_sweep_row, peak_mem_reduction),
	offsetof(struct hd_sweep_row, energy_reduction),
	offsetof(struct hd_sweep_row, p95_latency_us),
	offsetof(struct hd_sweep_row, accuracy),
};

static double value_of(const struct hd_sweep_row *row, size_t i)
{
	double v;

	memcpy(&v, (const char *)row + values[i], sizeof(v));
	return v;
}

/* Count the values that were not measured.  Returns HD_TRACK_INVALID for an infinite value or a row without a name. */
static int check(const struct hd_sweep_row *rows, size_t n, size_t *unmeasured)
{
	*unmeasured = 0;
	for (size_t k = 0; k < n; k++) {
		if (!rows[k].setting || !*rows[k].setting)
			return HD_TRACK_INVALID;
		for (size_t i = 0; i < VALUES; i++) {
			*unmeasured += isnan(value_of(&rows[k], i));
			if (isinf(value_of(&rows[k], i)))
				return HD_TRACK_INVALID;
		}
	}
	return HD_TRACK_OK;
}

static void put_row(struct hd_csvout *o, const void *any, const void *context)
{
	const struct hd_sweep_row *row = any;

	(void)context;
	hd_csvout_name(o, row->setting, strnlen(row->setting, HD_NAME_BYTES - 1));
	for (size_t i = 0; i < VALUES; i++) {
		double v = value_of(row, i);

		hd_csvout_num(o, isnan(v) ? 0 : v);
	}
}

int hd_sweep_write_csv(const char *path, const struct hd_sweep_row *rows, size_t n, size_t *unmeasured)
{
	size_t missing;
	int rc = path && (rows || !n) ? check(rows, n, &missing) : HD_TRACK_INVALID;

	if (rc >= 0)
		rc = hd_form_write(path, HD_FORM_SWEEP, rows, sizeof(*rows), n, put_row, NULL);
	if (rc >= 0 && unmeasured)
		*unmeasured = missing;
	return rc;
}
