/*
 * debugfile.h - the separate file with the symbols and the DWARF of a stripped one
 *
 * Where distributions and linkers put them, below --symfs and on the machine:
 *
 *     /usr/lib/debug/.build-id/xx/yyyy.debug     the build-id in hexadecimal, after two digits a slash
 *     ~/.debug/.build-id/xx/yyyy/{debug,elf}     perf's cache
 *     DIR/NAME, DIR/.debug/NAME, /usr/lib/debug/DIR/NAME      NAME from .gnu_debuglink, DIR the object's
 *
 * A file is taken when its build-id is the object's; where either has none, a
 * .gnu_debuglink's CRC-32 must fit.
 */
#ifndef HD_ELF_DEBUGFILE_H
#define HD_ELF_DEBUGFILE_H

#include "symbols/object.h"

/* e: the object's own file, or NULL when only its build-id is known.  NULL when there is none. */
struct hd_elf *hd_debugfile_find(struct hd_symobj *o, struct hd_elf *e, struct hd_file_ref *place);

/*
 * The object's own file, by its build-id alone: perf's cache, or a symbol root
 * that is not laid out like the recorded machine.
 */
struct hd_elf *hd_buildid_find(struct hd_symobj *o, struct hd_file_ref *place);

/* A file of perf's cache by build-id: name is "elf", "kallsyms", "vdso", ...  Returns a descriptor or < 0. */
int hd_buildid_cache_open(const struct hd_symobj *o, const char *name, struct hd_file_ref *place);

/* `xx/yyyy` of a build-id into out; false when it is too short. */
bool hd_build_id_path(const uint8_t *id, size_t n, char out[2 * HD_ELF_BUILD_ID + 2]);

/* The name and CRC of .gnu_debuglink.  False without one, or with one that is no plain file name. */
bool hd_debuglink_read(struct hd_elf *e, char name[256], uint32_t *crc);
/* CRC-32 of a whole file. */
int hd_debuglink_crc(int fd, const char *path, uint32_t *crc, struct hd_err *err);

#endif
