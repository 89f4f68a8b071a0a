/*
 * objects.h - what can be mapped: naming it, interning it, its build-id
 *
 * A mapping's recorded name says what kind of thing it is (the rules are
 * perf's, so that sums per object agree with it):
 *
 *   RECORDED NAME                                  KIND      NAMED
 *   //anon, /dev/zero..., /anon_hugepage..., any
 *     with MAP_HUGETLB, [heap], [stack...], /SYSV...
 *       when executable                            PERFMAP   /tmp/perf-PID.map
 *       else                                       ANON      as recorded
 *   /memfd:doublemapper... (.NET) when executable    PERFMAP   as recorded
 *   ...jit_app_cache:..., ...jit_zygote_cache:... (simpleperf)  PERFMAP   as recorded
 *   what hd_process_add_perfmap_name names                 PERFMAP   as recorded
 *   [vdso], [vdso32], [vdsox32]                    VDSO      as recorded
 *   [..., //..., nothing                           ANON      as recorded
 *   the rest                                       FILE      as recorded
 *   what a jitdump tells of                          JIT       the dump's path
 *   kernel: [kernel.kallsyms]..., [guest.kernel... KERNEL    part in brackets, or as the build-id table
 *   kernel: a path or [name]                       MODULE    a path if the build-id table or the record has one
 *
 * Owns:  the objects and the build-id table.  Names live in the caller's
 *        string table, build-ids in one here.
 */
#ifndef HD_PROCESS_OBJECTS_H
#define HD_PROCESS_OBJECTS_H

#include "base/map.h"
#include "base/hash_index.h"
#include "base/strtab.h"
#include "process/mapping.h"

struct hd_objects {
	struct hd_strtab *names;	/* borrowed */
	struct hd_strtab *ids;		/* build-ids as byte strings; 0: none */
	struct hd_process_object *items;	/* [0] is the unknown one */
	size_t n, cap;
	struct hd_index index;		/* of items */
	struct hd_map table;		/* (name, class) -> build-id string */
	struct hd_map addressed;	/* names of hd_objects_add_perfmap_name */
	struct hd_map module_paths;	/* module key -> path in the build-id table */
	uint32_t kernel_name[2];	/* of host and guest kernel in the table; 0: not listed */
};

/* A user mapping, with what decides how its addresses are told. */
struct hd_user_mapping {
	uint32_t name;
	uint32_t build_id;		/* recorded inline, else 0 */
	uint32_t file;			/* see hd_objects_file_id */
	int32_t pid;
	bool executable;
	uint32_t flags;
	uint64_t mnt_ns;		/* when it is not the recorder's, else 0 */
	bool foreign_pid_ns;
};

void hd_objects_init(struct hd_objects *ob, struct hd_strtab *names);
void hd_objects_release(struct hd_objects *ob);

/* A row of the build-id table.  All rows come before the first question below. */
void hd_objects_add_build_id(struct hd_objects *ob, const char *name, const uint8_t *id, uint8_t len, uint8_t cpumode);

/* The string in `ids` that stands for an inode and its generation; 0 when ino is 0. */
uint32_t hd_objects_file_id(struct hd_objects *ob, uint64_t ino, uint64_t generation);

/* User mappings of this name are a PERFMAP, whatever the name says.  Before the first question below. */
void hd_objects_add_perfmap_name(struct hd_objects *ob, const char *name);

/* Memory without a file that no code is in: a heap, a stack. */
bool hd_objects_is_data(const char *name, bool executable, uint32_t flags);

/* Each answers with an object's id. */
uint32_t hd_objects_add_user(struct hd_objects *ob, const struct hd_user_mapping *u);
uint32_t hd_objects_add_kernel(struct hd_objects *ob, uint32_t name, uint64_t start, uint64_t pgoff, uint32_t build_id,
			   bool guest);
uint32_t hd_objects_add_module(struct hd_objects *ob, uint32_t name, uint64_t start, uint32_t build_id, bool guest);
uint32_t hd_objects_add_jit(struct hd_objects *ob, uint32_t name, int32_t pid);
uint32_t hd_objects_add_ksymbol(struct hd_objects *ob, uint32_t name, uint64_t start);

/* Are those of `from` the first of `to`'s? */
bool hd_objects_is_prefix(const struct hd_objects *from, const struct hd_objects *to);

/* Are this object's addresses told as they are in the process (and not as offsets)? */
bool hd_objects_has_absolute_addresses(const struct hd_objects *ob, uint32_t id);

/* Is it the kernel's main map ("[kernel.kallsyms]_text", ...)? */
bool hd_is_kernel_name(const char *name);

#endif
