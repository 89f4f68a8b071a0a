/*
 * host_context.h - properties of the recording machine on which symbol lookups depend
 *
 * The properties are determined when a recording is read.  A bundle stores them, so that lookups from the bundle have
 * the same results on any machine.
 */
#ifndef HD_BUNDLE_HOST_CONTEXT_H
#define HD_BUNDLE_HOST_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

struct hd_host_context {
	bool guest_kernel;		/* the recording was read with --guest-kallsyms: symbols of a guest's kernel */
	bool here;			/* the recording was read on the machine that made it */
	/*
	 * The inodes of the mount namespace and of the pid namespace of the process that read the recording.  0:
	 * unknown, or the recording was read on another machine.
	 */
	uint64_t mnt_ns, pid_ns;
};

#endif
