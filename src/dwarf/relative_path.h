/*
 * relative_path.h - resolve paths that debug information contains
 *
 * Debug information refers to `.dwo` files and to the alternate file of dwz (altfile.h) by paths that are relative to a
 * folder, often with `..`.  hotdrift never opens an untrusted path that contains `..` (base/file.h).  Therefore these
 * functions remove each `..` and the component before it from the text of the path, without looking at the file system.
 */
#ifndef HD_DWARF_RELATIVE_PATH_H
#define HD_DWARF_RELATIVE_PATH_H

/*
 * Join dir/name, or take `name` if it is absolute, and resolve `.` and `..`.  The caller frees the result.  Returns
 * NULL if the path is too long, is not absolute or has no component.
 */
char *hd_relative_path_join(const char *dir, const char *name);
/* Return the folder of a file, "" if the path has no slash.  The caller frees it. */
char *hd_relative_path_folder(const char *path);

#endif
