/* folded.c - write folded stacks, which are sorted and complete, and read them back without any change */
#include "test.h"

#include "base/mem.h"
#include "pipeline/folded_input.h"
#include "profile/folded.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char *fold(const struct hd_profile *p, uint32_t event, const struct hd_folded_opts *o)
{
	struct hd_outfile out;
	char *text;

	hd_outfile_memory(&out);
	hd_folded_write(&out, p, event, o);
	text = hd_buf_take(&out.pending);
	hd_outfile_discard(&out);
	return text;
}

/* Return a profile whose object 1 is a program. */
static struct hd_profile *profile_of_app(void)
{
	struct hd_profile *p = hd_profile_new();

	EXPECT_INT(hd_profile_add_object(p, "/bin/app", "", false), 1);
	return p;
}

static const struct hd_folded_opts plain = { 0 }, annotated = { .annotate = true }, full = { .full_names = true };

static void expect_fold(const struct hd_profile *p, uint32_t event, const struct hd_folded_opts *o, const char *want)
{
	char *got = fold(p, event, o);

	EXPECT_STR(got, want);
	free(got);
}

/* Read folded text as a profile. */
static struct hd_profile *parse(const char *text, unsigned keys)
{
	struct hd_pipeline_opts opts = { .keys = keys };
	struct hd_profile *p = hd_profile_new();
	int fd = memfd_create("folded", MFD_CLOEXEC);
	struct hd_err err;

	p->keys = keys;
	EXPECT(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && lseek(fd, 0, SEEK_SET) == 0);
	EXPECT_INT(hd_folded_input_read(p, fd, "t.folded", &opts, &err), 0);
	close(fd);
	return p;
}

TEST(text_beyond_its_limit_is_left_out_by_whole_lines_and_counted)
{
	struct hd_profile *p = parse("a;b;c 1\na;b;d 2\ne;a_longer_name;b 3\nf 4\n", 0);
	struct hd_outfile out;

	hd_outfile_memory(&out);
	EXPECT_INT(hd_folded_write(&out, p, 0, &(struct hd_folded_opts){ .most_bytes = 22 + 5 + 22 + 5 }), 2);
	EXPECT_STR(hd_buf_str(&out.pending), "a;b;c 1\na;b;d 2\n");
	hd_outfile_discard(&out);
	hd_outfile_memory(&out);
	EXPECT_INT(hd_folded_write(&out, p, 0, &(struct hd_folded_opts){ 0 }), 0);
	hd_outfile_discard(&out);
	hd_profile_free(p);
}

static hd_stack_id push(struct hd_profile *p, hd_stack_id caller, uint32_t symbol, bool inlined)
{
	struct hd_frame f = { .symbol = symbol, .inlined = inlined };

	return hd_stacks_add(p->stacks, caller, hd_profile_add_frame(p, &f));
}

static void add(struct hd_profile *p, const char *event, const char *comm, hd_stack_id stack, uint64_t weight)
{
	struct hd_sample_row row = {
		.stack = stack, .self = hd_stacks_frame(p->stacks, stack),
		.event = hd_profile_add_event(p, event, "events"),
		.comm = hd_profile_name(p, comm), .weight = weight, .count = 1,
	};

	hd_profile_add_sample(p, &row);
}

TEST(the_empty_stack_has_no_line_and_does_not_count_as_omitted)
{
	struct hd_profile *p = profile_of_app();
	struct hd_outfile out;

	add(p, "cycles", "app", (hd_stack_id){ 0 }, 5);
	hd_outfile_memory(&out);
	EXPECT_INT(hd_folded_write(&out, p, 0, &plain), 0);
	EXPECT_STR(hd_buf_str(&out.pending), "");
	hd_outfile_discard(&out);
	hd_profile_free(p);
}

/* Return a stack of symbols, given as "main;parse". */
static hd_stack_id named(struct hd_profile *p, const char *path)
{
	hd_stack_id s = { 0 };
	char name[64];

	for (size_t n; *path; path += n + (path[n] == ';')) {
		n = strcspn(path, ";");
		snprintf(name, sizeof(name), "%.*s", (int)n, path);
		s = push(p, s, hd_profile_add_named_symbol(p, 0, name, false), false);
	}
	return s;
}

TEST(lines_are_sorted_frame_by_frame_and_a_stack_comes_before_its_extensions)
{
	struct hd_profile *p = hd_profile_new();

	p->keys = HD_KEY_COMM;
	add(p, "e", "b", named(p, "main"), 1);
	add(p, "e", "a", named(p, "main;z"), 2);
	add(p, "e", "a", named(p, "main;a.b"), 4);	/* in the order of whole lines, `a.b` would come before `a;c` */
	add(p, "e", "a", named(p, "main;a;c"), 8);
	add(p, "e", "a", named(p, "main;a"), 16);
	add(p, "e", "a", named(p, "main;B"), 32);
	expect_fold(p, 0, &plain, "a;main;B 32\na;main;a 16\na;main;a;c 8\na;main;a.b 4\na;main;z 2\nb;main 1\n");
	hd_profile_free(p);
}

TEST(stacks_that_say_the_same_are_one_line)
{
	struct hd_profile *p = profile_of_app();
	struct hd_profile_symbol s = { .object = 1, .size = 4, .name = hd_profile_name(p, "work") };
	uint32_t symbol[3];

	for (uint64_t i = 0; i < 3; i++) {	/* three functions called `work` */
		s.start = 0x1000 + 16 * i;
		symbol[i] = hd_profile_add_symbol(p, &s);
		add(p, "e", "", push(p, named(p, "main"), symbol[i], false), 1);
		add(p, "e", "", push(p, push(p, named(p, "main"), symbol[i], false), symbol[0], false), 10);
	}
	expect_fold(p, 0, &plain, "main;work 3\nmain;work;work 30\n");
	hd_profile_free(p);
}

TEST(an_address_without_a_symbol_is_unknown_and_its_neighbours_too)
{
	struct hd_profile *p = profile_of_app();
	struct hd_profile_symbol a = { .object = 1, .start = 0x1234, .unresolved = true },
				 b = { .start = 0x5678, .unresolved = true };

	add(p, "e", "", push(p, named(p, "main"), hd_profile_add_symbol(p, &a), false), 1);
	add(p, "e", "", push(p, named(p, "main"), hd_profile_add_symbol(p, &b), false), 2);
	add(p, "e", "", named(p, "main;[unknown]"), 4);
	expect_fold(p, 0, &plain, "main;[unknown] 3\nmain;\\x5bunknown] 4\n");
	hd_profile_free(p);
}

TEST(kernel_and_inlined_frames_are_marked_on_request)
{
	struct hd_profile *p = profile_of_app();
	struct hd_profile_symbol bare = { .start = 0xffffffff81000000, .unresolved = true, .kernel = true };
	hd_stack_id s = named(p, "main");

	s = push(p, s, hd_profile_add_named_symbol(p, 0, "small", false), true);
	s = push(p, s, hd_profile_add_named_symbol(p, 1, "entry", true), false);
	add(p, "e", "", s, 1);
	add(p, "e", "", push(p, s, hd_profile_add_symbol(p, &bare), false), 2);
	expect_fold(p, 0, &plain, "main;small;entry 1\nmain;small;entry;[unknown] 2\n");
	expect_fold(p, 0, &annotated, "main;small_[i];entry_[k] 1\nmain;small_[i];entry_[k];[unknown]_[k] 2\n");
	hd_profile_free(p);
}

TEST(parameters_are_shown_on_request)
{
	struct hd_profile *p = profile_of_app();
	struct hd_profile_symbol s = {
		.object = 1, .start = 0x1000, .size = 1, .name = hd_profile_name(p, "ns::work"),
		.full = hd_profile_name(p, "ns::work(int)"),
	};

	add(p, "e", "", push(p, (hd_stack_id){ 0 }, hd_profile_add_symbol(p, &s), false), 1);
	expect_fold(p, 0, &plain, "ns::work 1\n");
	expect_fold(p, 0, &full, "ns::work(int) 1\n");
	hd_profile_free(p);
}

TEST(one_event_is_written_and_what_weighs_nothing_is_not)
{
	struct hd_profile *p = hd_profile_new();

	add(p, "cycles", "", named(p, "main;a"), 5);
	add(p, "faults", "", named(p, "main;b"), 7);
	add(p, "cycles", "", named(p, "main;c"), 0);
	hd_profile_add_event(p, "idle", "ns");
	expect_fold(p, 0, &plain, "main;a 5\n");
	expect_fold(p, 1, &plain, "main;b 7\n");
	expect_fold(p, 2, &plain, "");
	hd_profile_free(p);
}

TEST(a_command_without_any_frame_is_a_line_of_its_own)
{
	struct hd_profile *p = hd_profile_new();
	struct hd_sample_row row = { .event = hd_profile_add_event(p, "e", "events"),
		.comm = hd_profile_name(p, "app"),
		.weight = 3 };

	p->keys = HD_KEY_COMM;
	hd_profile_add_sample(p, &row);
	expect_fold(p, 0, &plain, "app 3\n");
	hd_profile_free(p);
}

/* ---- invariants ---- */

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

enum { SAMPLES = 3000 };

/* Add sample number i, whose contents depend on i only. */
static void add_sample(struct hd_profile *p, uint64_t i)
{
	uint64_t state = i * 2654435761u + 12345, depth = 1 + next_random(&state) % 9;
	char comm[8], name[8];
	hd_stack_id s = { 0 };

	for (uint64_t k = 0; k < depth; k++) {
		snprintf(name, sizeof(name), "f%llu", (unsigned long long)(next_random(&state) % 4));
		s = push(p, s, hd_profile_add_named_symbol(p, 0, name, next_random(&state) % 8 == 0),
			next_random(&state) % 8 == 0);
	}
	snprintf(comm, sizeof(comm), "c%llu", (unsigned long long)(next_random(&state) % 3));
	add(p, "e", comm, s, 1 + next_random(&state) % 1000);
}

TEST(shuffled_samples_fold_to_the_same_text)
{
	static uint32_t order[SAMPLES];
	uint64_t seed = 1;
	char *want = NULL;

	for (uint32_t i = 0; i < SAMPLES; i++)
		order[i] = i;
	for (int round = 0; round < 5; round++) {
		struct hd_profile *p = hd_profile_new();
		char *got;

		p->keys = HD_KEY_COMM;
		for (uint32_t i = 0; i < SAMPLES; i++)
			add_sample(p, order[i]);
		got = fold(p, 0, &annotated);
		if (!want) {
			want = got;
		} else {
			EXPECT(!strcmp(got, want));
			free(got);
		}
		hd_profile_free(p);
		for (uint32_t i = SAMPLES - 1; i > 0; i--) {
			uint32_t k = (uint32_t)(next_random(&seed) % (i + 1)), t = order[i];

			order[i] = order[k];
			order[k] = t;
		}
	}
	EXPECT(strlen(want) > 10000);
	free(want);
}

TEST(the_counts_add_up_to_the_events_weight)
{
	struct hd_profile *p = hd_profile_new();
	uint64_t sum = 0;
	char *text, *line, *at;

	p->keys = HD_KEY_COMM;
	for (uint32_t i = 0; i < SAMPLES; i++)
		add_sample(p, i);
	text = fold(p, 0, &plain);
	for (line = strtok_r(text, "\n", &at); line; line = strtok_r(NULL, "\n", &at))
		sum += strtoull(strrchr(line, ' ') + 1, NULL, 10);
	EXPECT(sum == p->events[0].weight);
	free(text);
	hd_profile_free(p);
}

static void expect_identity(const struct hd_profile *p)
{
	char *once = fold(p, 0, &annotated), *twice;
	struct hd_profile *again = parse(once, p->keys);

	EXPECT_INT(again->log.n, 0);
	EXPECT(again->events[0].weight == p->events[0].weight);
	twice = fold(again, 0, &annotated);
	if (strcmp(once, twice))
		fail_msg("fold, parse, fold is\n%s\nand not\n%s", twice, once);
	free(once);
	free(twice);
	hd_profile_free(again);
}

TEST(fold_parse_fold_is_identity)
{
	for (unsigned keys = 0; keys <= HD_KEY_COMM; keys += HD_KEY_COMM) {
		struct hd_profile *p = hd_profile_new();

		p->keys = keys;
		for (uint32_t i = 0; i < SAMPLES; i++)
			add_sample(p, i);
		expect_identity(p);
		hd_profile_free(p);
	}
}

/* One name of each kind that a folded line, a reader or a terminal could misinterpret. */
#define NAME(bytes) { bytes, sizeof(bytes) - 1 }
static const struct { const char *s; size_t n; } hostile[] = {
	NAME(""), NAME(" "), NAME("  "), NAME("a;b"), NAME(";"), NAME(";;"), NAME("f 12"), NAME("f 12 "), NAME("f 1.5"),
	NAME("f ."), NAME("7"),
	NAME(" 7"), NAME("#x"), NAME("#"), NAME("::warning::x"), NAME("::"), NAME(":"), NAME(" #x"), NAME("\t"),
	NAME("\n"), NAME("a\r\nb 5\n"),
	NAME("[unknown]"), NAME("[unknown"), NAME("[unknown]]"), NAME("[truncated]"), NAME("[folded]"), NAME("f_[k]"),
	NAME("f_[i]"), NAME("f_[j]"),
	NAME("f_[z]"), NAME("_[k]"), NAME("_[k]_[k]"), NAME("[unknown]_[k]"), NAME("f_[kk]"), NAME("\\"), NAME("\\\\"),
	NAME("\\e"), NAME("\\x3b"),
	NAME("\\x20"), NAME("\\u{202e}"), NAME("a\\"), NAME("\\x5bunknown]"), NAME("\x1b[2J"), NAME("\x7f\x08"),
	NAME("\x9b\x31m"), NAME("\xc2\x9b"),
	NAME("\xff\xfe"), NAME("\xc0\x80"), NAME("\xed\xa0\x80"), NAME("\xf4\x90\x80\x80"), NAME("caf\xc3"),
	NAME("caf\xc3\xa9"),
	NAME("\xf0\x9f\x8c\x8d"), NAME("\xe2\x80\xae" "abc"), NAME("a\xe2\x80\x8b" "b"), NAME("\xe2\x80\xa8"),
	NAME("\xef\xbb\xbf" "main"),
	NAME("\xef\xbf\xbe"), NAME("\xf3\xa0\x81\x81"), NAME("a\0b"), NAME("\0"), NAME("a 1\0"), NAME("$(id)`id`|id"),
	NAME("%s%n"), NAME("-o"), NAME("../.."),
	NAME("<b>&\"'"), NAME("operator\"\" _x(char)"), NAME("f() [clone .part.0]"), NAME("A 18446744073709551616"),
};

TEST(hostile_names_survive_fold_parse_fold_in_every_place_of_a_line)
{
	static const unsigned all_keys[] = { 0, HD_KEY_COMM };

	for (size_t k = 0; k < 2; k++) {
		struct hd_profile *p = profile_of_app();

		p->keys = all_keys[k];
		for (size_t a = 0; a < HD_COUNT(hostile); a++) {
			uint32_t na = hd_strtab_addn(p->names, hostile[a].s, hostile[a].n);

			for (size_t b = 0; b < HD_COUNT(hostile); b++) {
				uint32_t nb = hd_strtab_addn(p->names, hostile[b].s, hostile[b].n);
				struct hd_profile_symbol sa = { .object = 1, .name = na, .linkage = na, .full = na };
				struct hd_profile_symbol sb = { .object = 1, .name = nb, .linkage = nb, .full = nb };
				struct hd_sample_row row = { .event = hd_profile_add_event(p, "e", "events"),
					.comm = na,
					.count = 1 };

				row.stack = push(p, (hd_stack_id){ 0 }, hd_profile_add_symbol(p, &sb), b % 3 == 1);
				row.stack = push(p, row.stack, hd_profile_add_symbol(p, &sa), false);
				row.self = hd_stacks_frame(p->stacks, row.stack);
				row.weight = 1 + a * HD_COUNT(hostile) + b;
				hd_profile_add_sample(p, &row);
			}
		}
		expect_identity(p);
		hd_profile_free(p);
	}
}

TEST(hostile_names_come_back_byte_for_byte)
{
	for (size_t i = 0; i < HD_COUNT(hostile); i++) {
		struct hd_profile *p = profile_of_app(), *again;
		uint32_t n = hd_strtab_addn(p->names, hostile[i].s, hostile[i].n);
		struct hd_profile_symbol s = { .object = 1, .name = n, .linkage = n, .full = n };
		const struct hd_profile_symbol *back;
		char *text;

		add(p, "e", "", push(p, named(p, "main"), hd_profile_add_symbol(p, &s), false), 5);
		text = fold(p, 0, &plain);
		EXPECT(strchr(text, '\n') == text + strlen(text) - 1);		/* one line */
		EXPECT(strchr(text, ';') == strrchr(text, ';'));		/* exactly two frames */
		again = parse(text, 0);
		EXPECT_INT(again->kept, 1);
		EXPECT_INT(hd_stacks_depth(again->stacks, again->rows.items[0].stack), 2);
		back = &again->symbols[again->frames[again->rows.items[0].self.v].symbol];
		EXPECT(!back->unresolved && !back->kernel);
		EXPECT_INT(hd_strtab_len(again->names, back->name), hostile[i].n);
		EXPECT_MEM(hd_profile_str(again, back->name), hostile[i].s, hostile[i].n);
		free(text);
		hd_profile_free(p);
		hd_profile_free(again);
	}
}

TEST(names_of_seventy_thousand_bytes_keep_every_byte)
{
	static const char *const units[] = { "A", "<", "\xff", ";", "\\", "\xf0\x9f\x99\x82" };
	static const size_t lengths[] = { 65535, 65536, 70000 };

	for (size_t u = 0; u < HD_COUNT(units); u++) {
		for (size_t l = 0; l < HD_COUNT(lengths); l++) {
			struct hd_profile *p = profile_of_app();
			struct hd_buf name = { 0 };

			while (name.len + strlen(units[u]) <= lengths[l])
				hd_buf_adds(&name, units[u]);
			add(p, "e", "",
				push(p, named(p, "main"), hd_profile_add_named_symbol(p, 1, name.data, false), false),
				5);
			expect_identity(p);
			hd_buf_release(&name);
			hd_profile_free(p);
		}
	}
}

TEST_MAIN(RUN(text_beyond_its_limit_is_left_out_by_whole_lines_and_counted),
	  RUN(lines_are_sorted_frame_by_frame_and_a_stack_comes_before_its_extensions),
	  RUN(stacks_that_say_the_same_are_one_line),
	  RUN(an_address_without_a_symbol_is_unknown_and_its_neighbours_too),
	  RUN(kernel_and_inlined_frames_are_marked_on_request),
	  RUN(parameters_are_shown_on_request),
	  RUN(one_event_is_written_and_what_weighs_nothing_is_not),
	  RUN(a_command_without_any_frame_is_a_line_of_its_own),
	  RUN(the_empty_stack_has_no_line_and_does_not_count_as_omitted),
	  RUN(shuffled_samples_fold_to_the_same_text),
	  RUN(the_counts_add_up_to_the_events_weight),
	  RUN(fold_parse_fold_is_identity),
	  RUN(hostile_names_survive_fold_parse_fold_in_every_place_of_a_line),
	  RUN(hostile_names_come_back_byte_for_byte),
	  RUN(names_of_seventy_thousand_bytes_keep_every_byte))
