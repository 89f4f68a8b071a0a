/*
 * power_csv.h - the rows of power.csv (track/form.h, HD_FORM_SOURCES) between the start and the end of a command
 *
 *     hd_power_csv_init(&p, &file, hd_power_domains(meter));
 *     hd_power_csv_add(&p, &sample, domain)             the first reading, before the command starts
 *     hd_power_csv_begin(&p, start_ns);
 *     hd_power_csv_add(...) ...                         readings while it runs
 *     hd_power_csv_finish(&p, end_ns);
 *     hd_power_csv_add(...)                             the last reading, after the command has ended
 *     hd_power_csv_release(&p);
 *
 * The meter is read once before the start and once after the end.  These two readings become rows at the start and at
 * the end: watts and joules are interpolated linearly between the reading outside and the next one inside.  So the rows
 * cover exactly the time of the command, each reading is one row, and the integral of the file is the energy of that
 * time.  Other readings before the start or after the end are dropped.
 *
 * Times are as in struct hd_power_sample (track/power.h).  The samples of one domain must come by rising time.
 */
#ifndef HD_SERIES_POWER_CSV_H
#define HD_SERIES_POWER_CSV_H

#include "base/file.h"
#include "track/power.h"

struct hd_power_csv {
	struct hd_outfile *file;		/* borrowed */
	struct hd_power_sample *last;		/* the last sample of each domain; t_ns 0: none */
	size_t domains, rows;
	uint64_t start_ns, end_ns;		/* UINT64_MAX: not known yet */
};

/* Write the header.  p borrows the file; its owner reports failed writes (hd_outfile_commit()). */
void hd_power_csv_init(struct hd_power_csv *p, struct hd_outfile *file, size_t domains);
void hd_power_csv_begin(struct hd_power_csv *p, uint64_t start_ns);
void hd_power_csv_finish(struct hd_power_csv *p, uint64_t end_ns);
/* Add a reading of the domain `d`. */
void hd_power_csv_add(struct hd_power_csv *p, const struct hd_power_sample *s, const struct hd_power_domain *d);
void hd_power_csv_release(struct hd_power_csv *p);	/* does not close the file */

#endif
