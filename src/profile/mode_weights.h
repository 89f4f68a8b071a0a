/*
 * mode_weights.h - parse the weights of the modes of `hotdrift profile`, which apply when their costs are combined
 *
 *     cpu=0.6, memory=0.2, syscall=0.2
 *
 * Only ratios matter: cpu=3,memory=1,syscall=1 is the same.  A mode that is not named has the weight 0.
 */
#ifndef HD_PROFILE_MODE_WEIGHTS_H
#define HD_PROFILE_MODE_WEIGHTS_H

#include "base/err.h"

#include <stddef.h>

enum { HD_MODE_WEIGHTS_MAX = 16 };

#define HD_MODE_WEIGHTS_DEFAULT "cpu=0.6,memory=0.2,syscall=0.2"

struct hd_mode_weights {
	/* The weights add up to 1. */
	struct hd_mode_weight { const char *mode; double weight; } of[HD_MODE_WEIGHTS_MAX];
	size_t n;
};

/*
 * Parse MODE=NUMBER, separated by commas or newlines, and scale the weights to a sum of 1.  Modes of weight 0 are
 * dropped.  Returns HD_EUSAGE for an unknown mode, a mode that has no hotspots or occurs twice, a number below 0 or not
 * finite, or if no weight is above 0; `where` begins the message.
 */
int hd_mode_weights_parse(struct hd_mode_weights *w, const char *text, const char *where, struct hd_err *err);

/* Return the index of a mode, or w->n. */
size_t hd_mode_weights_find(const struct hd_mode_weights *w, const char *mode);

#endif
