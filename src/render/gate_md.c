/* gate_md.c - print a comparison as Markdown for a comment on a merge request; see gate.h */
#include "base/encode.h"
#include "render/gate.h"
#include "render/gate_cells.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST = 30,		/* maximum number of rows */
	NAME_BYTES = 120,	/* maximum bytes of a name; longer names are shortened in the middle */
	/* no row begins after this many bytes; a comment on GitHub has at most 65,536 characters */
	ROWS_BYTES = 24000
};

/* Add a name as a code span.  A long name is shortened in the middle. */
static void code(struct hd_buf *out, const char *name)
{
	size_t n = strlen(name), head = NAME_BYTES / 2, tail = n - NAME_BYTES / 2;
	struct hd_buf b = { 0 };

	if (n > NAME_BYTES) {
		while (head && (name[head] & 0xc0) == 0x80)	/* do not split a character */
			head--;
		while (tail < n && (name[tail] & 0xc0) == 0x80)
			tail++;
		hd_buf_add(&b, name, head);
		hd_buf_addc(&b, '~');
		hd_buf_add(&b, name + tail, n - tail);
	} else {
		hd_buf_add(&b, name, n);
	}
	hd_enc_md(out, b.data, b.len);
	hd_buf_release(&b);
}

/* Add a name to a cell. A vertical bar is escaped, because it ends a cell even inside a code span. */
static void cell(struct hd_buf *out, const char *name)
{
	struct hd_buf b = { 0 };

	code(&b, name);
	for (size_t i = 0; i < b.len; i++) {
		if (b.data[i] == '|' && (!i || b.data[i - 1] != '\\'))
			hd_buf_addc(out, '\\');
		hd_buf_addc(out, b.data[i]);
	}
	hd_buf_release(&b);
}

/* Append a sentence that may contain names of the input; they are escaped. */
static void sentence(struct hd_buf *out, const char *s)
{
	struct hd_buf b = { 0 };

	hd_enc_term(&b, s, strlen(s));
	for (const char *p = hd_buf_str(&b); *p; p++) {
		if (strchr("\\`*_{}[]<>#|!~@&", *p))
			hd_buf_addc(out, '\\');
		hd_buf_addc(out, *p);
	}
	hd_buf_release(&b);
}

static const char *word(char mark)
{
	switch (mark) {
	case 'S': return "shift";
	case '?': return "unsure";
	case 'A': return "acknowledged";
	case 'I': return "faster";
	default: return "**slower**";
	}
}

static void note(struct hd_buf *out, const struct hd_comparison *c, const struct hd_gate_line *l)
{
	if (l->mark != 'S') {
		hd_gate_note(out, l);
		return;
	}
	for (size_t i = 0; i < (l->row->nto ? l->row->nto : l->row->nfrom); i++) {
		hd_buf_adds(out, i ? ", " : l->row->nto ? "to " : "from ");
		cell(out, c->rows[(l->row->nto ? l->row->to : l->row->from)[i]].symbol);
	}
	if (l->row->within) {
		hd_buf_adds(out, " inside ");
		cell(out, l->row->within);
	}
}

static void rows(struct hd_buf *out, const struct hd_comparison *c)
{
	struct hd_gate_line *lines;
	size_t n = hd_gate_lines(&lines, c), i, start = out->len;

	if (n)
		hd_buf_adds(out,
			"| | what | base | head | change | 95 % interval | q |\n|---|---|--:|--:|--:|--:|---|\n");
	for (i = 0; i < n && i < MOST && out->len - start < ROWS_BYTES; i++) {
		struct hd_buf name = { 0 };

		hd_gate_label(&name, &lines[i]);
		hd_buf_addf(out, "| %s | ", word(lines[i].mark));
		cell(out, name.data);
		hd_buf_adds(out, " | ");
		hd_gate_level(out, &lines[i], false);
		hd_buf_adds(out, " | ");
		hd_gate_level(out, &lines[i], true);
		hd_buf_adds(out, " | ");
		hd_gate_change(out, &lines[i]);
		hd_buf_adds(out, " | ");
		hd_gate_interval(out, &lines[i]);
		hd_buf_adds(out, " | ");
		note(out, c, &lines[i]);
		hd_buf_adds(out, " |\n");
		hd_buf_release(&name);
	}
	if (i < n)
		hd_buf_addf(out, "\nand %zu more\n", n - i);
	if (!n && c->gated) {
		hd_gate_quiet(out, c);
		out->data[start] = (char)toupper((unsigned char)out->data[start]);
		hd_buf_adds(out, ".\n");
	}
	free(lines);
}

static void one(struct hd_buf *out, const struct hd_comparison *c)
{
	if (c->base.n && c->head.n) {
		struct hd_buf side = { 0 };

		hd_buf_adds(out, "base ");
		hd_gate_side(&side, &c->base);
		sentence(out, side.data);
		hd_buf_reset(&side);
		hd_gate_side(&side, &c->head);
		hd_buf_adds(out, ", head ");
		sentence(out, side.data);
		if (c->history.n)
			hd_buf_addf(out, ", with %zu runs of history", c->history.n);
		hd_buf_adds(out, "\n\n");
		hd_buf_release(&side);
	}
	if (c->reason[0]) {
		sentence(out, c->reason);
		hd_buf_adds(out, "\n\n");
	}
	rows(out, c);
	if (c->ranked) {
		hd_buf_adds(out, "\nTotal: ");
		hd_gate_total(out, &c->total);
		hd_buf_addf(out, ": %s%s.\n", hd_verdict_name(c->total.verdict),
			hd_gate_total_is_accepted(&c->total) ? " without what is acknowledged" : "");
	}
	if (c->ranked && c->total.level_moved && !c->total.decided_by)
		hd_buf_addf(out,
			"\n"
			"Most symbols moved together by %+.1f %%. Either the machine (or the amount of work) changed, "
			"or most of the program did; a profile cannot tell. `--work`, a latency series, or runs of "
			"both sides in turns decide. If a function whose code is the same moved, too, it was the "
			"machine or the amount of work.\n",
			c->total.level_pct);
	if (hd_gate_relative(c))
		hd_buf_addf(out,
			"\n"
			"Most symbols moved together by %+.1f %%. The changes of symbols are relative to that.\n",
			c->total.level_pct);
	if (c->material) {
		hd_buf_adds(out, "\nTop 5: ");
		code(out, c->rows[c->above].symbol);
		hd_buf_adds(out, " passes ");
		code(out, c->rows[c->below].symbol);
		hd_buf_adds(out, ".\n");
	}
	if (c->ranked)
		hd_buf_addf(out, "\ndrift %.2f (A/A limit %.2f), moved %.1f %%, net %+.1f %%\n", c->score, c->aa_limit,
			c->moved_pct, c->net_pct);
}

/*
 * Append a word to the HTML comment in the first line of the report.  All characters except letters, digits and `._-`,
 * and a `-` at its start or after another `-`, become `_`, so that the word cannot end the comment.
 */
static void marker_word(struct hd_buf *out, const char *word)
{
	hd_buf_addc(out, ' ');
	for (char last = '-'; *word; word++) {
		char c = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *word)
			? *word : '_';

		if (c == '-' && last == '-')
			c = '_';
		hd_buf_addc(out, last = c);
	}
}

void hd_gate_markdown(struct hd_buf *out, const struct hd_comparison *c, const char *command, const char *db)
{
	hd_buf_addf(out, "<!-- hotdrift %s", command);
	marker_word(out, hd_gate_field(c, HD_RUN_FIELD_TARGET));
	marker_word(out, hd_gate_field(c, HD_RUN_FIELD_MODE));
	hd_buf_addf(out, " -->\n### hotdrift %s: %s", command, hd_gate_headline(c, command));
	if (c->head.n) {
		hd_buf_addc(out, ' ');
		code(out, hd_gate_field(c, HD_RUN_FIELD_TARGET));
	}
	hd_buf_adds(out, "\n\n");
	one(out, c);
	if (c->pin) {
		hd_buf_addf(out, "\n#### against the pinned release: %s\n\n", hd_verdict_name(c->pin->verdict));
		one(out, c->pin);
	}
	if (strcmp(hd_gate_headline(c, command), "PASS") != 0 && c->head.n) {
		hd_buf_adds(out, "\n~~~\n");
		/* a URL may contain a password */
		hd_gate_next(out, c, command, db && strstr(db, "://") ? NULL : db);
		hd_buf_adds(out, "~~~\n");
	}
}

void hd_gate_comment(struct hd_buf *out, const struct hd_comparison *c, const char *command,
	const struct hd_gate_places *places)
{
	hd_gate_markdown(out, c, command, places->db);
}
