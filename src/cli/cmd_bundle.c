/*
 * cmd_bundle.c - hotdrift bundle FILE -o x.hdb
 */
#include "cli/input.h"
#include "pipeline/bundle_builder.h"

#include <stdlib.h>
#include <string.h>

struct bundle_opts {
	struct hd_bundle_builder_opts in;
	const char *out;
};

static const struct bundle_opts bundle_defaults = { 0 };

static const struct hd_opt bundle_opts[] = {
	{ HD_OPT_OPERAND, 'i', "input", "FILE", "the same as FILE as an operand, as perf spells it", 0 },
	{ HD_OPT_STR, 'o', "output", "FILE", "write the bundle to FILE; - is standard output",
		offsetof(struct bundle_opts, out) },
	{ HD_OPT_FLAG, 0, "whole-stacks", NULL,
		"keep copied stacks (perf record --call-graph dwarf) as they are, with all that stood in them",
		offsetof(struct bundle_opts, in.whole_stacks) },
	{ HD_OPT_STR, 0, "symfs", "DIR", "look for the recorded files below DIR",
		offsetof(struct bundle_opts, in.symfs) },
	{ HD_OPT_STR, 0, "kallsyms", "FILE", "take kernel symbols from FILE",
		offsetof(struct bundle_opts, in.kallsyms) },
	{ HD_OPT_STR, 0, "guest-kallsyms", "FILE", "take symbols of the guests' kernels from FILE",
		offsetof(struct bundle_opts, in.guest_kallsyms) },
	{ HD_OPT_FLAG, 0, "strict", NULL, "damage in the input is an error (exit 5), not a warning",
		offsetof(struct bundle_opts, in.strict) },
	{ HD_OPT_UINT, 'j', "threads", "N", "unwind with N threads (default 0: one a core); the bundle is the same",
		offsetof(struct bundle_opts, in.threads) },
	{ 0 },
};

static void describe(struct hd_buf *text, const char *path, const struct hd_bundle_builder_stats *st, uint64_t bytes)
{
	hd_buf_addf(text, "%s: %llu bytes from a recording of %llu; %zu objects with symbols, %zu without", path,
		(unsigned long long)bytes, (unsigned long long)st->recording_bytes, st->with_symbols,
		st->without_symbols);
	if (st->codes)
		hd_buf_addf(text, ", %zu with call frame information", st->codes);
	if (st->jitdumps)
		hd_buf_addf(text, "; the code in %zu jitdumps is zeros in it", st->jitdumps);
	if (st->wiped_bytes)
		hd_buf_addf(text, "; %llu bytes of copied stacks that no answer depends on are zeros in it",
			(unsigned long long)st->wiped_bytes);
}

static int bundle_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct bundle_opts *o = opts;
	struct hd_bundle_builder_stats stats;
	struct hd_outfile out;
	struct hd_buf note = { 0 };
	int rc;

	(void)argc;
	if (!o->out)
		return hd_fail(err, HD_EUSAGE,
			"bundle: say where to write it: -o FILE.hdb, or -o - for standard output");
	rc = hd_outfile_open_private(&out, o->out, err);
	if (rc < 0)
		return rc;
	rc = hd_bundle_builder_run(&out, argv[0], &o->in, &stats, log, err);
	if (rc < 0) {
		hd_outfile_discard(&out);
		return rc;
	}
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
	.summary = "a recording and the symbols it needs in one file that every command reads on any machine",
	.details =
		"FILE is perf.data (file, pipe or directory); - is standard input.  A recording names the files that "
		"ran, and\n"
		"without those very files its addresses have no names.  Make the bundle where it was recorded: it "
		"holds the\n"
		"recording and what symbol tables, debug information, /proc/kallsyms and perf maps say of its "
		"addresses, and the\n"
		"call frame information that its copied stacks are unwound by; of JITs the names and lines in their "
		"jit-PID.dump,\n"
		"without code.  Every command gives the same answer for the bundle, anywhere, as for the recording "
		"here; nothing\n"
		"of the machine where it is read is looked at.\n"
		"Copied stacks (--call-graph dwarf) are most of a recording and hold whatever the process had on its "
		"stack.\n"
		"What no answer depends on is zeros in the bundle, unless --whole-stacks is given; recordings made "
		"with\n"
		"perf record -z keep theirs.  Command lines, host name, paths and tracepoint data stay in it.\n"
		"--symfs and --kallsyms count here; for a bundle that is read they change nothing, which is warned "
		"of.\n"
		"The format is stable: docs/bundle.md.",
	.examples = "hotdrift bundle perf.data -o ci.hdb\ton the machine where it was recorded\n"
		    "hotdrift flame ci.hdb -o ci.svg\tanywhere\n"
		    "perf record -o - -g -- ./app | hotdrift bundle - -o app.hdb\tfrom a pipe\n",
	HD_CMD_OPTS(bundle_opts, bundle_defaults),
	.max_args = 1,
	.default_arg = "perf.data",
	.run = bundle_run,
};
