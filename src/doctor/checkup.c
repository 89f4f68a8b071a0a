/*
 * checkup.c - names of probes, verdicts on modes, and findings; see checkup.h
 */
#include "doctor/checkup.h"
#include "doctor/probe_row.h"

#include "base/mem.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

const char *hd_probe_name(enum hd_probe_id id)
{
	return hd_probe_rows[id].name;
}

const char *hd_probe_label(enum hd_probe_id id)
{
	return hd_probe_rows[id].label;
}

bool hd_probe_optional(enum hd_probe_id id)
{
	return hd_probe_rows[id].optional;
}

/* Return the probe with this name (the `n` bytes at `name`); HD_PROBES if there is none. */
static enum hd_probe_id find(const char *name, size_t n)
{
	int id = 0;

	while (id < HD_PROBES && (strlen(hd_probe_rows[id].name) != n || memcmp(hd_probe_rows[id].name, name, n) != 0))
		id++;
	return (enum hd_probe_id)id;
}

enum hd_probe_id hd_probe_missing(const struct hd_checkup *c, const char *needs)
{
	for (const char *need = needs ? needs : ""; *need; need += strspn(need, " ")) {
		size_t n = strcspn(need, " ");
		enum hd_probe_id id = find(need, n);

		assert(id != HD_PROBES);
		if (!c->probe[id].works)
			return id;
		need += n;
	}
	return HD_PROBES;
}

const char *hd_mode_support_name(enum hd_mode_support s)
{
	static const char *const of[] = { "no", "reduced", "full" };

	return of[s];
}

/* ---- modes ---- */

static void lacks(struct hd_mode_verdict *v, enum hd_probe_id id)
{
	if (v->n < sizeof(v->lacks) / sizeof(*v->lacks))
		v->lacks[v->n++] = id;
}

static void add(struct hd_buf *how, const char *text)
{
	hd_buf_addf(how, "%s%s", how->len ? "; " : "", text);
}

/* Return the verdict "does not work" for a mode, because probe `id` failed.  The reason is appended to `how`. */
static struct hd_mode_verdict refuse(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *how)
{
	struct hd_mode_verdict v = { .state = HD_MODE_SUPPORT_NO };
	struct hd_buf fix = { 0 };

	lacks(&v, id);
	hd_buf_addf(how, "%s: ", hd_probe_label(id));
	hd_probe_explain(c, id, how, &fix);
	hd_buf_release(&fix);
	return v;
}

/*
 * Return the first of the n probes that does not work.  If all work, return `record`: the probe of a failed trial
 * recording, or HD_PROBES.
 */
static enum hd_probe_id first_failing(const struct hd_checkup *c, const enum hd_probe_id *ids, size_t n,
	enum hd_probe_id record)
{
	for (size_t i = 0; i < n; i++)
		if (!c->probe[ids[i]].works)
			return ids[i];
	return record;
}
#define FIRST(c, record, ...)                                                                                          \
	first_failing(c, (const enum hd_probe_id[]){ __VA_ARGS__ },                                                 \
		sizeof((const enum hd_probe_id[]){ __VA_ARGS__ }) / sizeof(enum hd_probe_id), record)

static struct hd_mode_verdict judge_cpu(const struct hd_checkup *c, struct hd_buf *how)
{
	const struct hd_probe *p = c->probe;
	struct hd_mode_verdict v = { .state = HD_MODE_SUPPORT_FULL };
	bool cycles = p[HD_PROBE_CYCLES].works,
	     kernel = p[cycles ? HD_PROBE_CYCLES_KERNEL : HD_PROBE_CLOCK_KERNEL].works;

	if (!p[HD_PROBE_RECORD_CPU].works)
		return refuse(c, FIRST(c, HD_PROBE_RECORD_CPU, HD_PROBE_PERF, HD_PROBE_OPEN, HD_PROBE_CPU_CLOCK), how);
	if (!cycles) {
		lacks(&v, HD_PROBE_CYCLES);
		add(how, "cpu-clock, a timer, instead of cycles");
	}
	if (!kernel) {
		lacks(&v, cycles ? HD_PROBE_CYCLES_KERNEL : HD_PROBE_CLOCK_KERNEL);
		add(how, "the kernel's share is not recorded");
	} else if (!p[HD_PROBE_KALLSYMS].works) {
		lacks(&v, HD_PROBE_KALLSYMS);
		add(how, "functions of the kernel have no names");
	}
	if (!p[HD_PROBE_CHAIN_USER].works) {
		lacks(&v, HD_PROBE_CHAIN_USER);
		add(how, "no call chains by frame pointers");
	}
	if (v.n)
		v.state = HD_MODE_SUPPORT_REDUCED;
	else
		add(how, "cycles of programs and the kernel, with call chains");
	return v;
}

static struct hd_mode_verdict judge_async(const struct hd_checkup *c, struct hd_buf *how)
{
	const struct hd_probe *p = c->probe;
	struct hd_mode_verdict v = { .state = HD_MODE_SUPPORT_FULL };

	if (p[HD_PROBE_RECORD_ASYNC].works) {
		add(how, "waits with stacks, reasons and wakers");
		return v;
	}
	if (!p[HD_PROBE_PERF].works || !p[HD_PROBE_SWITCHES].works)
		return refuse(c, FIRST(c, HD_PROBE_SWITCHES, HD_PROBE_PERF, HD_PROBE_OPEN), how);
	v.state = HD_MODE_SUPPORT_REDUCED;
	lacks(&v, FIRST(c, HD_PROBE_RECORD_ASYNC, HD_PROBE_SCHED_SWITCH, HD_PROBE_SCHED_WAKEUP, HD_PROBE_STACK));
	add(how, "how long threads are off the CPU, without stacks and wakers");
	return v;
}

/*
 * Judge the mode gpu.  The first usable recorder decides, in the order of scripts/lib/gpu.sh: nsys,
 * libhotdrift-cuda.so, NVML (without kernels).
 */
static struct hd_mode_verdict judge_gpu(const struct hd_checkup *c, struct hd_buf *how)
{
	const struct hd_probe *p = c->probe;
	struct hd_mode_verdict v = { .state = HD_MODE_SUPPORT_FULL };
	enum hd_probe_id missing = FIRST(c, HD_PROBES, HD_PROBE_CUDA_LIBRARY, HD_PROBE_CUDA_DRIVER, HD_PROBE_CUPTI);

	if (p[HD_PROBE_NSYS].works) {
		add(how, "kernels and copies, by nsys");
	} else if (missing == HD_PROBES) {
		add(how, "kernels and copies, by libhotdrift-cuda.so; stacks of launches, ");
		hd_buf_adds(how, p[HD_PROBE_UPROBES].works && p[HD_PROBE_PERF].works ? "by perf" : "by the library");
	} else if (p[HD_PROBE_NVML].works) {
		v.state = HD_MODE_SUPPORT_REDUCED;
		lacks(&v, missing);
		add(how, "utilisation, memory and power of GPUs, without kernels");
	} else {
		return refuse(c, HD_PROBE_NVML, how);
	}
	return v;
}

static struct hd_mode_verdict judge_power(const struct hd_checkup *c, struct hd_buf *how)
{
	const struct hd_probe *p = c->probe;
	struct hd_mode_verdict v = { .state = HD_MODE_SUPPORT_FULL };
	bool gpus = p[HD_PROBE_NVML].works && p[HD_PROBE_NVML].value;

	if (p[HD_PROBE_POWER].works) {
		add(how, gpus ? "energy of processors and GPUs" : "energy of processors");
		return v;
	}
	if (!gpus && !p[HD_PROBE_HWMON].works && !p[HD_PROBE_BATTERY].works)
		return refuse(c, HD_PROBE_POWER, how);
	v.state = HD_MODE_SUPPORT_REDUCED;
	lacks(&v, HD_PROBE_POWER);
	add(how,
		gpus                              ? "power of GPUs only"
			: p[HD_PROBE_HWMON].works ? "power by the sensors of hwmon"
						  : "power of the whole machine, while on battery");
	return v;
}

static struct hd_mode_verdict judge_memory(const struct hd_checkup *c, struct hd_buf *how)
{
	if (!c->probe[HD_PROBE_PRELOAD].works)
		return refuse(c, HD_PROBE_PRELOAD, how);
	add(how, FIRST(c, HD_PROBES, HD_PROBE_PERF, HD_PROBE_RSS_STAT) == HD_PROBES
			 ? "allocations; each change of resident memory"
			 : "allocations; resident memory every 10 ms");
	return (struct hd_mode_verdict){ .state = HD_MODE_SUPPORT_FULL };
}

/* The modes gpu and power depend on hardware, so `profile all` counts as complete without them. */
static bool is_optional_in_all(const struct hd_profile_mode *m)
{
	return m->recorder && (!strcmp(m->recorder, "gpu") || !strcmp(m->recorder, "power"));
}

/*
 * Judge `profile all`: full if all required modes are full, no if none of them works, otherwise reduced.  The modes gpu
 * and power are not required.
 */
static struct hd_mode_verdict judge_all(const struct hd_checkup *c, struct hd_buf *how)
{
	struct hd_mode_verdict v = { .state = HD_MODE_SUPPORT_FULL };
	struct hd_buf ignored = { 0 }, extra = { 0 };
	unsigned none = 0, required = 0;

	for (const struct hd_profile_mode *m = hd_profile_modes; m->word; m++) {
		struct hd_mode_verdict one;

		if (!m->in_all)
			continue;
		one = hd_profile_mode_judge(c, m, &ignored);
		if (is_optional_in_all(m)) {
			if (one.state != HD_MODE_SUPPORT_NO)
				hd_buf_addf(&extra, ", and %s", m->word);
			continue;
		}
		required++;
		for (unsigned k = 0; k < one.n; k++)
			lacks(&v, one.lacks[k]);
		if (one.state == HD_MODE_SUPPORT_FULL)
			continue;
		none += one.state == HD_MODE_SUPPORT_NO;
		v.state = HD_MODE_SUPPORT_REDUCED;
		hd_buf_addf(how, "%s%s%s", how->len ? ", " : "",
			one.state == HD_MODE_SUPPORT_NO ? "without " : "less of ", m->word);
	}
	if (none == required)
		v.state = HD_MODE_SUPPORT_NO;
	if (v.state == HD_MODE_SUPPORT_FULL)
		add(how, "cpu, memory, async and syscall in turn");
	hd_buf_adds(how, hd_buf_str(&extra));
	hd_buf_release(&ignored);
	hd_buf_release(&extra);
	return v;
}

/*
 * Judge a recording mode that either works or not.  If its trial recording works, so does the mode.  Otherwise the
 * mode fails for the first failed probe of those that it needs, or for the failed trial.  A mode without a trial works
 * if all probes that it needs work.
 */
static struct hd_mode_verdict judge_needs(const struct hd_checkup *c, const struct hd_profile_mode *m,
	struct hd_buf *how)
{
	enum hd_probe_id trial = m->trial ? find(m->trial, strlen(m->trial)) : HD_PROBES, missing;

	if (trial == HD_PROBES || !c->probe[trial].works) {
		missing = hd_probe_missing(c, m->needs);
		if (missing == HD_PROBES)
			missing = trial;
		if (missing != HD_PROBES)
			return refuse(c, missing, how);
	}
	add(how, m->works ? m->works : "");
	return (struct hd_mode_verdict){ .state = HD_MODE_SUPPORT_FULL };
}

/* Like judge_needs(), but the mode works in a reduced form if page faults of the kernel cannot be recorded. */
static struct hd_mode_verdict judge_faults(const struct hd_checkup *c, struct hd_buf *how)
{
	struct hd_mode_verdict v = judge_needs(c, hd_profile_mode_find("faults"), how);

	if (v.state == HD_MODE_SUPPORT_FULL && !c->probe[HD_PROBE_CLOCK_KERNEL].works) {
		v.state = HD_MODE_SUPPORT_REDUCED;
		lacks(&v, HD_PROBE_CLOCK_KERNEL);
		hd_buf_reset(how);
		add(how, "one page fault in 64 with its stack, those of programs only");
	}
	return v;
}

struct hd_mode_verdict hd_profile_mode_judge(const struct hd_checkup *c, const struct hd_profile_mode *m,
	struct hd_buf *how)
{
	/* Modes with special rules, most of which can work in a reduced form. */
	static const struct {
		const char *word;
		struct hd_mode_verdict (*judge)(const struct hd_checkup *, struct hd_buf *);
	} rules[] = {
		{ "cpu", judge_cpu }, { "memory", judge_memory }, { "faults", judge_faults }, { "async", judge_async },
		{ "gpu", judge_gpu }, { "power", judge_power }, { "all", judge_all },
	};

	for (size_t i = 0; i < HD_COUNT(rules); i++)
		if (!strcmp(rules[i].word, m->word))
			return rules[i].judge(c, how);
	return judge_needs(c, m, how);
}

/* ---- findings ---- */

void hd_checkup_findings(struct hd_findings *f, const struct hd_checkup *c, const struct hd_conditions *now)
{
	hd_findings_compare(f, now, now, 0);
	if (c->rights.swap)
		hd_finding_add(f, "swap", "swap is in use: access to swapped memory is slow");
	if (c->rights.counters && c->rights.nmi_watchdog == 1)
		hd_finding_add(f, "watchdog", "the NMI watchdog holds a hardware counter");
	if (!strcmp(c->rights.huge_pages, "always"))
		hd_finding_add(f, "huge-pages",
			"huge pages are always used: page faults and RSS differ from run to run");
}
