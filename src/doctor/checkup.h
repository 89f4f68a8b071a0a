/*
 * checkup.h - what the probes come to: why something does not work, what to type, which modes there are
 *
 *     struct hd_checkup c = { 0 };
 *     hd_rights_read(&c.rights, "");
 *     hd_probe_events(c.probe, &c.rights);
 *     hd_probe_files(c.probe, &c.rights, "perf", &watch);
 *     hd_probe_explain(&c, HD_PROBE_SCHED_SWITCH, &why, &fix);
 *     v = hd_profile_mode_judge(&c, HD_PROFILE_MODE_ASYNC, &how);
 *
 * Pure functions of what was found: nothing is tried or read here, so that a test can
 * be any machine.
 *
 * A mode is what profile.sh makes of the probes: `full`, `reduced` when something of it is
 * missing that it can do without, `no`.  Where perf's own recording was tried it decides; the
 * probes say why.
 */
#ifndef HD_DOCTOR_CHECKUP_H
#define HD_DOCTOR_CHECKUP_H

#include "doctor/conditions.h"
#include "doctor/probe.h"
#include "doctor/rights.h"
#include "profile/mode.h"

struct hd_checkup {
	struct hd_rights rights;
	struct hd_probe probe[HD_PROBES];
};

const char *hd_probe_name(enum hd_probe_id id);		/* for programs: stable */
const char *hd_probe_label(enum hd_probe_id id);	/* for people */
/* Return the first of the probes, whose names are separated by blanks, that does not work; HD_PROBES if all do. */
enum hd_probe_id hd_probe_missing(const struct hd_checkup *c, const char *needs);
bool hd_probe_optional(enum hd_probe_id id);		/* nothing of profile.sh needs it */

/* Append why it does not work, and the one line to type (nothing when there is none).  Both raw bytes. */
void hd_probe_explain(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why, struct hd_buf *fix);

enum hd_mode_support { HD_MODE_SUPPORT_NO, HD_MODE_SUPPORT_REDUCED, HD_MODE_SUPPORT_FULL };

struct hd_mode_verdict {
	enum hd_mode_support state;
	enum hd_probe_id lacks[8];	/* what is missing, first what matters most */
	unsigned n;
};

const char *hd_mode_support_name(enum hd_mode_support s);
/* Append how it works, or why it does not. */
struct hd_mode_verdict hd_profile_mode_judge(const struct hd_checkup *c, const struct hd_profile_mode *m,
	struct hd_buf *how);

/* What of the machine makes figures vary: those of conditions.h and what rights.h read. */
void hd_checkup_findings(struct hd_findings *f, const struct hd_checkup *c, const struct hd_conditions *now);
const char *hd_finding_fix(const char *code);		/* the line to type, or NULL */

#endif
