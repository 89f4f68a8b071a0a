/*
 * tracefield.c - see tracefield.h
 */
#include "perfdata/tracefield.h"

#include "base/mem.h"
#include "perfdata/perf_state.h"

#include <string.h>

/* limit for the printed elements of an array; without it, overlapping fields could produce a huge output */
enum { NUMBERS_MAX = 256 };

static bool has_word(const char *type, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = type; (at = strstr(at, word)); at += n) {
		char before = at == type ? ' ' : at[-1], after = at[n];

		if ((before == ' ' || before == '*') && (after == ' ' || after == '\0' || after == '*' || after == '['))
			return true;
	}
	return false;
}

/* Return the size of a type in bytes; 0 if the type is unknown. */
static uint8_t unit_of(const char *type, unsigned long_bytes)
{
	static const struct { const char *word; uint8_t bytes; } words[] = {
		{ "u8", 1 }, { "__u8", 1 }, { "s8", 1 }, { "__s8", 1 }, { "uint8_t", 1 }, { "int8_t", 1 },
		{ "char", 1 }, { "bool", 1 },
		{ "u16", 2 }, { "__u16", 2 }, { "s16", 2 }, { "__s16", 2 }, { "__le16", 2 }, { "__be16", 2 },
		{ "uint16_t", 2 },
		{ "int16_t", 2 }, { "short", 2 },
		{ "u64", 8 }, { "__u64", 8 }, { "s64", 8 }, { "__s64", 8 }, { "__le64", 8 }, { "__be64", 8 },
		{ "uint64_t", 8 },
		{ "int64_t", 8 },
		{ "u32", 4 }, { "__u32", 4 }, { "s32", 4 }, { "__s32", 4 }, { "__le32", 4 }, { "__be32", 4 },
		{ "uint32_t", 4 },
		{ "int32_t", 4 }, { "pid_t", 4 },
	};

	if (strchr(type, '*') || has_word(type, "size_t"))
		return (uint8_t)long_bytes;
	if (has_word(type, "long"))
		return strstr(type, "long long") ? 8 : (uint8_t)long_bytes;
	for (size_t i = 0; i < HD_COUNT(words); i++)
		if (has_word(type, words[i].word))
			return words[i].bytes;
	return has_word(type, "int") ? 4 : 0;
}

void hd_tracefield_type(struct hd_tracefield *f, const char *type, bool array, unsigned long_bytes)
{
	bool text = has_word(type, "char") && !has_word(type, "unsigned") && !has_word(type, "signed") &&
		!strchr(type, '*');

	if (array || f->place != HD_PLACE_FIXED) {
		f->kind = text ? HD_TRACE_TEXT : HD_TRACE_NUMBERS;
		f->unit = unit_of(type, long_bytes);
		/* An array of an unknown type is printed as an array of bytes. */
		if (!f->unit || (f->place == HD_PLACE_FIXED && f->bytes % f->unit))
			f->unit = 1;
		return;
	}
	f->kind = strchr(type, '*') || (has_word(type, "long") && !f->is_signed) ? HD_TRACE_ADDRESS : HD_TRACE_NUMBER;
	f->unit = f->bytes == 1 || f->bytes == 2 || f->bytes == 4 || f->bytes == 8 ? (uint8_t)f->bytes : 0;
	if (!f->unit) {			/* no number has this size; print the bytes of the struct */
		f->kind = HD_TRACE_NUMBERS;
		f->unit = 1;
		f->is_signed = false;
	}
}

static uint64_t number(const struct hd_tracefield *f, const uint8_t *p)
{
	switch (f->unit) {
	case 1:
		return f->is_signed ? (uint64_t)(int8_t)*p : *p;
	case 2:
		return f->is_signed ? (uint64_t)(int16_t)hd_get16(p, f->swap) : hd_get16(p, f->swap);
	case 4:
		return f->is_signed ? (uint64_t)(int32_t)hd_get32(p, f->swap) : hd_get32(p, f->swap);
	default:
		return hd_get64(p, f->swap);
	}
}

bool hd_tracefield_get(const struct hd_tracefield *f, const uint8_t *raw, size_t n, struct hd_tracevalue *v)
{
	size_t off = f->off, bytes = f->bytes;

	if (off > n || bytes > n - off)
		return false;
	if (f->place != HD_PLACE_FIXED) {
		uint32_t where;

		/*
		 * A __data_loc or __rel_loc field is a 32-bit word with the offset and length of its data, which
		 * follows the fixed fields.
		 */
		if (bytes != 4)
			return false;
		where = hd_get32(raw + off, f->swap);
		off = (where & 0xffff) + (f->place == HD_PLACE_REL_LOC ? off + bytes : 0);
		bytes = where >> 16;
		if (off > n || bytes > n - off)
			return false;
	}
	*v = (struct hd_tracevalue){ .p = raw + off, .n = bytes };
	if (f->kind == HD_TRACE_TEXT)
		v->n = strnlen((const char *)v->p, bytes);
	else if (f->kind != HD_TRACE_NUMBERS)
		v->number = number(f, v->p);
	return true;
}

static void add_number(const struct hd_tracefield *f, uint64_t v, struct hd_buf *out)
{
	if (f->kind == HD_TRACE_ADDRESS)
		hd_buf_addf(out, "0x%llx", (unsigned long long)v);
	else if (f->is_signed)
		hd_buf_addf(out, "%lld", (long long)v);
	else
		hd_buf_addu(out, v);
}

void hd_tracefield_text(const struct hd_tracefield *f, const struct hd_tracevalue *v, struct hd_buf *out)
{
	if (f->kind == HD_TRACE_TEXT) {
		hd_buf_add(out, v->p, v->n);
		return;
	}
	if (f->kind != HD_TRACE_NUMBERS) {
		add_number(f, v->number, out);
		return;
	}
	hd_buf_addc(out, '{');
	for (size_t i = 0; i < v->n / f->unit; i++) {
		if (i)
			hd_buf_addc(out, ',');
		if (i == NUMBERS_MAX) {
			hd_buf_adds(out, "...");
			break;
		}
		add_number(f, number(f, v->p + i * f->unit), out);
	}
	hd_buf_addc(out, '}');
}
