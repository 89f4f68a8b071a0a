/*
 * altfile.h - the alternate file: what several debug files have in common, moved there by dwz
 *
 *     .gnu_debugaltlink     NAME, NUL, the build-id of the file
 *     .debug_sup            version 2, is_supplementary 1, NAME, NUL, length LEB128, a checksum: DWARF 5
 *
 * NAME is relative to the folder of the file that says it.  Looked for there, as
 * /usr/lib/debug/.dwz/NAME, and by its build-id; taken only when the build-id or
 * the checksum is the one that is asked for.
 */
#ifndef HD_DWARF_ALTFILE_H
#define HD_DWARF_ALTFILE_H

#include "dwarf/dwarf_file.h"
#include "dwarf/dwarf_source.h"

/* Zero-initialise. */
struct hd_altfile {
	struct hd_elf *e;
	struct hd_dwarf_file f;
	char problem[256];		/* one clause why there is none, or "" */
	bool tried;
};

/* The alternate file of e, the object's file with the DWARF; NULL without one. */
struct hd_dwarf_file *hd_altfile_find(struct hd_altfile *a, const struct hd_dwarf_source *src, const struct hd_elf *e);
void hd_altfile_release(struct hd_altfile *a);

#endif
