/*
 * module_layout.h - where a kernel module's sections go when it is loaded
 *
 * A .ko is relocatable: its sections have no addresses.  The kernel puts the
 * executable ones one after another, in the order of the file, each aligned,
 * the .init ones apart (and later freed).  So an address is told by its
 * distance from the module's base.
 */
#ifndef HD_ELF_MODULE_LAYOUT_H
#define HD_ELF_MODULE_LAYOUT_H

#include "elf/elf_file.h"

struct hd_module_layout {
	const struct hd_elf *e;
	uint64_t *base;		/* by section; UINT64_MAX: not in the module's core */
};

void hd_module_layout_init(struct hd_module_layout *l, const struct hd_elf *e);
void hd_module_layout_release(struct hd_module_layout *l);

/* From an offset in sec to one from the module's base; *limit becomes the section's end there. */
bool hd_module_layout_place(const struct hd_module_layout *l, const struct hd_elf_section *sec, uint64_t *start,
	uint64_t *limit);

#endif
