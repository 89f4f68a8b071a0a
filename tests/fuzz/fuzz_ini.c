/* fuzz_ini.c - read any bytes as hotdrift.ini; an accepted file must be usable */
#include "cli/ini.h"
#include "profile/mode_weights.h"
#include "profile/owner_rules.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Use the weights and rules as `opportunities` does. */
static void use_rules(const struct hd_ini *ini)
{
	const struct hd_owner_names names = { "Parser::parse", "_ZN6Parser5parseEv", "/opt/app/serve",
		"src/parser/a.c" };
	struct hd_owner_rules rules = { 0 };
	struct hd_mode_weights w;
	struct hd_err err;
	double sum = 0;

	if (ini->weights && hd_mode_weights_parse(&w, ini->weights, "input", &err) >= 0) {
		for (size_t i = 0; i < w.n; i++)
			sum += w.of[i].weight;
		assert(sum > 0.999 && sum < 1.001);
	}
	for (size_t i = 0; i < ini->nowners; i++) {
		assert(*ini->owners[i].name && *ini->owners[i].patterns);
		hd_owner_rules_add(&rules, ini->owners[i].name, ini->owners[i].patterns, "input", &err);
	}
	hd_owner_rules_find(&rules, &names);
	hd_owner_rules_release(&rules);
}

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
		use_rules(&ini);
	}
	hd_ini_release(&ini);
	hd_log_release(&log);
	return 0;
}
