/*
 * annotation_build.h - the interfaces between the files that implement annotation.h
 *
 *     annotate.c          selects the functions and collects the costs of their addresses
 *     object_code.c       finds and reads the code of an object
 *     annotation_build.c  finds the instructions, lines, inlined functions and jumps of one function
 *     source_text.c       reads the text of the source files
 *     line_annotation.c   implements hd_annotate_lines()
 *
 * Private to annotate/.
 */
#ifndef HD_ANNOTATE_ANNOTATION_BUILD_H
#define HD_ANNOTATE_ANNOTATION_BUILD_H

#include "annotate/annotation.h"
#include "annotate/disassembler.h"
#include "base/map.h"
#include "elf/elf_file.h"
#include "symbols/jitdump.h"

/* Only this many bytes of a function are disassembled. */
enum { HD_ANNOTATE_CODE_MAX = 1 << 20 };

/* Value in hd_object_code.dump_loads: functions with different names began at the address at different times. */
enum { HD_OBJECT_CODE_SEVERAL = UINT32_MAX - 1 };

/* An object with annotated functions.  Its files are opened when the first of these functions is annotated. */
struct hd_object_code {
	uint32_t object;		/* index in hd_profile.objects */
	struct hd_symobj *symbols;	/* borrowed; symbols, lines and inlined functions; NULL: none */
	struct hd_elf *elf;		/* the file with the code; NULL: none, or JIT code */
	/* JIT code: its dump, which contains the code, opened as `dump_fd`; NULL: other code, or no dump */
	const struct hd_jitdump *dump;
	int dump_fd;
	/* address -> index of the load record (JIT_CODE_LOAD) in `dump` that begins there, or HD_OBJECT_CODE_SEVERAL */
	struct hd_map dump_loads;
	struct hd_disassembler *disassembler;	/* NULL: none for this architecture, no code, or opts->no_code */
	struct hd_mapping_symbols modes; /* which ranges of the file are Thumb code or data */
	struct hd_buf problem;		/* a sentence: why there is no code or no disassembler; empty: no problem */
	bool kernel;			/* the file is a kcore, whose addresses are those of the recorded boot */
	/* subtracted from an address before it is looked up in `symbols`: start of a module in a kcore; else 0 */
	uint64_t lookup_start;
	int64_t mtime_ns;		/* modification time of the file with the code, in ns since 1970; 0: unknown */
};

/* Open the files of p->objects[object] and fill in `c`.  If there is no code, c->problem has the reason. */
void hd_object_code_open(struct hd_object_code *c, uint32_t object, const struct hd_profile *p,
	const struct hd_symbol_access *access, const struct hd_annotate_opts *opts);
void hd_object_code_release(struct hd_object_code *c);
/*
 * Read up to n bytes of code at `vaddr`.  Returns how many were read; 0 if the file has no code there, as in files of
 * debug information, or cannot be read.  c->elf or c->dump must be set.
 */
size_t hd_object_code_read(struct hd_object_code *c, uint64_t vaddr, uint8_t *bytes, size_t n);
/*
 * Return the difference (address in the process) - vaddr of the code at `vaddr`.  For JIT code, vaddr is an offset in
 * the dump, and the address is that of the load record; the result is 0 if no load record covers `vaddr`.  For other
 * code, the result is always 0.
 */
uint64_t hd_object_code_shift(const struct hd_object_code *c, uint64_t vaddr);
/*
 * Return the demangled name of the symbol at `vaddr`, allocated in `arena`, or NULL.  If `vaddr` is not its start, +0x
 * and the distance from there follow.  For JIT code, `vaddr` is an address in the process, and the result is the name
 * of the only function that began there.
 */
const char *hd_object_code_symbol(struct hd_object_code *c, uint64_t vaddr, struct hd_arena *arena);

/* The cost of one event at one address of a function. */
struct hd_address_cost {
	uint64_t vaddr;
	uint32_t event;			/* index of the event's column of costs */
	struct hd_annotation_cost cost;
};

/* Add a sentence to the notes of `a`. */
void hd_annotation_note(struct hd_annotation *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline void hd_annotation_add_cost(struct hd_annotation_cost *sum, const struct hd_annotation_cost *cost)
{
	sum->weight += cost->weight;
	sum->samples += cost->samples;
}

/*
 * Fill in the arrays of `a` from the code and the n costs, which are sorted by vaddr.  The caller has set name,
 * linkage, object, start, size and events of `a`.
 */
void hd_annotation_build(struct hd_annotation *a, struct hd_object_code *c, const struct hd_address_cost *costs,
	size_t n, const struct hd_symbol_access *access, const struct hd_annotate_opts *opts);

#endif
