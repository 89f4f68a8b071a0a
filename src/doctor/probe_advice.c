/*
 * probe_advice.c - explain why a probe failed, and suggest a command that fixes it
 *
 * perf_event_open(2) fails with EACCES if kernel.perf_event_paranoid forbids the event, and with EPERM for raw
 * data of tracepoints.  The seccomp filter of a container makes it fail with EPERM (Docker) or ENOSYS (others).
 * In kernels of Debian, Ubuntu and Android a setting above 2 forbids everything.
 */
#include "doctor/checkup.h"
#include "doctor/probe_row.h"

#include "profile/mode.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>

static bool is_hardware(enum hd_probe_id id)
{
	return hd_probe_rows[id].event.period && hd_probe_rows[id].event.type == PERF_TYPE_HARDWARE;
}

static const char *sudo(const struct hd_checkup *c)
{
	return c->rights.uid ? "sudo " : "";
}

/* Append the name of an errno and a colon, such as "EPERM: ".  For 0 append nothing. */
static void add_errno(struct hd_buf *why, int errnum)
{
	const char *name = strerrorname_np(errnum);

	if (name && errnum)
		hd_buf_addf(why, "%s: ", name);
}

/*
 * A udev rule that lets the group `power` read the energy counters.  It does not make them readable for all users,
 * because they reveal what other processes compute (CVE-2020-8694; docs/power.md).
 */
static const char rapl_rule[] =
	"SUBSYSTEM==\"powercap\", KERNEL==\"intel-rapl*:*\", ACTION==\"add\", RUN+=\"/bin/chgrp power "
	"/sys%p/energy_uj\", RUN+=\"/bin/chmod g+r /sys%p/energy_uj\"";

static const char container_line[] = "docker run --cap-add PERFMON --security-opt seccomp=unconfined IMAGE";

static void setting_forbids(const struct hd_checkup *c, int most, struct hd_buf *why, struct hd_buf *fix)
{
	const struct hd_rights *r = &c->rights;

	hd_buf_addf(why, "kernel.perf_event_paranoid is %d and must be %d", r->paranoid, most);
	if (r->user_namespace == 1)
		hd_buf_adds(why, ", because capabilities of a user namespace do not count");
	else
		hd_buf_addf(why, ", or %s CAP_PERFMON", r->uid ? "the process needs" : "root, which lacks it "
			"here, needs");
	if (r->container && r->user_namespace != 1 && !r->uid)
		hd_buf_adds(fix, container_line);
	else
		hd_buf_addf(fix, "sudo sysctl kernel.perf_event_paranoid=%d", most);
}

static void filter_forbids(const struct hd_checkup *c, struct hd_buf *why, struct hd_buf *fix)
{
	if (c->rights.container) {
		hd_buf_adds(why, "a seccomp filter forbids perf_event_open, probably that of the container");
		hd_buf_adds(fix, container_line);
	} else {
		hd_buf_adds(why,
			"a seccomp filter forbids perf_event_open: SystemCallFilter= of a service, or a sandbox");
	}
}

static void refused(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why, struct hd_buf *fix)
{
	const struct hd_rights *r = &c->rights;
	int most = hd_probe_rows[id].most_paranoid;

	if (r->paranoid_known && r->paranoid > most && !hd_rights_perfmon(r) &&
		!(id == HD_PROBE_OPEN && r->seccomp == 2 && c->probe[id].errnum == EPERM))
		setting_forbids(c, most, why, fix);
	else if (r->seccomp == 2)
		filter_forbids(c, why, fix);
	else if (!r->paranoid_known && !hd_rights_perfmon(r))
		hd_buf_adds(why,
			"/proc/sys/kernel/perf_event_paranoid cannot be read; it, a seccomp filter or a security "
			"module forbids it");
	else if (r->lockdown == 1)
		hd_buf_adds(why, "the kernel is locked down (/sys/kernel/security/lockdown)");
	else
		hd_buf_adds(why,
			"a security module of the kernel (SELinux, AppArmor, ...) or of the container forbids it");
}

static void no_counter(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why)
{
	if (c->probe[HD_PROBE_CYCLES].works || c->rights.counters)
		hd_buf_adds(why,
			id == HD_PROBE_BRANCHES ? "this processor, or its virtual machine, has no branch records"
				: id == HD_PROBE_PRECISE
				? "this processor, or its virtual machine, has no precise samples"
				: "the hardware counters do not count cycles");
	else if (c->rights.virtual_machine)
		hd_buf_adds(why,
			"this virtual machine has no hardware counters; its host can provide them (QEMU: -cpu "
			"host,pmu=on)");
	else
		hd_buf_adds(why, "the kernel has no driver for this processor's counters, or they are switched off");
}

static void no_tracepoint(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why, struct hd_buf *fix)
{
	const struct hd_rights *r = &c->rights;
	int errnum = c->probe[id].errnum;

	if (!*r->tracefs) {
		hd_buf_addf(why, "tracefs is not mounted%s", r->container ? " in this container" : "");
		if (r->container && !hd_rights_has(r, HD_CAP_SYS_ADMIN))
			hd_buf_adds(fix,
				"docker run --cap-add PERFMON -v /sys/kernel/tracing:/sys/kernel/tracing:ro IMAGE");
		else
			hd_buf_addf(fix, "%smount -t tracefs tracefs /sys/kernel/tracing", sudo(c));
	} else if (errnum == ENOENT) {
		hd_buf_addf(why, "this kernel has no such tracepoint in %s", r->tracefs);
	} else if (errnum == EACCES || errnum == EPERM) {
		hd_buf_addf(why, "%s may not be read", r->tracefs);
		hd_buf_addf(fix, "sudo mount -o remount,mode=750,gid=%u %s", r->gid, r->tracefs);
		if (r->paranoid_known && r->paranoid > hd_probe_rows[id].most_paranoid && !hd_rights_perfmon(r)) {
			hd_buf_addf(why, ", and kernel.perf_event_paranoid is %d and must be %d", r->paranoid,
				hd_probe_rows[id].most_paranoid);
			hd_buf_addf(fix, " && sudo sysctl "
				"kernel.perf_event_paranoid=%d", hd_probe_rows[id].most_paranoid);
		}
	} else {
		hd_buf_addf(why, "%s: %s", c->probe[id].text, strerror(errnum));
	}
}

void hd_probe_explain_event(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why, struct hd_buf *fix)
{
	const struct hd_probe *p = &c->probe[id];

	if (id != HD_PROBE_OPEN && !c->probe[HD_PROBE_OPEN].works) {
		hd_buf_adds(why, "perf_event_open does not work at all");
		return;
	}
	switch (p->stage) {
	case HD_AT_NOTHING:
		hd_buf_adds(why, "not tested");
		break;
	case HD_AT_FILE:
		add_errno(why, p->errnum);
		no_tracepoint(c, id, why, fix);
		break;
	case HD_AT_RING:
		add_errno(why, p->errnum);
		hd_buf_addf(why,
			"this much memory may not be locked: kernel.perf_event_mlock_kb is %ld, shared with "
				"other users",
			c->rights.mlock_kb);
		hd_buf_adds(fix, "sudo sysctl kernel.perf_event_mlock_kb=8192");
		break;
	case HD_AT_RECORDS:
		hd_buf_adds(why, "the event opens, but records nothing");
		break;
	case HD_AT_CHILD:
		if (p->signal == SIGSYS)
			filter_forbids(c, why, fix);
		else if (p->signal)
			hd_buf_addf(why, "the test process was killed by signal %d (%s)", p->signal,
				strsignal(p->signal));
		else if (p->errnum)
			hd_buf_addf(why, "no test process could be created: %s", strerror(p->errnum));
		else
			hd_buf_addf(why, "the test process did not answer within %d s", HD_PROBE_MS / 1000);
		break;
	case HD_AT_OPEN:
		add_errno(why, p->errnum);
		if (p->errnum == ENOSYS && (c->rights.seccomp == 2 || c->rights.paranoid_known))
			filter_forbids(c, why, fix);
		else if (p->errnum == ENOSYS)
			hd_buf_adds(why,
				"this kernel has no perf_event_open (a sandbox such as gVisor, or no "
				"CONFIG_PERF_EVENTS)");
		else if (p->errnum == EACCES || p->errnum == EPERM)
			refused(c, id, why, fix);
		else if (is_hardware(id))
			no_counter(c, id, why);
		else
			hd_buf_adds(why, strerror(p->errnum));
		break;
	}
}

/*
 * Explain why perf could not record a mode.  The reason is the first failed probe that the mode needs.  If all of these
 * work, the reason is perf's own failure: its message, a signal or a timeout.
 */
void hd_probe_explain_record(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why, struct hd_buf *fix)
{
	enum hd_probe_id need = hd_probe_missing(c, hd_profile_mode_find(hd_probe_rows[id].arg)->needs);

	if (need != HD_PROBES) {
		hd_probe_explain(c, need, why, fix);
		return;
	}
	if (c->probe[id].stage == HD_AT_RECORDS && !*c->probe[id].text)
		hd_buf_adds(why, "perf records nothing, although the kernel allows it");
	else if (c->probe[id].stage == HD_AT_RECORDS)
		hd_buf_addf(why, "perf fails, although the kernel allows it; its message: %s", c->probe[id].text);
	else if (c->probe[id].signal)
		hd_buf_addf(why, "perf was killed by signal %d (%s)%s%s", c->probe[id].signal,
			strsignal(c->probe[id].signal), *c->probe[id].text ? "; its message: " : "", c->probe[id].text);
	else
		hd_buf_addf(why, "perf did not end within %d s", HD_PROBE_PROGRAM_MS / 1000);
}

void hd_probe_explain_kallsyms(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why, struct hd_buf *fix)
{
	const struct hd_probe *p = &c->probe[HD_PROBE_KALLSYMS];
	const struct hd_rights *r = &c->rights;

	if (p->stage != HD_AT_RECORDS) {
		hd_buf_addf(why, "/proc/kallsyms: %s", strerror(p->errnum));
		return;
	}
	hd_buf_adds(why, "/proc/kallsyms hides addresses from this user");
	if (r->kptr_restrict >= 0)
		hd_buf_addf(why, ": kernel.kptr_restrict is %d", r->kptr_restrict);
	/* Even with kptr_restrict 0, the kernel hides addresses from users that may not record the kernel. */
	if (r->kptr_restrict == 0 && r->paranoid_known && r->paranoid > 1) {
		hd_buf_addf(why, " and kernel.perf_event_paranoid %d", r->paranoid);
		hd_buf_adds(fix, "sudo sysctl kernel.perf_event_paranoid=1");
	} else {
		hd_buf_adds(fix, "sudo sysctl kernel.kptr_restrict=0");
	}
}

/* Append the reason reported by the power source, or that the test process crashed or did not answer. */
void hd_probe_explain_power(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why, struct hd_buf *fix)
{
	const struct hd_probe *p = &c->probe[id];

	if (p->stage == HD_AT_CHILD && p->signal)
		hd_buf_addf(why, "the test process was killed by signal %d (%s)", p->signal,
			strsignal(p->signal));
	else if (p->stage == HD_AT_CHILD)
		hd_buf_addf(why, "the test process did not answer within %d s", HD_PROBE_MS / 1000);
	else
		hd_buf_adds(why, *p->text ? p->text : "not available here");
}

void hd_probe_explain_gpu(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why, struct hd_buf *fix)
{
	const struct hd_probe *p = &c->probe[id];
	bool gpu = c->probe[HD_PROBE_CUDA_DRIVER].works || c->probe[HD_PROBE_NVML].works;

	if (p->stage == HD_AT_CHILD || id == HD_PROBE_NVML) {
		hd_probe_explain_power(c, id, why, fix);
	} else if (*p->text) {
		hd_buf_addf(why, "%s cannot be %s", p->text, id == HD_PROBE_NSYS ? "run" : "loaded");
	} else if (id == HD_PROBE_NSYS) {
		hd_buf_adds(why, p->stage == HD_AT_OPEN ? "it is not in PATH" : "nsys --version does not answer");
		if (gpu)
			hd_buf_addf(fix, "%sapt-get install nsight-systems", sudo(c));
	} else if (id == HD_PROBE_CUDA_DRIVER) {
		hd_buf_adds(why, "libcuda.so.1 is not found, so there is no NVIDIA driver here");
	} else {
		hd_buf_adds(why, "not found; the CUDA toolkit and PyTorch contain it");
	}
}

/* profile.sh gpu works without uprobes: libhotdrift-cuda.so then records the stacks of launches itself. */
void hd_probe_explain_uprobe(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why, struct hd_buf *fix)
{
	const struct hd_probe *p = &c->probe[id];

	add_errno(why, p->errnum);
	if (p->stage == HD_AT_CHILD)
		hd_probe_explain_power(c, id, why, fix);
	else if (p->stage == HD_AT_FILE && !*p->text)
		no_tracepoint(c, id, why, fix);
	else if (p->stage == HD_AT_FILE && p->errnum == ENOENT)
		hd_buf_addf(why, "this kernel has no uprobes (%s)", p->text);
	else if (p->stage == HD_AT_FILE)
		hd_buf_addf(why, "%s may be written by root only", p->text);
	else if (p->stage == HD_AT_RECORDS)
		hd_buf_adds(why, "a uprobe opens, but records nothing");
	else
		hd_buf_adds(why, "a uprobe cannot be opened, which requires CAP_PERFMON");
}

void hd_probe_explain_perf(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why, struct hd_buf *fix)
{
	const struct hd_probe *p = &c->probe[id];

	if (p->stage == HD_AT_OPEN)
		hd_buf_addf(why, "it cannot be started: %s", strerror(p->errnum));
	else
		hd_buf_addf(why, "perf --version does not answer%s%s", *p->text ? ": " : "", p->text);
	hd_buf_addf(fix, "%sapt-get install linux-perf", sudo(c));
}

void hd_probe_explain_not_built(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why, struct hd_buf *fix)
{
	hd_buf_adds(why, "not found; 'make' builds it on x86-64 and aarch64 Linux");
	hd_buf_adds(fix, "make");
}

void hd_probe_explain_preload(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why, struct hd_buf *fix)
{
	const struct hd_probe *p = &c->probe[id];

	if (p->stage == HD_AT_FILE && *p->text) {
		hd_buf_addf(why, "%s: %s; so the location of hotdrift is unknown", p->text, strerror(p->errnum));
		hd_buf_adds(fix, "HOTDRIFT_HEAP_LIBRARY=FILE hotdrift doctor");
	} else if (p->stage == HD_AT_FILE) {
		hd_probe_explain_not_built(c, id, why, fix);
	} else if (p->stage == HD_AT_CHILD) {
		hd_buf_addf(why, "%s: %s", *p->text ? p->text : "a process",
			p->errnum ? strerror(p->errnum) : "failed");
	} else {
		hd_buf_addf(why, "the dynamic linker does not load it into programs%s%s", *p->text ? ": " : "",
			p->text);
	}
}

void hd_probe_explain_vmlinux(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why, struct hd_buf *fix)
{
	hd_buf_addf(why, "there is no vmlinux of %s; only annotations of the kernel need it", c->rights.kernel);
}

void hd_probe_explain_rapl(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why, struct hd_buf *fix)
{
	if (c->probe[id].errnum == EACCES)
		hd_buf_addf(fix,
			"sudo groupadd -f power && sudo usermod -aG power \"$USER\" && echo '%s' | sudo tee "
			"/etc/udev/rules.d/70-powercap.rules && sudo udevadm control --reload && sudo udevadm "
			"trigger --action=add --subsystem-match=powercap",
			rapl_rule);
	hd_probe_explain_power(c, id, why, fix);
}

void hd_probe_explain_git(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why, struct hd_buf *fix)
{
	hd_buf_adds(why, "git does not run; runs are stored without a commit");
	hd_buf_addf(fix, "%sapt-get install git", sudo(c));
}

void hd_probe_explain_file(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why, struct hd_buf *fix)
{
	const struct hd_probe *p = &c->probe[id];

	hd_buf_adds(why, *p->text ? p->text : "not found");
	if (p->errnum)
		hd_buf_addf(why, ": %s", strerror(p->errnum));
}

void hd_probe_explain(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why, struct hd_buf *fix)
{
	const struct hd_probe_row *row = &hd_probe_rows[id];

	if (c->probe[id].tried || row->explain == hd_probe_explain_event || row->explain == hd_probe_explain_record)
		row->explain(c, id, why, fix);
	else
		hd_buf_adds(why, "not tested");
}
