/*
 * variants.c - which commands are measured; see bench.h
 *
 *     -- CMD ARGS                       one
 *     -- A ARGS -- B ARGS               two, the base first; --separator names another word than --
 *     --base 'A ARGS' --head 'B ARGS'   the same, divided at blanks and quotes, without a shell
 *     --base-dir D --head-dir E -- CMD  one command in two folders: two checkouts, two builds
 *     --target NAME                     the run line of hotdrift.ini, as `sh -c`
 */
#include "bench/bench.h"

#include "base/mem.h"
#include "cli/ini.h"

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

/* Operands; with --shell they are one text, as a shell's own -c has it. */
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
				"bench: two commands can be compared, not three; a '%s' that belongs to a command "
				"wants another word between them: --separator WORD, or --separator '' for one command",
				b->o->separator);
	rc = from_words(&b->side[0].command, b->o, argv, at, err);
	b->nsides = 1;
	if (rc < 0 || at == argc)
		return rc;
	b->nsides = 2;
	return from_words(&b->side[1].command, b->o, argv + at + 1, argc - at - 1, err);
}


/* The run line and the folder of a target; a folder that is not absolute is one of the file's. */
static int from_target(struct hd_bench *b, struct hd_log *log, struct hd_err *err)
{
	struct hd_buf path = { 0 };
	struct hd_ini ini = { 0 };
	const struct hd_ini_target *t;
	char *cwd = getcwd(NULL, 0);
	int rc = 0;

	if (b->o->ini)
		hd_buf_adds(&path, b->o->ini);
	else if (!cwd || (rc = hd_ini_locate(&path, cwd, err)) == 0)
		rc = hd_fail(err, HD_EIO,
			"bench: no hotdrift.ini here or above, up to the root of the git checkout; name a command");
	free(cwd);
	if (rc >= 0)
		rc = hd_ini_read(&ini, path.data, log, err);
	if (rc >= 0) {
		t = hd_ini_find(&ini, b->o->target);
		if (!t || !t->value[HD_INI_RUN])
			rc = hd_fail(err, HD_EUSAGE,
				"bench: %s has no target '%s' with a run line; 'hotdrift target' lists them", path.data,
				b->o->target);
	}
	if (rc >= 0) {
		const char *dir = t->value[HD_INI_DIR], *slash = strrchr(path.data, '/');
		struct hd_buf where = { 0 };

		if (slash && !(dir && *dir == '/'))
			hd_buf_add(&where, path.data, slash == path.data ? 1 : (size_t)(slash - path.data));
		if (dir)
			hd_buf_addf(&where, "%s%s", where.len ? "/" : "", dir);
		hd_argv_shell(&b->side[0].command, t->value[HD_INI_RUN]);
		b->nsides = 1;
		if (where.len)
			b->side[0].dir = hd_buf_take(&where);
		hd_buf_release(&where);
	}
	hd_ini_release(&ini);
	hd_buf_release(&path);
	return rc;
}

/* One command in two folders. */
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

int hd_bench_variants_parse(struct hd_bench *b, int argc, char **argv, struct hd_log *log, struct hd_err *err)
{
	const struct hd_bench_opts *o = b->o;
	bool named = o->base || o->head;
	int rc;

	if (named && argc)
		return hd_fail(err, HD_EUSAGE, "bench: --base and --head are the commands: no other goes with them");
	if (named && !(o->base && o->head))
		return hd_fail(err, HD_EUSAGE, "bench: --base and --head go together");
	if (named) {
		rc = from_text(&b->side[0].command, o, o->base, err);
		if (rc >= 0)
			rc = from_text(&b->side[1].command, o, o->head, err);
		b->nsides = 2;
	} else if (argc) {
		rc = from_operands(b, argc, argv, err);
	} else if (o->target) {
		rc = from_target(b, log, err);
	} else {
		rc = hd_fail(err, HD_EUSAGE,
			"bench: what shall be measured?  bench -- CMD, bench -- BASE -- HEAD, or a --target of "
			"hotdrift.ini");
	}
	if (rc >= 0 && (o->base_dir || o->head_dir))
		rc = into_folders(b, err);
	b->side[0].name = b->nsides == 2 ? "base" : "run";
	b->side[1].name = "head";
	return rc;
}
