/*
 * input.h - options, reading and output that all commands with an input share
 */
#ifndef HD_CLI_INPUT_H
#define HD_CLI_INPUT_H

#include "base/file.h"
#include "base/nearest.h"
#include "cli/cmd.h"
#include "cli/db_option.h"
#include "pipeline/pipeline.h"

/* Words of --weight, in the order of enum hd_weight. */
#define HD_WEIGHT_CHOICES	"period|samples|off-cpu|wall|syscalls"

/* Options of an input.  A command embeds it in its option struct and lists HD_INPUT_GROUPS. */
struct hd_input {
	/* How the input is read.  The options set some members; the command sets the others, such as keys and timed. */
	struct hd_pipeline_opts ingest;
	int inlined;			/* 1: --inline, -1: --no-inline, 0: the command's default */
	const char *min_quality;	/* percentage of stacks that must reach their root */
	/* the database, for operands that name a run or a commit (cli/profile_source.h) */
	struct hd_db_option db;
	const char *target;		/* target of the runs of a commit; NULL: not given */
};

/* All option groups of an input, for an option struct `type` with the member `member` of type struct hd_input. */
#define HD_INPUT_GROUPS(type, member) {								\
	{ "selection", hd_select_opts, offsetof(type, member) + offsetof(struct hd_input, ingest.select) },	\
	HD_INPUT_MORE_GROUPS(type, member),								\
	HD_INPUT_RUN_GROUPS(type, member),								\
	{ NULL, NULL, 0 },									\
}
#define HD_INPUT_SELECT_GROUP(type, member)								\
	{ "selection", hd_select_opts, offsetof(type, member) + offsetof(struct hd_input, ingest.select) }
/* Option groups of a command whose operands may be runs and commits. */
#define HD_INPUT_RUN_GROUPS(type, member)								\
	{ "input", hd_operand_opts, offsetof(type, member) },				\
	HD_DB_OPTION_GROUP(type, member.db)
/* Option groups of a command without a selection. */
#define HD_INPUT_MORE_GROUPS(type, member)								\
	{ "symbols", hd_symbols_opts, offsetof(type, member) + offsetof(struct hd_input, ingest) },		\
	{ "stacks", hd_stacks_opts, offsetof(type, member) }
extern const struct hd_opt hd_select_opts[];
extern const struct hd_opt hd_symbols_opts[];
extern const struct hd_opt hd_stacks_opts[];
extern const struct hd_opt hd_operand_opts[];

/* Read the input.  Warnings are added to `log`, also on failure.  *p is owned by the caller, NULL on failure. */
int hd_input_read(struct hd_profile **p, const char *path, const struct hd_input *in, struct hd_log *log,
	struct hd_err *err);

/*
 * Return true if inlined functions get costs of their own.  by_default: the result if neither --inline nor --no-inline
 * was given.
 */
static inline bool hd_input_inlined(const struct hd_input *in, bool by_default)
{
	return in->inlined ? in->inlined > 0 : by_default;
}

/* Return HD_EUSAGE if the selection or --min-quality is invalid.  Commands call it before they read anything. */
int hd_input_check(const struct hd_input *in, const char *command, struct hd_err *err);
/* Parse --percent-limit; NULL gives 0. */
int hd_input_percent_limit(double *pct, const char *text, const char *command, struct hd_err *err);
/*
 * Return HD_ENO if the percentage of stacks that reach their root function is below --min-quality.  Stitched stacks,
 * which were completed from other stacks, count as reaching the root.  An input without stacks has 0 %.
 */
int hd_input_need_quality(const struct hd_profile *p, const char *path, const struct hd_input *in, struct hd_err *err);
/*
 * Return HD_EFORMAT if the profile has no samples or none is selected, except for a heap recording without any sample.
 * If none is selected, the message has a function or object whose name resembles that of --symbol or --dso.
 */
int hd_input_need_samples(const struct hd_profile *p, const char *path, const struct hd_input *in, struct hd_err *err);
/* Like hd_input_read(), but also return the errors of hd_input_need_samples() and hd_input_need_quality(). */
int hd_input_read_samples(struct hd_profile **p, const char *path, const struct hd_input *in, struct hd_log *log,
	struct hd_err *err);
/*
 * Return the event that pictures and folded text show: the first event with samples; 0 if none has samples.  If the
 * profile has a GPU trace, the GPU events are considered first.
 */
uint32_t hd_input_main_event(const struct hd_profile *p);
/* Add the names of the functions of the profile to the candidates for "did you mean". */
void hd_input_try_symbols(struct hd_nearest *n, const struct hd_profile *p);
/*
 * Add the warning samples.few to the profile and to `log` (NULL: only to the profile) if the main event was sampled by
 * frequency or by a period above 1, and so few samples are selected that its shares are rough.
 */
void hd_input_warn_few_samples(struct hd_profile *p, struct hd_log *log);
/* If events other than `shown` have samples, add the warning event.others, which names up to 8 of them. */
void hd_input_note_other_events(const struct hd_profile *p, uint32_t shown, struct hd_log *log);

/* Write `text` to `path` (NULL, "-": stdout) and release it.  On failure an existing file is unchanged. */
int hd_output_write(const char *path, struct hd_buf *text, struct hd_err *err);

#endif
