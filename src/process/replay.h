/*
 * replay.h - what a struct hd_process_table holds, for the files of this room
 *
 * Fed:   records as they come, in events.c.
 * Built: sorted and replayed once, each by the file that knows its kind:
 *        tasks.c (comms, forks, user mappings, namespaces) and kernel_mappings.c
 *        (the kernel's map, modules, KSYMBOLs; of the host and of guests).
 * Asked: timelines say which comm, process and space hold at a time; spaces
 *        say which mapping holds an address; a mapping names its object.
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
	uint32_t a, b;			/* COMM: name; FORK: ppid, ptid; MMAP, KSYMBOL, ...: index in ranges */
	uint8_t kind;
	uint8_t cpumode;		/* MMAP */
	bool flag;			/* MMAP: executable; COMM: exec; FORK: running already; KSYMBOL: unregister */
};

struct hd_process_range {
	uint64_t addr, len, pgoff;	/* NAMESPACES: mount and pid namespace in addr and len */
	uint32_t name, build_id, flags;
	uint32_t file;			/* inode and generation as a string of objects.ids; 0: not recorded */
};

/* What a range in a space stands for.  Cutting a mapping leaves both as they are. */
struct hd_mapping {
	uint64_t delta;			/* foff = ip + delta */
	uint32_t object;
};

struct hd_task;
struct hd_kernel_instance;

struct hd_tasks {
	struct hd_map by_tid;		/* -> index of task, the owner in `threads` */
	struct hd_task *items;		/* while building */
	size_t n, cap;
	uint32_t *mm_space;		/* while building: newest space of each mm */
	size_t nmm, mm_cap;
	struct hd_timeline threads;	/* a: comm, b: mm, pid */
	struct hd_timeline mms;		/* a: space */
	struct hd_map strangers;	/* tid -> comm made for it */
	uint64_t mnt_ns, pid_ns;	/* the recorder's */
};

struct hd_kernels {
	struct hd_map by_pid;		/* guests: pid -> index of kernel */
	struct hd_kernel_instance *items;	/* [0] is the host's */
	size_t n, cap;
	struct hd_kernel_main_map *mains;	/* [0]: none */
	size_t nmains, mains_cap;
	struct hd_timeline line;	/* owner: kernel; a: space of modules, b: main map */
	struct hd_map pairs;		/* (host moment, guest moment) -> index in pair */
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
	uint64_t limit;			/* bytes of memory, with the strings */
	size_t jit_steps;		/* taken to keep JIT code from being cut */
	bool jits;			/* some JIT code was told of */
	bool timed;			/* some record has a time */
	uint64_t first_seq;		/* of the records */
	/* The last question and until when its answer is the same. */
	int32_t last_pid, last_tid;
	struct hd_record_time last, last_until;
	struct hd_process_context last_at;
	bool has_last;
};

/* events.c: is there room for what is replayed from them, at `part` of the limit?  Warns when there is none. */
bool hd_process_has_room(const struct hd_process_table *proc, uint64_t part);
/* events.c: records in order of (time, seq). */
void hd_process_sort_events(struct hd_process_table *proc);

/* process_table.c: [addr, addr + len) of `object` over `space`; the same space when it was mapped so already. */
uint32_t hd_process_map_range(struct hd_process_table *proc, uint32_t space, const struct hd_process_range *r,
	uint32_t object);
/* The same for memory without a file, which leaves JIT code as it is. */
uint32_t hd_process_map_around_jit(struct hd_process_table *proc, uint32_t space, const struct hd_process_range *r,
	uint32_t object);
/* n ranges of JIT code, later ones above. */
uint32_t hd_process_map_jit_ranges(struct hd_process_table *proc, uint32_t space, const struct hd_process_event *r,
	size_t n);
/* Data over nothing: no code is in it, before and after. */
bool hd_process_is_unmapped_data(const struct hd_process_table *proc, uint32_t space, const char *name, bool executable,
	uint32_t flags, uint64_t addr, uint64_t len);
/* The end of a range, kept from wrapping around. */
uint64_t hd_process_range_end(uint64_t addr, uint64_t len);

/* tasks.c */
void hd_tasks_release(struct hd_tasks *ts);
void hd_tasks_replay(struct hd_process_table *proc, const struct hd_process_event *r);
void hd_tasks_replay_jit(struct hd_process_table *proc, const struct hd_process_event *r,
	size_t n); /* of one pid and time */
void hd_tasks_freeze(struct hd_process_table *proc);
void hd_tasks_at(struct hd_process_table *proc, int32_t pid, int32_t tid, struct hd_record_time when,
	struct hd_process_context *at, struct hd_record_time *until);

/* kernel_mappings.c */
bool hd_kernels_owns_mmap(const struct hd_process_event *r);	/* is it the kernel's? */
void hd_kernels_init(struct hd_kernels *ks);
void hd_kernels_release(struct hd_kernels *ks);
void hd_kernels_replay(struct hd_process_table *proc, const struct hd_process_event *r);
void hd_kernels_freeze(struct hd_process_table *proc);
uint32_t hd_kernels_at(struct hd_process_table *proc, int32_t pid, struct hd_record_time when,
	struct hd_record_time *until);
/* Are those of `from` the first of `to`'s, and of the host alone? */
bool hd_kernels_is_prefix(const struct hd_kernels *from, const struct hd_kernels *to);
bool hd_kernels_find(const struct hd_process_table *proc, uint32_t kernel_space, uint64_t ip, bool guest,
		     struct hd_process_location *where);

#endif
