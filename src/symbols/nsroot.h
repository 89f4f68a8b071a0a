/*
 * nsroot.h - files of another mount namespace: the root of a process that still runs in it
 *
 * A path that a container's process mapped is a path of the container.  Its
 * file can be had while a process of that mount namespace runs here, through
 * /proc/PID/root.  /proc is never looked at for a path from an input
 * (base/file.h); this is the one exception, and what it rests on is not the
 * input's word alone:
 *
 *   - the caller knows that the recording was made on this machine;
 *   - /proc/PID/ns/mnt is the recorded namespace, before and after the file was opened;
 *   - the process began before the recording was last written: inodes of
 *     namespaces and pids are used again;
 *   - the path is opened beneath that root as any other below a symbol root
 *     (openat2 RESOLVE_IN_ROOT, no `..`, regular files only, nothing of /proc in there).
 *
 * Only the kernel says what /proc/PID/root is, and only to who may trace the
 * process: root, or its own user.
 */
#ifndef HD_SYMBOLS_NSROOT_H
#define HD_SYMBOLS_NSROOT_H

#include <stdbool.h>
#include <stdint.h>

struct hd_nsroot {
	char root[32];			/* "/proc/PID/root" */
	int32_t pid;
	uint64_t mnt_ns;
	int64_t before_s;
};

/*
 * A process of mount namespace mnt_ns that ran before before_s (seconds since 1970): pid when it is one, else any.  mnt_ns 0:
 * pid, whatever its namespace.  false: there is none.
 */
bool hd_nsroot_find(struct hd_nsroot *r, uint64_t mnt_ns, int32_t pid, int64_t before_s);
/* Is it still so? */
bool hd_nsroot_holds(const struct hd_nsroot *r);
/* The number by which that process knows itself, in its own pid namespace; 0: not told. */
int32_t hd_nsroot_own_pid(const struct hd_nsroot *r);
/* The inodes of our own mount and pid namespaces; 0: not told. */
void hd_nsroot_ours(uint64_t *mnt_ns, uint64_t *pid_ns);

#endif
