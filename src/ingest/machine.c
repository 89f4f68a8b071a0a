/*
 * machine.c - see machine.h
 */
#include "ingest/machine.h"

#include "base/mem.h"

#include <elf.h>
#include <linux/perf_event.h>

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif

/* Masks as perf asks for them (arch/.../include/uapi/asm/perf_regs.h): their highest register, and what is left out. */
static const char *of_mask(uint64_t mask)
{
	unsigned top = 63 - (unsigned)__builtin_clzll(mask);

	mask &= ~(UINT64_C(1) << 46);		/* aarch64's vector length */
	if (top == 46)
		top = 32;
	if (top == 32 && (mask >> 31 & 3) == 3)
		return "aarch64";
	if (mask == 0xffff)
		return "arm";
	if (top <= 23 && top >= 16 && !(mask & 0xf000))
		return "x86_64";
	return top <= 11 ? "i386" : "unknown";
}

const char *hd_machine_by_regs(const struct hd_perf_attr *attrs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (attrs[i].sample_type & PERF_SAMPLE_REGS_USER && attrs[i].regs_user)
			return of_mask(attrs[i].regs_user);
	return NULL;
}

static const char *of_elf(unsigned machine)
{
	static const struct { unsigned machine; const char *name; } rows[] = {
		{ EM_X86_64, "x86_64" }, { EM_386, "i386" }, { EM_AARCH64, "aarch64" }, { EM_ARM, "arm" }, { EM_RISCV, "riscv" },
		{ EM_PPC64, "ppc64" }, { EM_PPC, "ppc" }, { EM_S390, "s390x" }, { EM_MIPS, "mips" }, { EM_LOONGARCH, "loongarch" },
		{ EM_SPARCV9, "sparc64" },
	};

	for (size_t i = 0; i < HD_COUNT(rows); i++)
		if (rows[i].machine == machine)
			return rows[i].name;
	return NULL;
}

const char *hd_machine_by_files(const struct hd_locator *l, uint32_t nobjects)
{
	for (uint32_t i = 1; i < nobjects; i++) {
		const struct hd_symobj *so;
		const char *name;
		uint32_t object;

		if (!hd_locator_object(l, i, &object, &so) || !so)
			continue;
		name = of_elf(hd_object_machine(so));
		if (name)
			return name;
	}
	return NULL;
}
