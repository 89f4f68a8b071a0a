/*
 * standin.h - find the stand-ins for libraries of NVIDIA (tests/gpu/standin/) in the build folder
 */
#ifndef TESTS_UNIT_TRACK_STANDIN_H
#define TESTS_UNIT_TRACK_STANDIN_H

#include "test.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Return the path O/NAME, for this program O/tests/unit/track/PROGRAM; valid until the next call. */
static inline const char *built(const char *name)
{
	static char path[PATH_MAX + 128];
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);

	EXPECT(n > 0 && n < PATH_MAX);
	path[n] = '\0';
	for (int i = 0; i < 4; i++)
		*strrchr(path, '/') = '\0';
	snprintf(path + strlen(path), 128, "/%s", name);
	return path;
}

/* Return the path of the stand-in "nvml" or "nvml-old", and pass it `words`, its settings. */
static inline const char *standin_nvml(const char *name, const char *words)
{
	char file[64];

	snprintf(file, sizeof(file), "tests/gpu/standin/%s.so", name);
	setenv("HOTDRIFT_STANDIN_NVML", words, 1);
	return built(file);
}

#endif
