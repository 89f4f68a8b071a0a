/*
 * pg_records.c - read the columns of a record, which is a row of one of several queries (pg_combine.c)
 *
 * A record in binary is a list of columns, each with its type and length, all numbers in big-endian byte order
 * (record_send() in src/backend/utils/adt/rowtypes.c of PostgreSQL).  Numbers are converted to decimal text.  The
 * server sends numbers outside of records as text, too, so pg_values.c reads both in the same way.
 */
#include "db/pg.h"

#ifdef HAVE_LIBPQ

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Return true if the binary form is the text itself: "char", name, text, unknown, character and varchar. */
static bool is_text(uint32_t type)
{
	return type == 18 || type == 19 || type == HD_PG_TEXT || type == 705 || type == 1042 || type == 1043;
}

/* Return true for bytea and for types that are not built in: the id of the domain `blob` differs between databases. */
static bool is_blob(uint32_t type)
{
	enum { FIRST_OWN_TYPE = 16384 };

	return type == HD_PG_BYTEA || type >= FIRST_OWN_TYPE;
}

static void add_int(struct hd_buf *out, int64_t v)
{
	if (v < 0)
		hd_buf_addc(out, '-');
	hd_buf_addu(out, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static void add_double(struct hd_buf *out, const uint8_t *p, size_t n)
{
	uint64_t bits = hd_pg_number(p, n);
	uint32_t half = (uint32_t)bits;
	double v;
	float f;

	memcpy(&v, &bits, sizeof(v));
	memcpy(&f, &half, sizeof(f));
	hd_buf_addf(out, "%.17g", n == sizeof(f) ? (double)f : v);
}

/*
 * Append a NUMERIC.  Its binary form is the number of digits (to the base 10,000), the power of the first digit, the
 * sign, the number of decimals, and the digits, 16 bits each.  Returns false if the n bytes have another form, or if
 * the number is not finite or has too many digits.
 */
static bool add_numeric(struct hd_buf *out, const uint8_t *p, size_t n)
{
	size_t ndigits = n >= 8 ? hd_pg_number(p, 2) : 0, decimals = n >= 8 ? hd_pg_number(p + 6, 2) : 0, end = 0;
	int power = n >= 8 ? (int16_t)hd_pg_number(p + 2, 2) : 0, first = power < 0 ? 0 : power;
	uint16_t sign = n >= 8 ? (uint16_t)hd_pg_number(p + 4, 2) : 0;

	if (n < 8 || n != 8 + 2 * ndigits || (sign && sign != 0x4000) || abs(power) > 1000 || decimals > 1000)
		return false;
	if (sign)
		hd_buf_addc(out, '-');
	for (int at = first; at >= -(int)((decimals + 3) / 4); at--) {
		size_t i = (size_t)(power - at);

		hd_buf_addf(out, at == first ? "%u" : "%04u",
			at <= power && i < ndigits ? (unsigned)hd_pg_number(p + 8 + 2 * i, 2) : 0);
		if (at == 0)
			end = out->len + (decimals ? 1 + decimals : 0);
		if (at == 0 && decimals)
			hd_buf_addc(out, '.');
	}
	out->len = end;		/* discard the decimals of the last digit that exceed `decimals` */
	return true;
}

/* Append the value of a column.  Returns false if its type or length is not supported. */
static bool add_value(struct hd_buf *out, uint32_t type, const uint8_t *p, size_t n)
{
	switch (type) {
	case HD_PG_BOOL:
		hd_buf_addc(out, n && *p ? 't' : 'f');
		return n == 1;
	case HD_PG_INT2:
		add_int(out, (int16_t)hd_pg_number(p, n));
		return n == 2;
	case HD_PG_INT4:
		add_int(out, (int32_t)hd_pg_number(p, n));
		return n == 4;
	case HD_PG_OID:
	case HD_PG_INT8:
		add_int(out, (int64_t)hd_pg_number(p, n));
		return n == 4 || n == 8;
	case HD_PG_FLOAT4:
	case HD_PG_FLOAT8:
		add_double(out, p, n);
		return n == 4 || n == 8;
	case HD_PG_NUMERIC:
		return add_numeric(out, p, n);
	default:
		hd_buf_add(out, p, n);
		return is_text(type) || is_blob(type);
	}
}

/* The bytes of a record that were not read yet. */
struct rest {
	const uint8_t *p;
	size_t n;
};

static bool take(struct rest *from, uint32_t *number)
{
	if (from->n < 4)
		return false;
	*number = (uint32_t)hd_pg_number(from->p, 4);
	from->p += 4;
	from->n -= 4;
	return true;
}

static bool read_cell(struct hd_pg_stmt *st, struct hd_pg_cell *c, struct rest *from)
{
	uint32_t n;
	bool good;

	*c = (struct hd_pg_cell){ .at = st->record.len };
	if (!take(from, &c->type) || !take(from, &n))
		return false;
	c->is_null = n == UINT32_MAX;
	if (c->is_null)
		return true;
	if (n > from->n)
		return false;
	good = add_value(&st->record, c->type, from->p, n);
	if (is_blob(c->type))
		c->type = HD_PG_BYTEA;
	c->n = st->record.len - c->at;
	hd_buf_addc(&st->record, '\0');
	from->p += n;
	from->n -= n;
	return good;
}

int hd_pg_read_record(struct hd_pg_stmt *st, struct hd_err *err)
{
	const struct hd_pg *db = hd_pg_of(st);
	const struct hd_pg_results *all = st->shared;
	int row = all->rows[all->first[st->part] + st->row];
	struct rest from = { (const uint8_t *)db->pq.getvalue(all->res, row, 1),
		(size_t)db->pq.getlength(all->res, row, 1) };
	uint32_t n = 0;
	bool good;

	hd_buf_reset(&st->record);
	st->ncells = 0;
	good = take(&from, &n) && n <= from.n / 8;
	if (good)
		HD_GROW(st->cells, n, st->cells_cap);
	while (good && (uint32_t)st->ncells < n)
		good = read_cell(st, &st->cells[st->ncells++], &from);
	return good ? 1 : hd_fail(err, HD_EIO, "%s: the server sent a row that cannot be read", db->head.name);
}

#endif
