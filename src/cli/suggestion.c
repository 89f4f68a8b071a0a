/*
 * suggestion.c - see suggestion.h
 */
#include "cli/suggestion.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct hd_opt_group *database_group(const struct hd_cmd *cmd)
{
	for (const struct hd_opt_group *g = cmd->groups; g && g->title; g++)
		if (g->opts == hd_db_option_opts)
			return g;
	return NULL;
}

/* Return true if the command line of n bytes, which begins with a command's name, accepts --db and lacks it. */
static bool lacks_database(const char *line, size_t n)
{
	char word[32], *whole = hd_strndup(line, n);
	const struct hd_cmd *cmd;
	bool has = strstr(whole, "--db") || strstr(whole, "--help");

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(whole, " "), whole);
	free(whole);
	cmd = hd_cmd_find(word);
	return !has && cmd && database_group(cmd);
}

void hd_suggestion_text(struct hd_buf *out, const char *text, const struct hd_db_option *arg)
{
	static const char begin[] = "'hotdrift ";
	const char *at, *line;

	while ((at = strstr(text, begin))) {
		line = at + strlen(begin);
		hd_buf_add(out, text, (size_t)(line - text));
		text = line + strcspn(line, "'");
		hd_buf_add(out, line, (size_t)(text - line));
		if (*text && lacks_database(line, (size_t)(text - line)))
			hd_db_option_repeat(out, arg);
	}
	hd_buf_adds(out, text);
}

/* Implements the callback `amend` of struct hd_log. */
static void amend(struct hd_buf *out, const char *text, const void *arg)
{
	hd_suggestion_text(out, text, arg);
}

static const struct hd_db_option *named_database(const struct hd_cmd *cmd, const void *opts)
{
	const struct hd_opt_group *g = database_group(cmd);
	const struct hd_db_option *arg = g ? (const struct hd_db_option *)((const char *)opts + g->offset) : NULL;

	return arg && arg->db ? arg : NULL;
}

void hd_suggestion_warnings(struct hd_log *log, const struct hd_cmd *cmd, const void *opts)
{
	log->amend_arg = named_database(cmd, opts);
	log->amend = log->amend_arg ? amend : NULL;
}

void hd_suggestion_error(struct hd_err *err, const struct hd_cmd *cmd, const void *opts)
{
	const struct hd_db_option *arg = named_database(cmd, opts);
	struct hd_buf b = { 0 };

	if (!arg)
		return;
	hd_suggestion_text(&b, err->msg, arg);
	snprintf(err->msg, sizeof(err->msg), "%s", hd_buf_str(&b));
	hd_buf_release(&b);
}
