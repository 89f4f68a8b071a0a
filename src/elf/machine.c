/*
 * machine.c - see machine.h
 */
#include "elf/machine.h"

#include "base/mem.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif

/*
 * The architectures by family.  hd_machine_runs() compares families, because a 64-bit machine runs the 32-bit code of
 * its family, and setarch makes it report the 32-bit name.  A name stands for all that start with it (arm: armv7l).
 */
static const struct row {
	unsigned em;
	const char *name;
	unsigned family;
} rows[] = {
	{ EM_X86_64, "x86_64", 1 }, { EM_386, "i386", 1 }, { EM_386, "i486", 1 }, { EM_386, "i586", 1 },
	{ EM_386, "i686", 1 },
	{ EM_X86_64, "amd64", 1 }, { EM_AARCH64, "aarch64", 2 }, { EM_ARM, "arm", 2 }, { EM_RISCV, "riscv", 3 },
	{ EM_PPC64, "ppc64", 4 }, { EM_PPC, "ppc", 4 }, { EM_S390, "s390", 5 }, { EM_MIPS, "mips", 6 },
	{ EM_LOONGARCH, "loongarch", 7 }, { EM_SPARCV9, "sparc64", 8 }, { EM_SPARC, "sparc", 8 },
};

const char *hd_machine_name(unsigned em)
{
	for (size_t i = 0; i < HD_COUNT(rows); i++)
		if (rows[i].em == em)
			return rows[i].name;
	return NULL;
}

bool hd_machine_runs(const char *uname, unsigned em)
{
	unsigned machine = 0, code = 0;

	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		if (uname && !machine && !strncmp(uname, rows[i].name, strlen(rows[i].name)))
			machine = rows[i].family;
		if (!code && rows[i].em == em)
			code = rows[i].family;
	}
	return !machine || !code || machine == code;
}
