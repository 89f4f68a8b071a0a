/*
 * perfdata.h - read a perf.data file: header, attrs, features, records
 *
 *     hd_perf_open(&pf, path, log, err)      header, attrs, features; file or pipe mode
 *     hd_perf_rewind(pf, err)                go to the first record
 *     while ((rc = hd_perf_next(pf, &rec, err)) > 0)
 *             ...                            1 a record, 0 end, < 0 error
 *
 * Records are returned in file order as views into a bounded window: `rec.data` and everything parsed from it are valid
 * until the next call.  A file can be walked any number of times; stdin and FIFOs are first copied to an unlinked
 * temporary file.  zstd records are decompressed: the caller sees only the records inside them.  The hd_perf_parse_*
 * functions convert single numbers to native byte order.  Arrays (call chains, branches, registers, counter values) are
 * views of the recorded bytes, whose words hd_sample_word() converts.
 *
 * hd_perf_open() and the first walk log damage that they skip, with its offset where one is known: lost.unfinished,
 * lost.data-cut, lost.cut-record, lost.record-size, lost.stray-bytes, lost.record-body, lost.unknown-record,
 * lost.decompress, lost.feature, lost.aux, lost.attr, lost.attr-ids, lost.tail; and losses while recording:
 * lost.events, lost.samples.  odd.data-source: the sample is kept, but no kernel writes such a data source.  Any walk
 * logs lost.torn, or lost.cut-record, if the file is truncated while it is read.
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
	uint32_t stack_user;		/* size of the stack copy that was requested, in bytes */
	bool sample_id_all;
	bool exclude_user, exclude_kernel, exclude_hv, exclude_guest, exclude_host;
	bool enable_on_exec;		/* counting starts when the command of perf record calls exec */
	bool task;			/* FORK and EXIT are recorded */
	bool switches;			/* SWITCH records are recorded */
	bool build_id;			/* the kernel was asked to write build-ids into MMAP2 records */
	bool deferred; /* the user part of a call chain can be in a separate record (struct hd_deferred_event) */
	uint8_t precise;
	/* true: times are from the clock with the clock_gettime() number `clockid`; false: from perf's default clock */
	bool use_clockid;
	int32_t clockid;
	uint64_t *ids;
	size_t nids;
	/* name of the event, never NULL; if name_made is false, the recording has it (EVENT_DESC, EVENT_UPDATE, ...) */
	char *name;
	bool name_made;			/* `name` is derived from the attr */
	const char *unit;		/* the unit of a period: "cycles", "ns", ..., "events" */
};

/* Header features.  An absent text is NULL, an absent number 0.  Texts are raw bytes up to the first NUL. */
struct hd_perf_header {
	char *hostname, *os_release, *version, *arch, *cpudesc, *cpuid;
	char **cmdline;
	size_t ncmdline;
	uint32_t nrcpus_online, nrcpus_avail;
	uint64_t total_mem_kib;
	char *clock_data;
	uint64_t wall_ns;		/* UNIX time at which the recording's clock showed clock_ns; 0: not recorded */
	uint64_t clock_ns;		/* the recording's clock at the moment wall_ns; 0: not recorded */
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
	uint64_t bytes;			/* size of the file, or of all files in the directory format */
	int64_t written_s;		/* time of the last write, seconds since 1970 */
	int64_t created_ns;		/* time of creation, ns since 1970; 0: unknown */
	int64_t written_ns;		/* time of the last write, ns since 1970 */
	bool spooled;			/* not a regular file (stdin, a FIFO): created_ns is the time of opening */
	bool pipe, dir;			/* pipe mode: no sections; directory format */
	bool swap;			/* recorded in the other byte order */
	bool big;			/* recorded on a big-endian machine */
	bool compressed;
	/* the file was cut off or not finished, or a walk could not read all of it (invalid records, damaged chunks) */
	bool truncated;
	bool has_time;			/* an attr records TIME */
	/*
	 * side-band records (MMAP, COMM, FORK, ...) have a time (sample_id_all); if false, they are ordered by their
	 * position in the file
	 */
	bool side_time;
};

/*
 * Whether the EXIT record of the command that perf started was recorded.  NOT_EXPECTED: perf
 * started no command, or recorded no tasks.
 */
enum hd_command_exit { HD_EXIT_NOT_EXPECTED, HD_EXIT_RECORDED, HD_EXIT_MISSING };

/* The warning that the end of the recording is missing: its code, and its advice. */
#define HD_LOST_TAIL		"lost.tail"
#define HD_LOST_TAIL_FIX(compressed) \
	((compressed) ? "record without compression (perf record without -z)" : "record again")

/* Statistics of the first walk over the whole recording.  Later walks do not change these numbers. */
struct hd_perf_stats {
	uint64_t records;		/* including those inside zstd records */
	uint64_t unknown_records;	/* number of records of undocumented types */
	uint64_t lost_events;		/* number of lost events, summed over LOST records */
	/*
	 * number of lost samples, summed over LOST_SAMPLES records; with PERF_FORMAT_LOST, it includes the events that
	 * LOST records have reported
	 */
	uint64_t lost_samples;
	uint64_t throttled, unthrottled;
	uint64_t finished_rounds;
	uint64_t zstd_bytes_in, zstd_bytes_out;
	uint64_t filtered_samples;	/* removed by a BPF filter of the user */
	uint64_t aux_bytes;		/* size of all hardware traces (AUXTRACE records), which are skipped */
	const char *aux_kind;		/* kind of hardware trace, from AUXTRACE_INFO: "Intel PT", ...; NULL: unknown */
	uint64_t switches;		/* number of context switches away from a task */
	uint64_t preempted;		/* how many of `switches` were preemptions */
	uint64_t bpf_loaded;		/* number of BPF programs that were loaded, also before the recording */
	uint64_t bpf_unloaded;		/* number of BPF programs that were unloaded */
	bool tail_lost;			/* the end of the recording is missing: the log has HD_LOST_TAIL */
	/* HD_EXIT_MISSING means that records were lost, unless a signal or --max-size ended the recording */
	enum hd_command_exit command_exit;
	uint64_t lost_bytes;		/* bytes that were skipped as damaged, or that no walk can reach */
};

/* Throttling and multiplexing of one attr's event. */
struct hd_perf_sampling {
	uint64_t throttled;		/* number of THROTTLE records: the kernel stopped a counter */
	uint64_t unthrottled;		/* number of UNTHROTTLE records: the kernel started a counter again */
	/* time from THROTTLE to UNTHROTTLE, or to the end of the recording, summed over all throttled counters */
	uint64_t silent_ns;
	uint64_t silent_counters;	/* number of counters that have THROTTLE or UNTHROTTLE records */
	uint64_t first_ns, last_ns;	/* times of the first and last THROTTLE or UNTHROTTLE record */
	/*
	 * Time for which the event was enabled, and time in which it was counted, summed over the counted threads.  A
	 * thread has one counter for each CPU: its enabled time is that of the longest enabled counter, and its running
	 * time is the sum over its counters.  0: not recorded.
	 */
	uint64_t enabled_ns;
	uint64_t running_ns;
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
	/*
	 * offset of the record in the file; for a record inside a compressed record, the offset of the compressed
	 * record
	 */
	uint64_t off;
	bool inside;			/* the record is inside of a zstd record */
	uint32_t part;			/* index of the file in the directory format; else 0 */
	/* number of the record in the walk, from 0; orders records with equal times */
	uint64_t seq;
	/* the body: size - 8 bytes, as recorded; may be NULL after hd_perf_rewind_bodiless() */
	const uint8_t *data;
};

struct hd_sample {
	uint32_t attr;			/* index into attrs */
	uint16_t misc;
	uint8_t cpumode;		/* misc & PERF_RECORD_MISC_CPUMODE_MASK */
	uint64_t ip;
	int32_t pid, tid;		/* -1 if not recorded */
	uint64_t time_ns;		/* 0 if not recorded */
	bool has_time;
	uint16_t weight2;		/* second weight of WEIGHT_STRUCT: instruction latency (x86) */
	uint16_t weight3;		/* third weight of WEIGHT_STRUCT: pipeline stage cycles (powerpc) */
	uint64_t id, stream_id, addr;
	uint32_t cpu;			/* UINT32_MAX if not recorded */
	/* the recorded period, else attr.period_or_freq (even if it is a frequency), else 1, as in perf */
	uint64_t period;
	uint64_t weight, data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	/*
	 * The call chain with its context markers.  The words may be unaligned and in the other byte order: read them
	 * with hd_sample_chain_ip().
	 */
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
	const uint8_t *read;		/* PERF_SAMPLE_READ: nread counters, each read_words u64, the value first */
	/* PERF_SAMPLE_READ: two u64, the times for which the group was enabled and ran; NULL: not recorded */
	const uint8_t *read_times;
	uint32_t nread;
	uint8_t read_words;
	uint8_t read_id;		/* index of the id among the words of a counter; 0: not recorded */
	/* if hd_perf_parse_sample() failed, the code for the warning, for example "lost.sample-cut"; else NULL */
	const char *drop;
};

/* One counter of a group (PERF_FORMAT_GROUP) at a sample.  `value` is its increase since the previous read. */
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
 * The outcome of branch i: whether the processor predicted it correctly.  The kernel stores the flags as a C bit field,
 * which big-endian compilers fill from the top bit.  If neither bit is set, the processor does not report predictions.
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
	/* the mapping contains code: it lacks MISC_MMAP_DATA and, if its protection was recorded, has PROT_EXEC */
	bool executable;
	uint8_t cpumode;
	struct hd_build_id build_id;	/* of MMAP2; len 0: the record has device and inode instead */
	/* path or kernel name; NUL-terminated; valid until the next record is read or parsed */
	const char *name;
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
/* TIME_CONV: how hd_time_of_counter() converts the processor's time stamp counter to perf's clock (ns). */
struct hd_time_conv {
	uint64_t shift, mult, zero;
	uint64_t cycles, mask;		/* valid if `narrow` */
	bool narrow;
};
struct hd_namespaces_event {
	struct hd_record_time when;
	int32_t pid, tid;
	uint64_t mnt_ino, pid_ino, user_ino;	/* 0: not recorded */
};

/*
 * The user part of the call chains that end in HD_CONTEXT_DEFERRED and this cookie.
 *
 * If an attr has defer_callchain (Linux 6.19), the kernel unwinds the user stack when the thread is about to return to
 * user space.  One such record has the user stack of all samples since the thread entered the kernel.  The kernel
 * writes it to every ring buffer that has one of these samples, so the same record may occur more than once.
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
 * Open a recording.  `log` is borrowed and must outlive pf.  The path "-" means stdin.  If the path is a directory DIR,
 * as `perf record --threads` writes it, DIR/data is read first, then DIR/data.0, DIR/data.1, ...
 */
int hd_perf_open(struct hd_perf **out, const char *path, struct hd_log *log, struct hd_err *err);
/* Open a recording by descriptor.  pf takes ownership of fd, also on failure; path is for messages. */
int hd_perf_open_fd(struct hd_perf **out, int fd, const char *path, struct hd_log *log, struct hd_err *err);
/*
 * Open a recording in the directory format from the descriptors of its n files; the first one is DIR/data.  names[i] is
 * the last component of the path of fds[i].  pf takes ownership of the descriptors, also on failure.
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
 * Store the throttling and multiplexing of each attr i in of[i], as far as the file was walked.  A counter without
 * UNTHROTTLE after its last THROTTLE counts as throttled until end_ns.
 */
void hd_perf_sampling(const struct hd_perf *pf, struct hd_perf_sampling *of, uint64_t end_ns);
/* Return the number of records of each type, ascending by type, without zeros.  Valid until the next call. */
const struct hd_record_count *hd_perf_record_counts(struct hd_perf *pf, size_t *n);
/*
 * Return the index of the attr with this id; UINT32_MAX if there is none.  If the id is 0 or there is only one attr,
 * return the first.
 */
uint32_t hd_perf_attr_of(const struct hd_perf *pf, uint64_t id);

/*
 * Walk the records.  The first walk logs damage; later walks are silent and return the same records.
 *
 * In pipe mode, attrs, names, features and build-ids arrive as records.  hd_perf_next() stores their content, and also
 * returns them as HD_REC_OTHER.  They are complete after the first whole walk.  Until then, each call of hd_perf_next()
 * may move the arrays that hd_perf_attrs() and hd_perf_build_ids() return.
 */
int hd_perf_rewind(struct hd_perf *pf, struct hd_err *err);
/* Start a walk that does not need samples: SAMPLE records may have no body (data NULL), and large ones are not read. */
int hd_perf_rewind_bodiless(struct hd_perf *pf, struct hd_err *err);
int hd_perf_next(struct hd_perf *pf, struct hd_record *rec, struct hd_err *err);
/*
 * In a walk that does not need samples, skip the SAMPLE records that come next, up to the first record of another type,
 * offset `until` of the file, or the end of the window.  Statistics and sequence numbers count them as if
 * hd_perf_next() had returned them.  This only saves time: hd_perf_next() may still return any of them.
 */
void hd_perf_skip_samples(struct hd_perf *pf, uint64_t until);

/* Return true if a record adds attrs, names, header features, build-ids or symbols. */
bool hd_perf_is_metadata_record(const struct hd_record *rec);
/* Return true for EVENT_UPDATE records.  They change names of events, and hd_perf_next() sets the names at once. */
bool hd_perf_is_event_update(const struct hd_record *rec);
/*
 * Declare that attrs, names and build-ids are complete although no walk has reached the end, because the file has them
 * in sections.  From now on, metadata records are returned but not handled, so the arrays of attrs and build-ids do not
 * move any more.
 */
void hd_perf_freeze_metadata(struct hd_perf *pf);
/* Open the same recording a second time; the walks of *out and pf do not affect each other. */
int hd_perf_reopen(struct hd_perf **out, const struct hd_perf *pf, struct hd_log *log, struct hd_err *err);

/* Log to `log` from now on; return the previous log. */
struct hd_log *hd_perf_set_log(struct hd_perf *pf, struct hd_log *log);

/*
 * hd_perf_hold() keeps the memory of the last record: views into it stay valid until hd_perf_drop(), which must be
 * called before pf is closed.  Only the thread that walks the records may call these two functions.
 */
struct hd_window;
struct hd_window *hd_perf_hold(struct hd_perf *pf);
void hd_perf_drop(struct hd_window *w);			/* accepts NULL */
/* Return the window that contains the last record, without holding it.  Records in one window have equal results. */
const struct hd_window *hd_perf_window(const struct hd_perf *pf);

/* The place of a record that is not inside a compressed record.  Any thread can begin to read there. */
struct hd_record_mark {
	uint64_t off, seq;
};
/*
 * Return a second reader over the data of `pf`, for another thread; hd_perf_reads_beside() must accept `pf`.  The
 * reader borrows everything but its windows and its read position from `pf`, which must outlive it.  Call
 * hd_perf_seek() before the first hd_perf_next().  The reader logs damage of the file to `log`.
 */
struct hd_perf *hd_perf_view_new(const struct hd_perf *pf, struct hd_log *log);
void hd_perf_view_free(struct hd_perf *view);		/* accepts NULL */
/*
 * Return true if several threads can read and parse samples at once: the data is in one file, it is not compressed, the
 * walk to its end is done, and no sample changes the state of the reader.
 */
bool hd_perf_reads_beside(const struct hd_perf *pf);
/* Continue the walk at a mark of an earlier walk. */
void hd_perf_seek(struct hd_perf *pf, struct hd_record_mark mark);

/*
 * Map large samples instead of reading them.  This is faster if several other threads unwind the samples, because the
 * cost of loading the data from memory is then spread over these threads.  With one or two threads it is slower.
 */
void hd_perf_map_large_samples(struct hd_perf *pf, bool on);
/* Measure whether mapping a part of a large file takes longer than reading it.  If so, nothing is mapped. */
void hd_perf_try_mapping(struct hd_perf *pf);

/* Return the name of a type without PERF_RECORD_: "SAMPLE", "MMAP2", ...; NULL if unknown. */
const char *hd_record_type_name(uint32_t type);

/*
 * Parse the body of a record.  Returns HD_EFORMAT if the body is shorter than its attr and its counts require, or if
 * the attr of a sample is unknown; the message names the file, the record and its offset.  Nothing is logged, because a
 * record may be parsed on any walk.  The caller that counts samples as kept or dropped warns once per sample with the
 * code in `s->drop`:
 *
 *     lost.sample-cut	the body is shorter than the fields of its attr and their counts require
 *     lost.sample-id	no attr has the sample's id (perf skips such samples, too)
 *     lost.sample-attr	there is no attr
 *
 * hd_perf_parse_sample() does not modify pf, so several threads may parse at once.  Exception: in a recording with
 * hiperf's table of call chains (FILES_UNISTACK_TABLE), it stores the chain and is not thread-safe.  A READ value
 * without GROUP is treated as a group of one.
 */
int hd_perf_parse_sample(struct hd_perf *pf, const struct hd_record *rec, struct hd_sample *s, struct hd_err *err);
/*
 * PERF_SAMPLE_READ: return the members of the group of a parsed sample; `value` is the increase since the last read of
 * the counter.  Returns 0 if the sample has no values, or values without ids.  Otherwise perf shows one sample for each
 * member with an increase, with the increase as its period, instead of the sample itself.  Members with an unknown id
 * are skipped.
 *
 * Call it once for each such sample of a walk, in order, because it updates the last values.  Another thread may call
 * hd_perf_next() at the same time.  The array is valid until the next call.
 */
size_t hd_perf_group_values(struct hd_perf *pf, const struct hd_record *rec, const struct hd_sample *s,
			    const struct hd_read_value **values);
/*
 * PERF_SAMPLE_READ: store the times for which the counters of a parsed sample were enabled and ran, for
 * hd_perf_sampling().  READ records change the same data, so only the thread that calls hd_perf_next() may call this.
 */
void hd_perf_note_sample_times(struct hd_perf *pf, const struct hd_sample *s);
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
 * The loss that a LOST or LOST_SAMPLES record reports.  The kernel writes LOST after a buffer was full.  Its count
 * covers all events of that buffer; its id is that of the event that wrote to the buffer next.  The kernel writes
 * LOST_SAMPLES when the hardware dropped samples.  At the end, perf itself writes LOST_SAMPLES records with the loss
 * counter of each event that was opened with PERF_FORMAT_LOST.  This counter includes what LOST records reported.
 */
struct hd_lost {
	uint64_t count;			/* number of lost events; 0 if a filter of the user removed them */
	uint32_t attr;			/* index of the attr; UINT32_MAX: unknown */
	bool counter;			/* perf read `count` from the event's counter of losses */
};
int hd_perf_parse_lost(struct hd_perf *pf, const struct hd_record *rec, struct hd_lost *lost, struct hd_err *err);

/* Losses reported so far: by LOST records (full buffers), and by the counters of events.  Zero-initialise. */
struct hd_lost_total { uint64_t reported, counters; };
/* Add `lost` to the losses `seen` so far.  Returns how many of lost->count no earlier record has reported. */
uint64_t hd_lost_unreported(struct hd_lost_total *seen, const struct hd_lost *lost);

#endif
