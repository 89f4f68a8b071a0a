/*
 * inline_programs.h - programs with inlined functions, and lookups in them whose results are text, for the tests of
 * dwarf/
 *
 * A result is `NAME FILE:LINE < NAME FILE:LINE`, innermost function first.  FILE (without its folder) and LINE are
 * where the function was called.  "-" means that no function was inlined.
 */
#ifndef HD_TESTS_UNIT_DWARF_INLINE_PROGRAMS_H
#define HD_TESTS_UNIT_DWARF_INLINE_PROGRAMS_H

#include "unit/symbols/workshop.h"

static const char in_c[] =
	"#include \"inner.h\"\n"
	"volatile int sink;\n"
	"INLINE int middle(int x)\n"
	"{\n"
	"	if (x > 3)\n"
	"		return inner(x) +\n"
	"			inner(x + 1);\n"
	"	return x;\n"
	"}\n"
	"__attribute__((noinline)) int outer(int x)\n"
	"{\n"
	"	int y = middle(x);\n"
	"	for (int i = 0; i < x; i++) {\n"
	"		int z = i ^ y;\n"
	"		y += inner(z);\n"
	"	}\n"
	"	return y;\n"
	"}\n"
	"#line 500 \"/made/by/a-tool.y\"\n"
	"int made(int x)\n"
	"{\n"
	"	return outer(x) + middle(x * 3);\n"
	"}\n"
	"int plain(int x)\n"
	"{\n"
	"	return outer(x) * 2;\n"
	"}\n";
static const char inner_h[] =
	"#define INLINE static inline __attribute__((always_inline))\n"
	"extern volatile int sink;\n"
	"INLINE int inner(int x)\n"
	"{\n"
	"	sink = x;\n"
	"	return (x ^ 5) * 3;\n"
	"}\n";

/* A C++ program with templates, namespaces, a class without a linkage name, and two units that share a header. */
static const char in_cc[] =
	"#include \"shapes.h\"\n"
	"volatile int sink;\n"
	"int second(int x);\n"
	"namespace {\n"
	"	struct hidden {\n"
	"		int v;\n"
	"		INLINE int add(int x) { sink = x; return v + twice<int>(x); }\n"
	"	};\n"
	"	INLINE int helper(int x) { return hidden{x}.add(x + 1); }\n"
	"}\n"
	"namespace outer_space { static INLINE int stat(int x) { sink = x; return helper(x) ^ 9; } }\n"
	"extern \"C\" int entry(int x)\n"
	"{\n"
	"	auto lambda = [=](int y) __attribute__((always_inline)) { sink = y; return x + y; };\n"
	"	shapes::box<int> b = { x };\n"
	"	return outer_space::stat(x) + lambda(x) + b.area(3) + second(x);\n"
	"}\n";
static const char in_cc2[] =
	"#include \"shapes.h\"\n"
	"int second(int x)\n"
	"{\n"
	"	shapes::box<long> b = { x };\n"
	"	return (int)b.area(7) + twice<int>(x);\n"
	"}\n";
static const char shapes_h[] =
	"#define INLINE inline __attribute__((always_inline))\n"
	"extern volatile int sink;\n"
	"template<class T> static INLINE T twice(T x) { sink = (int)x; return x * 2; }\n"
	"namespace shapes {\n"
	"	template<class T> struct box {\n"
	"		T side;\n"
	"		INLINE T grow(T x) const { sink = (int)x; return side + twice<T>(x); }\n"
	"		INLINE T area(T x) const { return grow(x) * side; }\n"
	"	};\n"
	"}\n";

__attribute__((unused)) static void lay_out_sources(void)
{
	put("in.c", in_c);
	put("inner.h", inner_h);
	put("in.cc", in_cc);
	put("in2.cc", in_cc2);
	put("shapes.h", shapes_h);
}

/* Append one frame to a result. */
static void add_frame(struct hd_buf *out, const char *name, const char *file, unsigned line)
{
	const char *base = file ? strrchr(file, '/') : NULL;

	hd_buf_addf(out, "%s%s %s:%u", out->len ? " < " : "", name, base ? base + 1 : file ? file : "??", line);
}

/* Return the functions that are inlined at an address, as text; the caller frees it. */
__attribute__((unused)) static char *inlined_at(struct hd_bench *b, uint64_t vaddr)
{
	static struct hd_inline_hit hits[HD_INLINE_MAX];
	size_t n = hd_object_inlines(b->o, vaddr, hits, HD_INLINE_MAX);
	struct hd_buf out = { 0 };

	EXPECT(n <= HD_INLINE_MAX);
	hd_buf_adds(&out, "");
	for (size_t i = 0; i < n; i++) {
		EXPECT(hits[i].linkage && *hits[i].linkage);
		EXPECT(hits[i].low <= vaddr);
		add_frame(&out, hits[i].linkage, hits[i].call_file, hits[i].call_line);
	}
	if (!n)
		hd_buf_addc(&out, '-');
	return hd_buf_take(&out);
}

/*
 * Return all addresses inside functions of a file, whose ranges nm prints, and their number in *n.  The caller frees
 * them.
 */
__attribute__((unused)) static uint64_t *addresses_of(const char *file, size_t *n)
{
	char *cmd = textf("nm -S --defined-only %s", file), *out = said(cmd), size_text[17], type;
	uint64_t *v = NULL, start, size;
	size_t cap = 0;

	*n = 0;
	for (char *save, *line = strtok_r(out, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		/* A line without a size has the type in its place: one letter. */
		if (sscanf(line, "%" SCNx64 " %16s %c", &start, size_text, &type) != 3 || strlen(size_text) < 8 ||
			!strchr("tTW", type))
			continue;
		size = strtoull(size_text, NULL, 16);
		for (uint64_t a = start; a < start + size; a++) {
			HD_GROW(v, *n + 1, cap);
			v[(*n)++] = a;
		}
	}
	free(out);
	free(cmd);
	return v;
}

/*
 * Return our results for every address of a file's functions, one line each, after the address; the caller frees them.
 * *inlined receives the number of results with an inlined function.
 */
__attribute__((unused)) static char *all_inlined(const char *file, size_t *inlined)
{
	struct hd_buf out = { 0 };
	struct hd_bench b;
	size_t n;
	uint64_t *v = addresses_of(file, &n);

	*inlined = 0;
	bench_file(&b, file);
	for (size_t i = 0; i < n; i++) {
		char *one = inlined_at(&b, v[i]);

		*inlined += strcmp(one, "-") != 0;
		hd_buf_addf(&out, "%" PRIx64 " %s\n", v[i], one);
		free(one);
	}
	hd_buf_adds(&out, "");
	EXPECT_INT(b.log.n, 0);
	bench_close(&b);
	free(v);
	return hd_buf_take(&out);
}

/*
 * Return the results of another tool for the n addresses in our form ("-": none); the caller frees them.  The tool
 * prints `0x...` for each address, then NAME and FILE:LINE per frame, where the line is that of the frame itself.
 */
__attribute__((unused)) static char **tool_inlined(const char *tool, const uint64_t *v, size_t n)
{
	char **answers = hd_new_array(char *, n), *cmd, *out;
	struct hd_buf ask = { 0 }, one = { 0 };
	char *name = NULL, *line, *rest;
	size_t i = 0;

	for (size_t k = 0; k < n; k++)
		hd_buf_addf(&ask, "0x%" PRIx64 "\n", v[k]);
	put("ask", hd_buf_str(&ask));
	cmd = textf("%s < ask 2>/dev/null", tool);
	out = rest = said(cmd);
	while ((line = strsep(&rest, "\n"))) {
		if (!strncmp(line, "0x", 2) || !rest) {
			if (i)
				answers[i - 1] = one.len ? hd_buf_take(&one) : hd_strdup("-");
			hd_buf_reset(&one);
			name = NULL;
			if (rest)
				EXPECT(++i <= n);
		} else if (*line) {
			char *where = strsep(&rest, "\n"), *colon;
			unsigned number = 0;

			EXPECT(where);
			/*
			 * elfutils adds ` inlined at ...` to the name and the column to the line.
			 * binutils adds ` (discriminator 2)`.
			 */
			if (strstr(line, " inlined at "))
				*strstr(line, " inlined at ") = '\0';
			if (strstr(where, " ("))
				*strstr(where, " (") = '\0';
			colon = strchr(where, ':');
			EXPECT(colon);
			*colon = '\0';
			sscanf(colon + 1, "%u", &number);
			if (name)
				add_frame(&one, name, where, number);
			name = line;
		}
	}
	hd_buf_release(&one);
	hd_buf_release(&ask);
	free(cmd);
	free(out);
	if (i == n)
		return answers;
	for (i = 0; i < n; i++)
		free(answers[i]);
	free(answers);
	return NULL;
}

/*
 * Parse the frame `NAME FILE:LINE` at s.  *name receives the length of the name, *all the length of the frame.  Returns
 * where the next frame begins.
 */
static const char *frame_at(const char *s, size_t *name, size_t *all)
{
	const char *next = strstr(s, " < ");

	*all = *name = next ? (size_t)(next - s) : strlen(s);
	while (*name && s[*name] != ' ')
		--*name;
	return next ? next + 3 : s + *all;
}

/*
 * Return true if the frames agree.  A name of ours may have scopes before it, because another tool prints a static C++
 * function without them.
 */
__attribute__((unused)) static bool same_frames(const char *ours, const char *theirs)
{
	while (*ours && *theirs) {
		size_t n, m, all, their_all;
		const char *next = frame_at(ours, &n, &all), *their_next = frame_at(theirs, &m, &their_all);

		if (n < m || (n > m && (n < m + 2 || memcmp(ours + n - m - 2, "::", 2))) ||
			memcmp(ours + n - m, theirs, m) || all - n != their_all - m ||
			memcmp(ours + n, theirs + m, all - n))
			return false;
		ours = next;
		theirs = their_next;
	}
	return !*ours && !*theirs;
}

/*
 * Expect that for every address of `file` at least one of the installed tools agrees with us.  One is
 * enough because tools are wrong, too: elfutils 0.188 cuts some chains, and binutils confuses instances
 * that share an address.
 */
__attribute__((unused)) static void expect_tools_agree(const char *file)
{
	static const struct { const char *tool, *args; } tools[] = {
		{ "addr2line", "-a -f -i -e" }, { "eu-addr2line", "-a -f -i -e" },
		{ "llvm-symbolizer", "--no-demangle --functions=linkage --inlines --output-style=GNU -a --obj" },
	};
	char **theirs[HD_COUNT(tools)] = { 0 };
	size_t n, asked = 0, inlined = 0;
	uint64_t *v = addresses_of(file, &n);
	struct hd_bench b;

	EXPECT(n > 40);
	for (size_t t = 0; t < HD_COUNT(tools); t++) {
		char *cmd = textf("%s %s%s%s", tools[t].tool, tools[t].args, strstr(tools[t].args, "--") ? "=" : " ",
			file);

		if (have(tools[t].tool))
			theirs[t] = tool_inlined(cmd, v, n);
		asked += theirs[t] != NULL;
		free(cmd);
	}
	EXPECT(asked);
	bench_file(&b, file);
	for (size_t i = 0; i < n; i++) {
		char *ours = inlined_at(&b, v[i]);
		size_t agree = 0;

		for (size_t t = 0; t < HD_COUNT(tools); t++)
			agree += theirs[t] && same_frames(ours, theirs[t][i]);
		if (!agree)
			for (size_t t = 0; t < HD_COUNT(tools); t++)
				print_message("0x%" PRIx64 ": we: %s; %s: %s\n", v[i], ours, tools[t].tool,
					theirs[t] ? theirs[t][i] : "?");
		EXPECT(agree);
		inlined += strcmp(ours, "-") != 0;
		free(ours);
	}
	EXPECT(inlined > 10);
	EXPECT_INT(b.log.n, 0);
	bench_close(&b);
	for (size_t t = 0; t < HD_COUNT(tools); t++) {
		for (size_t i = 0; theirs[t] && i < n; i++)
			free(theirs[t][i]);
		free(theirs[t]);
	}
	free(v);
}

/* Expect the same results for two files with the same code, whatever the form of their debug information. */
__attribute__((unused)) static void expect_same_answers(const char *file, const char *other)
{
	size_t inlined, inlined_too;
	char *a = all_inlined(file, &inlined), *b = all_inlined(other, &inlined_too);

	EXPECT(inlined > 10);
	EXPECT_STR(a, b);
	EXPECT_INT(inlined, inlined_too);
	free(a);
	free(b);
}

#endif
