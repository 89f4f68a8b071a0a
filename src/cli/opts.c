/*
 * opts.c - parse a command line by the table of options of a command
 */
#include "base/mem.h"
#include "base/nearest.h"
#include "cli/cmd.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An option row.  The member that the row sets is at base + opt->offset in the option struct of the command. */
struct found {
	const struct hd_opt *opt;
	size_t base;
};

static bool find_in(const struct hd_opt *rows, size_t base, const char *name, size_t len, char letter, struct found *f)
{
	for (const struct hd_opt *o = rows; o && o->kind != HD_OPT_END; o++) {
		if (name ? (strlen(o->name) == len && !memcmp(o->name, name, len)) : o->letter == letter) {
			*f = (struct found){ o, base };
			return true;
		}
	}
	return false;
}

static bool find(const struct hd_cmd *cmd, const char *name, size_t len, char letter, struct found *f)
{
	if (find_in(cmd->opts, 0, name, len, letter, f))
		return true;
	for (const struct hd_opt_group *g = cmd->groups; g && g->title; g++)
		if (find_in(g->opts, g->offset, name, len, letter, f))
			return true;
	return false;
}

int hd_parse_uint(const char *text, unsigned long long max, unsigned long long *out)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return HD_EUSAGE;
	errno = 0;
	*out = strtoull(text, &end, 10);
	return errno || *end || *out > max ? HD_EUSAGE : 0;
}

int hd_opt_choice(const char *choices, const char *word)
{
	size_t len = strlen(word);
	int i = 0;

	for (const char *c = choices; ; i++) {
		size_t n = strcspn(c, "|");

		if (n == len && !memcmp(c, word, n))
			return i;
		if (!c[n])
			return -1;
		c += n + 1;
	}
}

static void try_rows(struct hd_nearest *n, const struct hd_opt *rows)
{
	for (const struct hd_opt *o = rows; o && o->kind != HD_OPT_END; o++)
		hd_nearest_try(n, o->name);
}

static int unknown(const struct hd_cmd *cmd, const char *text, struct hd_err *err)
{
	char name[HD_NEAREST_MAX + 1] = "";
	struct hd_nearest n = hd_nearest_to(name);
	size_t dashes = strspn(text, "-");

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text + dashes, "="), text + dashes);
	if (dashes == 2) {
		try_rows(&n, cmd->opts);
		for (const struct hd_opt_group *g = cmd->groups; g && g->title; g++)
			try_rows(&n, g->opts);
	}
	if (n.best[0])
		return hd_fail(err, HD_EUSAGE,
			"%s: unknown option '%s'; did you mean --%s? 'hotdrift %s --help' lists all", cmd->name, text,
			n.best, cmd->name);
	return hd_fail(err, HD_EUSAGE, "%s: unknown option '%s'; see 'hotdrift %s --help'", cmd->name, text, cmd->name);
}

/* Fail for a word that is not among the choices of an option, and suggest the nearest one. */
static int unknown_choice(const struct hd_cmd *cmd, const struct hd_opt *o, const char *word, struct hd_err *err)
{
	struct hd_nearest n = hd_nearest_to(word);
	char one[HD_NEAREST_MAX + 1];

	for (const char *c = o->arg; *c; c += strcspn(c, "|") + (c[strcspn(c, "|")] == '|')) {
		snprintf(one, sizeof(one), "%.*s", (int)strcspn(c, "|"), c);
		hd_nearest_try(&n, one);
	}
	return hd_fail(err, HD_EUSAGE, "%s: --%s takes one of %s, not '%s'%s", cmd->name, o->name, o->arg, word,
		hd_nearest_hint(&n));
}

static int store(const struct hd_cmd *cmd, struct found f, char *opts, const char *value, struct hd_err *err)
{
	char *at = opts + f.base + f.opt->offset;
	unsigned long long n;
	int i;

	switch (f.opt->kind) {
	case HD_OPT_FLAG:
	case HD_OPT_CLEAR:
		*(bool *)at = f.opt->kind == HD_OPT_FLAG;
		return 0;
	case HD_OPT_YES:
	case HD_OPT_NO:
		*(int *)at = f.opt->kind == HD_OPT_YES ? 1 : -1;
		return 0;
	case HD_OPT_UINT:
		if (hd_parse_uint(value, 0xffffffffu, &n) < 0)
			return hd_fail(err, HD_EUSAGE, "%s: --%s takes a whole number up to 4294967295, not '%s'",
				cmd->name, f.opt->name, value);
		*(unsigned *)at = (unsigned)n;
		return 0;
	case HD_OPT_STR:
	case HD_OPT_OUT:
	case HD_OPT_MAYBE:
	case HD_OPT_WORD:
		*(const char **)at = value;
		return 0;
	case HD_OPT_LIST: {
		struct hd_string_list *l = (struct hd_string_list *)at;

		HD_GROW(l->items, l->n + 1, l->cap);
		l->items[l->n++] = value;
		return 0;
	}
	case HD_OPT_ENUM:
		i = hd_opt_choice(f.opt->arg, value);
		if (i < 0)
			return unknown_choice(cmd, f.opt, value, err);
		*(int *)at = i;
		return 0;
	case HD_OPT_OPERAND:
		return 0;		/* take() stores it */
	case HD_OPT_END:
		break;
	}
	return HD_EUSAGE;
}

/* The result of parsing one word of the command line. */
struct taken {
	int used;		/* number of following words that are the option's value: 0 or 1 */
	const char *operand;	/* value of a HD_OPT_OPERAND, or NULL */
};

static int take(const struct hd_cmd *cmd, struct found f, void *opts, const char *value, struct taken *t,
	struct hd_err *err)
{
	if (f.opt->kind == HD_OPT_OPERAND)
		t->operand = value;
	return store(cmd, f, opts, value, err);
}

/*
 * Return true if the option is of kind HD_OPT_WORD and the next word cannot be its value, because it is an option or
 * missing.
 */
static bool lacks_word(const struct hd_opt *o, char **argv, int left)
{
	return o->kind == HD_OPT_WORD && (left < 1 || argv[1][0] == '-');
}

/* Parse argv[0] of the form --name, --name=value, or --name with the value in argv[1]. */
static int long_option(const struct hd_cmd *cmd, char **argv, int left, void *opts, struct taken *t, struct hd_err *err)
{
	const char *name = argv[0] + 2;
	size_t len = strcspn(name, "=");
	const char *value = name[len] ? name + len + 1 : NULL;
	struct found f;

	if (!find(cmd, name, len, 0, &f))
		return unknown(cmd, argv[0], err);
	if (hd_opt_is_flag(f.opt)) {
		if (value)
			return hd_fail(err, HD_EUSAGE, "%s: --%s takes no value", cmd->name, f.opt->name);
		return store(cmd, f, opts, NULL, err);
	}
	if (!value && (f.opt->kind == HD_OPT_MAYBE || lacks_word(f.opt, argv, left)))
		value = "";
	if (!value) {
		if (left < 1)
			return hd_fail(err, HD_EUSAGE, "%s: --%s needs a value (%s)", cmd->name, f.opt->name,
				f.opt->arg);
		value = argv[1];
		t->used = 1;
	}
	return take(cmd, f, opts, value, t, err);
}

/* Parse argv[0] of the form -n5, -n with the value in argv[1], or -jx for two flags j and x. */
static int short_options(const struct hd_cmd *cmd, char **argv, int left, void *opts, struct taken *t,
	struct hd_err *err)
{
	for (const char *c = argv[0] + 1; *c; c++) {
		struct found f;

		if (!find(cmd, NULL, 0, *c, &f))
			return unknown(cmd, argv[0], err);
		if (hd_opt_is_flag(f.opt)) {
			int rc = store(cmd, f, opts, NULL, err);

			if (rc < 0)
				return rc;
			continue;
		}
		if (c[1] || lacks_word(f.opt, argv, left))
			return take(cmd, f, opts, c + 1, t, err);
		if (left < 1)
			return hd_fail(err, HD_EUSAGE, "%s: -%c needs a value (%s)", cmd->name, *c, f.opt->arg);
		t->used = 1;
		return take(cmd, f, opts, argv[1], t, err);
	}
	return 0;
}

int hd_opts_parse(const struct hd_cmd *cmd, int argc, char **argv, int *nargs, void *opts, struct hd_err *err)
{
	int n = 0, rc = 0;

	if (cmd->raw_args) {
		*nargs = argc;
		return argc > 0 && (!strcmp(argv[0], "--help") || !strcmp(argv[0], "-h"));
	}
	for (int i = 0; i < argc; i++) {
		char *a = argv[i];
		struct taken t = { 0 };

		if (!strcmp(a, "--")) {
			while (++i < argc)
				argv[n++] = argv[i];
			break;
		}
		if (!strcmp(a, "--help") || !strcmp(a, "-h"))
			return 1;
		if (a[0] != '-' || !a[1]) {		/* "-" is stdin, an operand */
			argv[n++] = a;
			continue;
		}
		rc = a[1] == '-' ? long_option(cmd, argv + i, argc - i - 1, opts, &t, err)
				 : short_options(cmd, argv + i, argc - i - 1, opts, &t, err);
		if (rc < 0)
			return rc;
		if (t.operand)
			argv[n++] = (char *)t.operand;
		i += t.used;
	}
	if (!n && cmd->default_arg)
		argv[n++] = (char *)cmd->default_arg;
	*nargs = n;
	if (n < cmd->min_args)
		return hd_fail(err, HD_EUSAGE, "%s: %s missing; usage: hotdrift %s [options] %s", cmd->name,
			       cmd->min_args - n == 1 ? "an operand is" : "operands are", cmd->name, cmd->args);
	if (cmd->max_args >= 0 && n > cmd->max_args)
		return hd_fail(err, HD_EUSAGE, "%s: unexpected operand '%s'; usage: hotdrift %s [options] %s",
			       cmd->name, argv[cmd->max_args], cmd->name, cmd->args);
	return 0;
}

static void release(const struct hd_opt *rows, char *at)
{
	for (const struct hd_opt *o = rows; o && o->kind != HD_OPT_END; o++)
		if (o->kind == HD_OPT_LIST)
			free(((struct hd_string_list *)(at + o->offset))->items);
}

void hd_opts_release(const struct hd_cmd *cmd, void *opts)
{
	release(cmd->opts, opts);
	for (const struct hd_opt_group *g = cmd->groups; g && g->title; g++)
		release(g->opts, (char *)opts + g->offset);
}
