/*
 * form.h - read unit headers and attribute values
 *
 * All functions read from bytes in memory and never beyond them.  The unit header is needed because it determines the
 * size of some forms.
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
/* Read a string with its NUL.  If there is no NUL, returns NULL and sets b->bad. */
const char *hd_dwarf_string(struct hd_bytes *b);

/* The header of a unit of .debug_info or .debug_types. */
struct hd_unit_header {
	uint64_t off;			/* offset of the unit in its section */
	uint64_t end;			/* end of the unit, where the next one starts */
	uint64_t first;			/* offset of the first entry */
	uint64_t abbrev_off;
	uint64_t id; /* id of a split or skeleton unit (0: not in the header), or the signature of a type unit */
	uint64_t type_off;		/* for a type unit: offset of the type's entry in the unit */
	unsigned version, type;		/* type: DW_UT_*; before DWARF 5: _compile, or _type in .debug_types */
	unsigned addr_size, offset_size;
};

enum hd_unit_header_result {
	HD_UNIT_HEADER_VALID,
	/* the version or the address size is unsupported, or the unit is too short; the next unit is at `end` */
	HD_UNIT_HEADER_UNSUPPORTED,
	HD_UNIT_HEADER_OUTSIDE,		/* the unit extends beyond the section; there is no next unit */
};

enum { HD_UNIT_HEADER_MAX = 40 };		/* the longest header, in bytes */

/* Read the header at `b`, which is at `off` of a section of `size` bytes.  types: the section is .debug_types. */
enum hd_unit_header_result hd_unit_header_read(struct hd_unit_header *h, struct hd_bytes *b, uint64_t off,
	uint64_t size, bool types);

enum hd_form_kind {
	HD_FORM_NONE,			/* no value: a block, expression, location list or 16-byte number was skipped */
	HD_FORM_CONST,
	HD_FORM_ADDR,
	HD_FORM_ADDRX,			/* index in .debug_addr */
	HD_FORM_OFFSET,			/* offset in another section */
	HD_FORM_LISTX,			/* index of a range list in .debug_rnglists */
	HD_FORM_REF,			/* an entry, relative to the unit */
	HD_FORM_REF_ADDR,		/* an entry, relative to the section */
	HD_FORM_REF_ALT,		/* an entry of the alternate file */
	HD_FORM_REF_SIG,		/* signature of a type unit */
	HD_FORM_STRING,			/* the string is at `s` */
	HD_FORM_STRP,			/* offset in .debug_str */
	HD_FORM_LINE_STRP,		/* offset in .debug_line_str */
	HD_FORM_STRP_ALT,		/* offset in the alternate file's .debug_str */
	HD_FORM_STRX,			/* index in .debug_str_offsets */
};

struct hd_form_value {
	enum hd_form_kind kind;
	uint64_t v;
	const char *s;
};

/*
 * Read the value of an attribute with this form.  A value that is not needed is skipped, and its kind is
 * HD_FORM_NONE.  Returns false if the form is unknown or the bytes end.  DW_FORM_implicit_const counts as unknown,
 * because its value is in the abbreviation (hd_abbrev_attr).
 */
bool hd_form_read(struct hd_form_value *out, struct hd_bytes *b, uint64_t form, const struct hd_unit_header *h);

#endif
