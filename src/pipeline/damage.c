/*
 * damage.c - see damage.h
 */
#include "pipeline/damage.h"

#include "base/mem.h"

#include <string.h>

/*
 * Return true if --strict counts a warning with this code as damage: every code that begins with `lost.`, except those
 * in the list `sound`.  That includes losses by the memory limit (lost.budget, lost.callers).  The losses in `sound`
 * are no damage: the kernel or perf lost the data before the file was written, this version does not read it, or the
 * sample has no usable value in the field that --weight-field names.
 */
static bool is_damage(const char *code)
{
	static const char *const sound[] = {
		"lost.events", "lost.samples", "lost.chain", "lost.unwind-machine", "lost.unwind-child", "lost.aux",
		"lost.hardware-trace",
		"lost.deferred-chain",
		"lost.weight-field", "lost.weight-negative",
	};

	for (size_t i = 0; i < HD_COUNT(sound); i++)
		if (!strcmp(code, sound[i]))
			return false;
	return !strncmp(code, "lost.", 5);
}

int hd_damage_check(const struct hd_log *log, struct hd_err *err)
{
	for (size_t i = 0; i < log->n; i++)
		if (is_damage(log->items[i].code))
			return hd_fail(err, HD_EFORMAT, "%s (--strict)", log->items[i].text);
	return 0;
}
