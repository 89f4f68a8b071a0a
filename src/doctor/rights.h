/*
 * rights.h - privileges of this process for recording, and related settings of the machine
 *
 *     hd_rights_read(&r, "");
 *     hd_rights_perfmon(&r)      true: kernel.perf_event_paranoid does not apply to us
 *
 * Read from /proc and /sys: this and other settings of the kernel, the effective capabilities, the seccomp filter, the
 * user namespace, signs of a container or a virtual machine, the mount point of tracefs, and hardware counters.  These
 * values decide nothing: probe.h tests what works, and the values only explain the results of its tests.  A file that
 * cannot be read is not an error; its value is unknown.
 */
#ifndef HD_DOCTOR_RIGHTS_H
#define HD_DOCTOR_RIGHTS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum { HD_CAP_IPC_LOCK = 14, HD_CAP_SYS_ADMIN = 21, HD_CAP_SYSLOG = 34, HD_CAP_PERFMON = 38 };	/* linux/capability.h */

struct hd_rights {
	unsigned uid, gid;		/* effective ids */
	/* in the members below, -1 means unknown, unless noted otherwise */
	bool paranoid_known;
	int paranoid;			/* kernel.perf_event_paranoid, if paranoid_known; -1 is a setting here */
	bool caps_known;
	uint64_t caps;			/* effective capabilities, one bit each */
	int seccomp;			/* 0 none, 1 strict, 2 a filter */
	int user_namespace;		/* 1: root in this user namespace is not root of the machine */
	bool container, virtual_machine;
	bool counters;			/* the kernel has a driver for hardware counters */
	char tracefs[128];		/* mount point; "": not mounted */
	int kptr_restrict;
	long mlock_kb;			/* kernel.perf_event_mlock_kb */
	long max_rate;			/* kernel.perf_event_max_sample_rate, in samples per second */
	int nmi_watchdog;
	int lockdown;			/* 1: the kernel is locked down */
	bool swap;			/* swap is in use */
	char huge_pages[16];		/* transparent huge pages: always, madvise, never; "": unknown */
	char kernel[72];		/* release of the kernel */
};

/* Read the privileges and settings into *r.  root: "", or a folder that replaces / in tests. */
void hd_rights_read(struct hd_rights *r, const char *root);

/* Return true if the process has CAP_PERFMON or CAP_SYS_ADMIN on the machine, not only in a user namespace. */
bool hd_rights_perfmon(const struct hd_rights *r);
/* As hd_rights_perfmon(), for the capability `cap`.  If the capabilities are unknown, root is assumed to have all. */
bool hd_rights_has(const struct hd_rights *r, unsigned cap);

/*
 * Open the folder of tracefs.  If it is not mounted, open an instance that is mounted nowhere, because perf mounts
 * tracefs when it needs it and is allowed to.  Returns a descriptor; -1 with errno, which is ENOENT if tracefs is not
 * mounted and this process may not mount it.
 */
int hd_rights_open_tracefs(const struct hd_rights *r);

/*
 * Read a file of /proc or /sys below `root` into b, without trailing line ends.  Returns false if it is empty or
 * unreadable.
 */
bool hd_sysfile_read(struct hd_buf *b, const char *root, const char *path);

#endif
