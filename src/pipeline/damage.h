/*
 * damage.h - distinguish damage of an input from losses that happened before it was written
 */
#ifndef HD_PIPELINE_DAMAGE_H
#define HD_PIPELINE_DAMAGE_H

#include "base/err.h"
#include "base/log.h"

/*
 * For --strict: return HD_EFORMAT with the text of the first warning in `log` that reports damage or a loss by the
 * memory limit, else 0.
 */
int hd_damage_check(const struct hd_log *log, struct hd_err *err);

#endif
