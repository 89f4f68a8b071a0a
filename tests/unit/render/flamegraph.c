/*
 * flamegraph.c - write flamegraphs that are well-formed, complete and safe with any name, and report what they omit
 */
#include "test.h"

#include "base/assets.h"
#include "base/encode.h"
#include "base/mem.h"
#include "render/flamegraph.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a profile and its flamegraph ---- */

static hd_stack_id push(struct hd_profile *p, hd_stack_id caller, const char *name, bool kernel)
{
	struct hd_frame f = { 0 };

	if (name)
		f.symbol = hd_profile_add_named_symbol(p, 0, name, kernel);
	return hd_stacks_add(p->stacks, caller, hd_profile_add_frame(p, &f));
}

static void add(struct hd_profile *p, const char *comm, hd_stack_id stack, uint64_t weight)
{
	struct hd_sample_row row = { .stack = stack, .weight = weight, .count = 1 };

	row.comm = hd_profile_name(p, comm);
	hd_profile_add_sample(p, &row);
}

static struct hd_profile *profile(const char *unit)
{
	struct hd_profile *p = hd_profile_new();

	hd_profile_add_event(p, "cycles:u", unit);
	p->recording.path = hd_strdup("dir/perf.data");
	return p;
}

/*
 * Return a profile with main (60%), which calls parse (25%) and, through read, the kernel (15%), and with a frame
 * without a name (40%).
 */
static struct hd_profile *small_profile(void)
{
	struct hd_profile *p = profile("ns");
	hd_stack_id none = { 0 }, main_ = push(p, none, "main", false), read_;

	add(p, "app", main_, 20000000);
	add(p, "app", push(p, main_, "parse", false), 25000000);
	read_ = push(p, main_, "read", false);
	add(p, "app", push(p, read_, "vfs_read", true), 15000000);
	add(p, "app", push(p, none, NULL, false), 40000000);
	return p;
}

static char *fragment(const struct hd_profile *p, const struct hd_flamegraph_opts *o)
{
	struct hd_call_tree_opts opts = { .by_comm = true };
	struct hd_call_tree *t = hd_call_tree_new(p, &opts);
	struct hd_buf b = { 0 };
	struct hd_err err;

	EXPECT_INT(hd_flamegraph_fragment(&b, p, t, o, &err), 0);
	hd_call_tree_free(t);
	return hd_buf_take(&b);
}

static char *drawn(const struct hd_profile *p)
{
	struct hd_flamegraph_opts o = HD_FLAMEGRAPH_DEFAULTS;

	return fragment(p, &o);
}

/* Return the whole file that hd_flamegraph_write() writes. */
static char *whole_file(const struct hd_profile *p)
{
	struct hd_flamegraph_opts o = HD_FLAMEGRAPH_DEFAULTS;
	struct hd_call_tree_opts opts = { 0 };
	struct hd_call_tree *t = hd_call_tree_new(p, &opts);
	char path[] = "/tmp/hotdrift-svg-XXXXXX";
	struct hd_outfile out;
	struct hd_err err;
	int fd = mkstemp(path);
	char *data = hd_zalloc(1 << 20, 1);
	FILE *f;

	EXPECT(fd >= 0);
	EXPECT_INT(hd_outfile_open(&out, path, &err), 0);
	EXPECT_INT(hd_flamegraph_write(&out, p, t, &o, &err), 0);
	EXPECT_INT(hd_outfile_commit(&out, &err), 0);
	close(fd);
	f = fopen(path, "r");
	EXPECT(f != NULL);
	EXPECT(fread(data, 1, (1 << 20) - 1, f) > 1000);
	fclose(f);
	unlink(path);
	hd_call_tree_free(t);
	return data;
}

/* ---- a strict reader of the XML that we write ---- */

struct xml {
	const char *at;
	char open[64][32];	/* names of the elements around `at` */
	size_t depth, elements;
};

static void character(struct xml *x)
{
	static const char *const entities[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
	uint32_t cp;
	size_t len;

	EXPECT(*x->at != '<');
	if (*x->at == '&') {
		for (size_t i = 0; i < HD_COUNT(entities); i++)
			if (!strncmp(x->at, entities[i], strlen(entities[i]))) {
				x->at += strlen(entities[i]);
				return;
			}
		EXPECT(!"an entity that XML has");
	}
	len = hd_utf8_decode(x->at, strlen(x->at), &cp);
	EXPECT(len > 0);
	EXPECT(cp == '\n' || (cp >= 0x20 && cp != 0x7f && !(cp >= 0x80 && cp < 0xa0) && cp != 0xfffe && cp != 0xffff));
	x->at += len;
}

static void name(struct xml *x, char out[32])
{
	size_t n = strspn(x->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-:");

	EXPECT(n > 0 && n < 32);
	memcpy(out, x->at, n);
	out[n] = '\0';
	x->at += n;
}

static void element(struct xml *x)
{
	char attribute[32];

	EXPECT(x->depth < HD_COUNT(x->open));
	name(x, x->open[x->depth]);
	x->elements++;
	while (*x->at == ' ') {
		x->at++;
		name(x, attribute);
		EXPECT(strncmp(attribute, "on", 2) != 0 && strcmp(attribute, "href") != 0);
		EXPECT(!strncmp(x->at, "=\"", 2));
		for (x->at += 2; *x->at != '"';)
			character(x);
		x->at++;
	}
	if (*x->at == '/')
		x->at++;
	else
		x->depth++;
	EXPECT(*x->at++ == '>');
}

/* Parse the whole text and return the number of elements.  The test fails if it is not well-formed. */
static size_t read_xml(const char *text)
{
	struct xml x = { .at = text };
	char closed[32];

	if (!strncmp(x.at, "<?xml ", 6))
		x.at = strstr(x.at, "?>\n") + 3;
	do {
		if (!strncmp(x.at, "<![CDATA[", 9)) {
			EXPECT(!strcmp(x.open[x.depth - 1], "script") || !strcmp(x.open[x.depth - 1], "style"));
			x.at = strstr(x.at, "]]>");
			EXPECT(x.at != NULL);
			x.at += 3;
		} else if (x.at[0] == '<' && x.at[1] == '/') {
			x.at += 2;
			name(&x, closed);
			EXPECT(x.depth > 0);
			EXPECT_STR(closed, x.open[--x.depth]);
			EXPECT(*x.at++ == '>');
		} else if (*x.at == '<') {
			x.at++;
			element(&x);
		} else {
			character(&x);
		}
	} while (x.depth > 0);
	EXPECT_STR(x.at, "\n");
	return x.elements;
}

static void expect_holds(const char *svg, const char *text)
{
	if (!strstr(svg, text))
		print_error("not in the picture: %s\n", text);
	EXPECT(strstr(svg, text) != NULL);
}

/* ---- the contents of the file ---- */

TEST(the_file_is_well_formed_and_carries_script_and_style)
{
	struct hd_profile *p = small_profile();
	char *svg = whole_file(p);

	read_xml(svg);
	EXPECT(!strncmp(svg, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg ", 44));
	expect_holds(svg, "<script><![CDATA[\n");
	expect_holds(svg, "<style><![CDATA[\n");
	EXPECT(!strstr(svg, "http:") || strstr(svg, "http:") == strstr(svg, "http://www.w3.org/2000/svg"));
	free(svg);
	hd_profile_free(p);
}

TEST(the_head_says_what_was_measured)
{
	struct hd_profile *p = small_profile();
	struct hd_flamegraph_opts o = HD_FLAMEGRAPH_DEFAULTS;
	char *svg;

	p->events[0].lost = 7;
	p->recording.truncated = true;
	o.filter = "comm app";
	svg = fragment(p, &o);
	read_xml(svg);
	expect_holds(svg, "<title>perf.data: cycles:u</title>");
	expect_holds(svg,
		"dir/perf.data \u00b7 event cycles:u \u00b7 100 ms \u00b7 4 samples \u00b7 lost 7 \u00b7 input cut off "
		"\u00b7 only comm app<");
	expect_holds(svg, "aria-label=\"Flamegraph, perf.data: cycles:u\"");
	expect_holds(svg, ">7 frames drawn<");
	free(svg);
	o.title = "Before & after";
	svg = fragment(p, &o);
	expect_holds(svg, "<title>Before &amp; after</title>");
	free(svg);
	hd_profile_free(p);
}

TEST(every_frame_has_its_name_and_its_numbers)
{
	struct hd_profile *p = small_profile();
	char *svg = drawn(p);

	expect_holds(svg, "<title>all\n100 ms, 100.00%, 4 samples</title>");
	expect_holds(svg, "<title>app\n100 ms, 100.00%, 4 samples</title>");
	expect_holds(svg, "<title>main\n60.0 ms, 60.00%, 3 samples</title>");
	expect_holds(svg, "<title>parse\n25.0 ms, 25.00%, 1 sample</title>");
	expect_holds(svg, "<title>vfs_read\n15.0 ms, 15.00%, 1 sample, kernel</title>");
	expect_holds(svg,
		"<title>[unknown]\n40.0 ms, 40.00%, 1 sample</title><rect class=\"q0\" x=\"10\" width=\"471.4\"");
	/* data-f has for each frame: gap, total, samples, self */
	expect_holds(svg, "data-f=\"0,40000000,1,40000000 0,60000000,3,20000000\"");
	free(svg);
	hd_profile_free(p);
}

TEST(the_legend_names_the_kinds_that_are_there)
{
	struct hd_profile *p = small_profile();
	char *svg = drawn(p);

	expect_holds(svg, ">user</text>");
	expect_holds(svg, ">kernel</text>");
	expect_holds(svg, ">unknown</text>");
	expect_holds(svg, ">thread</text>");
	EXPECT(!strstr(svg, ">inlined</text>") && !strstr(svg, ">JIT</text>"));
	free(svg);
	hd_profile_free(p);
}

TEST(a_weight_in_samples_is_said_once)
{
	struct hd_profile *p = profile("samples");
	char *svg;

	add(p, "app", push(p, (hd_stack_id){ 0 }, "main", false), 12);
	svg = drawn(p);
	expect_holds(svg, "<title>main\n12 samples, 100.00%</title>");
	free(svg);
	hd_profile_free(p);
}

TEST(rows_grow_upwards_or_hang)
{
	struct hd_profile *p = small_profile();
	struct hd_flamegraph_opts o = HD_FLAMEGRAPH_DEFAULTS;
	char *flame = fragment(p, &o), *icicle;

	o.icicle = true;
	icicle = fragment(p, &o);
	expect_holds(flame, "translate(0,72)\" data-f=\"0,100000000,4,0\">\n<g><title>all\n");
	expect_holds(icicle, "translate(0,0)\" data-f=\"0,100000000,4,0\">\n<g><title>all\n");
	EXPECT_INT(read_xml(flame), read_xml(icicle));
	free(flame);
	free(icicle);
	hd_profile_free(p);
}

TEST(a_profile_without_weight_is_a_picture_of_nothing)
{
	struct hd_profile *p = profile("ns");
	char *svg = drawn(p);

	read_xml(svg);
	expect_holds(svg, "<title>all\n0 ns, 0.00%, 0 samples</title>");
	free(svg);
	add(p, "app", push(p, (hd_stack_id){ 0 }, "main", false), 0);
	svg = drawn(p);
	read_xml(svg);
	expect_holds(svg, "1 frame drawn; not drawn: 2 frames narrower than 0.1 px (0.00%)");
	free(svg);
	hd_profile_free(p);
}

TEST(weights_of_64_bits_fit)
{
	struct hd_profile *p = profile("cycles");
	char *svg;

	add(p, "a", push(p, (hd_stack_id){ 0 }, "f", false), UINT64_MAX - 5);
	add(p, "b", push(p, (hd_stack_id){ 0 }, "g", false), UINT64_MAX / 2);
	svg = drawn(p);
	read_xml(svg);
	expect_holds(svg, "<title>f\n18,447 P cycles, 100.00%");
	free(svg);
	hd_profile_free(p);
}

/* ---- frames that it omits ---- */

TEST(narrow_frames_are_dropped_counted_and_reported)
{
	struct hd_profile *p = profile("ns");
	hd_stack_id tiny = push(p, (hd_stack_id){ 0 }, "tiny", false);
	struct hd_flamegraph_opts o = HD_FLAMEGRAPH_DEFAULTS;
	char *svg;

	add(p, "app", push(p, (hd_stack_id){ 0 }, "main", false), 99999900);
	add(p, "app", push(p, push(p, tiny, "tinier", false), "tiniest", false), 100);
	svg = fragment(p, &o);
	expect_holds(svg, "3 frames drawn; not drawn: 3 frames narrower than 0.1 px (&lt;0.01%)");
	EXPECT(!strstr(svg, "<title>tiny"));
	free(svg);
	o.minwidth = 0;
	svg = fragment(p, &o);
	expect_holds(svg, ">6 frames drawn<");
	expect_holds(svg, "<title>tiniest\n100 ns, &lt;0.01%");
	free(svg);
	hd_profile_free(p);
}

TEST(too_many_frames_make_the_limit_grow)
{
	struct hd_profile *p = profile("ns");
	struct hd_flamegraph_opts o = { .max_frames = 100 };
	char *svg;

	for (unsigned i = 0; i < 1000; i++) {
		char text[16];

		snprintf(text, sizeof(text), "f%u", i);
		add(p, "app", push(p, (hd_stack_id){ 0 }, text, false), i);
	}
	svg = fragment(p, &o);
	read_xml(svg);
	expect_holds(svg, " frames drawn; not drawn: ");
	EXPECT(!strstr(svg, "narrower than 0 px"));
	o.max_frames = 0;
	free(svg);
	svg = fragment(p, &o);
	expect_holds(svg, "1,001 frames drawn; not drawn: 1 frame narrower than 0 px (0.00%)");
	free(svg);
	hd_profile_free(p);
}

TEST(frames_beyond_the_deepest_row_are_reported)
{
	struct hd_profile *p = profile("ns");
	hd_stack_id s = { 0 };
	char *svg;

	for (int i = 0; i < 2100; i++)
		s = push(p, s, "f", false);
	add(p, "app", s, 5);
	svg = drawn(p);
	read_xml(svg);
	expect_holds(svg, "2,000 frames drawn; not drawn: 102 frames deeper than 2,000 levels (100.00%)");
	free(svg);
	hd_profile_free(p);
}

TEST(sizes_out_of_range_are_refused)
{
	static const struct { uint32_t width; double minwidth; const char *msg; } rows[] = {
		{ 299, 0.1, "a width of 299 px is not between 300 and 100000" },
		{ 100001, 0.1, "a width of 100001 px is not between 300 and 100000" },
		{ 0, -1, "a minwidth of -1 px is not between 0 and 100" },
		{ 0, 101, "a minwidth of 101 px is not between 0 and 100" },
	};
	struct hd_profile *p = small_profile();
	struct hd_call_tree_opts opts = { 0 };
	struct hd_call_tree *t = hd_call_tree_new(p, &opts);

	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		struct hd_flamegraph_opts o = { .width = rows[i].width, .minwidth = rows[i].minwidth };
		struct hd_buf b = { 0 };
		struct hd_err err;

		EXPECT_INT(hd_flamegraph_fragment(&b, p, t, &o, &err), HD_EUSAGE);
		EXPECT_STR(err.msg, rows[i].msg);
		EXPECT_INT(b.len, 0);
	}
	hd_call_tree_free(t);
	hd_profile_free(p);
}

/* ---- hostile names ---- */

/* Return the flamegraph of the stack comm;outer;inner in which every name is `text`; the caller frees it. */
static char *named(const char *text)
{
	struct hd_profile *p = hd_profile_new();
	hd_stack_id outer;
	char *svg;

	hd_profile_add_event(p, text, text);
	p->recording.path = hd_strdup(text);
	outer = push(p, (hd_stack_id){ 0 }, text, false);
	add(p, text, push(p, outer, text, true), 1000);
	svg = drawn(p);
	hd_profile_free(p);
	return svg;
}

TEST(a_name_is_text_whatever_bytes_it_holds)
{
	static const char *const hostile[] = {
		"", "<", "</text></g></svg>", "]]>", "<![CDATA[", "<!--", "\"/><script>alert(1)</script>",
		"' onclick='x", "&", "&lt;", "&#0;",
		"a\nb", "\r\t\b", "\033[31m", "\x7f", "\xff\xfe", "\xed\xa0\x80", "\xef\xbf\xbf", "\xc2\x85",
		"\xe2\x80\xae", "%s%n", "[unknown]",
		"\xe6\x97\xa5\xe6\x9c\xac", "\\", "${x}", "javascript:alert(1)", ";", " ", "::", "a::", "<::>", "((((",
		"::::::::::",
	};
	char *svg = named("harmless");
	size_t want = read_xml(svg);

	free(svg);
	for (size_t i = 0; i < HD_COUNT(hostile); i++) {
		svg = named(hostile[i]);
		EXPECT_INT(read_xml(svg), want);
		free(svg);
	}
	for (int c = 1; c < 256; c++) {
		char text[] = { 'a', (char)c, 'b', '\0' };

		svg = named(text);
		EXPECT_INT(read_xml(svg), want);
		free(svg);
	}
}

TEST(long_names_of_every_sort_keep_the_picture_small)
{
	static const char *const units[] = { "A", "<", "\xff", "\xf0\x9f\x99\x82", "::", "\xcc\x81" };

	for (size_t u = 0; u < HD_COUNT(units); u++) {
		struct hd_buf text = { 0 };
		char *svg;

		while (text.len < 70000)
			hd_buf_adds(&text, units[u]);
		svg = named(text.data);
		read_xml(svg);
		EXPECT(strlen(svg) < 6 * text.len);
		free(svg);
		hd_buf_release(&text);
	}
}

TEST(a_function_called_unknown_is_not_the_unknown)
{
	struct hd_profile *p = profile("ns");
	char *svg;

	add(p, "app", push(p, (hd_stack_id){ 0 }, "[unknown]", false), 6);
	add(p, "app", push(p, (hd_stack_id){ 0 }, NULL, false), 4);
	svg = drawn(p);
	expect_holds(svg, "<title>\\x5bunknown]\n6 ns");
	expect_holds(svg, "<title>[unknown]\n4 ns");
	free(svg);
	hd_profile_free(p);
}

/* ---- invariants ---- */

TEST(same_samples_in_any_order_same_bytes)
{
	static const char *const names[] = { "d", "a", "c", "b" };
	char *svg[2];

	for (int turn = 0; turn < 2; turn++) {
		struct hd_profile *p = profile("ns");

		for (size_t i = 0; i < 4; i++) {
			const char *text = names[turn ? 3 - i : i];

			add(p, text, push(p, push(p, (hd_stack_id){ 0 }, text, false), "leaf", false),
				10 + (uint64_t)text[0]);
		}
		svg[turn] = drawn(p);
		hd_profile_free(p);
	}
	EXPECT_STR(svg[0], svg[1]);
	free(svg[0]);
	free(svg[1]);
}

TEST(a_fragment_has_neither_script_nor_style)
{
	struct hd_profile *p = small_profile();
	char *svg = drawn(p);
	struct hd_buf css = { 0 };

	EXPECT(!strncmp(svg, "<svg ", 5));
	EXPECT(!strstr(svg, "<script") && !strstr(svg, "<style"));
	hd_flamegraph_css(&css);
	expect_holds(css.data, ".hd-flame .u0{");
	expect_holds(css.data, ".hd-card");
	hd_buf_release(&css);
	free(svg);
	hd_profile_free(p);
}

TEST(the_script_makes_no_markup_and_fits_into_a_cdata_section)
{
	static const char *const never[] = { "]]>", "</script", "innerHTML", "outerHTML", "insertAdjacentHTML",
		"document.write", "eval(", "Function(", "http:", "https:", "import(", "fetch(", "XMLHttpRequest" };
	const struct hd_asset *css = hd_asset_find("flame.css");
	struct hd_buf js = { 0 };

	hd_flamegraph_js(&js);
	EXPECT(js.len > 10000 && css);
	for (size_t i = 0; i < HD_COUNT(never); i++) {
		const char *at = strstr(js.data, never[i]);

		/* Skip the names of the two XML namespaces, which are never loaded. */
		while (at && !strncmp(at, "http://www.w3.org/", 18))
			at = strstr(at + 1, never[i]);
		if (at)
			print_error("the script has %s\n", never[i]);
		EXPECT(at == NULL);
	}
	EXPECT(!strstr(css->data, "]]>") && !strstr(css->data, "url(") && !strstr(css->data, "@import") &&
		!strstr(css->data, "</style"));
	hd_buf_release(&js);
}

TEST_MAIN(RUN(the_file_is_well_formed_and_carries_script_and_style),
	  RUN(the_head_says_what_was_measured),
	  RUN(every_frame_has_its_name_and_its_numbers),
	  RUN(the_legend_names_the_kinds_that_are_there),
	  RUN(a_weight_in_samples_is_said_once),
	  RUN(rows_grow_upwards_or_hang),
	  RUN(a_profile_without_weight_is_a_picture_of_nothing),
	  RUN(weights_of_64_bits_fit),
	  RUN(narrow_frames_are_dropped_counted_and_reported),
	  RUN(too_many_frames_make_the_limit_grow),
	  RUN(frames_beyond_the_deepest_row_are_reported),
	  RUN(sizes_out_of_range_are_refused),
	  RUN(a_name_is_text_whatever_bytes_it_holds),
	  RUN(long_names_of_every_sort_keep_the_picture_small),
	  RUN(a_function_called_unknown_is_not_the_unknown),
	  RUN(same_samples_in_any_order_same_bytes),
	  RUN(a_fragment_has_neither_script_nor_style),
	  RUN(the_script_makes_no_markup_and_fits_into_a_cdata_section))
