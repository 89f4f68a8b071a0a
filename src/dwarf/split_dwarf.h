/*
 * split_dwarf.h - open the split-off part of a unit: a .dwo file, or its part of a .dwp package
 *
 * The binary contains skeleton units.  They have the addresses and line tables, and name a file for the rest.  That
 * file is searched for in this order, and must contain the id of the skeleton:
 *
 *     in the package       the path of the binary or of its debug file + `.dwp`; a package contains many units, indexed
 *                          by .debug_cu_index
 *     by name              DW_AT_comp_dir/DW_AT_dwo_name
 *     beside the binary    the folder of the file with the skeletons, and the name or its last component
 *
 * Ownership: hd_split_dwarf owns the files.  The package and at most HD_SPLIT_OPEN .dwo files are open.  The other .dwo
 * files are reopened when needed, and must be unchanged then.
 */
#ifndef HD_DWARF_SPLIT_DWARF_H
#define HD_DWARF_SPLIT_DWARF_H

#include "dwarf/dwarf_file.h"
#include "dwarf/dwarf_source.h"

enum {
	HD_SPLIT_OPEN = 16,		/* .dwo files that are open at the same time */
	HD_SPLIT_MISMATCHES = 64,		/* after this many files with a wrong id, no more are tried */
};

struct hd_dwo;

/* Zero-initialise. */
struct hd_split_dwarf {
	struct hd_dwo **v;
	size_t n, cap;
	struct hd_map ids;		/* ids of the units that were found */
	struct hd_elf *package;
	bool package_tried;
	struct hd_dwo *open[HD_SPLIT_OPEN];
	size_t turn;			/* number of files opened; modulo HD_SPLIT_OPEN: index in `open` for the next */
	size_t others;			/* files that exist but have another id */
	size_t missing;			/* units whose file was not found */
	char *first_missing;		/* DW_AT_dwo_name of the first of them */
	struct hd_log *log;		/* log of the object that was looked up last */
	char *damage;			/* the first fault of a file, with its path */
};

/*
 * Find the split-off part of a skeleton unit; `s` owns the result.  Returns NULL if the part is not available, or if
 * the part with this id was already found for another skeleton.
 */
struct hd_dwarf_unit *hd_split_dwarf_find(struct hd_split_dwarf *s, const struct hd_dwarf_source *src,
	const struct hd_dwarf_unit *skeleton);
/*
 * Reopen the file of a unit that hd_split_dwarf_find() returned.  Must be called before entries of the unit are read.
 * Returns false if the file has changed or cannot be opened.
 */
bool hd_split_dwarf_use(struct hd_split_dwarf *s, const struct hd_dwarf_unit *u);
void hd_split_dwarf_release(struct hd_split_dwarf *s);

#endif
