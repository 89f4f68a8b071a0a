/*
 * dwarf.c - write hostile names into debug information: source files, their folder, inlined functions
 *
 *     OUT/root/dwarf   an ELF file with DWARF 4; function i is 16 bytes at TEXT_AT + 16 i (i >= 0)
 *     line.data        a recording of this file; the line of function i is in a source file of name i
 *     inline.data      another one; a function of name i is inlined at the first 8 bytes of function i.
 *                      The name is its DW_AT_name, or for odd i its linkage name.
 *
 * The unit's DW_AT_comp_dir and DW_AT_name are the first name of the list.
 */
#include "plants.h"

#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

static void put8(struct bytes *b, unsigned int v)
{
	char c = (char)v;

	put(b, &c, 1);
}

static void leb(struct bytes *b, uint64_t v)
{
	do {
		put8(b, (v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		v >>= 7;
	} while (v);
}

static void patch32(struct bytes *b, size_t at)
{
	uint32_t n = (uint32_t)(b->n - at - 4);

	memcpy(b->p + at, &n, 4);
}

static void abbrev(struct bytes *b, unsigned int code, unsigned int tag, bool children, const unsigned int *pairs)
{
	leb(b, code);
	leb(b, tag);
	put8(b, children);
	for (; *pairs; pairs += 2) {
		leb(b, pairs[0]);
		leb(b, pairs[1]);
	}
	put16(b, 0);
}

enum { UNIT = 1, ABSTRACT, ABSTRACT_LINKAGE, CONCRETE, INLINED };

static void abbrevs(struct bytes *b)
{
	static const unsigned int unit[] = { DW_AT_name, DW_FORM_string, DW_AT_comp_dir, DW_FORM_string, DW_AT_low_pc,
		DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8, DW_AT_stmt_list, DW_FORM_sec_offset, 0 };
	static const unsigned int abstract[] = { DW_AT_name, DW_FORM_string, DW_AT_inline, DW_FORM_data1, 0 };
	static const unsigned int linkage[] = { DW_AT_linkage_name, DW_FORM_string, DW_AT_inline, DW_FORM_data1, 0 };
	static const unsigned int concrete[] = { DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
		DW_FORM_data8, 0 };
	static const unsigned int inlined[] = { DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr,
		DW_AT_high_pc, DW_FORM_data8, DW_AT_call_file, DW_FORM_data2, DW_AT_call_line, DW_FORM_data1, 0 };

	abbrev(b, UNIT, DW_TAG_compile_unit, true, unit);
	abbrev(b, ABSTRACT, DW_TAG_subprogram, false, abstract);
	abbrev(b, ABSTRACT_LINKAGE, DW_TAG_subprogram, false, linkage);
	abbrev(b, CONCRETE, DW_TAG_subprogram, true, concrete);
	abbrev(b, INLINED, DW_TAG_inlined_subroutine, false, inlined);
	put8(b, 0);
}

static void info(struct bytes *b, const struct name *names, size_t n)
{
	uint32_t *origin = calloc(n + 1, sizeof(*origin));

	if (!origin)
		die("no memory", "origins");
	put32(b, 0);
	put16(b, 4);
	put32(b, 0);
	put8(b, 8);
	leb(b, UNIT);
	put(b, names[0].raw.p, strlen(names[0].raw.p) + 1);
	put(b, names[0].raw.p, strlen(names[0].raw.p) + 1);
	put64(b, TEXT_AT);
	put64(b, TEXT_BYTES);
	put32(b, 0);
	for (size_t i = 0; i < n; i++) {
		if (!fits("inline", &names[i]))
			continue;
		origin[i] = (uint32_t)b->n;
		leb(b, i % 2 ? ABSTRACT_LINKAGE : ABSTRACT);
		put(b, names[i].raw.p, names[i].raw.n + 1);
		put8(b, DW_INL_inlined);
	}
	for (size_t i = 0; i < n; i++) {
		if (!fits("inline", &names[i]))
			continue;
		leb(b, CONCRETE);
		put(b, "outer", 6);
		put64(b, TEXT_AT + STEP * i);
		put64(b, STEP);
		leb(b, INLINED);
		put32(b, origin[i]);
		put64(b, TEXT_AT + STEP * i);
		put64(b, STEP / 2);
		put16(b, 1);
		put8(b, 1);
		put8(b, 0);
	}
	put8(b, 0);
	patch32(b, 0);
	free(origin);
}

/* Write a row for each function.  File i + 1 has name i and no folder. */
static void lines(struct bytes *b, const struct name *names, size_t n)
{
	static const char lengths[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1 };
	size_t header;

	put32(b, 0);
	put16(b, 4);
	header = b->n;
	put32(b, 0);
	put(b, "\1\1\1\xfb\x0e\x0a", 6);
	put(b, lengths, sizeof(lengths));
	put8(b, 0);		/* no folders */
	for (size_t i = 0; i < n; i++) {
		/* An empty name, or one with a NUL, is replaced, because an empty name ends the table. */
		if (fits("line", &names[i]))
			put(b, names[i].raw.p, names[i].raw.n + 1);
		else
			put(b, "none", 5);
		put(b, "\0\0", 3);
	}
	put8(b, 0);
	patch32(b, header);
	put(b, "\0\x09\2", 3);
	put64(b, TEXT_AT);
	for (size_t i = 0; i < n; i++) {
		put8(b, DW_LNS_set_file);
		leb(b, i + 1);
		put8(b, DW_LNS_copy);
		put8(b, DW_LNS_advance_pc);
		leb(b, STEP);
	}
	put(b, "\0\1\1", 3);	/* DW_LNE_end_sequence */
	patch32(b, 0);
}

static void write_program(const char *dir, const struct name *names, size_t n)
{
	static const char section_names[] =
		"\0.text\0.symtab\0.strtab\0.shstrtab\0.debug_info\0.debug_abbrev\0.debug_line";
	static const char strings[] = "\0outer";
	Elf64_Ehdr head = { .e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_phoff = sizeof(head),
			    .e_ehsize = sizeof(head), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
			    .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 8, .e_shstrndx = 4 };
	Elf64_Phdr load = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = TEXT_AT, .p_vaddr = TEXT_AT,
			    .p_filesz = TEXT_BYTES, .p_memsz = TEXT_BYTES, .p_align = 0x1000 };
	Elf64_Sym symbols[2] = { { 0 }, { .st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1,
					  .st_value = TEXT_AT, .st_size = TEXT_BYTES } };
	Elf64_Shdr s[8] = { { 0 } };
	struct bytes b = { 0 }, part[8] = { { 0 } };

	memcpy(head.e_ident, ELFMAG "\2\1\1", 7);
	put(&b, &head, sizeof(head));
	put(&b, &load, sizeof(load));
	pad(&b, TEXT_AT);
	for (size_t i = 0; i < TEXT_BYTES; i++)
		put(&b, "\xc3", 1);
	put(&part[2], symbols, sizeof(symbols));
	put(&part[3], strings, sizeof(strings));
	put(&part[4], section_names, sizeof(section_names));
	info(&part[5], names, n);
	abbrevs(&part[6]);
	lines(&part[7], names, n);
	s[1] = (Elf64_Shdr){ .sh_name = 1,
		.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_addr = TEXT_AT,
		.sh_offset = TEXT_AT,
		.sh_size = TEXT_BYTES,
		.sh_addralign = 16 };
	s[2] = (Elf64_Shdr){ .sh_name = 7,
		.sh_type = SHT_SYMTAB,
		.sh_link = 3,
		.sh_info = 1,
		.sh_entsize = sizeof(symbols[0]) };
	s[3] = (Elf64_Shdr){ .sh_name = 15, .sh_type = SHT_STRTAB };
	s[4] = (Elf64_Shdr){ .sh_name = 23, .sh_type = SHT_STRTAB };
	s[5] = (Elf64_Shdr){ .sh_name = 33, .sh_type = SHT_PROGBITS };
	s[6] = (Elf64_Shdr){ .sh_name = 45, .sh_type = SHT_PROGBITS };
	s[7] = (Elf64_Shdr){ .sh_name = 59, .sh_type = SHT_PROGBITS };
	for (int i = 2; i < 8; i++) {
		pad(&b, 8);
		s[i].sh_offset = b.n;
		s[i].sh_size = part[i].n;
		s[i].sh_addralign = 1;
		put(&b, part[i].p, part[i].n);
		free(part[i].p);
	}
	pad(&b, 8);
	head.e_shoff = b.n;
	memcpy(b.p, &head, sizeof(head));
	put(&b, s, sizeof(s));
	save(dir, "root/dwarf", &b);
	free(b.p);
}

void plant_dwarf(const char *dir, const struct name *names, size_t n)
{
	static const char *const plants[] = { "line", "inline" };

	write_program(dir, names, n);
	for (int k = 0; k < 2; k++) {
		struct bytes data = { 0 };

		comm(&data, PID, &app);
		map(&data, PID, BASE, TEXT_BYTES, TEXT_AT, "/dwarf", 6);
		for (size_t i = 0; i < n; i++)
			if (fits(plants[k], &names[i]))
				samples(&data, i + 1, 1, PID, BASE + STEP * i);
		write_recording(dir, k ? "inline.data" : "line.data", 1, &data, NULL, 0);
		write_want(dir, plants[k], names, n);
		free(data.p);
	}
}
