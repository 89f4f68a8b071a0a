/*
 * machine.h - identify the machine of a run
 *
 * Runs are comparable only if the fingerprints of their machines are equal.  The fingerprint is the SHA-256 of what
 * decides which code runs and how fast, as the kernel reports it:
 *
 *     arch, CPU model, CPU id, CPU flags (glibc picks its memcpy by them), CPUs online, SMT
 *
 * Kernel, microcode, governor, memory and host name are stored, but are not part of the fingerprint: a difference in
 * the first three only causes a warning, and equal machines of a fleet share a history.  Values that differ from boot
 * to boot (bogomips, MHz) are ignored.
 */
#ifndef HD_HISTORY_MACHINE_H
#define HD_HISTORY_MACHINE_H

#include "base/sha256.h"

#include <stdint.h>

struct hd_machine {
	const char *source;		/* what was described: "here" (this machine) or "recording" */
	/* Strings are owned; NULL if unknown. */
	char *arch, *cpu_model, *cpu_id;
	char *cpu_flags;		/* SHA-256 of the sorted flags */
	int64_t cpus_online;		/* -1: unknown */
	char *smt;			/* "on", "off" */
	int64_t memory_bytes;		/* -1: unknown */
	char *kernel, *microcode, *governor, *hostname;
	char *boot_id;			/* a new value with each boot, so it is not part of fingerprint and key */
	/* a file that could not be read because of an I/O error or a lack of memory or descriptors; or NULL */
	const char *unread;

	char fingerprint[HD_SHA256_HEX];
	char key[HD_SHA256_HEX];	/* hash of all stored fields but boot_id; table machine has one row per key */
};

/* Describe this machine.  root: "", or a folder to use instead of / (for tests).  The caller releases *m. */
void hd_machine_here(struct hd_machine *m, const char *root);

/*
 * Describe the machine of a recording: this machine if its host name, kernel, architecture and (if this machine has
 * one) CPU model equal those of the recording; otherwise the machine that the arguments describe.  Strings may be NULL
 * or "", and numbers 0: unknown.  root: as for hd_machine_here().  The caller releases *m.
 */
void hd_machine_of(struct hd_machine *m, const char *hostname, const char *kernel, const char *arch,
	const char *cpu_model, uint32_t cpus, uint64_t memory_bytes, const char *root);

/* Set fingerprint and key from the other fields. */
void hd_machine_seal(struct hd_machine *m);
void hd_machine_release(struct hd_machine *m);

#endif
