/*
 * cmd_timeline.c - hotdrift timeline heap.data: resident memory, and live bytes by class of stacks, over time
 */
#include "base/mem.h"
#include "cli/profile_source.h"
#include "profile/stack_classes.h"
#include "pipeline/perf_input.h"
#include "pipeline/rss.h"
#include "series/memory_csv.h"
#include "series/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct timeline_opts {
	struct hd_input in;
	struct hd_string_list rss;
	struct hd_string_list rules[HD_STACK_CLASSES];	/* for each class of stacks: patterns that the user gave */
	unsigned every_ms;
	const char *out;
};

static const struct timeline_opts timeline_defaults = { .every_ms = 10 };

static const struct hd_opt timeline_opts[] = {
	{ HD_OPT_LIST, 0, "rss", "FILE",
		"resident memory: a recording of kmem:rss_stat, or a memory CSV; a later FILE is used after the "
			"end of an earlier one",
		offsetof(struct timeline_opts, rss) },
	{ HD_OPT_LIST, 0, "kv-cache", "GLOB", "functions whose blocks belong to this class",
		offsetof(struct timeline_opts, rules[HD_STACK_CLASS_KV_CACHE]) },
	{ HD_OPT_LIST, 0, "activation", "GLOB", "functions whose blocks belong to this class",
		offsetof(struct timeline_opts, rules[HD_STACK_CLASS_ACTIVATION]) },
	{ HD_OPT_LIST, 0, "temp-buffer", "GLOB", "functions whose blocks belong to this class",
		offsetof(struct timeline_opts, rules[HD_STACK_CLASS_TEMP_BUFFER]) },
	{ HD_OPT_UINT, 0, "every", "MS",
		"milliseconds between rows (default 10; longer if there would be more than 10000 rows)",
		offsetof(struct timeline_opts, every_ms) },
	HD_ROW_OUTPUT(struct timeline_opts),
	{ 0 },
};
static const struct hd_opt_group timeline_groups[] = HD_INPUT_GROUPS(struct timeline_opts, in);

enum { ROWS = 10000, SNIFF = 8 };

/* ---- resident memory ---- */

static int add_recording(struct hd_memory_csv *m, const char *path, uint64_t *end_ns, struct hd_log *log,
	struct hd_err *err)
{
	struct hd_rss rss;
	int rc = hd_rss_read(&rss, path, log, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < rss.n; i++)
		hd_memory_csv_step(m, HD_MEMORY_CSV_RSS, rss.steps[i].time_ns, rss.steps[i].bytes);
	*end_ns = rss.end_ns;
	hd_rss_release(&rss);
	return 0;
}

/*
 * Add the resident memory readings of a CSV file after *end_ns, the end of the preceding files, and move *end_ns to its
 * last reading.  Readings from before the start of the recorded program are skipped, because they belong to the process
 * that started it.  The first reading of all files counts from the start of the program.
 */
static int add_csv(struct hd_memory_csv *m, const char *path, const struct hd_recording *r, uint64_t *end_ns,
	struct hd_log *log, struct hd_err *err)
{
	const struct hd_series_column *time, *rss;
	struct hd_series *s;
	uint64_t from = *end_ns, begin_ns = r->heap_from_ns;
	int rc = hd_series_read(&s, path, log, err);

	if (rc < 0)
		return rc;
	time = hd_series_find(s, "timestamp_us");
	rss = hd_series_find(s, "peak_rss_bytes");
	if (!time || !time->v || !rss || !rss->v)
		rc = hd_fail(err, HD_EFORMAT,
			"%s: neither a recording of kmem:rss_stat nor a CSV file with timestamp_us and peak_rss_bytes",
			path);
	for (size_t i = 0; rc >= 0 && i < s->rows; i++) {
		long double us = (long double)time->v[i] + time->origin;
		long double monotonic = us * 1000 - (long double)r->heap_epoch_ns;
		uint64_t ns = monotonic >= 0 && monotonic < 1e18L ? (uint64_t)monotonic : UINT64_MAX;

		if (ns != UINT64_MAX && ns >= begin_ns && (!from || ns > from) &&
			rss->v[i] >= !m->column[HD_MEMORY_CSV_RSS].n && rss->v[i] < 0x1p63)
			hd_memory_csv_step(m, HD_MEMORY_CSV_RSS, m->column[HD_MEMORY_CSV_RSS].n ? ns : begin_ns,
				(uint64_t)rss->v[i]);
		if (ns != UINT64_MAX && ns > *end_ns)
			*end_ns = ns;
	}
	if (rc >= 0 && !m->column[HD_MEMORY_CSV_RSS].n)
		hd_warn(log, "rss.unseen", "",
			"%s: the program ended before its memory was read; peak_rss_bytes is empty", path);
	hd_series_free(s);
	return rc;
}

static int is_recording(const char *path, bool *is, struct hd_err *err)
{
	char head[SNIFF];
	int fd = hd_file_open(path, err);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = hd_file_pread(fd, head, sizeof(head), 0, path, err);
	close(fd);
	*is = n == SNIFF && hd_perf_input_is(head, sizeof(head));
	return n < 0 ? (int)n : 0;
}

static int add_rss(struct hd_memory_csv *m, const struct hd_string_list *files, const struct hd_recording *r,
	struct hd_log *log, struct hd_err *err)
{
	uint64_t end_ns = 0;
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < files->n; i++) {
		bool recording = false;

		rc = is_recording(files->items[i], &recording, err);
		if (rc >= 0)
			rc = recording ? add_recording(m, files->items[i], &end_ns, log, err)
				       : add_csv(m, files->items[i], r, &end_ns, log, err);
	}
	return rc;
}

/* ---- classes ---- */

static const enum hd_memory_csv_column column_of[HD_STACK_CLASSES] = {
	[HD_STACK_CLASS_KV_CACHE] = HD_MEMORY_CSV_KV_CACHE, [HD_STACK_CLASS_ACTIVATION] = HD_MEMORY_CSV_ACTIVATION,
	[HD_STACK_CLASS_TEMP_BUFFER] = HD_MEMORY_CSV_TEMP_BUFFER,
};

/* For each class of stacks, add the number of live bytes at each time at which this number changes. */
static void add_classes(struct hd_memory_csv *m, const struct hd_profile *p, const struct hd_stack_class_rules *rules)
{
	uint8_t *class = hd_stack_classes_build(p, rules);
	int64_t live[HD_STACK_CLASSES] = { 0 };
	bool moved[HD_STACK_CLASSES] = { false };

	for (size_t i = 0; i < p->nmoves; i++) {
		const struct hd_move *v = &p->moves[i];
		uint8_t c = class[v->stack.v];

		live[c] = (int64_t)((uint64_t)live[c] + (uint64_t)v->bytes);
		moved[c] = true;
		if (i + 1 < p->nmoves && v[1].time_ns == v->time_ns)
			continue;
		for (int k = HD_STACK_CLASS_NONE + 1; k < HD_STACK_CLASSES; k++) {
			if (moved[k] && rules->of[k].n)
				hd_memory_csv_step(m, column_of[k], v->time_ns, live[k] > 0 ? (uint64_t)live[k] : 0);
			moved[k] = false;
		}
	}
	for (int k = HD_STACK_CLASS_NONE + 1; k < HD_STACK_CLASSES; k++)
		m->column[column_of[k]].known = rules->of[k].n != 0;
	free(class);
}

/* ---- both ---- */

static int compose(struct hd_buf *text, struct hd_memory_csv *m, const struct hd_profile *p,
	const struct timeline_opts *o, const char *path, struct hd_err *err)
{
	if (!p->recording.heap_from_ns || (!p->nmoves && !o->rss.n))
		return hd_fail(err, HD_EFORMAT, "%s: has no history of live memory: %s", path,
			!p->recording.heap_has_moves
				? "it is a heap recording of format version 1"
				: "no allocation is selected, or the process was killed before the recorder wrote one");
	if (!m->column[HD_MEMORY_CSV_RSS].known && !m->column[HD_MEMORY_CSV_KV_CACHE].known &&
		!m->column[HD_MEMORY_CSV_ACTIVATION].known && !m->column[HD_MEMORY_CSV_TEMP_BUFFER].known)
		return hd_fail(err, HD_EFORMAT,
			"%s: nothing to write: no rule is given, and there is no resident memory (--rss) for its time",
			path);
	hd_memory_csv_sort(m);
	m->from_ns = p->recording.heap_from_ns;
	m->epoch_ns = p->recording.heap_epoch_ns;
	m->to_ns = hd_memory_csv_end(m, HD_MEMORY_CSV_RSS);
	if (!o->rss.n || m->to_ns < m->from_ns)
		m->to_ns = p->nmoves ? p->moves[p->nmoves - 1].time_ns : m->from_ns;
	hd_memory_csv_write(text, m, hd_memory_csv_every(m, o->every_ms * UINT64_C(1000000), ROWS));
	return 0;
}

/* Reject the options of all inputs that select an event: the columns are live bytes, whatever it is. */
static int check_options(const struct timeline_opts *o, struct hd_err *err)
{
	const struct hd_selection *s = &o->in.ingest.select;

	if (!o->every_ms || o->every_ms > 86400000)
		return hd_fail(err, HD_EUSAGE, "timeline: --every takes milliseconds from 1 to 86400000");
	if (s->event.n || s->weight != HD_WEIGHT_PERIOD)
		return hd_fail(err, HD_EUSAGE, "timeline: the columns are bytes of live blocks, so %s cannot be used",
			s->event.n ? "--event" : "--weight");
	return hd_input_check(&o->in, "timeline", err);
}

static int timeline_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct timeline_opts *o = opts;
	struct hd_stack_class_rules rules = { 0 };
	struct hd_memory_csv m = { 0 };
	struct hd_string_list texts = { 0 };
	struct hd_buf text = { 0 };
	struct hd_profile *p = NULL;
	char *path = NULL;
	int rc = check_options(o, err);

	(void)argc;
	if (rc < 0)
		return rc;
	for (int c = HD_STACK_CLASS_NONE + 1; c < HD_STACK_CLASSES; c++) {
		for (size_t i = 0; i < o->rules[c].n; i++) {
			HD_GROW(texts.items, texts.n + 1, texts.cap);
			texts.items[texts.n++] = hd_stack_class_split(&rules.of[c], o->rules[c].items[i]);
		}
	}
	o->in.ingest.moves = true;
	o->in.ingest.no_inline = !hd_input_inlined(&o->in, true);
	rc = hd_profile_source_recording(&path, argv[0], &o->in, o->out, err);
	if (rc >= 0)
		rc = hd_input_read(&p, path, &o->in, log, err);
	if (rc >= 0 && !p->recording.heap_interval)
		rc = hd_fail(err, HD_EFORMAT,
			"%s: not a heap recording of libhotdrift-heap.so (hotdrift profile memory)", path);
	if (rc >= 0)
		rc = add_rss(&m, &o->rss, &p->recording, log, err);
	if (rc >= 0) {
		add_classes(&m, p, &rules);
		rc = compose(&text, &m, p, o, path, err);
	}
	if (rc >= 0)
		rc = hd_output_write(o->out, &text, err);
	for (int c = 0; c < HD_STACK_CLASSES; c++)
		free(rules.of[c].items);
	for (size_t i = 0; i < texts.n; i++)
		free((char *)texts.items[i]);
	free(texts.items);
	hd_memory_csv_release(&m);
	hd_buf_release(&text);
	hd_profile_free(p);
	free(path);
	return rc;
}

const struct hd_cmd hd_cmd_timeline = {
	.name = "timeline",
	.reads = true,
	.args = "heap.data",
	.summary = "show memory over time: resident, and live by class",
	.details =
		"Writes a CSV file of the memory form:\n"
		"  {memory}\n"
		"If the operand is a run, a commit or `latest`, its recording is read, as in 'hotdrift annotate'.  "
		"Times are microseconds since 1970.  The first row is at the start of the recording, the last row at "
		"the end of its processes.\n"
		"\n"
		"peak_rss_bytes is the highest resident memory since the previous row, summed over all processes, "
		"from --rss FILE:\n"
		"  perf.data    each change made by the kernel; needs root: perf record -k CLOCK_MONOTONIC -e "
		"kmem:rss_stat -c 1\n"
		"  CSV          from 'hotdrift rss', which reads /proc/PID/statm and lags behind\n"
		"Memory that a forked child shares with its parent is counted once.  Without --rss the column is "
		"empty.\n"
		"\n"
		"The other columns are the bytes of live blocks by class.  The class is chosen by rules on the "
		"functions of the allocating stack: patterns of * ? [a-z] for a function's whole name without "
		"parameters, or for its name in the symbol table, separated by commas.  The innermost function that "
		"matches any rule decides.  If rules of several classes match it, kv-cache takes precedence over "
		"activation, and activation over temp-buffer.  A column without a rule is 0, and unknown (NULL) in "
		"the database.  As the columns are live bytes, --event and --weight cannot be used.\n"
		"\n"
		"Exact recordings give exact values, at most 10 ms and 16 KiB per thread off, more if many stacks "
		"change continuously.  Sampled recordings give estimates.  Blocks of a process that was killed count "
		"until the end.",
	.examples =
		"hotdrift timeline heap.data --rss rss.csv --kv-cache 'KvCache::*' --temp-buffer '*scratch*'\tfour "
		"columns\n"
		"hotdrift timeline heap.data --activation 'forward_*' --every 100\tlive bytes, ten rows per second\n"
		"",
	HD_CMD_OPTS(timeline_opts, timeline_defaults),
	.groups = timeline_groups,
	.min_args = 1,
	.max_args = 1,
	.run = timeline_run,
};
