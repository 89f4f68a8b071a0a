/*
 * nsroot.h - access files of another mount namespace through the root of a process that runs in it
 *
 * A path that a container's process has mapped is a path inside the container.  While a process of that mount namespace
 * runs on this machine, its files are accessible through /proc/PID/root.  Untrusted paths never lead into /proc
 * (base/file.h); this is the only exception, under these conditions:
 *
 *   - the caller knows that the recording was made on this machine;
 *   - /proc/PID/ns/mnt is the recorded namespace, before and after the file is opened;
 *   - the process started before the recording ended, because inodes of namespaces and pids are reused;
 *   - the path is opened below that root with the restrictions of a symbol root (openat2 RESOLVE_IN_ROOT, no `..`,
 *     regular files only, nothing in /proc).
 *
 * The kernel grants access to /proc/PID/root only to users who may trace the process: root and its owner.
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
 * Find a running process in mount namespace `mnt_ns` that was started before `before_s` (seconds since 1970).  Prefer
 * `pid`, otherwise take any.  If mnt_ns is 0, only `pid` is considered, in any namespace.  Returns false if there is no
 * such process.
 */
bool hd_nsroot_find(struct hd_nsroot *r, uint64_t mnt_ns, int32_t pid, int64_t before_s);
/*
 * Return true if process r->pid still fulfils the conditions of hd_nsroot_find().  If it does not, the process has
 * ended or its pid was reused.
 */
bool hd_nsroot_holds(const struct hd_nsroot *r);
/* Return the pid of the process in the innermost pid namespace that it is in; 0: unknown. */
int32_t hd_nsroot_own_pid(const struct hd_nsroot *r);
/* Get the inodes of the mount and pid namespace of this process; 0: unknown. */
void hd_nsroot_ours(uint64_t *mnt_ns, uint64_t *pid_ns);

#endif
