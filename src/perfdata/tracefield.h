/*
 * tracefield.h - read a field of a tracepoint from the raw data of a sample
 *
 * A field is looked up by name once per event (tracepoint.h) and then read by its place:
 *
 *     fixed         at `off`, `bytes` long
 *     __data_loc    a word at `off`: length << 16 | offset in the raw data
 *     __rel_loc     the same, with the offset counted from the end of the word
 *
 * The kind of value follows from the declaration:
 *
 *     char x[16], __data_loc char[] x            text, up to its first NUL
 *     u8 x[6], unsigned long x[4]                numbers: {1,2,3}, the first 256 of them
 *     const void *x, unsigned long x             an address: 0x...
 *     int, pid_t, u64, bool, enum                a number, signed or unsigned
 *     a value of another size than 1, 2, 4 or 8, such as a struct      its bytes as numbers: {1,2,3}
 *
 * As in perf, an unsigned long is printed as an address, because it usually is one.  The print format of a
 * tracepoint, which for example shows prev_state as a letter, is not evaluated, because it is C code.  The
 * recorded number is printed instead.
 *
 * Safety: a field outside the raw data has no value.
 */
#ifndef HD_PERFDATA_TRACEFIELD_H
#define HD_PERFDATA_TRACEFIELD_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_tracefield_kind { HD_TRACE_NUMBER, HD_TRACE_ADDRESS, HD_TRACE_TEXT, HD_TRACE_NUMBERS };
enum hd_tracefield_place { HD_PLACE_FIXED, HD_PLACE_DATA_LOC, HD_PLACE_REL_LOC };

struct hd_tracefield {
	char *name;
	uint32_t off, bytes;
	enum hd_tracefield_kind kind;
	enum hd_tracefield_place place;
	uint8_t unit;			/* bytes of the number, or of each element of an array: 1, 2, 4 or 8 */
	bool is_signed;
	bool swap;			/* the byte order of the recording differs from this machine's */
};

/* A value: a view of its bytes. */
struct hd_tracevalue {
	const uint8_t *p;
	size_t n;
	uint64_t number;		/* value of a NUMBER (sign-extended if signed) or ADDRESS */
};

/*
 * Set kind and unit from the type of a declaration ("unsigned long", "const char *") and whether it is an array.  The
 * caller sets bytes, place and is_signed before; is_signed becomes false if the value is not an array and its size is
 * not 1, 2, 4 or 8 bytes (a struct).
 */
void hd_tracefield_type(struct hd_tracefield *f, const char *type, bool array, unsigned long_bytes);

/* Get the value of a field.  Returns false if the raw data does not contain it. */
bool hd_tracefield_get(const struct hd_tracefield *f, const uint8_t *raw, size_t n, struct hd_tracevalue *v);
/* Append the value as text. */
void hd_tracefield_text(const struct hd_tracefield *f, const struct hd_tracevalue *v, struct hd_buf *out);

#endif
