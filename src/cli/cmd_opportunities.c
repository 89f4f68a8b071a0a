/*
 * cmd_opportunities.c - hotdrift opportunities: rank symbols by what could be gained over targets and modes
 */
#include "base/mem.h"
#include "cli/db_option.h"
#include "cli/ini.h"
#include "cli/input.h"
#include "cli/source_files.h"
#include "cli/terminal.h"
#include "profile/owner_rules.h"
#include "render/opportunities.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct opportunities_opts {
	struct hd_terminal term;
	struct hd_db_option db;
	struct hd_string_list target;
	const char *commit, *session, *weights, *hot, *skip, *ini, *out;
	unsigned commits, limit;
	bool any_object, json, csv, markdown;
};

static const struct opportunities_opts opportunities_defaults = { .commits = 1, .limit = 10, .hot = "1" };

static const struct hd_opt opportunities_opts[] = {
	{ HD_OPT_LIST, 0, "target", "NAME", "only runs of this target; may be repeated (default: all targets)",
		offsetof(struct opportunities_opts, target) },
	{ HD_OPT_STR, 0, "commit", "REV", 
		"only runs of this commit (REV+: of a modified tree), or these runs: ID,ID,...",
		offsetof(struct opportunities_opts, commit) },
	{ HD_OPT_UINT, 0, "commits", "N", "runs of the newest N commits of each target and mode (default 1)",
		offsetof(struct opportunities_opts, commits) },
	{ HD_OPT_STR, 0, "session", "NAME", "only runs of this session, such as that of 'profile all'",
		offsetof(struct opportunities_opts, session) },
	{ HD_OPT_STR, 0, "weights", "LIST",
		"how much each mode counts (default " HD_MODE_WEIGHTS_DEFAULT ", or weights of hotdrift.ini)",
		offsetof(struct opportunities_opts, weights) },
	{ HD_OPT_STR, 0, "hot", "PCT", "a symbol is hot in a run from this share on (default 1 %)",
		offsetof(struct opportunities_opts, hot) },
	{ HD_OPT_STR, 0, "skip", "RULES",
		"symbols to exclude as plumbing: default, none, or additional patterns (default: those of the targets "
		"in hotdrift.ini)",
		offsetof(struct opportunities_opts, skip) },
	{ HD_OPT_FLAG, 0, "any-object", NULL, "symbols of one name in several objects count as one",
		offsetof(struct opportunities_opts, any_object) },
	{ HD_OPT_STR, 0, "ini", "FILE",
		"read weights, owners and skip rules from FILE (default: hotdrift.ini, found as by 'target')",
		offsetof(struct opportunities_opts, ini) },
	{ HD_OPT_UINT, 'n', "limit", "N", "list the first N symbols (default 10, 0 lists all)",
		offsetof(struct opportunities_opts, limit) },
	HD_ROW_JSON(struct opportunities_opts, "hotdrift.opportunities"),
	HD_ROW_CSV(struct opportunities_opts),
	HD_ROW_MARKDOWN(struct opportunities_opts),
	HD_ROW_OUTPUT(struct opportunities_opts),
	{ 0 },
};
static const struct hd_opt_group opportunities_groups[] = { HD_DB_OPTION_GROUP(struct opportunities_opts, db),
	HD_TERMINAL_GROUP(struct opportunities_opts, term), { NULL, NULL, 0 } };

/* The rules that the options and hotdrift.ini define. */
struct rules {
	struct hd_mode_weights weights;
	struct hd_owner_rules owners;
	struct hd_skip_rules skip;
};

/* ---- hotdrift.ini ---- */

/*
 * Append the value of the key `skip` of each chosen target in hotdrift.ini, one value per line.  The values `none` and
 * `default` are omitted.
 */
static void join_skip(struct hd_buf *out, const struct hd_ini *ini, const struct hd_string_list *targets)
{
	for (size_t i = 0; i < ini->ntargets; i++) {
		const struct hd_ini_target *t = &ini->targets[i];
		const char *skip = t->value[HD_INI_SKIP];

		if (!skip || !strcmp(skip, "none") || !strcmp(skip, "default"))
			continue;
		if (!targets->n || hd_string_list_has(targets, t->name))
			hd_buf_addf(out, "%s\n", skip);
	}
}

static int take_ini(struct rules *r, const struct opportunities_opts *o, const struct hd_ini *ini, const char *path,
	struct hd_err *err)
{
	struct hd_buf skip = { 0 };
	char where[200];
	int rc = 0;

	if (ini->weights && !o->weights) {
		snprintf(where, sizeof(where), "%.150s:%u", path, ini->weights_line);
		rc = hd_mode_weights_parse(&r->weights, ini->weights, where, err);
		rc = rc < 0 ? HD_EFORMAT : 0;
	}
	for (size_t i = 0; i < ini->nowners && rc >= 0; i++) {
		snprintf(where, sizeof(where), "%.150s:%u", path, ini->owners[i].line);
		rc = hd_owner_rules_add(&r->owners, ini->owners[i].name, ini->owners[i].patterns, where, err);
	}
	if (rc >= 0 && !o->skip) {
		join_skip(&skip, ini, &o->target);
		hd_skip_rules_release(&r->skip);
		hd_skip_rules_init(&r->skip, NULL, skip.len ? skip.data : "default", true);
	}
	hd_buf_release(&skip);
	return rc;
}

static int read_rules(struct rules *r, const struct opportunities_opts *o, struct hd_log *log, struct hd_err *err)
{
	struct hd_buf path = { 0 };
	struct hd_ini ini = { 0 };
	char *cwd = o->ini ? NULL : getcwd(NULL, 0);
	int rc;

	hd_skip_rules_init(&r->skip, NULL, o->skip, true);
	rc = hd_mode_weights_parse(&r->weights, o->weights ? o->weights : HD_MODE_WEIGHTS_DEFAULT,
		"opportunities: --weights", err);
	if (o->ini)
		hd_buf_adds(&path, o->ini);
	if (rc >= 0 && (o->ini || (cwd && hd_ini_locate_or_warn(&path, cwd, log))))
		rc = hd_ini_read(&ini, path.data, log, err);
	if (rc >= 0)
		rc = take_ini(r, o, &ini, hd_buf_str(&path), err);
	hd_ini_release(&ini);
	hd_buf_release(&path);
	free(cwd);
	return rc;
}

static void release_rules(struct rules *r)
{
	hd_owner_rules_release(&r->owners);
	hd_skip_rules_release(&r->skip);
}

/* ---- owners ---- */

/* Set the owner and source file of the listed rows. */
static void find_owners(const char **owner, const char **source, struct hd_source_files *files, const struct rules *r,
	const struct hd_opportunities *list, size_t limit, struct hd_log *log)
{
	size_t n = limit && limit < list->n ? limit : list->n, unknown = 0;

	for (size_t i = 0; i < n; i++) {
		const struct hd_opportunity *p = &list->rows[i];
		struct hd_owner_names names = { p->name, p->linkage, p->path, NULL };

		if (r->owners.paths)
			source[i] = names.source = hd_source_files_find(files, p->path, p->build_id, p->vaddr, NULL);
		owner[i] = hd_owner_rules_find(&r->owners, &names);
		unknown += r->owners.paths && !source[i] && !owner[i];
	}
	if (unknown)
		hd_warn_n(log, "owners.no-source", unknown, "",
			"symbols without an owner whose source file is unknown: the recorded build is not on "
			"this machine, or it has no line information");
}

/* Warn about the impact of excluded symbols, for which CSV has no place. */
static void warn_of_excluded(struct hd_log *log, const struct hd_opportunities *list)
{
	double impact = 0;

	for (size_t i = 0; i < HD_OPPORTUNITIES_EXCLUSIONS; i++)
		impact += list->excluded[i].impact;
	if (impact > 0)
		hd_warn(log, "opportunities.excluded", "",
			"%.2f%% of impact is excluded (plumbing, unknown, small and cold symbols); --json lists it",
			impact);
}

static int write_list(struct hd_buf *out, const struct opportunities_opts *o, const struct rules *r, struct hd_db *db,
	const struct hd_opportunities_scope *scope, struct hd_log *log, struct hd_err *err)
{
	const enum hd_opportunities_format format = o->json ? HD_OPPORTUNITIES_JSON
		: o->csv                                    ? HD_OPPORTUNITIES_CSV
		: o->markdown                               ? HD_OPPORTUNITIES_MARKDOWN
							    : HD_OPPORTUNITIES_TEXT;
	struct hd_log quiet = { 0 };		/* find_owners() warns about missing information */
	struct hd_source_files *files;
	struct hd_opportunities list;
	const char **owner, **source;
	int rc = hd_opportunities_load(&list, db, scope, err);

	if (rc < 0)
		return rc;
	files = hd_source_files_new(&quiet);
	owner = hd_new_array(const char *, list.n + 1);
	source = hd_new_array(const char *, list.n + 1);
	find_owners(owner, source, files, r, &list, scope->limit, log);
	hd_opportunities_write(out, &(struct hd_opportunities_report){ .list = &list, .scope = scope,
		.db = hd_db_name(db), .owners = r->owners.n > 0, .owner = owner, .source = source }, format);
	if (o->csv)
		warn_of_excluded(log, &list);
	free(owner);
	free(source);
	hd_source_files_free(files);
	hd_log_release(&quiet);
	hd_opportunities_release(&list);
	return 0;
}

/* Parse a percentage above 0, up to 100. */
static int parse_hot(double *pct, const char *text, struct hd_err *err)
{
	char *end;

	*pct = strtod(text, &end);
	if (end > text && *end == '%')
		end++;
	if (end == text || *end || text[strspn(text, "0123456789.%")] || !(*pct > 0 && *pct <= 100))
		return hd_fail(err, HD_EUSAGE, "opportunities: --hot takes per cent above 0, up to 100, not '%s'",
			text);
	return 0;
}

static int opportunities_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct opportunities_opts *o = opts;
	struct rules r = { 0 };
	struct hd_opportunities_scope scope = { .targets = &o->target, .commit = o->commit, .session = o->session,
		.commits = o->commits, .weights = &r.weights, .skip = &r.skip, .any_object = o->any_object,
		.limit = o->limit };
	struct hd_buf out = { 0 };
	struct hd_db *db = NULL;
	int rc;

	(void)argc, (void)argv;
	hd_terminal_begin(&out, &o->term, o->out);
	if (o->json + o->csv + o->markdown > 1)
		return hd_fail(err, HD_EUSAGE, "opportunities: at most one of --json, --csv and --markdown");
	if (!o->commits)
		return hd_fail(err, HD_EUSAGE, "opportunities: --commits takes a number from 1 on");
	if (o->commit && o->session)
		return hd_fail(err, HD_EUSAGE, "opportunities: --commit and --session exclude each other");
	if (parse_hot(&scope.hot_pct, o->hot, err) < 0)
		return HD_EUSAGE;
	rc = read_rules(&r, o, log, err);
	if (rc >= 0)
		rc = hd_db_option_open(&db, &o->db, HD_DB_READ, 0, err);
	if (rc >= 0)
		rc = write_list(&out, o, &r, db, &scope, log, err);
	hd_db_close(db);
	if (rc >= 0)
		rc = hd_output_write(o->out, &out, err);
	release_rules(&r);
	hd_buf_release(&out);
	return rc;
}

const struct hd_cmd hd_cmd_opportunities = {
	.name = "opportunities",
	.args = "",
	.summary = "rank the symbols over targets and modes by what could be gained",
	.details =
		"Reads the runs of each target and mode from the database: by default those of the newest commit "
		"that are comparable with the newest run.  A symbol is a function of one object, under its name "
		"without compiler suffixes, as in 'gate' and 'history'.\n"
		"\n"
		" impact      the mean over the targets of the weighted mean of the symbol's self shares in the "
		"modes of the target, in per cent.  Modes that a target lacks do not count for it.  The interval "
		"(95 %) is a bootstrap over the runs of each target and mode; it is unknown if the symbol has a "
		"cost where there is one run only.\n"
		" main mode   the mode that contributes most to the impact\n"
		" hot         targets and runs of the main mode in which the symbol has at least the share of "
		"--hot, with the 95 % interval of Wilson\n"
		" confidence  the mean of these two shares\n"
		" score       impact times confidence, which ranks the symbols\n"
		"\n"
		"Excluded are plumbing (skip rules, kernel), addresses without a symbol, small symbols that the "
		"database stores as one sum, and symbols that are hot in no run of their main mode.  The list ends "
		"with their impact.  The impacts of all symbols, listed or excluded, add up to 100 %.\n"
		"\n"
		"hotdrift.ini: weights = cpu=0.6,memory=0.2,syscall=0.2 in section [hotdrift], and a section "
		"[owners] with rules such as parser = src/parser/*, Parser::*.  A pattern with a slash is matched "
		"with the path of the source file or object, any other pattern with the symbol or the name of a "
		"file; the first matching rule wins.\n"
		"\n"
		"Exit: 6 if there is no database, 4 if it has no usable run, 5 for an unknown target or an invalid "
		"hotdrift.ini.",
	.examples =
		"hotdrift opportunities -n 5\tthe five best ones, over all targets\n"
		"hotdrift opportunities --target serve --weights cpu=1\tprocessor time of one target only\n"
		"hotdrift opportunities --markdown -o opportunities.md\ta table for an issue\n"
		"",
	HD_CMD_OPTS(opportunities_opts, opportunities_defaults),
	.groups = opportunities_groups,
	.max_args = 0,
	.run = opportunities_run,
};
