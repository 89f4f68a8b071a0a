/*
 * fuzz_callgrind.c - read any bytes as a callgrind profile
 *
 * Invariants: see named_profile.h.
 */
#include "fuzz/named_profile.h"

#include "pipeline/callgrind_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	hd_callgrind_input_is((const char *)data, size);
	check_named_reader(hd_callgrind_input_read, data, size);
	return 0;
}
