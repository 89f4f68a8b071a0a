/* fuzz_samples.c - read any bytes as the sample.json of `hotdrift sample`; an accepted file must be usable */
#include "series/sample_folder.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void is_file(const char *path, const char *want)
{
	assert(!path || !strcmp(path, want));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_sample_folder s;
	struct hd_err err = { 0 };

	if (hd_sample_folder_parse(&s, (const char *)data, size, "dir", "input", &err) < 0) {
		assert(err.msg[0] && !s.power && !s.command);
		return 0;
	}
	assert(!strcmp(s.status, "ok") || !strcmp(s.status, "failed") || !strcmp(s.status, "interrupted"));
	assert(s.exit_status >= -1 && s.exit_status <= 255 && s.started_s >= 0);
	assert(s.power || s.gpu || s.memory);
	is_file(s.power, "dir/power.csv");
	is_file(s.gpu, "dir/gpu.csv");
	is_file(s.memory, "dir/memory.csv");
	hd_sample_folder_release(&s);
	return 0;
}
