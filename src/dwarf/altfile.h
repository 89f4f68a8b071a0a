/*
 * altfile.h - find the alternate file, into which dwz moves what several debug files have in common
 *
 *     .gnu_debugaltlink     NAME, NUL, the build-id of the file
 *     .debug_sup            version (2 bytes), is_supplementary (1), NAME, NUL, length (LEB128), a checksum (DWARF 5)
 *
 * NAME is absolute, or relative to the folder of the referring file.  The file is searched for under NAME, in
 * /usr/lib/debug/.dwz/ under the last component of NAME, and, for .gnu_debugaltlink, by its build-id in
 * /usr/lib/debug/.build-id/.  It is used only if its build-id or checksum matches.
 */
#ifndef HD_DWARF_ALTFILE_H
#define HD_DWARF_ALTFILE_H

#include "dwarf/dwarf_file.h"
#include "dwarf/dwarf_source.h"

/* Zero-initialise. */
struct hd_altfile {
	struct hd_elf *e;
	struct hd_dwarf_file f;
	char problem[256];		/* the reason why there is no file, as a clause; or "" */
	bool tried;
};

/*
 * Open the alternate file that `e` refers to; `e` is the file with the object's DWARF.  Returns NULL if there is none.
 * `a` owns the result.  Later calls return the same result.
 */
struct hd_dwarf_file *hd_altfile_find(struct hd_altfile *a, const struct hd_dwarf_source *src, const struct hd_elf *e);
void hd_altfile_release(struct hd_altfile *a);

#endif
