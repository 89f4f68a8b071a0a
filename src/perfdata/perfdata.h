/*
 * perfdata.h - read a perf.data file: header, attrs, features, records
 *
 *     hd_perf_open(&pf, path, log, err)      header, attrs, features; file or pipe mode
 *     hd_perf_rewind(pf, err)                go to the first record
 *     while ((rc = hd_perf_next(pf, &rec, err)) > 0)
 *             ...                            1 a record, 0 end, < 0 error
 *
 * Records are returned in file order as views into a bounded window: `rec.data` and everything parsed
 * from it is valid until the next call.  A file can be walked any number of times; stdin and FIFOs are
 * first copied to an unlinked temporary file.  zstd records are decompressed: the caller sees only the
 * records inside them.  The hd_perf_parse_* functions convert numbers to native byte order.
 *
 * The first walk logs damage that it skips, with its offset: lost.unfinished, lost.data-cut,
 * lost.cut-record, lost.record-size, lost.stray-bytes, lost.record-body, lost.unknown-record,
 * lost.decompress, lost.feature, lost.aux, lost.attr, lost.attr-ids, lost.tail; and losses while
 * recording: lost.events, lost.samples.  odd.data-source: the sample is kept, but no kernel writes such
 * a data source.
 *
 * Ownership: a hd_perf owns its descriptors, windows, attrs and feature texts.
 * Safety:    every read is bounds-checked, and no size is trusted before a check.
 *
 * Layouts: linux tools/perf/Documentation/perf.data-file-format.txt and
 * include/uapi/linux/perf_event.h.
 */
#ifndef HD_PERFDATA_PERFDATA_H
#define HD_PERFDATA_PERFDATA_H

#include "base/bytes.h"
#include "base/err.h"
#include "base/log.h"
#include "base/record_time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HD_BUILD_ID_MAX = 20 };

struct hd_build_id {
	uint8_t len;			/* 0: none */
	uint8_t bytes[HD_BUILD_ID_MAX];
};

/* One perf_event_attr of the recording, with its ids and its name. */
struct hd_perf_attr {
	uint32_t type;
	uint64_t config;
	uint64_t period_or_freq;	/* sample_period, or sample_freq when `freq` */
	bool freq;
	uint64_t sample_type;		/* PERF_SAMPLE_* */
	uint64_t read_format;
	uint64_t branch_type;
	uint64_t regs_user, regs_intr;	/* masks */
	uint32_t stack_user;		/* size of the stack copy that was requested */
	bool sample_id_all;
	bool exclude_user, exclude_kernel, exclude_hv, exclude_guest, exclude_host;
	bool enable_on_exec;		/* counting starts when the command of perf record calls exec */
	bool task;			/* FORK and EXIT are recorded */
	bool deferred; /* the user part of a call chain may be in a record of its own (struct hd_deferred_event) */
	uint8_t precise;
	bool use_clockid; /* times are of clock `clockid` (a number of clock_gettime()), else of perf's default clock */
	int32_t clockid;
	uint64_t *ids;
	size_t nids;
	char *name; /* from EVENT_DESC, EVENT_UPDATE or EVENT_TYPE, else derived from the attr; never NULL */
	bool name_made;			/* derived from the attr */
	const char *unit;		/* the unit of a period: "cycles", "ns", ..., "events" */
};

/* Header features as text; NULL if absent.  Strings are raw bytes up to the first NUL. */
struct hd_perf_header {
	char *hostname, *os_release, *version, *arch, *cpudesc, *cpuid;
	char **cmdline;
	size_t ncmdline;
	uint32_t nrcpus_online, nrcpus_avail;
	uint64_t total_mem_kib;
	char *clock_data;
	uint64_t sample_time_first_ns, sample_time_last_ns;	/* 0: absent */
};

/* One row of the build-id table (feature 2, or HEADER_BUILD_ID records). */
struct hd_perf_build_id {
	struct hd_build_id id;
	int32_t pid;
	uint16_t misc;			/* cpumode in the low bits */
	char *name;
};

struct hd_perf_file {
	char *path;
	uint64_t bytes;			/* size of the file */
	int64_t written_s;		/* time of the last write, seconds since 1970 */
	int64_t created_ns, written_ns;	/* times of creation and of the last write, since 1970; created_ns 0: unknown */
	bool spooled;			/* read through a pipe: created_ns is the time of opening */
	bool pipe, dir;
	bool swap;			/* recorded in the other byte order */
	bool big;			/* recorded on a big-endian machine */
	bool compressed;
	bool truncated;			/* cut off, unfinished, or the walk ended at an invalid record */
	bool has_time;			/* an attr records TIME */
	/*
	 * side-band records have a time, too (sample_id_all); otherwise they are ordered by their
	 * position in the file
	 */
	bool side_time;
};

/*
 * Whether the EXIT record of the command that perf started was recorded.  NOT_EXPECTED: perf
 * started no command, or recorded no tasks.
 */
enum hd_command_exit { HD_EXIT_NOT_EXPECTED, HD_EXIT_RECORDED, HD_EXIT_MISSING };

/* The code of the warning about a missing end, and its advice. */
#define HD_LOST_TAIL		"lost.tail"
#define HD_LOST_TAIL_FIX(compressed) \
	((compressed) ? "record without compression (perf record without -z)" : "record again")

/* Counters of the first whole walk; later walks do not change them. */
struct hd_perf_stats {
	uint64_t records;		/* including those inside zstd records */
	uint64_t unknown_records;	/* of undocumented types */
	uint64_t lost_events;		/* sum over LOST records */
	/*
	 * sum over LOST_SAMPLES records; if the events have counters of losses, these repeat the
	 * losses of LOST records
	 */
	uint64_t lost_samples;
	uint64_t throttled, unthrottled;
	uint64_t finished_rounds;
	uint64_t zstd_bytes_in, zstd_bytes_out;
	uint64_t filtered_samples;	/* removed by a BPF filter of the user */
	uint64_t aux_bytes;		/* payloads of AUXTRACE records (hardware traces), which are skipped */
	const char *aux_kind;		/* the hardware, from AUXTRACE_INFO: "Intel PT", ...; NULL: not recorded */
	uint64_t switches, preempted;	/* context switches away from a task; how many of them were preemptions */
	/* BPF programs; those loaded before the recording count as loaded at its start */
	uint64_t bpf_loaded, bpf_unloaded;
	bool tail_lost;			/* the end of the recording is missing: the log has HD_LOST_TAIL */
	enum hd_command_exit command_exit;	/* MISSING is a loss, unless a signal or a limit ended the recording */
	uint64_t lost_bytes;		/* skipped as damaged, or unreachable by any walk */
};

/* Throttling and multiplexing of one attr's event. */
struct hd_perf_sampling {
	/* THROTTLE and UNTHROTTLE records: the kernel stops a counter that samples too often until the next tick */
	uint64_t throttled, unthrottled;
	uint64_t silent_ns; /* time from THROTTLE to UNTHROTTLE, summed over the silent_counters throttled counters */
	uint64_t silent_counters;
	uint64_t first_ns, last_ns;	/* times of the first and last of those records */
	/* time that the counters ran while they were enabled; 0: not recorded */
	uint64_t enabled_ns, running_ns;
};

struct hd_record_count {
	uint32_t type;
	uint64_t n;
};

enum hd_record_kind {
	HD_REC_SAMPLE,
	HD_REC_MMAP,		/* MMAP and MMAP2 */
	HD_REC_COMM,
	HD_REC_FORK,
	HD_REC_EXIT,
	HD_REC_KSYMBOL,
	HD_REC_NAMESPACES,
	HD_REC_CGROUP,
	HD_REC_LOST,		/* LOST: events that the kernel dropped */
	HD_REC_LOST_SAMPLES,
	HD_REC_THROTTLE,	/* THROTTLE and UNTHROTTLE */
	HD_REC_FINISHED_ROUND,
	HD_REC_CALLCHAIN_DEFERRED,
	HD_REC_OTHER,		/* any other type, known or not */
};

struct hd_record {
	enum hd_record_kind kind;
	uint32_t type;			/* PERF_RECORD_* */
	uint16_t misc;
	uint32_t size;			/* including the 8-byte header */
	uint64_t off;			/* offset in the file; of the enclosing record if inside a zstd record */
	bool inside;			/* the record is inside of a zstd record */
	uint32_t part;			/* index of the file in the directory format; else 0 */
	/* number of the record in the walk, from 0; orders records with equal times */
	uint64_t seq;
	const uint8_t *data;		/* the body: size - 8 bytes, as recorded */
};

struct hd_sample {
	uint32_t attr;			/* index into attrs */
	uint16_t misc;
	uint8_t cpumode;		/* misc & PERF_RECORD_MISC_CPUMODE_MASK */
	uint64_t ip;
	int32_t pid, tid;		/* -1 if not recorded */
	uint64_t time_ns;		/* 0 if not recorded */
	bool has_time;
	/* the second and third weight of WEIGHT_STRUCT: instruction latency (x86), pipeline stage cycles (powerpc) */
	uint16_t weight2, weight3;
	uint64_t id, stream_id, addr;
	uint32_t cpu;			/* UINT32_MAX if not recorded */
	/* the recorded period, else the fixed period of the attr, else 1, as in perf */
	uint64_t period;
	uint64_t weight, data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	/* The call chain with its context markers.  Unaligned and not swapped: read it with hd_sample_chain_ip(). */
	const uint8_t *chain;
	uint32_t nchain;
	bool chain_swap;
	const uint8_t *raw;
	uint32_t raw_bytes;
	const uint8_t *branches;	/* 24 bytes each: from, to, flags */
	uint32_t nbranches;
	uint64_t aux_bytes;		/* size of a hardware trace inside the sample */
	/* the branches are the calls that have not returned, innermost first (PERF_SAMPLE_BRANCH_CALL_STACK) */
	bool branches_are_calls;
	uint64_t regs_user_abi;		/* 0: none */
	const uint8_t *regs_user;	/* 8 bytes per bit of attr.regs_user */
	uint64_t regs_intr_abi;
	const uint8_t *regs_intr;
	const uint8_t *stack_user;
	uint64_t stack_user_bytes;	/* number of bytes that were copied (dyn_size) */
	const uint8_t *read;		/* PERF_SAMPLE_READ: nread counters of 8 * read_words bytes, value first */
	/* for the whole group: time enabled, time running (8 bytes each); NULL: not recorded */
	const uint8_t *read_times;
	uint32_t nread;
	uint8_t read_words;
	uint8_t read_id;		/* index of the id among the words of a counter; 0: not recorded */
	/* if parsing failed, the code for the warning: "lost.sample-cut" or "lost.sample-id"; else NULL */
	const char *drop;
};

/* One member of a sample that was read with PERF_FORMAT_GROUP. */
struct hd_read_value {
	uint64_t id, value;
	uint32_t attr;
};

static inline uint64_t hd_sample_word(const struct hd_sample *s, const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return s->chain_swap ? __builtin_bswap64(v) : v;
}

/*
 * The prediction of branch i.  The flags are a C bit field, which big-endian compilers fill from the top bit.  If
 * neither bit is set, the processor does not report it.
 */
enum { HD_BRANCH_MISPREDICTED = 1, HD_BRANCH_PREDICTED = 2 };

static inline unsigned hd_sample_branch_outcome(const struct hd_sample *s, uint32_t i, bool big)
{
	uint64_t flags = hd_sample_word(s, s->branches + 24 * (size_t)i + 16);

	return big ? (unsigned)(flags >> 63 | (flags >> 62 & 1) << 1) : (unsigned)(flags & 3);
}

static inline uint64_t hd_sample_chain_ip(const struct hd_sample *s, uint32_t i)
{
	return hd_sample_word(s, s->chain + 8 * (size_t)i);
}

/* Context markers in a chain (include/uapi/linux/perf_event.h, enum perf_callchain_context). */
#define HD_CONTEXT_HV		((uint64_t)-32)
#define HD_CONTEXT_KERNEL	((uint64_t)-128)
#define HD_CONTEXT_USER		((uint64_t)-512)
#define HD_CONTEXT_DEFERRED	((uint64_t)-640)
#define HD_CONTEXT_GUEST	((uint64_t)-2048)
#define HD_CONTEXT_GUEST_KERNEL	((uint64_t)-2176)
#define HD_CONTEXT_GUEST_USER	((uint64_t)-2560)
#define HD_CONTEXT_MAX		((uint64_t)-4095)	/* any ip >= this is a marker */

struct hd_mmap_event {
	struct hd_record_time when;	/* from the sample_id_all trailer */
	int32_t pid, tid;		/* pid -1: the kernel */
	uint64_t addr, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint32_t prot, flags;		/* 0 if not recorded (MMAP) */
	/* the mapping is not MISC_MMAP_DATA and, if prot is recorded, has PROT_EXEC */
	bool executable;
	uint8_t cpumode;
	struct hd_build_id build_id;	/* MMAP2 with MISC_MMAP_BUILD_ID */
	const char *name;		/* NUL-terminated view or copy, valid until the next record */
	size_t name_len;
};

struct hd_comm_event { struct hd_record_time when; int32_t pid, tid; bool exec; const char *comm; size_t comm_len; };
struct hd_fork_event { struct hd_record_time when; int32_t pid, ppid, tid, ptid; bool exit; };
struct hd_ksymbol_event {
	struct hd_record_time when;
	uint64_t addr;
	uint32_t len;
	uint16_t ksym_type, flags;	/* flags & 1: unregister */
	const char *name;
	size_t name_len;
};
/* TIME_CONV: how to convert the processor's time stamp counter to perf's clock. */
struct hd_time_conv {
	uint64_t shift, mult, zero;
	uint64_t cycles, mask;		/* valid for counters that are `narrow` */
	bool narrow;
};
struct hd_namespaces_event {
	struct hd_record_time when;
	int32_t pid, tid;
	uint64_t mnt_ino, pid_ino, user_ino;	/* 0: not recorded */
};

/*
 * The user part of the call chains that end in HD_CONTEXT_DEFERRED and this cookie.  If an attr has defer_callchain
 * (Linux 6.19), the kernel unwinds the user stack when the thread is about to return to user space.  It writes one such
 * record for all samples since the thread entered the kernel, to each buffer that needs it, so the same record may
 * occur more than once.
 */
struct hd_deferred_event {
	struct hd_record_time when;
	int32_t pid, tid;		/* -1 if not recorded */
	uint64_t cookie;
	const uint8_t *ips;		/* words as in a chain: unaligned, not swapped */
	uint32_t n;
};

/* A context switch away from a thread (out) or to it (SWITCH, SWITCH_CPU_WIDE). */
struct hd_switch_event {
	struct hd_record_time when;
	int32_t pid, tid;		/* -1 if not recorded, or if the thread has ended */
	bool out;
	bool preempted;			/* out, and the thread was runnable */
};

struct hd_cgroup_event { struct hd_record_time when; uint64_t id; const char *path; size_t path_len; };

struct hd_perf;

/*
 * Open a recording.  `log` is borrowed and must outlive pf.  Path "-" is stdin.  A directory is one of `perf record
 * --threads`: DIR/data first, then DIR/data.0, data.1, ...
 */
int hd_perf_open(struct hd_perf **out, const char *path, struct hd_log *log, struct hd_err *err);
/* Open a recording by descriptor.  pf takes ownership of fd, also on failure; path is for messages. */
int hd_perf_open_fd(struct hd_perf **out, int fd, const char *path, struct hd_log *log, struct hd_err *err);
/*
 * Open the files of a recording in the directory format by descriptor: DIR/data first.  names are the last components
 * of their paths.  pf takes ownership of the descriptors, also on failure.
 */
int hd_perf_open_files(struct hd_perf **out, const char *dir, const int *fds, const char *const *names, size_t n,
		       struct hd_log *log, struct hd_err *err);
void hd_perf_close(struct hd_perf *pf);		/* accepts NULL */
/*
 * Get file i of the recording: a borrowed descriptor, the path for messages, the size.  Returns false after the last
 * file.
 */
bool hd_perf_nth_file(const struct hd_perf *pf, size_t i, int *fd, const char **path, uint64_t *bytes);

const struct hd_perf_file *hd_perf_file(const struct hd_perf *pf);
const struct hd_perf_header *hd_perf_header(const struct hd_perf *pf);
const struct hd_perf_attr *hd_perf_attrs(const struct hd_perf *pf, size_t *n);
/* Return true if the branches of this attr's samples are the calls that have not returned. */
bool hd_perf_attr_has_call_stack(const struct hd_perf_attr *a);
const struct hd_perf_build_id *hd_perf_build_ids(const struct hd_perf *pf, size_t *n);
const struct hd_perf_stats *hd_perf_stats(const struct hd_perf *pf);
/*
 * Fill one element per attr, for the part of the file that was walked.  A counter that was still throttled at the end
 * counts as silent until end_ns.
 */
void hd_perf_sampling(const struct hd_perf *pf, struct hd_perf_sampling *of, uint64_t end_ns);
/* Return the number of records of each type, ascending by type, without zeros.  Valid until the next call. */
const struct hd_record_count *hd_perf_record_counts(struct hd_perf *pf, size_t *n);
/* Return the index of the attr with this id (id 0: the first attr), or UINT32_MAX. */
uint32_t hd_perf_attr_of(const struct hd_perf *pf, uint64_t id);

/*
 * Walk the records.  The first walk logs damage; later walks are silent and return the same records.
 *
 * In pipe mode, attrs, names, features and build-ids arrive as records.  They are handled here and also returned as
 * HD_REC_OTHER.  They are complete after the first whole walk; until then the arrays above may move with every call of
 * hd_perf_next().
 */
int hd_perf_rewind(struct hd_perf *pf, struct hd_err *err);
/* Start a walk that does not need samples: SAMPLE records may have no body (data NULL), and large ones are not read. */
int hd_perf_rewind_bodiless(struct hd_perf *pf, struct hd_err *err);
int hd_perf_next(struct hd_perf *pf, struct hd_record *rec, struct hd_err *err);

/*
 * Declare that attrs, names and build-ids are complete although no walk has reached the end, because the file has them
 * in sections.  From now on, records that add to them are returned but not handled, and the arrays above do not move.
 */
bool hd_perf_is_metadata_record(const struct hd_record *rec);	/* Return true if the record adds to them. */
void hd_perf_freeze_metadata(struct hd_perf *pf);
/* Open the same recording again, with an independent walk. */
int hd_perf_reopen(struct hd_perf **out, const struct hd_perf *pf, struct hd_log *log, struct hd_err *err);

/* Log to `log` from now on; return the previous log. */
struct hd_log *hd_perf_set_log(struct hd_perf *pf, struct hd_log *log);

/*
 * Hold the memory of the last record: views into it stay valid until hd_perf_drop(), which must be called before pf is
 * closed.  Both may be called by the walking thread only.
 */
struct hd_window;
struct hd_window *hd_perf_hold(struct hd_perf *pf);
void hd_perf_drop(struct hd_window *w);			/* accepts NULL */
/* Return that memory without holding it, to find out whether two records share it. */
const struct hd_window *hd_perf_window(const struct hd_perf *pf);

/*
 * Map large samples instead of reading them.  This is faster if other threads unwind the samples, because they then
 * share the cost of fetching the data; with one thread it is slower.
 */
void hd_perf_map_large_samples(struct hd_perf *pf, bool on);

/* Return the name of a type without PERF_RECORD_: "SAMPLE", "MMAP2", ...; NULL if unknown. */
const char *hd_record_type_name(uint32_t type);

/*
 * Parse the body of a record.  Returns HD_EFORMAT if the body is shorter than its attr and its counts require; the
 * message names file, record, offset and the missing field.  Nothing is logged, because a record may be parsed on any
 * walk.  The caller that counts samples as kept or dropped warns once per sample with the code in `s->drop`:
 *
 *     lost.sample-cut	the body is shorter than its counts require
 *     lost.sample-id	no attr has the sample's id (perf skips such samples, too)
 *     lost.sample-attr	there is no attr
 *
 * hd_perf_parse_sample() does not modify pf: several threads may parse at once.  A READ value without GROUP is treated
 * as a group of one.
 */
int hd_perf_parse_sample(struct hd_perf *pf, const struct hd_record *rec, struct hd_sample *s, struct hd_err *err);
/*
 * PERF_SAMPLE_READ: return the members of the group of a parsed sample; `value` is the increase since the last read of
 * the counter.  Returns 0 if the sample has no group.  Otherwise perf shows one sample for each member with an
 * increase, with the increase as its period, instead of the sample itself.  Members with an unknown id are skipped.
 *
 * Call it once for each such sample of a walk, in order, because it updates the last values.  The array is valid until
 * the next record.
 */
size_t hd_perf_group_values(struct hd_perf *pf, const struct hd_record *rec, const struct hd_sample *s,
			    const struct hd_read_value **values);
int hd_perf_parse_mmap(struct hd_perf *pf, const struct hd_record *rec, struct hd_mmap_event *e, struct hd_err *err);
int hd_perf_parse_comm(struct hd_perf *pf, const struct hd_record *rec, struct hd_comm_event *e, struct hd_err *err);
int hd_perf_parse_fork(struct hd_perf *pf, const struct hd_record *rec, struct hd_fork_event *e, struct hd_err *err);
int hd_perf_parse_ksymbol(struct hd_perf *pf, const struct hd_record *rec, struct hd_ksymbol_event *e,
	struct hd_err *err);
int hd_perf_parse_namespaces(struct hd_perf *pf, const struct hd_record *rec, struct hd_namespaces_event *e,
	struct hd_err *err);
int hd_perf_parse_deferred(struct hd_perf *pf, const struct hd_record *rec, struct hd_deferred_event *e,
	struct hd_err *err);
/* Return true for SWITCH and SWITCH_CPU_WIDE records. */
bool hd_perf_is_switch(const struct hd_record *rec);
void hd_perf_parse_switch(struct hd_perf *pf, const struct hd_record *rec, struct hd_switch_event *e);
int hd_perf_parse_cgroup(struct hd_perf *pf, const struct hd_record *rec, struct hd_cgroup_event *e,
	struct hd_err *err);
int hd_perf_parse_time_conv(struct hd_perf *pf, const struct hd_record *rec, struct hd_time_conv *conv,
	struct hd_err *err);
uint64_t hd_time_of_counter(const struct hd_time_conv *conv, uint64_t counter);
/* Return true for TIME_CONV records. */
bool hd_perf_is_time_conv(const struct hd_record *rec);
/*
 * The loss that a LOST or LOST_SAMPLES record reports.  The kernel writes LOST when a buffer was full, for all events
 * of that buffer, with the id of the event that wrote next.  It writes LOST_SAMPLES when the hardware dropped samples.
 * perf writes LOST_SAMPLES at its end, too: the counter of each event that was opened with PERF_FORMAT_LOST.  That
 * counter includes what the LOST records reported.
 */
struct hd_lost {
	uint64_t count;			/* 0 if a filter of the user removed them */
	uint32_t attr;			/* UINT32_MAX: not recorded */
	bool counter;			/* perf read it from the counter of the event */
};
int hd_perf_parse_lost(struct hd_perf *pf, const struct hd_record *rec, struct hd_lost *lost, struct hd_err *err);

/* Losses reported so far, by full buffers and by counters.  Zero-initialise. */
struct hd_lost_total { uint64_t reported, counters; };
/* Return how many of `lost` no earlier record reported, and add it to `seen`. */
uint64_t hd_lost_unreported(struct hd_lost_total *seen, const struct hd_lost *lost);

#endif
