/*
 * source_line.h - results of line and inline lookups
 */
#ifndef HD_DWARF_SOURCE_LINE_H
#define HD_DWARF_SOURCE_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct hd_line_hit {
	const char *file;		/* borrowed from the object; NULL: no line information */
	uint32_t line;
};

/* A limit for the functions inlined at one address; compilers stay far below it. */
enum { HD_INLINE_MAX = 256 };

/* A function that was inlined at an address. */
struct hd_inline_hit {
	const char *linkage;		/* linkage name, or else the qualified name; borrowed from the object */
	bool mangled;			/* `linkage` is a linkage name */
	const char *call_file;		/* source file of the call; NULL: unknown */
	uint32_t call_line;		/* line of the call; 0: unknown */
	/*
	 * lowest vaddr of the inlined instance and of the instances inside it; UINT64_MAX: none has an address.
	 * It distinguishes the instances of one function in one caller
	 */
	uint64_t low;
};

#endif
