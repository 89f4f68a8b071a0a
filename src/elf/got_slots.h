/*
 * got_slots.h - which symbol each slot of the global offset table is for
 */
#ifndef HD_ELF_GOT_SLOTS_H
#define HD_ELF_GOT_SLOTS_H

#include "elf/elf_file.h"

struct hd_got_slot {
	uint64_t addr;		/* of the slot */
	uint64_t target;	/* IRELATIVE: the resolver, else 0 */
	const char *name;	/* borrowed from `names`; NULL: none */
	uint32_t seq;
};

struct hd_got_slots {
	struct hd_got_slot *v;	/* by address */
	size_t n, cap;
	const char **plt;	/* names of the PLT's relocations in the order of the file */
	size_t nplt, plt_cap;
	uint8_t *syms;		/* the dynamic symbols as they are in the file */
	char *names;
	size_t nsyms, nnames;	/* bytes */
};

/* Read the relocations of .rela.plt and .rela.dyn (or .rel.*). */
void hd_got_slots_read(struct hd_got_slots *g, struct hd_elf *e);
void hd_got_slots_release(struct hd_got_slots *g);
const struct hd_got_slot *hd_got_slot_find(const struct hd_got_slots *g, uint64_t addr);

#endif
