/*
 * machine.h - which machine a run was made on
 *
 * Runs are comparable when their fingerprints are equal: the SHA-256 over what decides
 * which code runs and how fast, as the kernel tells it:
 *
 *     arch, CPU model, CPU id, CPU flags (glibc picks its memcpy by them), CPUs online, SMT
 *
 * Kept beside it, for a warning when they differ, but not in it: kernel, microcode,
 * governor, memory, host name.  Readings that differ from boot to boot on one machine
 * (bogomips, MHz) are not looked at.  A host name is not in the fingerprint, so that
 * equal machines of a fleet share one history.
 */
#ifndef HD_HISTORY_MACHINE_H
#define HD_HISTORY_MACHINE_H

#include "base/sha256.h"

#include <stdint.h>

struct hd_machine {
	const char *source;		/* "here", "recording" */
	/* Strings are owned, NULL when not known. */
	char *arch, *cpu_model, *cpu_id;
	char *cpu_flags;		/* SHA-256 of the sorted flags */
	int64_t cpus_online;		/* -1: not known */
	char *smt;			/* "on", "off" */
	int64_t memory_bytes;		/* -1: not known */
	char *kernel, *microcode, *governor, *hostname;
	char *boot_id;			/* of the session, not of the machine: in no sum */
	const char *unread;		/* a file that is there and could not be read: not all is known; or NULL */

	char fingerprint[HD_SHA256_HEX];
	char key[HD_SHA256_HEX];	/* over everything but boot_id: one row per key */
};

/* This machine.  root: "" or a folder that stands for / (for tests). */
void hd_machine_here(struct hd_machine *m, const char *root);

/*
 * The machine of a recording: this one (as above) when host name, kernel, arch and
 * CPU model of the recording are its own, else the little that the recording says.
 * Arguments may be NULL or "".
 */
void hd_machine_of(struct hd_machine *m, const char *hostname, const char *kernel, const char *arch,
	const char *cpu_model, uint32_t cpus, uint64_t memory_bytes, const char *root);

/* Set the two sums from the fields. */
void hd_machine_seal(struct hd_machine *m);
void hd_machine_release(struct hd_machine *m);

#endif
