/*
 * fuzz_demangle.c - demangle and normalise any bytes as a linkage name
 *
 * Invariants: the length of the result is limited, demangling again gives the same result, and hd_symbol_normalise()
 * always returns a name.
 */
#include "symbols/symbols.h"
#include "elf/demangle.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = malloc(size + 1);
	char *normal;

	if (!name)
		return 0;
	if (size)
		memcpy(name, data, size);
	name[size] = '\0';
	for (int full = 0; full < 2; full++) {
		char *a = hd_demangle(name, full), *b = hd_demangle(name, full);

		if (!a != !b || (a && strcmp(a, b)))
			abort();
		/*
		 * A name in D can repeat parts of itself by back references, so its limit is 16 MiB.  All other
		 * results are at most 64 KiB longer than the input.
		 */
		if (a && strlen(a) > (strstr(name, "_D") ? 16u << 20 : (64u << 10) + size))
			abort();
		free(a);
		free(b);
	}
	normal = hd_symbol_normalise(name);
	if (!normal)
		abort();
	free(normal);
	free(name);
	return 0;
}
