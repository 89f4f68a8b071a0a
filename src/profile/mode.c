/*
 * mode.c - see mode.h
 */
#include "profile/mode.h"

#include <limits.h>
#include <string.h>

const struct hd_profile_mode hd_profile_modes[] = {
	{
		.word = "cpu", .position = 1, .in_all = true,
		.help = "where the processor time goes; the default",
		.recorder = "perf", .artifact = "perf.data", .planned = true,
		.trial = "record_cpu", .needs = "perf perf_event_open cpu_clock ring",
	},
	{
		.word = "memory", .position = 2, .in_all = true,
		.help = "which code allocates memory, what is live at the peak, and what is never\n"
			"freed; includes every process that CMD starts",
		.recorder = "heap", .artifact = "heap.data", .shown_event = "allocated",
		.skips_frames = true,
		.needs = "preload",
	},
	{
		.word = "faults", .title = "memory --faults", .position = 3,
		.recorder = "perf", .artifact = "perf.data",
		/*
		 * Faults are sampled at a frequency.  A record per fault can amount to 100 MB/s, and perf then loses
		 * records.
		 */
		.events = "page-faults,major-faults", .call_graph = "dwarf,2048", .compress = 1, .max_frequency = 9973,
		.unprivileged_events = "page-faults:u,major-faults:u", .unprivileged_period = 64,
		.tables = { "faults --by comm,symbol --event page-faults",
			"major-faults --by comm,symbol --event major-faults" },
		.needs = "perf perf_event_open page_faults stack_user",
		.works = "page faults, sampled, with their stacks",
	},
	{
		.word = "async", .position = 5, .in_all = true,
		.help = "where threads wait, for what, and which thread wakes them; --wall adds the\n"
			"places where they run, in the same picture",
		.recorder = "perf", .artifact = "perf.data",
		.events = "sched:sched_switch,sched:sched_wakeup",
		.stack_events = "sched:sched_switch sched:sched_wakeup",
		.call_graph = "dwarf", .compress = 1,
		.max_frequency = 19999,		/* used only if scripts/lib/thinning.sh does not limit the stacks */
		/*
		 * perf writes SWITCH records (--switch-events) for its first event.  That is dummy:u, because it is
		 * always enabled.  -k selects the clock that libhotdrift uses.
		 */
		.record_options = "-e dummy:u --switch-events -k CLOCK_MONOTONIC",
		.weight = "off-cpu", .skips_frames = true,
		.tables = { "reasons --by reason,waker", "threads --by comm,tid,reason", "futures --by future,reason" },
		.group_fields = { "reason", "waker" }, .group_title = "Blocked, by reason and waker",
		.trial = "record_async",
		.needs = "perf perf_event_open sched_switch sched_wakeup",
		.works = "waits with stacks, reasons and wakers",
	},
	{
		.word = "syscall", .position = 6, .in_all = true,
		.help = "which system calls take time, which code calls them, and which fail",
		.recorder = "perf", .artifact = "perf.data",
		.events = "raw_syscalls:sys_enter,raw_syscalls:sys_exit",
		/* dwarf and not fp, because libc has no frame pointers, so its callers would be lost */
		.call_graph = "dwarf,1024",
		.compress = 1, .period = 1,
		.weight = "syscalls", .skips_frames = true,
		.tables = { "syscalls --by syscall,error", "callers --by syscall,symbol" },
		.group_fields = { "syscall", "error" }, .group_title = "By system call and error", .counts_calls = true,
		.trial = "record_syscall",
		.needs = "perf perf_event_open sys_enter sys_exit stack_user",
		.works = "every system call with its stack",
	},
	{
		.word = "gpu", .position = 4, .in_all = true,
		.help = "which kernels and copies take time on NVIDIA GPUs, which code launches\n"
			"them, and when a GPU waits; recorded by nsys if it is in PATH, otherwise by\n"
			"libhotdrift-cuda.so, otherwise (without kernels) by NVML",
		.recorder = "gpu",
	},
	{
		.word = "power", .position = 7, .in_all = true,
		.help = "joules and watts of processors, GPUs, sensors or the battery while CMD\n"
			"runs, for the whole machine; no hotspots",
		.recorder = "power",
	},
	{
		.word = "all",
		.help = "all of these in turn, each with the options that concern it, and one page\n"
			"about all of them; gpu and power only where they work",
	},
	{ 0 },
};

const struct hd_profile_mode *hd_profile_mode_find(const char *word)
{
	for (const struct hd_profile_mode *m = hd_profile_modes; m->word; m++)
		if (!strcmp(m->word, word))
			return m;
	return NULL;
}

const char *hd_profile_mode_title(const struct hd_profile_mode *m)
{
	return m->title ? m->title : m->word;
}

unsigned hd_profile_mode_position(const char *word)
{
	const struct hd_profile_mode *m = hd_profile_mode_find(word);

	return m && m->position ? m->position : UINT_MAX;
}

void hd_profile_mode_words(struct hd_buf *out)
{
	const char *separator = "";

	for (const struct hd_profile_mode *m = hd_profile_modes; m->word; m++) {
		if (!m->help)
			continue;
		hd_buf_addf(out, "%s%s", separator, m->word);
		separator = ", ";
	}
}

void hd_profile_mode_words_of_all(struct hd_buf *out, const char *separator)
{
	const char *before = "";

	for (unsigned position = 1; position < UINT_MAX; position++) {
		const struct hd_profile_mode *m = hd_profile_modes;

		while (m->word && m->position != position)
			m++;
		if (!m->word)
			return;
		if (!m->in_all)
			continue;
		hd_buf_addf(out, "%s%s", before, m->word);
		before = separator;
	}
}

void hd_profile_mode_help(struct hd_buf *out)
{
	for (const struct hd_profile_mode *m = hd_profile_modes; m->word; m++) {
		const char *label = m->word;

		for (const char *line = m->help; line && *line; label = "") {
			int n = (int)strcspn(line, "\n");

			hd_buf_addf(out, "  %-19s  %.*s\n", label, n, line);
			line += n + (line[n] == '\n');
		}
	}
}

static void print_text(struct hd_buf *out, const char *key, const char *value)
{
	if (value)
		hd_buf_addf(out, "%s=%s\n", key, value);
}

static void print_number(struct hd_buf *out, const char *key, unsigned value)
{
	if (value)
		hd_buf_addf(out, "%s=%u\n", key, value);
}

void hd_profile_mode_print(struct hd_buf *out, const struct hd_profile_mode *m)
{
	struct hd_buf words = { 0 };

	print_text(out, "word", m->word);
	print_text(out, "recorder", m->recorder);
	print_text(out, "artifact", m->artifact);
	print_text(out, "shown_event", m->shown_event);
	print_text(out, "events", m->events);
	print_text(out, "stack_events", m->stack_events);
	print_text(out, "unprivileged_events", m->unprivileged_events);
	print_text(out, "call_graph", m->call_graph);
	print_text(out, "record_options", m->record_options);
	print_number(out, "max_frequency", m->max_frequency);
	print_number(out, "period", m->period);
	print_number(out, "unprivileged_period", m->unprivileged_period);
	print_number(out, "compress", m->compress);
	print_text(out, "planned", m->planned ? "yes" : NULL);
	print_text(out, "weight", m->weight);
	print_text(out, "skips_frames", m->skips_frames ? "yes" : NULL);
	for (size_t i = 0; i < HD_PROFILE_MODE_TABLES; i++)
		print_text(out, "table", m->tables[i]);
	if (!m->recorder) {
		hd_profile_mode_words_of_all(&words, " ");
		print_text(out, "modes", hd_buf_str(&words));
	}
	hd_buf_release(&words);
}

bool hd_profile_mode_counts_memory(const char *unit)
{
	return unit && (!strcmp(unit, "bytes") || !strcmp(unit, "allocations"));
}
