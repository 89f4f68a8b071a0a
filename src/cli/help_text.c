/*
 * help_text.c - see help_text.h
 */
#include "cli/help_text.h"

#include "base/mem.h"
#include "profile/mode.h"
#include "track/form.h"

#include <string.h>

void hd_help_option(struct hd_buf *b, const struct hd_opt *o)
{
	if (o->letter)
		hd_buf_addf(b, "-%c, ", o->letter);
	hd_buf_addf(b, "--%s", o->name);
	if (!hd_opt_is_flag(o))
		hd_buf_addf(b, o->kind == HD_OPT_MAYBE ? "[=%s]" : " %s", o->arg);
}

enum { INDENT = 28 };	/* column of the descriptions of options */

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

void hd_help_expand(struct hd_buf *out, const char *text)
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
 * Append the `n` bytes of `text` in lines of at most `room` columns, broken at blanks.  A word that is wider is broken
 * after commas, or else stays whole.  Lines after the first are indented by `indent`.
 */
static void wrap(struct hd_buf *out, const char *text, size_t n, unsigned room, int indent)
{
	while (n > room) {
		size_t cut = room;

		while (cut && text[cut] != ' ')
			cut--;
		/* A list of the columns of a CSV file has no blanks, so break it at a comma. */
		if (!cut) {
			for (cut = room; cut && text[cut - 1] != ',';)
				cut--;
		}
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

void hd_help_details(struct hd_buf *out, const struct hd_cmd *cmd, unsigned columns)
{
	struct hd_buf text = { 0 };

	hd_help_expand(&text, cmd->details);
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

/*
 * Append the words of an option (`-o, --output FILE`) on lines of their own, then the indent of its description.  A
 * list of choices that does not fit is broken after a `|`.
 */
static void add_words(struct hd_buf *out, const char *words, size_t n, unsigned columns)
{
	size_t room = columns - 2;

	hd_buf_adds(out, "  ");
	while (n > room) {
		size_t cut = room;

		while (cut && words[cut - 1] != '|')
			cut--;
		if (!cut)
			break;
		hd_buf_add(out, words, cut);
		hd_buf_addf(out, "\n%*s", 6, "");
		words += cut;
		n -= cut;
		room = columns - 6;
	}
	hd_buf_add(out, words, n);
	hd_buf_addf(out, "\n%*s", INDENT, "");
}

static void options(struct hd_buf *out, const struct hd_opt *rows, unsigned columns)
{
	struct hd_buf words = { 0 }, text = { 0 };

	for (const struct hd_opt *o = rows; o && o->kind != HD_OPT_END; o++) {
		hd_buf_reset(&words);
		hd_buf_reset(&text);
		hd_help_option(&words, o);
		hd_help_expand(&text, o->help);
		if (words.len > INDENT - 4)
			add_words(out, words.data, words.len, columns);
		else
			hd_buf_addf(out, "  %-*s", INDENT - 2, words.data);
		wrap(out, hd_buf_str(&text), text.len, columns - INDENT, INDENT);
	}
	hd_buf_release(&words);
	hd_buf_release(&text);
}

/*
 * Append a command in lines of at most `columns`.  It is broken at blanks outside of quotes, where a shell accepts a
 * backslash and a new line.
 */
static void add_command(struct hd_buf *out, const char *command, size_t n, unsigned columns)
{
	enum { FIRST = 2, NEXT = 6 };
	size_t room = columns - FIRST, blank = 0, begin = 0;
	char quote = 0;

	hd_buf_addf(out, "%*s", FIRST, "");
	for (size_t i = 0; i < n; i++) {
		if (i - begin > room - 2 && blank > begin && n - begin > room) {
			hd_buf_add(out, command + begin, blank - begin);
			hd_buf_addf(out, " \\\n%*s", NEXT, "");
			begin = blank + 1;
			room = columns - NEXT;
		}
		if (quote ? command[i] == quote : command[i] == '\'' || command[i] == '"')
			quote = quote ? 0 : command[i];
		else if (command[i] == ' ' && !quote)
			blank = i;
	}
	hd_buf_add(out, command + begin, n - begin);
}

void hd_help_examples(struct hd_buf *out, const char *text, unsigned columns)
{
	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n"), tab = strcspn(line, "\t");
		int command = (int)(tab < n ? tab : n), explanation = (int)(tab < n ? n - tab - 1 : 0);
		bool fits = (unsigned)((command > 52 ? command : 52) + 4 + explanation) <= columns;

		add_command(out, line, (size_t)command, columns);
		if (explanation && fits)
			hd_buf_addf(out, "%*s", command > 52 ? 2 : 54 - command, "");
		else if (explanation)
			hd_buf_addf(out, "\n%*s", 6, "");
		wrap(out, line + tab + !!explanation, (size_t)explanation, fits ? columns : columns - 6, 6);
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
		hd_help_details(out, cmd, columns);
	}
	if (cmd->examples) {
		hd_buf_adds(out, "\nexamples:\n");
		hd_help_examples(out, cmd->examples, columns);
	}
}
