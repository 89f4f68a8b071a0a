/*
 * objects.h - intern mapped objects: their kind, name and build-id
 *
 * The recorded name of a mapping determines its kind.  The rules are perf's, so that sums per
 * object agree with perf report:
 *
 *   RECORDED NAME                                  KIND      OBJECT'S NAME
 *   //anon, /dev/zero..., /anon_hugepage..., any
 *     with MAP_HUGETLB, [heap], [stack...], /SYSV...
 *       when executable                            PERFMAP   /tmp/perf-PID.map
 *       else                                       ANON      as recorded
 *   /memfd:doublemapper... (.NET), executable      PERFMAP   as recorded
 *   ...jit_app_cache:..., ...jit_zygote_cache:...
 *     (simpleperf)                                 PERFMAP   as recorded
 *   names given to hd_process_add_perfmap_name()   PERFMAP   as recorded
 *   [vdso], [vdso32], [vdsox32]                    VDSO      as recorded
 *   [..., //..., empty                             ANON      as recorded
 *   any other name                                 FILE      as recorded
 *   code of a jitdump                              JIT       path of the dump
 *   kernel: [kernel.kallsyms]..., [guest.kernel... KERNEL    name in the build-id table, else the part in brackets
 *   kernel: a path or [name]                       MODULE    a path if the build-id table or the record has one
 *   a KSYMBOL record                               KSYM      as recorded
 *
 * Ownership: objects and the build-id table are owned.  Names are ids in the caller's string table.
 */
#ifndef HD_PROCESS_OBJECTS_H
#define HD_PROCESS_OBJECTS_H

#include "base/map.h"
#include "base/hash_index.h"
#include "base/strtab.h"
#include "process/mapping.h"

struct hd_objects {
	struct hd_strtab *names;	/* borrowed */
	/* byte strings: build-ids, and pairs of inode and generation (hd_objects_file_id()); 0: none */
	struct hd_strtab *ids;
	struct hd_process_object *items;	/* [0] is the unknown object */
	size_t n, cap;
	struct hd_index index;		/* index of items */
	/* (name, user or host kernel or guest kernel) -> id of the build-id; the name of a module is its module key */
	struct hd_map table;
	struct hd_map addressed;	/* names given to hd_objects_add_perfmap_name() */
	struct hd_map module_paths;	/* (module key, host or guest kernel) -> path from the build-id table */
	/* name of the kernel in the build-id table: [0] the host's, [1] the guests'; 0: not listed */
	uint32_t kernel_name[2];
};

/* A mapping of a user process: the facts that determine its object. */
struct hd_user_mapping {
	uint32_t name;
	uint32_t build_id;		/* build-id that the record of the mapping has; 0: none */
	/* id of the file's inode and generation (hd_objects_file_id()); 0: not recorded */
	uint32_t file;
	int32_t pid;
	bool executable;
	uint32_t flags;
	uint64_t mnt_ns;		/* 0 if it is the recorder's namespace */
	bool foreign_pid_ns;
};

void hd_objects_init(struct hd_objects *ob, struct hd_strtab *names);
void hd_objects_release(struct hd_objects *ob);

/*
 * Add a row of the build-id table.  Call it for all rows before any object is added.  cpumode: 1 for the host's kernel,
 * 4 for a guest's kernel, any other for user space.  An id is truncated to 20 bytes.
 */
void hd_objects_add_build_id(struct hd_objects *ob, const char *name, const uint8_t *id, uint8_t len, uint8_t cpumode);

/* Return the id in `ids` for an inode and its generation; 0 if ino is 0. */
uint32_t hd_objects_file_id(struct hd_objects *ob, uint64_t ino, uint64_t generation);

/* Treat user mappings of this name as PERFMAP.  Call it before any object is added. */
void hd_objects_add_perfmap_name(struct hd_objects *ob, const char *name);

/* Return true for memory without a file that holds no code, such as a heap or a stack. */
bool hd_objects_is_data(const char *name, bool executable, uint32_t flags);

/* Return the id of the object; add it if it is new. */
uint32_t hd_objects_add_user(struct hd_objects *ob, const struct hd_user_mapping *u);
uint32_t hd_objects_add_kernel(struct hd_objects *ob, uint32_t name, uint64_t start, uint64_t pgoff, uint32_t build_id,
			   bool guest);
uint32_t hd_objects_add_module(struct hd_objects *ob, uint32_t name, uint64_t start, uint32_t build_id, bool guest);
uint32_t hd_objects_add_jit(struct hd_objects *ob, uint32_t name, int32_t pid);
uint32_t hd_objects_add_ksymbol(struct hd_objects *ob, uint32_t name, uint64_t start);

/* Return true if the objects of `from` equal the objects with the same ids in `to`, which may have more objects. */
bool hd_objects_is_prefix(const struct hd_objects *from, const struct hd_objects *to);

/* Return true if addresses of this object are process addresses, not offsets. */
bool hd_objects_has_absolute_addresses(const struct hd_objects *ob, uint32_t id);

/* Return true for the name of the kernel's main map ("[kernel.kallsyms]_text", ...). */
bool hd_is_kernel_name(const char *name);

#endif
