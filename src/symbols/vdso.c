/*
 * vdso.c - load the vdso, a library that the kernel maps into every process
 *
 * The vdso is not in any file.  The vdso of this process is used if it has the recorded build-id.  If no build-id was
 * recorded, it is used if the recording was made on this machine.  perf's build-id cache may contain the vdso of other
 * kernels.
 */
#include "symbols/local_object.h"

#include "base/mem.h"
#include "symbols/embedded.h"
#include "elf/debugfile.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

enum { VDSO_MAX = 1 << 20 };

/*
 * Open a copy of the vdso of this process, so that the ELF reader cannot read beyond the mapping.  Another copy stays
 * in o->image for readers of the object's code.
 */
static struct hd_elf *own_vdso(struct hd_local_object *o)
{
	const uint8_t *at = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	struct hd_elf *e = NULL;
	size_t size = 0;
	ElfW(Ehdr) eh;

	if (!at)
		return NULL;
	/* The image ends with its section headers.  The kernel made it, so its header is trusted. */
	memcpy(&eh, at, sizeof(eh));
	size = (size_t)eh.e_shoff + (size_t)eh.e_shentsize * eh.e_shnum;
	if (size < sizeof(eh) || size > VDSO_MAX)
		return NULL;
	o->image = hd_alloc(size);
	memcpy(o->image, at, size);
	o->image_size = size;
	if (hd_elf_open_memory(&e, memcpy(hd_alloc(size), at, size), size, "[vdso]", NULL) < 0)
		return NULL;
	return e;
}

struct hd_elf *hd_vdso_open_code(struct hd_local_object *o)
{
	struct hd_debugfile_query q = hd_local_debugfile_query(o);
	struct hd_file_ref place = { 0 };
	struct hd_elf *e = NULL;
	int fd;

	if (!strcmp(o->path, "[vdso]"))
		e = own_vdso(o);
	if (e && !(hd_local_has_build_id(o) ? hd_local_is_build(o, e) : o->ls->opts.same_machine)) {
		hd_elf_close(e);
		e = NULL;
	}
	if (!e) {
		free(o->image);
		o->image = NULL;
		fd = hd_buildid_cache_open(&q, "vdso", &place);
		if (fd >= 0 && hd_elf_open(&e, fd, place.path, o->ls->log, NULL) >= 0 && hd_local_is_build(o, e)) {
			hd_file_ref_move(&o->files.code, &place);
		} else {
			hd_elf_close(e);
			e = NULL;
		}
	}
	hd_file_ref_release(&place);
	if (!e)
		hd_local_set_problem(o,
			"the running kernel's vdso is not the recorded one, and perf's cache does not contain it");
	return e;
}

void hd_vdso_load(struct hd_local_object *o)
{
	struct hd_elf *e = hd_vdso_open_code(o);

	o->by_offset = true;
	if (e)
		hd_binary_load_elf(o, e);
	else
		hd_embedded_load(o);
	hd_elf_close(e);
}
