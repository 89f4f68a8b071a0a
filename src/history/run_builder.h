/*
 * run_builder.h - collect the data of a run from recordings, CSV files and the machine
 *
 * The events of several recordings are concatenated; each name and unit may occur once.  Machine and command are those
 * of the first recording.  The builder owns what hd_run_builder.run points to, except the strings and events that the
 * caller passes or sets; these are borrowed.  The order of calls is:
 *
 *     hd_run_csv_set_add()             each CSV file, into csvs
 *     hd_run_builder_add_profile()     each recording
 *     hd_run_builder_join()            all recordings
 *     hd_run_builder_add_events()      other events
 *     hd_run_builder_files()           paths and hashes of all files
 *     hd_run_builder_machine(), hd_run_builder_command()
 */
#ifndef HD_HISTORY_RUN_BUILDER_H
#define HD_HISTORY_RUN_BUILDER_H

#include "base/string_list.h"
#include "series/sample_folder.h"
#include "history/run_from_profile.h"
#include "history/run_csv.h"

enum hd_machine_choice { HD_MACHINE_AUTO, HD_MACHINE_HERE, HD_MACHINE_UNKNOWN };

struct hd_run_builder {
	struct hd_run run;
	struct hd_string_list recordings;		/* paths */
	struct hd_profile **profiles;		/* profiles of the recordings; they own the names in `run` */
	size_t nprofiles, profiles_cap;
	struct hd_run_profile_arrays *parts;	/* for each profile: its events and hotspots */
	struct hd_buf *folded;			/* for each event: its folded stacks */
	struct hd_run_event *events;
	struct hd_run_dropped *dropped;
	struct hd_run_csv_set csvs;
	struct hd_sample_folder samples;	/* files of `hotdrift sample`, or empty */
	struct hd_config config;
	struct hd_git_commit git;
	struct hd_machine machine;
	struct hd_log git_log;
	struct hd_buf command, selection, variables;
	char *compiler;
	struct hd_run_artifact *artifacts;
	char (*sums)[HD_SHA256_HEX];		/* SHA-256 of each artifact, in the order of run.artifacts */
};

/* Read the configuration of the run.  path NULL: the run has none. */
int hd_run_builder_config(struct hd_run_builder *m, const char *path, struct hd_err *err);
/* Add the profile of the next recording, in the order of m->recordings.  The builder takes ownership. */
void hd_run_builder_add_profile(struct hd_run_builder *m, struct hd_profile *p);
/*
 * Fill m->run from all profiles.  inlined: compute self and total with inlined functions as separate functions; stacks:
 * store folded stacks.  HD_EFORMAT if two recordings have the same event.
 */
int hd_run_builder_join(struct hd_run_builder *m, bool inlined, bool stacks, struct hd_log *log, struct hd_err *err);
/*
 * Append events that do not come from a recording; their strings are borrowed.  HD_EFORMAT: a recording has the same
 * event.
 */
int hd_run_builder_add_events(struct hd_run_builder *m, const struct hd_run_event *events, size_t n,
	struct hd_err *err);
/* List the recordings, the CSV files and the files `named` by the user as artifacts, with their sizes and hashes. */
int hd_run_builder_files(struct hd_run_builder *m, const struct hd_string_list *named, struct hd_err *err);
/*
 * Describe the machine of the run.  AUTO: the machine of the first recording; if there is no recording, or it does not
 * identify its machine, this machine if the files of `hotdrift sample` were written on it.
 */
void hd_run_builder_machine(struct hd_run_builder *m, enum hd_machine_choice which);
/*
 * Set the command of the run to `command`; if this is NULL, to the command of the first recording, or else of the
 * samples.
 */
void hd_run_builder_command(struct hd_run_builder *m, const char *command);
void hd_run_builder_release(struct hd_run_builder *m);

#endif
