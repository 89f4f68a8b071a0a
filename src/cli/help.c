/*
 * help.c - --help texts and man pages, read off the command rows
 */
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/terminal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void option_words(const struct hd_opt *o, struct hd_buf *b)
{
	if (o->letter)
		hd_buf_addf(b, "-%c, ", o->letter);
	hd_buf_addf(b, "--%s", o->name);
	if (!hd_opt_is_flag(o))
		hd_buf_addf(b, o->kind == HD_OPT_MAYBE ? "[=%s]" : " %s", o->arg);
}

enum { INDENT = 28, WIDEST = 100, NARROWEST = 60 };	/* columns: of descriptions, and of lines */

/* The columns of a line: those of the terminal, at most 100; a pipe gets 100. */
static unsigned line_columns(void)
{
	struct hd_buf out = { 0 };

	hd_terminal_begin(&out, &(struct hd_terminal){ 0 }, NULL);
	if (!out.columns || out.columns > WIDEST)
		return WIDEST;
	return out.columns < NARROWEST ? NARROWEST : out.columns;
}

/* Append `text` from column INDENT on.  Lines are broken at blanks; each line has at least one word. */
static void wrap(struct hd_buf *out, const char *text, unsigned columns)
{
	unsigned room = columns - INDENT;

	for (;;) {
		size_t n = strlen(text), cut;

		if (n <= room) {
			hd_buf_addf(out, "%s\n", text);
			return;
		}
		for (cut = room; cut && text[cut] != ' '; cut--)
			;
		if (!cut)
			cut = strcspn(text, " ");
		hd_buf_add(out, text, cut);
		hd_buf_addc(out, '\n');
		text += cut;
		text += strspn(text, " ");
		if (!*text)
			return;
		hd_buf_addf(out, "%*s", INDENT, "");
	}
}

static void print_options(const struct hd_opt *rows)
{
	unsigned columns = line_columns();
	struct hd_buf words = { 0 }, out = { 0 };

	for (const struct hd_opt *o = rows; o && o->kind != HD_OPT_END; o++) {
		hd_buf_reset(&words);
		option_words(o, &words);
		if (words.len > INDENT - 4)
			hd_buf_addf(&out, "  %s\n%*s", words.data, INDENT, "");
		else
			hd_buf_addf(&out, "  %-*s", INDENT - 2, words.data);
		wrap(&out, o->help, columns);
	}
	fputs(hd_buf_str(&out), stdout);
	hd_buf_release(&out);
	hd_buf_release(&words);
}

void hd_help_command(const struct hd_cmd *cmd)
{
	printf("usage: hotdrift %s%s%s%s\n\n%s - %s\n", cmd->name, cmd->opts ? " [options]" : "",
	       *cmd->args ? " " : "", cmd->args, cmd->name, cmd->summary);
	if (cmd->opts) {
		printf("\noptions:\n");
		print_options(cmd->opts);
	}
	for (const struct hd_opt_group *g = cmd->groups; g && g->title; g++) {
		printf("\n%s:\n", g->title);
		print_options(g->opts);
	}
	if (cmd->details)
		printf("\n%s\n", cmd->details);
	if (cmd->examples) {
		printf("\nexamples:\n");
		for (const char *line = cmd->examples; *line; ) {
			size_t n = strcspn(line, "\n"), tab = strcspn(line, "\t");

			if (tab < n)
				printf("  %-52.*s  %.*s\n", (int)tab, line, (int)(n - tab - 1), line + tab + 1);
			else
				printf("  %.*s\n", (int)n, line);
			line += n + (line[n] == '\n');
		}
	}
}

void hd_help_all(void)
{
	printf("usage: hotdrift COMMAND [options] [FILE]\n\n"
	       "Reads perf.data and says where the time goes, and whether it moved since the last commit.\n"
	       "\n"
	       "commands:\n");
	for (const struct hd_cmd *const *c = hd_cmds; *c; c++)
		printf("  %-10s %s\n", (*c)->name, (*c)->summary);
	printf("\nEach command has a --help.  Exit status: 0 fine, 1 the answer is no, 2 usage,\n"
	       "3 inconclusive, 4 not comparable, 5 bad input, 6 trouble outside the input.\n");
}

/* ---- man pages: roff text, where a leading dot or quote and every backslash and hyphen need care ---- */

static void roff_text(struct hd_buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool bol = i == 0 || s[i - 1] == '\n';

		if (bol && (s[i] == '.' || s[i] == '\''))
			hd_buf_adds(b, "\\&");
		if (s[i] == '\\')
			hd_buf_adds(b, "\\e");
		else if (s[i] == '-')
			hd_buf_adds(b, "\\-");
		else
			hd_buf_addc(b, s[i]);
	}
}

static void roff(struct hd_buf *b, const char *s)
{
	roff_text(b, s, strlen(s));
}

static void roff_options(struct hd_buf *b, const struct hd_opt *rows)
{
	struct hd_buf words = { 0 };

	for (const struct hd_opt *o = rows; o && o->kind != HD_OPT_END; o++) {
		hd_buf_reset(&words);
		option_words(o, &words);
		hd_buf_adds(b, ".TP\n.B ");
		roff(b, words.data);
		hd_buf_addc(b, '\n');
		roff(b, o->help);
		hd_buf_addc(b, '\n');
	}
	hd_buf_release(&words);
}

static void roff_command(struct hd_buf *b, const struct hd_cmd *c)
{
	hd_buf_addf(b, ".TH HOTDRIFT\\-%s 1 \"\" \"hotdrift %s\" \"hotdrift manual\"\n.SH NAME\nhotdrift\\-", c->name,
		HD_VERSION);
	roff(b, c->name);
	hd_buf_adds(b, " \\- ");
	roff(b, c->summary);
	hd_buf_adds(b, "\n.SH SYNOPSIS\n.B hotdrift ");
	roff(b, c->name);
	hd_buf_adds(b, c->opts ? "\n[options] " : "\n");
	roff(b, c->args);
	hd_buf_addc(b, '\n');
	if (c->details) {
		hd_buf_adds(b, ".SH DESCRIPTION\n.nf\n");
		roff(b, c->details);
		hd_buf_adds(b, "\n.fi\n");
	}
	if (c->opts) {
		hd_buf_adds(b, ".SH OPTIONS\n");
		roff_options(b, c->opts);
	}
	for (const struct hd_opt_group *g = c->groups; g && g->title; g++) {
		hd_buf_adds(b, ".SS ");
		roff(b, g->title);
		hd_buf_addc(b, '\n');
		roff_options(b, g->opts);
	}
	if (c->examples) {
		hd_buf_adds(b, ".SH EXAMPLES\n.nf\n");
		roff(b, c->examples);
		hd_buf_adds(b, "\n.fi\n");
	}
	hd_buf_adds(b,
		".SH EXIT STATUS\n"
		"0 fine, 1 the answer is no, 2 usage, 3 inconclusive, 4 not comparable or no baseline, 5 bad input, 6 "
		"trouble outside the input.\n"
		".SH SEE ALSO\n"
		".BR hotdrift (1), perf\\-record (1)\n");
}

static void roff_main(struct hd_buf *b)
{
	hd_buf_addf(b,
		".TH HOTDRIFT 1 \"\" \"hotdrift %s\" \"hotdrift manual\"\n"
		".SH NAME\n"
		"hotdrift \\- hotspots from perf.data, and whether they moved\n"
		".SH SYNOPSIS\n"
		".B hotdrift\n"
		"COMMAND [options] [FILE]\n"
		".SH COMMANDS\n",
		HD_VERSION);
	for (const struct hd_cmd *const *c = hd_cmds; *c; c++) {
		hd_buf_addf(b, ".TP\n.BR hotdrift\\-%s (1)\n", (*c)->name);
		roff(b, (*c)->summary);
		hd_buf_addc(b, '\n');
	}
}

int hd_help_man(const char *dir, struct hd_err *err)
{
	struct hd_buf page = { 0 }, path = { 0 };
	int rc;

	hd_buf_addf(&path, "%s/hotdrift.1", dir);
	roff_main(&page);
	rc = hd_file_write(path.data, &page, err);
	for (const struct hd_cmd *const *c = hd_cmds; *c && rc >= 0; c++) {
		hd_buf_reset(&page);
		hd_buf_reset(&path);
		hd_buf_addf(&path, "%s/hotdrift-%s.1", dir, (*c)->name);
		roff_command(&page, *c);
		rc = hd_file_write(path.data, &page, err);
	}
	hd_buf_release(&page);
	hd_buf_release(&path);
	return rc;
}
