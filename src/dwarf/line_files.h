/*
 * line_files.h - read the directories and files that a line program refers to
 *
 * Only line_table.c calls these functions.  Up to DWARF 4 there are two lists of strings; files are counted from 1, and
 * directory 0 is the compilation directory.  DWARF 5 first describes the forms of the entries, and counts both from 0.
 */
#ifndef HD_DWARF_LINE_FILES_H
#define HD_DWARF_LINE_FILES_H

#include "base/arena.h"
#include "elf/debug_section.h"

struct hd_line_table_in {
	const uint8_t *unit;				/* the bytes of the unit, from its length on */
	size_t n;
	bool swap;
	const struct hd_debug_section *line_str, *str;		/* .debug_line_str, .debug_str */
	const char *comp_dir;				/* NULL: unknown */
	/* read only the directories and files; the line program is not run, so `unit` may end after the header */
	bool names_only;
};

/* A string: `s`, or the string at `off` of section `sec`.  If both are NULL, there is no string. */
struct hd_line_str {
	const char *s;
	const struct hd_debug_section *sec;
	uint64_t off;
};

struct hd_line_file {
	struct hd_line_str name;
	uint32_t dir;
	const char *path;	/* set by the first hd_line_files_path() */
};

struct hd_line_files {
	struct hd_line_str *dirs;
	size_t ndirs, dirs_cap;
	struct hd_line_file *files;
	size_t nfiles, files_cap;
	struct hd_arena paths;
	const char *comp_dir;
};

/*
 * Read the lists, which are the rest of the header at `b`.  is64: offsets have 8 bytes.  Returns false if the lists are
 * damaged.
 */
bool hd_line_files_read(struct hd_line_files *n, struct hd_bytes *b, unsigned version, bool is64,
	const struct hd_line_table_in *in);
/* Append a file in directory number `dir`.  The string must outlive `n`. */
void hd_line_files_define(struct hd_line_files *n, struct hd_line_str name, uint64_t dir);
/* Return the path of a file number, which `n` owns; NULL if there is no such file. */
const char *hd_line_files_path(struct hd_line_files *n, uint32_t file);
void hd_line_files_release(struct hd_line_files *n);

#endif
