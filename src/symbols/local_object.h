/*
 * local_object.h - an object whose symbols come from files of this machine or from tables in the recording
 *
 * Private to symbols/.  local_source.c creates these objects and answers lookups; one loader per kind of object fills
 * them in:
 *
 *     binary.c   binaries and libraries       kernel.c    the kernel and its modules
 *     vdso.c     the vdso                     jit.c       perf maps and jitdumps
 *
 * The loaders call embedded.c to use the tables that the recording itself contains.
 */
#ifndef HD_SYMBOLS_LOCAL_OBJECT_H
#define HD_SYMBOLS_LOCAL_OBJECT_H

#include "dwarf/dwarf_source.h"
#include "elf/debugfile.h"
#include "elf/elf_file.h"
#include "elf/symbol_table.h"
#include "symbols/kallsyms.h"
#include "symbols/options.h"
#include "symbols/source.h"

struct hd_jit_lines;
struct hd_jitdump;
struct hd_lines;
struct hd_inlines;
struct hd_kernel_symbols;
struct hd_debuginfod;
struct hd_embedded_index;

struct hd_local_source {
	struct hd_symbols_opts opts;		/* a copy of the options, with its own strings */
	struct hd_log *log;
	char *cache;				/* perf's build-id cache, `$HOME/.debug/.build-id/`; NULL: none */
	struct hd_kernel_symbols *kernels;	/* kallsyms files that were read; the newest is first */
	struct hd_debuginfod *debuginfod;	/* NULL: queries are not allowed */
	struct hd_embedded_index *embedded;	/* NULL: the recording contains no symbol tables */
};

struct hd_local_object {
	struct hd_local_source *ls;
	struct hd_symbols_key key;		/* strings are borrowed */
	const char *path;			/* key.path */

	struct hd_symtable table;		/* symbols by vaddr; for a perf map by ip */
	struct hd_elf_loads loads;		/* segments of a file, which convert foff to vaddr */
	bool by_offset;				/* lookups use file offsets */
	struct hd_kallsyms *kallsyms;		/* used instead of `table`; borrowed */
	const char *module;			/* selects the part of kallsyms: "" or module_name */
	char *module_name;
	size_t cursor;				/* hint: position of the last hit */
	uint64_t shift;				/* kernel and modules: ip minus address in the table; otherwise 0 */
	bool one_symbol;			/* a KSYMBOL: the object is its only symbol */

	enum hd_symbols_quality quality;
	char *origin;				/* the file with the symbols; NULL: none */
	char *problem;				/* NULL: none */
	/* symbols.damaged, .unreadable or .replaced was logged; symbols.none must not be logged as well */
	bool warned;
	char build_id[2 * HD_ELF_BUILD_ID + 1];	/* build-id of the file */
	uint16_t machine;			/* EM_* of the file; 0: no file was opened */

	struct hd_dwarf_source files;
	bool debug_searched;			/* files.debug is final */
	/* a copy of the vdso of this process, if the object is the same vdso; otherwise NULL */
	void *image;
	size_t image_size;
	struct hd_lines *lines;			/* opened by the first lookup that needs it */
	struct hd_inlines *inlines;		/* opened by the first lookup that needs it; uses `lines` */
	const struct hd_jitdump *jitdump;	/* the dump of JIT code; borrowed; NULL: none */
	struct hd_jit_lines *jit_lines;		/* opened by the first lookup */
};

/* ---- loaders: fill in an object; without symbols, `problem` gives the reason ---- */

void hd_binary_load(struct hd_local_object *o);
void hd_vdso_load(struct hd_local_object *o);
void hd_kernel_load(struct hd_local_object *o);
void hd_module_load(struct hd_local_object *o);
void hd_perfmap_load(struct hd_local_object *o);
void hd_jit_load(struct hd_local_object *o);
void hd_kernel_symbols_free(struct hd_kernel_symbols *k);

/*
 * Add the symbols of an opened ELF file and of its debug file.  The object becomes the owner of e->loads; the caller
 * closes `e`.
 */
void hd_binary_load_elf(struct hd_local_object *o, struct hd_elf *e);
/* Set files.debug to the file with the line information: the binary or its debug file. */
void hd_binary_find_debug(struct hd_local_object *o);

/*
 * Open the file with the code of the recorded build; files.code or image then describes it, and the caller closes the
 * result.  Returns NULL if it was not found; `problem` gives the reason.
 */
struct hd_elf *hd_binary_open_code(struct hd_local_object *o);
struct hd_elf *hd_vdso_open_code(struct hd_local_object *o);

/* True if the file of `key` was replaced during the recording (replaced_file.c).  Thread-safe. */
bool hd_local_was_replaced(const struct hd_local_source *ls, const struct hd_symbols_key *key);

/* ---- helpers of the loaders, local_object.c ---- */

/* Record why there are no symbols, as one clause.  The first reason is kept. */
void hd_local_set_problem(struct hd_local_object *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Record where the symbols come from; `note` is appended to the path. */
void hd_local_set_origin(struct hd_local_object *o, const struct hd_file_ref *p, const char *note);
/* Warn (symbols.damaged) if a file that is used is damaged. */
void hd_local_warn_damage(struct hd_local_object *o, const struct hd_elf *e);
/* True if the file has the recorded build-id, or if none was recorded. */
bool hd_local_is_build(const struct hd_local_object *o, const struct hd_elf *e);
/* Return true if a build-id was recorded.  A build-id of zeros counts as none: some recorders write that. */
bool hd_local_has_build_id(const struct hd_local_object *o);
struct hd_debugfile_query hd_local_debugfile_query(const struct hd_local_object *o);

#endif
