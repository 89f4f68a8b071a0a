/* got_slots.h - find the symbol of each slot of the global offset table */
#ifndef HD_ELF_GOT_SLOTS_H
#define HD_ELF_GOT_SLOTS_H

#include "elf/elf_file.h"

struct hd_got_slot {
	uint64_t addr;		/* address of the slot */
	uint64_t target;	/* for an IRELATIVE relocation: address of the resolver function; else 0 */
	const char *name;	/* borrowed from `names`; NULL: none */
	uint32_t seq;
};

struct hd_got_slots {
	struct hd_got_slot *v;	/* sorted by address */
	size_t n, cap;
	const char **plt;	/* the names of the PLT relocations in file order; NULL: no name */
	size_t nplt, plt_cap;
	uint8_t *syms;		/* the dynamic symbols, as in the file */
	char *names;
	size_t nsyms, nnames;	/* in bytes */
};

/*
 * Read the relocations of .rela.plt, .rela.dyn and .rela.iplt (or .rel.*) that fill slots through which PLT stubs can
 * jump.  Zero-initialise `g`, and release it with hd_got_slots_release().  Faults are recorded with hd_elf_damaged().
 */
void hd_got_slots_read(struct hd_got_slots *g, struct hd_elf *e);
void hd_got_slots_release(struct hd_got_slots *g);
/* Return the slot at an address; NULL if there is none. */
const struct hd_got_slot *hd_got_slot_find(const struct hd_got_slots *g, uint64_t addr);

#endif
