/*
 * mode.h - the modes of `hotdrift profile`: one row per mode
 *
 * Everything that depends on a mode is a field of its row: the help text, what profile.sh passes to perf
 * and to the analysis (printed by hd_profile_mode_print()), what `doctor` requires for it, and how the
 * page of a session shows it.  A new mode is a new row.
 *
 * The rows are constant.  A string that does not apply is NULL.
 */
#ifndef HD_PROFILE_MODE_H
#define HD_PROFILE_MODE_H

#include "base/buf.h"

#include <stdbool.h>

enum { HD_PROFILE_MODE_TABLES = 4 };

struct hd_profile_mode {
	const char *word;		/* name on the command line, in run.json and in the database: "async" */
	const char *title;		/* name in messages; NULL: `word` */
	/* text for `profile --help`, lines separated by \n; NULL: the help does not list the mode */
	const char *help;
	unsigned position;		/* position on the page of a session, from 1; 0: no panel */
	bool in_all;			/* `profile all` runs it */

	/* ---- recording, by profile.sh ---- */
	const char *recorder;		/* "perf" or "heap"; for "gpu" and "power", profile.sh chooses a program */
	const char *artifact;		/* file name of the recording in the results folder */
	const char *shown_event;	/* event that is shown if the recorder is not perf */
	const char *events;		/* default for perf record -e */
	const char *stack_events;	/* events that get fewer stacks if the recording grows fast (thinning.sh) */
	const char *unprivileged_events;	/* replaces `events` where the kernel may not be recorded */
	const char *call_graph;		/* default for perf record --call-graph */
	const char *record_options;	/* further options of perf record */
	/* default of --freq for this mode, in Hz, lowered to the kernel's limit; 0: the general default of --freq */
	unsigned max_frequency;
	unsigned period;		/* record every n-th event instead of using a frequency; 0: use a frequency */
	unsigned unprivileged_period;	/* replaces `period` where the kernel may not be recorded */
	unsigned compress;		/* default level of perf record -z; 0: off */
	/*
	 * profile.sh plans the size of the recording from its duration (plan.sh), so reaching --max-size is a failure
	 */
	bool planned;

	/* ---- analysis ---- */
	/*
	 * each analysis gets the options --weight WEIGHT --no-kernel; NULL: neither.  With async --wall, WEIGHT is
	 * `wall` instead.
	 */
	const char *weight;
	bool skips_frames;		/* the rule `skip` of hotdrift.ini applies to this mode */
	/*
	 * "NAME OPTIONS": profile.sh writes NAME.txt, the first 500 rows of `hotdrift report OPTIONS`, which also gets
	 * the options of the analysis.  A table without rows is not written.
	 */
	const char *tables[HD_PROFILE_MODE_TABLES];

	/* ---- the page of a session ---- */
	const char *group_fields[2];	/* keys of the table of groups */
	const char *group_title;	/* title of that table */
	bool counts_calls;		/* samples are system calls */

	/* ---- doctor ---- */
	const char *trial;		/* name of the doctor's probe that shows whether the mode works */
	/* names of the probes that the mode needs, separated by blanks, the most fundamental one first */
	const char *needs;
	const char *works;		/* one line that describes the recording if everything works */
};

extern const struct hd_profile_mode hd_profile_modes[];	/* the last row has a NULL word */

/* Return the row of `word`, or NULL. */
const struct hd_profile_mode *hd_profile_mode_find(const char *word);
/* Return the name of a mode for messages; the string is a constant. */
const char *hd_profile_mode_title(const struct hd_profile_mode *m);
/* Return the position of a mode on the page of a session.  Unknown modes and modes without a panel come last. */
unsigned hd_profile_mode_position(const char *word);

/* Append the command line words of the modes that can be selected (`help` is set), separated by ", ". */
void hd_profile_mode_words(struct hd_buf *out);
/* Append the words of the modes that `profile all` runs, in order, separated by `separator`. */
void hd_profile_mode_words_of_all(struct hd_buf *out, const char *separator);
/* Append one help entry per selectable mode, as lines of `profile --help`. */
void hd_profile_mode_help(struct hd_buf *out);
/*
 * Append the fields that profile.sh needs (scripts/lib/modes.sh) as lines KEY=VALUE.  Fields that do not apply are
 * omitted.  A mode with several result tables has several lines with the key `table`.  `all` has the line
 * "modes=WORD WORD ..." with the modes that it runs.
 */
void hd_profile_mode_print(struct hd_buf *out, const struct hd_profile_mode *m);

/*
 * Return true for the units of what a program allocates, bytes and allocations.  Such costs do not depend on the speed
 * of the machine, so runs are compared as they are, also if their work is unknown.  NULL: false.
 */
bool hd_profile_mode_counts_memory(const char *unit);

#endif
