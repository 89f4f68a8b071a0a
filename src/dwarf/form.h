/*
 * form.h - the value of one DWARF attribute, in whatever form it is written
 *
 * Also the header of a unit, which says how long some forms are.  Both read
 * from bytes in memory, within them.
 */
#ifndef HD_DWARF_FORM_H
#define HD_DWARF_FORM_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read a LEB128 number. */
uint64_t hd_dwarf_uleb(struct hd_bytes *b);
int64_t hd_dwarf_sleb(struct hd_bytes *b);
/* Read a string and its NUL; NULL, and b is bad, if there is no NUL. */
const char *hd_dwarf_string(struct hd_bytes *b);

/* The header of a unit of .debug_info or .debug_types. */
struct hd_unit_header {
	uint64_t off;			/* of the unit in its section */
	uint64_t end;			/* of the unit: where the next one is */
	uint64_t first;			/* entry */
	uint64_t abbrev_off;
	uint64_t id; /* of a split or skeleton unit (0: not in the header), the signature of a type unit */
	uint64_t type_off;		/* of a type unit: its type's entry, from the unit's start */
	unsigned version, type;		/* type: DW_UT_*, DW_UT_compile before DWARF 5 */
	unsigned addr_size, offset_size;
};

enum hd_unit_header_result {
	HD_UNIT_HEADER_VALID,
	HD_UNIT_HEADER_UNSUPPORTED,		/* not a unit that can be read; the next one is at end */
	HD_UNIT_HEADER_OUTSIDE,		/* it reaches out of the section: nothing follows */
};

enum { HD_UNIT_HEADER_MAX = 40 };		/* bytes that a header takes at most */

/* The header at b, which is at off of a section of `size` bytes.  types: the section is .debug_types. */
enum hd_unit_header_result hd_unit_header_read(struct hd_unit_header *h, struct hd_bytes *b, uint64_t off,
	uint64_t size, bool types);

enum hd_form_kind {
	HD_FORM_NONE,			/* a flag, or nothing of interest */
	HD_FORM_CONST,
	HD_FORM_ADDR,
	HD_FORM_ADDRX,			/* number of an address in .debug_addr */
	HD_FORM_OFFSET,			/* into some other section */
	HD_FORM_LISTX,			/* number of a list */
	HD_FORM_REF,			/* an entry, from the unit's start */
	HD_FORM_REF_ADDR,		/* an entry, from the section's start */
	HD_FORM_REF_ALT,		/* the same, in the alternate file */
	HD_FORM_REF_SIG,		/* signature of a type unit */
	HD_FORM_STRING,			/* the bytes are at `s` */
	HD_FORM_STRP,			/* in .debug_str */
	HD_FORM_LINE_STRP,		/* in .debug_line_str */
	HD_FORM_STRP_ALT,		/* in the alternate file's .debug_str */
	HD_FORM_STRX,			/* number of a string in .debug_str_offsets */
};

struct hd_form_value {
	enum hd_form_kind kind;
	uint64_t v;
	const char *s;
};

/* Read a value, or step over it.  False when the form is unknown or the bytes end. */
bool hd_form_read(struct hd_form_value *out, struct hd_bytes *b, uint64_t form, const struct hd_unit_header *h);

#endif
