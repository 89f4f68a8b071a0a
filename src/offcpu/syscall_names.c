/*
 * syscall_names.c - see syscall_names.h
 */
#include "offcpu/syscall_names.h"

#include "base/mem.h"

#include <seccomp.h>
#include <stdlib.h>
#include <string.h>

static uint32_t arch_of(const char *machine)
{
	static const struct { const char *machine; uint32_t arch; } archs[] = {
		{ "x86_64", SCMP_ARCH_X86_64 }, { "aarch64", SCMP_ARCH_AARCH64 }, { "i386", SCMP_ARCH_X86 },
		{ "i686", SCMP_ARCH_X86 },
		{ "arm", SCMP_ARCH_ARM }, { "armv7l", SCMP_ARCH_ARM }, { "riscv64", SCMP_ARCH_RISCV64 },
		{ "s390x", SCMP_ARCH_S390X },
		{ "ppc64le", SCMP_ARCH_PPC64LE }, { "ppc64", SCMP_ARCH_PPC64 }, { "mips64", SCMP_ARCH_MIPS64 },
		{ "mips", SCMP_ARCH_MIPS },
	};

	for (size_t i = 0; machine && i < HD_COUNT(archs); i++)
		if (!strcmp(archs[i].machine, machine))
			return archs[i].arch;
	return machine ? 0 : seccomp_arch_native();
}

const char *hd_syscall_name(const char *machine, int32_t number, struct hd_buf *out)
{
	uint32_t arch = arch_of(machine);
	char *name = arch && number >= 0 ? seccomp_syscall_resolve_num_arch(arch, number) : NULL;

	if (name)
		hd_buf_adds(out, name);
	else
		hd_buf_addf(out, "syscall %d", (int)number);
	free(name);
	return hd_buf_str(out);
}

const char *hd_syscall_error(unsigned number)
{
	const char *name;

	if (!number)
		return "ok";
	name = strerrorname_np((int)number);
	return name ? name : "error";	/* internal errors of the kernel such as ERESTARTSYS have no name */
}
