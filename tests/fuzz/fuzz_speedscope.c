/*
 * fuzz_speedscope.c - read any bytes as JSON of speedscope
 *
 * Invariants: see named_profile.h.
 */
#include "fuzz/named_profile.h"

#include "pipeline/speedscope_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	hd_speedscope_input_is((const char *)data, size);
	check_named_reader(hd_speedscope_input_read, data, size);
	return 0;
}
