/*
 * names.c DIR - compare the normalised names of symbols (base/symbol_name.h) with symbols/identity.tsv
 *
 * Two symbols of different builds are the same function if their normalised names are equal.
 */
#include "answers.h"

#include "base/symbol_name.h"
#include "symbols/symbols.h"
#include "elf/demangle.h"
#include "elf/demangle.h"

int main(int argc, char **argv)
{
	struct verdict v = { .file = "symbols/identity.tsv" };
	struct table t;

	if (argc != 2)
		return 2;
	if (!answers_open(&t, argv[1], v.file))
		return 0;
	for (size_t i = 0; i < t.rows; i++, v.rows++) {
		const char *raw = cell(&t, i, "raw"), *want = cell(&t, i, "identity");
		char *demangled = hd_demangle(raw, true), *ours = hd_symbol_name_normalize(demangled ? demangled : raw);

		if (strcmp(ours, want) != 0)
			differ(&v, "row %zu: %s is %s, expected %s", i + 1, raw, ours, want);
		free(demangled);
		free(ours);
	}
	verdict_end(&v);
	answers_close(&t);
	return 0;
}
