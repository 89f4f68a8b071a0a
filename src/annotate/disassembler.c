/*
 * disassembler.c - see disassembler.h
 */
#include "annotate/disassembler.h"

#include "base/library.h"
#include "base/mem.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CAPSTONE

#include <capstone/capstone.h>
#include <dlfcn.h>

/* struct cs_insn differs between major versions, so load the library with the major version of capstone.h. */
#define SONAME		"libcapstone.so." HD_NUMBER_TEXT(CS_API_MAJOR)

#define CAPSTONE_FUNCTIONS(X) \
	X(open) X(close) X(option) X(malloc) X(free) X(disasm_iter) X(insn_group) X(support) X(errno) X(strerror)

struct capstone {
#define X(name) __typeof__(cs_##name) *name;
	CAPSTONE_FUNCTIONS(X)
#undef X
};

struct hd_disassembler {
	struct capstone cs;
	csh handle;
	bool opened;
	cs_insn *insn;
	unsigned machine;
	unsigned unit;			/* size in bytes of an instruction that capstone does not know */
	bool big_endian;		/* byte order of the instructions */
	bool big_endian_data;
	int arm_mode;			/* EM_ARM only: capstone's mode for code that is not Thumb */
	bool thumb;			/* the handle decodes Thumb code */
};

/* Capstone's constants for the architectures that are disassembled. */
static const struct machine {
	unsigned em;
	cs_arch arch;
	int mode32, mode64;
	unsigned unit;
} machines[] = {
	{ EM_X86_64, CS_ARCH_X86, CS_MODE_64, CS_MODE_64, 1 },	/* x32 has 64-bit code */
	{ EM_386, CS_ARCH_X86, CS_MODE_32, CS_MODE_32, 1 },
	{ EM_AARCH64, CS_ARCH_ARM64, CS_MODE_ARM, CS_MODE_ARM, 4 },
	{ EM_ARM, CS_ARCH_ARM, CS_MODE_ARM, CS_MODE_ARM, 4 },
	{ EM_PPC, CS_ARCH_PPC, CS_MODE_32, CS_MODE_32, 4 },
	{ EM_PPC64, CS_ARCH_PPC, CS_MODE_64, CS_MODE_64, 4 },
	{ EM_S390, CS_ARCH_SYSZ, 0, 0, 2 },
	{ EM_MIPS, CS_ARCH_MIPS, CS_MODE_MIPS32, CS_MODE_MIPS64, 4 },
	{ EM_SPARCV9, CS_ARCH_SPARC, CS_MODE_V9, CS_MODE_V9, 4 },
#if CS_API_MAJOR >= 5
	{ EM_RISCV, CS_ARCH_RISCV, CS_MODE_RISCV32 | CS_MODE_RISCVC, CS_MODE_RISCV64 | CS_MODE_RISCVC, 2 },
#endif
};

static int load_library(struct capstone *cs, struct hd_err *err)
{
	const char *lacks;

#define X(name) "cs_" #name "\0"
	if (hd_library_load(SONAME, RTLD_LAZY | RTLD_LOCAL, CAPSTONE_FUNCTIONS(X), cs, &lacks))
#undef X
		return 0;
	if (lacks)
		return hd_fail(err, HD_EFORMAT, "%s has no function %s", SONAME, lacks);
	return hd_fail(err, HD_EFORMAT, "%s is not installed (Debian: libcapstone%d)", SONAME, CS_API_MAJOR);
}

static int open_handle(struct hd_disassembler *d, const struct machine *m, bool is64, bool intel, struct hd_err *err)
{
	int mode = (is64 ? m->mode64 : m->mode32) | (d->big_endian ? (int)CS_MODE_BIG_ENDIAN : CS_MODE_LITTLE_ENDIAN);
	cs_err rc = d->cs.open(m->arch, (cs_mode)mode, &d->handle);

	if (rc != CS_ERR_OK)
		return hd_fail(err, HD_EFORMAT, "%s: %s", SONAME, d->cs.strerror(rc));
	d->opened = true;
	d->arm_mode = mode;
	d->cs.option(d->handle, CS_OPT_DETAIL, CS_OPT_ON);
	if (m->arch == CS_ARCH_X86 && !intel)
		d->cs.option(d->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	d->insn = d->cs.malloc(d->handle);
	return d->insn ? 0 : hd_fail(err, HD_EIO, "%s: out of memory", SONAME);
}

int hd_disassembler_new(struct hd_disassembler **out, const struct hd_architecture *of, bool intel, struct hd_err *err)
{
	struct hd_disassembler *d = hd_new(struct hd_disassembler);
	int rc = load_library(&d->cs, err);

	*out = NULL;
	d->machine = of->machine;
	/* The instructions of AArch64 are little-endian even if the data are not. */
	d->big_endian = of->big_endian && !of->little_endian_code && of->machine != EM_AARCH64;
	d->big_endian_data = of->big_endian;
	if (rc >= 0)
		rc = hd_fail(err, HD_EFORMAT, "%s does not know this machine", SONAME);
	else
		goto out;
	for (size_t i = 0; i < HD_COUNT(machines); i++)
		if (machines[i].em == of->machine) {
			d->unit = machines[i].unit;
			rc = open_handle(d, &machines[i], of->is64, intel, err);
		}
out:
	if (rc >= 0)
		*out = d;
	else
		hd_disassembler_free(d);
	return rc;
}

void hd_disassembler_free(struct hd_disassembler *d)
{
	if (!d)
		return;
	if (d->insn)
		d->cs.free(d->insn, 1);
	if (d->opened)
		d->cs.close(&d->handle);
	free(d);
}

/*
 * capstone has no group for the jumps of s390x, so their mnemonics are tested: branches (b, brc, brct), relative jumps
 * (j, jne), and the jumps that compare first (crj, clgij).  Other comparisons, such as chi, have no j.
 */
static bool is_s390_jump(const char *mnemonic)
{
	return *mnemonic == 'b' || *mnemonic == 'j' || (*mnemonic == 'c' && strchr(mnemonic, 'j'));
}

/* Set *target to the address that a jump or call leads to: its last immediate operand.  Returns false without one. */
static bool target_of(const struct hd_disassembler *d, uint64_t *target)
{
	const cs_detail *detail = d->insn->detail;
	bool found = false;

	/* Each architecture has a struct of operands; the members used here have the same names in all of them. */
#define LAST_IMMEDIATE(arch, IMM)						\
	for (unsigned i = 0; i < detail->arch.op_count; i++)			\
		if (detail->arch.operands[i].type == IMM) {			\
			*target = (uint64_t)(int64_t)detail->arch.operands[i].imm;	\
			found = true;						\
		}
	switch (d->machine) {
	case EM_X86_64: case EM_386: LAST_IMMEDIATE(x86, X86_OP_IMM) break;
	case EM_AARCH64: LAST_IMMEDIATE(arm64, ARM64_OP_IMM) break;
	case EM_ARM: LAST_IMMEDIATE(arm, ARM_OP_IMM) break;
	case EM_PPC: case EM_PPC64: LAST_IMMEDIATE(ppc, PPC_OP_IMM) break;
	case EM_S390: LAST_IMMEDIATE(sysz, SYSZ_OP_IMM) break;
	case EM_MIPS: LAST_IMMEDIATE(mips, MIPS_OP_IMM) break;
#if CS_API_MAJOR >= 5
	case EM_RISCV:			/* the operand is an offset from the instruction's address */
		LAST_IMMEDIATE(riscv, RISCV_OP_IMM)
		*target += d->insn->address;
		break;
#endif
	default: break;
	}
#undef LAST_IMMEDIATE
	return found;
}

/* Decode `unit` bytes, 1, 2 or 4, as a number. */
static void set_number(const uint8_t *bytes, unsigned unit, bool big_endian, struct hd_decoded *out)
{
	uint64_t value = 0;

	out->size = unit;
	for (unsigned i = 0; i < unit; i++)
		value |= (uint64_t)bytes[i] << 8 * (big_endian ? unit - 1 - i : i);
	snprintf(out->text, sizeof(out->text), "%-6s 0x%0*llx", unit == 4 ? ".word" : unit == 2 ? ".short" : ".byte",
		(int)(2 * unit), (unsigned long long)value);
}

static void set_unknown(const struct hd_disassembler *d, const uint8_t *code, size_t n, struct hd_decoded *out)
{
	unsigned unit = d->thumb ? 2 : d->unit;

	set_number(code, unit <= n ? unit : 1, d->big_endian, out);
	if (d->machine == EM_X86_64 || d->machine == EM_386)
		snprintf(out->text, sizeof(out->text), "(bad)");
}

/* Decode data between instructions: the largest number that is aligned at `vaddr`. */
static void set_data(const struct hd_disassembler *d, const uint8_t *bytes, size_t n, uint64_t vaddr,
	struct hd_decoded *out)
{
	unsigned unit = vaddr % 4 == 0 && n >= 4 ? 4 : vaddr % 2 == 0 && n >= 2 ? 2 : 1;

	set_number(bytes, unit, d->big_endian_data, out);
}

static void set_thumb(struct hd_disassembler *d, bool thumb)
{
	if (d->machine != EM_ARM || d->thumb == thumb)
		return;
	d->cs.option(d->handle, CS_OPT_MODE, (size_t)(d->arm_mode | (thumb ? (int)CS_MODE_THUMB : 0)));
	d->thumb = thumb;
}

void hd_disassembler_next(struct hd_disassembler *d, const uint8_t *code, size_t n, uint64_t vaddr,
	enum hd_code_mode mode, struct hd_decoded *out)
{
	const uint8_t *at = code;
	size_t left = n;

	*out = (struct hd_decoded){ 0 };
	if (mode == HD_CODE_DATA) {
		set_data(d, code, n, vaddr, out);
		return;
	}
	set_thumb(d, mode == HD_CODE_THUMB);
	if (!d->cs.disasm_iter(d->handle, &at, &left, &vaddr, d->insn) || !d->insn->size) {
		set_unknown(d, code, n, out);
		return;
	}
	out->size = d->insn->size;
	out->call = d->cs.insn_group(d->handle, d->insn, CS_GRP_CALL);
	/* On some architectures the group of jumps also contains calls, so these are excluded first. */
	out->jump = !out->call && (d->machine == EM_S390 ? is_s390_jump(d->insn->mnemonic) :
		d->cs.insn_group(d->handle, d->insn, CS_GRP_JUMP));
	if ((out->call || out->jump) && !target_of(d, &out->target))
		out->call = out->jump = false;
	snprintf(out->text, sizeof(out->text), *d->insn->op_str ? "%-6s %s" : "%s", d->insn->mnemonic, d->insn->op_str);
}

#else	/* without capstone */

int hd_disassembler_new(struct hd_disassembler **out, const struct hd_architecture *of, bool intel, struct hd_err *err)
{
	(void)of, (void)intel;
	*out = NULL;
	return hd_fail(err, HD_EFORMAT, "hotdrift was built without capstone (Debian: libcapstone-dev)");
}

void hd_disassembler_free(struct hd_disassembler *d)
{
	(void)d;
}

void hd_disassembler_next(struct hd_disassembler *d, const uint8_t *code, size_t n, uint64_t vaddr,
	enum hd_code_mode mode, struct hd_decoded *out)
{
	(void)d, (void)code, (void)n, (void)vaddr, (void)mode;
	*out = (struct hd_decoded){ .size = 1 };
}

#endif
