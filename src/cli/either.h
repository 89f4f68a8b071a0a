/*
 * either.h - an operand that is an input or a run: `diff a.data latest:serve`
 *
 * A file of that name is read; else it is a run's name (store/past.h).  `run:NAME` is a
 * run even when there is such a file.  Of a run the folded stacks of one event are read back; of one
 * that was added without them there are only functions, which is a warning.
 */
#ifndef HD_CLI_EITHER_H
#define HD_CLI_EITHER_H

#include "cli/dbarg.h"
#include "cli/input.h"

struct hd_either {
	struct hd_profile *p;
	uint32_t event;		/* of p */
	double samples;		/* that its weight was counted from; 0: as the profile tells */
	char *run;		/* the run's id, or NULL */
	char *machine, *config, *inline_mode, *target;	/* of a run; NULL: not known */
};

/*
 * event: NULL, or its name; of folded text it is not asked for.  Warnings go to log.  An event or a
 * run that is not there is HD_EFORMAT, a run's name without a database HD_EFORMAT too, with both readings told.
 */
int hd_either_read(struct hd_either *e, const char *what, const char *event, const struct hd_input *in, const struct hd_dbarg *db,
		   struct hd_log *log, struct hd_err *err);
void hd_either_release(struct hd_either *e);

#endif
