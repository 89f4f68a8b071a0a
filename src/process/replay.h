/*
 * replay.h - the state of a hd_process_table, shared by the files of process/
 *
 * events.c collects the records.  hd_process_build() sorts and replays them once: tasks.c handles
 * comms, forks, user mappings and namespaces; kernel_mappings.c handles the kernel's map, modules and
 * KSYMBOLs of the host and of guests.  Lookups then use timelines (thread and time -> comm, process,
 * space), spaces (address -> mapping) and mappings (-> object).
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
	uint32_t a, b;			/* COMM: name; FORK: ppid, ptid; others: index into ranges */
	uint8_t kind;
	uint8_t cpumode;		/* MMAP */
	/* MMAP: executable; COMM: by exec; FORK: the child ran already when recording began; KSYMBOL: unregister */
	bool flag;
};

struct hd_process_range {
	uint64_t addr, len, pgoff;	/* NAMESPACES: mount and pid namespace in addr and len */
	uint32_t name, build_id, flags;
	uint32_t file;			/* inode and generation as an id of objects.ids; 0: not recorded */
};

/* The value of a range in a space.  It stays the same when the mapping is cut. */
struct hd_mapping {
	uint64_t delta;			/* foff = ip + delta */
	uint32_t object;
};

struct hd_task;
struct hd_kernel_instance;

struct hd_tasks {
	struct hd_map by_tid;		/* tid -> index into items, and owner in `threads` */
	struct hd_task *items;		/* while building */
	size_t n, cap;
	uint32_t *mm_space; /* while building: the newest space of each mm (address space that threads share) */
	size_t nmm, mm_cap;
	struct hd_timeline threads;	/* a: comm, b: mm, pid */
	struct hd_timeline mms;		/* a: space */
	struct hd_map strangers;	/* tid -> comm that was made up for it */
	uint64_t mnt_ns, pid_ns;	/* the recorder's namespaces */
};

struct hd_kernels {
	struct hd_map by_pid;		/* pid of a guest -> index into items */
	struct hd_kernel_instance *items;	/* [0] is the host */
	size_t n, cap;
	struct hd_kernel_main_map *mains;	/* [0]: none */
	size_t nmains, mains_cap;
	struct hd_timeline line;	/* owner: index of the kernel; a: space of modules, b: main map */
	struct hd_map pairs;		/* (host entry, guest entry) of the timeline -> index into pair */
	uint64_t *pair;
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
	/* Cache of hd_process_at(): the last lookup, and until when its result holds. */
	int32_t last_pid, last_tid;
	struct hd_record_time last, last_until;
	struct hd_process_context last_at;
	bool has_last;
};

/* events.c: return true if the records so far leave room below `part` bytes.  Warns once if not. */
bool hd_process_has_room(const struct hd_process_table *proc, uint64_t part);
/* events.c: sort the records by (time, seq). */
void hd_process_sort_events(struct hd_process_table *proc);

/*
 * process_table.c: return `space` with [addr, addr + len) mapped to `object`; the same space if it was mapped so
 * already.
 */
uint32_t hd_process_map_range(struct hd_process_table *proc, uint32_t space, const struct hd_process_range *r,
	uint32_t object);
/* Map memory without a file: JIT code in the range stays mapped. */
uint32_t hd_process_map_around_jit(struct hd_process_table *proc, uint32_t space, const struct hd_process_range *r,
	uint32_t object);
/* Map n ranges of JIT code; later ones hide earlier ones. */
uint32_t hd_process_map_jit_ranges(struct hd_process_table *proc, uint32_t space, const struct hd_process_event *r,
	size_t n);
/* Return true for a mapping of data (heap, stack) that overlaps no existing mapping of the space. */
bool hd_process_is_unmapped_data(const struct hd_process_table *proc, uint32_t space, const char *name, bool executable,
	uint32_t flags, uint64_t addr, uint64_t len);
/* addr + len, or UINT64_MAX if that overflows. */
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
bool hd_kernels_owns_mmap(const struct hd_process_event *r);	/* Return true if it is a mapping of a kernel. */
void hd_kernels_init(struct hd_kernels *ks);
void hd_kernels_release(struct hd_kernels *ks);
void hd_kernels_replay(struct hd_process_table *proc, const struct hd_process_event *r);
void hd_kernels_freeze(struct hd_process_table *proc);
uint32_t hd_kernels_at(struct hd_process_table *proc, int32_t pid, struct hd_record_time when,
	struct hd_record_time *until);
/* Return true if there are no guests, and the host's entries of `from` are the first ones of `to`. */
bool hd_kernels_is_prefix(const struct hd_kernels *from, const struct hd_kernels *to);
bool hd_kernels_find(const struct hd_process_table *proc, uint32_t kernel_space, uint64_t ip, bool guest,
		     struct hd_process_location *where);

#endif
