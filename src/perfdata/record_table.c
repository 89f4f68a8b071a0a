/*
 * record_table.c - records that are only looked at
 *
 * Nothing in them changes what is counted.  Each is compared with the size that its
 * fields and its own counts take, so that damage is told; and what they tell
 * of the recording is counted: context switches, BPF programs, losses of a
 * hardware trace, throttling and times on the counter (sampling_quality.c).  Layouts: include/uapi/linux/perf_event.h, and for the
 * records of the perf tool tools/lib/perf/include/perf/event.h.
 */
#include "perfdata/perf_state.h"

#include "base/mem.h"

#include <stdio.h>

/* Bytes of the body without the sample_id_all trailer, which only records of the kernel have. */
static size_t room_of(const struct hd_perf *pf, const struct hd_record *rec, const struct hd_sample_layout **layout,
	uint32_t *attr)
{
	size_t n = rec->size - 8u;

	*layout = rec->type < HD_RT_USER_FIRST ? hd_perf_trailer_layout(pf, rec, attr) : NULL;
	return *layout && (*layout)->trailer <= n ? n - (*layout)->trailer : n;
}

static bool has(struct hd_perf *pf, const struct hd_record *rec, size_t room, size_t min)
{
	if (room < min)
		hd_perf_warn_body(pf, rec, "too few for its fields");
	return room >= min;
}

/* Where a count stands, how wide it is, where its things begin and how many bytes each takes at least. */
struct counted {
	size_t at, width, from, unit;
};

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
		snprintf(why, sizeof(why), "%llu entries of %zu bytes do not fit in it", (unsigned long long)count,
			c.unit);
		hd_perf_warn_body(pf, rec, why);
	}
}

/*
 * u16 kind, then of kind 0, a list: u16 nr, u16 cpu[nr]; 1, a mask: u16 nr, u16
 * bytes of a word, and the words where words of that size are aligned, counted
 * from the kind; 2, a range: u8 any, u8, u16 first, u16 last.
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
			hd_perf_warn_body(pf, rec, "its words are neither of 4 nor of 8 bytes");
	} else if (kind == 2) {
		has(pf, rec, n, 8);
	}
}

/* u32 pid, u32 tid, then a counter as the attr's read_format has it; of a group, nobody writes one. */
static void on_read(struct hd_perf *pf, const struct hd_record *rec, size_t room, const struct hd_sample_layout *l,
	uint32_t attr)
{
	uint64_t f = l ? l->read_format : 0;
	size_t words = 1;

	if (!(f & PERF_FORMAT_GROUP))
		words += !!(f & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(f & PERF_FORMAT_TOTAL_TIME_RUNNING) +
			!!(f & PERF_FORMAT_ID) + !!(f & HD_FORMAT_LOST);
	if (has(pf, rec, room, 8 + 8 * words))
		hd_perf_note_read(pf, rec, room, l, attr);
}

/* u64 offset, u64 size, u64 flags */
static void on_aux(struct hd_perf *pf, const struct hd_record *rec, size_t room)
{
	const char *what;
	uint64_t flags;

	if (!has(pf, rec, room, 24))
		return;
	flags = hd_get64(rec->data + 16, pf->file.swap);
	what = flags & PERF_AUX_FLAG_TRUNCATED ? "its buffer was full" : flags & PERF_AUX_FLAG_PARTIAL ? "it has gaps" :
	       flags & PERF_AUX_FLAG_COLLISION ? "two samples of it collided" : NULL;
	if (what)
		hd_warn(pf->log, "lost.aux",
			"record with a larger trace buffer (perf record -m,64M), or a shorter time",
			"%s: %s: a part of the hardware trace was lost while recording: %s", hd_perf_path(pf),
			hd_record_label(rec).s, what);
}

/* u32 type, u32, private words */
static void on_auxtrace_info(struct hd_perf *pf, const struct hd_record *rec)
{
	static const char *const kinds[] = {
		NULL, "Intel PT", "Intel BTS", "ARM CoreSight ETM", "ARM SPE", "s390 CPU-MF", "HiSilicon PTT",
		"PowerVM DTL", "RISC-V trace",
	};
	uint32_t type;

	if (!has(pf, rec, rec->size - 8u, 8))
		return;
	type = hd_get32(rec->data, pf->file.swap);
	pf->stats.aux_kind = type < HD_COUNT(kinds) ? kinds[type] : NULL;
}

/* u32 type, code, cpu, pid, tid, format; u64 ip; of format 1 and later u64 time; text of up to 64 bytes */
static void on_auxtrace_error(struct hd_perf *pf, const struct hd_record *rec)
{
	size_t n = rec->size - 8u, at = 32;
	const char *text;
	int len;

	if (!has(pf, rec, n, 33))
		return;
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

/* u16 what, u16 flags, u32 id, 8 bytes of tag.  Its name and its place come as KSYMBOL. */
static void on_bpf(struct hd_perf *pf, const struct hd_record *rec, size_t room)
{
	uint16_t what;

	if (!has(pf, rec, room, 16))
		return;
	what = hd_get16(rec->data, pf->file.swap);
	pf->stats.bpf_loaded += what == PERF_BPF_EVENT_PROG_LOAD;
	pf->stats.bpf_unloaded += what == PERF_BPF_EVENT_PROG_UNLOAD;
}

/* u64 addr, u16 bytes before, u16 bytes now, both texts.  Symbols stay where they are. */
static void on_text_poke(struct hd_perf *pf, const struct hd_record *rec, size_t room)
{
	if (has(pf, rec, room, 12))
		has(pf, rec, room,
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

static void on_throttle(struct hd_perf *pf, const struct hd_record *rec, size_t room)
{
	has(pf, rec, room, 24);
	hd_perf_note_throttle(pf, rec, room);
}

void hd_perf_check_record(struct hd_perf *pf, const struct hd_record *rec)
{
	const struct hd_sample_layout *layout;
	uint32_t attr = 0;
	size_t room = room_of(pf, rec, &layout, &attr);

	switch (rec->type) {
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		on_throttle(pf, rec, room);
		break;
	case PERF_RECORD_READ:
		on_read(pf, rec, room, layout, attr);
		break;
	case PERF_RECORD_AUX:
		on_aux(pf, rec, room);
		break;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		has(pf, rec, room, 8);
		on_switch(pf, rec);
		break;
	case PERF_RECORD_SWITCH:
		on_switch(pf, rec);
		break;
	case PERF_RECORD_BPF_EVENT:
		on_bpf(pf, rec, room);
		break;
	case PERF_RECORD_TEXT_POKE:
		on_text_poke(pf, rec, room);
		break;
	case HD_RT_CALLCHAIN_DEFERRED:
		on_deferred(pf, rec);
		break;
	case PERF_RECORD_ITRACE_START:		/* u32 pid, u32 tid */
	case PERF_RECORD_AUX_OUTPUT_HW_ID:	/* u64 id */
	case PERF_RECORD_CGROUP:		/* u64 id, path */
		has(pf, rec, room, 8);
		break;
	case HD_RT_ID_INDEX: /* u64 nr; id, index, cpu, tid; since perf 6.0 pid and vcpu of each behind them all */
		check_count(pf, rec, (struct counted){ 0, 8, 8, 32 });
		break;
	case HD_RT_THREAD_MAP:			/* u64 nr; u64 tid, comm of 16 bytes */
	case HD_RT_STAT_CONFIG:			/* u64 nr; u64 what, u64 value */
		check_count(pf, rec, (struct counted){ 0, 8, 8, rec->type == HD_RT_THREAD_MAP ? 24 : 16 });
		if (rec->type == HD_RT_THREAD_MAP)
			hd_perf_note_threads(pf, rec);
		break;
	case HD_RT_CPU_MAP:
		check_cpu_map(pf, rec);
		break;
	case HD_RT_STAT:			/* u64 id, u32 cpu, u32 thread, u64 value, enabled, running */
		if (has(pf, rec, room, 40))
			hd_perf_note_stat(pf, rec, room);
		break;
	case HD_RT_STAT_ROUND:			/* u64 kind, u64 time */
		has(pf, rec, room, 16);
		break;
	case HD_RT_TIME_CONV:			/* u64 shift, mult, zero; since perf 5.10 cycles, mask, two bytes */
		has(pf, rec, room, 24);
		break;
	case HD_RT_AUXTRACE_INFO:
		on_auxtrace_info(pf, rec);
		break;
	case HD_RT_AUXTRACE:			/* u64 size, offset, reference; u32 index, tid, cpu, 0 */
		has(pf, rec, room, 40);
		break;
	case HD_RT_AUXTRACE_ERROR:
		on_auxtrace_error(pf, rec);
		break;
	case HD_RT_BPF_METADATA:		/* program's name of 512 bytes, u64 nr; key of 64 bytes, value of 256 */
		check_count(pf, rec, (struct counted){ 512, 8, 520, 320 });
		break;
	case HD_RT_SCHEDSTAT_CPU:		/* u64 time, u32 cpu, u16 version; then counters */
		has(pf, rec, room, 16);
		break;
	case HD_RT_SCHEDSTAT_DOMAIN:		/* u64 time, u32 cpu, u16 version; domain, its name, counters */
		has(pf, rec, room, 16);
		break;
	default:
		if (hd_record_type_name(rec->type))
			break;
		pf->stats.unknown_records++;
		hd_warn(pf->log, "lost.unknown-record", "", "%s: %s (%u bytes): its type is not known, it was skipped",
			hd_perf_path(pf), hd_record_label(rec).s, rec->size);
	}
}
