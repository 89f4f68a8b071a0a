/*
 * cmd_info.c - hotdrift info FILE: content and quality of a recording
 */
#include "cli/profile_source.h"
#include "cli/terminal.h"
#include "render/info.h"

#include <stdio.h>

struct info_opts {
	struct hd_terminal term;
	struct hd_input in;
	bool json;
	const char *out;
};

static const struct info_opts info_defaults = { 0 };

static const struct hd_opt info_opts[] = {
	HD_ROW_JSON(struct info_opts, "hotdrift.info"),
	HD_ROW_OUTPUT(struct info_opts),
	{ 0 },
};
static const struct hd_opt_group info_groups[] = {
	HD_INPUT_SELECT_GROUP(struct info_opts, in), HD_INPUT_MORE_GROUPS(struct info_opts, in),
	HD_INPUT_RUN_GROUPS(struct info_opts, in),
	HD_TERMINAL_GROUP(struct info_opts, term), { NULL, NULL, 0 },
};

static int info_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct info_opts *o = opts;
	struct hd_buf text = { 0 };
	struct hd_profile_source e;
	struct hd_profile *p;
	int rc;

	(void)argc;
	hd_terminal_begin(&text, &o->term, o->out);
	rc = hd_input_check(&o->in, "info", err);
	if (rc < 0)
		return rc;
	o->in.ingest.details = true;
	o->in.ingest.no_inline = !hd_input_inlined(&o->in, true);
	o->in.ingest.list_fields = true;
	rc = hd_profile_source_open(&e, argv[0], &o->in, true, log, err);
	if (rc < 0)
		return rc;
	p = e.p;
	hd_input_warn_few_samples(p, log);
	if (o->json)
		hd_info_json(&text, p);
	else
		hd_info_text(&text, p);
	rc = hd_output_write(o->out, &text, err);
	if (rc >= 0)
		rc = hd_input_need_quality(p, argv[0], &o->in, err);	/* the report above explains the reasons */
	hd_profile_source_release(&e);
	return rc;
}

const struct hd_cmd hd_cmd_info = {
	.name = "info",
	.reads = true,
	.args = "[FILE]",
	.summary = "describe what a recording holds, its quality, and how to fix each problem",
	.details =
		"FILE is perf.data (file, pipe or directory, also truncated), folded stacks, a heap recording, or a "
		"GPU capture: an export of Nsight Systems (SQLite), a trace of the PyTorch profiler (JSON, also "
		"gzipped), or a recording of libhotdrift-cuda.so; or a profile of another program: pprof, the text of "
		"perf script, speedscope (JSON), callgrind, each also gzipped; - is standard input.\n"
		"\n"
		"Samples: read = kept + dropped, and every drop has a reason.  Weights are in the event's unit.\n"
		"\n"
		"Stacks: a root is main, _start, start_thread, clone or start code of libc, by exact symbol range, "
		"or a function that has no caller according to its call frame information.  A stack truncated by the "
		"size of its copy is stitched: completed from another sample of its thread with the same frames.  "
		"Guessed frames were found only through frame pointers, in code without unwind information; a root "
		"found that way does not count.\n"
		"\n"
		"Quality: good means that at least 95 % of the stacks reach their root and lack no caller, and that at "
		"most 5 % of the frames lack a symbol; fair means at least 80 % and at most 20 %; otherwise, and if "
		"there are no stacks, it is poor.  A stack lacks a caller if its innermost function has no frame yet, "
		"which frame pointers do not show.\n"
		"\n"
		"If they were recorded, the report also has context switches, branches and mispredictions, BPF "
		"programs, and the number of bytes of hardware trace (Intel PT, ARM CoreSight, ...) that were not "
		"decoded.\n"
		"\n"
		"Damage is skipped, counted and reported as a warning (codes lost.*); with --strict it is an error.",
	.examples =
		"hotdrift info perf.data\tthe content of a recording\n"
		"perf record -o - -- ls | hotdrift info -\tfrom a pipe\n"
		"",
	HD_CMD_OPTS(info_opts, info_defaults),
	.groups = info_groups,
	.max_args = 1,
	.default_arg = "perf.data",
	.run = info_run,
};
