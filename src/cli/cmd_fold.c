/*
 * cmd_fold.c - hotdrift fold FILE: write collapsed stacks
 */
#include "cli/flamegraph.h"
#include "cli/profile_source.h"

#include <string.h>

struct fold_opts {
	struct hd_input in;
	struct hd_folded_opts folded;
	int demangle;		/* 0: names with parameters; 1: without */
	int tidy;		/* 1: --tidy, -1: --no-tidy, 0: tidy if the input is text of perf script */
	const char *out;
};

static const struct fold_opts fold_defaults = { .demangle = 1 };

static const struct hd_opt fold_opts[] = {
	HD_ROW_OUTPUT(struct fold_opts),
	{ HD_OPT_FLAG, 0, "annotate", NULL,
		"mark kernel frames with _[k], inlined frames with _[i], JIT frames with _[j]",
		offsetof(struct fold_opts, folded.annotate) },
	{ HD_OPT_FLAG, 0, "all", NULL, "the same, in the spelling of stackcollapse-perf.pl",
		offsetof(struct fold_opts, folded.annotate) },
	{ HD_OPT_FLAG, 0, "annotate-kernel", NULL, "mark kernel frames only",
		offsetof(struct fold_opts, folded.annotate_kernel) },
	{ HD_OPT_FLAG, 0, "jit", NULL, "mark JIT frames only", offsetof(struct fold_opts, folded.annotate_jit) },
	{ HD_OPT_ENUM, 0, "process", "comm|pid|tid", "first frame: comm (default), comm-PID or comm-PID/TID",
		offsetof(struct fold_opts, folded.process) },
	{ HD_OPT_FLAG, 0, "addrs", NULL, "frames without a symbol are [OBJECT <address>] instead of [unknown]",
		offsetof(struct fold_opts, folded.addresses) },
	{ HD_OPT_FLAG, 0, "context", NULL, "append :FILE:LINE to frames whose source line is known",
		offsetof(struct fold_opts, folded.source) },
	{ HD_OPT_FLAG, 0, "merge-recursion", NULL, "a function that calls itself directly is one frame",
		offsetof(struct fold_opts, folded.merge_recursion) },
	{ HD_OPT_YES, 0, "tidy", NULL,
		"names as stackcollapse-perf.pl writes them (default for text of perf script)",
		offsetof(struct fold_opts, tidy) },
	{ HD_OPT_NO, 0, "no-tidy", NULL, "names as in the other outputs of hotdrift (default for other inputs)",
		offsetof(struct fold_opts, tidy) },
	{ HD_OPT_ENUM, 0, "demangle", "full|plain", "names with parameters (full) or without (default plain)",
		offsetof(struct fold_opts, demangle) },
	{ 0 },
};
static const struct hd_opt_group fold_groups[] = HD_INPUT_GROUPS(struct fold_opts, in);

static int fold_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct fold_opts *o = opts;
	struct hd_outfile out;
	struct hd_profile *p;
	int rc;

	(void)argc;
	o->in.ingest.keys = HD_KEY_COMM | (o->folded.process != HD_FOLDED_COMM ? HD_KEY_PID | HD_KEY_TID : 0);
	o->in.ingest.lines = o->folded.source;
	o->in.ingest.full_names = o->folded.full_names = o->demangle == 0;
	rc = hd_input_check(&o->in, "fold", err);
	if (rc < 0)
		return rc;
	o->in.ingest.no_inline = !hd_input_inlined(&o->in, true);
	rc = hd_profile_source_read_profile(&p, argv[0], &o->in, log, err);
	if (rc < 0)
		return rc;
	o->folded.tidy = o->tidy ? o->tidy > 0 : p->recording.format && !strcmp(p->recording.format, "perf script");
	rc = hd_outfile_open(&out, o->out, err);
	if (rc >= 0) {
		hd_input_note_other_events(p, hd_input_main_event(p), log);
		hd_folded_warn_omitted(log, p, hd_folded_write(&out, p, hd_input_main_event(p), &o->folded));
		rc = hd_outfile_commit(&out, err);
	}
	hd_profile_free(p);
	return rc;
}

const struct hd_cmd hd_cmd_fold = {
	.name = "fold", .reads = true, .args = "[FILE]", .summary = "write collapsed stacks: comm;main;f;g 123",
	.details =
		"One line per distinct stack: the frames, outermost first, then the weight in the event's unit "
		"(--weight samples: the number of samples).  Addresses without a symbol are [unknown].  Inlined "
		"functions are frames like the others; --annotate marks them, --no-inline omits them.  Bytes that "
		"could break a line are escaped as \\xHH, a backslash as \\\\.  If there are several events, the "
		"first with samples is written; --event selects another.\n"
		"\n"
		"--tidy writes names as stackcollapse-perf.pl and inferno-collapse-perf do: without parameters, a "
		"frame without a symbol as its object in brackets, blanks of thread names as underscores.  It is the "
		"default for text of perf script.  Their options correspond to: --all to --all, --kernel to "
		"--annotate-kernel, --jit to --jit, --pid to --process pid, --tid to --process tid, --addrs to "
		"--addrs, --event-filter to --event, --inline to --inline, --context to --context; "
		"stackcollapse-recursive.pl corresponds to --merge-recursion.",
	.examples =
		"hotdrift fold perf.data > folded.txt\tfor any flame graph tool\n"
		"hotdrift fold --weight samples --no-kernel perf.data\tcounts, user space only\n"
		"perf script -i perf.data | hotdrift fold -\tthe text of perf script\n"
		"",
	HD_CMD_OPTS(fold_opts, fold_defaults), .groups = fold_groups, .max_args = 1, .default_arg = "perf.data",
	.run = fold_run,
};
