/* fuzz_ini.c - any bytes as hotdrift.ini; an accepted file must be usable */
#include "cli/ini.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_ini ini = { 0 };
	struct hd_log log = { 0 };
	struct hd_err err;

	if (hd_ini_parse(&ini, (const char *)data, size, "input", &log, &err) >= 0) {
		for (size_t i = 0; i < ini.ntargets; i++) {
			const struct hd_ini_target *t = &ini.targets[i];

			assert(*t->name && *t->name != '-' && !strchr(t->name, '/'));
			assert(hd_ini_find(&ini, t->name) == t);
			for (int k = 0; k < HD_INI_KEYS; k++)
				assert(!t->value[k] || (*t->value[k] && t->value_line[k] > t->line));
		}
	}
	hd_ini_release(&ini);
	hd_log_release(&log);
	return 0;
}
