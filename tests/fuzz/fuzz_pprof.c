/*
 * fuzz_pprof.c - read any bytes as profile.proto
 *
 * Invariants: see named_profile.h.
 */
#include "fuzz/named_profile.h"

#include "pipeline/pprof_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	hd_pprof_input_is((const char *)data, size);
	check_named_reader(hd_pprof_input_read, data, size);
	return 0;
}
