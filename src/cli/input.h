/*
 * input.h - what every command that reads an input shares: options, opening, output
 */
#ifndef HD_CLI_INPUT_H
#define HD_CLI_INPUT_H

#include "base/file.h"
#include "cli/cmd.h"
#include "ingest/ingest.h"

/* Filled by hd_input_groups; put it into the command's option struct. */
struct hd_input {
	struct hd_ingest_opts ingest;
};

/* The groups "selection" and "symbols", for an option struct whose hd_input is at `offset`. */
#define HD_INPUT_GROUPS(type, member) {								\
	{ "selection", hd_select_opts, offsetof(type, member) + offsetof(struct hd_input, ingest.select) },	\
	{ "symbols", hd_symbols_opts_rows, offsetof(type, member) + offsetof(struct hd_input, ingest) },		\
	{ NULL, NULL, 0 },									\
}
extern const struct hd_opt hd_select_opts[];
extern const struct hd_opt hd_symbols_opts_rows[];

/*
 * Read the input.  Its warnings move to `log` (also on failure), so that main prints
 * them; p keeps none.  *p is NULL on failure.
 */
int hd_input_read(struct hd_profile **p, const char *path, const struct hd_input *in, struct hd_log *log, struct hd_err *err);

/* HD_EFORMAT with a clear sentence when no event has samples. */
int hd_input_need_samples(const struct hd_profile *p, const char *path, struct hd_err *err);
/* The first event with samples; what pictures and folded text are made of. */
uint32_t hd_input_main_event(const struct hd_profile *p);
/* More events with samples than one: a note that the others exist. */
void hd_input_note_other_events(const struct hd_profile *p, uint32_t shown, struct hd_log *log);

/* Write a finished text to path (NULL, "-": stdout), whole or not at all. */
int hd_output_write(const char *path, struct hd_buf *text, struct hd_err *err);

#endif
