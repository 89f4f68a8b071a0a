/*
 * standin.h - what a test program asks of the stand-in for libcupti
 */
#ifndef STANDIN_H
#define STANDIN_H

#include <stdint.h>

/* One call of the CUDA API, and what it does on the GPU. */
struct standin_work {
	uint32_t runtime, driver; /* CUPTI's numbers of the functions, 0: none; with both, the first calls the second */
	unsigned int kernels;		/* of `ns` each, one after the other; more than one: a graph */
	const char *kernel;		/* mangled name */
	uint8_t copy;			/* 1 HtoD ... */
	uint8_t between, set, sync, strange;	/* strange: also a record of a kind that nobody knows */
	uint32_t stream;
	uint64_t ns, bytes;
};

void standin_work(const struct standin_work *w);
unsigned int standin_flushes(void);	/* calls of cuptiActivityFlushAll() that were begun */

#endif
