/* standin.h - the interface of the stand-in for libcupti to its test programs */
#ifndef STANDIN_H
#define STANDIN_H

#include <stdint.h>

/* One call of the CUDA API, and what it does on the GPU. */
struct standin_work {
	/* CUPTI numbers of the API functions; 0: not called.  The runtime function calls the driver function. */
	uint32_t runtime, driver;
	/* number of kernels of `ns` each, one after the other; more than one form a graph */
	unsigned int kernels;
	const char *kernel;		/* mangled name */
	uint8_t copy;			/* CUPTI's kind of copy: 1 host to device, 2 device to host; 0: none */
	uint8_t between, set, sync, strange;	/* other activities; strange: an unknown kind */
	uint32_t stream;
	uint64_t ns, bytes;
};

void standin_work(const struct standin_work *w);
unsigned int standin_flushes(void);	/* number of calls of cuptiActivityFlushAll() that have begun */

#endif
