/*
 * perf_state.h - what the files of perfdata/ share, and nobody else includes
 *
 *     open.c        files and folders                        -> header.c
 *     header.c      magic, byte order, sections              -> attr.c, features.c
 *     reader.c      the walk: window, framing, payloads      -> decompress.c, metadata_records.c
 *     metadata_records.c        records about the recording: ATTR, FEATURE, ...   -> record_table.c: those that are only looked at
 *     sampling_quality.c    THROTTLE, and times on the counter; recording_end.c: is the end of the recording there?
 *     sample.c      bodies of SAMPLE; sideband.c: of MMAP, COMM, FORK, ...
 *     event_names.c       what types and events are called; tracepoint.c: tracepoints
 *     carried*.c    symbol tables and chains that simpleperf and hiperf write into the file
 */
#ifndef HD_PERFDATA_PERF_STATE_H
#define HD_PERFDATA_PERF_STATE_H

#include "base/arena.h"
#include "base/map.h"
#include "perfdata/embedded_symbols.h"
#include "perfdata/decompress.h"
#include "perfdata/perf_abi.h"
#include "perfdata/perfdata.h"
#include "perfdata/window_pool.h"

/* Types counted in an array: 0..127, then simpleperf's from 32768 on. */
enum { HD_LOW_TYPES = 128, HD_SIMPLEPERF_BASE = 32768, HD_SIMPLEPERF_TYPES = 16 };

/* One file or section that holds records; the directory format has several. */
struct hd_record_source {
	int fd;
	char *path;
	uint64_t start, end;		/* of the records */
	uint64_t bytes;			/* of the file */
};

/* Where a sample_type puts its fields.  Offsets count from the body's start; NO_FIELD: absent. */
#define HD_NO_FIELD 0xff

struct hd_sample_layout {
	uint64_t type;			/* sample_type */
	uint64_t rest;			/* its bits with a place that varies */
	uint64_t default_period;
	uint64_t read_format;
	uint8_t fixed;			/* bytes of the fields with a fixed place */
	uint8_t ip, tid, time, addr, id, stream, cpu, period;
	uint8_t trailer;		/* bytes of the sample_id_all trailer; 0: none */
	uint8_t time_back, id_back, tid_back;	/* its fields, counted back from the record's end; 0: absent */
	uint8_t nregs_user, nregs_intr;
	bool hw_index, counters, branches_are_calls, inherit;
};

struct hd_perf {
	struct hd_perf_file file;
	struct hd_perf_header head;
	struct hd_log *log;

	struct hd_record_source *sources;
	size_t nsources;

	struct hd_perf_attr *attrs;
	struct hd_sample_layout *layouts;	/* beside attrs */
	size_t nattrs, cap_attrs, cap_layouts;
	uint64_t ids_total;
	struct hd_map ids;		/* id -> attr */
	uint32_t id_places;		/* bit n: some attr's samples have the id in word n */
	uint32_t id_backs;		/* bit n: ... trailers have it n words before the end */
	bool data_src;			/* some attr records DATA_SRC */
	bool id_lacking;		/* some attr records no id */
	bool id_all;			/* the first attr has sample_id_all */

	struct hd_perf_build_id *build_ids;
	size_t nbuild_ids, cap_build_ids;

	struct event_type *event_types;
	size_t nevent_types, cap_event_types;

	/* TRACING_DATA, a section or a payload: where it lies in sources[0]; or, of simpleperf, what its record holds. */
	uint64_t tracing_off, tracing_bytes;
	struct hd_buf tracing;

	/* The window over the current source. */
	struct hd_window_pool windows, sights;
	struct hd_window *win;
	bool look;			/* see hd_perf_map_large_samples */
	bool torn;			/* that some bytes looked at were is told */
	const uint8_t *bytes;		/* of the window */
	uint64_t win_off;		/* in the source, of its first byte */
	size_t win_len;
	bool bodiless;			/* this walk gives SAMPLE records without their bodies */
	struct hd_window *given;	/* where the last record lies */
	uint32_t sample_bytes;		/* of the last sample's record */

	/* The walk. */
	size_t source;			/* current */
	uint64_t pos;			/* in it, of the next record */
	uint64_t seq;			/* of the next record */
	uint64_t seen;			/* records with seq below this were met by an earlier walk */
	bool walked;			/* a walk has reached the end */
	bool checked;			/* one with bodies has: the samples were looked at */
	bool ended;			/* this walk has */
	bool settled;			/* see hd_perf_freeze_metadata */
	bool inside;			/* in a compressed record, whose place is: */
	uint64_t inside_off;
	struct hd_decompressor *unzip;
	bool unzip_broken;		/* its stream had an error: wait for another one */

	struct hd_perf_stats stats;
	struct hd_lost_total lost_seen;	/* by the first walk */
	/* recording_end.c */
	int32_t command;		/* that perf started; 0: none */
	uint64_t events_at_round;	/* samples and switches before the last FINISHED_ROUND */
	bool round_has_events;		/* there were some before a FINISHED_ROUND */
	bool cut_stream;		/* a zstd stream ended inside a block */
	uint64_t by_type[HD_LOW_TYPES + HD_SIMPLEPERF_TYPES];
	struct hd_map odd_index;	/* types without a place in by_type -> odd */
	struct hd_record_count *odd;
	size_t nodd, cap_odd;
	struct hd_record_count *counts;	/* of all that, made on demand */
	size_t cap_counts;

	/* PERF_FORMAT_GROUP: the last value of each counter. */
	struct hd_map group_index;
	uint64_t *group_last;
	size_t ngroup, cap_group;
	struct hd_read_value *values;
	size_t cap_values;

	/* sampling_quality.c: by the stream that was throttled; by counter. */
	struct hd_map silence_index, times_index, thread_index;
	struct hd_throttle_gaps *silences;
	size_t nsilences, cap_silences;
	struct hd_counter_times *times;
	size_t ntimes, cap_times, nthreads;

	/* embedded_symbols.h: tables in the file, parts of a record, files of DSO records by their number. */
	struct hd_embedded_symbols carried;
	struct hd_buf split;
	struct hd_map dsos;
	/* ... chains that are told once: their nodes, and those that a sample asked for. */
	uint64_t *stack_nodes;		/* NULL: the samples hold their chains */
	size_t nstack_nodes, stack_nodes_cap;
	struct hd_map stack_index;	/* (pid, index) -> node */
	struct hd_map stack_known;	/* hash of (id, pid) -> stack_known_at */
	struct hd_unique_chain *stack_known_at;
	size_t nstack_known, stack_known_cap;
	struct hd_arena stack_chains;
	uint64_t stack_bytes;

	char *name;			/* copy of a name without a NUL */
	size_t cap_name;
};

struct hd_throttle_gaps {
	uint64_t since_ns, ns;		/* the one that has not ended, and those that have */
	uint64_t first_ns, last_ns, throttled, unthrottled;
	uint32_t attr;
	bool open;
};

struct hd_counter_times {
	uint64_t enabled_ns, running_ns;
	uint32_t attr;
	uint32_t thread;		/* number of the attr's counters of one thread, one for each CPU */
};

struct hd_unique_chain {
	uint64_t id;
	uint32_t pid, n;
	uint64_t *ips;			/* in the byte order of the file */
};

struct event_type {
	uint64_t config;
	char *name;
};

static inline uint16_t hd_get16(const uint8_t *p, bool swap)
{
	uint16_t v;

	memcpy(&v, p, 2);
	return swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t hd_get32(const uint8_t *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t hd_get64(const uint8_t *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return swap ? __builtin_bswap64(v) : v;
}

/* Is this record met for the first time?  Later walks say and count nothing. */
static inline bool hd_perf_is_first_walk(const struct hd_perf *pf, uint64_t seq)
{
	return seq >= pf->seen;
}

/* ---- attr.c ---- */

/* Decode one attr from at most n bytes and add it, without ids.  Returns its index or < 0. */
int hd_perf_add_attr(struct hd_perf *pf, const uint8_t *p, size_t n, struct hd_err *err);
/* Give attr `at` n ids, as recorded.  Ids beyond what the file could hold are refused. */
int hd_perf_add_ids(struct hd_perf *pf, size_t at, const uint8_t *p, size_t n, struct hd_err *err);
/* The attr of a record other than SAMPLE, by its trailer. */
const struct hd_sample_layout *hd_perf_trailer_layout(const struct hd_perf *pf, const struct hd_record *rec,
	uint32_t *attr);
/* Take `name`. */
void hd_perf_name_attr(struct hd_perf *pf, size_t at, char *name);
void hd_perf_name_attrs_by_event_types(struct hd_perf *pf);

/* ---- source_window.c ---- */

/* The window from the next record on: all of that record, if it is there, and what follows. */
int hd_perf_fill_window(struct hd_perf *pf, struct hd_err *err);
/* Warn when something that was looked at was not there. */
void hd_perf_warn_torn(struct hd_perf *pf);

/* ---- features.c ---- */

int hd_perf_read_features(struct hd_perf *pf, uint64_t off, const uint64_t bits[4], struct hd_err *err);
/* One feature's content.  Returns < 0 when it is not what it should be. */
int hd_perf_read_feature(struct hd_perf *pf, unsigned int bit, const uint8_t *p, size_t n, struct hd_err *err);
int hd_perf_add_build_id(struct hd_perf *pf, uint16_t misc, const uint8_t *p, size_t n, struct hd_err *err);
const char *hd_feature_name(unsigned int bit);		/* "HOSTNAME", ...; NULL when unknown */

/* ---- header.c ---- */

/* From sources[0]: attrs, features, where the records are. */
/* Do the first bytes allow a recording?  A hd_file_accept. */
int hd_perf_accept(const char *head, size_t n, const char *path, struct hd_err *err);
int hd_perf_read_header(struct hd_perf *pf, struct hd_err *err);

/* Read n bytes at off of a source into fresh memory. */
int hd_perf_read(const struct hd_record_source *src, uint64_t off, size_t n, uint8_t **out, struct hd_err *err);

/* ---- tracepoint.c ---- */

/* Tracing data that a record holds; the first one counts. */
void hd_perf_keep_tracing(struct hd_perf *pf, const void *p, size_t n);
/* Names from TRACING_DATA for tracepoints that have none. */
int hd_perf_name_tracepoints(struct hd_perf *pf, struct hd_err *err);

/* ---- metadata_records.c ---- */

/* A row of the table of older recordings: a config and a name. */
enum { HD_EVENT_TYPES_MAX = 4096 };
void hd_perf_add_event_type(struct hd_perf *pf, const uint8_t *p, size_t n);

/* Handlers of record_table.c, each called once per record. */
void hd_record_read_attr(struct hd_perf *pf, const struct hd_record *rec);
void hd_record_read_event_type(struct hd_perf *pf, const struct hd_record *rec);
void hd_record_read_feature(struct hd_perf *pf, const struct hd_record *rec);
void hd_record_read_event_update(struct hd_perf *pf, const struct hd_record *rec);
void hd_record_read_build_id(struct hd_perf *pf, const struct hd_record *rec);
void hd_record_read_lost(struct hd_perf *pf, const struct hd_record *rec);	/* LOST and LOST_SAMPLES */
void hd_perf_warn_body(struct hd_perf *pf, const struct hd_record *rec, const char *why);
/* A sample met for the first time, of a recording with DATA_SRC: is that what a kernel writes? */
void hd_perf_check_sample(struct hd_perf *pf, const struct hd_record *rec);

/* ---- recording_end.c ---- */

/* Records met for the first time. */
void hd_perf_note_round(struct hd_perf *pf);
void hd_perf_note_threads(struct hd_perf *pf, const struct hd_record *rec);
void hd_perf_note_exit(struct hd_perf *pf, const struct hd_record *rec);
/* At the end of the first walk: set stats.tail_lost, and warn. */
void hd_perf_check_recording_end(struct hd_perf *pf);

/* ---- record_table.c ---- */

/* Handle a record that is neither a sample nor was met by an earlier walk: check it, and call its type's handler. */
void hd_perf_first_walk_record(struct hd_perf *pf, const struct hd_record *rec);
/* HD_REC_OTHER if the type is unknown. */
enum hd_record_kind hd_record_kind(uint32_t type);
/* A record's type and place for messages: "SAMPLE record at 0x1f0", "record of type 99 in the zstd record at 0x1f0". */
struct hd_record_label {
	char s[80];
};
struct hd_record_label hd_record_label(const struct hd_record *rec);

/* ---- sampling_quality.c ---- */

/* Records met for the first time; room: bytes of the body without the trailer.  attr: by the trailer of a READ. */
void hd_perf_note_throttle(struct hd_perf *pf, const struct hd_record *rec, size_t room);
void hd_perf_note_read(struct hd_perf *pf, const struct hd_record *rec, size_t room, const struct hd_sample_layout *l,
	uint32_t attr);
void hd_perf_note_stat(struct hd_perf *pf, const struct hd_record *rec);
/* What a counter told last; counters of one `thread` are one that follows it from CPU to CPU. */
void hd_perf_note_times(struct hd_perf *pf, uint64_t key, uint64_t thread, uint32_t attr, uint64_t enabled_ns,
	uint64_t running_ns);

/* ---- event_names.c ---- */

/* The file that the walk is in. */
const char *hd_perf_path(const struct hd_perf *pf);

char *hd_event_name(const struct hd_perf_attr *a, uint32_t bp_type, uint64_t bp_addr);
/*
 * `pmu` is the name of the PMU with this type.  An event that only its PMU can name gets that name,
 * `intel_pt/config=0x300e601/`, and a generic event of that PMU gets `cpu_core/cycles/`.  Both stay made names.
 */
void hd_perf_name_by_pmu(struct hd_perf_attr *a, uint32_t type, const char *pmu);
const char *hd_event_unit(const struct hd_perf_attr *a);

#endif
