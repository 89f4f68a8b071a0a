/*
 * man_page.c - see man_page.h
 *
 * In roff, a leading dot or quote and every backslash and hyphen must be escaped.
 */
#include "cli/man_page.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/help_text.h"

#include <string.h>

/* Lines that roff does not fill begin at column 7 and must end before column 79. */
enum { MAN_COLUMNS = 71 };

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
		hd_help_option(&words, o);
		hd_buf_adds(b, ".TP\n.B ");
		roff(b, words.data);
		hd_buf_addc(b, '\n');
		hd_buf_reset(&text);
		hd_help_expand(&text, o->help);
		roff(b, hd_buf_str(&text));
		hd_buf_addc(b, '\n');
	}
	hd_buf_release(&words);
	hd_buf_release(&text);
}

/* Append a section of lines that roff must not fill. */
static void roff_lines(struct hd_buf *b, const char *title, const struct hd_buf *text)
{
	hd_buf_addf(b, ".SH %s\n.nf\n", title);
	roff(b, hd_buf_str(text));
	hd_buf_adds(b, ".fi\n");
}

static void roff_details(struct hd_buf *b, const struct hd_cmd *c)
{
	struct hd_buf text = { 0 };

	hd_help_details(&text, c, MAN_COLUMNS);
	roff_lines(b, "DESCRIPTION", &text);
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
	if (c->details)
		roff_details(b, c);
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
		struct hd_buf text = { 0 };

		hd_help_examples(&text, c->examples, MAN_COLUMNS);
		roff_lines(b, "EXAMPLES", &text);
		hd_buf_release(&text);
	}
	hd_buf_adds(b,
		".SH EXIT STATUS\n"
		"0 success, 1 negative result, 2 usage error, 3 inconclusive, 4 not comparable or no baseline, "
			"5 bad input, 6 other failure.\n"
		".SH SEE ALSO\n"
		".BR hotdrift (1),\n.BR hotdrift.ini (5),\n.BR perf\\-record (1)\n");
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
	hd_buf_adds(b, ".SH SEE ALSO\n.BR hotdrift.ini (5),\n.BR perf (1)\n");
}

/* Write hotdrift.ini(5).  The keys are explained by the same text as in `hotdrift target --help`. */
static void roff_ini(struct hd_buf *b)
{
	static const char example[] =
		"[hotdrift]\n"
		"db = results/hotspots.db\n"
		"\n"
		"[target parser]\n"
		"description = parse a large file\n"
		"build = make profile\n"
		"run = build/parser big.json\n"
		"modes = cpu, memory\n";
	struct hd_buf text = { 0 };

	hd_buf_addf(b,
		".TH HOTDRIFT.INI 5 \"\" \"hotdrift %s\" \"hotdrift manual\"\n"
		".SH NAME\n"
		"hotdrift.ini \\- the targets that a repository profiles\n", HD_VERSION);
	roff_details(b, hd_cmd_find("target"));
	hd_buf_adds(&text, example);
	roff_lines(b, "EXAMPLE", &text);
	hd_buf_adds(b, ".SH SEE ALSO\n.BR hotdrift\\-target (1),\n.BR hotdrift\\-profile (1)\n");
	hd_buf_release(&text);
}

/* profile.sh is the script that `hotdrift profile` runs. */
static void roff_profile_script(struct hd_buf *b)
{
	hd_buf_adds(b, ".so man1/hotdrift-profile.1\n");
}

/* Write `page` as DIR/NAME, then empty it. */
static int write_page(const char *dir, const char *name, struct hd_buf *page, struct hd_err *err)
{
	struct hd_buf path = { 0 };
	int rc;

	hd_buf_addf(&path, "%s/%s", dir, name);
	rc = hd_file_write(path.data, page, err);
	hd_buf_release(&path);
	hd_buf_reset(page);
	return rc;
}

int hd_man_pages(const char *dir, struct hd_err *err)
{
	static const struct {
		const char *name;
		void (*add)(struct hd_buf *page);
	} others[] = {
		{ "hotdrift.1", roff_main }, { "hotdrift.ini.5", roff_ini }, { "profile.sh.1", roff_profile_script },
	};
	struct hd_buf page = { 0 }, name = { 0 };
	int rc = 0;

	for (size_t i = 0; i < HD_COUNT(others) && rc >= 0; i++) {
		others[i].add(&page);
		rc = write_page(dir, others[i].name, &page, err);
	}
	for (const struct hd_cmd *const *c = hd_cmds; *c && rc >= 0; c++) {
		hd_buf_reset(&name);
		hd_buf_addf(&name, "hotdrift-%s.1", (*c)->name);
		roff_command(&page, *c);
		rc = write_page(dir, hd_buf_str(&name), &page, err);
	}
	hd_buf_release(&page);
	hd_buf_release(&name);
	return rc;
}
