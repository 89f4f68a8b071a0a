/*
 * material.h - everything that a run points to while `add` puts it together
 *
 * Of several recordings the events follow each other, each name and unit once; the first one says where and
 * with what command.  Their profiles stay open until the run is written, since names are borrowed.
 *
 *     hd_run_csvs_add       each CSV, into csvs
 *     hd_material_read      the recordings
 *     hd_material_files     paths and sums of all of it
 *     hd_material_machine, hd_material_command
 */
#ifndef HD_CLI_MATERIAL_H
#define HD_CLI_MATERIAL_H

#include "cli/input.h"
#include "cli/samples.h"
#include "store/anchor.h"
#include "store/from_profile.h"
#include "store/from_series.h"

enum hd_machine_choice { HD_MACHINE_AUTO, HD_MACHINE_HERE, HD_MACHINE_UNKNOWN };

struct hd_material {
	struct hd_run run;
	struct hd_words recordings;		/* paths */
	struct hd_profile **profiles;
	struct hd_run_parts *parts;		/* of each */
	struct hd_buf *folded;			/* of each event */
	struct hd_run_event *events;
	struct hd_run_dropped *dropped;
	struct hd_run_csvs csvs;
	struct hd_samples samples;		/* of `hotdrift sample`, or empty */
	struct hd_config config;
	struct hd_gitinfo git;
	struct hd_machine machine;
	struct hd_key key;
	struct hd_log git_log;
	struct hd_buf command, selection, variables;
	char *compiler;
	struct hd_run_artifact *artifacts;
	char (*sums)[HD_SHA256_HEX];		/* of the artifacts */
};

int hd_material_config(struct hd_material *m, const char *path, struct hd_err *err);	/* NULL: none */
int hd_material_key(struct hd_material *m, const char *path, struct hd_log *log, struct hd_err *err);	/* NULL: none */
/* stacks: keep them folded.  Warnings of the reader go to log. */
int hd_material_read(struct hd_material *m, const struct hd_input *in, bool stacks, struct hd_log *log, struct hd_err *err);
int hd_material_files(struct hd_material *m, const struct hd_words *named, struct hd_err *err);
void hd_material_machine(struct hd_material *m, enum hd_machine_choice which);
void hd_material_command(struct hd_material *m, const char *said);
void hd_material_release(struct hd_material *m);

#endif
