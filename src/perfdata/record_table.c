/*
 * record_table.c - one row per record type: its name, its kind, and what the first walk does with it
 *
 * A record of a known type must have at least `min_body` bytes.  A record with a list has its entry count checked
 * against its size.  A record that fails a check is reported as lost.record-body.  If it is shorter than `min_body`,
 * its handler is not called.  The walk returns it nevertheless.  Records of unknown types are counted and reported as
 * lost.unknown-record.
 *
 * The handlers here count what concerns the recording itself: context switches, BPF programs and losses of a hardware
 * trace.  Other handlers are in metadata_records.c, sampling_quality.c, recording_end.c and simpleperf_records.c.
 *
 * Layouts: include/uapi/linux/perf_event.h; for records of the perf tool, tools/lib/perf/include/perf/event.h.
 */
#include "perfdata/embedded_files.h"
#include "perfdata/perf_state.h"

#include "base/mem.h"

#include <stdio.h>

/*
 * The list of entries in a record: their number is a field of `width` bytes at offset `at` of the body.  The entries
 * begin at offset `from` of the body and have at least `unit` bytes each.
 */
struct counted {
	uint16_t at, width, from, unit;
};

struct record_type {
	const char *name;
	enum hd_record_kind kind;
	/* least size of the body: bytes after the header; for kernel records, without the sample_id_all trailer */
	uint8_t min_body;
	bool metadata;			/* describes the recording: attrs, names, features, build-ids, symbols */
	struct counted entries;		/* unit 0: the record has no list */
	/* Handler, which is called once per record, on the first walk, if the body has min_body bytes.  NULL: none. */
	void (*first_walk)(struct hd_perf *pf, const struct hd_record *rec);
};

/* Return the size of the body in bytes, without the sample_id_all trailer that kernel records can have. */
static size_t room_of(const struct hd_perf *pf, const struct hd_record *rec)
{
	const struct hd_sample_layout *layout = NULL;
	size_t n = rec->size - 8u;
	uint32_t attr;

	if (rec->type < HD_RT_USER_FIRST)
		layout = hd_perf_trailer_layout(pf, rec, &attr);
	return layout && layout->trailer <= n ? n - layout->trailer : n;
}

static bool has(struct hd_perf *pf, const struct hd_record *rec, size_t room, size_t min)
{
	if (room < min)
		hd_perf_warn_body(pf, rec, "too few for its fields");
	return room >= min;
}

static void check_count(struct hd_perf *pf, const struct hd_record *rec, struct counted c)
{
	size_t n = rec->size - 8u;
	uint64_t count;
	char why[96];

	if (!has(pf, rec, n, c.at + c.width))
		return;
	count = c.width == 8 ? hd_get64(rec->data + c.at, pf->file.swap) :
		c.width == 4 ? hd_get32(rec->data + c.at, pf->file.swap) : hd_get16(rec->data + c.at, pf->file.swap);
	if (count && (n < c.from || count > (n - c.from) / c.unit)) {
		snprintf(why, sizeof(why), "%llu entries of %u bytes do not fit in it", (unsigned long long)count,
			c.unit);
		hd_perf_warn_body(pf, rec, why);
	}
}

/*
 * Check a CPU_MAP record.  It begins with u16 kind.  Kind 0 is a list: u16 nr, u16 cpu[nr].  Kind 1 is a mask: u16 nr,
 * u16 word size, then the words; their offset from the end of `kind` is a multiple of the word size.  Kind 2 is a
 * range: u8 any, u8 unused, u16 first, u16 last.
 */
static void check_cpu_map(struct hd_perf *pf, const struct hd_record *rec)
{
	size_t n = rec->size - 8u;
	uint16_t kind, word;

	if (!has(pf, rec, n, 4))
		return;
	kind = hd_get16(rec->data, pf->file.swap);
	if (kind == 0) {
		check_count(pf, rec, (struct counted){ 2, 2, 4, 2 });
	} else if (kind == 1 && has(pf, rec, n, 6)) {
		word = hd_get16(rec->data + 4, pf->file.swap);
		if (word == 4 || word == 8)
			check_count(pf, rec, (struct counted){ 2, 2, word == 4 ? 6 : 10, word });
		else
			hd_perf_warn_body(pf, rec, "invalid word size (not 4 or 8 bytes)");
	} else if (kind == 2) {
		has(pf, rec, n, 8);
	}
}

/*
 * Handle READ: u32 pid, u32 tid, then one counter as attr.read_format describes it.  No kernel writes READ for a group.
 */
static void on_read(struct hd_perf *pf, const struct hd_record *rec)
{
	uint32_t attr = 0;
	const struct hd_sample_layout *l = hd_perf_trailer_layout(pf, rec, &attr);
	uint64_t f = l ? l->read_format : 0;
	size_t room = room_of(pf, rec), words = 1;

	if (!(f & PERF_FORMAT_GROUP))
		words += !!(f & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(f & PERF_FORMAT_TOTAL_TIME_RUNNING) +
			!!(f & PERF_FORMAT_ID) + !!(f & HD_FORMAT_LOST);
	if (has(pf, rec, room, 8 + 8 * words))
		hd_perf_note_read(pf, rec, room, l, attr);
}

/* Handle AUX (u64 offset, u64 size, u64 flags): warn if a part of the trace was lost. */
static void on_aux(struct hd_perf *pf, const struct hd_record *rec)
{
	uint64_t flags = hd_get64(rec->data + 16, pf->file.swap);
	const char *what;

	what = flags & PERF_AUX_FLAG_TRUNCATED ? "its buffer was full" : flags & PERF_AUX_FLAG_PARTIAL ? "it has gaps" :
	       flags & PERF_AUX_FLAG_COLLISION ? "two samples of it collided" : NULL;
	if (what)
		hd_warn(pf->log, "lost.aux",
			"record with a larger trace buffer (perf record -m,64M), or a shorter time",
			"%s: %s: a part of the hardware trace was lost while recording: %s", hd_perf_path(pf),
			hd_record_label(rec).s, what);
}

/* Handle AUXTRACE_INFO: u32 type, u32 unused, then words whose meaning depends on the type. */
static void on_auxtrace_info(struct hd_perf *pf, const struct hd_record *rec)
{
	static const char *const kinds[] = {
		NULL, "Intel PT", "Intel BTS", "ARM CoreSight ETM", "ARM SPE", "s390 CPU-MF", "HiSilicon PTT",
		"PowerVM DTL", "RISC-V trace",
	};
	uint32_t type = hd_get32(rec->data, pf->file.swap);

	pf->stats.aux_kind = type < HD_COUNT(kinds) ? kinds[type] : NULL;
}

/*
 * Handle AUXTRACE_ERROR: u32 type, code, cpu, pid, tid, format; u64 ip; u64 time if format >= 1; text of up to 64
 * bytes.
 */
static void on_auxtrace_error(struct hd_perf *pf, const struct hd_record *rec)
{
	size_t n = rec->size - 8u, at = 32;
	const char *text;
	int len;

	if (hd_get32(rec->data + 20, pf->file.swap))
		at = 40;
	text = (const char *)rec->data + (at < n ? at : n);
	len = at < n ? (int)strnlen(text, n - at < 64 ? n - at : 64) : 0;
	hd_warn(pf->log, "lost.aux", "", "%s: %s: a part of the hardware trace could not be decoded: %.*s",
		hd_perf_path(pf), hd_record_label(rec).s, len, text);
}

static void on_switch(struct hd_perf *pf, const struct hd_record *rec)
{
	if (!(rec->misc & PERF_RECORD_MISC_SWITCH_OUT))
		return;
	pf->stats.switches++;
	pf->stats.preempted += !!(rec->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
}

/*
 * Handle BPF_EVENT: u16 type, u16 flags, u32 id, 8 bytes of tag.  A KSYMBOL record has the program's name and address.
 */
static void on_bpf(struct hd_perf *pf, const struct hd_record *rec)
{
	uint16_t what = hd_get16(rec->data, pf->file.swap);

	pf->stats.bpf_loaded += what == PERF_BPF_EVENT_PROG_LOAD;
	pf->stats.bpf_unloaded += what == PERF_BPF_EVENT_PROG_UNLOAD;
}

/*
 * Handle TEXT_POKE: u64 addr, u16 size of the old code, u16 size of the new code, old code, new code.  The record is
 * checked but not used, because patched code does not move symbols.
 */
static void on_text_poke(struct hd_perf *pf, const struct hd_record *rec)
{
	has(pf, rec, room_of(pf, rec),
		12u + hd_get16(rec->data + 8, pf->file.swap) + hd_get16(rec->data + 10, pf->file.swap));
}

static void on_deferred(struct hd_perf *pf, const struct hd_record *rec)
{
	struct hd_deferred_event e;
	struct hd_err err;

	if (hd_perf_parse_deferred(pf, rec, &e, &err) < 0)
		hd_perf_warn_body(pf, rec,
			"its addresses do not fit in it; the samples that wait for them have their kernel frames only");
}

/* Handle THROTTLE and UNTHROTTLE.  A record that is too short causes a warning, but is counted. */
static void on_throttle(struct hd_perf *pf, const struct hd_record *rec)
{
	size_t room = room_of(pf, rec);

	has(pf, rec, room, 24);
	hd_perf_note_throttle(pf, rec, room);
}

/* Handle SWITCH_CPU_WIDE.  A record that is too short causes a warning, but is counted. */
static void on_switch_cpu_wide(struct hd_perf *pf, const struct hd_record *rec)
{
	has(pf, rec, room_of(pf, rec), 8);
	on_switch(pf, rec);
}

static void on_finished_round(struct hd_perf *pf, const struct hd_record *rec)
{
	(void)rec;
	hd_perf_note_round(pf);
}

#define ROW(title, of_kind, ...) { .name = (title), .kind = HD_REC_##of_kind, __VA_ARGS__ }
#define SIMPLEPERF(title) ROW(title, OTHER, .metadata = true, .first_walk = hd_simpleperf_read_record)

static const struct record_type low[HD_LOW_TYPES] = {
	[PERF_RECORD_MMAP] = ROW("MMAP", MMAP),
	[PERF_RECORD_LOST] = ROW("LOST", LOST, .first_walk = hd_record_read_lost),
	[PERF_RECORD_COMM] = ROW("COMM", COMM),
	[PERF_RECORD_EXIT] = ROW("EXIT", EXIT, .first_walk = hd_perf_note_exit),
	[PERF_RECORD_THROTTLE] = ROW("THROTTLE", THROTTLE, .first_walk = on_throttle),
	[PERF_RECORD_UNTHROTTLE] = ROW("UNTHROTTLE", THROTTLE, .first_walk = on_throttle),
	[PERF_RECORD_FORK] = ROW("FORK", FORK),
	[PERF_RECORD_READ] = ROW("READ", OTHER, .first_walk = on_read),
	[PERF_RECORD_SAMPLE] = ROW("SAMPLE", SAMPLE),
	[PERF_RECORD_MMAP2] = ROW("MMAP2", MMAP),
	[PERF_RECORD_AUX] = ROW("AUX", OTHER, .min_body = 24, .first_walk = on_aux),
	[PERF_RECORD_ITRACE_START] = ROW("ITRACE_START", OTHER, .min_body = 8),	/* u32 pid, u32 tid */
	[PERF_RECORD_LOST_SAMPLES] = ROW("LOST_SAMPLES", LOST_SAMPLES, .first_walk = hd_record_read_lost),
	[PERF_RECORD_SWITCH] = ROW("SWITCH", OTHER, .first_walk = on_switch),
	[PERF_RECORD_SWITCH_CPU_WIDE] = ROW("SWITCH_CPU_WIDE", OTHER, .first_walk = on_switch_cpu_wide),
	[PERF_RECORD_NAMESPACES] = ROW("NAMESPACES", NAMESPACES),
	[PERF_RECORD_KSYMBOL] = ROW("KSYMBOL", KSYMBOL),
	[PERF_RECORD_BPF_EVENT] = ROW("BPF_EVENT", OTHER, .min_body = 16, .first_walk = on_bpf),
	[PERF_RECORD_CGROUP] = ROW("CGROUP", CGROUP, .min_body = 8),	/* u64 id, path */
	[PERF_RECORD_TEXT_POKE] = ROW("TEXT_POKE", OTHER, .min_body = 12, .first_walk = on_text_poke),
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = ROW("AUX_OUTPUT_HW_ID", OTHER, .min_body = 8),	/* u64 id */
	[HD_RT_CALLCHAIN_DEFERRED] = ROW("CALLCHAIN_DEFERRED", CALLCHAIN_DEFERRED, .first_walk = on_deferred),

	/* Written by the perf tool. */
	[HD_RT_ATTR] = ROW("ATTR", OTHER, .metadata = true, .first_walk = hd_record_read_attr),
	[HD_RT_EVENT_TYPE] =
		ROW("EVENT_TYPE", OTHER, .min_body = 9, .metadata = true, .first_walk = hd_record_read_event_type),
	[HD_RT_TRACING_DATA] = ROW("TRACING_DATA", OTHER, .metadata = true),
	[HD_RT_BUILD_ID] = ROW("BUILD_ID", OTHER, .metadata = true, .first_walk = hd_record_read_build_id),
	[HD_RT_FINISHED_ROUND] = ROW("FINISHED_ROUND", FINISHED_ROUND, .first_walk = on_finished_round),
	/* ID_INDEX: u64 nr; entries of id, index, cpu, tid; since perf 6.0, a list with pid and vcpu of each entry */
	[HD_RT_ID_INDEX] = ROW("ID_INDEX", OTHER, .entries = { 0, 8, 8, 32 }),
	[HD_RT_AUXTRACE_INFO] = ROW("AUXTRACE_INFO", OTHER, .min_body = 8, .first_walk = on_auxtrace_info),
	/* AUXTRACE: u64 size, offset, reference; u32 index, tid, cpu, 0 */
	[HD_RT_AUXTRACE] = ROW("AUXTRACE", OTHER, .min_body = 40),
	[HD_RT_AUXTRACE_ERROR] = ROW("AUXTRACE_ERROR", OTHER, .min_body = 33, .first_walk = on_auxtrace_error),
	/* THREAD_MAP: u64 nr; nr entries: u64 tid, comm of 16 bytes */
	[HD_RT_THREAD_MAP] = ROW("THREAD_MAP", OTHER, .entries = { 0, 8, 8, 24 }, .first_walk = hd_perf_note_threads),
	[HD_RT_CPU_MAP] = ROW("CPU_MAP", OTHER, .first_walk = check_cpu_map),
	/* STAT_CONFIG: u64 nr; nr entries: u64 tag, u64 value */
	[HD_RT_STAT_CONFIG] = ROW("STAT_CONFIG", OTHER, .entries = { 0, 8, 8, 16 }),
	/* STAT: u64 id, u32 cpu, u32 thread, u64 value, enabled, running */
	[HD_RT_STAT] = ROW("STAT", OTHER, .min_body = 40, .first_walk = hd_perf_note_stat),
	[HD_RT_STAT_ROUND] = ROW("STAT_ROUND", OTHER, .min_body = 16),	/* u64 kind, u64 time */
	[HD_RT_EVENT_UPDATE] = ROW("EVENT_UPDATE", OTHER, .metadata = true, .first_walk = hd_record_read_event_update),
	/* TIME_CONV: u64 shift, mult, zero; since perf 5.10 also cycles, mask, ... */
	[HD_RT_TIME_CONV] = ROW("TIME_CONV", OTHER, .min_body = 24),
	[HD_RT_FEATURE] = ROW("FEATURE", OTHER, .metadata = true, .first_walk = hd_record_read_feature),
	[HD_RT_COMPRESSED] = ROW("COMPRESSED", OTHER),
	[HD_RT_FINISHED_INIT] = ROW("FINISHED_INIT", OTHER),
	[HD_RT_COMPRESSED2] = ROW("COMPRESSED2", OTHER),
	/* BPF_METADATA: char program[512], u64 nr; then nr entries: char key[64], char value[256] */
	[HD_RT_BPF_METADATA] = ROW("BPF_METADATA", OTHER, .entries = { 512, 8, 520, 320 }),
	/* SCHEDSTAT_CPU: u64 time, u32 cpu, u16 version, then counters */
	[HD_RT_SCHEDSTAT_CPU] = ROW("SCHEDSTAT_CPU", OTHER, .min_body = 16),
	[HD_RT_SCHEDSTAT_DOMAIN] = ROW("SCHEDSTAT_DOMAIN", OTHER, .min_body = 16),
};

/* Records that only simpleperf writes, from type HD_SIMPLEPERF_BASE on. */
static const struct record_type simpleperf[HD_SIMPLEPERF_TYPES] = {
	[HD_RT_SP_KERNEL_SYMBOL - HD_SIMPLEPERF_BASE] = SIMPLEPERF("SP_KERNEL_SYMBOL"),
	[HD_RT_SP_DSO - HD_SIMPLEPERF_BASE] = SIMPLEPERF("SP_DSO"),
	[HD_RT_SP_SYMBOL - HD_SIMPLEPERF_BASE] = SIMPLEPERF("SP_SYMBOL"),
	[HD_RT_SP_SPLIT - HD_SIMPLEPERF_BASE] = SIMPLEPERF("SP_SPLIT"),
	[HD_RT_SP_SPLIT_END - HD_SIMPLEPERF_BASE] = SIMPLEPERF("SP_SPLIT_END"),
	[HD_RT_SP_EVENT_ID - HD_SIMPLEPERF_BASE] = SIMPLEPERF("SP_EVENT_ID"),
	[HD_RT_SP_CALLCHAIN - HD_SIMPLEPERF_BASE] = ROW("SP_CALLCHAIN", OTHER),
	[HD_RT_SP_UNWINDING_RESULT - HD_SIMPLEPERF_BASE] = ROW("SP_UNWINDING_RESULT", OTHER),
	[HD_RT_SP_TRACING_DATA - HD_SIMPLEPERF_BASE] = SIMPLEPERF("SP_TRACING_DATA"),
	[HD_RT_SP_DEBUG - HD_SIMPLEPERF_BASE] = ROW("SP_DEBUG", OTHER),
};

/* Return the row of a type, or NULL if the type is unknown. */
static const struct record_type *find(uint32_t type)
{
	const struct record_type *t = NULL;

	if (type < HD_LOW_TYPES)
		t = &low[type];
	else if (type - HD_SIMPLEPERF_BASE < HD_SIMPLEPERF_TYPES)
		t = &simpleperf[type - HD_SIMPLEPERF_BASE];
	return t && t->name ? t : NULL;
}

enum hd_record_kind hd_record_kind(uint32_t type)
{
	const struct record_type *t = find(type);

	return t ? t->kind : HD_REC_OTHER;
}

const char *hd_record_type_name(uint32_t type)
{
	const struct record_type *t = find(type);

	return t ? t->name : NULL;
}

bool hd_perf_is_metadata_record(const struct hd_record *rec)
{
	const struct record_type *t = find(rec->type);

	return t && t->metadata;
}

bool hd_perf_is_event_update(const struct hd_record *rec)
{
	return rec->type == HD_RT_EVENT_UPDATE;
}

struct hd_record_label hd_record_label(const struct hd_record *rec)
{
	const char *name = hd_record_type_name(rec->type);
	const char *in = rec->inside ? "in the zstd record at" : "at";
	struct hd_record_label w;

	if (name)
		snprintf(w.s, sizeof(w.s), "%s record %s 0x%llx", name, in, (unsigned long long)rec->off);
	else
		snprintf(w.s, sizeof(w.s), "record of type %u %s 0x%llx", rec->type, in, (unsigned long long)rec->off);
	return w;
}

void hd_perf_first_walk_record(struct hd_perf *pf, const struct hd_record *rec)
{
	const struct record_type *t = find(rec->type);

	if (!t) {
		pf->stats.unknown_records++;
		hd_warn(pf->log, "lost.unknown-record", "", "%s: %s (%u bytes): unknown type, skipped",
			hd_perf_path(pf), hd_record_label(rec).s, rec->size);
		return;
	}
	if (t->entries.unit)
		check_count(pf, rec, t->entries);
	if (t->min_body && !has(pf, rec, room_of(pf, rec), t->min_body))
		return;
	if (t->first_walk)
		t->first_walk(pf, rec);
}
