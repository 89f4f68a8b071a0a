/* doctor.h - print the result of `hotdrift doctor` */
#ifndef HD_RENDER_DOCTOR_H
#define HD_RENDER_DOCTOR_H

#include "base/buf.h"
#include "doctor/checkup.h"

void hd_doctor_text(struct hd_buf *out, const struct hd_checkup *c, const struct hd_findings *f);
void hd_doctor_json(struct hd_buf *out, const struct hd_checkup *c, const struct hd_findings *f);
/* Append only the commands that fix problems, each after a shell comment that says what it is for. */
void hd_doctor_fixes(struct hd_buf *out, const struct hd_checkup *c, const struct hd_findings *f);

#endif
