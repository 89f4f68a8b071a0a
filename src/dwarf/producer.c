/*
 * producer.c - see producer.h
 */
#include "dwarf/producer.h"

#include "base/file.h"
#include "base/mem.h"
#include "dwarf/dwarf_file.h"
#include "elf/debug_section.h"
#include "elf/elf_file.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { UNITS = 1000, LONGEST = 1000 };

static char *of_unit(struct hd_dwarf_unit *u)
{
	char text[LONGEST];
	struct hd_form_value v;
	struct hd_die d;
	unsigned name;
	char *producer = NULL;

	if (u->language == DW_LANG_Mips_Assembler || !hd_die_open(&d, u, u->h.first))
		return NULL;
	while (!producer && hd_die_next(&d, &name, &v))
		if (name == DW_AT_producer && *hd_dwarf_unit_string(u, &v, text, sizeof(text)))
			producer = hd_strdup(text);
	hd_die_close(&d);
	return producer;
}

static char *of_file(struct hd_elf *e)
{
	struct hd_dwarf_file f = { 0 };
	char *producer = NULL;

	hd_dwarf_file_take(&f, e, "");
	hd_dwarf_file_budget(&f);
	hd_dwarf_file_list(&f);
	for (size_t i = 0; i < f.nstarts && i < UNITS && !producer; i++) {
		struct hd_dwarf_unit *u = hd_dwarf_file_unit(&f, f.starts[i]);

		producer = u ? of_unit(u) : NULL;
	}
	hd_dwarf_file_release(&f);
	return producer;
}

char *hd_producer_read(const char *path, const char *build_id)
{
	char hex[2 * HD_ELF_BUILD_ID + 1];
	struct hd_err err = { 0 };
	struct hd_elf *e = NULL;
	int fd = hd_file_open_untrusted(NULL, path, INT64_MAX, &err);
	char *producer = NULL;

	if (fd < 0 || hd_elf_open(&e, fd, path, NULL, &err) < 0)
		return NULL;
	hd_build_id_hex(e->build_id, e->build_id_len, hex);
	if ((!build_id || !*build_id || !*hex || !strcmp(hex, build_id)) && hd_debug_sections_check(e, NULL) >= 0)
		producer = of_file(e);
	hd_elf_close(e);
	return producer;
}
