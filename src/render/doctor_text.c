/*
 * doctor_text.c - print a checkup as text; see doctor.h
 *
 * Sections: the machine; the modes; what does not work, first what the modes need, then what is optional, with the
 * reason and the command that fixes it; what works; what makes measurements vary.  Probes with the same reason and the
 * same fix share one entry.
 */
#include "render/doctor.h"

#include "base/encode.h"

#include <string.h>

enum { WIDTH = 110 };

/* State of a comma-separated list that is wrapped at WIDTH. */
struct list {
	size_t column;
	bool any;
};

static void list_add(struct hd_buf *out, struct list *l, const char *label)
{
	if (l->any)
		hd_buf_addc(out, ',');
	if (!l->any || l->column + 3 + strlen(label) > WIDTH) {
		hd_buf_adds(out, l->any ? "\n  " : "  ");
		l->column = 2;
	} else {
		hd_buf_addc(out, ' ');
		l->column += 2;
	}
	hd_buf_adds(out, label);
	l->column += strlen(label);
	l->any = true;
}

/* Probes that fail for the same reason and have the same fix. */
struct group {
	struct hd_buf labels, why, fix;
	struct list list;
	bool optional;			/* true if all probes of the group are optional */
};

struct groups {
	struct group items[HD_PROBES];
	size_t n;
};

static void groups_make(struct groups *g, const struct hd_checkup *c)
{
	*g = (struct groups){ 0 };
	for (int id = 0; id < HD_PROBES; id++) {
		struct hd_buf why = { 0 }, fix = { 0 };
		struct group *to = NULL;

		if (c->probe[id].works)
			continue;
		hd_probe_explain(c, (enum hd_probe_id)id, &why, &fix);
		for (size_t i = 0; i < g->n && !to; i++)
			if (!strcmp(hd_buf_str(&g->items[i].why), hd_buf_str(&why)) &&
				!strcmp(hd_buf_str(&g->items[i].fix), hd_buf_str(&fix)))
				to = &g->items[i];
		if (!to) {
			to = &g->items[g->n++];
			*to = (struct group){ .why = why, .fix = fix, .optional = true };
			why = fix = (struct hd_buf){ 0 };
		}
		list_add(&to->labels, &to->list, hd_probe_label((enum hd_probe_id)id));
		to->optional &= hd_probe_optional((enum hd_probe_id)id);
		hd_buf_release(&why);
		hd_buf_release(&fix);
	}
}

static void groups_release(struct groups *g)
{
	for (size_t i = 0; i < g->n; i++) {
		hd_buf_release(&g->items[i].labels);
		hd_buf_release(&g->items[i].why);
		hd_buf_release(&g->items[i].fix);
	}
}

static void visible(struct hd_buf *out, const struct hd_buf *b)
{
	hd_enc_visible(out, hd_buf_str(b), b->len);
}

static void put_machine(struct hd_buf *out, const struct hd_checkup *c)
{
	const struct hd_rights *r = &c->rights;

	if (r->uid)
		hd_buf_addf(out, "user %u%s", r->uid, hd_rights_perfmon(r) ? " with CAP_PERFMON" : "");
	else
		hd_buf_addf(out, "root%s",
			hd_rights_perfmon(r)             ? ""
				: r->user_namespace == 1 ? " of a user namespace"
							 : " without CAP_PERFMON");
	if (r->paranoid_known)
		hd_buf_addf(out, ", kernel.perf_event_paranoid %d", r->paranoid);
	else
		hd_buf_adds(out, ", kernel.perf_event_paranoid not readable");
	if (r->seccomp == 2)
		hd_buf_adds(out, ", a seccomp filter");
	hd_buf_addf(out, "%s%s, Linux ", r->container ? ", in a container" : "",
		r->virtual_machine ? ", in a virtual machine" : "");
	hd_enc_visible(out, r->kernel, strlen(r->kernel));
	if (c->probe[HD_PROBE_PERF].works) {
		hd_buf_adds(out, ", perf ");
		hd_enc_visible(out, c->probe[HD_PROBE_PERF].text, strlen(c->probe[HD_PROBE_PERF].text));
	}
	hd_buf_addc(out, '\n');
}

static void put_modes(struct hd_buf *out, const struct hd_checkup *c)
{
	hd_buf_adds(out, "\nmodes of hotdrift profile\n");
	for (const struct hd_profile_mode *m = hd_profile_modes; m->word; m++) {
		struct hd_buf how = { 0 };
		struct hd_mode_verdict v = hd_profile_mode_judge(c, m, &how);

		hd_buf_addf(out, "  %-15s  %-7s  ", hd_profile_mode_title(m), hd_mode_support_name(v.state));
		visible(out, &how);
		hd_buf_addc(out, '\n');
		hd_buf_release(&how);
	}
}

static void put_group(struct hd_buf *out, const struct group *g)
{
	hd_buf_addf(out, "%s\n      ", g->labels.data);
	visible(out, &g->why);
	hd_buf_addc(out, '\n');
	if (g->fix.len) {
		hd_buf_adds(out, "      > ");
		visible(out, &g->fix);
		hd_buf_addc(out, '\n');
	}
}

static void put_failures(struct hd_buf *out, const struct groups *g)
{
	const char *title = "\ndoes not work\n";

	for (size_t i = 0; i < g->n; i++) {
		if (g->items[i].optional)
			continue;
		hd_buf_adds(out, title);
		title = "";
		put_group(out, &g->items[i]);
	}
	title = "\nnot available; not needed by cpu, memory, async and syscall\n";
	for (size_t i = 0; i < g->n; i++) {
		if (!g->items[i].optional)
			continue;
		hd_buf_addf(out, "%s%s: ", title, g->items[i].labels.data);
		title = "";
		visible(out, &g->items[i].why);
		hd_buf_addc(out, '\n');
		if (g->items[i].fix.len) {
			hd_buf_adds(out, "      > ");
			visible(out, &g->items[i].fix);
			hd_buf_addc(out, '\n');
		}
	}
}

static void put_works(struct hd_buf *out, const struct hd_checkup *c)
{
	struct list l = { 0 };

	hd_buf_adds(out, "\nworks (tested)\n");
	for (int id = 0; id < HD_PROBES; id++)
		if (c->probe[id].works)
			list_add(out, &l, hd_probe_label((enum hd_probe_id)id));
	hd_buf_adds(out, l.any ? "\n" : "  nothing\n");
}

static void put_findings(struct hd_buf *out, const struct hd_findings *f)
{
	if (f->n)
		hd_buf_adds(out, "\nmakes measurements vary\n");
	for (unsigned i = 0; i < f->n; i++) {
		const char *fix = hd_finding_fix(f->items[i].code);

		hd_buf_addf(out, "  %s", f->items[i].text);
		hd_buf_addf(out, fix ? "  > %s\n" : "\n", fix);
	}
}

void hd_doctor_text(struct hd_buf *out, const struct hd_checkup *c, const struct hd_findings *f)
{
	struct groups g;

	groups_make(&g, c);
	put_machine(out, c);
	put_modes(out, c);
	put_failures(out, &g);
	put_works(out, c);
	put_findings(out, f);
	groups_release(&g);
}

void hd_doctor_fixes(struct hd_buf *out, const struct hd_checkup *c, const struct hd_findings *f)
{
	struct groups g;

	groups_make(&g, c);
	for (size_t i = 0; i < g.n; i++) {
		if (!g.items[i].fix.len)
			continue;
		hd_buf_adds(out, "#");
		for (const char *at = g.items[i].labels.data + 1; *at; at++)	/* skip one of list_add()'s blanks */
			hd_buf_adds(out, *at == '\n' ? "\n#" : (const char[]){ *at, '\0' });
		hd_buf_addc(out, '\n');
		visible(out, &g.items[i].fix);
		hd_buf_addc(out, '\n');
	}
	for (unsigned i = 0; i < f->n; i++)
		if (hd_finding_fix(f->items[i].code))
			hd_buf_addf(out, "# %s\n%s\n", f->items[i].text, hd_finding_fix(f->items[i].code));
	groups_release(&g);
}
