/*
 * doctor.h - a checkup, printed
 */
#ifndef HD_CLI_DOCTOR_H
#define HD_CLI_DOCTOR_H

#include "base/buf.h"
#include "collect/checkup.h"

void doctor_text(struct hd_buf *out, const struct hd_checkup *c, const struct hd_findings *f);
void doctor_json(struct hd_buf *out, const struct hd_checkup *c, const struct hd_findings *f);
/* Only the lines to type, each under a comment that says what for. */
void doctor_fixes(struct hd_buf *out, const struct hd_checkup *c, const struct hd_findings *f);

#endif
