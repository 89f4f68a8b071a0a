/*
 * object.h - what the files of this room know of an object and its cache
 *
 * Private to symbols/.  symbols.c keeps the cache and answers; a file per kind
 * of object fills one in:
 *
 *     binary.c      binaries and libraries     kernel.c   the kernel and its modules
 *     vdso.c      the vdso                   dwarf/lines.c    source lines, on the first question
 *     jit.c       JIT code                   dwarf/inlines.c  inlined functions, likewise
 *     symbols.c   KSYMBOLs                   embedded.c  any, from the recording
 *     bundle_replay.c     all of them, of a bundle   bundle_record.c the answers, for a bundle
 */
#ifndef HD_SYMBOLS_OBJECT_H
#define HD_SYMBOLS_OBJECT_H

#include "base/map.h"
#include "elf/elf_file.h"
#include "symbols/bundle_replay.h"
#include "symbols/kallsyms.h"
#include "elf/file_ref.h"
#include "symbols/symbols.h"
#include "elf/symbol_table.h"

struct hd_jit_lines;
struct hd_lines;
struct hd_inlines;
struct hd_kernel_symbols;
struct hd_debuginfod;
struct hd_embedded_index;

struct hd_symobj {
	struct hd_symbols *sy;
	struct hd_symobj *next;			/* of the same hash */
	struct hd_symbols_key key;		/* path and build-id point to the two below */
	char *path;
	uint8_t id[HD_ELF_BUILD_ID];

	struct hd_symtable table;		/* by vaddr; of a perf map by ip */
	struct hd_elf_loads loads;		/* of a file: foff -> vaddr */
	bool by_offset;				/* the address asked about is an offset in the file */
	struct hd_kallsyms *kallsyms;		/* instead of the table; borrowed */
	const char *module;			/* which part of kallsyms; owned by the object: module_name */
	char *module_name;
	size_t cursor;				/* where the last answer was */
	uint64_t shift;				/* added to what the table says: where the kernel was loaded */
	bool one_symbol;			/* a KSYMBOL: the object is its own symbol */

	enum hd_symbols_quality quality;
	char *source;				/* NULL: none */
	char *problem;				/* NULL: none */
	bool damage_told;			/* the log has it under symbols.damaged or symbols.replaced */
	char build_id[2 * HD_ELF_BUILD_ID + 1];	/* of the file */
	uint16_t machine;			/* EM_... of the file; 0: none was opened */

	struct hd_file_ref runtime;		/* the file with the code */
	void *image;				/* or the vdso as it is in memory */
	size_t image_size;
	struct hd_file_ref dwarf;			/* the file with the line information, once known */
	bool dwarf_sought;
	struct hd_lines *lines;			/* after the first question */
	struct hd_inlines *inlines;		/* the same; after the lines */
	const struct hd_jitdump *jitdump;	/* of JIT code that has one; borrowed */
	struct hd_jit_lines *jit_lines;		/* after the first question */

	const struct hd_bundle_replay_object *given;	/* of a bundle: its answers; NULL: it has none */
	unsigned told;				/* ... 1 << enum hd_lookup_stage: warnings that were said */
	struct hd_bundle_record_object *remembered;	/* for a bundle; NULL: no */
};

struct hd_symbols {
	struct hd_symbols_opts opts;		/* strings are ours */
	struct hd_log *log;
	char *cache;				/* `$HOME/.debug/.build-id/`: perf's; NULL: none */
	struct hd_map by_hash;			/* hash of a key -> index of the newest object */
	struct hd_symobj **objects;
	size_t nobjects, objects_cap;
	struct hd_kernel_symbols *kernels;
	struct hd_debuginfod *debuginfod;
	struct hd_embedded_index *carried;	/* NULL: the recording holds no symbols */
};

/* lookup.c: what is warned of between the two is kept for a bundle; nothing is done when there is none. */
struct hd_warning_capture {
	struct hd_log said, *log;
};
void hd_object_capture_begin(struct hd_symobj *o, struct hd_warning_capture *h);
void hd_object_capture_end(struct hd_symobj *o, struct hd_warning_capture *h, enum hd_lookup_stage when);
/* Of an object of a bundle: what is to be warned of now, once. */
void hd_object_replay_warnings(struct hd_symobj *o, enum hd_lookup_stage when);

/* Fill in an object; it may stay empty, then `problem` says why. */
void hd_binary_load(struct hd_symobj *o);
void hd_vdso_load(struct hd_symobj *o);
void hd_kernel_load(struct hd_symobj *o);
void hd_module_load(struct hd_symobj *o);
void hd_perfmap_load(struct hd_symobj *o);
void hd_jit_load(struct hd_symobj *o);
void hd_kernel_symbols_free(struct hd_kernel_symbols *k);

/* Read the symbols of an opened ELF file, and its debug file's, into the object. */
void hd_binary_load_elf(struct hd_symobj *o, struct hd_elf *e);
/* Find the file with the line information: the object's own or its debug file. */
void hd_binary_find_dwarf(struct hd_symobj *o);

/* Say why there are no symbols, once; the first reason stays. */
void hd_object_set_problem(struct hd_symobj *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void hd_object_set_source(struct hd_symobj *o, const struct hd_file_ref *p, const char *note);
/* Warn of what is wrong with a file that is used. */
void hd_object_warn_damage(struct hd_symobj *o, const struct hd_elf *e);
/* Do the recording and the file speak of the same build?  True as well when the recording does not say. */
bool hd_object_is_build(const struct hd_symobj *o, const struct hd_elf *e);
bool hd_object_has_build_id(const struct hd_symobj *o);

#endif
