/*
 * power_overlap.h - decide which power domains are added to a total: some domains contain others
 *
 *     psys            contains the packages: counts only if there is none
 *     core, uncore    are inside their package: count only if there is neither a package nor psys
 *     dram            is beside the package: listed, never added
 *     intel-rapl-mmio repeats intel-rapl: counts only where that has no domain of the same name
 *     battery         feeds the whole machine: counts only if there is nothing else
 *     hwmon           gpu-* is a graphics card and counts.  part-* is a part of a card and never counts.  package-* and
 *                     core-* count as above, but not if another source has a package.  Any other sensor is a rail,
 *                     which counts only if nothing else does
 *
 * Names are those of power.csv: a domain is one of these words, alone or followed by a character that is not a letter
 * ("package-0", "core-1").  The rules for RAPL follow Documentation/power/powercap/powercap.rst of the Linux kernel.
 */
#ifndef HD_TRACK_POWER_OVERLAP_H
#define HD_TRACK_POWER_OVERLAP_H

#include <stddef.h>

struct hd_power_overlap {
	const char *source, *domain;	/* NULL: a series without names */
	const char *why_not;		/* set: NULL if it counts, else a constant text: "inside the package" */
};

/* set by the function: NULL if the domain counts, else a constant text: "inside the package" */
void hd_power_overlap_resolve(struct hd_power_overlap *d, size_t n);

#endif
