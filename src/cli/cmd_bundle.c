/*
 * cmd_bundle.c - hotdrift bundle FILE -o x.hdb: a recording with its symbols in one file
 */
#include "cli/profile_source.h"
#include "pipeline/bundle_builder.h"

#include <stdlib.h>
#include <string.h>

struct bundle_opts {
	struct hd_bundle_builder_opts in;
	struct hd_input run;		/* how to find the recording of a run */
	const char *out;
};

static const struct bundle_opts bundle_defaults = { 0 };

static const struct hd_opt bundle_opts[] = {
	{ HD_OPT_OUT, 'o', "output", "FILE", "write the bundle to FILE; - is standard output",
		offsetof(struct bundle_opts, out) },
	{ HD_OPT_FLAG, 0, "whole-stacks", NULL,
		"keep copied stacks (perf record --call-graph dwarf) with all their bytes",
		offsetof(struct bundle_opts, in.whole_stacks) },
	{ HD_OPT_STR, 0, "symfs", "DIR", "look for the recorded files below DIR",
		offsetof(struct bundle_opts, in.symfs) },
	{ HD_OPT_STR, 0, "kallsyms", "FILE", "read kernel symbols from FILE",
		offsetof(struct bundle_opts, in.kallsyms) },
	{ HD_OPT_STR, 0, "guest-kallsyms", "FILE", "read symbols of guest kernels from FILE",
		offsetof(struct bundle_opts, in.guest_kallsyms) },
	{ HD_OPT_FLAG, 0, "strict", NULL, "exit 5 if the input is damaged, instead of warning",
		offsetof(struct bundle_opts, in.strict) },
	{ HD_OPT_UINT, 'j', "threads", "N",
		"unwind with N threads (default 0: up to one per core, one if more do not gain); the bundle does not "
			"depend on it",
		offsetof(struct bundle_opts, in.threads) },
	{ 0 },
};
static const struct hd_opt_group bundle_groups[] = {
	HD_INPUT_RUN_GROUPS(struct bundle_opts, run), { NULL, NULL, 0 },
};

static void describe(struct hd_buf *text, const char *path, const struct hd_bundle_builder_stats *st, uint64_t bytes)
{
	hd_buf_addf(text, "%s: %llu bytes from a recording of %llu; %zu objects with symbols, %zu without", path,
		(unsigned long long)bytes, (unsigned long long)st->recording_bytes, st->with_symbols,
		st->without_symbols);
	if (st->codes)
		hd_buf_addf(text, ", %zu with call frame information", st->codes);
	if (st->jitdumps)
		hd_buf_addf(text, "; the code of %zu jitdumps is replaced by zeroes", st->jitdumps);
	if (st->wiped_bytes)
		hd_buf_addf(text, "; %llu bytes of copied stacks that no result depends on are replaced by zeroes",
			(unsigned long long)st->wiped_bytes);
}

static int bundle_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct bundle_opts *o = opts;
	struct hd_bundle_builder_stats stats;
	struct hd_outfile out;
	struct hd_buf note = { 0 };
	char *path = NULL;
	int rc;

	(void)argc;
	if (!o->out)
		return hd_fail(err, HD_EUSAGE,
			"bundle: no output given; use -o FILE.hdb, or -o - for standard output");
	rc = hd_profile_source_recording(&path, argv[0], &o->run, o->out, err);
	if (rc >= 0)
		rc = hd_outfile_open_private(&out, o->out, err);
	if (rc >= 0) {
		rc = hd_bundle_builder_run(&out, path, &o->in, &stats, log, err);
		if (rc < 0)
			hd_outfile_discard(&out);
	}
	free(path);
	if (rc < 0)
		return rc;
	hd_outfile_flush(&out);
	describe(&note, strcmp(o->out, "-") ? o->out : "the bundle", &stats, out.written);
	rc = hd_outfile_commit(&out, err);
	if (rc >= 0) {
		hd_log_print(log, stderr);
		hd_print_message("note", note.data);
	}
	hd_buf_release(&note);
	return rc;
}

const struct hd_cmd hd_cmd_bundle = {
	.name = "bundle",
	.reads = true,
	.args = "[FILE]",
	.summary = "write a recording and its symbols into one file that every command reads anywhere",
	.details =
		"FILE is perf.data (file, pipe or directory); - is standard input.  If FILE is a run, a commit or "
		"`latest`, its recording is read, as in 'hotdrift annotate'.  A recording refers to the "
		"program files that ran, and without exactly these files its addresses have no names.  Make the "
		"bundle on the machine of the recording.  It holds the recording and everything that its addresses "
		"need: symbols, debug information, /proc/kallsyms, perf maps, and the call frame information that "
		"unwinds its copied stacks.  From JIT compilers it holds the names and lines in jit-PID.dump, "
		"without the code.  Every command gives the same result for the bundle on any machine as for the "
		"recording here: no file of the reading machine is used.  Only annotate, tui and report --html also "
		"show code and source lines, of files that they find there.\n"
		"\n"
		"Copied stacks (--call-graph dwarf) are the largest part of a recording and hold everything that the "
		"process had on its stack.  Bytes that no result depends on are replaced by zeroes, unless "
		"--whole-stacks is given.  Recordings made with perf record -z keep them.  Command lines, host name, "
		"paths and tracepoint data stay in the bundle.\n"
		"\n"
		"--symfs and --kallsyms apply when the bundle is made.  When a bundle is read they have no effect, "
		"and a warning says so.\n"
		"\n"
		"The format is stable; docs/bundle.md describes it.",
	.examples = "hotdrift bundle perf.data -o ci.hdb\ton the machine where it was recorded\n"
		    "hotdrift flame ci.hdb -o ci.svg\tanywhere\n"
		    "perf record -o - -g -- ./app | hotdrift bundle - -o app.hdb\tfrom a pipe\n",
	HD_CMD_OPTS(bundle_opts, bundle_defaults),
	.groups = bundle_groups,
	.max_args = 1,
	.default_arg = "perf.data",
	.run = bundle_run,
};
