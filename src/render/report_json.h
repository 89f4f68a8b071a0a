/*
 * report_json.h - what the files of report.h share
 */
#ifndef HD_RENDER_REPORT_JSON_H
#define HD_RENDER_REPORT_JSON_H

#include "render/report.h"

void hd_report_source_line(struct hd_buf *b, const struct hd_profile *p,
	const struct hd_group_row *r); /* FILE:LINE, or ?? */
/* file: where `out` goes when it is full; NULL: it just grows. */
void hd_report_json(struct hd_buf *out, struct hd_outfile *file, const struct hd_profile *p, unsigned by,
	const struct hd_report_opts *o);

#endif
