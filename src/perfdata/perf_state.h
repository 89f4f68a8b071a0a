/*
 * perf_state.h - the state of a hd_perf; private to perfdata/
 *
 *     open.c                 files and folders
 *     header.c               magic, byte order, sections; uses attr.c and features.c
 *     reader.c               the walk: framing, payloads; uses decompress.c and record_table.c
 *     source_window.c        the part of a file that is in memory
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

/* Record types that are counted in an array: 0 to 127, and simpleperf's own types from 32768 on. */
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
	/*
	 * bits of the fields after PERIOD; take_rest() parses them one after another, because some have variable sizes
	 */
	uint64_t rest;
	uint64_t default_period;
	uint64_t read_format;
	uint8_t fixed;			/* bytes of the fields with a fixed offset */
	uint8_t ip, tid, time, addr, id, stream, cpu, period;
	uint8_t trailer;		/* bytes of the sample_id_all trailer; 0: none */
	/* distance of a field of the trailer (sample_id_all) from the end of the record; 0: absent */
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
	uint32_t id_places;		/* bit n is set if the samples of some attr have the id in word n */
	/* bit n is set if the sample_id_all trailers of some attr have the id n words before the end of the record */
	uint32_t id_backs;
	bool data_src;			/* an attr records DATA_SRC */
	bool id_lacking;		/* an attr records no id */
	bool id_all;			/* the first attr has sample_id_all */

	struct hd_perf_build_id *build_ids;
	size_t nbuild_ids, cap_build_ids;

	struct event_type *event_types;
	size_t nevent_types, cap_event_types;

	/* The tracing data: offset and size in sources[0]; for simpleperf, `tracing` has the content of its record. */
	uint64_t tracing_off, tracing_bytes;
	struct hd_buf tracing;

	/*
	 * `win` is the window: the part of the current source that is in memory.  The window is from the pool `windows`
	 * if the data is read into it, and from the pool `sights` if the file is mapped.
	 */
	struct hd_window_pool windows, sights;
	struct hd_window *win;
	bool look;			/* large samples are mapped, not read (hd_perf_map_large_samples()) */
	bool never_map;			/* mapping takes longer than reading (hd_perf_try_mapping()) */
	bool torn;			/* hd_perf_warn_torn() has logged its warning */
	const uint8_t *bytes;		/* bytes of the window */
	uint64_t win_off;		/* offset of the window in the source */
	size_t win_len;
	bool bodiless;			/* this walk may return SAMPLE records without their bodies */
	struct hd_window *given;	/* the window that contains the last record */
	uint32_t sample_bytes;		/* size of the last SAMPLE record */

	/* State of the walk. */
	size_t source;			/* index of the current source */
	uint64_t pos;			/* offset of the next record in the current source */
	uint64_t seq;			/* number of the next record in this walk, from 0 */
	/* number of records that earlier walks returned: records with seq < seen were returned before */
	uint64_t seen;
	bool walked;			/* a walk has reached the end */
	/* a walk that read the bodies of samples has reached the end, so all samples were checked */
	bool checked;
	bool ended;			/* this walk has reached the end */
	/* attrs, names and build-ids do not change any more (hd_perf_freeze_metadata()) */
	bool settled;
	bool inside;			/* the next record is inside of the compressed record at inside_off */
	uint64_t inside_off;
	struct hd_decompressor *unzip;
	bool unzip_broken; /* the zstd stream had an error; chunks are skipped until another stream begins */

	struct hd_perf_stats stats;
	struct hd_lost_total lost_seen;	/* losses that the first walk has reported */
	/* recording_end.c */
	int32_t command;		/* pid of the command that perf started; 0: none */
	uint64_t events_at_round;	/* number of samples and context switches before the last FINISHED_ROUND */
	bool round_has_events;		/* at least one FINISHED_ROUND followed samples or context switches */
	bool cut_stream;		/* a zstd stream ended inside a block */
	uint64_t by_type[HD_LOW_TYPES + HD_SIMPLEPERF_TYPES];
	struct hd_map odd_index;	/* types without an entry in by_type -> index of `odd` */
	struct hd_record_count *odd;
	size_t nodd, cap_odd;
	struct hd_record_count *counts;	/* result of hd_perf_record_counts() */
	size_t cap_counts;

	/* The last value that PERF_SAMPLE_READ had for each counter, from which increases are computed. */
	struct hd_map group_index;
	uint64_t *group_last;
	size_t ngroup, cap_group;
	struct hd_read_value *values;
	size_t cap_values;

	/* State of sampling_quality.c: times in which counters were throttled, were enabled, and ran. */
	struct hd_map silence_index, times_index, thread_index;
	struct hd_throttle_gaps *silences;
	size_t nsilences, cap_silences;
	struct hd_counter_times *times;
	size_t ntimes, cap_times, nthreads;

	struct hd_embedded_symbols carried;	/* symbol tables of the recording */
	/* simpleperf: content of the SPLIT records that were read so far, which are the parts of one large record */
	struct hd_buf split;
	struct hd_map dsos;		/* simpleperf: id of a DSO record -> index of its file in carried.files */
	/* hiperf's table of call chains as a tree of nodes, and the chains that samples refer to. */
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
	uint32_t thread; /* number of the counted thread; perf opens one counter of the thread for each CPU */
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
/*
 * Find the attr of a record other than SAMPLE by the id in the record's trailer.  Returns the layout of this attr and
 * sets *attr to its index.  If the attr is unknown, returns the layout of the first attr (NULL: there are no attrs) and
 * sets *attr to UINT32_MAX.
 */
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

/* A hd_file_accept callback: accept a file whose first bytes can be those of a recording. */
int hd_perf_accept(const char *head, size_t n, const char *path, struct hd_err *err);
int hd_perf_read_header(struct hd_perf *pf, struct hd_err *err);

/*
 * Read n bytes at offset `off` of a source into allocated memory, which the caller owns.  Returns HD_EFORMAT if the
 * file ends before that, or HD_EIO; *out is then NULL.
 */
int hd_perf_read(const struct hd_record_source *src, uint64_t off, size_t n, uint8_t **out, struct hd_err *err);

/* ---- tracepoint.c ---- */

/*
 * Store the tracing data of a record, unless it has more than 64 MiB.  If several records have tracing data, only the
 * first is stored.
 */
void hd_perf_keep_tracing(struct hd_perf *pf, const void *p, size_t n);
/* Set the names of those tracepoint events that the recording has not named yet, from TRACING_DATA. */
int hd_perf_name_tracepoints(struct hd_perf *pf, struct hd_err *err);

/* ---- metadata_records.c ---- */

/* hd_perf_add_event_type() adds a row of the event table of older recordings: u64 config, then the name. */
enum { HD_EVENT_TYPES_MAX = 4096 };
void hd_perf_add_event_type(struct hd_perf *pf, const uint8_t *p, size_t n);

/* Handlers of record types, which record_table.c calls on the first walk, once per record of their type. */
void hd_record_read_attr(struct hd_perf *pf, const struct hd_record *rec);
void hd_record_read_event_type(struct hd_perf *pf, const struct hd_record *rec);
void hd_record_read_feature(struct hd_perf *pf, const struct hd_record *rec);
void hd_record_read_event_update(struct hd_perf *pf, const struct hd_record *rec);
void hd_record_read_build_id(struct hd_perf *pf, const struct hd_record *rec);
void hd_record_read_lost(struct hd_perf *pf, const struct hd_record *rec);	/* LOST and LOST_SAMPLES */
void hd_perf_warn_body(struct hd_perf *pf, const struct hd_record *rec, const char *why);
/*
 * Warn if the data source of a sample is a value that no kernel writes.  Called until a walk that reads the bodies of
 * samples has reached the end (hd_perf.checked).
 */
void hd_perf_check_sample(struct hd_perf *pf, const struct hd_record *rec);

/* ---- recording_end.c ---- */

/* Handlers of FINISHED_ROUND, THREAD_MAP and EXIT records, called on the first walk. */
void hd_perf_note_round(struct hd_perf *pf);
void hd_perf_note_threads(struct hd_perf *pf, const struct hd_record *rec);
void hd_perf_note_exit(struct hd_perf *pf, const struct hd_record *rec);
/*
 * Check whether the end of the recording is missing; if so, set stats.tail_lost and warn.  Called after the first walk.
 */
void hd_perf_check_recording_end(struct hd_perf *pf);

/* ---- record_table.c ---- */

/*
 * Check a record that is not a sample, and call the handler of its type.  No earlier walk may have returned the record.
 */
void hd_perf_first_walk_record(struct hd_perf *pf, const struct hd_record *rec);
/* Return the kind of a record type; HD_REC_OTHER if the type is unknown. */
enum hd_record_kind hd_record_kind(uint32_t type);
/* A record's type and place for messages: "SAMPLE record at 0x1f0", "record of type 99 in the zstd record at 0x1f0". */
struct hd_record_label {
	char s[80];
};
struct hd_record_label hd_record_label(const struct hd_record *rec);

/* ---- sampling_quality.c ---- */

/*
 * Update the throttling state or the times of a counter from a record.  Called on the first walk.  room: size of the
 * body without the trailer; l: layout of the attr to which the record belongs; attr: index of this attr.
 */
void hd_perf_note_throttle(struct hd_perf *pf, const struct hd_record *rec, size_t room);
void hd_perf_note_read(struct hd_perf *pf, const struct hd_record *rec, size_t room, const struct hd_sample_layout *l,
	uint32_t attr);
void hd_perf_note_stat(struct hd_perf *pf, const struct hd_record *rec);

/* ---- sample.c ---- */

/*
 * Return the key of a counter of a sample: its id.  Since Linux 6.12, an inherited counter has one value per thread, so
 * its key includes the thread.
 */
uint64_t hd_perf_counter_key(const struct hd_perf *pf, const struct hd_sample *s, uint64_t id);

/* ---- reader.c ---- */

/* Return the path of the file that the walk is in. */
const char *hd_perf_path(const struct hd_perf *pf);

/* ---- event_names.c ---- */

char *hd_event_name(const struct hd_perf_attr *a, uint32_t bp_type, uint64_t bp_addr);
/*
 * Rename an event if it belongs to the PMU with this type, whose name is `pmu`.  An event of a dynamic PMU type
 * becomes `intel_pt/config=0x300e601/`, and a generic event becomes `cpu_core/cycles/`.  The flag a->name_made, which
 * is true for a name derived from the attr, does not change.
 */
void hd_perf_name_by_pmu(struct hd_perf_attr *a, uint32_t type, const char *pmu);
const char *hd_event_unit(const struct hd_perf_attr *a);

#endif
