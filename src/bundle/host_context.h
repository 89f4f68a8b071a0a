/*
 * host_context.h - properties of the recording machine on which symbol lookups depend
 *
 * They are determined when a recording is read on the machine that made it.  A bundle stores them, so that the
 * lookups have the same results on any machine.
 */
#ifndef HD_BUNDLE_HOST_CONTEXT_H
#define HD_BUNDLE_HOST_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

struct hd_host_context {
	bool guest_kernel;		/* --guest-kallsyms was given: the guest kernel has symbols */
	bool here;			/* the recording was made on the machine that read it */
	uint64_t mnt_ns, pid_ns;	/* namespaces of the reading process, if `here`; 0: unknown */
};

#endif
