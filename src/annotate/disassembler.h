/*
 * disassembler.h - convert machine code to the text of instructions, and find the addresses that they jump to
 *
 * The library capstone decodes instructions.  It is loaded at run time when it is first needed, because linking it
 * would make every start of the program slower.  Bytes that capstone cannot decode become `(bad)` (x86, one byte) or a
 * number with the size of the architecture's shortest instruction.  Numbers, also those of data between instructions,
 * are shown as `.word` (4 bytes), `.short` (2) or `.byte`.
 */
#ifndef HD_ANNOTATE_DISASSEMBLER_H
#define HD_ANNOTATE_DISASSEMBLER_H

#include "base/err.h"
#include "elf/mapping_symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_disassembler;

struct hd_decoded {
	unsigned size;			/* bytes, at least 1 */
	bool jump, call;		/* the instruction is a jump or a call whose target is known */
	uint64_t target;
	char text[256];			/* the mnemonic, padded with blanks, and the operands */
};

/* The architecture of a file with code. */
struct hd_architecture {
	unsigned machine;		/* EM_* */
	bool is64, big_endian;		/* as the header of the file says */
	bool little_endian_code;	/* instructions are little-endian even if big_endian is set (EF_ARM_BE8) */
};

/*
 * Make a disassembler, which the caller frees.  intel: use Intel syntax for x86.  Returns HD_EFORMAT if capstone is
 * absent or if the architecture is not supported, HD_EIO if capstone has no memory.
 */
int hd_disassembler_new(struct hd_disassembler **out, const struct hd_architecture *of, bool intel, struct hd_err *err);
void hd_disassembler_free(struct hd_disassembler *d);	/* accepts NULL */
/* Decode the instruction at the start of n > 0 bytes; in the mode HD_CODE_DATA, a number. */
void hd_disassembler_next(struct hd_disassembler *d, const uint8_t *code, size_t n, uint64_t vaddr,
	enum hd_code_mode mode, struct hd_decoded *out);

#endif
