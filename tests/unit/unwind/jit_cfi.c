/* jit_cfi.c - unwind JIT code, in whose dump each function has its own call frame information */
#include "synthetic_elf.h"

#include "symbols/jitdump.h"
#include "unit/symbols/jitdump_builder.h"
#include "unit/tmpdir.h"

#include <fcntl.h>

static char *jit_dir, *jit_path;
static struct hd_jitdump *jit_dump;

static const struct hd_jitdump *the_dump(void *ctx, uint32_t object)
{
	(void)ctx;
	return hd_process_object(made_proc, object)->kind == HD_OBJ_JIT ? jit_dump : NULL;
}

/*
 * Make an .eh_frame for a function of `code` bytes at `addr`: a CIE with CFA = rsp + 8, and an FDE with the
 * instructions `insns`.  absolute: the FDE has the address itself, not relative to its own place.
 */
static void told(struct made *cfi, uint64_t addr, size_t code, bool absolute, const uint8_t *insns, size_t n)
{
	const size_t at = (code + 7) & ~(size_t)7;
	size_t start;

	put_n(cfi->cfi, &cfi->n, 20, 4);
	put_n(cfi->cfi, &cfi->n, 0, 4);
	memcpy(cfi->cfi + cfi->n,
		absolute ? "\1zR\0\1\x78\x10\1\0\x0c\7\10\x90\1\0\0" : "\1zR\0\1\x78\x10\1\x1b\x0c\7\10\x90\1\0", 16);
	cfi->n += 16;
	start = cfi->n;
	cfi->n += 4;
	put_n(cfi->cfi, &cfi->n, cfi->n, 4);
	put_n(cfi->cfi, &cfi->n, absolute ? addr : 0 - (at + cfi->n), absolute ? 8 : 4);
	put_n(cfi->cfi, &cfi->n, code, absolute ? 8 : 4);
	cfi->cfi[cfi->n++] = 0;
	memcpy(cfi->cfi + cfi->n, insns, n);
	cfi->n += n;
	end_entry(cfi, start);
}

struct body { const char *name; uint64_t addr; size_t size; bool absolute, no_cfi; const uint8_t *insns; size_t n; };

/* Write a jitdump of the functions, and map each at its address plus `moved`. */
static void open_jit(const struct body *bodies, size_t n, uint64_t moved)
{
	const struct hd_unwind_source source = { .open = made_source, .jitdump = the_dump };
	struct made *o = hd_new(struct made);
	struct jit_made m = jit_begin(false, 1);
	uint64_t offs[8];
	uint32_t name;
	int fd;

	for (size_t i = 0; i < n; i++) {
		size_t r;

		o->n = 0;
		o->wide = true;
		told(o, bodies[i].addr, bodies[i].size, bodies[i].absolute, bodies[i].insns, bodies[i].n);
		if (!bodies[i].no_cfi) {
			r = jit_rec(&m, 4, 0);
			m64(&m, o->n);
			m64(&m, 0);
			m64(&m, 0);
			hd_buf_add(&m.b, o->cfi, o->n);
			jit_end(&m, r);
		}
		offs[i] = jit_load(&m, 1, bodies[i].name, bodies[i].addr, bodies[i].size, i);
	}
	free(o);
	jit_dir = tmpdir();
	jit_path = in_dir(jit_dir, "jit-1.dump");
	jit_put(&m, jit_path);
	fd = open(jit_path, O_RDONLY | O_CLOEXEC);
	EXPECT(fd >= 0);
	EXPECT_INT(hd_jitdump_read(&jit_dump, fd, jit_path, NULL, NULL), 0);
	EXPECT_INT(hd_jitdump_locate(jit_dump, fd, NULL, jit_path, NULL), 0);
	close(fd);
	made_begin();
	made_map(CODE, 0x1000, 0, "//anon", 1);
	name = hd_strtab_add(made_names, jit_path);
	for (size_t i = 0; i < n; i++)
		hd_process_add_jit(made_proc, (struct hd_record_time){ 0, 2 }, 1, bodies[i].addr + moved,
			bodies[i].size, offs[i], name);
	hd_process_build(made_proc);
	made_unwind = hd_unwind_new(made_proc, &source);
	made_unwinder = hd_unwinder_new(made_unwind);
}

static void close_jit(void)
{
	made_close();
	hd_jitdump_free(jit_dump);
	free(jit_path);
	tmpdir_remove(jit_dir);
}

/* CFI of a function that begins with a push, an instruction of one byte; after it, the CFA is rsp + 16. */
#define PUSHES	BYTES(0x41, 0x0e, 16)
/* CFI by which the return address is undefined, so the stack ends here */
#define ROOT	BYTES(0x07, 16)

TEST(each_body_of_code_is_left_by_its_own_rules)
{
	/* The frame pointer is invalid, and must not be used. */
	const struct body bodies[] = {
		{ "leaf", CODE + 0x100, 0x13, false, false, NOTHING },
		{ "caller", CODE + 0x200, 0x20, false, false, PUSHES },
		{ "absolute", CODE + 0x300, 0x20, true, false, PUSHES },
		{ "root", CODE + 0x400, 0x20, false, false, ROOT },
	};
	const uint64_t stack[] = { CODE + 0x210, 77, CODE + 0x310, 78, CODE + 0x410 };

	for (uint64_t moved = 0; moved < 2; moved++) {
		struct made_sample s = made_x86(CODE + 0x108 + 0x800 * moved, 5, stack, 5);
		uint64_t words[5];
		struct hd_unwind_result out;

		memcpy(words, stack, sizeof(words));
		for (int i = 0; i < 5; i += 2)
			words[i] += 0x800 * moved;
		s.stack = words;
		open_jit(bodies, 4, 0x800 * moved);
		made_run(&s, &out);
		EXPECT_INT(out.n, 4);
		EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
		EXPECT(!out.guessed);
		EXPECT(out.ip[1] == words[0] && out.ip[2] == words[2] && out.ip[3] == words[4]);
		EXPECT(out.cfa[0] == STACK + 8 && out.cfa[1] == STACK + 24);
		close_jit();
	}
}

TEST(a_body_without_information_is_left_by_its_frame_pointer_as_a_guess)
{
	const struct body bodies[] = {
		{ "bare", CODE + 0x100, 0x20, false, true, NOTHING },
		{ "root", CODE + 0x400, 0x20, false, false, ROOT },
	};
	const uint64_t stack[] = { 0, STACK + 64, CODE + 0x410 };
	struct made_sample s = made_x86(CODE + 0x108, STACK + 8, stack, 3);
	struct hd_unwind_result out;

	open_jit(bodies, 2, 0);
	made_run(&s, &out);
	EXPECT_INT(out.n, 2);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT(out.guessed);
	EXPECT_INT(hd_unwind_failure(made_unwind, out.object), HD_UNWIND_FAILURE_JIT);
	close_jit();
}

TEST(a_call_that_is_the_last_instruction_is_left_by_its_callers_rules)
{
	const struct body bodies[] = {
		{ "leaf", CODE + 0x100, 0x10, false, false, NOTHING },
		{ "caller", CODE + 0x200, 0x10, false, false, PUSHES },
		{ "behind", CODE + 0x210, 0x10, false, false, ROOT },
	};
	const uint64_t stack[] = { CODE + 0x210, 77, 0 };
	struct made_sample s = made_x86(CODE + 0x108, 5, stack, 3);
	struct hd_unwind_result out;

	open_jit(bodies, 3, 0);
	made_run(&s, &out);
	EXPECT_INT(out.n, 2);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT(out.cfa[1] == STACK + 24);
	close_jit();
}

TEST_MAIN(RUN(each_body_of_code_is_left_by_its_own_rules),
	  RUN(a_body_without_information_is_left_by_its_frame_pointer_as_a_guess),
	  RUN(a_call_that_is_the_last_instruction_is_left_by_its_callers_rules))
