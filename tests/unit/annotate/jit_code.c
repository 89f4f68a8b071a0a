/*
 * jit_code.c - annotate JIT code, whose bytes are in its jitdump
 *
 * The recordings are those of tests/unit/pipeline/recording.h: process 10 has JIT code at 0x1000.
 */
#include "unit/pipeline/recording.h"

#include "annotate/annotation.h"
#include "unit/symbols/jitdump_builder.h"

enum { MONO = 1 };

/* Begin a recording of process 10 with times of the same clock as those of its jitdump, /tmp/jit-10.dump. */
static struct image begin_jit(void)
{
	const struct attr a = { .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = FIELDS,
		.flags = ID_ALL };
	struct image im = pipe_image(false);

	attr_record_clock(&im, a, 1, MONO);
	comm(&im, 10, 10, "app", 0);
	map(&im, 10, USER, 0x9000, 0x1000, 0, "/tmp/jit-10.dump");
	map(&im, 10, USER, 0x1000, 0x2000, 0, "//anon");
	return im;
}

static void at(struct image *im, uint64_t ip, uint64_t time_ns)
{
	sample(im, (struct taken){ 1, USER, ip, 10, 10, time_ns, 0, 1, CHAIN(HD_CONTEXT_USER, ip) });
}

/* Append a load record with this code.  Returns the offset of the code in the dump. */
static uint64_t load(struct jit_made *m, uint64_t time_ns, const char *name, uint64_t addr, const char *code, size_t n)
{
	uint64_t off = jit_load(m, time_ns, name, addr, n, m->b.len);

	memcpy(m->b.data + off, code, n);
	return off;
}

/*
 * Annotate all functions and return their text, which the caller frees: for each function its name, its architecture
 * and its notes, and for each instruction its distance from the start, its samples, its line, its text, and the name of
 * the function that it calls or jumps to.
 */
static char *annotated(struct image *im, struct jit_made *m)
{
	struct place where = place_of(im);
	char *path = in_dir(where.dir, "tmp/jit-10.dump");
	const struct hd_annotate_opts opts = { .no_source = true };
	struct hd_annotations found = { .opts = &opts };
	struct hd_symbol_user user = { .use = hd_annotate, .arg = &found };
	struct hd_buf text = { 0 };

	jit_put(m, path);
	hd_profile_free(ingest(&where, (struct hd_pipeline_opts){ .symbol_user = &user, .lines = true }));
	for (size_t i = 0; i < found.n; i++) {
		const struct hd_annotation *a = &found.items[i];

		hd_buf_addf(&text, "%s %s\n", a->name, a->machine ? a->machine : "");
		for (size_t k = 0; k < a->nnotes; k++)
			hd_buf_addf(&text, "%s\n", a->notes[k]);
		for (size_t k = 0; k < a->ninstructions; k++) {
			const struct hd_annotation_instruction *in = &a->instructions[k];

			hd_buf_addf(&text, "%llu: %llu %u %s%s%s\n", (unsigned long long)(in->vaddr - a->start),
				(unsigned long long)hd_annotation_instruction_cost(a, k, 0).samples,
				a->lines[in->line].number, in->text ? in->text : "-", in->callee ? " -> " : "",
				in->callee ? in->callee : "");
		}
	}
	hd_annotations_release(&found);
	free(path);
	place_release(&where);
	release(im);
	return hd_buf_take(&text);
}

static void skip_without_capstone(const char *text)
{
	if (strstr(text, "There are no instructions: "))
		SKIP("there is no capstone");
}

/* dec edi; jne (back to the start); ret */
#define COUNT_DOWN	"\xff\xcf\x75\xfc\xc3"
/* nop; ret */
#define NOP_RETURN	"\x90\xc3"

TEST(each_version_of_code_at_one_address_has_its_own_instructions_and_lines)
{
	static const struct jit_line lines[] = { { 0x1100, 7, "made.js" }, { 0x1102, 8, "\xff" } };
	struct image im = begin_jit();
	struct jit_made m = jit_begin(false, 10);
	char *got;

	jit_lines(&m, 0x1100, lines, 2);
	load(&m, 2 * SECOND, "first", 0x1100, COUNT_DOWN, 5);
	load(&m, 4 * SECOND, "second", 0x1100, NOP_RETURN "\xcc\xcc\xcc", 5);
	at(&im, 0x1102, 3 * SECOND);
	at(&im, 0x1102, 3 * SECOND);
	at(&im, 0x1101, 5 * SECOND);
	got = annotated(&im, &m);
	skip_without_capstone(got);
	EXPECT(strstr(got, "first x86_64\n0: 0 7 decl"));
	EXPECT(strstr(got, "\n2: 2 8 jne"));
	EXPECT(strstr(got, "\n4: 0 8 retq\nsecond x86_64\n0: 0 0 nop\n1: 1 0 retq\n2: 0 0 int3"));
	free(got);
}

/* 0x1100: call 0x1200; 0x1105: jmp 0x1300, where two functions were, one after the other; 0x110a: call 0x1100 */
#define CALLS	"\xe8\xfb\x00\x00\x00" "\xe9\xf6\x01\x00\x00" "\xe8\xf1\xff\xff\xff"

TEST(a_call_out_of_jit_code_has_the_address_in_the_process_and_the_name_of_the_callee)
{
	struct image im = begin_jit();
	struct jit_made m = jit_begin(false, 10);
	char *got;

	load(&m, SECOND, "caller", 0x1100, CALLS, 15);
	load(&m, SECOND, "callee", 0x1200, NOP_RETURN, 2);
	load(&m, SECOND, "before", 0x1300, NOP_RETURN, 2);
	load(&m, 2 * SECOND, "after", 0x1300, NOP_RETURN, 2);
	at(&im, 0x1100, 3 * SECOND);
	got = annotated(&im, &m);
	skip_without_capstone(got);
	EXPECT(strstr(got, "0x1200 -> callee\n"));
	EXPECT(strstr(got, "0x1300\n"));	/* printed without a name, which depends on the time of the jump */
	EXPECT(strstr(got, " -> caller\n"));
	free(got);
}

TEST(code_whose_end_is_missing_in_the_dump_is_annotated_up_to_there)
{
	struct image im = begin_jit();
	struct jit_made m = jit_begin(false, 10);
	char *got;

	load(&m, SECOND, "whole", 0x1100, NOP_RETURN, 2);
	load(&m, SECOND, "cut", 0x1200, COUNT_DOWN, 5);
	m.b.len -= 3;
	at(&im, 0x1101, 3 * SECOND);
	at(&im, 0x1200, 3 * SECOND);
	got = annotated(&im, &m);
	skip_without_capstone(got);
	EXPECT(strstr(got, "whole x86_64\n0: 0 0 nop\n1: 1 0 retq\n"));
	free(got);
}

TEST(code_of_an_unknown_machine_has_addresses_and_a_note)
{
	struct image im = begin_jit();
	struct jit_made m = jit_begin(false, 10);
	char *got;

	m.b.data[12] = (char)0xfe;
	load(&m, SECOND, "strange", 0x1100, NOP_RETURN, 2);
	at(&im, 0x1101, 3 * SECOND);
	got = annotated(&im, &m);
	EXPECT(strstr(got, "strange \nThere are no instructions: "));
	EXPECT(strstr(got, "1: 1 0 -\n"));
	free(got);
}

static void keep_access(void *arg, struct hd_profile *p, const struct hd_symbol_access *access)
{
	(void)p;
	*(const struct hd_symbol_access **)arg = access;
}

TEST(with_a_lease_the_recording_is_read_without_lines_and_those_of_a_function_are_looked_up)
{
	static const struct jit_line lines[] = { { 0x1100, 7, "made.js" }, { 0x1102, 8, "\xff" } };
	const struct hd_annotate_opts opts = { .no_source = true };
	struct hd_annotations found = { .opts = &opts };
	const struct hd_symbol_access *access = NULL;
	struct hd_symbol_lease lease = { 0 };
	struct hd_symbol_user user = { keep_access, &access, &lease };
	struct image im = begin_jit();
	struct jit_made m = jit_begin(false, 10);
	struct place where;
	struct hd_profile *p;
	char *path;
	bool *all;

	jit_lines(&m, 0x1100, lines, 2);
	load(&m, SECOND, "first", 0x1100, COUNT_DOWN, 5);
	at(&im, 0x1102, 3 * SECOND);
	at(&im, 0x1100, 3 * SECOND);
	at(&im, 0x1102, 4 * SECOND);
	where = place_of(&im);
	path = in_dir(where.dir, "tmp/jit-10.dump");
	jit_put(&m, path);
	p = ingest(&where, (struct hd_pipeline_opts){ .symbol_user = &user, .lines = true });
	for (size_t i = 0; i < p->nframes; i++)
		EXPECT_INT(p->frames[i].file, 0);
	assert_non_null(access);
	all = hd_new_array(bool, p->nsymbols + 1);
	memset(all, true, p->nsymbols + 1);
	hd_annotate_lines(&found, p, access, all);
	EXPECT_INT(found.n, 1);
	EXPECT_INT(found.items[0].nfiles, 1);
	EXPECT_STR(found.items[0].files[0].path, "made.js");
	EXPECT_INT(found.items[0].nlines, 3);
	EXPECT_INT(found.items[0].lines[1].number, 7);
	EXPECT_INT(hd_annotation_line_cost(&found.items[0], 1, 0).samples, 1);
	EXPECT_INT(hd_annotation_line_cost(&found.items[0], 2, 0).samples, 2);
	hd_annotations_release(&found);
	free(all);
	hd_symbol_lease_end(&lease);
	hd_profile_free(p);
	free(path);
	place_release(&where);
	release(&im);
}

TEST_MAIN(RUN(each_version_of_code_at_one_address_has_its_own_instructions_and_lines),
	RUN(a_call_out_of_jit_code_has_the_address_in_the_process_and_the_name_of_the_callee),
	RUN(code_whose_end_is_missing_in_the_dump_is_annotated_up_to_there),
	RUN(code_of_an_unknown_machine_has_addresses_and_a_note),
	RUN(with_a_lease_the_recording_is_read_without_lines_and_those_of_a_function_are_looked_up))
