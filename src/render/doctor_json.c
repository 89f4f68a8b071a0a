/*
 * doctor_json.c - print a checkup as JSON; see doctor.h
 *
 * {"format":"hotdrift.doctor","version":1,"ready",
 *  "rights":{"uid","paranoid","cap_perfmon","caps","seccomp","user_namespace","container","virtual_machine",
 *            "hardware_counters","tracefs","kptr_restrict","mlock_kb","max_sample_rate","lockdown","kernel"},
 *  "probes":[{"name","label","works","needed","errno","signal","value","text","why","fix"}],
 *  "modes":[{"mode","state":"full|reduced|no","how","lacks":[NAME of a probe]}],
 *  "findings":[{"code","text","fix"}]}
 *
 * Unknown values are null.  `ready` is true unless the state of mode cpu is "no".
 */
#include "render/doctor.h"

#include "base/jsonw.h"
#include "render/fields.h"

#include <stdio.h>
#include <string.h>

static const char *or_null(const char *s)
{
	return *s ? s : NULL;
}

static void put_rights(struct hd_jsonw *w, const struct hd_rights *r)
{
	static const char *const seccomp[] = { "none", "strict", "filter" };
	char caps[24];

	snprintf(caps, sizeof(caps), "%016llx", (unsigned long long)r->caps);
	hd_jsonw_open(w, "rights", '{');
	hd_jsonw_u64(w, "uid", r->uid);
	if (r->paranoid_known)
		hd_jsonw_i64(w, "paranoid", r->paranoid);
	else
		hd_jsonw_null(w, "paranoid");
	hd_jsonw_bool(w, "cap_perfmon", hd_rights_perfmon(r));
	hd_jsonw_str(w, "caps", r->caps_known ? caps : NULL);
	hd_jsonw_str(w, "seccomp", r->seccomp < 0 ? NULL : seccomp[r->seccomp]);
	if (r->user_namespace < 0)
		hd_jsonw_null(w, "user_namespace");
	else
		hd_jsonw_bool(w, "user_namespace", r->user_namespace);
	hd_jsonw_bool(w, "container", r->container);
	hd_jsonw_bool(w, "virtual_machine", r->virtual_machine);
	hd_jsonw_bool(w, "hardware_counters", r->counters);
	hd_jsonw_str(w, "tracefs", or_null(r->tracefs));
	hd_json_known(w, "kptr_restrict", r->kptr_restrict);
	hd_json_known(w, "mlock_kb", r->mlock_kb);
	hd_json_known(w, "max_sample_rate", r->max_rate);
	if (r->lockdown < 0)
		hd_jsonw_null(w, "lockdown");
	else
		hd_jsonw_bool(w, "lockdown", r->lockdown);
	hd_jsonw_str(w, "kernel", or_null(r->kernel));
	hd_jsonw_close(w, '}');
}

static void put_probe(struct hd_jsonw *w, const struct hd_checkup *c, enum hd_probe_id id)
{
	const struct hd_probe *p = &c->probe[id];
	struct hd_buf why = { 0 }, fix = { 0 };

	if (!p->works)
		hd_probe_explain(c, id, &why, &fix);
	hd_jsonw_open(w, NULL, '{');
	hd_jsonw_str(w, "name", hd_probe_name(id));
	hd_jsonw_str(w, "label", hd_probe_label(id));
	hd_jsonw_bool(w, "works", p->works);
	hd_jsonw_bool(w, "needed", !hd_probe_optional(id));
	hd_jsonw_str(w, "errno", p->errnum ? strerrorname_np(p->errnum) : NULL);
	hd_jsonw_str(w, "signal", p->signal ? sigabbrev_np(p->signal) : NULL);
	hd_jsonw_i64(w, "value", p->value);
	hd_jsonw_str(w, "text", or_null(p->text));
	hd_jsonw_str(w, "why", why.len ? why.data : NULL);
	hd_jsonw_str(w, "fix", fix.len ? fix.data : NULL);
	hd_jsonw_close(w, '}');
	hd_buf_release(&why);
	hd_buf_release(&fix);
}

static void put_mode(struct hd_jsonw *w, const struct hd_checkup *c, const struct hd_profile_mode *m)
{
	struct hd_buf how = { 0 };
	struct hd_mode_verdict v = hd_profile_mode_judge(c, m, &how);

	hd_jsonw_open(w, NULL, '{');
	hd_jsonw_str(w, "mode", hd_profile_mode_title(m));
	hd_jsonw_str(w, "state", hd_mode_support_name(v.state));
	hd_jsonw_str(w, "how", hd_buf_str(&how));
	hd_jsonw_row(w, "lacks", '[');
	for (unsigned i = 0; i < v.n; i++)
		hd_jsonw_str(w, NULL, hd_probe_name(v.lacks[i]));
	hd_jsonw_close(w, ']');
	hd_jsonw_close(w, '}');
	hd_buf_release(&how);
}

void hd_doctor_json(struct hd_buf *out, const struct hd_checkup *c, const struct hd_findings *f)
{
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.doctor", 1);
	struct hd_buf how = { 0 };

	hd_jsonw_bool(&w, "ready",
		hd_profile_mode_judge(c, hd_profile_mode_find("cpu"), &how).state != HD_MODE_SUPPORT_NO);
	hd_buf_release(&how);
	put_rights(&w, &c->rights);
	hd_jsonw_open(&w, "probes", '[');
	for (int id = 0; id < HD_PROBES; id++)
		put_probe(&w, c, (enum hd_probe_id)id);
	hd_jsonw_close(&w, ']');
	hd_jsonw_open(&w, "modes", '[');
	for (const struct hd_profile_mode *m = hd_profile_modes; m->word; m++)
		put_mode(&w, c, m);
	hd_jsonw_close(&w, ']');
	hd_jsonw_open(&w, "findings", '[');
	for (unsigned i = 0; i < f->n; i++) {
		hd_jsonw_row(&w, NULL, '{');
		hd_jsonw_str(&w, "code", f->items[i].code);
		hd_jsonw_str(&w, "text", f->items[i].text);
		hd_jsonw_str(&w, "fix", hd_finding_fix(f->items[i].code));
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
}
