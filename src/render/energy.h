/*
 * energy.h - print an energy report as text, Markdown or JSON
 *
 * JSON: {"format":"hotdrift.energy","version":1,"total_joules","mean_watts","peak_watts","duration_s","n_samples",
 * "method":"trapezoid|counter|trapezoid and counter","status":"ok|insufficient","joules_per_s","median_dt_s",
 * "update_period_s","gaps","counter_joules","disagreement_pct","file","domains":[{"source","domain",...,
 * "disagreement_pct","median_dt_s","update_period_s","wraps","quantity","gaps","repeated","counted","why_not"}]}
 *
 * "domains" exists if the series is a file of power sources (HD_FORM_SOURCES); otherwise median_dt_s, update_period_s
 * and gaps exist at the top level.  Numbers have the shortest digits that read back as the same double.  Unknown values
 * are null.
 */
#ifndef HD_RENDER_ENERGY_H
#define HD_RENDER_ENERGY_H

#include "base/buf.h"
#include "series/energy_report.h"

void hd_energy_text(struct hd_buf *out, const struct hd_energy_report *r, bool markdown);
void hd_energy_json(struct hd_buf *out, const struct hd_energy_report *r);

#endif
