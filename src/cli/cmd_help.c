/*
 * cmd_help.c - hotdrift help [COMMAND], --help texts and man pages, generated from the command rows
 */
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/terminal.h"
#include "profile/mode.h"
#include "track/form.h"

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

/* Return the maximum width of a line: that of the terminal, but at most WIDEST.  For pipes and files it is WIDEST. */
static unsigned line_columns(void)
{
	struct hd_buf out = { 0 };

	hd_terminal_begin(&out, &(struct hd_terminal){ 0 }, NULL);
	if (!out.columns || out.columns > WIDEST)
		return WIDEST;
	return out.columns < NARROWEST ? NARROWEST : out.columns;
}

/* ---- lists that replace {NAME} in a help text ---- */

static void csv_header(struct hd_buf *out, const char *form)
{
	for (unsigned f = 0; f < HD_FORM_OTHER; f++)
		if (!strcmp(hd_form_layout((enum hd_form)f)->name, form))
			hd_buf_adds(out, hd_form_layout((enum hd_form)f)->header);
}

static void mode_words(struct hd_buf *out, const char *name)
{
	(void)name;
	hd_profile_mode_words(out);
}

static void mode_help(struct hd_buf *out, const char *name)
{
	(void)name;
	hd_profile_mode_help(out);
	out->len -= out->len && out->data[out->len - 1] == '\n';
}

static const struct list {
	const char *name;
	void (*add)(struct hd_buf *out, const char *name);
} lists[] = {
	{ "modes", mode_help }, { "mode words", mode_words },
	{ "latency", csv_header }, { "memory", csv_header }, { "power", csv_header }, { "sources", csv_header },
	{ "gpu", csv_header }, { "sweep", csv_header },
};

static const struct list *list_named(const char *name, size_t n)
{
	for (size_t i = 0; i < HD_COUNT(lists); i++)
		if (strlen(lists[i].name) == n && !memcmp(lists[i].name, name, n))
			return &lists[i];
	return NULL;
}

/* Append `text`, replacing each {NAME} of `lists`.  Other braces are copied. */
static void expand(struct hd_buf *out, const char *text)
{
	for (;;) {
		size_t n = strcspn(text, "{"), word = text[n] ? strcspn(text + n + 1, "}") : 0;
		const struct list *l = word ? list_named(text + n + 1, word) : NULL;

		hd_buf_add(out, text, n);
		text += n;
		if (!*text)
			return;
		if (l) {
			l->add(out, l->name);
			text += word + 2;
		} else {
			hd_buf_addc(out, *text++);
		}
	}
}

/* ---- lines ---- */

/*
 * Append the `n` bytes of `text` in lines of at most `room` columns, broken at blanks.  A word that is wider gets its
 * whole line.  Lines after the first are indented by `indent`.
 */
static void wrap(struct hd_buf *out, const char *text, size_t n, unsigned room, int indent)
{
	while (n > room) {
		size_t cut = room;

		while (cut && text[cut] != ' ')
			cut--;
		if (!cut)
			cut = strcspn(text, " \n");
		if (cut >= n)
			break;
		hd_buf_add(out, text, cut - (text[cut - 1] == ' '));
		hd_buf_addc(out, '\n');
		while (cut < n && text[cut] == ' ')
			cut++;
		text += cut;
		n -= cut;
		if (n)
			hd_buf_addf(out, "%*s", indent, "");
	}
	hd_buf_add(out, text, n);
	hd_buf_addc(out, '\n');
}

/*
 * Return the indent of the lines that continue a list entry: the column after the last gap of two blanks between
 * its label and its text, or the entry's indent if there is no label.  `line` has n bytes and begins with a
 * blank.
 */
static int hanging_indent(const char *line, size_t n)
{
	enum { LABEL_MOST = 30 };
	size_t column = strspn(line, " ");

	for (size_t i = column; i + 2 < n && i < LABEL_MOST; i++)
		if (line[i] == ' ' && line[i + 1] == ' ' && line[i + 2] != ' ' && !strchr(".:", line[i - 1]))
			column = i + 2;
	return (int)column;
}

/* Append the details of a command.  They consist of paragraphs and of list entries, which begin with a blank. */
static void details(struct hd_buf *out, const struct hd_cmd *cmd, unsigned columns)
{
	struct hd_buf text = { 0 };

	expand(&text, cmd->details);
	for (const char *line = hd_buf_str(&text); *line;) {
		size_t n = strcspn(line, "\n");

		if (*line == ' ') {
			int indent = hanging_indent(line, n);

			hd_buf_add(out, line, (size_t)indent);
			wrap(out, line + indent, n - (size_t)indent, columns - (unsigned)indent, indent);
		} else {
			wrap(out, line, n, columns, 0);
		}
		line += n + (line[n] == '\n');
	}
	hd_buf_release(&text);
}

static void options(struct hd_buf *out, const struct hd_opt *rows, unsigned columns)
{
	struct hd_buf words = { 0 }, text = { 0 };

	for (const struct hd_opt *o = rows; o && o->kind != HD_OPT_END; o++) {
		hd_buf_reset(&words);
		hd_buf_reset(&text);
		option_words(o, &words);
		expand(&text, o->help);
		if (words.len > INDENT - 4)
			hd_buf_addf(out, "  %s\n%*s", words.data, INDENT, "");
		else
			hd_buf_addf(out, "  %-*s", INDENT - 2, words.data);
		wrap(out, hd_buf_str(&text), text.len, columns - INDENT, INDENT);
	}
	hd_buf_release(&words);
	hd_buf_release(&text);
}

/* Append lines COMMAND<TAB>EXPLANATION.  An explanation that does not fit beside its command gets a line below it. */
static void examples(struct hd_buf *out, const char *text, unsigned columns)
{
	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n"), tab = strcspn(line, "\t");
		int command = (int)(tab < n ? tab : n), explanation = (int)(tab < n ? n - tab - 1 : 0);
		bool fits = (unsigned)((command > 52 ? command : 52) + 4 + explanation) <= columns;

		if (!explanation)
			hd_buf_addf(out, "  %.*s\n", command, line);
		else
			hd_buf_addf(out, "  %-*.*s%s%.*s\n", fits ? 54 : command, command, line,
				!fits ? "\n      " : command > 52 ? "  " : "", explanation, line + tab + 1);
		line += n + (line[n] == '\n');
	}
}

void hd_help_text(struct hd_buf *out, const struct hd_cmd *cmd, unsigned columns)
{
	hd_buf_addf(out, "usage: hotdrift %s%s%s%s\n\n%s - %s\n", cmd->name, cmd->opts ? " [options]" : "",
		*cmd->args ? " " : "", cmd->args, cmd->name, cmd->summary);
	if (cmd->opts) {
		hd_buf_adds(out, "\noptions:\n");
		options(out, cmd->opts, columns);
	}
	for (const struct hd_opt_group *g = cmd->groups; g && g->title; g++) {
		hd_buf_addf(out, "\n%s:\n", g->title);
		options(out, g->opts, columns);
	}
	if (cmd->details) {
		hd_buf_addc(out, '\n');
		details(out, cmd, columns);
	}
	if (cmd->examples) {
		hd_buf_adds(out, "\nexamples:\n");
		examples(out, cmd->examples, columns);
	}
}

void hd_help_command(const struct hd_cmd *cmd)
{
	struct hd_buf out = { 0 };

	hd_help_text(&out, cmd, line_columns());
	fputs(hd_buf_str(&out), stdout);
	hd_buf_release(&out);
}

void hd_help_all(void)
{
	printf("usage: hotdrift COMMAND [options] [FILE]\n\n"
	       "Analyse perf.data recordings, and track hotspots from commit to commit.\n"
	       "\n"
	       "commands:\n");
	for (const struct hd_cmd *const *c = hd_cmds; *c; c++)
		printf("  %-10s %s\n", (*c)->name, (*c)->summary);
	printf("\nEvery command has --help.  Exit status: 0 success, 1 negative result, 2 usage error,\n"
	       "3 inconclusive, 4 not comparable, 5 bad input, 6 other failure.\n");
}

enum { MAN_COLUMNS = 78 };

/* ---- man pages: in roff, a leading dot or quote and every backslash and hyphen must be escaped ---- */

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
	struct hd_buf words = { 0 }, text = { 0 };

	for (const struct hd_opt *o = rows; o && o->kind != HD_OPT_END; o++) {
		hd_buf_reset(&words);
		option_words(o, &words);
		hd_buf_adds(b, ".TP\n.B ");
		roff(b, words.data);
		hd_buf_addc(b, '\n');
		hd_buf_reset(&text);
		expand(&text, o->help);
		roff(b, hd_buf_str(&text));
		hd_buf_addc(b, '\n');
	}
	hd_buf_release(&words);
	hd_buf_release(&text);
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
		struct hd_buf text = { 0 };

		details(&text, c, MAN_COLUMNS);
		hd_buf_adds(b, ".SH DESCRIPTION\n.nf\n");
		roff(b, hd_buf_str(&text));
		hd_buf_adds(b, ".fi\n");
		hd_buf_release(&text);
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
		"0 success, 1 negative result, 2 usage error, 3 inconclusive, 4 not comparable or no baseline, "
			"5 bad input, 6 other failure.\n"
		".SH SEE ALSO\n"
		".BR hotdrift (1), perf\\-record (1)\n");
}

static void roff_main(struct hd_buf *b)
{
	hd_buf_addf(b,
		".TH HOTDRIFT 1 \"\" \"hotdrift %s\" \"hotdrift manual\"\n"
		".SH NAME\n"
		"hotdrift \\- analyse perf.data, and track hotspots from commit to commit\n"
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

/* ---- the command ---- */

struct help_opts {
	const char *man_dir;
};

static const struct help_opts help_defaults = { 0 };

static const struct hd_opt help_opts[] = {
	{ HD_OPT_STR, 0, "man-dir", "DIR", "write the man pages of all commands into DIR",
		offsetof(struct help_opts, man_dir) },
	{ 0 },
};

static int help_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct help_opts *o = opts;
	const struct hd_cmd *cmd;

	if (o->man_dir)
		return hd_help_man(o->man_dir, err);
	if (!argc) {
		hd_help_all();
		return 0;
	}
	cmd = hd_cmd_find(argv[0]);
	if (!cmd)
		return hd_cmd_unknown(argv[0], err);
	hd_help_command(cmd);
	return 0;
}

const struct hd_cmd hd_cmd_help = {
	.name = "help", .args = "[COMMAND]", .summary = "explain a command, or list them all",
	HD_CMD_OPTS(help_opts, help_defaults), .max_args = 1, .run = help_run,
};
