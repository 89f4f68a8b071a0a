/*
 * arm_code.c - annotate functions of ARM and AArch64: Thumb code, and data between instructions
 *
 * clang assembles the programs.  The recording is synthetic: process 10 maps the program as it is in the file.
 */
#include "unit/pipeline/recording.h"

#include "annotate/annotation.h"
#include "annotate/disassembler.h"
#include "base/file.h"
#include "elf/elf_file.h"

enum { BASE = 0x40000000 };

static const char arm[] =
	"	.syntax unified\n	.arch armv7-a\n	.text\n"
	"	.arm\n	.globl in_arm\n	.type in_arm, %function\n"
	"in_arm:	add r0, r0, #1\n	bx lr\n	.size in_arm, .-in_arm\n"
	"	.thumb\n	.globl in_thumb\n	.type in_thumb, %function\n	.thumb_func\n"
	"in_thumb: ldr r1, =0x12345678\n	bl in_arm\n	adds r0, r0, r1\n	bx lr\n"
	"	.pool\n	.short 0xbeef\n	.byte 7\n	.size in_thumb, .-in_thumb\n";

static const char aarch64[] =
	"	.text\n	.globl in_arm\n	.type in_arm, %function\n"
	"in_arm:	ldr w1, =0x12345678\n	add w0, w0, w1\n	ret\n	.pool\n	.size in_arm, .-in_arm\n";

/* Return the file offset of the section .text. */
static uint64_t text_offset(const char *path)
{
	struct hd_log log = { 0 };
	struct hd_err err = { 0 };
	struct hd_elf *e;
	uint64_t off;

	if (hd_elf_open(&e, hd_file_open(path, &err), path, &log, &err) < 0)
		fail_msg("%s", err.msg);
	assert_non_null(hd_elf_section(e, ".text"));
	off = hd_elf_section(e, ".text")->off;
	hd_elf_close(e);
	hd_log_release(&log);
	return off;
}

/*
 * Assemble a program with these options, sample it at an offset in .text, and return the sampled function as text: its
 * name, a note if it has no instructions, and for each instruction its size, its samples, its mnemonic and the function
 * that it calls.  The caller frees the text, which is empty if clang or lld is absent.
 */
static char *annotated(const char *source, const char *options, uint64_t at)
{
	const struct attr a = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .sample_type = FIELDS,
		.flags = ID_ALL };
	const struct hd_annotate_opts opts = { .no_source = true };
	struct hd_annotations found = { .opts = &opts };
	struct hd_symbol_user user = { .use = hd_annotate, .arg = &found };
	char *dir = tmpdir(), *asm_file = put_file(dir, "a.s", source, strlen(source)), *program = in_dir(dir, "app");
	struct image im = pipe_image(false);
	struct hd_buf text = { 0 };
	struct place where;
	char *installed;
	uint64_t ip;

	hd_buf_addf(&text, "clang -nostdlib -fuse-ld=lld -Wl,-e,0 %s -o '%s' '%s' 2>/dev/null", options, program,
		asm_file);
	if (system(text.data) != 0) {
		hd_buf_release(&text);
		goto out;
	}
	hd_buf_reset(&text);
	ip = BASE + text_offset(program) + at;
	attr_record(&im, a, 1);
	comm(&im, 10, 10, "app", 0);
	map(&im, 10, USER, BASE, 1 << 20, 0, "/app");
	sample(&im, (struct taken){ 1, USER, ip, 10, 10, SECOND, 0, 1, CHAIN(HD_CONTEXT_USER, ip) });
	where = place_of(&im);
	installed = in_dir(where.dir, "app");
	EXPECT(rename(program, installed) == 0);
	hd_profile_free(ingest(&where, (struct hd_pipeline_opts){ .symbol_user = &user }));
	EXPECT(found.n == 1);
	hd_buf_addf(&text, "%s\n", found.items[0].name);
	for (size_t i = 0; i < found.items[0].nnotes; i++)
		if (strstr(found.items[0].notes[i], "There are no instructions"))
			hd_buf_addf(&text, "%s\n", found.items[0].notes[i]);
	for (size_t i = 0; i < found.items[0].ninstructions; i++) {
		const struct hd_annotation_instruction *in = &found.items[0].instructions[i];

		hd_buf_addf(&text, "%u %llu %.*s%s%s\n", in->size,
			(unsigned long long)hd_annotation_instruction_cost(&found.items[0], i, 0).samples,
			(int)strcspn(in->text ? in->text : "-", in->text && *in->text == '.' ? "" : " "),
			in->text ? in->text : "-", in->callee ? " -> " : "", in->callee ? in->callee : "");
	}
	hd_annotations_release(&found);
	free(installed);
	place_release(&where);
out:
	release(&im);
	free(program);
	free(asm_file);
	tmpdir_remove(dir);
	return hd_buf_take(&text);
}

static void expect_text(const char *source, const char *options, uint64_t at, const char *want)
{
	char *got = annotated(source, options, at);
	bool absent = !got || !*got || strstr(got, "There are no instructions");

	if (!absent)
		EXPECT_STR(got, want);
	free(got);
	if (absent)
		SKIP("there is no clang, lld or capstone");
}

#define ARM	"--target=armv7-linux-gnueabihf"
#define THUMB_TEXT "in_thumb\n2 0 ldr\n4 0 blx -> in_arm\n2 1 adds\n2 0 bx\n"

TEST(thumb_and_arm_code_of_one_file_are_decoded_each_in_its_mode)
{
	expect_text(arm, ARM, 4, "in_arm\n4 0 add\n4 1 bx\n");
	expect_text(arm, ARM, 14, THUMB_TEXT
		"2 0 movs\n4 0 .word  0x12345678\n2 0 .short 0xbeef\n1 0 .byte  0x07\n");
}

TEST(without_mapping_symbols_the_low_bit_of_the_function_symbol_selects_thumb)
{
	char *got = annotated(arm, ARM " -shared -Wl,-s,-Bsymbolic", 14);
	bool absent = !got || !*got || strstr(got, "There are no instructions");

	/* Compare only the start, because the literals after it are decoded as instructions, too. */
	if (!absent)
		EXPECT(strncmp(got, THUMB_TEXT, sizeof(THUMB_TEXT) - 1) == 0);
	free(got);
	if (absent)
		SKIP("there is no clang, lld or capstone");
}

/*
 * Expect that the text of the first instruction in `bytes` begins with `code`, and that the text is `data` if the bytes
 * are decoded as data.
 */
static void expect_bytes(struct hd_architecture of, const char *bytes, enum hd_code_mode mode, const char *code,
	const char *data)
{
	struct hd_disassembler *d;
	struct hd_decoded got;
	struct hd_err err;

	if (hd_disassembler_new(&d, &of, false, &err) < 0)
		SKIP("there is no capstone");
	hd_disassembler_next(d, (const uint8_t *)bytes, 4, 0x1000, mode, &got);
	EXPECT(strncmp(got.text, code, strlen(code)) == 0);
	hd_disassembler_next(d, (const uint8_t *)bytes, 4, 0x1000, HD_CODE_DATA, &got);
	EXPECT_STR(got.text, data);
	hd_disassembler_free(d);
}

TEST(code_is_little_endian_in_big_endian_files_of_aarch64_and_of_arm_with_be8)
{
	expect_bytes((struct hd_architecture){ .machine = EM_AARCH64, .is64 = true, .big_endian = true },
		"\xc0\x03\x5f\xd6", HD_CODE_DEFAULT, "ret", ".word  0xc0035fd6");
	expect_bytes((struct hd_architecture){ .machine = EM_ARM, .big_endian = true, .little_endian_code = true },
		"\x1e\xff\x2f\xe1", HD_CODE_DEFAULT, "bx", ".word  0x1eff2fe1");
	expect_bytes((struct hd_architecture){ .machine = EM_ARM, .big_endian = true }, "\xe1\x2f\xff\x1e",
		HD_CODE_DEFAULT, "bx", ".word  0xe12fff1e");
	expect_bytes((struct hd_architecture){ .machine = EM_ARM, .big_endian = true }, "\x47\x70\x47\x70",
		HD_CODE_THUMB, "bx", ".word  0x47704770");
}

TEST(literals_in_aarch64_code_are_data)
{
	expect_text(aarch64, "--target=aarch64-linux-gnu", 4,
		"in_arm\n4 0 ldr\n4 1 add\n4 0 ret\n4 0 .word  0x12345678\n");
}

TEST_MAIN(RUN(thumb_and_arm_code_of_one_file_are_decoded_each_in_its_mode),
	RUN(without_mapping_symbols_the_low_bit_of_the_function_symbol_selects_thumb),
	RUN(code_is_little_endian_in_big_endian_files_of_aarch64_and_of_arm_with_be8),
	RUN(literals_in_aarch64_code_are_data))
