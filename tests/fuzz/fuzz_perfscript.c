/*
 * fuzz_perfscript.c - read any bytes as output of `perf script`
 *
 * Invariants: see named_profile.h.
 */
#include "fuzz/named_profile.h"

#include "pipeline/perf_script_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	hd_perf_script_input_is((const char *)data, size);
	check_named_reader(hd_perf_script_input_read, data, size);
	return 0;
}
