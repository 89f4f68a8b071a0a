/*
 * rights.h - what this process may do to record, as the machine's files tell it
 *
 *     hd_rights_read(&r, "");
 *     hd_rights_perfmon(&r)      is kernel.perf_event_paranoid nothing to us?
 *
 * Read from /proc and /sys: the setting, the effective capabilities, the seccomp
 * filter, the user namespace, whether this looks like a container or a virtual machine,
 * where tracefs is and whether there are hardware counters.  None of it decides anything:
 * probe.h tries, and what is read here explains what came of it.  A file that cannot
 * be read is no fault: what it would say is not known.
 */
#ifndef HD_DOCTOR_RIGHTS_H
#define HD_DOCTOR_RIGHTS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum { HD_CAP_IPC_LOCK = 14, HD_CAP_SYS_ADMIN = 21, HD_CAP_SYSLOG = 34, HD_CAP_PERFMON = 38 };	/* linux/capability.h */

struct hd_rights {
	unsigned uid, gid;		/* effective */
	/* -1: not known, unless said */
	bool paranoid_known;
	int paranoid;			/* kernel.perf_event_paranoid */
	bool caps_known;
	uint64_t caps;			/* effective, a bit each */
	int seccomp;			/* 0 none, 1 strict, 2 a filter */
	int user_namespace;		/* 1: its root is not the machine's */
	bool container, virtual_machine;
	bool counters;			/* the kernel has a driver for hardware counters */
	char tracefs[128];		/* where it is mounted; "" nowhere */
	int kptr_restrict;
	long mlock_kb;			/* kernel.perf_event_mlock_kb */
	long max_rate;			/* samples a second */
	int nmi_watchdog;
	int lockdown;			/* 1: the kernel is locked down */
	bool swap;			/* some is in use */
	char huge_pages[16];		/* transparent ones: always, madvise, never; "" not known */
	char kernel[72];		/* release */
};

/* root: "" or a folder that stands for / (for tests). */
void hd_rights_read(struct hd_rights *r, const char *root);

/* Does the machine's kernel count us among those who may measure everything?  Capabilities of a user namespace do not count. */
bool hd_rights_perfmon(const struct hd_rights *r);
bool hd_rights_has(const struct hd_rights *r, unsigned cap);

/* A file of /proc or /sys below root into b, without the line ends at its end.  False when there is nothing to read. */
bool hd_sysfile_read(struct hd_buf *b, const char *root, const char *path);

#endif
