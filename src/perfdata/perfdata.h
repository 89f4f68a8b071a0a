/*
 * perfdata.h - a perf.data file: header, attrs, features, records
 *
 *     hd_perf_open(&pf, path, err)           header, attrs, features; file or pipe mode
 *     hd_perf_rewind(pf, err)                to the first record
 *     while ((rc = hd_perf_next(pf, &rec, err)) > 0)
 *             ...                            1 item, 0 end, < 0 error
 *
 * Records come in file order as views into a bounded window: `rec.data` and
 * everything parsed from it is valid until the next call.  The file can be
 * walked any number of times; stdin and FIFOs are spooled to an unlinked
 * temporary file first.  zstd records are decompressed on the way: the caller
 * sees only what is inside them.  Every number in a view is in native byte
 * order once one of the hd_parse_* functions has given it out.
 *
 * What is damaged and passed over is logged on the first walk: lost.unfinished,
 * lost.data-cut, lost.cut-record, lost.record-size, lost.stray-bytes,
 * lost.record-body, lost.unknown-record, lost.decompress, lost.feature, lost.aux,
 * lost.attr, lost.attr-ids, lost.tail, lost.events, lost.samples (the last two: dropped
 * while recording).  odd.data-source: kept, but no kernel writes such a word.
 *
 * Owns:  the descriptor, the window, attrs, feature texts.
 * Holds: every read is bounded; no size is believed before it is checked;
 *        what had to be skipped is in the log given at open, with its offset.
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
	uint32_t stack_user;		/* bytes asked for */
	bool sample_id_all;
	bool exclude_user, exclude_kernel, exclude_hv, exclude_guest, exclude_host;
	bool enable_on_exec;		/* counting began with the exec of a command that the recorder started */
	bool task;			/* FORK and EXIT are recorded */
	bool deferred;			/* the user's part of a call chain may come in a record of its own */
	uint8_t precise;
	bool use_clockid; /* times are of the clock `clockid` (clock_gettime's number), else of perf's own */
	int32_t clockid;
	uint64_t *ids;
	size_t nids;
	char *name;			/* EVENT_DESC, EVENT_UPDATE, EVENT_TYPE, or made from the attr; never NULL */
	bool name_made;			/* made from the attr */
	const char *unit;		/* what a period counts: "cycles", "ns", ..., "events" */
};

/* Header features as text; NULL when absent.  Strings are raw bytes up to the first NUL. */
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
	int64_t written_s;		/* when it was last written, in seconds since 1970 */
	int64_t created_ns, written_ns;	/* when it was created and last written, since 1970; created_ns 0: not known */
	bool spooled;			/* it came through a pipe: created_ns is when it was opened */
	bool pipe, dir;
	bool swap;			/* recorded in the other byte order */
	bool big;			/* recorded on a big-endian machine */
	bool compressed;
	bool truncated;			/* cut off, unfinished, or a bad record ended the walk */
	bool has_time;			/* some attr records TIME */
	bool side_time; /* side-band records have it too (sample_id_all); else file order is all there is */
};

/* The EXIT of the command that perf started; NOT_EXPECTED: perf started none, or recorded no tasks. */
enum hd_command_exit { HD_EXIT_NOT_EXPECTED, HD_EXIT_RECORDED, HD_EXIT_MISSING };

/* The warning of a missing end, and how to avoid it. */
#define HD_LOST_TAIL		"lost.tail"
#define HD_LOST_TAIL_FIX(compressed) ((compressed) ? "record without compression (perf record without -z)" : "record again")

/* What the walk met; complete after the first whole one, and not added to by later ones. */
struct hd_perf_stats {
	uint64_t records;		/* those inside zstd records too */
	uint64_t unknown_records;	/* of a type that nobody documents */
	uint64_t lost_events;		/* the sum over LOST records */
	uint64_t lost_samples; /* ... LOST_SAMPLES records; counters of events report losses of LOST records again */
	uint64_t throttled, unthrottled;
	uint64_t finished_rounds;
	uint64_t zstd_bytes_in, zstd_bytes_out;
	uint64_t filtered_samples;	/* that a BPF filter of the user's took out */
	uint64_t aux_bytes;		/* payloads of AUXTRACE records: a trace of the hardware, skipped */
	const char *aux_kind;		/* what hardware's, by AUXTRACE_INFO: "Intel PT", ...; NULL: not told */
	uint64_t switches, preempted;	/* context switches away from a task; those that it did not ask for */
	uint64_t bpf_loaded, bpf_unloaded;	/* BPF programs; those loaded before are told as loaded at the start */
	bool tail_lost;			/* the end of the recording is not in it: the log has HD_LOST_TAIL */
	enum hd_command_exit command_exit;	/* MISSING is a loss unless a signal or a limit ended the recording */
	uint64_t lost_bytes;		/* that no walk can reach, or that were skipped as damaged */
};

/* How evenly an attr's event was sampled. */
struct hd_perf_sampling {
	uint64_t throttled,
		unthrottled; /* records: the kernel stopped a counter that sampled too often, until the next tick */
	uint64_t silent_ns; /* between them, summed over the counters that were throttled, of which there are */
	uint64_t silent_counters;
	uint64_t first_ns, last_ns;	/* of those records */
	uint64_t enabled_ns,
		running_ns; /* on the counter for the second of the first; 0: the recording does not tell */
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
	HD_REC_LOST,		/* LOST: events the kernel dropped */
	HD_REC_LOST_SAMPLES,
	HD_REC_THROTTLE,	/* THROTTLE and UNTHROTTLE */
	HD_REC_FINISHED_ROUND,
	HD_REC_CALLCHAIN_DEFERRED,
	HD_REC_OTHER,		/* known or not: skipped by size and counted by type */
};

struct hd_record {
	enum hd_record_kind kind;
	uint32_t type;			/* PERF_RECORD_* */
	uint16_t misc;
	uint32_t size;			/* with the 8-byte header */
	uint64_t off;			/* offset in the file; inside a zstd record: of that record */
	bool inside;			/* it was inside a zstd record */
	uint32_t part;			/* which file of a folder; else 0 */
	uint64_t seq;			/* 0, 1, 2, ...: the place in the walk; breaks ties of time */
	const uint8_t *data;		/* behind the 8-byte header, size - 8 bytes, as recorded */
};

struct hd_sample {
	uint32_t attr;			/* index into attrs */
	uint16_t misc;
	uint8_t cpumode;		/* misc & PERF_RECORD_MISC_CPUMODE_MASK */
	uint64_t ip;
	int32_t pid, tid;		/* -1 when not recorded */
	uint64_t time_ns;		/* 0 when not recorded */
	bool has_time;
	uint16_t weight2,
		weight3; /* of WEIGHT_STRUCT: on x86 the latency of the instruction, on powerpc cycles of stages, too */
	uint64_t id, stream_id, addr;
	uint32_t cpu;			/* UINT32_MAX when not recorded */
	uint64_t period;		/* as perf counts it: recorded, else the attr's fixed period, else 1 */
	uint64_t weight, data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	/* Call chain with its context markers.  Unaligned, not swapped: read through hd_sample_chain_ip. */
	const uint8_t *chain;
	uint32_t nchain;
	bool chain_swap;
	const uint8_t *raw;
	uint32_t raw_bytes;
	const uint8_t *branches;	/* 24 bytes each: from, to, flags */
	uint32_t nbranches;
	uint64_t aux_bytes;		/* of a hardware's trace that lies in the sample */
	bool branches_are_calls; /* those that have not returned, innermost first (PERF_SAMPLE_BRANCH_CALL_STACK) */
	uint64_t regs_user_abi;		/* 0: none */
	const uint8_t *regs_user;	/* 8 bytes per bit of attr.regs_user */
	uint64_t regs_intr_abi;
	const uint8_t *regs_intr;
	const uint8_t *stack_user;
	uint64_t stack_user_bytes;	/* that were really copied (dyn_size) */
	const uint8_t *read;		/* PERF_SAMPLE_READ: nread counters of 8 * read_words bytes, value first */
	const uint8_t *read_times;	/* of them all: enabled and running, 8 bytes each; NULL: not recorded */
	uint32_t nread;
	uint8_t read_words;
	uint8_t read_id;		/* word of the id in a counter; 0: not recorded */
	const char *drop; /* parsing failed: a stable code, "lost.sample-cut" or "lost.sample-id"; else NULL */
};

/* A sample read with PERF_FORMAT_GROUP stands for one sample per member of the group. */
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
 * How branch i was predicted: bits of a C bit field, which a big-endian
 * compiler fills from the top.  Neither bit: the processor does not tell.
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
	uint32_t prot, flags;		/* 0 when not recorded (MMAP) */
	bool executable;		/* not MISC_MMAP_DATA, and PROT_EXEC when prot is recorded */
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
/* How the processor's counter becomes a time of perf's own clock: TIME_CONV. */
struct hd_time_conv {
	uint64_t shift, mult, zero;
	uint64_t cycles, mask;		/* of counters that are `narrow` */
	bool narrow;
};
struct hd_namespaces_event {
	struct hd_record_time when;
	int32_t pid, tid;
	uint64_t mnt_ino, pid_ino, user_ino;	/* 0: not told */
};

/*
 * The user's part of call chains that end in HD_CONTEXT_DEFERRED and this
 * cookie.  With an attr that asks for it (defer_callchain, Linux 6.19) the
 * kernel unwinds when the thread is about to return to user space, and writes
 * one such record for all samples that it took since the thread entered the
 * kernel; to each buffer that wants it, so that it may come more than once.
 */
struct hd_deferred_event {
	struct hd_record_time when;
	int32_t pid, tid;		/* -1 when not recorded */
	uint64_t cookie;
	const uint8_t *ips;		/* as in a chain: unaligned, not swapped */
	uint32_t n;
};

/* A context switch, away from the thread or to it (SWITCH and SWITCH_CPU_WIDE). */
struct hd_switch_event {
	struct hd_record_time when;
	int32_t pid, tid;		/* -1 when not recorded, and of a thread that has ended */
	bool out;
	bool preempted;			/* out, and it could have run on */
};

struct hd_cgroup_event { struct hd_record_time when; uint64_t id; const char *path; size_t path_len; };

struct hd_perf;

/*
 * The log is borrowed and must outlive pf.  path "-" is stdin; a directory is
 * what `perf record --threads` writes: DIR/data first, then DIR/data.0, data.1, ...
 */
int hd_perf_open(struct hd_perf **out, const char *path, struct hd_log *log, struct hd_err *err);
/* The same over a descriptor, which pf owns from here on, also on failure; path is for messages. */
int hd_perf_open_fd(struct hd_perf **out, int fd, const char *path, struct hd_log *log, struct hd_err *err);
/*
 * The files of a folder that lies elsewhere: DIR/data, then the others.  names are the last parts of
 * their paths.  The descriptors become pf's, also on failure.
 */
int hd_perf_open_files(struct hd_perf **out, const char *dir, const int *fds, const char *const *names, size_t n,
		       struct hd_log *log, struct hd_err *err);
void hd_perf_close(struct hd_perf *pf);		/* NULL is fine */
/* Its files: a descriptor (borrowed), the path for messages, the size; false behind the last one. */
bool hd_perf_nth_file(const struct hd_perf *pf, size_t i, int *fd, const char **path, uint64_t *bytes);

const struct hd_perf_file *hd_perf_file(const struct hd_perf *pf);
const struct hd_perf_header *hd_perf_header(const struct hd_perf *pf);
const struct hd_perf_attr *hd_perf_attrs(const struct hd_perf *pf, size_t *n);
/* Are its samples' branches the calls that have not returned? */
bool hd_perf_attr_has_call_stack(const struct hd_perf_attr *a);
const struct hd_perf_build_id *hd_perf_build_ids(const struct hd_perf *pf, size_t *n);
const struct hd_perf_stats *hd_perf_stats(const struct hd_perf *pf);
/* Of every attr (of has room for them), as far as the file was walked; what was throttled last and for good was until end_ns. */
void hd_perf_sampling(const struct hd_perf *pf, struct hd_perf_sampling *of, uint64_t end_ns);
/* How many records of each type the walk met, ascending by type, none with n = 0.  Valid until the next call. */
const struct hd_record_count *hd_perf_record_counts(struct hd_perf *pf, size_t *n);
/* The attr that an id belongs to (id 0: the first); UINT32_MAX when no attr has it. */
uint32_t hd_perf_attr_of(const struct hd_perf *pf, uint64_t id);

/*
 * Walking.  The first walk logs what it meets (cut records, stray bytes); later
 * walks are silent and give the same records.  In pipe mode attrs, names,
 * features and build-ids arrive as records: they are complete only after the
 * first whole walk, and pipeline/ always makes one (the side-band pass); until
 * then the arrays above may move with every record.
 * Such records are handled inside and also given out as HD_REC_OTHER.
 */
int hd_perf_rewind(struct hd_perf *pf, struct hd_err *err);
/*
 * The same for a walk that only wants the other records: SAMPLE records may
 * come without a body (data NULL), and large ones are then not even read.
 */
int hd_perf_rewind_bodiless(struct hd_perf *pf, struct hd_err *err);
int hd_perf_next(struct hd_perf *pf, struct hd_record *rec, struct hd_err *err);

/*
 * A walk that was left before its end can still be trusted with attrs, names and build-ids when the
 * file has them in sections and they are taken to be all there is: from here on, records that tell
 * more of them are given out and not handled, and the arrays above stay where they are.
 */
bool hd_perf_is_metadata_record(const struct hd_record *rec);	/* is it such a record? */
void hd_perf_freeze_metadata(struct hd_perf *pf);
/* The same recording once more, with walks of its own. */
int hd_perf_reopen(struct hd_perf **out, const struct hd_perf *pf, struct hd_log *log, struct hd_err *err);

/* From now on faults are logged there; returns where they were until now. */
struct hd_log *hd_perf_set_log(struct hd_perf *pf, struct hd_log *log);

/*
 * The memory that the last record lies in, held: views into its records stay
 * valid until it is dropped, which must be before pf is closed.  Both are for
 * the walking thread alone.
 */
struct hd_window;
struct hd_window *hd_perf_hold(struct hd_perf *pf);
void hd_perf_drop(struct hd_window *w);			/* NULL is fine */
/* The same memory, not held: to tell whether two records lie in one. */
const struct hd_window *hd_perf_window(const struct hd_perf *pf);

/*
 * Large samples are looked at where they lie in the file, not read: for walks whose samples are
 * unwound by other threads, which then bear a part of what fetching them costs.  One thread is faster without.
 */
void hd_perf_map_large_samples(struct hd_perf *pf, bool on);

/* "SAMPLE", "MMAP2", ... as perf names the type without PERF_RECORD_; NULL when unknown. */
const char *hd_record_type_name(uint32_t type);

/*
 * Parsing one record's body.  HD_EFORMAT when the body is too short for what
 * its attr says; the caller counts that and goes on.  The sentence names file,
 * record, offset and what is missing.  Nothing is logged here, since a record
 * may be parsed on any walk: whoever counts samples as kept or dropped warns,
 * once a sample, with the code in `s->drop`:
 *
 *     lost.sample-cut	the body is shorter than its counts say
 *     lost.sample-id	no attr has the sample's id (perf skips these, too)
 *     lost.sample-attr	there is no attr at all
 *
 * hd_perf_parse_sample only reads pf: several threads may parse at once.
 * A READ value without GROUP is a group of one.
 */
int hd_perf_parse_sample(struct hd_perf *pf, const struct hd_record *rec, struct hd_sample *s, struct hd_err *err);
/*
 * PERF_SAMPLE_READ: the group's members of a sample just parsed, with the
 * value's increase since the counter was read before as `value`.  0 when the
 * sample stands for itself.  Otherwise perf shows one sample for each member
 * whose increase is not 0, with the increase as its period, in place of the
 * sample itself.  Members of unknown id are left out.  Keeps state: call it
 * once for each such sample of a walk, in order.  Views are valid until the
 * next record.
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
/* Is it a SWITCH or SWITCH_CPU_WIDE record? */
bool hd_perf_is_switch(const struct hd_record *rec);
void hd_perf_parse_switch(struct hd_perf *pf, const struct hd_record *rec, struct hd_switch_event *e);
int hd_perf_parse_cgroup(struct hd_perf *pf, const struct hd_record *rec, struct hd_cgroup_event *e,
	struct hd_err *err);
int hd_perf_parse_time_conv(struct hd_perf *pf, const struct hd_record *rec, struct hd_time_conv *conv,
	struct hd_err *err);
uint64_t hd_time_of_counter(const struct hd_time_conv *conv, uint64_t counter);
/* Is it a TIME_CONV record? */
bool hd_perf_is_time_conv(const struct hd_record *rec);
/*
 * What a LOST or LOST_SAMPLES record reports.  The kernel writes LOST when a buffer was full, for all events of that
 * buffer, with the id of the event that wrote next.  It writes LOST_SAMPLES when the hardware dropped samples.  perf
 * writes LOST_SAMPLES at its end, too: the counter of each event that was opened with PERF_FORMAT_LOST.  That counter
 * includes what the LOST records reported.
 */
struct hd_lost {
	uint64_t count;			/* 0 if a filter of the user removed them */
	uint32_t attr;			/* UINT32_MAX: the record does not say */
	bool counter;			/* perf read it from the counter of the event */
};
int hd_perf_parse_lost(struct hd_perf *pf, const struct hd_record *rec, struct hd_lost *lost, struct hd_err *err);

/* Losses that were reported up to now, by full buffers and by counters; starts as zeros. */
struct hd_lost_total { uint64_t reported, counters; };
/* Return how many of `lost` no earlier record reported, and add it to `seen`. */
uint64_t hd_lost_unreported(struct hd_lost_total *seen, const struct hd_lost *lost);

#endif
