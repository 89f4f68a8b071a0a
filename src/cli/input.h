/*
 * input.h - what every command that reads an input shares: options, opening, output
 */
#ifndef HD_CLI_INPUT_H
#define HD_CLI_INPUT_H

#include "base/file.h"
#include "cli/cmd.h"
#include "cli/db_option.h"
#include "pipeline/pipeline.h"

/* Filled by HD_INPUT_GROUPS; put it into the command's option struct. */
/* Words of --weight, in the order of enum hd_weight. */
#define HD_WEIGHT_CHOICES	"period|samples|off-cpu|wall|syscalls"

struct hd_input {
	struct hd_pipeline_opts ingest;	/* but for no_inline, which the command sets */
	int inlined;			/* 1: --inline, -1: --no-inline, 0: as the command does it */
	const char *min_quality;	/* per cent of stacks that must reach their root */
	struct hd_db_option db;		/* of operands that name a run or a commit (cli/profile_source.h) */
	const char *target;		/* of the runs of a commit; NULL: they have one target only */
};

/* The groups "selection", "symbols", "stacks" and of stored runs, for an option struct whose hd_input is `member`. */
#define HD_INPUT_GROUPS(type, member) {								\
	{ "selection", hd_select_opts, offsetof(type, member) + offsetof(struct hd_input, ingest.select) },	\
	HD_INPUT_MORE_GROUPS(type, member),								\
	HD_INPUT_RUN_GROUPS(type, member),								\
	{ NULL, NULL, 0 },									\
}
#define HD_INPUT_SELECT_GROUP(type, member)								\
	{ "selection", hd_select_opts, offsetof(type, member) + offsetof(struct hd_input, ingest.select) }
/* For a command whose operands may be runs and commits. */
#define HD_INPUT_RUN_GROUPS(type, member)								\
	{ "input", hd_operand_opts, offsetof(type, member) },				\
	HD_DB_OPTION_GROUP(type, member.db)
/* For a command that takes the whole input. */
#define HD_INPUT_MORE_GROUPS(type, member)								\
	{ "symbols", hd_symbols_opts, offsetof(type, member) + offsetof(struct hd_input, ingest) },		\
	{ "stacks", hd_stacks_opts, offsetof(type, member) }
extern const struct hd_opt hd_select_opts[];
extern const struct hd_opt hd_symbols_opts[];
extern const struct hd_opt hd_stacks_opts[];
extern const struct hd_opt hd_operand_opts[];

/*
 * Read the input.  Its warnings go to `log` too (also on failure), so that main prints
 * them.  *p is NULL on failure.
 */
int hd_input_read(struct hd_profile **p, const char *path, const struct hd_input *in, struct hd_log *log,
	struct hd_err *err);

/* Does self cost go to inlined functions?  unsaid: the answer when neither --inline nor --no-inline was given. */
static inline bool hd_input_inlined(const struct hd_input *in, bool unsaid)
{
	return in->inlined ? in->inlined > 0 : unsaid;
}

/* HD_EUSAGE if the selection or --min-quality is invalid.  Commands call it before they read anything. */
int hd_input_check(const struct hd_input *in, const char *command, struct hd_err *err);
/* --percent-limit; NULL is 0. */
int hd_input_percent_limit(double *pct, const char *text, const char *command, struct hd_err *err);
/*
 * HD_ENO when fewer stacks reach their root, stitched ones included, than --min-quality wants.
 * What has no stacks at all counts as 0 %.
 */
int hd_input_need_quality(const struct hd_profile *p, const char *path, const struct hd_input *in, struct hd_err *err);
/*
 * For a command that has nothing to say without samples: hd_input_read, then
 * HD_EFORMAT when no event has one, then hd_input_need_quality.  *p is NULL on failure.
 */
int hd_input_read_samples(struct hd_profile **p, const char *path, const struct hd_input *in, struct hd_log *log,
	struct hd_err *err);
/* The first event with samples; what pictures and folded text are made of. */
uint32_t hd_input_main_event(const struct hd_profile *p);
/* More events with samples than one: a note that the others exist. */
void hd_input_note_other_events(const struct hd_profile *p, uint32_t shown, struct hd_log *log);

/* Write a finished text to path (NULL, "-": stdout), whole or not at all. */
int hd_output_write(const char *path, struct hd_buf *text, struct hd_err *err);

#endif
