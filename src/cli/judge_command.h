/*
 * judge_command.h - options, limits of hotdrift.ini and outputs that gate and drift share
 */
#ifndef HD_CLI_JUDGE_COMMAND_H
#define HD_CLI_JUDGE_COMMAND_H

#include "cli/cmd.h"
#include "cli/db_option.h"
#include "cli/terminal.h"
#include "gate/judge.h"

struct hd_judge_command_opts {
	struct hd_terminal term;
	const char *target, *mode, *event, *pin, *ini;
	const char *limit, *floor, *total, *latency, *memory, *energy;
	const char *junit, *sarif, *codequality, *openmetrics, *comment, *out;
	bool test_equal_builds, no_record, json, markdown;
	bool no_pin;			/* ignore the key `pin` of hotdrift.ini; set by gate --bisect */
};

extern const struct hd_opt hd_judge_command_rows[];
#define HD_JUDGE_COMMAND_GROUP(type, member)								\
	{ "judging", hd_judge_command_rows, offsetof(type, member) }, HD_TERMINAL_GROUP(type, member.term)

/*
 * Judge, store the verdict unless jo->no_record is set, and print the comparison.  A verdict that cannot be stored is a
 * warning.  The caller initialises *what from hd_judge_defaults and sets base and head.  The function sets the filter,
 * the pin and test_equal_builds, and those limits that hotdrift.ini or `jo` gives.  what->pin is invalid after the
 * call.  Returns 0 or more for any verdict, which the caller turns into an exit status, or a negative code for an
 * error.  The caller zeroes *c before the call and releases it in any case.
 */
int hd_judge_command_run(struct hd_comparison *c, const struct hd_db_option *arg,
	const struct hd_judge_command_opts *jo, struct hd_judge_opts *what, const char *command, struct hd_log *log,
	struct hd_err *err);

#endif
