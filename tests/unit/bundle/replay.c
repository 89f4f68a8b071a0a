/* replay.c - lookups give the same results on another machine, where none of the files exist */
#include "unit/dwarf/inline_programs.h"

#include "base/file.h"
#include "bundle/record.h"
#include "bundle/replay.h"
#include "elf/code_excerpt.h"

#include <endian.h>
#include <fcntl.h>
#include <sys/mman.h>

static const char program[] =
	"#include \"inner.h\"\n"
	"volatile int sink;\n"
	"__attribute__((noinline)) int work(int x)\n"
	"{\n"
	"	int y = inner(x);\n"
	"	for (int i = 0; i < x; i++)\n"
	"		y += inner(y ^ i);\n"
	"	return y;\n"
	"}\n"
	"int main(int argc, char **argv) { (void)argv; return work(argc) + work(argc + 1); }\n";

enum { HITS = 8 };

/* The results of all kinds of lookups for one address. */
struct answer {
	struct hd_symbol_hit hit;
	struct hd_line_hit line;
	struct hd_inline_hit hits[HITS];
	size_t n;
	bool instance;
};

static struct answer ask(struct hd_symobj *o, uint64_t foff)
{
	struct answer a = { 0 };

	hd_object_lookup(o, foff, &a.hit);
	hd_object_line(o, a.hit.vaddr, &a.line);
	a.n = hd_object_inlines(o, a.hit.vaddr, a.hits, HITS);
	a.instance = hd_object_inline_instance(o, a.hit.vaddr);
	return a;
}

static void expect_text(const char *a, const char *b)
{
	EXPECT(!a == !b);
	if (a)
		EXPECT_STR(a, b);
}

static void expect_same(const struct answer *a, const struct answer *b)
{
	EXPECT(a->hit.vaddr == b->hit.vaddr);
	expect_text(a->hit.linkage, b->hit.linkage);
	EXPECT(!a->hit.linkage || (a->hit.start == b->hit.start && a->hit.size == b->hit.size));
	expect_text(a->line.file, b->line.file);
	EXPECT(!a->line.file || a->line.line == b->line.line);
	EXPECT_INT(a->n, b->n);
	EXPECT_INT(a->instance, b->instance);
	for (size_t i = 0; i < a->n; i++) {
		EXPECT_STR(a->hits[i].linkage, b->hits[i].linkage);
		expect_text(a->hits[i].call_file, b->hits[i].call_file);
		EXPECT(a->hits[i].call_line == b->hits[i].call_line && a->hits[i].mangled == b->hits[i].mangled &&
			a->hits[i].low == b->hits[i].low);
	}
}

static int load_code(void *ctx, uint32_t n, struct hd_buf *out, struct hd_err *err)
{
	const struct hd_bundle_record *r = ctx;
	const struct hd_buf *code;

	if (!r || !hd_bundle_record_code(r, n, &code))
		return hd_fail(err, HD_EFORMAT, "no code");
	hd_buf_add(out, code->data, code->len);
	return 0;
}

static struct hd_bundle_replay *give(struct hd_buf *bytes, struct hd_bundle_record *r, uint64_t *lost)
{
	return hd_bundle_replay_new(bytes, &(struct hd_bundle_replay_code){ load_code, r }, lost);
}

/* Build the program p in the current folder. */
static void build(void)
{
	put("inner.h", inner_h);
	put("p.c", program);
	RUN_SH("$CC -O2 -g -o p p.c");
}

static struct hd_symbols_key key_of(char **path)
{
	*path = textf("%s/p", workshop);
	return (struct hd_symbols_key){ .kind = HD_OBJ_FILE, .path = *path, .build_id = (const uint8_t *)"" };
}

/*
 * Look up each offset in the file of the program.  Return the record of these lookups, their results in *answers, and
 * their number in *n.  The caller frees the record and the results.
 */
static struct hd_bundle_record *remembered(struct answer **answers, size_t *n, struct hd_log *log)
{
	struct hd_bundle_record *r = hd_bundle_record_new();
	struct hd_symbols_opts opts = { .same_machine = true };
	struct hd_symbols *sy = hd_symbols_over(hd_bundle_record_source(r, &opts, log));
	char *path;
	struct hd_symbols_key key = key_of(&path);
	struct hd_symobj *o = hd_symbols_object(sy, &key);

	free(slurp("p", n));
	*answers = hd_new_array(struct answer, *n);
	for (size_t i = 0; i < *n; i++) {
		struct answer a = ask(o, i), *keep = &(*answers)[i];

		*keep = a;	/* copy the texts, because they are freed with sy */
		keep->hit.linkage = a.hit.linkage ? hd_strdup(a.hit.linkage) : NULL;
		keep->line.file = a.line.file ? hd_strdup(a.line.file) : NULL;
		for (size_t k = 0; k < a.n; k++) {
			keep->hits[k].linkage = hd_strdup(a.hits[k].linkage);
			keep->hits[k].call_file = a.hits[k].call_file ? hd_strdup(a.hits[k].call_file) : NULL;
		}
	}
	hd_symbols_free(sy);
	free(path);
	return r;
}

static void forget(struct answer *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free((char *)v[i].hit.linkage);
		free((char *)v[i].line.file);
		for (size_t k = 0; k < v[i].n; k++) {
			free((char *)v[i].hits[k].linkage);
			free((char *)v[i].hits[k].call_file);
		}
	}
	free(v);
}

TEST(every_address_of_a_program_has_the_same_answer_once_the_program_is_gone)
{
	struct hd_log log = { 0 };
	struct answer *answers;
	struct hd_bundle_record *r;
	struct hd_bundle_replay *g;
	struct hd_buf bytes = { 0 };
	struct hd_symbols *sy;
	struct hd_symobj *o;
	size_t n, named = 0, inlined = 0, with, without;
	uint64_t lost;
	char *path;
	struct hd_symbols_key key = key_of(&path);

	build();
	r = remembered(&answers, &n, &log);
	EXPECT_INT(log.n, 0);
	hd_bundle_record_count(r, &with, &without);
	EXPECT(with == 1 && !without);
	hd_bundle_record_write(r, &bytes);
	RUN_SH("rm p");
	g = give(&bytes, r, &lost);
	EXPECT_INT(lost, 0);
	sy = hd_symbols_over(hd_bundle_replay_source(g, false, &log));
	o = hd_symbols_object(sy, &key);
	EXPECT_INT(hd_object_quality(o), HD_SYMQ_DEBUGINFO);
	EXPECT_STR(hd_object_source(o), path);
	for (size_t i = 0; i < n; i++) {
		struct answer a = ask(o, i);

		expect_same(&answers[i], &a);
		named += a.hit.linkage != NULL;
		inlined += a.n;
	}
	EXPECT(named > 50 && inlined > 5);
	EXPECT_INT(log.n, 0);
	hd_symbols_free(sy);
	hd_bundle_replay_free(g);
	hd_bundle_record_free(r);
	forget(answers, n);
	free(path);
}

TEST(a_recorded_warning_is_repeated_at_the_same_lookup)
{
	struct hd_log here = { 0 }, there = { 0 };
	struct hd_bundle_record *r = hd_bundle_record_new();
	struct hd_symbols_opts opts = { .same_machine = true };
	struct hd_bundle_replay *g;
	struct hd_buf bytes = { 0 };
	struct hd_symbols *sy;
	uint64_t lost;
	char *path;
	struct hd_symbols_key key = key_of(&path);
	struct hd_symobj *o;

	build();
	RUN_SH("strip p");
	sy = hd_symbols_over(hd_bundle_record_source(r, &opts, &here));
	hd_symbols_object(sy, &key);
	hd_symbols_free(sy);
	EXPECT(hd_log_find(&here, "symbols.none"));
	hd_bundle_record_write(r, &bytes);
	RUN_SH("rm p");
	g = give(&bytes, NULL, &lost);
	sy = hd_symbols_over(hd_bundle_replay_source(g, false, &there));
	EXPECT_INT(there.n, 0);
	o = hd_symbols_object(sy, &key);
	EXPECT_INT(there.n, here.n);
	EXPECT_STR(there.items[0].text, here.items[0].text);
	EXPECT_STR(there.items[0].fix, here.items[0].fix);
	EXPECT_STR(hd_object_problem(o), "it is stripped, and there is no debug file for it");
	hd_symbols_free(sy);
	hd_bundle_replay_free(g);
	hd_bundle_record_free(r);
	hd_log_release(&here);
	hd_log_release(&there);
	free(path);
}

TEST(an_object_that_a_bundle_lacks_has_no_symbols_and_a_reason)
{
	struct hd_log log = { 0 };
	struct hd_buf bytes = { 0 };
	uint64_t lost;
	struct hd_bundle_replay *g = give(&bytes, NULL, &lost);
	struct hd_symbols *sy = hd_symbols_over(hd_bundle_replay_source(g, false, &log));
	struct hd_symobj *o = hd_symbols_object(sy, &(struct hd_symbols_key){ .kind = HD_OBJ_FILE, .path = "/bin/sh" });
	struct answer a = ask(o, 0x1234);

	EXPECT_INT(lost, 0);
	EXPECT(!a.hit.linkage && a.hit.vaddr == 0x1234 && !a.n && !a.line.file);
	EXPECT_INT(hd_object_quality(o), HD_SYMQ_NONE);
	EXPECT(hd_log_find(&log, "lost.bundle-object"));
	hd_symbols_free(sy);
	hd_bundle_replay_free(g);
	hd_log_release(&log);
}

TEST(call_frame_information_survives_its_file)
{
	struct hd_bundle_record *r = hd_bundle_record_new();
	struct hd_symbols_opts opts = { .same_machine = true };
	struct hd_log log = { 0 };
	struct hd_symbols *sy = hd_symbols_over(hd_bundle_record_source(r, &opts, &log));
	struct hd_bundle_replay *g;
	struct hd_buf bytes = { 0 };
	const struct hd_buf *code;
	char *path, *before, *after, *name;
	struct hd_symbols_key key = key_of(&path);
	uint64_t lost;
	size_t n;
	int fd;

	NEED("readelf");
	build();
	before = said("readelf --debug-dump=frames -SlW p | grep -v 'readelf: Warning'");
	free(slurp("p", &n));
	for (int i = 0; i < 2; i++) {	/* the second request of the same code adds nothing */
		fd = hd_symbols_open_code(sy, &key, NULL);
		EXPECT(fd >= 0);
		close(fd);
	}
	EXPECT(hd_bundle_record_code(r, 0, &code) && !hd_bundle_record_code(r, 1, &code));
	EXPECT(hd_bundle_record_code(r, 0, &code) && code->len < n / 2);
	hd_bundle_record_write(r, &bytes);
	hd_symbols_free(sy);
	RUN_SH("rm p");
	g = give(&bytes, r, &lost);
	sy = hd_symbols_over(hd_bundle_replay_source(g, false, &log));
	fd = hd_symbols_open_code(sy, &key, NULL);
	EXPECT(fd >= 0);
	name = textf("readelf --debug-dump=frames -SlW /proc/%d/fd/%d 2>/dev/null | sed 's:^File.*::'", (int)getpid(),
		fd);
	after = said(name);
	/* The excerpt has section headers, and all frames of the program. */
	EXPECT(strstr(after, "DW_CFA_") && strstr(after, ".eh_frame_hdr"));
	EXPECT(strstr(before, strstr(after, "Contents of the .eh_frame")));
	close(fd);
	key.path = "/bin/sh";
	EXPECT(hd_symbols_open_code(sy, &key, NULL) < 0);
	hd_symbols_free(sy);
	hd_bundle_replay_free(g);
	hd_bundle_record_free(r);
	hd_log_release(&log);
	free(before);
	free(after);
	free(name);
	free(path);
}

/* Return the frames of the code excerpt `cut`, as readelf prints them; the caller frees the text. */
static char *frames_of(const struct hd_buf *cut)
{
	int fd = hd_code_excerpt_open(cut->data, cut->len, NULL);
	char *cmd, *text;

	EXPECT(fd >= 0);
	cmd = textf("readelf --debug-dump=frames -W /proc/%d/fd/%d 2>/dev/null", (int)getpid(), fd);
	text = said(cmd);
	close(fd);
	free(cmd);
	return text;
}

static size_t times(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

TEST(call_frame_information_that_was_looked_up_is_kept)
{
	uint32_t two[] = { 2, 0, 2 }, none_such[] = { 0, 999999 };
	struct hd_buf cut = { 0 }, before = { 0 };
	char *all, *some;
	int fd;

	NEED("readelf");
	build();
	fd = open("p", O_RDONLY);
	EXPECT_INT(hd_code_excerpt_read(fd, &cut, NULL), 0);
	close(fd);
	hd_buf_add(&before, cut.data, cut.len);
	hd_code_excerpt_trim(&cut, none_such, HD_COUNT(none_such));	/* an index that is too large: no change */
	EXPECT(cut.len == before.len && !memcmp(cut.data, before.data, cut.len));
	hd_code_excerpt_trim(&cut, two, HD_COUNT(two));
	EXPECT(cut.len == before.len && memcmp(cut.data, before.data, cut.len));
	all = frames_of(&before);
	some = frames_of(&cut);
	EXPECT(times(all, " FDE ") > 3);
	EXPECT(times(some, " FDE ") < times(all, " FDE "));
	hd_buf_release(&cut);
	hd_buf_release(&before);
	free(all);
	free(some);
}

/* Look up many addresses in a damaged table; the results do not matter. */
static void look_up_all(const struct hd_bundle_replay *g, const struct hd_symbols_key *key)
{
	struct hd_log log = { 0 };
	struct hd_symbols *sy = hd_symbols_over(hd_bundle_replay_source(g, false, &log));
	struct hd_symobj *o = hd_symbols_object(sy, key);

	for (uint64_t at = 0; at < 0x3000; at += 7)
		ask(o, at);
	hd_symbols_free(sy);
	hd_log_release(&log);
}

TEST(cut_or_flipped_anywhere_it_answers_less_and_nothing_worse)
{
	struct hd_log log = { 0 };
	struct answer *answers;
	struct hd_bundle_record *r;
	struct hd_buf bytes = { 0 };
	char *path;
	struct hd_symbols_key key = key_of(&path);
	size_t n, whole = 0;

	build();
	r = remembered(&answers, &n, &log);
	hd_bundle_record_write(r, &bytes);
	for (size_t i = 0; i < bytes.len; i += i < 400 ? 1 : 97) {
		struct hd_buf cut = { 0 }, flipped = { 0 };
		struct hd_bundle_replay *g;
		uint64_t lost;

		hd_buf_add(&cut, bytes.data, i);
		g = give(&cut, NULL, &lost);
		look_up_all(g, &key);
		whole += hd_bundle_replay_count(g);
		hd_bundle_replay_free(g);
		hd_buf_add(&flipped, bytes.data, bytes.len);
		flipped.data[i] = (char)~flipped.data[i];
		g = give(&flipped, NULL, &lost);
		look_up_all(g, &key);
		hd_bundle_replay_free(g);
	}
	EXPECT_INT(whole, 0);
	hd_buf_release(&bytes);
	hd_bundle_record_free(r);
	forget(answers, n);
	hd_log_release(&log);
	free(path);
}

TEST(code_whose_parts_reach_out_of_it_is_refused)
{
	static const struct { uint64_t size, parts, off, n; } rows[] = {
		{ 100, 1, 96, 8 }, { 100, 1, UINT64_MAX, 8 }, { 100, 1, 0, UINT64_MAX }, { 100, UINT64_MAX / 16, 0, 8 },
		{ UINT64_MAX, 1, 0, 8 }, { 100, 2, 0, 8 }, { 100, 1, 0, 9 },
	};

	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		uint64_t b[5] = { htole64(rows[i].size), htole64(rows[i].parts), htole64(rows[i].off),
			htole64(rows[i].n), 0 };
		struct hd_err err = { 0 };

		EXPECT_INT(hd_code_excerpt_open(b, sizeof(b), &err), HD_EFORMAT);
		EXPECT(strstr(err.msg, "invalid"));
	}
}

WORKSHOP_MAIN(RUN(every_address_of_a_program_has_the_same_answer_once_the_program_is_gone),
	RUN(a_recorded_warning_is_repeated_at_the_same_lookup),
	RUN(an_object_that_a_bundle_lacks_has_no_symbols_and_a_reason),
	RUN(call_frame_information_survives_its_file), RUN(call_frame_information_that_was_looked_up_is_kept),
	RUN(cut_or_flipped_anywhere_it_answers_less_and_nothing_worse),
	RUN(code_whose_parts_reach_out_of_it_is_refused))
