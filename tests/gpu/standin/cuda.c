/*
 * cuda.c - a stand-in for libcuda.so.1 with the two functions that libhotdrift calls
 *
 * standin_captures is the number of successful starts minus that of stops.  If HOTDRIFT_STANDIN_CUDA is set, both
 * functions only return this CUresult.
 */
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int standin_captures;
EXPORT int cuProfilerStart(void);
EXPORT int cuProfilerStop(void);

static int result(int change)
{
	const char *code = getenv("HOTDRIFT_STANDIN_CUDA");

	if (code && *code)
		return atoi(code);
	standin_captures += change;
	return 0;
}

int cuProfilerStart(void)
{
	return result(1);
}

int cuProfilerStop(void)
{
	return result(-1);
}
