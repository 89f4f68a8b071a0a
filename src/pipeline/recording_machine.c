/*
 * recording_machine.c - see recording_machine.h
 */
#include "pipeline/recording_machine.h"

#include <linux/perf_event.h>

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

const char *hd_recording_machine_by_regs(const struct hd_perf_attr *attrs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (attrs[i].sample_type & PERF_SAMPLE_REGS_USER && attrs[i].regs_user)
			return of_mask(attrs[i].regs_user);
	return NULL;
}

const char *hd_recording_machine_by_files(const struct hd_locator *l, uint32_t nobjects)
{
	for (uint32_t i = 1; i < nobjects; i++) {
		const struct hd_symobj *so;
		const char *name;
		uint32_t object;

		if (!hd_locator_object(l, i, &object, &so) || !so)
			continue;
		name = hd_object_machine(so);
		if (name)
			return name;
	}
	return NULL;
}
