/*
 * split_dwarf.h - the split-off part of a unit: a .dwo file, or a .dwp package of many
 *
 * The binary holds skeleton units, which say where the code and the lines are and
 * name a file for the rest.  It is looked for, always with the id that the
 * skeleton says:
 *
 *     in the package       the binary's path + `.dwp`: all of them in one file, found by .debug_cu_index
 *     by name              DW_AT_comp_dir/DW_AT_dwo_name
 *     beside the binary    its folder and the name, or the last part of the name
 *
 * Owns: the files.  Only a few are open at a time: the others are opened again
 * when they are asked for, if they are still the same.
 */
#ifndef HD_DWARF_SPLIT_DWARF_H
#define HD_DWARF_SPLIT_DWARF_H

#include "dwarf/dwarf_file.h"
#include "dwarf/dwarf_source.h"

enum {
	HD_SPLIT_OPEN = 16,		/* .dwo files that are open at a time */
	HD_SPLIT_MISMATCHES = 64,		/* after so many of another id no more are tried */
};

struct hd_dwo;

/* Zero-initialise. */
struct hd_split_dwarf {
	struct hd_dwo **v;
	size_t n, cap;
	struct hd_map ids;		/* of units that were found */
	struct hd_elf *package;
	bool package_tried;
	struct hd_dwo *open[HD_SPLIT_OPEN];
	size_t turn;			/* which of them is closed next */
	size_t others;			/* files that were there and had another id */
	size_t missing;			/* units whose file was not found */
	char *first_missing;
	struct hd_log *log;		/* of the object whose units were asked for last */
	char *damage;			/* what was wrong with a file, its path in front; the first of them */
};

/* The unit that belongs to a skeleton; NULL when it is not here. */
struct hd_dwarf_unit *hd_split_dwarf_find(struct hd_split_dwarf *s, const struct hd_dwarf_source *src,
	const struct hd_dwarf_unit *skeleton);
/* Before entries of a unit that hd_split_dwarf_find gave are read.  False when its file has changed. */
bool hd_split_dwarf_use(struct hd_split_dwarf *s, const struct hd_dwarf_unit *u);
void hd_split_dwarf_release(struct hd_split_dwarf *s);

#endif
