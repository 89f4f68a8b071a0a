/*
 * perf_state.h - the state of a hd_perf; private to perfdata/
 *
 *     open.c                 files and folders
 *     header.c               magic, byte order, sections; uses attr.c and features.c
 *     reader.c               the walk: window, framing, payloads; uses decompress.c and record_table.c
 *     record_table.c         one row per record type
 *     metadata_records.c     records about the recording: ATTR, FEATURE, ...
 *     sampling_quality.c     THROTTLE records, and the times that counters ran
 *     recording_end.c        detect a missing end
 *     sample.c               bodies of SAMPLE records
 *     sideband.c             bodies of MMAP, COMM, FORK, ... records
 *     event_names.c          names of events; tracepoint.c: names and fields of tracepoints
 *     embedded_files.c, hiperf.c, simpleperf_records.c    symbols and chains stored in the recording
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

/* Record types that are counted in an array: 0..127, and simpleperf's from 32768 on. */
enum { HD_LOW_TYPES = 128, HD_SIMPLEPERF_BASE = 32768, HD_SIMPLEPERF_TYPES = 16 };

/* A file, or a part of it, that contains records.  The directory format has several. */
struct hd_record_source {
	int fd;
	char *path;
	uint64_t start, end;		/* offsets of the records in the file */
	uint64_t bytes;			/* size of the file */
};

/* Where the fields of a sample_type are.  Offsets count from the start of the body; HD_NO_FIELD: absent. */
#define HD_NO_FIELD 0xff

struct hd_sample_layout {
	uint64_t type;			/* sample_type */
	uint64_t rest;			/* the bits of sample_type whose fields have no fixed offset */
	uint64_t default_period;
	uint64_t read_format;
	uint8_t fixed;			/* bytes of the fields with a fixed offset */
	uint8_t ip, tid, time, addr, id, stream, cpu, period;
	uint8_t trailer;		/* bytes of the sample_id_all trailer; 0: none */
	/* distance of the trailer's fields from the end of the record; 0: absent */
	uint8_t time_back, id_back, tid_back;
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
	struct hd_sample_layout *layouts;	/* parallel to attrs */
	size_t nattrs, cap_attrs, cap_layouts;
	uint64_t ids_total;
	struct hd_map ids;		/* id -> index of its attr */
	uint32_t id_places;		/* bit n: samples of some attr have the id in word n */
	uint32_t id_backs;		/* bit n: trailers of some attr have the id n words before the end */
	bool data_src;			/* an attr records DATA_SRC */
	bool id_lacking;		/* an attr records no id */
	bool id_all;			/* the first attr has sample_id_all */

	struct hd_perf_build_id *build_ids;
	size_t nbuild_ids, cap_build_ids;

	struct event_type *event_types;
	size_t nevent_types, cap_event_types;

	/* TRACING_DATA: its offset and size in sources[0]; or the content of simpleperf's record. */
	uint64_t tracing_off, tracing_bytes;
	struct hd_buf tracing;

	/* The window over the current source: the part of the file that is in memory. */
	struct hd_window_pool windows, sights;
	struct hd_window *win;
	bool look;			/* see hd_perf_map_large_samples */
	bool torn;			/* the truncation of mapped bytes was reported */
	const uint8_t *bytes;		/* bytes of the window */
	uint64_t win_off;		/* offset of the window in the source */
	size_t win_len;
	bool bodiless;			/* this walk returns SAMPLE records without their bodies */
	struct hd_window *given;	/* the window that contains the last record */
	uint32_t sample_bytes;		/* size of the last SAMPLE record */

	/* State of the walk. */
	size_t source;			/* index of the current source */
	uint64_t pos;			/* offset of the next record in it */
	uint64_t seq;			/* of the next record */
	uint64_t seen;			/* records with a smaller seq were already returned by an earlier walk */
	bool walked;			/* a walk has reached the end */
	bool checked;			/* a walk with bodies has reached the end: all samples were checked */
	bool ended;			/* this walk has reached the end */
	bool settled;			/* see hd_perf_freeze_metadata() */
	bool inside;			/* the next record is in a compressed record at inside_off */
	uint64_t inside_off;
	struct hd_decompressor *unzip;
	bool unzip_broken; /* the zstd stream had an error; chunks are skipped until another stream starts */

	struct hd_perf_stats stats;
	struct hd_lost_total lost_seen;	/* losses that the first walk has reported */
	/* recording_end.c */
	int32_t command;		/* pid of the command that perf started; 0: none */
	uint64_t events_at_round;	/* number of samples and switches before the last FINISHED_ROUND */
	bool round_has_events;		/* a FINISHED_ROUND followed some of them */
	bool cut_stream;		/* a zstd stream ended inside a block */
	uint64_t by_type[HD_LOW_TYPES + HD_SIMPLEPERF_TYPES];
	struct hd_map odd_index;	/* other types -> index of `odd` */
	struct hd_record_count *odd;
	size_t nodd, cap_odd;
	struct hd_record_count *counts;	/* result of hd_perf_record_counts() */
	size_t cap_counts;

	/* PERF_FORMAT_GROUP: the last value of each counter, to compute increases. */
	struct hd_map group_index;
	uint64_t *group_last;
	size_t ngroup, cap_group;
	struct hd_read_value *values;
	size_t cap_values;

	/* sampling_quality.c: throttling gaps per stream id, and enabled and running times per counter. */
	struct hd_map silence_index, times_index, thread_index;
	struct hd_throttle_gaps *silences;
	size_t nsilences, cap_silences;
	struct hd_counter_times *times;
	size_t ntimes, cap_times, nthreads;

	/* embedded_symbols.h: the tables, the parts of a split record, DSO id -> file. */
	struct hd_embedded_symbols carried;
	struct hd_buf split;
	struct hd_map dsos;
	/* hiperf's table of call chains: its nodes, and the chains that samples referred to. */
	uint64_t *stack_nodes;		/* NULL: the samples contain their chains */
	size_t nstack_nodes, stack_nodes_cap;
	struct hd_map stack_index;	/* (pid, index) -> node */
	struct hd_map stack_known;	/* hash of (id, pid) -> index into stack_known_at */
	struct hd_unique_chain *stack_known_at;
	size_t nstack_known, stack_known_cap;
	struct hd_arena stack_chains;
	uint64_t stack_bytes;

	char *name;			/* NUL-terminated copy of a name */
	size_t cap_name;
};

struct hd_throttle_gaps {
	uint64_t since_ns, ns;		/* start of the current gap; total of the finished gaps */
	uint64_t first_ns, last_ns, throttled, unthrottled;
	uint32_t attr;
	bool open;
};

struct hd_counter_times {
	uint64_t enabled_ns, running_ns;
	uint32_t attr;
	uint32_t thread; /* index of the thread that the counter follows; perf opens one counter for each CPU */
};

struct hd_unique_chain {
	uint64_t id;
	uint32_t pid, n;
	uint64_t *ips;			/* words in the byte order of the file */
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

/* Return true if no earlier walk has returned this record.  Later walks log and count nothing. */
static inline bool hd_perf_is_first_walk(const struct hd_perf *pf, uint64_t seq)
{
	return seq >= pf->seen;
}

/* ---- attr.c ---- */

/* Decode one attr from at most n bytes and add it, without ids.  Returns its index or < 0. */
int hd_perf_add_attr(struct hd_perf *pf, const uint8_t *p, size_t n, struct hd_err *err);
/* Add n recorded ids to attr `at`.  Fails if there are more ids than the file could contain. */
int hd_perf_add_ids(struct hd_perf *pf, size_t at, const uint8_t *p, size_t n, struct hd_err *err);
/* Return the layout of the attr that a record other than SAMPLE belongs to, by the id in its trailer, and its index. */
const struct hd_sample_layout *hd_perf_trailer_layout(const struct hd_perf *pf, const struct hd_record *rec,
	uint32_t *attr);
/* Set the name of an attr; takes ownership of `name`. */
void hd_perf_name_attr(struct hd_perf *pf, size_t at, char *name);
void hd_perf_name_attrs_by_event_types(struct hd_perf *pf);

/* ---- source_window.c ---- */

/* Refill the window so that it starts with the next record and contains all of it, unless the file ends before. */
int hd_perf_fill_window(struct hd_perf *pf, struct hd_err *err);
/* Warn if the file was truncated while its bytes were mapped. */
void hd_perf_warn_torn(struct hd_perf *pf);

/* ---- features.c ---- */

int hd_perf_read_features(struct hd_perf *pf, uint64_t off, const uint64_t bits[4], struct hd_err *err);
/* Read the content of one feature.  Returns < 0 if it is malformed. */
int hd_perf_read_feature(struct hd_perf *pf, unsigned int bit, const uint8_t *p, size_t n, struct hd_err *err);
int hd_perf_add_build_id(struct hd_perf *pf, uint16_t misc, const uint8_t *p, size_t n, struct hd_err *err);
const char *hd_feature_name(unsigned int bit);		/* "HOSTNAME", ...; NULL if unknown */

/* ---- header.c ---- */

/* A hd_file_accept callback: return true if the first bytes may be a recording. */
int hd_perf_accept(const char *head, size_t n, const char *path, struct hd_err *err);
int hd_perf_read_header(struct hd_perf *pf, struct hd_err *err);

/* Read n bytes at offset `off` of a source into allocated memory, which the caller owns. */
int hd_perf_read(const struct hd_record_source *src, uint64_t off, size_t n, uint8_t **out, struct hd_err *err);

/* ---- tracepoint.c ---- */

/* Store the tracing data of a record; only the first one is used. */
void hd_perf_keep_tracing(struct hd_perf *pf, const void *p, size_t n);
/* Name the tracepoints without a name from TRACING_DATA. */
int hd_perf_name_tracepoints(struct hd_perf *pf, struct hd_err *err);

/* ---- metadata_records.c ---- */

/* Add a row of the event table of older recordings: u64 config, then the name. */
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
/* Warn if the data source of a sample is a value that no kernel writes.  Called on the first walk. */
void hd_perf_check_sample(struct hd_perf *pf, const struct hd_record *rec);

/* ---- recording_end.c ---- */

/* Called on the first walk. */
void hd_perf_note_round(struct hd_perf *pf);
void hd_perf_note_threads(struct hd_perf *pf, const struct hd_record *rec);
void hd_perf_note_exit(struct hd_perf *pf, const struct hd_record *rec);
/* Called at the end of the first walk.  Sets stats.tail_lost and warns. */
void hd_perf_check_recording_end(struct hd_perf *pf);

/* ---- record_table.c ---- */

/* Handle a record that is no sample and that no earlier walk met: check it, and call the handler of its type. */
void hd_perf_first_walk_record(struct hd_perf *pf, const struct hd_record *rec);
/* HD_REC_OTHER if the type is unknown. */
enum hd_record_kind hd_record_kind(uint32_t type);
/* A record's type and place for messages: "SAMPLE record at 0x1f0", "record of type 99 in the zstd record at 0x1f0". */
struct hd_record_label {
	char s[80];
};
struct hd_record_label hd_record_label(const struct hd_record *rec);

/* ---- sampling_quality.c ---- */

/* Called on the first walk.  room: size of the body without the trailer; attr: of the READ record. */
void hd_perf_note_throttle(struct hd_perf *pf, const struct hd_record *rec, size_t room);
void hd_perf_note_read(struct hd_perf *pf, const struct hd_record *rec, size_t room, const struct hd_sample_layout *l,
	uint32_t attr);
void hd_perf_note_stat(struct hd_perf *pf, const struct hd_record *rec);
/*
 * Store the times of a counter; the last call for a counter (key) wins.  Counters of one `thread` are those that follow
 * it from CPU to CPU.
 */
void hd_perf_note_times(struct hd_perf *pf, uint64_t key, uint64_t thread, uint32_t attr, uint64_t enabled_ns,
	uint64_t running_ns);

/* ---- event_names.c ---- */

/* Return the path of the file that the walk is in. */
const char *hd_perf_path(const struct hd_perf *pf);

char *hd_event_name(const struct hd_perf_attr *a, uint32_t bp_type, uint64_t bp_addr);
/*
 * Name an event with the name `pmu` of the PMU that has this type.  An event without a generic name becomes
 * `intel_pt/config=0x300e601/`; a generic event of that PMU becomes `cpu_core/cycles/`.  name_made stays true.
 */
void hd_perf_name_by_pmu(struct hd_perf_attr *a, uint32_t type, const char *pmu);
const char *hd_event_unit(const struct hd_perf_attr *a);

#endif
