/*
 * power_overlap.h - decide which power domains are added to a total: some domains contain others
 *
 * Domains by name, of any source:
 *
 *     psys            contains the packages: counts only if no source has one
 *     core, uncore    are inside their package: count only if there is neither a package nor psys
 *     dram            is beside the package: listed, never added
 *
 * Rules for the sources:
 *
 *     intel-rapl-mmio repeats intel-rapl: a domain counts only if no other source has a domain of the same name
 *     battery         feeds the whole machine: counts only if there is nothing else
 *     hwmon           gpu-* is a graphics card and counts.  part-* is a part of a card and never counts.  package-* and
 *                     core-* are a package and cores, but a package counts only if no other source has one.  Any
 *                     other sensor is a rail: it counts only if everything else is a rail, a battery or the source
 *                     "constant" (a given number of watts, see power.h)
 *
 * Names are those of power.csv: one of these words, alone or followed by a character that is not a letter
 * ("package-0", "core-1").  The rules for RAPL follow Documentation/power/powercap/powercap.rst of the Linux kernel.
 */
#ifndef HD_TRACK_POWER_OVERLAP_H
#define HD_TRACK_POWER_OVERLAP_H

#include <stddef.h>

struct hd_power_overlap {
	const char *source, *domain;	/* NULL: a series without names */
	/* set by the function: NULL if the domain counts; otherwise a constant text: "inside the package" */
	const char *why_not;
};

/* Set `why_not` of the n domains, which must be all domains whose energy could be added. */
void hd_power_overlap_resolve(struct hd_power_overlap *d, size_t n);

#endif
