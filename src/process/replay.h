/*
 * replay.h - the state of a hd_process_table, shared by the files of process/
 *
 * events.c collects the records.  hd_process_build() sorts and replays them once: tasks.c handles
 * comms, forks, user mappings, code of jitdumps and namespaces; kernel_mappings.c handles the main
 * maps and modules of the kernels of the host and of guests, and KSYMBOLs.  Lookups then use timelines
 * (thread and time -> comm, process, space), spaces (address -> mapping) and mappings (mapping -> object).
 */
#ifndef HD_PROCESS_REPLAY_H
#define HD_PROCESS_REPLAY_H

#include "base/log.h"
#include "base/map.h"
#include "process/objects.h"
#include "process/address_spaces.h"
#include "process/timeline.h"

enum hd_process_event_kind {
	HD_PROCESS_EVENT_MMAP,
	HD_PROCESS_EVENT_COMM,
	HD_PROCESS_EVENT_FORK,
	HD_PROCESS_EVENT_KSYMBOL,
	HD_PROCESS_EVENT_NAMESPACES,
	HD_PROCESS_EVENT_JIT
};

struct hd_process_event {
	struct hd_record_time when;
	int32_t pid, tid;
	/*
	 * two values that depend on the kind of the record.  COMM: a is the name.  FORK: a is ppid, b is ptid.  Others:
	 * a is an index into ranges.
	 */
	uint32_t a, b;
	uint8_t kind;
	uint8_t cpumode;		/* MMAP */
	/*
	 * a flag that depends on the kind of the record.  MMAP: executable; COMM: by exec; FORK: the child already ran
	 * when recording began; KSYMBOL: unregister
	 */
	bool flag;
};

struct hd_process_range {
	uint64_t addr, len, pgoff;	/* NAMESPACES: mount and pid namespace in addr and len */
	uint32_t name, build_id, flags;
	/* id of the file's inode and generation (hd_objects_file_id()); 0: not recorded */
	uint32_t file;
};

/* The target of a mapped range.  If another mapping cuts the range, this value does not change. */
struct hd_mapping {
	uint64_t delta;			/* foff = ip + delta */
	uint32_t object;
};

struct hd_task;
struct hd_kernel_instance;

struct hd_tasks {
	struct hd_map by_tid;		/* tid -> index of the thread: in `items`, and as an owner in `threads` */
	struct hd_task *items;		/* while building */
	size_t n, cap;
	/*
	 * mm_space[mm], while building: the space (version of the mappings) that this mm has now.  An mm is an id of
	 * the memory that the threads of one process share.
	 */
	uint32_t *mm_space;
	size_t nmm, mm_cap;
	/* in an entry of `threads`, owner is a thread, a its comm, b its mm, and pid its process */
	struct hd_timeline threads;
	struct hd_timeline mms;		/* the space of each mm; in an entry, `owner` is the mm and `a` the space */
	struct hd_map strangers;	/* tid -> synthetic comm (":TID"), for threads that no record names */
	uint64_t mnt_ns, pid_ns;	/* the recorder's namespaces */
};

struct hd_kernels {
	struct hd_map by_pid;		/* pid of a guest -> index into items */
	struct hd_kernel_instance *items;	/* [0] is the host */
	size_t n, cap;
	struct hd_kernel_main_map *mains;	/* [0]: none */
	size_t nmains, mains_cap;
	/*
	 * In an entry of `line`, `owner` is a kernel (index in `items`), `a` the space of its modules, and `b` its main
	 * map (index in `mains`).
	 */
	struct hd_timeline line;
	/*
	 * key: (entry of the host << 32 | entry of a guest), each an index into `line` plus 1, or 0 for no entry of the
	 * host; value: index into `pair`
	 */
	struct hd_map pairs;
	uint64_t *pair;			/* the keys of `pairs`, by their values */
	size_t npairs, pairs_cap;
};

struct hd_process_table {
	struct hd_strtab *names;
	struct hd_log *log;
	struct hd_process_event *records;
	size_t nrecords, records_cap;
	struct hd_process_range *ranges;
	size_t nranges, ranges_cap;
	struct hd_objects objects;
	struct hd_address_spaces spaces;
	struct hd_mapping *mappings;	/* [0] is unused */
	size_t nmappings, mappings_cap;
	struct hd_tasks tasks;
	struct hd_kernels kernels;
	bool built;
	uint64_t limit;			/* bytes of memory, including the strings */
	size_t jit_steps;		/* work spent on keeping JIT code mapped; bounded by JIT_STEPS */
	bool jits;			/* a jitdump added code */
	bool timed;			/* a record has a time */
	uint64_t first_seq;		/* smallest seq of the records */
	/* Cache of hd_process_at(): the last lookup, its result, and the time until which the result is valid. */
	int32_t last_pid, last_tid;
	struct hd_record_time last, last_until;
	struct hd_process_context last_at;
	bool has_last;
};

/*
 * events.c: return true if the table and its strings take less than `part` bytes of memory.  If they do not, add the
 * warning lost.side-band, which counts these calls.
 */
bool hd_process_has_room(const struct hd_process_table *proc, uint64_t part);
/* events.c: sort the records by (time, seq). */
void hd_process_sort_events(struct hd_process_table *proc);

/*
 * process_table.c: return a space that equals `space`, except that the range of `r` is mapped to `object`.  If the
 * range was mapped so already, `space` is returned.
 */
uint32_t hd_process_map_range(struct hd_process_table *proc, uint32_t space, const struct hd_process_range *r,
	uint32_t object);
/* Like hd_process_map_range(), for memory without a file: JIT code in the range stays mapped. */
uint32_t hd_process_map_around_jit(struct hd_process_table *proc, uint32_t space, const struct hd_process_range *r,
	uint32_t object);
/* Map the ranges of the n JIT records from `r` on; later ones hide earlier ones.  Return the new space. */
uint32_t hd_process_map_jit_ranges(struct hd_process_table *proc, uint32_t space, const struct hd_process_event *r,
	size_t n);
/* Return true for a mapping of data (heap, stack) that overlaps no existing mapping of the space. */
bool hd_process_is_unmapped_data(const struct hd_process_table *proc, uint32_t space, const char *name, bool executable,
	uint32_t flags, uint64_t addr, uint64_t len);
/* Return addr + len, or UINT64_MAX if that overflows. */
uint64_t hd_process_range_end(uint64_t addr, uint64_t len);

/* tasks.c */
void hd_tasks_release(struct hd_tasks *ts);
void hd_tasks_replay(struct hd_process_table *proc, const struct hd_process_event *r);
void hd_tasks_replay_jit(struct hd_process_table *proc, const struct hd_process_event *r,
	size_t n); /* n records of one pid and time */
void hd_tasks_freeze(struct hd_process_table *proc);
void hd_tasks_at(struct hd_process_table *proc, int32_t pid, int32_t tid, struct hd_record_time when,
	struct hd_process_context *at, struct hd_record_time *until);

/* kernel_mappings.c */
/* Return true if the record maps memory of the kernel or of a guest. */
bool hd_kernels_owns_mmap(const struct hd_process_event *r);
void hd_kernels_init(struct hd_kernels *ks);
void hd_kernels_release(struct hd_kernels *ks);
void hd_kernels_replay(struct hd_process_table *proc, const struct hd_process_event *r);
void hd_kernels_freeze(struct hd_process_table *proc);
uint32_t hd_kernels_at(struct hd_process_table *proc, int32_t pid, struct hd_record_time when,
	struct hd_record_time *until);
/* Return true if `from` and `to` have no guest kernels, and `to` begins with the timeline and main maps of `from`. */
bool hd_kernels_is_prefix(const struct hd_kernels *from, const struct hd_kernels *to);
bool hd_kernels_find(const struct hd_process_table *proc, uint32_t kernel_space, uint64_t ip, bool guest,
		     struct hd_process_location *where);

#endif
