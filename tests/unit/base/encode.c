/* encode.c - each output format encodes each name unambiguously */
#include "test.h"

#include "base/encode.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

typedef void enc_fn(struct hd_buf *, const char *, size_t);

/* Return the encoding of n bytes; the caller frees it. */
static char *enc(enc_fn *fn, const char *s, size_t n)
{
	/* A copy of exactly n bytes, so that a sanitizer detects reads past the end. */
	char *copy = hd_alloc(n ? n : 1);
	struct hd_buf out = { 0 };

	if (n)
		memcpy(copy, s, n);
	fn(&out, copy, n);
	free(copy);
	return hd_buf_take(&out);
}

#define EXPECT_ENC(fn, bytes, want)					\
	do {								\
		char *got_ = enc(fn, bytes, sizeof(bytes) - 1);		\
		EXPECT_STR(got_, want);					\
		free(got_);						\
	} while (0)

/* ---- the visible form ---- */

TEST(plain_text_stays_as_it_is)
{
	EXPECT_ENC(hd_enc_visible, "operator new[](unsigned long)", "operator new[](unsigned long)");
	EXPECT_ENC(hd_enc_visible, "", "");
}

TEST(a_backslash_is_doubled_so_that_the_visible_form_can_be_undone)
{
	EXPECT_ENC(hd_enc_visible, "D:\\new\\xab", "D:\\\\new\\\\xab");
}

TEST(control_characters_become_hex)
{
	char all[32], *got;
	struct hd_buf want = { 0 };

	for (int i = 0; i < 32; i++) {
		all[i] = (char)i;
		hd_buf_addf(&want, "\\x%02x", i);
	}
	got = enc(hd_enc_visible, all, sizeof(all));
	EXPECT_STR(got, hd_buf_str(&want));
	free(got);
	hd_buf_release(&want);
	EXPECT_ENC(hd_enc_visible, "rub\x7f", "rub\\x7f");
}

TEST(valid_utf8_stays_at_every_length_and_both_ends_of_each)
{
	static const char text[] = "\xc2\xa0 \xdf\xbf \xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80 \xef\xbf\xbd "
				   "\xf0\x90\x80\x80 \xf4\x8f\xbf\xbd";

	EXPECT_ENC(hd_enc_visible, text, text);
}

TEST(bytes_outside_a_valid_sequence_become_hex_one_by_one)
{
	EXPECT_ENC(hd_enc_visible, "\x80", "\\x80");			/* a continuation byte without a lead byte */
	EXPECT_ENC(hd_enc_visible, "\xc1\xbf", "\\xc1\\xbf");		/* overlong: U+007F in 2 bytes */
	EXPECT_ENC(hd_enc_visible, "\xe0\x9f\xbf", "\\xe0\\x9f\\xbf");	/* overlong: U+07FF in 3 bytes */
	EXPECT_ENC(hd_enc_visible, "\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf");
	EXPECT_ENC(hd_enc_visible, "\xed\xb0\x80", "\\xed\\xb0\\x80");	/* a surrogate */
	EXPECT_ENC(hd_enc_visible, "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");	/* above U+10FFFF */
	EXPECT_ENC(hd_enc_visible, "\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80");
	EXPECT_ENC(hd_enc_visible, "x\xe6\x97", "x\\xe6\\x97");		/* the text ends inside of a character */
	/* an incomplete sequence, followed by text */
	EXPECT_ENC(hd_enc_visible, "\xe6\x97x", "\\xe6\\x97x");
	EXPECT_ENC(hd_enc_visible, "\xc3\xe6\x97\xa5", "\\xc3\xe6\x97\xa5");
}

TEST(characters_that_hide_or_reorder_text_are_named)
{
	EXPECT_ENC(hd_enc_visible, "\xc2\x80\xc2\x9f", "\\u{80}\\u{9f}");
	EXPECT_ENC(hd_enc_visible, "\xd8\x9c", "\\u{61c}");
	EXPECT_ENC(hd_enc_visible, "\xe2\x80\x8f|\xe2\x80\x90", "\\u{200f}|\xe2\x80\x90");
	EXPECT_ENC(hd_enc_visible, "\xe2\x80\xa9\xe2\x80\xaf", "\\u{2029}\xe2\x80\xaf");
	EXPECT_ENC(hd_enc_visible, "\xe2\x81\xa0\xe2\x81\xa5\xe2\x81\xa6", "\\u{2060}\xe2\x81\xa5\\u{2066}");
	EXPECT_ENC(hd_enc_visible, "\xef\xbf\xb9\xef\xbf\xbc", "\\u{fff9}\xef\xbf\xbc");
	EXPECT_ENC(hd_enc_visible, "\xf3\xa0\x80\x81\xf3\xa0\x81\xbf", "\\u{e0001}\\u{e007f}");
	EXPECT_ENC(hd_enc_visible, "\xef\xb7\x90\xef\xbf\xbe\xef\xbf\xbf", "\\u{fdd0}\\u{fffe}\\u{ffff}");
	EXPECT_ENC(hd_enc_visible, "\xf4\x8f\xbf\xbf", "\\u{10ffff}");
}

/* ---- text and data formats ---- */

TEST(an_empty_name_is_seen_in_text_and_empty_in_data)
{
	EXPECT_ENC(hd_enc_term, "", "\\e");
	EXPECT_ENC(hd_enc_folded, "", "\\e");
	EXPECT_ENC(hd_enc_xml, "", "\\e");
	EXPECT_ENC(hd_enc_md, "", "`\\e`");
	EXPECT_ENC(hd_enc_json, "", "\"\"");
	EXPECT_ENC(hd_enc_json_script, "", "\"\"");
	EXPECT_ENC(hd_enc_csv, "", "\"\"");
	/* a name that looks like the escape of an empty name is encoded differently */
	EXPECT_ENC(hd_enc_term, "\\e", "\\\\e");
}

TEST(a_name_cannot_pass_for_a_pseudo_name_in_text)
{
	EXPECT_ENC(hd_enc_term, HD_UNKNOWN, "\\x5bunknown]");
	EXPECT_ENC(hd_enc_folded, HD_UNKNOWN, "\\x5bunknown]");
	EXPECT_ENC(hd_enc_xml, HD_UNKNOWN, "\\x5bunknown]");
	EXPECT_ENC(hd_enc_term, "[truncated]", "[truncated]");
	EXPECT_ENC(hd_enc_md, HD_UNKNOWN, "`\\x5bunknown]`");
	EXPECT_ENC(hd_enc_json, HD_UNKNOWN, "\"[unknown]\"");
	EXPECT_ENC(hd_enc_csv, HD_UNKNOWN, "\"[unknown]\"");
	EXPECT_ENC(hd_enc_term, "[unknown", "[unknown");
	EXPECT_ENC(hd_enc_term, "[unknown] ", "[unknown] ");
}

TEST(a_terminal_gets_no_escape_sequence)
{
	EXPECT_ENC(hd_enc_term, "\033]8;;http://host/\a", "\\x1b]8;;http://host/\\x07");
	EXPECT_ENC(hd_enc_term, "\xc2\x9d" "0;t", "\\u{9d}0;t");
}

/* ---- folded text ---- */

TEST(a_frame_holds_no_separator)
{
	EXPECT_ENC(hd_enc_folded, "f;g;", "f\\x3bg\\x3b");
	EXPECT_ENC(hd_enc_folded, "f\n1", "f\\x0a1");
}

TEST(a_frame_cannot_end_like_a_count)
{
	EXPECT_ENC(hd_enc_folded, "worker 7", "worker\\x207");
	EXPECT_ENC(hd_enc_folded, "worker 12 007", "worker 12\\x20007");
	EXPECT_ENC(hd_enc_folded, "v 1.5", "v\\x201.5");
	EXPECT_ENC(hd_enc_folded, "v 3.", "v\\x203.");
	EXPECT_ENC(hd_enc_folded, " 7", "\\x207");
	EXPECT_ENC(hd_enc_folded, "worker 7a", "worker 7a");
	EXPECT_ENC(hd_enc_folded, "worker7", "worker7");
	EXPECT_ENC(hd_enc_folded, "8", "8");
	EXPECT_ENC(hd_enc_folded, "1.5", "1.5");
	EXPECT_ENC(hd_enc_folded, "a .", "a .");
}

TEST(a_frame_cannot_be_trimmed_or_taken_for_a_comment_or_command)
{
	EXPECT_ENC(hd_enc_folded, "  two ", "\\x20 two\\x20");
	EXPECT_ENC(hd_enc_folded, " ", "\\x20");
	EXPECT_ENC(hd_enc_folded, "#", "\\x23");
	EXPECT_ENC(hd_enc_folded, "#include 1", "\\x23include\\x201");
	EXPECT_ENC(hd_enc_folded, "a#b", "a#b");
	EXPECT_ENC(hd_enc_folded, "::warning::x", "\\x3a:warning::x");
	EXPECT_ENC(hd_enc_folded, ":x", ":x");
	EXPECT_ENC(hd_enc_folded, ":", ":");
}

TEST(a_frame_cannot_carry_our_mark)
{
	EXPECT_ENC(hd_enc_folded, "do_it_[i]", "do_it_\\x5bi]");
	EXPECT_ENC(hd_enc_folded, "_[j]", "_\\x5bj]");
	EXPECT_ENC(hd_enc_folded, "at_[0]", "at_[0]");
	EXPECT_ENC(hd_enc_folded, "[k]", "[k]");
	EXPECT_ENC(hd_enc_folded, "a_[k];", "a_[k]\\x3b");
}

static void round_trip(const char *s, size_t n)
{
	struct hd_buf text = { 0 }, back = { 0 };

	hd_enc_folded(&text, s, n);
	hd_decode_folded(&back, hd_buf_str(&text), text.len);
	EXPECT_INT(back.len, n);
	if (n)
		EXPECT_MEM(back.data, s, n);
	hd_buf_release(&text);
	hd_buf_release(&back);
}

TEST(decoding_a_folded_frame_gives_the_name_back)
{
	/* Try every name that consists of up to three of these pieces. */
	static const char *const piece[] = {
		"", "a", "\\", ";", " ", "#", ":", "_[k]", "9", ".", "\n", "\x7f", "\xff", "\xc2", "\x9b", "x3b", "e",
		"u{80}", "\xc2\x80", "\xe2\x80\xae", "\xf4\x8f\xbf\xbf", "\xe6\x97\xa5", "[unknown]", "{", "}",
	};
	struct hd_buf name = { 0 };

	for (size_t i = 0; i < HD_COUNT(piece); i++)
		for (size_t j = 0; j < HD_COUNT(piece); j++)
			for (size_t k = 0; k < HD_COUNT(piece); k++) {
				hd_buf_reset(&name);
				hd_buf_adds(&name, piece[i]);
				hd_buf_adds(&name, piece[j]);
				hd_buf_adds(&name, piece[k]);
				round_trip(hd_buf_str(&name), name.len);
			}
	hd_buf_release(&name);
	round_trip("a\0b", 3);
}

TEST(decoding_leaves_what_is_no_escape_of_ours)
{
	EXPECT_ENC(hd_decode_folded, "a\\q\\x4\\xG0\\u{}\\", "a\\q\\x4\\xG0\\u{}\\");
	EXPECT_ENC(hd_decode_folded, "\\x41\\u{41}\\u{0080}", "\\x41\\u{41}\\u{0080}");
	EXPECT_ENC(hd_decode_folded, "\\u{110000}\\u{ffffffff}", "\\u{110000}\\u{ffffffff}");
	EXPECT_ENC(hd_decode_folded, "a\\e", "a\\e");
	EXPECT_ENC(hd_decode_folded, "\\e", "");
}

/* ---- the other output formats ---- */

TEST(xml_text_and_attributes_hold_no_markup)
{
	EXPECT_ENC(hd_enc_xml, "a<b> & \"c\" 'd'", "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
	EXPECT_ENC(hd_enc_xml, "\b\xed\xa0\x81\xef\xbf\xbf", "\\x08\\xed\\xa0\\x81\\u{ffff}");
}

TEST(json_is_quoted_and_doubles_the_backslash_of_the_visible_form)
{
	EXPECT_ENC(hd_enc_json, "say \"no\"\\", "\"say \\\"no\\\"\\\\\\\\\"");
	EXPECT_ENC(hd_enc_json, "\t\xff\xe2\x80\xa8</", "\"\\\\x09\\\\xff\\\\u{2028}</\"");
}

TEST(json_in_a_script_block_cannot_end_it)
{
	EXPECT_ENC(hd_enc_json_script, "</script><!--&\"", "\"\\u003c/script\\u003e\\u003c!--\\u0026\\\"\"");
}

TEST(a_csv_cell_is_quoted_and_no_formula)
{
	EXPECT_ENC(hd_enc_csv, "a,\"b\"", "\"a,\"\"b\"\"\"");
	EXPECT_ENC(hd_enc_csv, "=1+1", "\"\\x3d1+1\"");
	EXPECT_ENC(hd_enc_csv, "+1", "\"\\x2b1\"");
	EXPECT_ENC(hd_enc_csv, "-1", "\"\\x2d1\"");
	EXPECT_ENC(hd_enc_csv, "@x=", "\"\\x40x=\"");
	EXPECT_ENC(hd_enc_csv, "\t=1", "\"\\x09=1\"");
	EXPECT_ENC(hd_enc_csv, "\0=", "\"\\x00=\"");
}

TEST(a_markdown_code_span_has_a_fence_longer_than_what_it_holds)
{
	EXPECT_ENC(hd_enc_md, "a_b*c*", "`a_b*c*`");
	EXPECT_ENC(hd_enc_md, "a`b``c", "```a`b``c```");
	EXPECT_ENC(hd_enc_md, "`", "`` ` ``");
	EXPECT_ENC(hd_enc_md, " ` ", "``  `  ``");
	EXPECT_ENC(hd_enc_md, " x ", "` x `");
	EXPECT_ENC(hd_enc_md, "|x\\|", "`\\|x\\\\\\|`");
}

/* ---- invariants ---- */

/* The encoders check eight bytes at once, so the encoding of a byte could depend on its position.  It must not. */
TEST(a_byte_is_written_alike_at_every_place_of_a_name)
{
	static enc_fn *const sinks[] = { hd_enc_visible, hd_enc_term, hd_enc_folded, hd_enc_xml, hd_enc_json,
		hd_enc_json_script, hd_enc_csv, hd_enc_md, hd_enc_entities };
	static const char letters[] = "abcdefghijklmnopqrstuvw";

	for (size_t k = 0; k < HD_COUNT(sinks); k++)
		for (int c = 1; c < 256; c++) {
			char three[] = { 'a', (char)c, 'b' }, *want, *byte;
			size_t open = 1 +
				(sinks[k] == hd_enc_json || sinks[k] == hd_enc_json_script || sinks[k] == hd_enc_csv ||
					sinks[k] == hd_enc_md);

			if (sinks[k] == hd_enc_md && c == '`')
				continue;	/* a backtick in the name makes the fence of the code span longer */
			want = enc(sinks[k], three, 3);
			byte = hd_strndup(want + open, strlen(want) - 2 * open);
			for (size_t at = 1; at < 20; at++) {
				char name[24], *got;
				struct hd_buf all = { 0 };

				memcpy(name, letters, sizeof(letters));
				name[at] = (char)c;
				got = enc(sinks[k], name, 22);
				hd_buf_addf(&all, "%.*s%.*s%s%.*s%s", (int)open - 1, want, (int)at, letters, byte,
					21 - (int)at, letters + at + 1, want + strlen(want) - (open - 1));
				EXPECT_STR(got, hd_buf_str(&all));
				hd_buf_release(&all);
				free(got);
			}
			free(byte);
			free(want);
		}
}

TEST(two_names_never_give_one_text_in_any_sink)
{
	static enc_fn *const sinks[] = {
		hd_enc_term, hd_enc_folded, hd_enc_xml, hd_enc_json, hd_enc_json_script, hd_enc_csv, hd_enc_md,
	};
	/* Names that would collide if an escape were missing. */
	static const char *const names[] = {
		"", "\\e", "\\\\e", "[unknown]", "\\x5bunknown]", "a;b", "a\\x3bb", "a b", "a\\x20b", "x 1", "x\\x201",
		"=", "\\x3d",
		"<", "&lt;", "&amp;lt;", "\xff", "\\xff", "\\\\xff", "\xc2\x80", "\\u{80}", "\"", "\"\"", "\\\"", "|",
		"\\|", "\\\\|",
		"`", " ` ", "``", "u_[k]", "u_\\x5bk]",
	};

	for (size_t k = 0; k < HD_COUNT(sinks); k++)
		for (size_t i = 0; i < HD_COUNT(names); i++)
			for (size_t j = 0; j < i; j++) {
				char *a = enc(sinks[k], names[i], strlen(names[i]));
				char *b = enc(sinks[k], names[j], strlen(names[j]));

				EXPECT(strcmp(a, b) != 0);
				free(a);
				free(b);
			}
}

TEST(long_names_keep_every_byte_and_grow_at_most_sixfold_in_xml)
{
	static const char *const units[] = { "A", "<", "\xff", "\xf0\x9f\x99\x82" };
	static const size_t sizes[] = { 65535, 65536, 70000 };

	for (size_t u = 0; u < HD_COUNT(units); u++)
		for (size_t k = 0; k < HD_COUNT(sizes); k++) {
			struct hd_buf name = { 0 }, out = { 0 };

			while (name.len < sizes[k])
				hd_buf_adds(&name, units[u]);
			hd_enc_xml(&out, name.data, name.len);
			EXPECT(out.len >= name.len && out.len <= 6 * name.len);
			round_trip(name.data, name.len);
			hd_buf_release(&name);
			hd_buf_release(&out);
		}
}

TEST(width_counts_columns)
{
	EXPECT_INT(hd_enc_width("main", 4), 4);
	EXPECT_INT(hd_enc_width("", 0), 0);
	EXPECT_INT(hd_enc_width("na\xc3\xafve", 6), 5);
	EXPECT_INT(hd_enc_width("\xe6\x97\xa5\xe6\x9c\xac", 6), 4);
	EXPECT_INT(hd_enc_width("\xf0\x9f\x99\x82", 4), 2);
	EXPECT_INT(hd_enc_width("e\xcc\x81", 3), 1);		/* a combining accent */
}

TEST(a_cut_divides_neither_a_character_nor_an_escape)
{
	EXPECT_INT(hd_enc_cut("main", 4, 10), 4);
	EXPECT_INT(hd_enc_cut("main", 4, 3), 3);
	EXPECT_INT(hd_enc_cut("main", 4, 0), 0);
	EXPECT_INT(hd_enc_cut("a\\xffb", 6, 4), 1);
	EXPECT_INT(hd_enc_cut("a\\xffb", 6, 5), 5);
	EXPECT_INT(hd_enc_cut("\\u{202e}x", 9, 7), 0);
	EXPECT_INT(hd_enc_cut("\\u{202e}x", 9, 8), 8);
	EXPECT_INT(hd_enc_cut("a\\\\b", 4, 2), 1);
	EXPECT_INT(hd_enc_cut("\xe6\x97\xa5\xe6\x9c\xac", 6, 3), 3);
}

/* ---- the shared list of hostile names ---- */

struct list_case {
	char name[64];
	struct hd_buf bytes;
	char sink[16][8];
	char *want[16];
	size_t n;
};

static void case_release(struct list_case *c)
{
	hd_buf_release(&c->bytes);
	for (size_t i = 0; i < c->n; i++)
		free(c->want[i]);
	memset(c, 0, sizeof(*c));
}

/* Parse the code span of a line `bytes (C style): `, in which \xHH is a byte, and append its bytes to *out. */
static void parse_bytes(struct hd_buf *out, const char *span)
{
	size_t fence = strspn(span, "`"), n = strlen(span);

	if (fence == 0)		/* (none) */
		return;
	assert_true(n >= 2 * fence);
	span += fence;
	n -= 2 * fence;
	if (fence > 1 && n >= 2 && span[0] == ' ' && span[n - 1] == ' ') {
		span++;
		n -= 2;
	}
	for (size_t i = 0; i < n; i++) {
		unsigned byte;

		if (span[i] == '\\' && sscanf(span + i, "\\x%2x", &byte) == 1) {
			hd_buf_addc(out, (char)byte);
			i += 3;
		} else {
			hd_buf_addc(out, span[i]);
		}
	}
}

static void check_case(const struct list_case *c)
{
	static const struct { const char *sink; enc_fn *fn; } rows[] = {
		{ "folded", hd_enc_folded }, { "svg", hd_enc_xml }, { "html", hd_enc_xml },
		{ "script", hd_enc_json_script },
		{ "csv", hd_enc_csv }, { "json", hd_enc_json }, { "term", hd_enc_term }, { "md", hd_enc_md },
	};
	const char *s = hd_buf_str(&c->bytes);
	size_t checked = 0;

	for (size_t i = 0; i < c->n; i++)
		for (size_t r = 0; r < HD_COUNT(rows); r++) {
			char *got;

			if (strcmp(c->sink[i], rows[r].sink))
				continue;
			got = enc(rows[r].fn, s, c->bytes.len);
			if (strcmp(got, c->want[i]))
				print_error("case %s, sink %s\n", c->name, rows[r].sink);
			EXPECT_STR(got, c->want[i]);
			free(got);
			checked++;
		}
	EXPECT_INT(checked, HD_COUNT(rows));
	round_trip(s, c->bytes.len);
}

TEST(every_case_of_the_shared_list_is_written_exactly)
{
	const char *shared = getenv("HD_SHARED");
	struct hd_buf path = { 0 };
	struct list_case c = { 0 };
	char *line = NULL;
	size_t cap = 0, cases = 0;
	ssize_t got;
	bool inside = false;
	FILE *f;

	hd_buf_addf(&path, "%s/fuzz/injection.md", shared ? shared : "../shared");
	f = fopen(path.data, "r");
	hd_buf_release(&path);
	if (!f)
		SKIP("no ../shared/fuzz/injection.md");
	while ((got = getline(&line, &cap, f)) > 0) {
		static const char intro[] = "bytes (C style): ";

		if (line[got - 1] == '\n')
			line[--got] = '\0';
		if (!strncmp(line, "### ", 4)) {
			case_release(&c);
			snprintf(c.name, sizeof(c.name), "%s", line + 4);
		} else if (!strncmp(line, intro, sizeof(intro) - 1)) {
			parse_bytes(&c.bytes, line + sizeof(intro) - 1);
		} else if (!strcmp(line, "```text")) {
			inside = true;
		} else if (inside && !strcmp(line, "```")) {
			inside = false;
			check_case(&c);
			cases++;
		} else if (inside && c.n < HD_COUNT(c.want) && strlen(line) >= 8) {
			snprintf(c.sink[c.n], sizeof(c.sink[0]), "%.*s", (int)strcspn(line, " "), line);
			c.want[c.n++] = hd_strdup(line + 8);
		}
	}
	case_release(&c);
	free(line);
	fclose(f);
	EXPECT(cases >= 53);
	print_message("%zu cases\n", cases);
}

static const char *shell(struct hd_buf *b, const char *word)
{
	hd_buf_reset(b);
	hd_enc_shell(b, word);
	return hd_buf_str(b);
}

TEST(a_word_of_a_shell_command_is_quoted_only_where_the_shell_needs_it)
{
	struct hd_buf b = { 0 };

	EXPECT_STR(shell(&b, "results/hotspots.db"), "results/hotspots.db");
	EXPECT_STR(shell(&b, ""), "''");
	EXPECT_STR(shell(&b, "a b"), "'a b'");
	EXPECT_STR(shell(&b, "it's"), "'it'\\''s'");
	EXPECT_STR(shell(&b, "a\\b"), "'a\\b'");
	EXPECT_STR(shell(&b, "std::vector<int>"), "'std::vector<int>'");
	EXPECT_STR(shell(&b, "gr\xc3\xbc\xc3\x9f"), "'gr\xc3\xbc\xc3\x9f'");
	EXPECT_STR(shell(&b, "a\033[2Jb'"), "$'a\\x1b[2Jb\\x27'");
	EXPECT_STR(shell(&b, "\xff"), "$'\\xff'");
	hd_buf_release(&b);
}

static const char *shortened(struct hd_buf *b, const char *text, size_t columns)
{
	hd_buf_reset(b);
	hd_enc_shorten(b, text, strlen(text), columns);
	return hd_buf_str(b);
}

TEST(a_name_is_shortened_in_the_middle_between_characters_and_escapes)
{
	struct hd_buf b = { 0 };

	EXPECT_STR(shortened(&b, "parse_row", 9), "parse_row");
	EXPECT_STR(shortened(&b, "parse_row", 8), "pars~row");
	EXPECT_STR(shortened(&b, "parse_row", 5), "pa~ow");
	EXPECT_STR(shortened(&b, "ab\\x1bcdefgh", 8), "ab~defgh");
	EXPECT_STR(shortened(&b, "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97", 6), "\xe6\xbc\xa2~\xe5\xad\x97");
	EXPECT_STR(shortened(&b, "parse_row", 1), "~");
	hd_buf_release(&b);
}

TEST_MAIN(RUN(a_name_is_shortened_in_the_middle_between_characters_and_escapes),
	  RUN(a_word_of_a_shell_command_is_quoted_only_where_the_shell_needs_it),
	  RUN(plain_text_stays_as_it_is),
	  RUN(a_backslash_is_doubled_so_that_the_visible_form_can_be_undone),
	  RUN(control_characters_become_hex),
	  RUN(valid_utf8_stays_at_every_length_and_both_ends_of_each),
	  RUN(bytes_outside_a_valid_sequence_become_hex_one_by_one),
	  RUN(characters_that_hide_or_reorder_text_are_named),
	  RUN(an_empty_name_is_seen_in_text_and_empty_in_data),
	  RUN(a_name_cannot_pass_for_a_pseudo_name_in_text),
	  RUN(a_terminal_gets_no_escape_sequence),
	  RUN(a_frame_holds_no_separator),
	  RUN(a_frame_cannot_end_like_a_count),
	  RUN(a_frame_cannot_be_trimmed_or_taken_for_a_comment_or_command),
	  RUN(a_frame_cannot_carry_our_mark),
	  RUN(decoding_a_folded_frame_gives_the_name_back),
	  RUN(decoding_leaves_what_is_no_escape_of_ours),
	  RUN(xml_text_and_attributes_hold_no_markup),
	  RUN(json_is_quoted_and_doubles_the_backslash_of_the_visible_form),
	  RUN(json_in_a_script_block_cannot_end_it),
	  RUN(a_csv_cell_is_quoted_and_no_formula),
	  RUN(a_markdown_code_span_has_a_fence_longer_than_what_it_holds),
	  RUN(a_byte_is_written_alike_at_every_place_of_a_name),
	  RUN(two_names_never_give_one_text_in_any_sink),
	  RUN(long_names_keep_every_byte_and_grow_at_most_sixfold_in_xml),
	  RUN(width_counts_columns),
	  RUN(a_cut_divides_neither_a_character_nor_an_escape),
	  RUN(every_case_of_the_shared_list_is_written_exactly))
