/*
 * checkup.h - the meaning of probe results: reasons, fixes, and which profile modes work
 *
 *     struct hd_checkup c = { 0 };
 *     hd_rights_read(&c.rights, "");
 *     hd_probe_run(&(struct hd_probe_env){ c.probe, &c.rights, "perf", &watch });
 *     hd_probe_explain(&c, HD_PROBE_SCHED_SWITCH, &why, &fix);
 *     v = hd_profile_mode_judge(&c, hd_profile_mode_find("async"), &how);
 *
 * All functions here only compute their results from their arguments (results of probes, rights, conditions), and do
 * not read the machine's state.  So unit tests can describe any machine.
 *
 * A mode is `full`, `reduced` if something optional is missing, or `no`.  If perf made a trial recording for the mode
 * and it failed, the mode is not full, and the other probes give the reason.
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

const char *hd_probe_name(enum hd_probe_id id);		/* its name in JSON, which never changes */
const char *hd_probe_label(enum hd_probe_id id);	/* its name in text */
/*
 * `needs` has the names of probes, separated by blanks; NULL: none.  Return the first of these that does not work;
 * HD_PROBES if all of them work.
 */
enum hd_probe_id hd_probe_missing(const struct hd_checkup *c, const char *needs);
/* Return true if the modes cpu, memory, async and syscall do not need this probe. */
bool hd_probe_optional(enum hd_probe_id id);

/* Append the reason why a probe failed, and a command that fixes it, if there is one.  Both may hold any bytes. */
void hd_probe_explain(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why, struct hd_buf *fix);

enum hd_mode_support { HD_MODE_SUPPORT_NO, HD_MODE_SUPPORT_REDUCED, HD_MODE_SUPPORT_FULL };

struct hd_mode_verdict {
	enum hd_mode_support state;
	/* the failed probes that make the mode fail or limit it, the most important one first; at most 8 are kept */
	enum hd_probe_id lacks[8];
	unsigned n;
};

const char *hd_mode_support_name(enum hd_mode_support s);
/* Judge a mode.  Append to `how` what the mode records, what a reduced one lacks, or why it does not work. */
struct hd_mode_verdict hd_profile_mode_judge(const struct hd_checkup *c, const struct hd_profile_mode *m,
	struct hd_buf *how);

/*
 * Set *f to the conditions that make measurements vary: those that one reading (`now`) shows, swap, the NMI watchdog
 * and huge pages.  Conditions that only two readings show, such as throttling, are not among them.
 */
void hd_checkup_findings(struct hd_findings *f, const struct hd_checkup *c, const struct hd_conditions *now);

#endif
