/*
 * variants.c - the commands that are measured
 *
 *     -- CMD ARGS                       one command
 *     -- A ARGS -- B ARGS               two commands, the base first; --separator replaces the second --
 *     --base 'A ARGS' --head 'B ARGS'   the same, split at blanks and quotes without a shell
 *     --base-dir D --head-dir E -- CMD  one command in two folders, such as two checkouts
 *     --target NAME                     the run line of hotdrift.ini, run by `sh -c`
 *
 * With --shell, `sh -c` runs each of these commands.
 */
#include "bench/bench.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int from_text(struct hd_argv *out, const struct hd_bench_opts *o, const char *text, struct hd_err *err)
{
	if (!o->shell)
		return hd_argv_split(out, text, err);
	hd_argv_shell(out, text);
	return 0;
}

/* Build a command from operands.  With --shell, they are joined with blanks into one shell command line. */
static int from_words(struct hd_argv *out, const struct hd_bench_opts *o, char **words, int n, struct hd_err *err)
{
	struct hd_buf text = { 0 };

	*out = (struct hd_argv){ 0 };
	if (!n)
		return hd_fail(err, HD_EUSAGE, "bench: a command is missing on one side of '%s'", o->separator);
	for (int i = 0; i < n && !o->shell; i++)
		hd_argv_add(out, words[i], strlen(words[i]));
	if (o->shell) {
		for (int i = 0; i < n; i++)
			hd_buf_addf(&text, "%s%s", i ? " " : "", words[i]);
		hd_argv_shell(out, text.data);
	}
	hd_buf_release(&text);
	return 0;
}

static int from_operands(struct hd_bench *b, int argc, char **argv, struct hd_err *err)
{
	int at = 0, rc;

	while (at < argc && (!*b->o->separator || strcmp(argv[at], b->o->separator) != 0))
		at++;
	for (int i = at + 1; i < argc && *b->o->separator; i++)
		if (!strcmp(argv[i], b->o->separator))
			return hd_fail(err, HD_EUSAGE,
				"bench: at most two commands can be compared; if a '%s' belongs to a command, give "
				"--separator WORD, or --separator '' for a single command",
				b->o->separator);
	rc = from_words(&b->side[0].command, b->o, argv, at, err);
	b->nsides = 1;
	if (rc < 0 || at == argc)
		return rc;
	b->nsides = 2;
	return from_words(&b->side[1].command, b->o, argv + at + 1, argc - at - 1, err);
}

/* Apply --base-dir and --head-dir.  A single command is run in both folders. */
static int into_folders(struct hd_bench *b, struct hd_err *err)
{
	const struct hd_bench_opts *o = b->o;

	if (!o->base_dir || !o->head_dir)
		return hd_fail(err, HD_EUSAGE, "bench: --base-dir and --head-dir go together");
	if (b->nsides == 1) {
		for (size_t i = 0; i < b->side[0].command.argc; i++)
			hd_argv_add(&b->side[1].command, b->side[0].command.argv[i],
				strlen(b->side[0].command.argv[i]));
		b->nsides = 2;
	}
	free(b->side[0].dir);
	b->side[0].dir = hd_strdup(o->base_dir);
	b->side[1].dir = hd_strdup(o->head_dir);
	for (int i = 0; i < 2; i++)
		if (access(b->side[i].dir, X_OK) < 0)
			return hd_fail_errno(err, HD_EIO, errno, "bench: %s: cannot run there", b->side[i].dir);
	return 0;
}

int hd_bench_variants_parse(struct hd_bench *b, int argc, char **argv, struct hd_err *err)
{
	const struct hd_bench_opts *o = b->o;
	bool named = o->base || o->head;
	int rc;

	if (named && argc)
		return hd_fail(err, HD_EUSAGE, "bench: --base and --head are the commands; no operands are "
			"allowed with them");
	if (named && !(o->base && o->head))
		return hd_fail(err, HD_EUSAGE, "bench: --base and --head go together");
	if (named) {
		rc = from_text(&b->side[0].command, o, o->base, err);
		if (rc >= 0)
			rc = from_text(&b->side[1].command, o, o->head, err);
		b->nsides = 2;
	} else if (argc) {
		rc = from_operands(b, argc, argv, err);
	} else if (o->target_run) {
		hd_argv_shell(&b->side[0].command, o->target_run);
		if (o->target_dir)
			b->side[0].dir = hd_strdup(o->target_dir);
		b->nsides = 1;
		rc = 0;
	} else {
		rc = hd_fail(err, HD_EUSAGE,
			"bench: no command given; use bench -- CMD, bench -- BASE -- HEAD, or --target NAME of "
			"hotdrift.ini");
	}
	if (rc >= 0 && (o->base_dir || o->head_dir))
		rc = into_folders(b, err);
	b->side[0].name = b->nsides == 2 ? "base" : "run";
	b->side[1].name = "head";
	return rc;
}
