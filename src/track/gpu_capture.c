/*
 * gpu_capture.c - start and stop the capture of a GPU profiler: hd_gpu_capture_start() and _stop() of hotdrift.h
 *
 * A profiler that was started with a capture range (nsys --capture-range=cudaProfilerApi) records between
 * cuProfilerStart() and cuProfilerStop() only.  The CUDA driver API documents both as functions without arguments that
 * return a CUresult.  The driver is never loaded here: a program that has not loaded it has no GPU work to capture.
 *
 * Thread-safe, because dlopen() and the driver are.
 */
#include "track/status.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* CUresult */
enum { CUDA_SUCCESS = 0, CUDA_NOT_INITIALIZED = 3, CUDA_DEINITIALIZED = 4, CUDA_INVALID_CONTEXT = 201 };

static int call(const char *name)
{
	void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD), *symbol;
	int (*function)(void), code;

	if (!driver)
		return HD_TRACK_UNSUPPORTED;
	symbol = dlsym(driver, name);
	memcpy(&function, &symbol, sizeof(function));
	code = symbol ? function() : -1;
	dlclose(driver);
	switch (code) {
	case CUDA_SUCCESS: return HD_TRACK_OK;
	case CUDA_NOT_INITIALIZED:
	case CUDA_DEINITIALIZED:
	case CUDA_INVALID_CONTEXT: return HD_TRACK_ORDER;
	}
	return HD_TRACK_UNSUPPORTED;
}

int hd_gpu_capture_start(void)
{
	return call("cuProfilerStart");
}

int hd_gpu_capture_stop(void)
{
	return call("cuProfilerStop");
}
