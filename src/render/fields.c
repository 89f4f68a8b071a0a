/*
 * fields.c - see fields.h
 */
#include "render/fields.h"

#include "base/encode.h"
#include "base/mem.h"
#include "render/unit_text.h"
#include "track/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FIELDS_MAX = 40, PLACE_MAX = 4 };

union value {
	const char *text;
	int64_t count;
	uint64_t weight;
	double real;
	bool yes;
	struct hd_interval interval;
	struct hd_field_name name;
};

static size_t size_of(enum hd_field_kind kind)
{
	switch (kind) {
	case HD_FIELD_INTERVAL: return sizeof(struct hd_interval);
	case HD_FIELD_SYMBOL: return sizeof(struct hd_field_name);
	case HD_FIELD_BOOL:
	case HD_FIELD_FLAG: return sizeof(bool);
	default: return sizeof(int64_t);	/* a count, a double or a pointer */
	}
}

static union value value_of(const struct hd_field *f, const void *row)
{
	union value v = { 0 };

	memcpy(&v, (const char *)row + f->offset, size_of(f->kind));
	return v;
}

static bool exists(const struct hd_fields *f, const struct hd_field *field)
{
	return (field->when & ~f->flags) == 0;
}

static bool in_csv(const struct hd_field *f)
{
	return f->key && f->kind < HD_FIELD_BOOL && f->kind != HD_FIELD_INTERVAL;
}

/* Store the fields of a table or of CSV in their order. Returns their number. */
static size_t in_order(const struct hd_field **out, const struct hd_fields *f, bool csv)
{
	size_t n = 0;

	for (unsigned place = 0; place <= PLACE_MAX; place++)
		for (size_t i = 0; i < f->n; i++)
			if (f->items[i].place == place && exists(f, &f->items[i]) &&
				(csv ? in_csv(&f->items[i]) : f->items[i].title != NULL))
				out[n++] = &f->items[i];
	return n;
}

void hd_fields_table(struct hd_table *t, const struct hd_fields *f)
{
	struct hd_column *columns = hd_new_array(struct hd_column, f->n);
	const struct hd_field *shown[FIELDS_MAX];
	size_t n = in_order(shown, f, false);

	for (size_t i = 0; i < n; i++)
		columns[i] = (struct hd_column){
			.title = shown[i]->title,
			.right = shown[i]->kind <= HD_FIELD_INTERVAL,
			.cells = shown[i]->kind == HD_FIELD_NAME || shown[i]->kind == HD_FIELD_SYMBOL,
		};
	hd_table_init(t, columns, n);
	t->owned = columns;
}

static void interval_cell(struct hd_table *t, struct hd_interval ci)
{
	struct hd_buf b = { 0 };

	if (!isfinite(ci.lo) && !isfinite(ci.hi)) {
		hd_table_string(t, "no bounds");
		return;
	}
	if (isfinite(ci.lo))
		hd_unit_text_real(&b, ci.lo);
	hd_buf_adds(&b, !isfinite(ci.lo) ? "no lower bound, " : isfinite(ci.hi) ? " .. " : ", no upper bound");
	if (isfinite(ci.hi))
		hd_unit_text_real(&b, ci.hi);
	hd_table_cell(t, b.data, b.len);
	hd_buf_release(&b);
}

static void cell(struct hd_table *t, enum hd_field_kind kind, union value v)
{
	switch (kind) {
	case HD_FIELD_COUNT:
		v.count < 0 ? hd_table_string(t, "-") : hd_table_cellf(t, "%" PRId64, v.count);
		break;
	case HD_FIELD_RANK: v.count ? hd_table_cellf(t, "%" PRId64, v.count) : hd_table_string(t, "-"); break;
	case HD_FIELD_WEIGHT: hd_table_cellf(t, "%" PRIu64, v.weight); break;
	case HD_FIELD_REAL: hd_table_real(t, v.real); break;
	case HD_FIELD_PERCENT:
	case HD_FIELD_PERCENT_SHORT:
		if (isnan(v.real))
			hd_table_string(t, "-");
		else
			hd_table_cellf(t, kind == HD_FIELD_PERCENT ? "%.2f%%" : "%.1f%%", v.real);
		break;
	case HD_FIELD_POINTS:
		isnan(v.real) ? hd_table_string(t, "") : hd_table_cellf(t, "%+.2f", v.real);
		break;
	case HD_FIELD_INTERVAL: interval_cell(t, v.interval); break;
	case HD_FIELD_CELL:
	case HD_FIELD_TEXT:
	case HD_FIELD_NAME:
	case HD_FIELD_TEXT_IF: v.text ? hd_table_string(t, v.text) : hd_table_pseudo(t, ""); break;
	case HD_FIELD_SYMBOL:
		hd_table_guide(t, v.name.guide);
		(v.name.pseudo ? hd_table_pseudo : hd_table_string)(t, v.name.shown);
		break;
	case HD_FIELD_BOOL:
	case HD_FIELD_FLAG: hd_table_string(t, v.yes ? "yes" : ""); break;
	case HD_FIELD_INT:
	case HD_FIELD_COUNT_IF:
	case HD_FIELD_REAL_IF: break;	/* fields of these kinds have no title, so they are in no table */
	}
}

void hd_fields_cells(struct hd_table *t, const struct hd_fields *f, const void *row)
{
	const struct hd_field *shown[FIELDS_MAX];
	size_t n = in_order(shown, f, false);

	for (size_t i = 0; i < n; i++)
		cell(t, shown[i]->kind, value_of(shown[i], row));
}

void hd_json_real(struct hd_jsonw *w, const char *key, double v)
{
	char text[HD_NUMBER_TEXT_MAX];

	if (!isfinite(v)) {
		hd_jsonw_null(w, key);
		return;
	}
	hd_number_write(text, v);
	hd_jsonw_raw(w, key, text);
}

void hd_json_interval(struct hd_jsonw *w, const char *key, struct hd_interval ci)
{
	hd_jsonw_row(w, key, '[');
	hd_json_real(w, NULL, ci.lo);
	hd_json_real(w, NULL, ci.hi);
	hd_jsonw_close(w, ']');
}

void hd_json_known(struct hd_jsonw *w, const char *key, int64_t v)
{
	v < 0 ? hd_jsonw_null(w, key) : hd_jsonw_i64(w, key, v);
}

void hd_json_range(struct hd_jsonw *w, const char *key, double lo, double hi, int decimals)
{
	hd_jsonw_open(w, key, '[');
	hd_jsonw_num(w, NULL, lo, decimals);
	hd_jsonw_num(w, NULL, hi, decimals);
	hd_jsonw_close(w, ']');
}

static void member(struct hd_jsonw *w, const struct hd_field *f, union value v)
{
	switch (f->kind) {
	case HD_FIELD_COUNT: hd_json_known(w, f->key, v.count); break;
	case HD_FIELD_RANK:
	case HD_FIELD_WEIGHT: hd_jsonw_u64(w, f->key, v.weight); break;
	case HD_FIELD_REAL: hd_json_real(w, f->key, v.real); break;
	case HD_FIELD_PERCENT:
	case HD_FIELD_PERCENT_SHORT:
	case HD_FIELD_POINTS: hd_jsonw_num(w, f->key, v.real, 6); break;
	case HD_FIELD_CELL: break;
	case HD_FIELD_INTERVAL: hd_json_interval(w, f->key, v.interval); break;
	case HD_FIELD_TEXT:
	case HD_FIELD_NAME: hd_jsonw_str(w, f->key, v.text); break;
	case HD_FIELD_SYMBOL: hd_jsonw_str(w, f->key, v.name.full); break;
	case HD_FIELD_BOOL: hd_jsonw_bool(w, f->key, v.yes); break;
	case HD_FIELD_INT: hd_jsonw_i64(w, f->key, v.count); break;
	case HD_FIELD_COUNT_IF: v.count < 0 ? (void)0 : hd_jsonw_i64(w, f->key, v.count); break;
	case HD_FIELD_REAL_IF: isnan(v.real) ? (void)0 : hd_json_real(w, f->key, v.real); break;
	case HD_FIELD_FLAG: v.yes ? hd_jsonw_bool(w, f->key, true) : (void)0; break;
	case HD_FIELD_TEXT_IF: v.text ? hd_jsonw_str(w, f->key, v.text) : (void)0; break;
	}
}

void hd_fields_json(struct hd_jsonw *w, const struct hd_fields *f, const void *row)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->items[i].key && exists(f, &f->items[i]))
			member(w, &f->items[i], value_of(&f->items[i], row));
}

void hd_fields_object(struct hd_jsonw *w, const struct hd_fields *f, const void *row)
{
	hd_jsonw_row(w, NULL, '{');
	hd_fields_json(w, f, row);
	hd_jsonw_close(w, '}');
}

void hd_fields_csv_header(struct hd_buf *out, const struct hd_fields *f)
{
	const struct hd_field *shown[FIELDS_MAX];
	size_t n = in_order(shown, f, true);

	for (size_t i = 0; i < n; i++)
		hd_buf_addf(out, "%s%s", i ? "," : "", shown[i]->key);
	hd_buf_addc(out, '\n');
}

void hd_fields_array(struct hd_jsonw *w, const char *key, const struct hd_fields *f, const void *rows, size_t n,
	size_t size)
{
	hd_jsonw_open(w, key, '[');
	for (size_t i = 0; i < n; i++)
		hd_fields_object(w, f, (const char *)rows + i * size);
	hd_jsonw_close(w, ']');
}

static void csv_name(struct hd_buf *out, const char *name)
{
	name = name ? name : "";
	hd_enc_csv(out, name, strlen(name));
}

static void csv_value(struct hd_buf *out, enum hd_field_kind kind, union value v)
{
	char number[HD_NUMBER_TEXT_MAX];

	switch (kind) {
	case HD_FIELD_COUNT: v.count < 0 ? (void)0 : hd_buf_addf(out, "%" PRId64, v.count); break;
	case HD_FIELD_RANK:
	case HD_FIELD_WEIGHT: hd_buf_addf(out, "%" PRIu64, v.weight); break;
	case HD_FIELD_REAL:
		if (isfinite(v.real))
			hd_buf_add(out, number, hd_number_write(number, v.real));
		break;
	case HD_FIELD_PERCENT:
	case HD_FIELD_PERCENT_SHORT:
	case HD_FIELD_POINTS: isnan(v.real) ? (void)0 : hd_buf_addf(out, "%.6f", v.real); break;
	case HD_FIELD_TEXT: hd_buf_adds(out, v.text ? v.text : ""); break;
	case HD_FIELD_NAME: csv_name(out, v.text); break;
	case HD_FIELD_SYMBOL: csv_name(out, v.name.full); break;
	case HD_FIELD_CELL:
	case HD_FIELD_INTERVAL:
	case HD_FIELD_BOOL:
	case HD_FIELD_INT:
	case HD_FIELD_FLAG:
	case HD_FIELD_TEXT_IF:
	case HD_FIELD_COUNT_IF:
	case HD_FIELD_REAL_IF: break;	/* fields of these kinds are not in CSV */
	}
}

void hd_fields_csv(struct hd_buf *out, const struct hd_fields *f, const void *row)
{
	const struct hd_field *shown[FIELDS_MAX];
	size_t n = in_order(shown, f, true);

	for (size_t i = 0; i < n; i++) {
		hd_buf_adds(out, i ? "," : "");
		csv_value(out, shown[i]->kind, value_of(shown[i], row));
	}
}
