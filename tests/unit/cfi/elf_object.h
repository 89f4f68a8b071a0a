/*
 * elf_object.h - read the call frame information of an ELF file
 */
#ifndef HD_TESTS_UNIT_CFI_ELF_OBJECT_H
#define HD_TESTS_UNIT_CFI_ELF_OBJECT_H

#include "cfi_test.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

struct object {
	int fd;
	Elf *elf;
	struct hd_cfi_sections in;
};

unused_ok static void object_close(struct object *o)
{
	elf_end(o->elf);
	if (o->fd >= 0)
		close(o->fd);
	*o = (struct object){ .fd = -1 };
}

/* Read a file.  Returns false if it cannot be read, or if enum hd_cfi_machine lacks its architecture. */
unused_ok static bool object_open(struct object *o, const char *path)
{
	GElf_Ehdr ehdr;
	Elf_Scn *scn = NULL;
	size_t names;

	*o = (struct object){ .fd = open(path, O_RDONLY | O_CLOEXEC) };
	elf_version(EV_CURRENT);
	if (o->fd >= 0)
		o->elf = elf_begin(o->fd, ELF_C_READ_MMAP, NULL);
	if (!o->elf || !gelf_getehdr(o->elf, &ehdr) || elf_getshdrstrndx(o->elf, &names) < 0)
		goto no;
	switch (ehdr.e_machine) {
	case EM_X86_64:	 o->in.machine = HD_CFI_X86_64; break;
	case EM_386:	 o->in.machine = HD_CFI_I386; break;
	case EM_AARCH64: o->in.machine = HD_CFI_AARCH64; break;
	case EM_ARM:	 o->in.machine = HD_CFI_ARM; break;
	default:	 goto no;
	}
	o->in.swap = ehdr.e_ident[EI_DATA] != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
	while ((scn = elf_nextscn(o->elf, scn))) {
		struct hd_cfi_section *to = NULL;
		const char *name;
		GElf_Shdr sh;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || !(name = elf_strptr(o->elf, names, sh.sh_name)))
			continue;
		if (!strcmp(name, ".text"))
			o->in.text_vaddr = sh.sh_addr;
		else if (!strcmp(name, ".got"))
			o->in.got_vaddr = sh.sh_addr;
		else if (!strcmp(name, ".eh_frame"))
			to = &o->in.eh_frame;
		else if (!strcmp(name, ".eh_frame_hdr"))
			to = &o->in.eh_frame_hdr;
		else if (!strcmp(name, ".debug_frame"))
			to = &o->in.debug_frame;
		if (!to || sh.sh_type == SHT_NOBITS)
			continue;
		if (sh.sh_flags & SHF_COMPRESSED)
			elf_compress(scn, 0, 0);
		data = elf_getdata(scn, NULL);
		if (data && data->d_buf)
			*to = (struct hd_cfi_section){ data->d_buf, data->d_size, sh.sh_addr };
	}
	return true;
no:
	object_close(o);
	return false;
}

#endif
